/* chunk.c -- runs some trials of a property through the engine.
 *
 * Only the public theft API is used, and theft_extensions.h with its fallbacks. The counts are
 * our own, not the engine's: what it calls a duplicate is an independent trial like any other,
 * and is decided again. */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "base/memory.h"
#include "campaign/chunk_result.h"
#include "campaign/instance_text.h"
#include "campaign/polish.h"
#include "theft/theft_extensions.h"

/* Attempts to shrink one violation: a count, for a time would make results depend on the
 * machine. */
enum { SHRINK_ATTEMPTS = 10000 };

/* A violation by this factor of two is clear, see is_clear. */
#define CLEAR_MARGIN (-1.0)

typedef struct chunk_run {
    const attest_chunk *chunk;
    attest_chunk_result *result;
    uint64_t trial; /* the number of the trial that is being run */
    uint64_t seed;
    bool called;         /* the property has been called in this trial: */
    attest_trial at;     /* what it found on the trial's own instance */
    uint64_t attempts;   /* to shrink or polish it, */
    size_t shrink_steps; /* and how many of them did */
    attest_status status;
    attest_error *error;
} chunk_run;

static int64_t now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

/* Tells the observer that a call begins. */
static void beat(const chunk_run *run, bool shrinking, uint64_t steps)
{
    attest_chunk_watch *watch = run->chunk->watch;

    if (!watch)
        return;
    atomic_store(&watch->trial, run->trial);
    atomic_store(&watch->seed, run->seed);
    atomic_store(&watch->shrinking, shrinking);
    atomic_store(&watch->steps, steps);
    atomic_store(&watch->beat, now());
    atomic_store(&watch->started, true);
}

/* The death of a worker at this trial, or while its violation was shrunk; or NULL. */
static const attest_death *find_death(const chunk_run *run, bool shrinking)
{
    for (size_t d = 0; d < run->chunk->deaths; d++)
        if (run->chunk->death[d].trial == run->trial &&
            run->chunk->death[d].shrinking == shrinking)
            return &run->chunk->death[d];
    return NULL;
}

static enum theft_alloc_res gen(struct theft *t, void *env, void **output)
{
    chunk_run *run = env;
    attest_instance *instance;
    attest_status status;

    if (!run->called && find_death(run, false))
        return THEFT_ALLOC_SKIP;
    instance = attest_memory_alloc(1, sizeof *instance);
    if (!instance) {
        run->status = attest_error_set(run->error, ATTEST_NOMEM, "out of memory");
        return THEFT_ALLOC_ERROR;
    }
    attest_instance_init(instance);
    status = run->chunk->property->gen(instance, t, run->chunk->setting);
    if (status == ATTEST_OK) {
        *output = instance;
        return THEFT_ALLOC_OK;
    }
    attest_instance_clear(instance);
    free(instance);
    if (status == ATTEST_DOMAIN)
        return THEFT_ALLOC_SKIP;
    run->status = attest_error_set(run->error, status, "%s: cannot make an instance: %s",
                                   run->chunk->property->name, attest_status_name(status));
    return THEFT_ALLOC_ERROR;
}

static void free_instance(void *instance, void *env)
{
    (void)env;
    attest_instance_clear(instance);
    free(instance);
}

static bool decide(chunk_run *run, attest_trial *trial, const attest_instance *instance)
{
    const attest_chunk *chunk = run->chunk;

    attest_trial_init(trial);
    run->status = chunk->property->decide(trial, instance, chunk->setting, run->error);
    return run->status == ATTEST_OK;
}

/* While shrinking, a violation must stay clear: a simple example that violates by a factor of
 * 1.0001 persuades nobody. What is demanded is half of the found margin (a logarithm), and no
 * more than a factor of two. */
static bool is_clear(const attest_trial *candidate, const attest_trial *found)
{
    if (isnan(found->margin))
        return true;
    return candidate->margin <= fmax(found->margin / 2, CLEAR_MARGIN);
}

/* Whether one more attempt may be made; not one at which a worker died. */
static bool may_attempt(chunk_run *run)
{
    const attest_death *death = find_death(run, true);

    beat(run, true, run->attempts);
    return run->attempts++ < (death ? death->steps : SHRINK_ATTEMPTS);
}

/* Whether the candidate, simpler than what was found, violates the property as clearly. */
static bool will_do(chunk_run *run, const attest_instance *instance)
{
    attest_trial candidate;

    if (!decide(run, &candidate, instance) || candidate.outcome != ATTEST_VIOLATED ||
        !is_clear(&candidate, &run->at))
        return false;
    run->shrink_steps++;
    return true;
}

