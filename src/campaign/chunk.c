/* chunk.c -- runs some trials of a property through the engine.
 *
 * Only the public theft API is used, and theft_extensions.h with its fallbacks. The counts are
 * our own, not the engine's: what it calls a duplicate is an independent trial like any other,
 * and is decided again. */
#include "config.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/scope.h"
#include "campaign/chunk_run.h"
#include "theft/theft_extensions.h"

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

static enum theft_trial_res shrink_step(attest_chunk_run_state *run,
                                        const attest_instance *instance)
{
    if (attest_chunk_will_do(run, instance))
        return THEFT_TRIAL_FAIL;
    return run->status == ATTEST_OK ? THEFT_TRIAL_PASS : THEFT_TRIAL_ERROR;
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
    if (run->called)
        return shrink_step(run, argument);
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

/* theft's filter takes some instances for duplicates that are none: they are decided, and what
 * they violate is found, as if it had not. */
static bool decide_duplicate(attest_chunk_run_state *run, const attest_instance *instance)
{
    return attest_chunk_decide(run, instance) &&
           (run->at.outcome != ATTEST_VIOLATED || attest_chunk_keep(run, instance));
}

static enum theft_hook_trial_post_res after_trial(const struct theft_hook_trial_post_info *info,
                                                  void *env)
{
    attest_chunk_run_state *run = env;

    if (info->result == THEFT_TRIAL_ERROR)
        return THEFT_HOOK_TRIAL_POST_ERROR;
    if (info->result == THEFT_TRIAL_DUP && !decide_duplicate(run, info->args[0]))
        return THEFT_HOOK_TRIAL_POST_ERROR;
    if (!attest_chunk_end_trial(run)) {
        run->status = attest_memory_fail(run->error);
        return THEFT_HOOK_TRIAL_POST_ERROR;
    }
    return THEFT_HOOK_TRIAL_POST_CONTINUE;
}

/* How many of the trials, the last ones, are guided. */
static size_t guided(const attest_chunk *chunk)
{
    return chunk->search && chunk->count > chunk->lead ? chunk->count - chunk->lead : 0;
}

static attest_status copy_deaths(attest_chunk_result *result, const attest_chunk *chunk,
                                 attest_error *error)
{
    for (size_t d = 0; d < chunk->deaths; d++)
        if (attest_chunk_result_add_death(result, &chunk->death[d]) != ATTEST_OK)
            return attest_memory_fail(error);
    return ATTEST_OK;
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
    attest_chunk_run_engine(&run, &config, &extension);
    ATTEST_TRY(run.status);
    ATTEST_TRY(copy_deaths(result, chunk, error));
    if (!chunk->observe)
        return ATTEST_OK;
    result->observations = attest_text_take(&run.observations);
    return result->observations ? ATTEST_OK : attest_memory_fail(error);
}

/* Counts a violation that was found when trials were decided together, and not when each was
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
    return status == ATTEST_OK ? status : attest_memory_fail(error);
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

    if (attest_chunk_may_join(chunk)) {
        attest_status status = attest_chunk_run_together(result, &found, chunk, error);

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
