/* interval_attention.h -- evaluates one attention layer in interval arithmetic, with the
 * operations of doc/arithmetic.md in the same order.
 *
 * The ends of intervals are MPFR numbers of one precision, and each operation rounds outward.
 * Rounding is monotone: for all x and y of two intervals, the interval of the result contains
 * x op y and its rounding to that precision in any mode. So the result encloses both the exact
 * value and what floating-point arithmetic of that precision computes with the same operations
 * in the same order (proofs-notes/reference.md). */
#ifndef ATTEST_PROPS_INTERVAL_ATTENTION_H
#define ATTEST_PROPS_INTERVAL_ATTENTION_H

#include <stdbool.h>
#include <stddef.h>

#include <mpfr.h>

#include <attest/error.h>
#include <attest/flint.h>
#include <attest/sequence.h>
#include <attest/weights.h>

typedef struct attest_interval {
    mpfr_t low,
        high; /* low <= high; both NaN after a division by an interval that is not > 0 */
} attest_interval;

/* Returns count intervals [0, 0] of this precision; NULL: out of memory. */
attest_interval *attest_intervals_alloc(size_t count, mpfr_prec_t bits);
void attest_intervals_free(attest_interval *interval, size_t count);

/* Returns whether both ends are finite. */
bool attest_interval_is_finite(const attest_interval *x);

/* Returns whether y is in x. */
bool attest_interval_contains(const attest_interval *x, mpfr_srcptr y);

/* Returns whether x and the ball y have a point in common, as far as comparisons of balls can
 * decide: never false if they have. */
bool attest_interval_overlaps(const attest_interval *x, const arb_t y);

/* out[k*dim + c], intervals of one precision, enclose the exact output and that of every
 * floating-point evaluation at that precision, in any rounding mode and with unbounded
 * exponents, whose exp is within slack units in the last place of a rounding of the exact one.
 * known[k] = false (hardmax only): rounding could change which keys have the largest score, and
 * the intervals of token k are not enclosures. Status: NOMEM. */
attest_status attest_interval_attention(attest_interval *out, bool *known,
                                        const attest_weights *weights,
                                        const attest_sequence *sequence,
                                        unsigned slack) ATTEST_WARN_UNUSED;

#endif