static enum theft_trial_res shrink_step(chunk_run *run, const attest_instance *instance)
{
    if (will_do(run, instance))
        return THEFT_TRIAL_FAIL;
    return run->status == ATTEST_OK ? THEFT_TRIAL_PASS : THEFT_TRIAL_ERROR;
}

static attest_polish_answer polish_step(void *env, const attest_instance *candidate)
{
    chunk_run *run = env;

    if (!may_attempt(run))
        return ATTEST_POLISH_STOP;
    if (will_do(run, candidate))
        return ATTEST_POLISH_KEEP;
    return run->status == ATTEST_OK ? ATTEST_POLISH_LEAVE : ATTEST_POLISH_STOP;
}

static bool note_tightest(chunk_run *run, const attest_instance *instance)
{
    attest_chunk_result *result = run->result;
    attest_origin origin = {run->chunk->property, run->chunk->setting, &run->at, run->seed, 0};
    char *text;

    if (isnan(run->at.margin) || (result->has_tightest && run->at.margin >= result->tightest))
        return true;
    text = attest_instance_format(instance, &origin);
    if (!text) {
        run->status = attest_error_set(run->error, ATTEST_NOMEM, "out of memory");
        return false;
    }
    free(result->tightest_text);
    result->has_tightest = true;
    result->tightest = run->at.margin;
    result->tightest_text = text;
    return true;
}

/* Decides the trial's own instance; labels and margins are those of instances that say
 * something. */
static bool decide_first(chunk_run *run, const attest_instance *instance)
{
    if (!decide(run, &run->at, instance))
        return false;
    run->called = true;
    if (run->at.outcome != ATTEST_HELD && run->at.outcome != ATTEST_VIOLATED)
        return true;
    run->status = attest_chunk_result_add_labels(run->result, &run->at);
    if (run->status != ATTEST_OK) {
        attest_error_set(run->error, run->status, "out of memory");
        return false;
    }
    return note_tightest(run, instance);
}

static double target(const chunk_run *run, const attest_instance *instance)
{
    const attest_chunk *chunk = run->chunk;

    if (chunk->search && chunk->property->propose)
        return -chunk->property->propose(instance, chunk->setting);
    return -run->at.margin;
}

static enum theft_trial_res call(struct theft *t, void *argument)
{
    chunk_run *run = theft_hook_get_env(t);

    theft_set_output_stream(t, stderr); /* warnings: standard output belongs to the report */
    if (run->called)
        return shrink_step(run, argument);
    if (!decide_first(run, argument))
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
    chunk_run *run = env;

    if (info->failures > 0 && !run->chunk->keep_going)
        return THEFT_HOOK_GEN_ARGS_PRE_HALT;
    run->trial = run->chunk->first + info->trial_id;
    run->seed = run->chunk->search ? info->run_seed : info->trial_seed;
    run->called = false;
    run->shrink_steps = 0;
    run->attempts = 0;
    beat(run, false, 0);
    return THEFT_HOOK_GEN_ARGS_PRE_CONTINUE;
}

static enum theft_hook_shrink_pre_res
before_shrink(const struct theft_hook_shrink_pre_info *info, void *env)
{
    (void)info;
    return may_attempt(env) ? THEFT_HOOK_SHRINK_PRE_CONTINUE : THEFT_HOOK_SHRINK_PRE_HALT;
}

/* Keeps a violation. */
static bool keep(chunk_run *run, const attest_instance *instance)
{
    attest_trial trial;
    attest_origin origin = {run->chunk->property, run->chunk->setting, &trial, run->seed,
                            run->shrink_steps};
    attest_violation violation = {.trial = run->trial};

    if (!decide(run, &trial, instance))
        return false;
    violation.margin = trial.margin;
    violation.reason = attest_memory_copy(trial.reason);
    violation.text = attest_instance_format(instance, &origin);
    run->status = attest_chunk_result_add_violation(run->result, &violation);
    if (run->status != ATTEST_OK)
        attest_error_set(run->error, run->status, "out of memory");
    return run->status == ATTEST_OK;
}

