/* exp_scalar.h -- exp of one double, over the whole range.
 *
 * The same operations in the same order as the vector code in exp_vectors.h, so the results are
 * the same bits. fma() is exact by definition: where the machine has no such instruction the C
 * library emulates it, and this is slow but no less accurate. Rounding must be to nearest.
 * Error: ATTEST_KERNEL_EXP_ULP, by proofs-notes/kernel-exp.md. */
#ifndef ATTEST_KERNEL_EXP_SCALAR_H
#define ATTEST_KERNEL_EXP_SCALAR_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "kernel/exp_constants.h"
#include "kernel/kernel.h"

/* exp(x) < 2^-1075 below the first, so that 0 is the nearest double; exp(x) > 2^1024 above the
 * second, the double next below 1024 log(2). */
#define EXP_ZERO_BELOW -746.0
#define EXP_INFINITE_ABOVE 0x1.62e42fefa39efp+9

static inline uint64_t exp_bits(double x)
{
    uint64_t bits;

    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline double exp_from_bits(uint64_t bits)
{
    double x;

    memcpy(&x, &bits, sizeof x);
    return x;
}

/* exp(x) = 2^(k div 8) T[k mod 8] (1 + *p); returns k. Domain: |x| <= 746. */
static inline int exp_reduce(double *p, double x)
{
    double shifted = fma(x, ATTEST_EXP_INVERSE_STEP, ATTEST_EXP_ROUND_TO_INTEGER);
    double k = shifted - ATTEST_EXP_ROUND_TO_INTEGER;
    double t = fma(k, ATTEST_EXP_STEP_LO, ATTEST_EXP_SHIFT);
    double r = fma(-k, ATTEST_EXP_STEP_HI, x) - t; /* the fma is exact */
    double q = fma(ATTEST_EXP_C7, r, ATTEST_EXP_C6);

    KERNEL_ASSERT(domain, !(fabs(x) > 746.0));
    q = fma(q, r, ATTEST_EXP_C5);
    q = fma(q, r, ATTEST_EXP_C4);
    q = fma(q, r, ATTEST_EXP_C3);
    q = fma(q, r, ATTEST_EXP_C2);
    *p = fma(q * r, r, r);
    return (int)k;
}

/* Results that are subnormal or nearly so: rounds once, to a multiple of 2^-1074. */
static inline double exp_finish_small(int exponent, double t, double p)
{
    double scale = exp_from_bits(exp_bits(t) + ((uint64_t)(exponent + 1022) << 52));
    double y = fma(scale, p, scale), low, sum;

    if (y < 1.0) {
        /* In units of 2^-1022 the result is y < 1 and one ulp is 2^-52: 1 + y has just
         * this ulp. low carries what the rounding of y lost. */
        low = fma(scale, p, scale - y);
        sum = 1.0 + y;
        low += 1.0 - sum + y;
        y = sum + low - 1.0;
    }
    return y * 0x1p-1022;
}

static inline double exp_one(double x)
{
    static const double table[8] = {ATTEST_EXP_T0, ATTEST_EXP_T1, ATTEST_EXP_T2, ATTEST_EXP_T3,
                                    ATTEST_EXP_T4, ATTEST_EXP_T5, ATTEST_EXP_T6, ATTEST_EXP_T7};
    double p, t, scale;
    int k, exponent;

    if (!(fabs(x) < 708.0)) {
        if (x != x)
            return x + x;
        if (x > EXP_INFINITE_ABOVE)
            return HUGE_VAL;
        if (x < EXP_ZERO_BELOW)
            return 0.0;
    }
    k = exp_reduce(&p, x);
    t = table[k & 7];
    exponent = (k - (k & 7)) / 8;
    if (exponent < -1020)
        return exp_finish_small(exponent, t, p);
    if (exponent > 1022) { /* t 2^exponent may overflow where the result does not */
        scale = exp_from_bits(exp_bits(t) + ((uint64_t)(exponent - 1) << 52));
        return fma(scale, p, scale) * 2.0;
    }
    scale = exp_from_bits(exp_bits(t) + ((uint64_t)(int64_t)exponent << 52));
    return fma(scale, p, scale);
}

#endif
