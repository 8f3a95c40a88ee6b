/* The same seed gives the same run: on any day, at any optimisation, with any compiler. A trace
 * of everything that happens is hashed and compared with a stored value. */
#include <string.h>

#include <theft.h>
#include "theft/theft_extensions.h"

#include "tests/tap.h"
#include "tests/theft/arrays.h"
#include "tests/theft/quiet.h"

static struct theft_hasher trace;

static void sink(const void *data, size_t size)
{
    theft_hash_sink(&trace, data, size);
}

static void sink_word(uint64_t word)
{
    uint8_t bytes[8];
    for (int i = 0; i < 8; i++)
        bytes[i] = (uint8_t)(word >> 8 * i);
    sink(bytes, sizeof bytes);
}

static enum theft_hook_trial_post_res trial_post(const struct theft_hook_trial_post_info *info,
                                                 void *env)
{
    (void)env;
    sink_word(info->trial_seed);
    sink_word(info->result);
    return THEFT_HOOK_TRIAL_POST_CONTINUE;
}

static enum theft_trial_res traced_array(struct theft *t, void *arg)
{
    const struct array *a = arg;
    for (size_t i = 0; i < a->count; i++)
        sink_word(a->at[i]);
    theft_target(t, a->count ? (double)a->at[0] : 0);
    return no_large_residue_3(t, arg);
}

static uint64_t trace_arrays(size_t guided)
{
    struct array_kind kind = {true, 16};
    struct theft_type_info info = {.alloc = array_alloc,
                                   .free = theft_generic_free_cb,
                                   .autoshrink_config = {.enable = true},
                                   .env = &kind};
    struct theft_extension_config ext = {.target_trials = guided};
    struct theft_run_config cfg = {.prop1 = traced_array,
                                   .type_info = {&info},
                                   .trials = 200,
                                   .seed = 2024,
                                   .hooks = {.trial_post = trial_post}};
    quieten(&cfg);
    theft_hash_init(&trace);
    theft_run_extended(&cfg, &ext, NULL, NULL);
    return theft_hash_done(&trace);
}

static void sink_text(const struct theft_type_info *info, theft_seed seed)
{
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    theft_generate(f, seed, info, NULL);
    fclose(f);
    sink(text, size);
    free(text);
}

static uint64_t trace_builtins(void)
{
    theft_hash_init(&trace);
    for (int type = THEFT_BUILTIN_bool; type <= THEFT_BUILTIN_uint8_t_ARRAY; type++)
        for (theft_seed seed = 0; seed < 100; seed++)
            sink_text(theft_get_builtin_type_info((enum theft_builtin_type_info)type), seed);
    return theft_hash_done(&trace);
}

static void check(const char *what, uint64_t got, uint64_t stored)
{
    TAP_OK(got == stored, "%s: 0x%016llx", what, (unsigned long long)got);
}

TEST(golden)
{
    check("a run with shrinking", trace_arrays(0), UINT64_C(0x7ab93fd91b5a4187));
    check("a guided run", trace_arrays(150), UINT64_C(0xb41acf65c70c0171));
    check("built-in types", trace_builtins(), UINT64_C(0xda6233d1014e43ee));
    TAP_OK(trace_arrays(150) == trace_arrays(150), "once more");
    TAP_OK(theft_trial_seed(1, 1) == UINT64_C(0x8a81c9519585f0a8),
           "the seed of trial 1 of run 1: 0x%016llx",
           (unsigned long long)theft_trial_seed(1, 1));
    return 0;
}
