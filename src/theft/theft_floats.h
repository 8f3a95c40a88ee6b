/* Generators of floating-point numbers and rationals that often reveal bugs. They use only the
 * public draws of the theft API, so they work with any engine. Draws of zero give 0 (or 0/1),
 * and smaller draws simpler numbers, as autoshrinking requires. */
#ifndef THEFT_FLOATS_H
#define THEFT_FLOATS_H

#include <float.h>
#include <math.h>
#include <string.h>

#include <theft.h>

static inline double theft_double_of_bits(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static inline uint64_t theft_bits_of_double(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* The number k doubles above x (below for k < 0), through zero where that is on the way (-0
 * counts as 0), stopping at the largest finite ones. Domain: x finite. */
static inline double theft_double_step(double x, int64_t k)
{
    const int64_t top = INT64_C(0x7fefffffffffffff); /* DBL_MAX's place from zero */
    uint64_t bits = theft_bits_of_double(x);
    int64_t place = (int64_t)(bits & INT64_MAX);
    if (bits >> 63)
        place = -place;
    if (k > 0 && place > top - k)
        place = top;
    else if (k < 0 && place < -top - k)
        place = -top;
    else
        place += k;
    return place < 0 ? -theft_double_of_bits((uint64_t)-place)
                     : theft_double_of_bits((uint64_t)place);
}

/* Applies a drawn sign; magnitude first, so that it is minimised first. */
static inline double theft_gen_sign(struct theft *t, double magnitude)
{
    return theft_random_bits(t, 1) ? -magnitude : magnitude;
}

/* Every finite double with the same probability: all exponents are alike. */
static inline double theft_gen_double_bits(struct theft *t)
{
    uint64_t m = theft_random_choice(t, UINT64_C(0x7ff0000000000000));
    return theft_gen_sign(t, theft_double_of_bits(m));
}

/* Every finite float with the same probability. */
static inline float theft_gen_float_bits(struct theft *t)
{
    uint32_t m = (uint32_t)theft_random_choice(t, UINT32_C(0x7f800000));
    float x;
    memcpy(&x, &m, sizeof x);
    return (float)theft_gen_sign(t, (double)x);
}

/* Subnormal doubles and zero. */
static inline double theft_gen_double_subnormal(struct theft *t)
{
    uint64_t m = theft_random_bits(t, 52);
    /* Few leading bits as often as many: shift by a drawn amount. */
    m >>= theft_random_choice(t, 52);
    return theft_gen_sign(t, theft_double_of_bits(m));
}

/* A double at most `ulps` places from x, x itself included. Domain: x finite. */
static inline double theft_gen_double_near(struct theft *t, double x, uint32_t ulps)
{
    int64_t k = (int64_t)theft_random_choice(t, (uint64_t)ulps + 1);
    if (k && theft_random_bits(t, 1))
        k = -k;
    return theft_double_step(x, k);
}

/* `count` values, all within `ulps` places of one of `groups` centres drawn first: exact ties
 * and near-ties between them are the rule. Centres are short dyadics of `bits` bits. */
static inline double theft_gen_double_dyadic(struct theft *t, unsigned bits, int low, int high);
static inline void theft_gen_double_near_ties(struct theft *t, double *values, size_t count,
                                              size_t groups, unsigned bits, uint32_t ulps)
{
    double centres[16];
    if (groups < 1)
        groups = 1;
    if (groups > 16)
        groups = 16;
    for (size_t i = 0; i < groups; i++)
        centres[i] = theft_gen_double_dyadic(t, bits, -4, 4);
    for (size_t i = 0; i < count; i++)
        values[i] = theft_gen_double_near(t, centres[theft_random_choice(t, groups)], ulps);
}

/* m * 2^e with |m| < 2^bits, low <= e <= high, exact. Integers are the simplest (e = 0 first,
 * then low exponents upwards when 0 is not between). Domain: 1 <= bits <= 53,
 * -1074 <= low <= high <= 970. */
static inline double theft_gen_double_dyadic(struct theft *t, unsigned bits, int low, int high)
{
    double m = (double)theft_random_bits(t, (uint8_t)bits);
    int e = (int)theft_random_choice(t, (uint64_t)(high - low) + 1);
    if (low <= 0 && 0 <= high) /* 0, 1, ..., high, -1, ..., low */
        e = e <= high ? e : high - e;
    else
        e += low;
    return theft_gen_sign(t, ldexp(m, e));
}

/* num / den in lowest terms, |num| <= limit, 1 <= den <= limit; integers are the simplest.
 * Domain: 1 <= limit <= INT64_MAX / 2. */
static inline void theft_gen_rational(struct theft *t, int64_t *num, int64_t *den,
                                      int64_t limit)
{
    uint64_t p = theft_random_choice(t, (uint64_t)limit + 1);
    uint64_t q = 1 + theft_random_choice(t, (uint64_t)limit);
    uint64_t a = p, b = q;
    while (b) {
        uint64_t r = a % b;
        a = b;
        b = r;
    }
    *num = (int64_t)(p / a);
    *den = (int64_t)(q / a);
    if (theft_random_bits(t, 1))
        *num = -*num;
}

#endif
