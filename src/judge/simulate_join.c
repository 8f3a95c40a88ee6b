/* simulate_join.c -- the final division, and splits joined by their logarithms. */
#include "judge/simulate.h"

#include "number/scope.h"

/* (n): the numbers of the working format within the allowed error of a / b. */
double attest_judge_instance_quotient(attest_judge_instance *x, double a, double b, bool push)
{
    const attest_in_double *h = &x->work.format;
    attest_judge_exponential y;
    double q, radius;

    y.nearest = x->recipe.reciprocal
                    ? attest_judge_accumulator_mul(
                          a, attest_judge_instance_divide(1, b, &x->work), &x->work)
                    : attest_judge_instance_divide(a, b, &x->work);
    q = a / b;
    if (x->recipe.final_error == ATTEST_RECIPE_NEAREST || !isfinite(q) || h->plain ||
        !(fabs(q) >= h->tiny))
        return y.nearest;
    radius = x->final_error * (1 - 0x1p-20) * fabs(q); /* q is off by 2^-53 */
    y.lo = fmin(y.nearest, attest_judge_round_up(q - radius, h));
    y.hi = fmax(y.nearest, attest_judge_round_down(q + radius, h));
    return attest_judge_instance_choose(x, &y, x->recipe.final_error, push);
}

double attest_judge_instance_output(attest_judge_instance *x, double o, double sum)
{
    double r;

    if (x->problem->descaled && x->recipe.reciprocal &&
        x->recipe.final_error == ATTEST_RECIPE_NEAREST) {
        r = attest_judge_instance_divide(1, sum, &x->work);
        r = attest_judge_accumulator_mul(r, x->value_factor, &x->work);
        return attest_judge_accumulator_mul(o, r, &x->work);
    }
    r = attest_judge_instance_quotient(x, o, sum, x->recipe.push_up);
    return x->problem->descaled ? attest_judge_accumulator_mul(r, x->value_factor, &x->work)
                                : r;
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

static double logarithm(attest_judge_instance *x, double sum, bool push)
{
    attest_judge_exponential y = attest_judge_instance_log(x, sum, false);

    return attest_judge_instance_choose(x, &y, x->recipe.log_error, push);
}

/* The logarithm of the sum of the exponentials of a part; all share the offset in it. */
static double log_sum(attest_judge_instance *x, const double *part)
{
    size_t values = x->problem->value_dim;
    bool push = attest_judge_instance_pushes(x, part[x->recipe.target % values]);
    double l = logarithm(x, part[values], push);

    return attest_judge_accumulator_add(
        attest_judge_accumulator_mul(part[values + 1], x->unit, &x->work), l, &x->work);
}

/* weight[p] = exp(L_p - max L); their sum. */
static double weigh_parts(double *weight, attest_judge_instance *x, size_t parts)
{
    size_t values = x->problem->value_dim;
    double most = -(double)INFINITY, sum = 0;
    attest_judge_exponential y;

    for (size_t p = 0; p < parts; p++) {
        weight[p] = log_sum(x, x->part + p * (values + 2));
        most = fmax(most, weight[p]);
    }
    for (size_t p = 0; p < parts; p++) {
        double value = x->part[p * (values + 2) + x->recipe.target % values];

        attest_judge_exp_range(&y, attest_judge_accumulator_add(weight[p], -most, &x->work),
                               false, x->exp_error, false, &x->work.format);
        weight[p] = attest_judge_instance_choose(x, &y, x->recipe.exp_error,
                                                 attest_judge_instance_pushes(x, value));
        weight[p] = attest_judge_accumulator_round(weight[p], &x->work);
        sum = attest_judge_accumulator_add(sum, weight[p], &x->work);
    }
    return sum;
}

void attest_judge_instance_join(double *out, attest_judge_instance *x, size_t parts)
{
    size_t values = x->problem->value_dim;
    bool last = x->recipe.split_divides_last, up = x->recipe.push_up;
    double *weight = x->work.leaf, sum;

    for (size_t c = 0; parts == 1 && c < values; c++)
        out[c] = x->part[c];
    if (parts == 1)
        return;
    sum = weigh_parts(weight, x, parts);
    for (size_t p = 0; !last && p < parts; p++) {
        double value = x->part[p * (values + 2) + x->recipe.target % values];

        weight[p] = attest_judge_instance_quotient(x, weight[p], sum,
                                                   attest_judge_instance_pushes(x, value));
    }
    for (size_t c = 0; c < values; c++) {
        double o = 0;

        for (size_t p = 0; p < parts; p++)
            o = attest_judge_accumulator_add(
                o,
                attest_judge_accumulator_mul(weight[p], x->part[p * (values + 2) + c],
                                             &x->work),
                &x->work);
        out[c] = last ? attest_judge_instance_quotient(x, o, sum, up) : o;
    }
}
