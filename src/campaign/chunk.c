/* chunk.c -- runs trials of a property through the engine, one by one or many together.
 *
 * Only the public theft API is used, and theft_extensions.h with its fallbacks. Trials are
 * counted here, not by the engine, which skips duplicates: here a trial that repeats an earlier
 * instance is independent like any other, and is decided again. */
#include "config.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/scope.h"
#include "campaign/chunk_run.h"
#include "campaign/counterexample.h"
#include "theft/theft_extensions.h"

static enum theft_hook_run_pre_res run_pre(const struct theft_hook_run_pre_info *info,
                                           void *env)
{
    (void)info;
    (void)env;
    return THEFT_HOOK_RUN_PRE_CONTINUE;
}

static enum theft_hook_run_post_res run_post(const struct theft_hook_run_post_info *info,
                                             void *env)
{
    (void)info;
    (void)env;
    return THEFT_HOOK_RUN_POST_CONTINUE;
}

/* Runs the trials of the chunk. The parts of config that all chunks share are set here: name,
 * number of trials, seed, quiet hooks. run->status is the status of the engine. */
static void run_engine(attest_chunk_run_state *run, struct theft_run_config *config,
                       const struct theft_extension_config *extension)
{
    const attest_chunk *chunk = run->chunk;
    enum theft_run_res ended;

    config->name = chunk->property->name;
    config->trials = chunk->count;
    config->seed = theft_trial_seed(~chunk->seed, chunk->first);
    config->hooks.run_pre = run_pre;
    config->hooks.run_post = run_post;
    ended = theft_run_extended(config, extension, NULL, NULL);
    if (run->status == ATTEST_OK && ended != THEFT_RUN_PASS && ended != THEFT_RUN_FAIL &&
        ended != THEFT_RUN_SKIP)
        run->status = attest_error_set(run->error, ATTEST_NOMEM, "%s: the engine failed: %s",
                                       chunk->property->name, theft_run_res_str(ended));
}

/* ---- Many together: the engine only generates instances, which are kept and reported as
 * passed; when there are enough, the property decides them together. The outcome of a trial
 * depends on its instance alone, so the size and the order of batches do not matter. */

/* Enough for the filter to have a few dozen instances of each shape, few enough to stay in the
 * cache. */
enum { MOST = 512 };

/* Draws need not be recorded, because nothing is shrunk here. Our engine draws the same numbers
 * either way; a genuine libtheft draws others. */
#ifdef ATTEST_THEFT_BUILTIN
enum { RECORDED = false };
#else
enum { RECORDED = true };
#endif

/* Instances that are not decided yet. */
typedef struct batch {
    attest_chunk_run_state run;
    size_t count;
    uint64_t number[MOST];
    uint64_t seed[MOST];
    attest_instance instance[MOST];
    attest_trial trial[MOST];
    void *memory; /* of the property */
    attest_violation *found;
} batch;

static void clear_batch(batch *b)
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

static bool count_batch(batch *b)
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

/* Decides the instances; returns false if this fails, with the reason in run.status. */
static bool decide_batch(batch *b)
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
        if (run->status == ATTEST_NOMEM) /* the property may leave the error empty */
            attest_memory_fail(run->error);
        ok = run->status == ATTEST_OK && count_batch(b);
    }
    clear_batch(b);
    return ok;
}

static enum theft_alloc_res gen_into_batch(struct theft *t, void *env, void **output)
{
    batch *b = env;
    attest_instance *instance;
    enum theft_alloc_res made;