/* What the engine has shrunk is polished and kept. */
static enum theft_hook_counterexample_res
after_shrinking(const struct theft_hook_counterexample_info *info, void *env)
{
    const attest_instance *shrunk = info->args[0];
    chunk_run *run = env;
    attest_instance polished;
    attest_status status = ATTEST_OK;
    bool kept;

    if (shrunk->dataset.label_dim > 0)
        return keep(run, shrunk) ? THEFT_HOOK_COUNTEREXAMPLE_CONTINUE
                                 : THEFT_HOOK_COUNTEREXAMPLE_ERROR;
    attest_instance_init(&polished);
    status = attest_polish(&polished, shrunk, polish_step, run);
    if (status != ATTEST_OK && run->status == ATTEST_OK)
        run->status = attest_error_set(run->error, status, "out of memory");
    kept = run->status == ATTEST_OK && keep(run, &polished);
    attest_instance_clear(&polished);
    return kept ? THEFT_HOOK_COUNTEREXAMPLE_CONTINUE : THEFT_HOOK_COUNTEREXAMPLE_ERROR;
}

static bool note_open(chunk_run *run, const char *reason)
{
    if (!run->result->open_reason)
        run->result->open_reason = attest_memory_copy(reason);
    return run->result->open_reason != NULL;
}

static bool tally(chunk_run *run)
{
    attest_chunk_result *result = run->result;

    if (!run->called && find_death(run, false)) {
        result->undecided++;
        return note_open(run, "the worker died");
    }
    if (!run->called) {
        result->discarded++;
        return true;
    }
    switch (run->at.outcome) {
    case ATTEST_HELD:
        result->passed++;
        result->searched += run->chunk->search;
        return true;
    case ATTEST_VIOLATED:
        result->failed++;
        return true;
    case ATTEST_DISCARDED:
        result->discarded++;
        return true;
    case ATTEST_OPEN:
        break;
    }
    result->undecided++;
    return note_open(run, run->at.reason);
}

static enum theft_hook_trial_post_res after_trial(const struct theft_hook_trial_post_info *info,
                                                  void *env)
{
    chunk_run *run = env;

    if (info->result == THEFT_TRIAL_ERROR)
        return THEFT_HOOK_TRIAL_POST_ERROR;
    if (info->result == THEFT_TRIAL_DUP && !decide_first(run, info->args[0]))
        return THEFT_HOOK_TRIAL_POST_ERROR;
    if (!tally(run)) {
        run->status = attest_error_set(run->error, ATTEST_NOMEM, "out of memory");
        return THEFT_HOOK_TRIAL_POST_ERROR;
    }
    return THEFT_HOOK_TRIAL_POST_CONTINUE;
}

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

/* Random trials have the seeds of their numbers; a search is a run of its own. */
static theft_seed *make_seeds(const attest_chunk *chunk)
{
    theft_seed *seeds = attest_memory_alloc(chunk->count, sizeof *seeds);

    for (size_t i = 0; seeds && i < chunk->count; i++)
        seeds[i] = theft_trial_seed(chunk->seed, chunk->first + i);
    return seeds;
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
            return attest_error_set(error, ATTEST_NOMEM, "out of memory");
    return ATTEST_OK;
}

attest_status attest_chunk_run(attest_chunk_result *result, const attest_chunk *chunk,
                               attest_error *error)
{
    chunk_run run = {.chunk = chunk, .result = result, .error = error};
    struct theft_type_info type = {.alloc = gen,
                                   .free = free_instance,
                                   .autoshrink_config = {.enable = true},
                                   .env = &run};
    struct theft_run_config config = {
        .prop1 = call,
        .type_info = {&type},
        .name = chunk->property->name,
        .trials = chunk->count,
        .seed = theft_trial_seed(~chunk->seed, chunk->first),
        .hooks = {.run_pre = run_pre,
                  .run_post = run_post,
                  .gen_args_pre = before_trial,
                  .shrink_pre = before_shrink,
                  .counterexample = after_shrinking,
                  .trial_post = after_trial,
                  .env = &run},
    };
    struct theft_extension_config extension = {.target_trials = guided(chunk)};
    enum theft_run_res ended;
    theft_seed *seeds = NULL;

    if (!chunk->search) {
        seeds = make_seeds(chunk);
        if (!seeds)
            return attest_error_set(error, ATTEST_NOMEM, "out of memory");
        config.always_seeds = seeds;
        config.always_seed_count = chunk->count;
    }
    ended = theft_run_extended(&config, &extension, NULL, NULL);
    free(seeds);
    if (run.status == ATTEST_OK && ended != THEFT_RUN_PASS && ended != THEFT_RUN_FAIL &&
        ended != THEFT_RUN_SKIP)
        return attest_error_set(error, ATTEST_NOMEM, "%s: the engine failed: %s",
                                chunk->property->name, theft_run_res_str(ended));
    return run.status == ATTEST_OK ? copy_deaths(result, chunk, error) : run.status;
}
