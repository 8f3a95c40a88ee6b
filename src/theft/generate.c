/* One instance of a type from its seed. */
#include "internal.h"

#include <inttypes.h>

static enum theft_generate_res generate(struct theft *t, FILE *f, theft_seed seed,
                                        struct theft_input *in)
{
    const struct theft_type_info *info = t->cfg.type_info[0];
    switch (theft_input_generate(t, in, seed)) {
    case THEFT_ALLOC_OK:
        break;
    case THEFT_ALLOC_SKIP:
        return THEFT_GENERATE_SKIP;
    default:
        return t->source.no_memory ? THEFT_GENERATE_ERROR_MEMORY : THEFT_GENERATE_ERROR_ALLOC;
    }
    fprintf(f, "-- Seed 0x%016" PRIx64 "\n", seed);
    theft_print_arg(f, info, in->args[0], in->choices.at, in->choices.count);
    theft_input_free_args(t, in);
    return THEFT_GENERATE_OK;
}

enum theft_generate_res theft_generate(FILE *f, theft_seed seed,
                                       const struct theft_type_info *info, void *hook_env)
{
    if (!f || !theft_type_check(info))
        return THEFT_GENERATE_ERROR_BAD_ARGS;
    struct theft *t = calloc(1, sizeof *t);
    if (!t)
        return THEFT_GENERATE_ERROR_MEMORY;
    struct theft_input in = {.choices = {0}};
    t->cfg.type_info[0] = info;
    t->cfg.hooks.env = hook_env;
    t->arity = 1;
    t->out = f;
    enum theft_generate_res res = generate(t, f, seed, &in);
    theft_choices_clear(&in.choices);
    free(t);
    return res;
}
