/* boltzmann.h -- the Boltzmann operator boltz(a) = sum a_i e^{a_i} / sum e^{a_i}. */
#ifndef ATTEST_BOLTZMANN_H
#define ATTEST_BOLTZMANN_H

#include <stddef.h>

#include <attest/error.h>
#include <attest/flint.h>
#include <attest/format.h>

/* Encloses boltz of the count >= 1 rationals numerator[i] / denominator. */
attest_status attest_boltz_ball(arb_t value, const fmpz *numerator, const fmpz_t denominator,
                                size_t count, long bits,
                                attest_error *error) ATTEST_WARN_UNUSED;

/* Every operation rounded to the format. */
attest_status attest_boltz_mpfr(mpfr_t value, const fmpz *numerator, const fmpz_t denominator,
                                size_t count, const attest_format *format, mpfr_rnd_t rounding,
                                attest_error *error) ATTEST_WARN_UNUSED;

/* In binary64, max-shifted. Domain: count >= 1. */
double attest_boltz_double(const double *a, size_t count);

#endif
