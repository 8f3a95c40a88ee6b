/* interval_steps.c -- exp, product and quotient of what lies between two numbers. */
#include "judge/interval_steps.h"

#include <float.h>

typedef attest_judge_interval range;

range attest_judge_interval_exp(const attest_judge_instance *x, range argument, bool two)
{
    attest_judge_exponential lower, upper;
    range y;

    attest_judge_exp_range(&lower, argument.lo, two, x->exp_error, true, &x->work.format);
    if (argument.lo == argument.hi)
        return (range){lower.lo, lower.hi};
    attest_judge_exp_range(&upper, argument.hi, two, x->exp_error, true, &x->work.format);
    y = (range){lower.lo, upper.hi};
    /* Only exp(0) is exact; its neighbours in the range are not. */
    if (argument.hi == 0)
        y.hi = attest_judge_round_down(1 + x->exp_error, &x->work.format);
    if (argument.lo == 0)
        y.lo = attest_judge_round_up(1 - x->exp_error, &x->work.format);
    return y;
}

range attest_judge_interval_polynomial(const attest_judge_instance *x, range argument)
{
    const attest_exp2_polynomial *p = &x->recipe.emulation.polynomial;
    range y = {attest_exp2_polynomial_eval(p, argument.lo),
               attest_exp2_polynomial_eval(p, argument.hi)};

    if (!(argument.hi < 128))
        y.hi = INFINITY; /* its bits mean nothing there */
    if (y.lo < 0x1p-126)
        y.lo = 0; /* flushed */
    return y;
}

range attest_judge_interval_scale(range y, range factor, const attest_judge_accumulator side[2])
{
    return (range){
        attest_judge_accumulator_mul(y.lo, y.lo >= 0 ? factor.lo : factor.hi, &side[LOWER]),
        attest_judge_accumulator_mul(y.hi, y.hi >= 0 ? factor.hi : factor.lo, &side[UPPER])};
}

/* Lemma 6: what may be returned for a quotient q of at least this, or of at most this: a number
 * of the format within the error of q; below twice the least normal one also within a quantum,
 * or 0. More of both where a quotient is multiplied by a factor. */
static double least_quotient(double q, double error, double factor, const attest_in_double *h)
{
    double lo = q - error * fabs(q);

    if (q == 0)
        return 0;
    if (fabs(lo) < 0x1p-125 * fmax(factor, 1))
        return q > 0 ? 0 : lo - 0x1p-149 * (factor == 1 ? 1 : 1 + factor);
    return h->plain ? lo : attest_judge_round_up(lo, h);
}

/* a / b times a factor, within the error. */
static bool divide(range *quotient, const attest_judge_instance *x, range a, range b,
                   double factor, double error)
{
    const attest_in_double *h = &x->work.format;
    range q = {a.lo / (a.lo >= 0 ? b.hi : b.lo) * factor,
               a.hi / (a.hi >= 0 ? b.lo : b.hi) * factor};

    *quotient = (range){0, 0};
    /* kernels may multiply by the reciprocal: within the error if that is normal */
    if (!(b.lo > 0) || !(1 / b.hi >= 2 * (h->plain ? DBL_MIN : h->tiny)) || !isfinite(q.lo) ||
        !isfinite(q.hi))
        return false;
    *quotient = (range){least_quotient(q.lo, error, factor, h),
                        -least_quotient(-q.hi, error, factor, h)};
    return isfinite(quotient->lo) && isfinite(quotient->hi);
}

bool attest_judge_interval_divide(range *quotient, const attest_judge_instance *x, range a,
                                  range b)
{
    return divide(quotient, x, a, b, 1, x->final_error + 0x1p-51); /* all this rounds */
}

bool attest_judge_interval_output(range *output, const attest_judge_instance *x, range a,
                                  range b, const attest_judge_accumulator side[2])
{
    double power = ldexp(1, (int)-x->variant->offset), f = x->value_factor;
    double u = ldexp(1, (int)-x->work.format.format.precision);
    double error = x->final_error + u * (1 + x->final_error) + 0x1p-50;

    if (x->recipe.before) {
        a = attest_judge_interval_scale(a, (range){power, power}, side);
        *output = attest_judge_interval_scale(a, (range){f, f}, side);
        return true;
    }
    if (!x->problem->descaled)
        return attest_judge_interval_divide(output, x, a, b);
    return divide(output, x, a, b, f, error) && f / b.hi >= 0x1p-125 && f / b.lo < 0x1p126;
}
