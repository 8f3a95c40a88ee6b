/* chunk_run.c -- the steps of a trial while a chunk is run. */
#include "campaign/chunk_run.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <attest/version.h>

#include "base/memory.h"
#include "base/scope.h"
#include "base/workers.h"
#include "campaign/counterexample.h"
#include "campaign/load.h"
#include "io/json_write.h"
#include "theft/theft_extensions.h"

/* Limits the attempts to shrink one violation. A limit of time would make results depend on the
 * machine. */
enum { SHRINK_ATTEMPTS = 10000 };

/* Limits the calls under guard that hang for one violation: each takes the whole time limit. */
enum { MOST_HANGS = 4 };

/* A violation by a factor of two is clear, see is_clear. */
#define CLEAR_MARGIN (-1.0)

void attest_chunk_beat(const attest_chunk_run_state *run, bool shrinking, uint64_t steps)
{
    attest_chunk_watch *watch = run->chunk->watch;

    if (!watch)
        return;
    atomic_store(&watch->trial, run->trial);
    atomic_store(&watch->seed, run->seed);
    atomic_store(&watch->together, run->together);
    atomic_store(&watch->shrinking, shrinking);
    atomic_store(&watch->steps, steps);
    atomic_store(&watch->beat, attest_clock_nanoseconds());
    atomic_store(&watch->started, true);
}

const attest_death *attest_chunk_find_death(const attest_chunk_run_state *run, bool shrinking)
{
    for (size_t d = 0; d < run->chunk->deaths; d++)
        if (run->chunk->death[d].trial == run->trial &&
            run->chunk->death[d].shrinking == shrinking)
            return &run->chunk->death[d];
    return NULL;
}

theft_seed *attest_chunk_seeds(const attest_chunk *chunk)
{
    theft_seed *seeds = attest_memory_alloc(chunk->count, sizeof *seeds);

    for (size_t i = 0; seeds && i < chunk->count; i++)
        seeds[i] = theft_trial_seed(chunk->seed, chunk->first + i);
    return seeds;
}

static void beat(void *env)
{
    const attest_chunk_run_state *run = env;

    attest_chunk_beat(run, run->called, run->attempts);
}

static attest_guard make_guard(attest_chunk_run_state *run)
{
    return (attest_guard){run->chunk->property, run->chunk->setting, run->chunk->timeout, beat,
                          run};
}

bool attest_chunk_may_gen(attest_chunk_run_state *run, struct theft *t)
{
    attest_guard guard = make_guard(run);

    if (!run->guarded || attest_guard_may_gen(&guard, t))
        return true;
    run->lost = !run->called;
    return false;
}

void attest_chunk_begin_trial(attest_chunk_run_state *run, uint64_t trial, uint64_t seed)
{
    run->trial = trial;
    run->seed = seed;
    run->called = false;
    run->hangs = 0;
    run->lost = false;
    /* A worker died in this chunk of a loaded property. All its trials are guarded, since an
     * earlier one may have caused the death, by leaking memory for example. */
    run->guarded = run->chunk->property->object && run->chunk->deaths > 0;
    run->shrink_steps = 0;
    run->attempts = 0;
    run->began = attest_clock_seconds();
    run->seconds = 0;
    free(run->arguments);
    free(run->found);
    run->arguments = run->found = NULL;
    attest_chunk_beat(run, false, 0);
}

enum theft_alloc_res attest_chunk_gen(attest_chunk_run_state *run, attest_instance *instance,
                                      struct theft *t)
{
    attest_status status = run->chunk->property->gen(instance, t, run->chunk->setting);

    if (status == ATTEST_OK)
        return THEFT_ALLOC_OK;
    attest_instance_clear(instance);
    if (status == ATTEST_DOMAIN)
        return THEFT_ALLOC_SKIP;
    run->status = attest_error_set(run->error, status, "%s: cannot make an instance: %s",
                                   run->chunk->property->name, attest_status_name(status));
    return THEFT_ALLOC_ERROR;
}

static bool is_violation(const attest_trial *trial, const char *definition)
{
    return trial->outcome == ATTEST_VIOLATED && strcmp(trial->definition, definition) == 0;
}

