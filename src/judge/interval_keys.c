/* interval_keys.c -- exponentials, casts and row sums of many keys at once: the same numbers as
 * one by one, proofs-notes/judge-replay.md, "Many keys at once". */
#include <attest/kernel.h>

#include <math.h>

#include "judge/arithmetic.h"
#include "judge/interval_steps.h"

/* The arguments of attest_judge_instance_argument: R(R(score factor - reference) second). */
static struct judge_loops_exponential get_rule(const attest_judge_instance *x, double reference)
{
    attest_recipe_argument argument = x->recipe.argument;

    return (struct judge_loops_exponential){
        .factor = argument == ATTEST_RECIPE_FOLDED ? x->kappa : 1,
        .reference = reference,
        .second = argument == ATTEST_RECIPE_SEPARATE_TWO ? x->lambda : 1,
        .least = x->work.flush.positive ? x->work.format.tiny : 0,
        .two = x->two,
        .error = x->exp_error};
}

bool attest_judge_interval_exponentials(double *lo, double *hi, attest_judge_interval_run *r,
                                        size_t first, size_t count, double reference)
{
    const attest_judge_instance *x = &r->x;
    struct judge_loops_exponential rule = get_rule(x, reference);

    /* m times log2 e may overflow where no score does: the arguments are not numbers then */
    if (!isfinite(reference) || !attest_judge_is_single(&x->work.format.format) ||
        x->recipe.emulation.polynomial.count > 0 ||
        attest_judge_loops()->arguments(lo, hi, x->score_hi + first, &rule, count) >
            JUDGE_LOOPS_MOST_POWER)
        return false;
    attest_kernel_exp(hi, hi, count);
    attest_judge_loops()->exponentials(lo, hi, lo, hi, x->score_hi + first, &rule, count);
    return true;
}

void attest_judge_interval_cast(double *weight, const attest_judge_instance *x, size_t count)
{
    struct judge_loops_format format;

    if (!x->variant->cast || x->p.plain)
        return;
    format = attest_judge_arithmetic_get_format(&x->p, false);
    attest_judge_loops()->roundings(weight, &format, count);
}

static void add_to_lane(attest_judge_interval_lanes *lanes, size_t l,
                        const double *const term[2], size_t j,
                        const attest_judge_accumulator side[2])
{
    for (int e = LOWER; e <= UPPER; e++) {
        double x = attest_in_double_convert(term[e][j], &side[e].format);

        lanes->sum[e][l] =
            lanes->started[l] ? attest_judge_accumulator_add(lanes->sum[e][l], x, &side[e]) : x;
    }
    lanes->running += !lanes->started[l];
    lanes->started[l] = true;
}

/* A lane's first term is not added to anything, and not flushed. */
void attest_judge_interval_add_lanes(attest_judge_interval_lanes *lanes,
                                     const double *const term[2], size_t lead, size_t count,
                                     const attest_judge_interval_run *r)
{
    size_t many = r->x.recipe.lanes, j = 0;
    const attest_judge_accumulator *side = r->sum;

    while (j < count &&
           ((lead + j) % many != 0 || lanes->running < many || side[LOWER].format.plain)) {
        add_to_lane(lanes, (lead + j) % many, term, j, side);
        j++;
    }
    if (j < count) {
        const struct judge_loops_format format[2] = {
            attest_judge_arithmetic_get_format(&side[LOWER].format, side[LOWER].flush.positive),
            attest_judge_arithmetic_get_format(&side[UPPER].format,
                                               side[UPPER].flush.positive)};
        double *const sum[2] = {lanes->sum[LOWER], lanes->sum[UPPER]};
        const double *const rest[2] = {term[LOWER] + j, term[UPPER] + j};

        attest_judge_loops()->lanes(sum, rest, format, many, (count - j) / many);
        j += (count - j) / many * many;
    }
    for (; j < count; j++)
        add_to_lane(lanes, (lead + j) % many, term, j, side);
}
