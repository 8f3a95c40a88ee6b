/* attention.h -- one attention layer in four number systems.
 *
 * All compute F(Z) of weights.h for one sequence of any length. out has length * dim entries,
 * token after token, initialised by the caller; it may not share storage with the inputs. The
 * order of operations is that of src/attention/attention.inc and is described in
 * doc/arithmetic.md. Status: DOMAIN (the shapes of heads and tokens do not fit together, or as
 * stated below), NOMEM. */
#ifndef ATTEST_ATTENTION_H
#define ATTEST_ATTENTION_H

#include <attest/export.h>
#include <attest/error.h>
#include <attest/flint.h>
#include <attest/format.h>
#include <attest/sequence.h>
#include <attest/weights.h>

#ifdef __cplusplus
extern "C" {
#endif

/* out[i] = the value, a reduced fraction. Domain: activation is hardmax (softmax is not
 * rational). Cost: O(H n (n s + s d)) products of integers, fewer for factored matrices. */
ATTEST_API attest_status attest_attention_exact(fmpq *out, const attest_weights *weights,
                                                const attest_sequence *sequence,
                                                attest_error *error) ATTEST_WARN_UNUSED;

/* The largest precision of balls, in bits. */
#define ATTEST_BALL_MAX_BITS 1000000000L

/* out[i] encloses the value. Scores are exact; the radius is at most 2^-bits times the largest
 * term of the output's sum: the token's entry (with skip) and weight times (W_O W_V z_j) entry
 * for each head and key (proofs-notes/attention.md), if length times heads is at most 2^20 and
 * score differences are below 2^118; otherwise it may be larger. For hardmax the balls enclose
 * the exact result. Domain: 2 <= bits <= ATTEST_BALL_MAX_BITS. Cost: when the scores of a query
 * are multiples of one step, as for rank-1 heads, one exponential and its powers replace those
 * of all keys. */
ATTEST_API attest_status attest_attention_ball(arb_ptr out, const attest_weights *weights,
                                               const attest_sequence *sequence, long bits,
                                               attest_error *error) ATTEST_WARN_UNUSED;

/* The same at one position (DOMAIN: it is in the sequence): out has dim entries, the very balls
 * that attest_attention_ball gives there. Cost: exponentials for this query only. */
ATTEST_API attest_status attest_attention_ball_at(arb_ptr out, const attest_weights *weights,
                                                  const attest_sequence *sequence,
                                                  size_t position, long bits,
                                                  attest_error *error) ATTEST_WARN_UNUSED;

/* Inputs, then every operation, rounded to the format in the given mode; out[i] gets the
 * format's precision. MPFR's exponent range and flags are restored. Results may be infinite or
 * NaN. With directed roundings the result is in general no bound of the exact value. */
ATTEST_API attest_status attest_attention_mpfr(mpfr_t *out, const attest_weights *weights,
                                               const attest_sequence *sequence,
                                               const attest_format *format, mpfr_rnd_t rounding,
                                               attest_error *error) ATTEST_WARN_UNUSED;

/* Every operation in the hardware's binary64 and its current rounding mode, inputs rounded to
 * nearest first, exp from the C library, no contraction. */
ATTEST_API attest_status attest_attention_double(double *out, const attest_weights *weights,
                                                 const attest_sequence *sequence,
                                                 attest_error *error) ATTEST_WARN_UNUSED;

#ifdef __cplusplus
}
#endif

#endif
