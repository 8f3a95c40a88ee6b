/* chunk.h -- some consecutive trials of a property, run by the engine: the unit of work.
 *
 * The result of a chunk is a function of the property, the setting, the seed and the numbers of
 * its trials. So it does not matter which process runs it, and when. */
#ifndef ATTEST_CAMPAIGN_CHUNK_H
#define ATTEST_CAMPAIGN_CHUNK_H

#include <stdatomic.h>
#include <stdint.h>

#include "campaign/campaign_record.h"
#include "campaign/property.h"

/* If this many workers died at a chunk, all of its trials are undecided. */
enum { ATTEST_CHUNK_DEATHS = 8 };

/* The state of a run, in shared memory, for the campaign that watches its worker. */
typedef struct attest_chunk_watch {
    atomic_bool started; /* the members below belong to the chunk that is running */
    atomic_uint_fast64_t trial, seed;
    atomic_bool together; /* several trials up to this one are being decided */
    atomic_bool shrinking;
    atomic_uint_fast64_t steps;
    atomic_int_fast64_t beat; /* CLOCK_MONOTONIC, nanoseconds, when the last call began */
} attest_chunk_watch;

/* Trials first, ..., first + count - 1 of the run with this seed. */
typedef struct attest_chunk {
    const attest_property *property;
    const attest_setting *setting;
    uint64_t seed;
    uint64_t first;
    size_t count;
    size_t lead;       /* random trials at the beginning of a search */
    bool search;       /* guided by the margin; its trials are not independent of each other */
    bool keep_going;   /* a violation does not end the chunk */
    bool one_by_one;   /* do not decide trials together, even if the property can */
    bool observe;      /* record every trial in the observations of the result */
    double timeout;    /* seconds for a call under guard; 0: none */
    int64_t run_start; /* when the campaign began, seconds since 1970; for observations */
    /* Where workers died: these trials are not run again, but undecided; these attempts to
     * shrink are not repeated. */
    size_t deaths;
    attest_death death[ATTEST_CHUNK_DEATHS];
    attest_chunk_watch *watch; /* or NULL */
} attest_chunk;

/* result (initialised) = the result of the trials. Ends at the first violation, unless
 * keep_going. Whether trials are decided together or one by one does not change the result.
 * Status: NOMEM. */
attest_status attest_chunk_run(attest_chunk_result *result, const attest_chunk *chunk,
                               attest_error *error) ATTEST_WARN_UNUSED;

#endif
