/* attention.h -- attention from its definition, by another route than src/attention.
 *
 * Score and value matrices A = W_K^T W_Q and B = W_O W_V are formed as rationals first; sums
 * run from the last key to the first; softmax does not subtract the maximum. Slow, obvious, and
 * without any code of src/attention or src/number. */
#ifndef ATTEST_TESTS_REF_ATTENTION_H
#define ATTEST_TESTS_REF_ATTENTION_H

#include <mpfr.h>

#include <attest/flint.h>
#include <attest/sequence.h>
#include <attest/weights.h>

/* out = F(sequence) for hardmax weights; length * dim rationals. */
void ref_hardmax(fmpq *out, const attest_weights *weights, const attest_sequence *sequence);

/* out encloses F(sequence) for softmax weights. The relative error of e^a grows with |a|, so
 * choose the precision well above the bits of the largest score. largest[i] (if not NULL) is an
 * upper bound, within a factor of 2, of the largest absolute term of out[i]: the token's entry
 * and, per head and key, weight times value. */
void ref_softmax(arb_ptr out, mag_ptr largest, const attest_weights *weights,
                 const attest_sequence *sequence, slong precision);

/* Bounds low[i] <= F(sequence)_i <= high[i] for softmax weights by directed roundings: every
 * operation of MPFR at the precision of low[i], high[i] is rounded down for the lower bounds
 * and up for the upper ones, with the operands that make it so. */
void ref_softmax_bounds(mpfr_ptr low, mpfr_ptr high, const attest_weights *weights,
                        const attest_sequence *sequence);

/* out = F(sequence) for softmax weights, one head, two tokens and no mask, to nearly the
 * precision of out[i], by the closed form v_0 + (v_1 - v_0) (1 + tanh((a_1 - a_0)/2)) / 2. */
void ref_softmax_two_tokens(mpfr_ptr out, const attest_weights *weights,
                            const attest_sequence *sequence);

#endif
