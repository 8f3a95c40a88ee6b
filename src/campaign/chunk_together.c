/* chunk_together.c -- the trials of a chunk, decided many at a time.
 *
 * The engine makes the instances, which are kept, and is told that they pass; when there are
 * enough of them, the property decides them together. What one of them is found to be depends
 * on it alone, so neither the number of them nor the order matters. */
#include "config.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/scope.h"
#include "campaign/chunk_run.h"
#include "campaign/instance_text.h"
#include "theft/theft_extensions.h"

/* Enough for the filter to have a few dozen instances of each shape, few enough to stay in the
 * cache. */
enum { MOST = 512 };

/* Nothing is shrunk here, so draws need not be recorded. Our engine draws the same numbers
 * nevertheless; a genuine libtheft draws others. */
#ifdef ATTEST_THEFT_BUILTIN
enum { RECORDED = false };
#else
enum { RECORDED = true };
#endif

/* Instances that wait for their decision. */
typedef struct batch {
    attest_chunk_run_state run;
    size_t count;
    uint64_t number[MOST];
    uint64_t seed[MOST];
    attest_instance instance[MOST];
    attest_trial trial[MOST];
    void *memory; /* the property's */
    attest_violation *found;
} batch;

static void empty(batch *b)
{
    for (size_t i = 0; i < b->count; i++)
        attest_instance_clear(&b->instance[i]);
    b->count = 0;
}

static bool note_violation(batch *b, const attest_instance *instance)
{
    attest_chunk_run_state *run = &b->run;
    attest_origin origin = {run->chunk->property, run->chunk->setting, &run->at, run->seed, 0};

    *b->found = (attest_violation){.trial = run->trial,
                                   .margin = run->at.margin,
                                   .reason = attest_memory_copy(run->at.reason),
                                   .text = attest_instance_format(instance, &origin),
                                   .flaky = true};
    if (!b->found->reason || !b->found->text)
        run->status = attest_memory_fail(run->error);
    return run->status == ATTEST_OK;
}

static bool take_up(batch *b)
{
    attest_chunk_run_state *run = &b->run;

    for (size_t i = 0; i < b->count; i++) {
        run->trial = b->number[i];
        run->seed = b->seed[i];
        run->at = b->trial[i];
        if (run->at.outcome == ATTEST_VIOLATED)
            return note_violation(b, &b->instance[i]);
        if (!attest_chunk_note(run, &b->instance[i]))
            return false;
        if (!attest_chunk_end_trial(run)) {
            run->status = attest_memory_fail(run->error);
            return false;
        }
    }
    return true;
}

/* Decides what waits; false: run.status tells what failed. */
static bool decide(batch *b)
{
    attest_chunk_run_state *run = &b->run;
    const attest_chunk *chunk = run->chunk;
    bool ok = true;

    attest_chunk_beat(run, false, 0);
    for (size_t i = 0; i < b->count; i++)
        attest_trial_init(&b->trial[i]);
    if (b->count > 0) {
        run->status = chunk->property->decide_many(b->trial, b->instance, b->count, &b->memory,
                                                   chunk->setting, run->error);
        if (run->status == ATTEST_NOMEM) /* a property need not say it */
            attest_memory_fail(run->error);
        ok = run->status == ATTEST_OK && take_up(b);
    }
    empty(b);
    return ok;
}

static enum theft_alloc_res gen(struct theft *t, void *env, void **output)
{
    batch *b = env;
    attest_instance *instance;
    enum theft_alloc_res made;

    if (b->count == MOST && !decide(b))
        return THEFT_ALLOC_ERROR;
    instance = &b->instance[b->count];
    attest_instance_init(instance);
    made = attest_chunk_gen(&b->run, instance, t);
    b->run.result->discarded += made == THEFT_ALLOC_SKIP;
    if (made != THEFT_ALLOC_OK)
        return made;
    b->number[b->count] = b->run.trial;
    b->seed[b->count] = b->run.seed;
    b->count++;
    *output = instance;
    return THEFT_ALLOC_OK;
}

/* The instance stays in the batch. */
static void leave(void *instance, void *env)
{
    (void)instance;
    (void)env;
}

static enum theft_trial_res pass(struct theft *t, void *argument)
{
    (void)t;
    (void)argument;
    return THEFT_TRIAL_PASS;
}

static enum theft_hook_gen_args_pre_res
before_trial(const struct theft_hook_gen_args_pre_info *info, void *env)
{
    batch *b = env;

    if (b->found->text)
        return THEFT_HOOK_GEN_ARGS_PRE_HALT;
    b->run.trial = b->run.chunk->first + info->trial_id;
    b->run.seed = info->trial_seed;
    return THEFT_HOOK_GEN_ARGS_PRE_CONTINUE;
}

static enum theft_hook_trial_post_res after_trial(const struct theft_hook_trial_post_info *info,
                                                  void *env)
{
    (void)info;
    (void)env;
    return THEFT_HOOK_TRIAL_POST_CONTINUE;
}

/* Makes all instances, and decides all but the last few. */
static void run_engine(batch *b, theft_seed *seeds)
{
    const attest_chunk *chunk = b->run.chunk;
    struct theft_type_info type = {
        .alloc = gen, .free = leave, .autoshrink_config = {.enable = RECORDED}, .env = b};
    struct theft_run_config config = {
        .prop1 = pass,
        .type_info = {&type},
        .always_seeds = seeds,
        .always_seed_count = chunk->count,
        .hooks = {.gen_args_pre = before_trial, .trial_post = after_trial, .env = b}};

    attest_chunk_run_engine(&b->run, &config, NULL);
}

/* Not a search, whose trials depend on those before; not where every trial is told of, with the
 * time that it took; not where a worker has died: the others are to be decided without it. */
bool attest_chunk_may_join(const attest_chunk *chunk)
{
    return chunk->property->decide_many && !chunk->search && !chunk->observe &&
           !chunk->one_by_one && chunk->deaths == 0;
}

attest_status attest_chunk_run_together(attest_chunk_result *result, attest_violation *found,
                                        const attest_chunk *chunk, attest_error *error)
{
    theft_seed *seeds ATTEST_FREED = attest_chunk_seeds(chunk);
    batch *b ATTEST_FREED = attest_memory_alloc(1, sizeof *b);

    if (!seeds || !b)
        return attest_memory_fail(error);
    b->run = (attest_chunk_run_state){.chunk = chunk,
                                      .result = result,
                                      .trial = chunk->first,
                                      .together = true,
                                      .error = error};
    b->found = found;
    attest_chunk_beat(&b->run, false, 0);
    run_engine(b, seeds);
    if (b->run.status == ATTEST_OK && !found->text)
        (void)decide(b);
    empty(b);
    if (chunk->property->forget)
        chunk->property->forget(b->memory);
    return b->run.status;
}
