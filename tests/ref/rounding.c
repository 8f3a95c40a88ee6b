/* rounding.c -- rounding to a small format by looking at the list of all its numbers. */
#include "tests/ref/rounding.h"

#include <math.h>
#include <stdlib.h>

void ref_numbers_init(ref_numbers *list, const attest_format *f)
{
    long half = 1L << (f->precision - 1);
    int quantum = (int)(f->emin - f->precision + 1);

    list->format = f;
    list->count = 0;
    list->number = malloc((size_t)((f->emax - f->emin + 2) * half) * sizeof(double));
    if (!list->number)
        abort();
    for (long m = 0; m < half; m++) /* zero and the subnormal numbers */
        list->number[list->count++] = ldexp((double)m, quantum);
    for (long e = 0; e <= f->emax - f->emin; e++)
        for (long m = half; m < 2 * half; m++)
            list->number[list->count++] = ldexp((double)m, quantum + (int)e);
    if (f->top_is_nan)
        list->count--; /* the all-ones pattern is NaN */
}

void ref_numbers_clear(ref_numbers *list)
{
    free(list->number);
}

/* The place of the largest number <= size. */
static size_t place_below(double size, const ref_numbers *list)
{
    size_t low = 0, high = list->count;

    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        if (list->number[middle] <= size)
            low = middle;
        else
            high = middle;
    }
    return low;
}

double ref_round(double x, mpfr_rnd_t rounding, const ref_numbers *list)
{
    const double *number = list->number, largest = number[list->count - 1];
    bool up = rounding == MPFR_RNDA || rounding == (x < 0 ? MPFR_RNDD : MPFR_RNDU);
    double size = fabs(x), below, above, result;
    size_t place;

    if (isnan(x) || (isinf(x) && list->format->finite_only && !list->format->saturates))
        return list->format->no_nan ? -0.0 : NAN;
    if (isinf(x) && list->format->saturates)
        return copysign(largest, x);
    if (x == 0 && list->format->no_minus_zero)
        return 0;
    if (isinf(x) || x == 0)
        return x;
    place = place_below(size, list);
    below = number[place];
    if (size == below)
        return x;
    /* Beyond the largest number IEEE 754 rounds as if the exponents went on. */
    above = place + 1 < list->count        ? number[place + 1]
            : list->format->precision == 1 ? 2 * below
                                           : 2 * below - number[place - 1];
    if (rounding != MPFR_RNDN)
        result = up ? above : below;
    else if (size - below != above - size)
        result = size - below < above - size ? below : above;
    else if (list->format->precision == 1)
        result = place == 0 ? below : above; /* all significands are 1: away, as MPFR does */
    else
        result = place % 2 == 0 ? below : above; /* even significands have even places */
    if (result > largest || (size > above && place + 1 == list->count))
        result = list->format->saturates || (rounding != MPFR_RNDN && !up) ? largest
                 : list->format->finite_only                               ? NAN
                                                                           : INFINITY;
    return result == 0 && list->format->no_minus_zero ? 0 : copysign(result, x);
}

bool ref_same(double x, double y)
{
    if (isnan(x) || isnan(y))
        return isnan(x) && isnan(y);
    return x == y && signbit(x) == signbit(y);
}
