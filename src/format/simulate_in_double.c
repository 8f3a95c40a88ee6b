/* simulate_in_double.c -- arithmetic of small formats in doubles: special values, exp, and many
 * dot products at once. */
#include "format/simulate_in_double.h"

#include <attest/kernel.h>

#include "base/random.h"
#include "format/simulate_in_mpfr.h"
#include "kernel/sums.h"
#include "number/scope.h"

/* ---- single numbers ---- */

/* Limits of p and of exponents: sums and products of two numbers neither overflow nor lose bits
 * to underflow in binary64. */
enum { MOST_BITS = 25, LEAST_QUANTUM = -500, LARGEST_EXPONENT = 500 };

static bool is_binary64(const attest_format *format)
{
    return format->precision == 53 && format->bounded && format->emin == -1022 &&
           format->emax == 1023 && attest_format_is_ieee(format);
}

bool attest_in_double_fits(const attest_format *format, attest_simulated_rounding rounding)
{
    if (is_binary64(format))
        return rounding == ATTEST_SIMULATED_NEAREST;
    if (format->precision < 2 || format->precision > MOST_BITS || format->positive)
        return false;
    return !format->bounded || (format->emin - format->precision + 1 >= LEAST_QUANTUM &&
                                format->emax <= LARGEST_EXPONENT);
}

void attest_in_double_init(attest_in_double *h, const attest_format *format,
                           attest_simulated_rounding rounding, bool *escaped, uint64_t *random)
{
    int p = (int)format->precision;

    *h = (attest_in_double){.format = *format,
                            .rounding = rounding,
                            .plain = is_binary64(format),
                            .unbounded = !format->bounded,
                            .escaped = escaped,
                            .random = random,
                            .special = format->no_nan || format->no_minus_zero,
                            .overflow = INFINITY,
                            .infinite = INFINITY,
                            .most = 0x1p900};
    if (h->plain)
        return;
    h->shift = (unsigned)(53 - p);
    if (!format->bounded)
        return;
    h->tiny = ldexp(1, (int)format->emin);
    h->quantum = ldexp(1, (int)format->emin - p + 1);
    h->magic = 0x1.8p52 * h->quantum;
    h->most = ldexp(2 - ldexp(1, (format->top_is_nan ? 2 : 1) - p), (int)format->emax);
    if (format->saturates)
        h->infinite = h->most;
    else if (format->finite_only)
        h->infinite = NAN;
    h->overflow = rounding == ATTEST_SIMULATED_ZERO ? h->most : h->infinite;
}

double attest_in_double_special(double x, const attest_in_double *h)
{
    if (isnan(x) && h->format.no_nan)
        return -0.0;
    return x == 0 && h->format.no_minus_zero ? 0 : x;
}

/* Splits |x| = (*units + *parts 2^-24) unit, truncated, and returns unit: one ulp of x with p
 * bits, or the quantum of the format if that is larger. */
static double split(uint64_t *units, uint64_t *parts, double x, const attest_in_double *h)
{
    int exponent;
    double unit, scaled;
    uint64_t all;

    frexp(x, &exponent);
    unit = ldexp(1, exponent - (int)h->format.precision);
    if (unit < h->quantum)
        unit = h->quantum;
    scaled = fabs(x) / unit * 0x1p24; /* exact: a power of two, below 2^49 */
    all = (uint64_t)scaled;
    *units = all >> ATTEST_SIMULATED_RANDOM_BITS;
    *parts = all & (((uint64_t)1 << ATTEST_SIMULATED_RANDOM_BITS) - 1);
    return unit;
}

double attest_in_double_cut(double x, const attest_in_double *h)
{
    uint64_t units, parts, draw = 0;
    double r, unit;

    if (h->rounding == ATTEST_SIMULATED_STOCHASTIC)
        draw = attest_random_next(h->random) >> (64 - ATTEST_SIMULATED_RANDOM_BITS);
    if (h->unbounded && x != 0 && !(fabs(x) >= 0x1p-900 && fabs(x) <= h->most))
        *h->escaped = true;
    if (x == 0 || isnan(x))
        return h->special ? attest_in_double_special(x, h) : x;
    if (isinf(x)) /* exact in every rounding mode */
        return copysign(h->infinite, x);
    unit = split(&units, &parts, x, h);
    units += (parts + draw) >> ATTEST_SIMULATED_RANDOM_BITS;
    r = (double)units * unit;
    if (r > h->most)
        r = h->overflow;
    r = copysign(r, x);
    return h->special ? attest_in_double_special(r, h) : r;
}

/* Returns y as a double; sets *escaped if an unbounded format needs a number that is not a
 * double. */
static double get_watched(mpfr_srcptr y, const attest_in_double *h)
{
    double value = mpfr_get_d(y, MPFR_RNDN);
    bool inside = fabs(value) >= 0x1p-900 && fabs(value) <= h->most;

    if (h->unbounded && !inside && !mpfr_zero_p(y))
        *h->escaped = true;
    return value;
}

