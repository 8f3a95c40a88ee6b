/* chunk.h -- a run of the engine over some trials of a property: the unit of work.
 *
 * The result of a chunk is a function of the property, the setting, the seed and the numbers of
 * its trials. So it does not matter which process runs it, and when. */
#ifndef ATTEST_CAMPAIGN_CHUNK_H
#define ATTEST_CAMPAIGN_CHUNK_H

#include <stdatomic.h>
#include <stdint.h>

#include "campaign/property.h"
#include "campaign/chunk_result.h"

/* After so many deaths of its worker a chunk is given up: all its trials are undecided. */
enum { ATTEST_CHUNK_DEATHS = 8 };

/* Where a run is, for an observer in another process: this lies in shared memory. */
typedef struct attest_chunk_watch {
    atomic_bool started; /* the fields below are those of the chunk being run */
    atomic_uint_fast64_t trial, seed;
    atomic_bool together; /* not this trial alone, but some up to it are being decided */
    atomic_bool shrinking;
    atomic_uint_fast64_t steps;
    atomic_int_fast64_t beat; /* CLOCK_MONOTONIC, nanoseconds, when the last call began */
} attest_chunk_watch;

/* Which trials: numbers first, ..., first + count - 1 of the run with this seed. */
typedef struct attest_chunk {
    const attest_property *property;
    const attest_setting *setting;
    uint64_t seed;
    uint64_t first;
    size_t count;
    size_t lead;       /* a search begins with so many random trials */
    bool search;       /* guided by the margin; its trials are not independent of each other */
    bool keep_going;   /* a violation does not end the chunk */
    bool one_by_one;   /* trials are not decided together, even if the property can */
    bool observe;      /* the result tells of every trial */
    double timeout;    /* seconds for a call under guard; 0: none */
    int64_t run_start; /* when the campaign began, seconds since 1970, for those who observe */
    /* Where workers died: such trials are not run again (they are undecided), such attempts to
     * shrink not made again. */
    size_t deaths;
    attest_death death[ATTEST_CHUNK_DEATHS];
    attest_chunk_watch *watch; /* or NULL */
} attest_chunk;

/* result (initialised) = what the trials of the chunk give. Ends at the first violation, unless
 * keep_going. Whether trials are decided together or one by one does not change the result.
 * Status: NOMEM. */
attest_status attest_chunk_run(attest_chunk_result *result, const attest_chunk *chunk,
                               attest_error *error) ATTEST_WARN_UNUSED;

#endif
