/* The arguments of a trial, and the choices that they are made from. */
#include <stdlib.h>
#include <string.h>

#include "internal.h"

bool theft_choices_reserve(struct theft_choices *c, size_t capacity)
{
    if (capacity <= c->capacity)
        return true;
    size_t grown = c->capacity < 64 ? 64 : c->capacity + c->capacity / 2;
    if (grown < capacity)
        grown = capacity;
    if (grown > SIZE_MAX / sizeof *c->at)
        return false;
    struct theft_choice *at = realloc(c->at, grown * sizeof *at);
    if (!at)
        return false;
    c->at = at;
    c->capacity = grown;
    return true;
}

bool theft_choices_set(struct theft_choices *to, const struct theft_choice *from, size_t count)
{
    if (!theft_choices_reserve(to, count))
        return false;
    if (count)
        memmove(to->at, from, count * sizeof *from);
    to->count = count;
    return true;
}

void theft_choices_delete(struct theft_choices *c, size_t at, size_t count)
{
    memmove(c->at + at, c->at + at + count, (c->count - at - count) * sizeof *c->at);
    c->count -= count;
}

void theft_choices_clear(struct theft_choices *c)
{
    free(c->at);
    memset(c, 0, sizeof *c);
}

static bool autoshrinks(const struct theft *t, unsigned i)
{
    return t->cfg.type_info[i]->autoshrink_config.enable;
}

void theft_arg_free(struct theft *t, unsigned i, void *arg)
{
    const struct theft_type_info *info = t->cfg.type_info[i];
    if (info->free)
        info->free(arg, info->env);
}

/* Calls alloc with the current source of draws. */
static enum theft_alloc_res arg_alloc(struct theft *t, unsigned i, void **arg)
{
    const struct theft_type_info *info = t->cfg.type_info[i];
    *arg = NULL;
    enum theft_alloc_res res = info->alloc(t, info->env, arg);
    t->source.record = NULL;
    if (t->source.no_memory && res == THEFT_ALLOC_OK) {
        theft_arg_free(t, i, *arg);
        *arg = NULL;
        return THEFT_ALLOC_ERROR;
    }
    return res;
}

/* Frees the arguments before `made`, which could not be made. */
static enum theft_alloc_res give_up(struct theft *t, struct theft_input *in, unsigned made,
                                    enum theft_alloc_res res)
{
    for (unsigned i = 0; i < made; i++)
        theft_arg_free(t, i, in->args[i]);
    memset(in->args, 0, sizeof in->args);
    in->choices.count = 0;
    memset(in->start, 0, sizeof in->start);
    return res;
}

enum theft_alloc_res theft_input_generate(struct theft *t, struct theft_input *in,
                                          theft_seed seed)
{
    theft_source_fresh(&t->source, seed, THEFT_STREAM_GENERATE, NULL);
    in->choices.count = 0;
    for (unsigned i = 0; i < t->arity; i++) {
        in->start[i] = in->choices.count;
        t->source.record = autoshrinks(t, i) ? &in->choices : NULL;
        enum theft_alloc_res res = arg_alloc(t, i, &in->args[i]);
        if (res != THEFT_ALLOC_OK)
            return give_up(t, in, i, res);
        in->start[i + 1] = in->choices.count;
    }
    return THEFT_ALLOC_OK;
}

enum theft_alloc_res theft_input_replay_arg(struct theft *t, unsigned i,
                                            const struct theft_choice *from, size_t count,
                                            struct theft_choices *record, void **arg)
{
    theft_source_replay(&t->source, from, count, record);
    enum theft_alloc_res res = arg_alloc(t, i, arg);
    t->source.replaying = false;
    return res;
}

enum theft_alloc_res theft_input_replay(struct theft *t, struct theft_input *in,
                                        const struct theft_input *from, theft_seed seed)
{
    theft_source_fresh(&t->source, seed, THEFT_STREAM_GENERATE, NULL);
    in->choices.count = 0;
    for (unsigned i = 0; i < t->arity; i++) {
        enum theft_alloc_res res;
        in->start[i] = in->choices.count;
        if (autoshrinks(t, i))
            res = theft_input_replay_arg(t, i, from->choices.at + from->start[i],
                                         from->start[i + 1] - from->start[i], &in->choices,
                                         &in->args[i]);
        else
            res = arg_alloc(t, i, &in->args[i]);
        if (res != THEFT_ALLOC_OK)
            return give_up(t, in, i, res);
        in->start[i + 1] = in->choices.count;
    }
    return THEFT_ALLOC_OK;
}

struct theft_fingerprint theft_input_fingerprint(const struct theft *t,
                                                 const struct theft_input *in)
{
    struct theft_fingerprint f = theft_fingerprint_init();
    for (unsigned i = 0; i < t->arity; i++) {
        const struct theft_type_info *info = t->cfg.type_info[i];
        if (info->hash)
            theft_fingerprint_add(&f, info->hash(in->args[i], info->env));
        else if (info->autoshrink_config.enable)
            theft_fingerprint_add_choices(&f, in->choices.at + in->start[i],
                                          in->start[i + 1] - in->start[i]);
    }
    return f;
}

void theft_input_free_args(struct theft *t, struct theft_input *in)
{
    for (unsigned i = 0; i < t->arity; i++)
        theft_arg_free(t, i, in->args[i]);
    memset(in->args, 0, sizeof in->args);
}