static bool decide(attest_chunk_run_state *run, attest_trial *trial,
                   const attest_instance *instance)
{
    const attest_chunk *chunk = run->chunk;
    attest_guard guard = make_guard(run);

    attest_trial_init(trial);
    if (!run->guarded)
        run->status = chunk->property->decide(trial, instance, chunk->setting, run->error);
    else
        run->status = attest_guard_decide(&guard, trial, instance, run->error);
    if (run->status == ATTEST_NOMEM) /* the property may leave the error empty */
        attest_memory_fail(run->error);
    run->hangs += run->guarded && is_violation(trial, "hang");
    return run->status == ATTEST_OK;
}

/* Decides the trial's own instance by decide_many, as a batch would, so that the outcome does
 * not depend on batching. A violation is decided again by decide, which shrinking uses.
 * Searches use decide for every instance. */
static bool decide_own(attest_chunk_run_state *run, attest_trial *trial,
                       const attest_instance *instance)
{
    const attest_property *property = run->chunk->property;
    void *memory = NULL;
    attest_trial first;

    if (run->guarded || run->chunk->search || !property->decide_many)
        return decide(run, trial, instance);
    attest_trial_init(trial);
    run->status =
        property->decide_many(trial, instance, 1, &memory, run->chunk->setting, run->error);
    if (property->forget)
        property->forget(memory);
    if (run->status == ATTEST_NOMEM)
        attest_memory_fail(run->error);
    if (run->status != ATTEST_OK || trial->outcome != ATTEST_VIOLATED)
        return run->status == ATTEST_OK;
    first = *trial;
    if (!decide(run, trial, instance))
        return false;
    if (trial->outcome != ATTEST_VIOLATED) /* flaky, see keep */
        *trial = first;
    return true;
}

/* While shrinking, a violation must stay clear: a simple example that violates a bound by a
 * factor of 1.0001 is less useful than the one that was found. Its margin (a logarithm) must be
 * at least half of the original one, or a factor of two. */
static bool is_clear(const attest_trial *candidate, const attest_trial *found)
{
    if (isnan(found->margin))
        return true;
    return candidate->margin <= fmax(found->margin / 2, CLEAR_MARGIN);
}

/* Stops before an attempt at which a worker died. */
bool attest_chunk_may_shrink(attest_chunk_run_state *run)
{
    const attest_death *death = attest_chunk_find_death(run, true);

    attest_chunk_beat(run, true, run->attempts);
    return run->hangs < MOST_HANGS &&
           run->attempts++ < (death ? death->steps : SHRINK_ATTEMPTS);
}

bool attest_chunk_still_violates(attest_chunk_run_state *run, const attest_instance *instance)
{
    attest_trial candidate;

    if (!decide(run, &candidate, instance) || candidate.outcome != ATTEST_VIOLATED ||
        (run->guarded && !is_violation(&candidate, run->at.definition)) ||
        !is_clear(&candidate, &run->at))
        return false;
    run->shrink_steps++;
    return true;
}

static attest_simplify_answer simplify_step(void *env, const attest_instance *candidate)
{
    attest_chunk_run_state *run = env;

    if (!attest_chunk_may_shrink(run))
        return ATTEST_SIMPLIFY_STOP;
    if (attest_chunk_still_violates(run, candidate))
        return ATTEST_SIMPLIFY_KEEP;
    return run->status == ATTEST_OK ? ATTEST_SIMPLIFY_REJECT : ATTEST_SIMPLIFY_STOP;
}

/* Returns the instance as text, with the outcome of the trial. NULL: out of memory, which is in
 * run->status. */
static char *format_instance(attest_chunk_run_state *run, const attest_instance *instance)
{
    attest_origin origin = {run->chunk->property, run->chunk->setting, &run->at, run->seed, 0};
    char *text = attest_instance_format(instance, &origin);

    if (!text)
        run->status = attest_memory_fail(run->error);
    return text;
}

