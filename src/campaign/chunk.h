/* chunk.h -- a run of the engine over some trials of a property: the unit of work.
 *
 * The result of a chunk is a function of the property, the setting, the seed and the numbers of
 * its trials. So it does not matter which process runs it, and when. */
#ifndef ATTEST_CAMPAIGN_CHUNK_H
#define ATTEST_CAMPAIGN_CHUNK_H

#include <stdint.h>

#include "campaign/property.h"

/* Which trials: numbers first, ..., first + count - 1 of the run with this seed. */
typedef struct attest_chunk {
    const attest_property *property;
    const attest_setting *setting;
    uint64_t seed;
    uint64_t first;
    size_t count;
    bool search;     /* guided by the margin; its trials are not independent of each other */
    bool keep_going; /* a violation does not end the chunk */
} attest_chunk;

typedef struct attest_label_count {
    char *name;
    uint64_t count;
} attest_label_count;

/* A violation, shrunk, as the text of a counterexample file. */
typedef struct attest_violation {
    uint64_t trial;
    double margin; /* NAN: none */
    char *reason;
    char *text;
} attest_violation;

typedef struct attest_chunk_result {
    uint64_t passed, failed, discarded, undecided;
    size_t labels;
    attest_label_count *label; /* in the order of first appearance */
    bool has_tightest;         /* the least margin of a trial, and its instance: */
    double tightest;
    char *tightest_text;
    char *open_reason; /* of the first undecided trial, or NULL */
    size_t violations;
    attest_violation *violation;
} attest_chunk_result;

void attest_chunk_result_init(attest_chunk_result *result);
void attest_chunk_result_clear(attest_chunk_result *result);

/* result (initialised) = what the trials of the chunk give. Ends at the first violation, unless
 * keep_going. Status: NOMEM. */
attest_status attest_chunk_run(attest_chunk_result *result, const attest_chunk *chunk,
                               attest_error *error) ATTEST_WARN_UNUSED;

#endif
