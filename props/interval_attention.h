/* interval_attention.h -- one attention layer in intervals, in the order of doc/arithmetic.md.
 *
 * Intervals of MPFR numbers; each operation is rounded outward at one precision. Rounding is
 * monotone: if x and y are in intervals, then x op y, and every rounding of it to that
 * precision, is in the interval of the result. So an algorithm in intervals encloses both the
 * exact result and the result of the same operations in floating-point arithmetic of that
 * precision, in any rounding mode (proofs-notes/reference.md). */
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
    mpfr_t low, high; /* low <= high; NaN: a division had no bound */
} attest_interval;

/* Returns count intervals [0, 0] of this precision; NULL: out of memory. */
attest_interval *attest_intervals_alloc(size_t count, mpfr_prec_t bits);
void attest_intervals_free(attest_interval *interval, size_t count);

/* Returns whether both ends are finite. */
bool attest_interval_is_finite(const attest_interval *x);
bool attest_interval_contains(const attest_interval *x, mpfr_srcptr y);
bool attest_interval_meets(const attest_interval *x, const arb_t y);

/* out[k*dim + c], intervals of one precision, enclose the exact output and that of every
 * floating-point evaluation at that precision, in any rounding mode and with unbounded
 * exponents, whose exp is within slack units in the last place of a rounding of the exact one.
 * known[k] = false: rounding could change which keys have the largest score (hardmax only);
 * then the intervals of token k enclose nothing. Status: NOMEM. */
attest_status attest_interval_attention(attest_interval *out, bool *known,
                                        const attest_weights *weights,
                                        const attest_sequence *sequence,
                                        unsigned slack) ATTEST_WARN_UNUSED;

#endif