static bool note_tightest(attest_chunk_run_state *run, const attest_instance *instance)
{
    attest_chunk_result *result = run->result;
    char *text;

    if (isnan(run->at.margin) || (result->has_tightest && run->at.margin >= result->tightest))
        return true;
    text = format_instance(run, instance);
    if (!text)
        return false;
    free(result->tightest_text);
    result->has_tightest = true;
    result->tightest = run->at.margin;
    result->tightest_text = text;
    return true;
}

/* Labels and margins are counted only if the trial was held or violated. */
bool attest_chunk_note(attest_chunk_run_state *run, const attest_instance *instance)
{
    run->called = true;
    if (run->at.outcome != ATTEST_HELD && run->at.outcome != ATTEST_VIOLATED)
        return true;
    for (size_t l = 0; l < run->at.labels; l++) {
        if (attest_chunk_result_add_label(run->result, run->at.label[l], 1) != ATTEST_OK) {
            run->status = attest_memory_fail(run->error);
            return false;
        }
    }
    return note_tightest(run, instance);
}

bool attest_chunk_decide(attest_chunk_run_state *run, const attest_instance *instance)
{
    if (!decide_own(run, &run->at, instance))
        return false;
    run->seconds = attest_clock_seconds() - run->began;
    if (run->chunk->observe)
        run->arguments = format_instance(run, instance);
    if (run->status == ATTEST_OK && run->at.outcome == ATTEST_VIOLATED)
        run->found = format_instance(run, instance);
    return run->status == ATTEST_OK && attest_chunk_note(run, instance);
}

/* Adds the violation to the result. If the shrunk instance is not violated when it is decided
 * again, the property is flaky; then the trial's own instance is added, with its own margin and
 * reason. */
static bool keep(attest_chunk_run_state *run, const attest_instance *instance)
{
    attest_trial trial;
    attest_origin origin = {run->chunk->property, run->chunk->setting, &trial, run->seed,
                            run->shrink_steps};
    attest_violation violation = {.trial = run->trial};

    if (!decide(run, &trial, instance))
        return false;
    violation.flaky = trial.outcome != ATTEST_VIOLATED;
    violation.margin = violation.flaky ? run->at.margin : trial.margin;
    violation.reason = attest_memory_copy(violation.flaky ? run->at.reason : trial.reason);
    if (violation.flaky) {
        violation.text = run->found;
        run->found = NULL;
    } else {
        violation.text = attest_instance_format(instance, &origin);
    }
    run->status = attest_chunk_result_add_violation(run->result, &violation);
    if (run->status != ATTEST_OK)
        attest_memory_fail(run->error);
    return run->status == ATTEST_OK;
}

bool attest_chunk_keep(attest_chunk_run_state *run, const attest_instance *shrunk)
{
    ATTEST_SCOPED(attest_instance, simple);
    attest_status status;

    if (shrunk->dataset.label_dim > 0)
        return keep(run, shrunk);
    status = attest_simplify(&simple, shrunk, simplify_step, run);
    if (status != ATTEST_OK && run->status == ATTEST_OK)
        run->status = attest_memory_fail(run->error);
    return run->status == ATTEST_OK && keep(run, &simple);
}

/* Formats why a trial was not decided: its number, its seed, and how the process ended. */
static void describe_unfinished(char *reason, size_t size, const attest_chunk_run_state *run)
{
    const attest_death *death = attest_chunk_find_death(run, false);
    int used = snprintf(reason, size,
                        "trial %" PRIu64 " (seed 0x%" PRIx64 ") is unfinished: ", run->trial,
                        run->seed);

    reason += used;
    size -= (size_t)used;
    if (!death)
        snprintf(reason, size, "the generator crashed or did not end");
    else if (death->kind == ATTEST_DEATH_MEMORY)
        snprintf(reason, size, "out of memory");
    else if (death->kind == ATTEST_DEATH_TIMEOUT)
        snprintf(reason, size, "no answer within %g seconds", run->chunk->timeout);
    else
        snprintf(reason, size, "%s %d",
                 death->kind == ATTEST_DEATH_SIGNAL ? "signal" : "exit code", death->detail);
}

