/* concrete_argument.c -- the arguments of exp, (h), (i), (l). */
#include "judge/concrete.h"

static double add(const attest_judge_concrete *x, double a, double b)
{
    return attest_judge_summer_add(a, b, &x->work);
}

static double mul(const attest_judge_concrete *x, double a, double b)
{
    return attest_judge_summer_mul(a, b, &x->work);
}

static double fused(const attest_judge_concrete *x, double a, double b, double c)
{
    return attest_judge_summer_flush(attest_hosted_fma(a, b, c, &x->work.format), &x->work);
}

double attest_judge_concrete_divide(double a, double b, const attest_judge_summer *work)
{
    const attest_hosted *h = &work->format;
    double q = a / b, remainder;

    if (h->plain || !isfinite(q) || q == 0)
        return attest_hosted_convert(q, h);
    remainder = fma(-q, b, a);
    q = attest_hosted_to_odd(q, b < 0 ? -remainder : remainder);
    return attest_judge_summer_round(q, work);
}

double attest_judge_concrete_reference(const attest_judge_concrete *x, double m)
{
    if (x->recipe.argument == ATTEST_RECIPE_FOLDED)
        m = mul(x, m, x->kappa);
    return x->shift != 0 ? add(x, m, -x->shift) : m;
}

double attest_judge_concrete_argument(const attest_judge_concrete *x, double score,
                                      double reference)
{
    if (x->recipe.argument == ATTEST_RECIPE_FOLDED)
        return fused(x, score, x->kappa, -reference);
    score = add(x, score, -reference);
    return x->recipe.argument == ATTEST_RECIPE_SEPARATE_TWO ? mul(x, score, x->lambda) : score;
}

double attest_judge_concrete_rescale(const attest_judge_concrete *x, double m, double more)
{
    double difference = add(x, m, -more);

    if (x->recipe.argument == ATTEST_RECIPE_FOLDED)
        return mul(x, difference, x->kappa);
    if (x->recipe.argument == ATTEST_RECIPE_SEPARATE_TWO)
        return mul(x, difference, x->lambda);
    return difference;
}

bool attest_judge_concrete_keeps(const attest_judge_concrete *x, double m, double more)
{
    double difference = attest_judge_concrete_rescale(x, m, more);

    if (x->recipe.max != ATTEST_JUDGE_MAX_LAZY)
        return !(more > m);
    if (x->recipe.argument == ATTEST_RECIPE_SEPARATE)
        difference = mul(x, difference, x->lambda);
    return difference >= -x->recipe.threshold;
}

double attest_judge_concrete_sink(const attest_judge_concrete *x, double logit)
{
    logit = attest_hosted_convert(logit, &x->work.format);
    return x->recipe.argument == ATTEST_RECIPE_FOLDED_TWO_STEP ? mul(x, logit, x->lambda)
                                                               : logit;
}

double attest_judge_concrete_sink_argument(const attest_judge_concrete *x, double logit,
                                           double reference)
{
    double sink = attest_judge_concrete_sink(x, logit);

    if (x->recipe.argument == ATTEST_RECIPE_FOLDED)
        return fused(x, sink, x->lambda, -reference);
    return attest_judge_concrete_argument(x, sink, reference);
}
