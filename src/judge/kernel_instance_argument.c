/* kernel_instance_argument.c -- the arguments of exp, (h), (i), (l). */
#include "judge/kernel_instance.h"

#include "number/scope.h"

static double add(const attest_judge_instance *x, double a, double b)
{
    return attest_judge_accumulator_add(a, b, &x->work);
}

static double mul(const attest_judge_instance *x, double a, double b)
{
    return attest_judge_accumulator_mul(a, b, &x->work);
}

static double fused(const attest_judge_instance *x, double a, double b, double c)
{
    return attest_judge_accumulator_flush(attest_in_double_fma(a, b, c, &x->work.format),
                                          &x->work);
}

double attest_judge_instance_divide(double a, double b, const attest_judge_accumulator *work)
{
    const attest_in_double *h = &work->format;
    double q = a / b, remainder;

    if (h->plain || !isfinite(q) || q == 0)
        return attest_in_double_convert(q, h);
    remainder = fma(-q, b, a);
    q = attest_in_double_to_odd(q, b < 0 ? -remainder : remainder);
    return attest_judge_accumulator_round(q, work);
}

double attest_judge_instance_reference(const attest_judge_instance *x, double m)
{
    if (x->recipe.argument == ATTEST_RECIPE_FOLDED)
        m = mul(x, m, x->kappa);
    return x->shift != 0 ? add(x, m, -x->shift) : m;
}

double attest_judge_instance_argument(const attest_judge_instance *x, double score,
                                      double reference)
{
    if (x->recipe.argument == ATTEST_RECIPE_FOLDED)
        return fused(x, score, x->kappa, -reference);
    score = add(x, score, -reference);
    return x->recipe.argument == ATTEST_RECIPE_SEPARATE_TWO ? mul(x, score, x->lambda) : score;
}

double attest_judge_instance_rescale(const attest_judge_instance *x, double m, double more)
{
    double difference = add(x, m, -more);

    if (x->recipe.argument == ATTEST_RECIPE_FOLDED)
        return mul(x, difference, x->kappa);
    if (x->recipe.argument == ATTEST_RECIPE_SEPARATE_TWO)
        return mul(x, difference, x->lambda);
    return difference;
}

bool attest_judge_instance_keeps(const attest_judge_instance *x, double m, double more)
{
    double difference = attest_judge_instance_rescale(x, m, more);

    if (x->recipe.max != ATTEST_JUDGE_MAX_LAZY)
        return !(more > m);
    if (x->recipe.argument == ATTEST_RECIPE_SEPARATE)
        difference = mul(x, difference, x->lambda);
    return difference >= -x->recipe.threshold;
}

double attest_judge_instance_sink(const attest_judge_instance *x, double logit)
{
    logit = attest_in_double_convert(logit, &x->work.format);
    return x->recipe.argument == ATTEST_RECIPE_FOLDED_TWO_STEP ? mul(x, logit, x->lambda)
                                                               : logit;
}

double attest_judge_instance_sink_argument(const attest_judge_instance *x, double logit,
                                           double reference)
{
    double sink = attest_judge_instance_sink(x, logit);

    if (x->recipe.argument == ATTEST_RECIPE_FOLDED)
        return fused(x, sink, x->lambda, -reference);
    return attest_judge_instance_argument(x, sink, reference);
}

/* Numbers of the working format within the allowed error. */
attest_judge_exponential attest_judge_instance_log(const attest_judge_instance *x, double sum,
                                                   bool outer)
{
    const attest_in_double *h = &x->work.format;
    attest_judge_exponential y;
    double exact, radius, slack;
    int inexact;
    MPFR(53, l);

    mpfr_set_d(l, sum, MPFR_RNDN);
    inexact = mpfr_log(l, l, MPFR_RNDZ);
    exact = mpfr_get_d(l, MPFR_RNDZ);
    y.nearest = attest_in_double_convert(
        h->plain ? exact : attest_in_double_to_odd(exact, inexact ? exact : 0), h);
    radius = x->variant->split_log;
    slack = 0x1p-50 * fabs(exact) + 0x1p-20 * radius; /* exact is off by 2^-52, sums round */
    radius = outer ? radius + slack : fmax(radius - slack, 0);
    y.lo = fmin(y.nearest, attest_judge_round_up(exact - radius, h));
    y.hi = fmax(y.nearest, attest_judge_round_down(exact + radius, h));
    return y;
}