static bool note_open(attest_chunk_run_state *run, const char *reason)
{
    if (!run->result->open_reason)
        run->result->open_reason = attest_memory_copy(reason);
    return run->result->open_reason != NULL;
}

/* unfinished: why the trial is undecided although it was not called; NULL: it ended. */
static bool count_trial(attest_chunk_run_state *run, const char *unfinished)
{
    attest_chunk_result *result = run->result;

    if (unfinished) {
        result->undecided++;
        return note_open(run, unfinished);
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

/* A trial that has ended. */
typedef struct observation {
    const attest_chunk_run_state *run;
    const attest_trial *found; /* NULL: the draw was discarded, or a worker died */
    const char *reason;        /* why there is no verdict, or NULL */
} observation;

static void write_features(attest_json *json, const attest_trial *found)
{
    attest_json_write_object(json, "features");
    for (size_t l = 0; found && l < found->labels; l++)
        attest_json_write_bool(json, found->label[l], true);
    if (found && isfinite(found->margin))
        attest_json_write_measure(json, "log2_margin", found->margin);
    attest_json_write_close(json);
}

/* Status passed, failed or gave_up (discarded or undecided); doc/campaign.md describes the
 * members. */
static void write_observation(attest_json *json, const void *value)
{
    const observation *o = value;
    const attest_chunk_run_state *run = o->run;
    const char *property = run->chunk->property->name, *status = "gave_up", *reason = o->reason;
    char text[128];

    if (o->found && o->found->outcome == ATTEST_HELD)
        status = "passed";
    else if (o->found && o->found->outcome == ATTEST_VIOLATED)
        status = "failed";
    if (!reason && (!o->found || o->found->outcome == ATTEST_DISCARDED))
        reason = "discarded: the hypotheses are not met";
    attest_json_write_object(json, NULL);
    attest_json_write_string(json, "type", "test_case");
    attest_json_write_integer(json, "run_start", (long long)run->chunk->run_start);
    attest_json_write_string(json, "property", property);
    attest_json_write_string(json, "status", status);
    attest_json_write_string(json, "status_reason", reason ? reason : o->found->reason);
    snprintf(text, sizeof text, "%.60s: trial %" PRIu64 ", seed 0x%" PRIx64, property,
             run->trial, run->seed);
    attest_json_write_string(json, "representation", text);
    if (run->arguments)
        attest_json_write_text(json, "arguments", run->arguments);
    else
        attest_json_write_null(json, "arguments");
    attest_json_write_string(json, "how_generated",
                             run->chunk->search ? "during guided search"
                                                : "during random generation");
    write_features(json, o->found);
    attest_json_write_null(json, "coverage");
    attest_json_write_object(json, "timing");
    attest_json_write_measure(json, "execute:test", run->seconds);
    attest_json_write_close(json);
    attest_json_write_object(json, "metadata");
    attest_json_write_string(json, "attest", attest_version());
    attest_json_write_count(json, "trial", run->trial);
    attest_json_write_close(json);
    attest_json_write_close(json);
}

/* Appends the trial to the observations, as one line of JSON: line breaks and the indentation
 * after them are left out. They are between members only, since strings escape them. */
static void observe(attest_chunk_run_state *run, const char *reason)
{
    observation ended = {run, run->called ? &run->at : NULL, reason};
    char *text ATTEST_FREED = attest_json_format(NULL, write_observation, &ended);

    run->observations.failed |= !text;
    for (const char *at = text; at && *at; at += strspn(at, "\n ")) {
        size_t length = strcspn(at, "\n");

        attest_text_append(&run->observations, at, length);
        at += length;
    }
    attest_text_append(&run->observations, "\n", 1);
}

bool attest_chunk_end_trial(attest_chunk_run_state *run)
{
    bool dead = !run->called && (run->lost || attest_chunk_find_death(run, false));
    char reason[160];

    if (dead)
        describe_unfinished(reason, sizeof reason, run);
    if (run->chunk->observe)
        observe(run, dead ? reason : NULL);
    return count_trial(run, dead ? reason : NULL) && !run->observations.failed;
}
