/* chunk_run.h -- the steps of a trial while a chunk is run. */
#ifndef ATTEST_CAMPAIGN_CHUNK_RUN_H
#define ATTEST_CAMPAIGN_CHUNK_RUN_H

#include <theft.h>

#include "base/text.h"
#include "campaign/chunk.h"
#include "campaign/simplify.h"

typedef struct attest_chunk_run_state {
    const attest_chunk *chunk;
    attest_chunk_result *result;
    uint64_t trial; /* the number of the current trial */
    uint64_t seed;
    bool together;            /* trials are decided together */
    bool guarded;             /* calls are made under guard (load.h) */
    bool lost;                /* the generator did not return */
    size_t hangs;             /* calls under guard that did not return in time */
    bool called;              /* the property has been called in this trial: */
    attest_trial at;          /* the outcome for the trial's own instance */
    char *found;              /* that instance as text, if it is violated */
    uint64_t attempts;        /* attempts to shrink or simplify it, */
    size_t shrink_steps;      /* and how many succeeded */
    double began, seconds;    /* when the trial began; how long deciding it took */
    char *arguments;          /* its instance as text, if it is observed */
    attest_text observations; /* JSON Lines */
    attest_status status;
    attest_error *error;
} attest_chunk_run_state;

/* Records in chunk->watch that a call begins: for the trial's own instance, or to shrink it. */
void attest_chunk_beat(const attest_chunk_run_state *run, bool shrinking, uint64_t steps);

/* Returns whether the generator may draw from t: under guard, whether it returns. */
bool attest_chunk_may_gen(attest_chunk_run_state *run, struct theft *t);

/* Returns the death of a worker at this trial, or while its violation was shrunk; or NULL. */
const attest_death *attest_chunk_find_death(const attest_chunk_run_state *run, bool shrinking);

/* Returns the seeds of the trials in order; the caller frees them. NULL: out of memory. */
theft_seed *attest_chunk_seeds(const attest_chunk *chunk);

/* Begins a trial. */
void attest_chunk_begin_trial(attest_chunk_run_state *run, uint64_t trial, uint64_t seed);

/* Fills an initialised instance, which stays empty unless the result is THEFT_ALLOC_OK. After
 * THEFT_ALLOC_ERROR the reason is in run->status. */
enum theft_alloc_res attest_chunk_gen(attest_chunk_run_state *run, attest_instance *instance,
                                      struct theft *t);

/* Counts the labels and the margin in run->at. Returns false on failure, with the reason in
 * run->status; so do the functions below. */
bool attest_chunk_note(attest_chunk_run_state *run, const attest_instance *instance);

/* Decides the trial's own instance. */
bool attest_chunk_decide(attest_chunk_run_state *run, const attest_instance *instance);

/* Returns whether another attempt to shrink may be made. */
bool attest_chunk_may_shrink(attest_chunk_run_state *run);

/* Returns whether the candidate, which is simpler than the instance that was found, violates
 * the property as clearly. */
bool attest_chunk_still_violates(attest_chunk_run_state *run, const attest_instance *instance);

/* Simplifies a violation that was shrunk, and adds it to the result. */
bool attest_chunk_keep(attest_chunk_run_state *run, const attest_instance *shrunk);

/* Counts the trial in the result. */
bool attest_chunk_end_trial(attest_chunk_run_state *run);

#endif
