/* chunk_run.h -- a chunk while it is run: what the engine's hooks do at each trial. */
#ifndef ATTEST_CAMPAIGN_CHUNK_RUN_H
#define ATTEST_CAMPAIGN_CHUNK_RUN_H

#include <theft.h>

#include "base/text.h"
#include "campaign/chunk.h"
#include "campaign/polish.h"

typedef struct attest_chunk_run_state {
    const attest_chunk *chunk;
    attest_chunk_result *result;
    uint64_t trial; /* the number of the trial that is being run */
    uint64_t seed;
    bool together;            /* it is decided together with others */
    bool guarded;             /* calls are made under guard (guard.h) */
    bool lost;                /* the generator did not come back */
    size_t hangs;             /* calls under guard that had no answer in time */
    bool called;              /* the property has been called in this trial: */
    attest_trial at;          /* what it found on the trial's own instance */
    char *found;              /* that instance as text, if it is violated */
    uint64_t attempts;        /* to shrink or polish it, */
    size_t shrink_steps;      /* and how many of them did */
    double began, seconds;    /* the trial; what deciding it took */
    char *arguments;          /* its instance as text, if it is observed */
    attest_text observations; /* JSON Lines */
    attest_status status;
    attest_error *error;
} attest_chunk_run_state;

/* Tells the observer that a call begins: the trial's own, or one to shrink it. */
void attest_chunk_beat(const attest_chunk_run_state *run, bool shrinking, uint64_t steps);

/* Whether the generator may draw from t: under guard, whether it comes back. */
bool attest_chunk_may_gen(attest_chunk_run_state *run, struct theft *t);

/* The death of a worker at this trial, or while its violation was shrunk; or NULL. */
const attest_death *attest_chunk_find_death(const attest_chunk_run_state *run, bool shrinking);

/* The seeds of the trials, in their order; the caller frees them. NULL: out of memory. */
theft_seed *attest_chunk_seeds(const attest_chunk *chunk);

/* Begins a trial. */
void attest_chunk_begin_trial(attest_chunk_run_state *run, uint64_t trial, uint64_t seed);

/* Fills an initialised instance; it is empty unless this gives THEFT_ALLOC_OK. After
 * THEFT_ALLOC_ERROR run->status tells what failed. */
enum theft_alloc_res attest_chunk_gen(attest_chunk_run_state *run, attest_instance *instance,
                                      struct theft *t);

/* Takes up what run->at tells of the trial's own instance: labels, margin. False: run->status
 * tells what failed, here and below. */
bool attest_chunk_note(attest_chunk_run_state *run, const attest_instance *instance);

/* Decides the trial's own instance. */
bool attest_chunk_decide(attest_chunk_run_state *run, const attest_instance *instance);

/* Whether one more attempt to shrink may be made. */
bool attest_chunk_may_shrink(attest_chunk_run_state *run);

/* Whether the candidate, simpler than what was found, violates the property as clearly. */
bool attest_chunk_will_do(attest_chunk_run_state *run, const attest_instance *instance);

/* Polishes a violation that has been shrunk, and keeps it. */
bool attest_chunk_keep(attest_chunk_run_state *run, const attest_instance *shrunk);

/* Counts the trial. */
bool attest_chunk_end_trial(attest_chunk_run_state *run);

/* Runs the trials by the engine. config: what is the same for all chunks (name, number of
 * trials, seed, hooks that keep the engine quiet) is entered here; extension may be NULL.
 * run->status tells whether the engine failed. */
struct theft_extension_config;
void attest_chunk_run_engine(attest_chunk_run_state *run, struct theft_run_config *config,
                             const struct theft_extension_config *extension);

/* Whether trials of the chunk may be decided together. */
bool attest_chunk_may_join(const attest_chunk *chunk);

/* Runs the chunk, deciding trials together. found (initialised to 0) = a trial that violates
 * the property, if its text is not NULL; the caller frees its texts. Then the result is worth
 * nothing; the chunk is to be run one by one, which shrinks violations. Status: NOMEM. */
attest_status attest_chunk_run_together(attest_chunk_result *result, attest_violation *found,
                                        const attest_chunk *chunk,
                                        attest_error *error) ATTEST_WARN_UNUSED;

#endif
