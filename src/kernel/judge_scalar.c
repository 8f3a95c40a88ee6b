/* judge_scalar.c -- the sums of judge.h for any machine: vectors of one double. */
#include "kernel/judge.h"

#include <math.h>
#include <stdbool.h>

enum { VECTOR_LANES = 1 };

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

static inline vector vector_abs(vector x)
{
    return fabs(x);
}

static inline vector vector_min(vector a, vector b)
{
    return a < b ? a : b;
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

#define JUDGE_TABLE attest_kernel_judge_scalar
#define JUDGE_VECTORS 8

#include "kernel/judge.inc"
