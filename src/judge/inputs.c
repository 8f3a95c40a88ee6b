/* inputs.c -- which variants of a model have the values of a problem. */
#include "judge/inputs.h"

#include "base/scope.h"

/* Most values are normal numbers of few bits, or 0; the others are converted. */
static bool is_of_format(const double *x, size_t count, const attest_judge_arithmetic *unit)
{
    const attest_in_double *h = &unit->hosted;
    uint64_t cut = h->plain ? 0 : ((uint64_t)1 << h->shift) - 1;

    for (size_t i = 0; i < count; i++) {
        double size = fabs(x[i]);
        bool normal = (size >= h->tiny && size <= h->most) || size == 0;

        if (!(normal && (attest_in_double_bits(x[i]) & cut) == 0) &&
            attest_in_double_convert(x[i], h) != x[i])
            return false;
    }
    return true;
}

/* Whether the head's values are numbers of the variant's formats. */
static bool fits(const attest_judge_head *head, const attest_judge_variant *variant)
{
    const attest_judge_problem *x = head->problem;
    const attest_format *const format[3] = {&variant->q, &variant->k, &variant->v};
    const double *const value[3] = {head->q, head->k, head->v};
    const size_t count[3] = {x->queries * x->dim, x->keys * x->dim, x->keys * x->value_dim};

    for (size_t i = 0; i < 3; i++) {
        attest_judge_arithmetic unit;

        attest_judge_arithmetic_init(&unit, format[i]);
        if (!is_of_format(value[i], count[i], &unit))
            return false;
    }
    return true;
}

/* Whether scores can be added with the variant's depth: in h additions a term meets at most
 * 2^h - 1 others. Orders that are one after another, and matrix units, have none. */
static bool can_add(const attest_judge_variant *variant, size_t dim)
{
    const attest_judge_dot *dot = &variant->score;

    return (dot->order != ATTEST_JUDGE_ORDER_ANY &&
            dot->order != ATTEST_JUDGE_ORDER_PAIRWISE) ||
           dot->depth == 0 || dot->depth >= 8 * sizeof dim || dim >> dot->depth == 0 ||
           dim == (size_t)1 << dot->depth;
}

attest_status attest_judge_inputs_check(bool *left_out, const attest_judge_problem *problem,
                                        const attest_judge_model *model, attest_error *error)
{
    const attest_judge_problem *x = problem;
    attest_judge_head head ATTEST_CLEARED_BY(attest_judge_head_clear) = {0};
    size_t left = 0;

    for (size_t m = 0; m < model->variants; m++)
        if (!can_add(&model->variant[m], x->dim))
            return attest_error_set(
                error, ATTEST_FORMAT,
                "no kernel adds %zu products within a depth of %zu: score.depth", x->dim,
                model->variant[m].score.depth);
    ATTEST_TRY(attest_judge_head_init(&head, x, error));
    for (size_t i = 0; i < x->batch * x->heads; i++) {
        ATTEST_TRY(attest_judge_head_load(&head, i / x->heads, i % x->heads, error));
        for (size_t m = 0; m < model->variants; m++)
            left_out[m] = left_out[m] || !fits(&head, &model->variant[m]);
    }
    for (size_t m = 0; m < model->variants; m++)
        left += !left_out[m];
    if (left == 0)
        return attest_error_set(error, ATTEST_FORMAT,
                                "a value of q, k or v is not a number of the model's input "
                                "formats (%s, %s, %s): convert it, or name its format in "
                                "\"inputs\"",
                                model->variant[0].q.name, model->variant[0].k.name,
                                model->variant[0].v.name);
    return ATTEST_OK;
}

size_t attest_judge_inputs_set_rules(attest_judge_rule *rule, const bool *left_out,
                                     const attest_judge_problem *problem,
                                     const attest_judge_model *model)
{
    size_t count = 0;

    for (size_t m = 0; m < model->variants; m++)
        if (!left_out[m])
            attest_judge_rule_init(&rule[count++], &model->variant[m], problem);
    return count;
}
