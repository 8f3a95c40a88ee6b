/* simulate_in_double.h -- arithmetic in small floating-point formats, simulated in binary64.
 *
 * A number of a format with p <= 25 bits is a double. An operation is computed in binary64 and
 * rounded once more; proofs-notes/audit.md proves that the result is correctly rounded:
 * products are exact, sums and quotients by the theorem of Figueroa (53 >= 2p + 2), also below
 * the least normal number, and fused sums through a rounding to odd. Rounding toward zero and
 * stochastic rounding start from the exact result cut to 53 bits. The format binary64, rounded
 * to nearest, is the hardware. exp is correctly rounded: by the proved kernel if its error
 * bound decides, else by MPFR. */
#ifndef ATTEST_FORMAT_SIMULATE_IN_DOUBLE_H
#define ATTEST_FORMAT_SIMULATE_IN_DOUBLE_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <attest/flint.h>

#include "format/simulate_in_mpfr.h"

typedef struct attest_in_double {
    attest_format format;
    attest_simulated_rounding rounding;
    bool plain;      /* binary64 to nearest: no second rounding */
    bool hidden;     /* plain, and errors are irrelevant: exp by the kernel, within 0.6 ulp */
    unsigned shift;  /* 53 - p: the bits of a double that are rounded off */
    double tiny;     /* the least normal number, 0 if exponents are unbounded */
    double magic;    /* 1.5 2^52 quanta: adding it rounds to a multiple of the quantum */
    double quantum;  /* the least positive number; unbounded: 0 */
    double most;     /* the largest number; unbounded: the limit of doubles */
    double overflow; /* the result of overflow */
    double infinite; /* the result of casting infinity */
    bool special;    /* the format has no NaN, or no -0 */
    bool unbounded;
    bool *escaped;    /* unbounded: set when a result is not a double */
    uint64_t *random; /* the generator of stochastic rounding */
} attest_in_double;

/* Returns whether the format can be simulated in doubles with this rounding. */
bool attest_in_double_fits(const attest_format *format, attest_simulated_rounding rounding);

/* Domain: attest_in_double_fits. escaped and random must outlive it. */
void attest_in_double_init(attest_in_double *h, const attest_format *format,
                           attest_simulated_rounding rounding, bool *escaped, uint64_t *random);

static inline uint64_t attest_in_double_bits(double x)
{
    uint64_t u;

    memcpy(&u, &x, sizeof u);
    return u;
}

static inline double attest_in_double_double(uint64_t u)
{
    double x;

    memcpy(&x, &u, sizeof x);
    return x;
}

/* x, or its replacement in a format without NaN or -0. */
double attest_in_double_special(double x, const attest_in_double *h);

/* x rounded to nearest, ties to even. Domain: not plain; x is the exact result, or a rounding
 * of it to 53 bits that does not change the rounding to p bits. */
static inline double attest_in_double_nearest(double x, const attest_in_double *h)
{
    uint64_t u = attest_in_double_bits(x), even = (u >> h->shift) & 1;
    uint64_t half = (uint64_t)1 << (h->shift - 1), mask = ~(2 * half - 1);
    double r = attest_in_double_double((u + (half - 1) + even) & mask), a = fabs(x);

    if (isnan(x)) /* the sum above may have changed its bits */
        r = x;
    if (a < h->tiny)
        r = copysign((x + h->magic) - h->magic, x);
    if (fabs(r) > h->most)
        r = copysign(h->overflow, x);
    if (h->unbounded && !(a >= 0x1p-900 && a <= h->most) && x != 0)
        *h->escaped = true;
    return h->special ? attest_in_double_special(r, h) : r;
}

/* x rounded toward zero or at random. Domain: x is the exact result cut to 53 bits. */
double attest_in_double_cut(double x, const attest_in_double *h);

/* The error of s = a + b rounded to 53 bits. */
static inline double attest_in_double_sum_error(double s, double a, double b)
{
    double bb = s - a;

    return (a - (s - bb)) + (b - bb);
}

static inline double attest_in_double_step(double s, bool up)
{
    uint64_t u = attest_in_double_bits(s);

    return attest_in_double_double(up ? u + 1 : u - 1);
}

static inline double attest_in_double_toward_zero(double s, double error)
{
    /* |s| is above the exact value iff the error points back to zero. */
    return isfinite(s) && s != 0 && error != 0 && (error < 0) == (s > 0)
               ? attest_in_double_step(s, false)
               : s;
}

static inline double attest_in_double_to_odd(double s, double error)
{
    if (!isfinite(s) || s == 0 || error == 0 || (attest_in_double_bits(s) & 1))
        return s;
    return attest_in_double_step(s, (error > 0) == (s > 0));
}

/* Rounds a double, an exact value, to the format. */
static inline double attest_in_double_convert(double x, const attest_in_double *h)
{
    if (h->plain)
        return x;
    return h->rounding == ATTEST_SIMULATED_NEAREST ? attest_in_double_nearest(x, h)
                                                   : attest_in_double_cut(x, h);
}

