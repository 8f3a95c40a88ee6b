/* boltzmann_full.h -- boltz(A) - boltz(B) by the definition: two quotients and a subtraction.
 *
 * It computes with the precision of the result, without a shift by the maximum and without
 * identities, so the caller must choose enough bits for the cancellation. It shares no code
 * with src/theory. */
#ifndef ATTEST_TESTS_REF_BOLTZMANN_FULL_H
#define ATTEST_TESTS_REF_BOLTZMANN_FULL_H

#include <stddef.h>

#include <mpfr.h>

/* value = sum m_i a_i e^{a_i} / sum m_i e^{a_i}, a_i = numerator[i] / denominator, m_i =
 * multiplicity[i]; multiplicity NULL: all 1. Every operation is rounded to nearest at the
 * precision of value. Domain: count >= 1, denominator != 0. */
static inline void ref_boltz(mpfr_t value, const long *numerator, const size_t *multiplicity,
                             size_t count, long denominator)
{
    mpfr_prec_t bits = mpfr_get_prec(value);
    mpfr_t a, e, mass, sum;

    mpfr_inits2(bits, a, e, mass, sum, (mpfr_ptr)0);
    mpfr_set_zero(mass, 1);
    mpfr_set_zero(sum, 1);
    for (size_t i = count; i-- > 0;) {
        mpfr_set_si(a, numerator[i], MPFR_RNDN);
        mpfr_div_si(a, a, denominator, MPFR_RNDN);
        mpfr_exp(e, a, MPFR_RNDN);
        mpfr_mul_ui(e, e, multiplicity ? multiplicity[i] : 1, MPFR_RNDN);
        mpfr_add(mass, mass, e, MPFR_RNDN);
        mpfr_mul(e, e, a, MPFR_RNDN);
        mpfr_add(sum, sum, e, MPFR_RNDN);
    }
    mpfr_div(value, sum, mass, MPFR_RNDN);
    mpfr_clears(a, e, mass, sum, (mpfr_ptr)0);
}

/* value = boltz(A) - boltz(B), A = a / denominator with multiplicities a_times, B likewise. */
static inline void ref_boltz_difference(mpfr_t value, const long *a, const size_t *a_times,
                                        size_t a_count, const long *b, const size_t *b_times,
                                        size_t b_count, long denominator)
{
    mpfr_t other;

    mpfr_init2(other, mpfr_get_prec(value));
    ref_boltz(value, a, a_times, a_count, denominator);
    ref_boltz(other, b, b_times, b_count, denominator);
    mpfr_sub(value, value, other, MPFR_RNDN);
    mpfr_clear(other);
}

#endif
