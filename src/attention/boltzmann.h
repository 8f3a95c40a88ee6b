/* boltzmann.h -- the Boltzmann operator boltz(a) = sum a_i e^{a_i} / sum e^{a_i}.
 *
 * It is irrational unless all entries agree, so there is none in exact arithmetic. */
#ifndef ATTEST_ATTENTION_BOLTZMANN_H
#define ATTEST_ATTENTION_BOLTZMANN_H

#include <stddef.h>

#include <attest/error.h>
#include <attest/flint.h>

/* Encloses boltz of the rationals numerator[i] / denominator.
 * Domain: count >= 1, denominator > 0, 2 <= bits <= ATTEST_BALL_MAX_BITS. Error: radius at most
 * 2^-bits times the largest of |max a| and (max a - a_i) e^{a_i - max a}
 * (proofs-notes/attention.md). Status: DOMAIN, NOMEM. */
attest_status attest_boltz_ball(arb_t value, const fmpz *numerator, const fmpz_t denominator,
                                size_t count, long bits,
                                attest_error *error) ATTEST_WARN_UNUSED;

#endif
