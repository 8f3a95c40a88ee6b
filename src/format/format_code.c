/* format_code.c -- codes of small formats. */
#include "format/format_code.h"

#include <math.h>

#include "format/simulate_in_double.h"

typedef struct layout {
    int fraction, exponent; /* bits */
    uint32_t ones;          /* the largest exponent field */
} layout;

static layout get_layout(const attest_format *f)
{
    int fraction = (int)f->precision - 1, exponent = f->width - fraction - !f->positive;

    return (layout){fraction, exponent, ((uint32_t)1 << exponent) - 1};
}

static uint32_t get_sign(const attest_format *f)
{
    return f->positive ? 0 : (uint32_t)1 << (f->width - 1);
}

static uint32_t get_nan(const attest_format *f)
{
    layout l = get_layout(f);

    if (f->positive)
        return l.ones;
    if (f->no_minus_zero)
        return get_sign(f);
    if (f->top_is_nan)
        return get_sign(f) - 1;
    return l.ones << l.fraction | (uint32_t)1 << (l.fraction - 1);
}

uint32_t attest_format_encode(double x, const attest_format *f)
{
    layout l = get_layout(f);
    uint32_t sign = signbit(x) ? get_sign(f) : 0;
    int exponent;

    if (isnan(x))
        return get_nan(f);
    if (isinf(x))
        return sign | l.ones << l.fraction;
    if (x == 0)
        return sign;
    exponent = ilogb(x);
    if (f->positive)
        return (uint32_t)(exponent - f->emin);
    if (exponent < f->emin)
        return sign | (uint32_t)ldexp(fabs(x), l.fraction - (int)f->emin);
    /* The leading bit of the significand adds the 1 that is missing in the exponent. */
    return sign | (((uint32_t)(exponent - f->emin) << l.fraction) +
                   (uint32_t)ldexp(fabs(x), l.fraction - exponent));
}

double attest_format_get_most(const attest_format *f)
{
    return ldexp(2 - ldexp(1, (f->top_is_nan ? 2 : 1) - (int)f->precision), (int)f->emax);
}

/* To a power of two. */
static double cast_positive(double x, const attest_format *f)
{
    int exponent;
    double significand;

    if (isnan(x) || x <= 0 || isinf(x))
        return (double)NAN;
    significand = frexp(x, &exponent); /* in [1/2, 1) */
    exponent -= significand < 0.75;
    if (exponent > f->emax)
        return (double)NAN;
    return ldexp(1, exponent < f->emin ? (int)f->emin : exponent);
}

double attest_format_cast(double x, const attest_format *format)
{
    attest_in_double hosted;

    if (format->positive)
        return cast_positive(x, format);
    attest_in_double_init(&hosted, format, ATTEST_SIMULATED_NEAREST, NULL, NULL);
    return attest_in_double_convert(x, &hosted);
}
