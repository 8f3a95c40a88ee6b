/* double.c -- rationals to the nearest double. */
#include "number/double.h"

#include "number/mpfr.h"

double attest_double_get_fraction(const fmpz_t numerator, const fmpz_t denominator)
{
    static const attest_format binary64 = {.name = "binary64", 53, true, -1022, 1023, 64};
    const slong exact = (slong)1 << 53;
    attest_mpfr_context context;
    mpfr_t x;
    double value;

    if (fmpz_is_one(denominator) && !COEFF_IS_MPZ(*numerator) && *numerator <= exact &&
        *numerator >= -exact)
        return (double)*numerator;
    attest_mpfr_context_init(&context, &binary64, MPFR_RNDN);
    mpfr_init2(x, 53);
    attest_mpfr_set_fraction(x, numerator, denominator, &context);
    value = mpfr_get_d(x, MPFR_RNDN); /* exact */
    mpfr_clear(x);
    attest_mpfr_context_clear(&context);
    return value;
}
