/* printed.c -- outputs that are known as they were printed, to so many decimals. */
#include "judge/printed.h"

#include <math.h>

/* Derivation: proofs-notes/judge.md, "Printed outputs". */
void attest_judge_printed_get_interval(double *low, double *high, double y, unsigned decimals)
{
    const double infinity = (double)INFINITY;
    /* pow errs by less than 1 ulp; 1 + 2^-48 is more than the errors of both roundings */
    double power = pow(10, decimals), half = 0.5 / power * (1 + 0x1p-48);
    double units = nearbyint(y * power), decimal = y;

    if (fabs(units) < 0x1p52) /* the decimal that was printed; y is this one, rounded */
        decimal = units / power;
    if (!(fabs(decimal - y) <= half))
        decimal = y;
    /* each difference and the quotient err by an ulp at most */
    half += 0x1p-51 * fabs(y);
    *low = nextafter(fmin(y, decimal) - half, -infinity);
    *high = nextafter(fmax(y, decimal) + half, infinity);
}

static bool has_number(double low, double high, const attest_format *format)
{
    bool escaped = false;
    attest_in_double h;

    if (low <= 0 && high >= 0)
        return true;
    if (!attest_in_double_fits(format, ATTEST_SIMULATED_ZERO))
        return true; /* binary64, or a format of which doubles do not have all numbers */
    attest_in_double_init(&h, format, ATTEST_SIMULATED_ZERO, &escaped, NULL);
    /* the number of the format that is nearest to the end away from zero, from inside */
    return low > 0 ? attest_in_double_cut(high, &h) >= low
                   : attest_in_double_cut(low, &h) <= high;
}

bool attest_judge_printed_has_number(double low, double high, const attest_in_double *format,
                                     size_t formats)
{
    for (size_t i = 0; i < formats && low <= high; i++)
        if (has_number(low, high, &format[i].format))
            return true;
    return false;
}
