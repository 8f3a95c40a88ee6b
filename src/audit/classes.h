/* classes.h -- the class of every position: which pairs are required?
 *
 * theory/contextual.h finds contexts, which exact attention cannot tell apart; rounded sums
 * depend on the order of the tokens, so an audit looks at every position. */
#ifndef ATTEST_AUDIT_CLASSES_H
#define ATTEST_AUDIT_CLASSES_H

#include <attest/dataset.h>
#include "theory/separated.h"
#include <attest/weights.h>

typedef struct attest_audit_classes {
    size_t count;    /* positions */
    uint32_t *group; /* by position: (vocabulary, token) */
    size_t groups;
    fmpz_t required_pairs; /* unordered pairs of positions of different classes */
} attest_audit_classes;

void attest_audit_classes_init(attest_audit_classes *classes);
void attest_audit_classes_clear(attest_audit_classes *classes);

/* Status: NOMEM. Cost: as attest_contexts_get. */
attest_status attest_audit_classes_get(attest_audit_classes *classes,
                                       const attest_dataset *dataset, attest_mask mask,
                                       attest_error *error) ATTEST_WARN_UNUSED;

#endif
