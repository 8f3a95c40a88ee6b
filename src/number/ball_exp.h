/* ball_exp.h -- exponentials of many rationals at once, as balls. */
#ifndef ATTEST_NUMBER_BALL_EXP_H
#define ATTEST_NUMBER_BALL_EXP_H

#include <stdbool.h>
#include <stddef.h>

#include <attest/flint.h>

/* Differences x with |x| >= 2^ATTEST_BALL_EXP_CUTOFF are enclosed in [0, 2^-2^(CUTOFF-1)],
 * those below 2^(CUTOFF-2) are not. */
#define ATTEST_BALL_EXP_CUTOFF 120

/* value[j] encloses exp(numerator[j] / denominator), numerator[j] <= 0 < denominator.
 * Error: radius <= 2^(3-precision) * value, below the cutoff (proofs-notes/attention.md).
 * Cost: when the numerators are multiples k_j g of one integer with k_j of few bits, one
 * exponential and its powers are used if a cost model says that this is cheaper. */
void attest_ball_exp_fractions(arb_ptr value, const fmpz *numerator, const fmpz_t denominator,
                               size_t count, slong precision);

/* Whether the numerators, of any sign, are multiples of an integer, multiples so short that
 * powers may be cheaper; so is said of two nonzero ones or less, which tell nothing. */
bool attest_ball_exp_has_step(const fmpz *numerator, size_t count, slong precision);

#endif