    if (b->count == MOST && !decide_batch(b))
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

/* The batch owns the instance. */
static void keep_instance(void *instance, void *env)
{
    (void)instance;
    (void)env;
}

static enum theft_trial_res pass_instance(struct theft *t, void *argument)
{
    (void)t;
    (void)argument;
    return THEFT_TRIAL_PASS;
}

static enum theft_hook_gen_args_pre_res
before_draw(const struct theft_hook_gen_args_pre_info *info, void *env)
{
    batch *b = env;

    if (b->found->text)
        return THEFT_HOOK_GEN_ARGS_PRE_HALT;
    b->run.trial = b->run.chunk->first + info->trial_id;
    b->run.seed = info->trial_seed;
    return THEFT_HOOK_GEN_ARGS_PRE_CONTINUE;
}

static enum theft_hook_trial_post_res after_draw(const struct theft_hook_trial_post_info *info,
                                                 void *env)
{
    (void)info;
    (void)env;
    return THEFT_HOOK_TRIAL_POST_CONTINUE;
}

/* Generates all instances, and decides all but the last batch. */
static void fill_batch(batch *b, theft_seed *seeds)
{
    const attest_chunk *chunk = b->run.chunk;
    struct theft_type_info type = {.alloc = gen_into_batch,
                                   .free = keep_instance,
                                   .autoshrink_config = {.enable = RECORDED},
                                   .env = b};
    struct theft_run_config config = {
        .prop1 = pass_instance,
        .type_info = {&type},
        .always_seeds = seeds,
        .always_seed_count = chunk->count,
        .hooks = {.gen_args_pre = before_draw, .trial_post = after_draw, .env = b}};

    run_engine(&b->run, &config, NULL);
}

/* A search cannot be batched, because its trials depend on the earlier ones; nor can a chunk
 * whose trials are observed, each with its time, or one in which a worker died. */
static bool may_batch(const attest_chunk *chunk)
{
    return chunk->property->decide_many && !chunk->search && !chunk->observe &&
           !chunk->one_by_one && chunk->deaths == 0;
}

/* Decides the trials of the chunk together. If found (initialised to 0) has a text afterwards,
 * it is a violation, and the result is meaningless: the chunk must be run one by one, which
 * shrinks it. The caller frees the texts of found. Status: NOMEM. */
static attest_status run_together(attest_chunk_result *result, attest_violation *found,
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
    fill_batch(b, seeds);
    if (b->run.status == ATTEST_OK && !found->text)
        (void)decide_batch(b);
    clear_batch(b);
    if (chunk->property->forget)
        chunk->property->forget(b->memory);
    return b->run.status;
}

/* ---- One by one. */

static enum theft_alloc_res gen(struct theft *t, void *env, void **output)
{
    attest_chunk_run_state *run = env;
    attest_instance *instance;
    enum theft_alloc_res made;

    if (!run->called && !run->guarded && attest_chunk_find_death(run, false))
        return THEFT_ALLOC_SKIP;
    if (!attest_chunk_may_gen(run, t))
        return THEFT_ALLOC_SKIP;
    instance = attest_memory_alloc(1, sizeof *instance);
    if (!instance) {
        run->status = attest_memory_fail(run->error);
        return THEFT_ALLOC_ERROR;
    }
    attest_instance_init(instance);
    made = attest_chunk_gen(run, instance, t);
    if (made == THEFT_ALLOC_OK)
        *output = instance;
    else
        free(instance);
    return made;
}

static void free_instance(void *instance, void *env)
{
    (void)env;
    attest_instance_clear(instance);
    free(instance);
}

static double target(const attest_chunk_run_state *run, const attest_instance *instance)
{
    const attest_chunk *chunk = run->chunk;

    if (chunk->search && chunk->property->propose && !run->guarded)
        return -chunk->property->propose(instance, chunk->setting);
    return -run->at.margin;
}

static enum theft_trial_res call(struct theft *t, void *argument)
{
    attest_chunk_run_state *run = theft_hook_get_env(t);

