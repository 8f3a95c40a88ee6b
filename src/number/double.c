/* double.c -- rationals to the nearest double, and a logarithm. */
#include "number/double.h"

#include <fenv.h>

#include "number/mpfr.h"
#include "number/scope.h"

double attest_double_get_fraction(const fmpz_t numerator, const fmpz_t denominator)
{
    static const attest_format binary64 = {.name = "binary64", 53, true, -1022, 1023, 64};
    double value;

    if (fmpz_bits(numerator) <= 53 && fmpz_bits(denominator) <= 53) { /* both are doubles */
        double n = (double)fmpz_get_si(numerator), d = (double)fmpz_get_si(denominator);

        value = n / d;
        if (fma(value, d, -n) == 0 || fegetround() == FE_TONEAREST)
            return value;
    }
    ATTEST_SCOPED(attest_mpfr_context, context, &binary64, MPFR_RNDN);
    MPFR(53, x);
    attest_mpfr_set_fraction(x, numerator, denominator, &context);
    value = mpfr_get_d(x, MPFR_RNDN); /* exact */
    return value;
}

double attest_double_log(double x)
{
    int exponent;
    double m = frexp(x, &exponent), s, square, sum = 0;

    if (!(x > 0) || !(x < INFINITY))
        return x > 0 ? INFINITY : -INFINITY;
    if (m < 0.70710678) { /* m lies between 0.7071 and 1.41421357: |s| < 0.17158 */
        m *= 2;
        exponent--;
    }
    s = (m - 1) / (m + 1);
    square = s * s;
    for (int k = 19; k >= 1; k -= 2) /* log m = 2 (s + s^3/3 + s^5/5 + ...) */
        sum = sum * square + 1.0 / k;
    return exponent * 0x1.62e42fefa39efp-1 + 2 * s * sum;
}
