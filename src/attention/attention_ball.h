/* attention_ball.h -- attention in balls at some positions, and the Boltzmann operator. */
#ifndef ATTEST_ATTENTION_ATTENTION_BALL_H
#define ATTEST_ATTENTION_ATTENTION_BALL_H

#include <stddef.h>

#include <attest/attention.h>
#include <attest/error.h>
#include <attest/flint.h>

/* out = the balls of attest_attention_ball at positions begin to end - 1. narrow: averages the
 * W_V z_j and applies W_O to the mean. This is faster if heads are narrower than tokens, but
 * then the radius has no bound, because W_O may cancel. Cost: the projections of all tokens,
 * and the exponentials for these queries. Domain: begin <= end <= length, 2 <= bits <=
 * ATTEST_BALL_MAX_BITS. Status: as attest_attention_ball. */
attest_status attest_attention_ball_between(arb_ptr out, const attest_weights *weights,
                                            const attest_sequence *sequence, size_t begin,
                                            size_t end, bool narrow, long bits,
                                            attest_error *error) ATTEST_WARN_UNUSED;

/* Encloses boltz(a) = sum a_i e^{a_i} / sum e^{a_i} of the rationals a_i = numerator[i] /
 * denominator. It is irrational unless all a_i are equal, so there is no exact version.
 * Domain: count >= 1, denominator > 0, 2 <= bits <= ATTEST_BALL_MAX_BITS. Error: radius at most
 * 2^-bits times the largest of |max a| and (max a - a_i) e^{a_i - max a}
 * (proofs-notes/attention.md). Status: DOMAIN, NOMEM. */
attest_status attest_boltz_ball(arb_t value, const fmpz *numerator, const fmpz_t denominator,
                                size_t count, long bits,
                                attest_error *error) ATTEST_WARN_UNUSED;

#endif
