/* pairs.h -- which required pairs are still told apart in an arithmetic, and how surely. */
#ifndef ATTEST_AUDIT_PAIRS_H
#define ATTEST_AUDIT_PAIRS_H

#include <stdint.h>

#include "audit/errors.h"
#include "theory/contextual.h"

/* The worst that happened to a pair. */
typedef enum attest_audit_pair_kind {
    ATTEST_AUDIT_APART = 0,
    ATTEST_AUDIT_BY_ROUNDING,
    ATTEST_AUDIT_MERGED
} attest_audit_pair_kind;

/* Required pairs of the positions that were compared. required = apart + by_rounding + merged.
 */
typedef struct attest_audit_pairs {
    size_t positions;
    uint64_t required;
    uint64_t apart; /* for certain: the exact outputs are farther apart than both errors */
    uint64_t by_rounding; /* the outputs differ, but errors of this size may make them equal */
    uint64_t merged;      /* the outputs are equal, or one is not finite */
    attest_audit_pair_kind kind; /* of the first pair that is not apart: merged if any is */
    attest_place pair[2];
} attest_audit_pairs;

/* Compares the outputs of the dataset at positions of the sample, at most 4096, evenly. Status:
 * NOMEM, IO. Cost: one distance per pair, cut short where it is large enough. */
attest_status
attest_audit_pairs_get(attest_audit_pairs *pairs, const attest_audit_outputs *outputs,
                       const attest_dataset *dataset, const attest_audit_reference *reference,
                       const attest_audit_deviation *deviation, const attest_contexts *classes,
                       size_t jobs, attest_error *error) ATTEST_WARN_UNUSED;

#endif