static inline double attest_in_double_add(double a, double b, const attest_in_double *h)
{
    double s = a + b;

    if (h->plain)
        return s;
    if (h->rounding == ATTEST_SIMULATED_NEAREST)
        return attest_in_double_nearest(s, h);
    return attest_in_double_cut(
        attest_in_double_toward_zero(s, attest_in_double_sum_error(s, a, b)), h);
}

/* a b; plain: rounded, else exact. Products beyond doubles, possible in unbounded formats,
 * become the least or the largest double, which rounds equally. */
static inline double attest_in_double_product(double a, double b, const attest_in_double *h)
{
    double product = a * b;

    if (!h->plain && product == 0 && a != 0 && b != 0)
        return copysign(0x1p-1074, product);
    if (!h->plain && isinf(product) && isfinite(a) && isfinite(b))
        return copysign(0x1.fffffffffffffp1023, product);
    return product;
}

static inline double attest_in_double_mul(double a, double b, const attest_in_double *h)
{
    return attest_in_double_convert(attest_in_double_product(a, b, h), h);
}

/* a b + c with one rounding. */
static inline double attest_in_double_fma(double a, double b, double c,
                                          const attest_in_double *h)
{
    double product, s, error;

    if (h->plain)
        return fma(a, b, c);
    product = attest_in_double_product(a, b, h);
    s = product + c;
    error = attest_in_double_sum_error(s, product, c);
    if (h->rounding == ATTEST_SIMULATED_NEAREST)
        return attest_in_double_nearest(attest_in_double_to_odd(s, error), h);
    return attest_in_double_cut(attest_in_double_toward_zero(s, error), h);
}

/* a + b, where b may have more bits than the format: if a is far below b, the sum with 53 bits
 * may be a midpoint although a + b is not. */
static inline double attest_in_double_add_wider(double a, double b, const attest_in_double *h)
{
    return attest_in_double_fma(b, 1, a, h);
}

static inline double attest_in_double_div(double a, double b, const attest_in_double *h)
{
    double q = a / b, remainder;

    if (h->plain)
        return q;
    if (h->unbounded && q == 0 && a != 0) /* not a double */
        *h->escaped = true;
    if (h->rounding == ATTEST_SIMULATED_NEAREST)
        return attest_in_double_nearest(q, h);
    remainder = fma(-q, b, a); /* exact; its sign is that of the error times b */
    return attest_in_double_cut(attest_in_double_toward_zero(q, b < 0 ? -remainder : remainder),
                                h);
}

double attest_in_double_exp(double x, const attest_in_double *h);

/* Whether results below the least normal number become 0: positive ones, negative ones. */
typedef struct attest_in_double_flush {
    bool positive, negative;
} attest_in_double_flush;

static inline double attest_in_double_flushed(double r, attest_in_double_flush flush,
                                              const attest_in_double *h)
{
    return fabs(r) < h->tiny && (r > 0 ? flush.positive : flush.negative) ? 0 : r;
}

/* numerator / denominator, rounded once. */
double attest_in_double_get_fraction(const fmpz_t numerator, const fmpz_t denominator,
                                     const attest_in_double *h);

/* y[r] = sum over c of m[c*stride + r] x[c], from the first term to the last, every product and
 * every sum rounded to nearest, for rows of them at once. */
void attest_in_double_combine(double *y, const double *m, size_t rows, size_t cols,
                              size_t stride, const double *x, const attest_in_double *h);

/* The general form of attest_in_double_combine. Domain: products of m and x are doubles, or the
 * format is binary64; nothing is flushed in unbounded formats. */
typedef struct attest_in_double_sums {
    const double *m;
    size_t rows, cols;
    ptrdiff_t stride;     /* may be negative */
    const double *x;      /* factors of numbers >= 0 of m */
    const double *x_else; /* factors of negative numbers of m */
    bool started;         /* the sum begins with y[r] */
    attest_in_double_flush flush;
} attest_in_double_sums;

void attest_in_double_accumulate(double *y, const attest_in_double_sums *sums,
                                 const attest_in_double *h);

/* ---- the numbers of a format as bit patterns, and casts of single numbers (format.c) ----
 *
 * A code is sign, exponent and significand, as in IEEE 754, with as many significand bits as
 * the precision requires; a positive format has no sign bit and no zero. In formats that differ
 * from IEEE 754 (format.h), NaN is: all bits set; all exponent bits and the first bit of the
 * significand, if there are infinities; the code of -0, if there is no -0. */

/* The code of x. Domain: a format of at most 32 bits; x is a number of the format, or NaN or an
 * infinity where it has them. */
uint32_t attest_format_encode(double x, const attest_format *format);

/* The largest finite number. Domain: bounded, and no wider than binary64. */
double attest_format_get_most(const attest_format *format);

/* x rounded to nearest, ties to even (p = 1: to the larger); overflow and missing values as in
 * format.h. Domain: attest_in_double_fits, or a positive format with p = 1. */
double attest_format_cast(double x, const attest_format *format);

#endif