/* exp by MPFR, rounded to the format. */
static double exact_exp(double x, const attest_in_double *h)
{
    ATTEST_SCOPED(attest_in_mpfr, arithmetic, &h->format, h->rounding, h->random);
    MPFR(arithmetic.format.precision, y);

    mpfr_set_d(arithmetic.operand, x, MPFR_RNDN);
    attest_in_mpfr_exp(y, arithmetic.operand, &arithmetic);
    return get_watched(y, h);
}

double attest_in_double_exp(double x, const attest_in_double *h)
{
    /* The proved error is 0.60 ulp of binary64, less than 2^-52 of a normal result; for results
     * below 2^-1000 both bounds round equally. */
    double y, low, high;

    if (h->hidden) {
        attest_kernel_exp(&y, &x, 1);
        return y;
    }
    if (h->plain || h->rounding == ATTEST_SIMULATED_STOCHASTIC)
        return exact_exp(x, h);
    if (isnan(x) || isinf(x))
        return attest_in_double_convert(exp(x), h);
    attest_kernel_exp(&y, &x, 1);
    y = fmin(y, 0x1p1000); /* finite, but beyond every bounded format */
    if (h->unbounded && !(y > 0x1p-900 && y < h->most)) {
        *h->escaped = true;
        return y;
    }
    low = attest_in_double_convert(y * (1 - 0x1p-51), h);
    high = attest_in_double_convert(y * (1 + 0x1p-51), h);
    return low == high && y > 0x1p-1000 ? low : exact_exp(x, h);
}

double attest_in_double_get_fraction(const fmpz_t numerator, const fmpz_t denominator,
                                     const attest_in_double *h)
{
    ATTEST_SCOPED(attest_in_mpfr, arithmetic, &h->format, h->rounding, h->random);
    MPFR(arithmetic.format.precision, y);

    attest_in_mpfr_set_fraction(y, numerator, denominator, &arithmetic);
    return get_watched(y, h);
}

/* ---- many dot products at once, rounded to nearest ---- */

static bool is_single(const attest_in_double *h)
{
    return h->shift == 53 - 24 && h->tiny == 0x1p-126 && h->most == 0x1.fffffep127 &&
           h->overflow == (double)INFINITY;
}

static enum kernel_rounding_way get_way(bool flushes, const attest_in_double *h)
{
    return h->unbounded   ? KERNEL_ROUND_WATCHED
           : h->plain     ? KERNEL_ROUND_NOT
           : flushes      ? KERNEL_ROUND_FLUSHED
           : is_single(h) ? KERNEL_ROUND_SINGLE
           : h->special   ? KERNEL_ROUND_SPECIAL
                          : KERNEL_ROUND;
}

/* Computes the sums that fill whole vectors; returns their number. */
static size_t combine_many(double *y, const attest_in_double_sums *t, const attest_in_double *h)
{
    bool flushes = t->flush.positive || t->flush.negative, outside = false;
    const struct kernel_sums sums = {.m = t->m,
                                     .rows = t->rows,
                                     .cols = t->cols,
                                     .stride = t->stride,
                                     .x = t->x,
                                     .x_else = t->x_else,
                                     .started = t->started};
    const struct kernel_rounding rounding = {.way = get_way(flushes, h),
                                             .shift = h->plain ? 0 : (int)h->shift,
                                             .tiny = h->tiny,
                                             .magic = h->magic,
                                             .least = 0x1p-900,
                                             .most = h->most,
                                             .overflow = fabs(h->overflow),
                                             .no_nan = h->format.no_nan,
                                             .no_minus_zero = h->format.no_minus_zero,
                                             .flush_positive = t->flush.positive,
                                             .flush_negative = t->flush.negative};
    size_t done;

    if (flushes && !is_single(h))
        return 0;
    done = attest_kernel_sums(y, &sums, &rounding, &outside);
    if (outside) /* some number is not a double */
        *h->escaped = true;
    return done;
}

/* One sum, by the operations of simulate_in_double.h. */
static double combine_one(double sum, const attest_in_double_sums *t, size_t row,
                          const attest_in_double *h)
{
    for (size_t c = 0; c < t->cols; c++) {
        double m = t->m[(ptrdiff_t)c * t->stride + (ptrdiff_t)row];
        double term = attest_in_double_mul(m, m < 0 ? t->x_else[c] : t->x[c], h);

        term = attest_in_double_flushed(term, t->flush, h);
        sum = t->started || c > 0
                  ? attest_in_double_flushed(attest_in_double_add(sum, term, h), t->flush, h)
                  : term;
    }
    return sum;
}

void attest_in_double_accumulate(double *y, const attest_in_double_sums *sums,
                                 const attest_in_double *h)
{
    for (size_t row = combine_many(y, sums, h); row < sums->rows; row++)
        y[row] = combine_one(sums->started ? y[row] : 0, sums, row, h);
}

void attest_in_double_combine(double *y, const double *m, size_t rows, size_t cols,
                              size_t stride, const double *x, const attest_in_double *h)
{
    const attest_in_double_sums sums = {
        .m = m, .rows = rows, .cols = cols, .stride = (ptrdiff_t)stride, .x = x, .x_else = x};

    attest_in_double_accumulate(y, &sums, h);
}
