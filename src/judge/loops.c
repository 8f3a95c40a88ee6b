/* loops.c -- the loops of loops.h for any machine, in vectors of one double, and the choice of
 * the loops by the instruction set of the kernel in use. */
#include "judge/loops.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "config.h"
#include "kernel/kernel.h"

#define VECTOR_LANES 1
#define VECTOR_ALL 1

typedef double vector;
typedef bool vector_mask;

static inline vector vector_set(double x)
{
    return x;
}

static inline vector vector_load(const double *x)
{
    return *x;
}

static inline void vector_store(double *to, vector x)
{
    *to = x;
}

static inline vector vector_load_first(const double *x, size_t count)
{
    (void)count; /* 1 */
    return *x;
}

static inline void vector_store_first(double *to, vector x, size_t count)
{
    (void)count;
    *to = x;
}

static inline vector vector_abs(vector x)
{
    return fabs(x);
}

static inline vector vector_min(vector a, vector b)
{
    return a < b ? a : b;
}

/* The second operand where one is a NaN. */
static inline vector vector_max(vector a, vector b)
{
    return a > b ? a : b;
}

static inline vector vector_floor_power(vector x)
{
    uint64_t u;

    memcpy(&u, &x, sizeof u);
    u &= 0x7ff0000000000000u;
    memcpy(&x, &u, sizeof x);
    return x;
}

static inline vector vector_power(vector n)
{
    return ldexp(1, (int)n);
}

/* Toward zero, to a whole number. */
static inline vector vector_cut(vector x)
{
    return trunc(x);
}

static inline vector vector_keep_bits(vector x, uint64_t bits)
{
    uint64_t u;

    memcpy(&u, &x, sizeof u);
    u &= bits;
    memcpy(&x, &u, sizeof x);
    return x;
}

static inline vector_mask vector_equal(vector a, vector b)
{
    return a == b;
}

static inline vector_mask vector_not_less(vector a, vector b)
{
    return !(a < b);
}

static inline vector_mask vector_both(vector_mask a, vector_mask b)
{
    return a && b;
}

static inline unsigned vector_bits(vector_mask mask)
{
    return mask;
}

static inline vector vector_keep(vector_mask mask, vector x)
{
    return mask ? x : 0;
}

static inline vector_mask vector_at_most(vector a, vector b)
{
    return a <= b;
}

static inline vector vector_select(vector_mask mask, vector a, vector b)
{
    return mask ? a : b;
}

static inline vector vector_add(vector a, vector b)
{
    return a + b;
}

static inline vector vector_sub(vector a, vector b)
{
    return a - b;
}

static inline vector vector_div(vector a, vector b)
{
    return a / b;
}

static inline vector vector_mul(vector a, vector b)
{
    return a * b;
}

/* Two roundings: a fused one would be a call where the machine has none. */
static inline vector vector_fma(vector a, vector b, vector c)
{
    return a * b + c;
}

static inline vector vector_fnma(vector a, vector b, vector c)
{
    return c - a * b;
}

#define JUDGE_TABLE attest_judge_loops_scalar
#define JUDGE_VECTORS 8

#include "judge/loops_keys.inc"
#include "judge/loops.inc"

const struct judge_loops *attest_judge_loops(void)
{
    switch (attest_kernel_isa()) {
#ifdef ATTEST_KERNEL_AVX512
    case KERNEL_AVX512:
        return &attest_judge_loops_avx512;
#endif
#ifdef ATTEST_KERNEL_AVX2
    case KERNEL_AVX2:
        return &attest_judge_loops_avx2;
#endif
    default:
        return &attest_judge_loops_scalar;
    }
}
