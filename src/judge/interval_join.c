/* interval_join.c -- splits joined by their logarithms, on what lies between two numbers. */
#include "judge/interval_steps.h"

#include "judge/simulate.h"

typedef attest_judge_interval range;

/* The logarithm of the sum of the exponentials of a part. */
static range log_sum(const attest_judge_interval_run *r,
                     const attest_judge_interval_split *split)
{
    const attest_judge_instance *x = &r->x;
    range l = {attest_judge_instance_log(x, split->sum.lo, true).lo,
               attest_judge_instance_log(x, split->sum.hi, true).hi};

    return (range){attest_judge_accumulator_add(
                       attest_judge_accumulator_mul(split->m.lo, x->unit, &r->work[LOWER]),
                       l.lo, &r->work[LOWER]),
                   attest_judge_accumulator_add(
                       attest_judge_accumulator_mul(split->m.hi, x->unit, &r->work[UPPER]),
                       l.hi, &r->work[UPPER])};
}

/* exp(L - M), M the largest of all; the others are between least and most. */
static range weigh(const attest_judge_interval_run *r, range l, range others)
{
    range argument = {
        attest_judge_accumulator_add(l.lo, -fmax(l.hi, others.hi), &r->work[LOWER]),
        attest_judge_accumulator_add(l.hi, -fmax(l.lo, others.lo), &r->work[UPPER])};

    if (l.lo >= others.hi)
        argument = (range){0, 0}; /* it is the largest itself */
    argument.hi = fmin(argument.hi, 0);
    return attest_judge_interval_exp(&r->x, argument, false);
}

/* The largest of the other parts. */
static range get_others(const range *l, size_t splits, size_t but)
{
    range most = {-(double)INFINITY, -(double)INFINITY};

    for (size_t s = 0; s < splits; s++)
        if (s != but)
            most = (range){fmax(most.lo, l[s].lo), fmax(most.hi, l[s].hi)};
    return most;
}

bool attest_judge_interval_join(attest_judge_interval_run *r,
                                const attest_judge_interval_split *split, size_t splits)
{
    size_t values = r->x.problem->value_dim;
    range *l = r->joined, *weight = r->joined + splits, sum = {0, 0};

    for (size_t s = 0; s < splits; s++) {
        l[s] = log_sum(r, &split[s]);
        if (!isfinite(l[s].lo) || !isfinite(l[s].hi))
            return false;
    }
    for (size_t s = 0; s < splits; s++) {
        weight[s] = weigh(r, l[s], get_others(l, splits, s));
        sum = (range){attest_judge_accumulator_add(sum.lo, weight[s].lo, &r->work[LOWER]),
                      attest_judge_accumulator_add(sum.hi, weight[s].hi, &r->work[UPPER])};
    }
    for (size_t c = 0; c < values; c++)
        r->o[LOWER][c] = r->o[UPPER][c] = 0;
    for (size_t s = 0; s < splits; s++) {
        range w;

        if (!attest_judge_interval_divide(&w, &r->x, weight[s], sum))
            return false;
        w.lo = fmax(w.lo, 0); /* a weight is not negative */
        for (size_t c = 0; c < values; c++) {
            range y = {r->part[LOWER][s * values + c], r->part[UPPER][s * values + c]};

            y = attest_judge_interval_scale(y, w, r->work);
            r->o[LOWER][c] =
                attest_judge_accumulator_add(r->o[LOWER][c], y.lo, &r->work[LOWER]);
            r->o[UPPER][c] =
                attest_judge_accumulator_add(r->o[UPPER][c], y.hi, &r->work[UPPER]);
        }
    }
    return true;
}
