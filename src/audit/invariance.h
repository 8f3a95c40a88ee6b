/* invariance.h -- two laws of exact softmax attention that rounding may break: the order of the
 * tokens does not change the output, and an additional token does (proofs-notes/float.md). */
#ifndef ATTEST_AUDIT_INVARIANCE_H
#define ATTEST_AUDIT_INVARIANCE_H

#include <attest/dataset.h>
#include <attest/weights.h>

#include "audit/evaluate.h"
#include "format/simulate_in_mpfr.h"
#include "theory/separated.h"

/* Counts over the first sequences of a dataset, limited to about a second of work. */
typedef struct attest_audit_invariance {
    /* Outputs that were computed again with the tokens in the reverse order (with a causal
     * mask: the last one of a sequence, with those before it reversed), and those that changed.
     */
    size_t reordered, changed;
    attest_place changed_at; /* the first of them */
    /* Outputs that were computed again without the first token of their sequence, and those
     * that did not change although the exact outputs are proved to differ. */
    size_t shortened, unnoticed;
    attest_place unnoticed_at;
} attest_audit_invariance;

/* counts[f] = the counts in arithmetic f of count. All are 0 for hardmax, and where tokens
 * depend on their positions. Status: NOMEM, IO. */
attest_status attest_audit_invariance_get(attest_audit_invariance *counts,
                                          const attest_simulated_arithmetic *arithmetic,
                                          size_t count, const attest_dataset *dataset,
                                          const attest_weights *weights,
                                          attest_error *error) ATTEST_WARN_UNUSED;

/* Small instances. */

enum { ATTEST_INVARIANCE_LONGEST = 5 };

/* Evaluates the one sequence of the dataset in all orders; *broken: the outputs at some token
 * differ from those in the order given. order[k] is then the place of token k in the first such
 * order, *position a token whose outputs differ. Outputs that are not finite count as equal.
 * Domain: one sequence of at most ATTEST_INVARIANCE_LONGEST tokens, softmax, no mask, weights
 * that fit. Status: NOMEM, IO. */
attest_status attest_invariance_check(bool *broken, size_t order[ATTEST_INVARIANCE_LONGEST],
                                      size_t *position, const attest_dataset *dataset,
                                      const attest_weights *weights,
                                      const attest_simulated_arithmetic *arithmetic,
                                      attest_error *error) ATTEST_WARN_UNUSED;

/* Returns whether averaging 1 and n - 1 zeros, and averaging 1 and n zeros, give the same
 * number in a significand of p bits, exponents unbounded, to nearest: sums from the first term
 * to the last, then one division. Domain: 1 <= p <= 24, 1 <= n <= 2^30. */
bool attest_invariance_same_average(long p, unsigned long n);

#endif
