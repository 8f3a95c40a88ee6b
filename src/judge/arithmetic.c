/* arithmetic.c -- unit roundoffs, limits, and exponentials rounded outward. */
#include "judge/arithmetic.h"

#include <float.h>
#include <math.h>

#include <attest/kernel.h>

void attest_judge_arithmetic_init(attest_judge_arithmetic *unit, const attest_format *format)
{
    int p = (int)format->precision;

    attest_in_double_init(&unit->hosted, format, ATTEST_SIMULATED_NEAREST, NULL, NULL);
    unit->u = ldexp(1, -p);
    unit->least = unit->quantum = 0;
    unit->limit = (double)INFINITY;
    if (!format->bounded)
        return;
    unit->quantum = ldexp(1, (int)format->emin - p + 1);
    unit->least = format->emin <= -126 ? ldexp(1, (int)format->emin) : unit->quantum;
    unit->limit = format->emax >= 1023
                      ? DBL_MAX
                      : ldexp(2 - ldexp(format->top_is_nan ? 3 : 1, -p), (int)format->emax);
}

bool attest_judge_arithmetic_includes_limit(const attest_format *format)
{
    return format->top_is_nan;
}

struct judge_loops_format attest_judge_arithmetic_get_format(const attest_in_double *h,
                                                             bool flush)
{
    return (struct judge_loops_format){.unit = ldexp(2, (int)-h->format.precision),
                                       .quantum = h->quantum,
                                       .most = h->most,
                                       .overflow = h->overflow,
                                       .least = flush ? h->tiny : 0,
                                       .no_minus_zero = h->format.no_minus_zero};
}

double attest_judge_exp_up(double x)
{
    double y;

    attest_kernel_exp(&y, &x, 1);
    return y * (1 + ATTEST_TERM(exp_up, 0x1p-50)) + ATTEST_TERM(exp_least, 0x1p-1070);
}

double attest_judge_exp_down(double x)
{
    double y;

    attest_kernel_exp(&y, &x, 1);
    return y < 0x1p-1000 ? 0 : y * (1 - ATTEST_TERM(exp_down, 0x1p-50));
}

double attest_judge_grow(double u, double n)
{
    double x = n * u; /* exact: u is a power of two */

    /* (1+u)^n <= e^(nu), and e^x - 1 <= x + x^2 for x <= 1; judge.md, "Evaluation" */
    return x <= 0x1p-20 ? x + ATTEST_TERM(grow_square, x * x) : attest_judge_exp_up(x) - 1;
}