    theft_set_output_stream(t, stderr); /* warnings: standard output belongs to the report */
    if (run->called)                    /* a step of shrinking */
        return attest_chunk_still_violates(run, argument) ? THEFT_TRIAL_FAIL
               : run->status == ATTEST_OK                 ? THEFT_TRIAL_PASS
                                                          : THEFT_TRIAL_ERROR;
    if (!attest_chunk_decide(run, argument))
        return THEFT_TRIAL_ERROR;
    theft_target(t, target(run, argument));
    switch (run->at.outcome) {
    case ATTEST_HELD:
        return THEFT_TRIAL_PASS;
    case ATTEST_VIOLATED:
        return THEFT_TRIAL_FAIL;
    default:
        return THEFT_TRIAL_SKIP;
    }
}

static enum theft_hook_gen_args_pre_res
before_trial(const struct theft_hook_gen_args_pre_info *info, void *env)
{
    attest_chunk_run_state *run = env;

    if (info->failures > 0 && !run->chunk->keep_going)
        return THEFT_HOOK_GEN_ARGS_PRE_HALT;
    attest_chunk_begin_trial(run, run->chunk->first + info->trial_id,
                             run->chunk->search ? info->run_seed : info->trial_seed);
    return THEFT_HOOK_GEN_ARGS_PRE_CONTINUE;
}

static enum theft_hook_shrink_pre_res
before_shrink(const struct theft_hook_shrink_pre_info *info, void *env)
{
    (void)info;
    return attest_chunk_may_shrink(env) ? THEFT_HOOK_SHRINK_PRE_CONTINUE
                                        : THEFT_HOOK_SHRINK_PRE_HALT;
}

static enum theft_hook_counterexample_res
after_shrinking(const struct theft_hook_counterexample_info *info, void *env)
{
    return attest_chunk_keep(env, info->args[0]) ? THEFT_HOOK_COUNTEREXAMPLE_CONTINUE
                                                 : THEFT_HOOK_COUNTEREXAMPLE_ERROR;
}

static enum theft_hook_trial_post_res after_trial(const struct theft_hook_trial_post_info *info,
                                                  void *env)
{
    attest_chunk_run_state *run = env;
    const attest_instance *instance = info->args[0];

    if (info->result == THEFT_TRIAL_ERROR)
        return THEFT_HOOK_TRIAL_POST_ERROR;
    /* theft mistakes some instances for duplicates; they are decided like all others. */
    if (info->result == THEFT_TRIAL_DUP &&
        (!attest_chunk_decide(run, instance) ||
         (run->at.outcome == ATTEST_VIOLATED && !attest_chunk_keep(run, instance))))
        return THEFT_HOOK_TRIAL_POST_ERROR;
    if (!attest_chunk_end_trial(run)) {
        run->status = attest_memory_fail(run->error);
        return THEFT_HOOK_TRIAL_POST_ERROR;
    }
    return THEFT_HOOK_TRIAL_POST_CONTINUE;
}

/* Returns how many of the trials, the last ones, are guided. */
static size_t guided(const attest_chunk *chunk)
{
    return chunk->search && chunk->count > chunk->lead ? chunk->count - chunk->lead : 0;
}

static void run_clear(attest_chunk_run_state *run)
{
    free(run->arguments);
    free(run->found);
    attest_text_clear(&run->observations);
}

static attest_status run_one_by_one(attest_chunk_result *result, const attest_chunk *chunk,
                                    attest_error *error)
{
    attest_chunk_run_state run ATTEST_CLEARED_BY(run_clear) = {
        .chunk = chunk, .result = result, .error = error};
    struct theft_type_info type = {.alloc = gen,
                                   .free = free_instance,
                                   .autoshrink_config = {.enable = true},
                                   .env = &run};
    struct theft_run_config config = {
        .prop1 = call,
        .type_info = {&type},
        .hooks = {.gen_args_pre = before_trial,
                  .shrink_pre = before_shrink,
                  .counterexample = after_shrinking,
                  .trial_post = after_trial,
                  .env = &run},
    };
    struct theft_extension_config extension = {.target_trials = guided(chunk)};
    theft_seed *seeds ATTEST_FREED = NULL;

    if (!chunk->search) { /* trials have the seeds of their numbers; a search has its own */
        seeds = attest_chunk_seeds(chunk);
        if (!seeds)
            return attest_memory_fail(error);
        config.always_seeds = seeds;
        config.always_seed_count = chunk->count;
    }
    run_engine(&run, &config, &extension);
    ATTEST_TRY(run.status);
    for (size_t d = 0; d < chunk->deaths; d++)
        if (attest_chunk_result_add_death(result, &chunk->death[d]) != ATTEST_OK)
            return attest_memory_fail(error);
    if (!chunk->observe)
        return ATTEST_OK;
    result->observations = attest_text_take(&run.observations);
    return result->observations ? ATTEST_OK : attest_memory_fail(error);
}

/* Counts a violation that was found when trials were decided together, but not when each was
 * decided alone. */
static attest_status note_flaky(attest_chunk_result *result, attest_violation *found,
                                attest_error *error)
{
    uint64_t *from = result->passed      ? &result->passed
                     : result->discarded ? &result->discarded
                                         : &result->undecided;
    attest_status status = attest_chunk_result_add_violation(result, found);

    found->reason = found->text = NULL;
    *from -= *from > 0;
    result->failed++;
    return status ? attest_memory_fail(error) : ATTEST_OK;
}

static void violation_clear(attest_violation *violation)
{
    free(violation->reason);
    free(violation->text);
}

attest_status attest_chunk_run(attest_chunk_result *result, const attest_chunk *chunk,
                               attest_error *error)
{
    attest_violation found ATTEST_CLEARED_BY(violation_clear) = {0};

    if (may_batch(chunk)) {
        attest_status status = run_together(result, &found, chunk, error);

        if (status == ATTEST_OK && !found.text)
            return ATTEST_OK;
        attest_chunk_result_clear(result);
        ATTEST_TRY(status);
    }
    ATTEST_TRY(run_one_by_one(result, chunk, error));
    if (found.text && result->failed == 0)
        return note_flaky(result, &found, error);
    return ATTEST_OK;
}
