/* laws.h -- laws of exact softmax attention that a format breaks on the user's own data: the
 * order of the tokens does not matter, and one more token does (proofs-notes/float.md). */
#ifndef ATTEST_AUDIT_LAWS_H
#define ATTEST_AUDIT_LAWS_H

#include <attest/dataset.h>
#include <attest/weights.h>

#include "format/simulated.h"
#include "theory/separated.h"

/* Of the first sequences of a dataset, as many as are cheap. */
typedef struct attest_audit_laws {
    /* Outputs that were computed again with the tokens in the reverse order (with a causal
     * mask: the last one of a sequence, with those before it reversed), and those that came out
     * otherwise. */
    size_t reordered, changed;
    attest_place changed_at; /* the first of them */
    /* Outputs that were computed again without the first token of their sequence, and those
     * that came out the same though the exact ones are proved to differ. */
    size_t shortened, unnoticed;
    attest_place unnoticed_at;
} attest_audit_laws;

/* laws[f] = what was found in arithmetic f of count. All is 0 for hardmax, and where tokens
 * depend on where they stand. Status: NOMEM, IO. */
attest_status attest_audit_laws_get(attest_audit_laws *laws,
                                    const attest_simulated_arithmetic *arithmetic, size_t count,
                                    const attest_dataset *dataset,
                                    const attest_weights *weights,
                                    attest_error *error) ATTEST_WARN_UNUSED;

#endif
