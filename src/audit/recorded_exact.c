/* recorded_exact.c -- outputs and weights of recorded queries, keys and values in balls. */
#include "audit/recorded_exact.h"

#include <math.h>
#include <string.h>

#include "base/term.h"
#include "number/scope.h"

enum { MOST_FACTOR = 16 };

void attest_recorded_exact_init(attest_recorded_exact *e, const attest_judge_problem *x)
{
    *e = (attest_recorded_exact){.question = x};
    e->query = _arb_vec_init((slong)x->dim);
    e->key = _arb_vec_init((slong)(x->keys * x->dim));
    e->value = _arb_vec_init((slong)(x->keys * x->value_dim));
    e->power = _arb_vec_init((slong)x->keys + 1);
    arb_init(e->scale);
    arb_init(e->cap);
    arb_init(e->total);
    arb_init(e->term);
}

void attest_recorded_exact_clear(attest_recorded_exact *e)
{
    const attest_judge_problem *x = e->question;

    _arb_vec_clear(e->query, (slong)x->dim);
    _arb_vec_clear(e->key, (slong)(x->keys * x->dim));
    _arb_vec_clear(e->value, (slong)(x->keys * x->value_dim));
    _arb_vec_clear(e->power, (slong)x->keys + 1);
    arb_clear(e->scale);
    arb_clear(e->cap);
    arb_clear(e->total);
    arb_clear(e->term);
}

void attest_recorded_exact_load(attest_recorded_exact *e, const attest_judge_head *head)
{
    const attest_judge_problem *x = e->question;

    for (size_t i = 0; i < x->keys * x->dim; i++)
        arb_set_d(e->key + i, head->k[i]);
    for (size_t i = 0; i < x->keys * x->value_dim; i++)
        arb_set_d(e->value + i, head->v[i]);
}

static void set_bits(attest_recorded_exact *e, slong bits)
{
    if (e->bits == bits)
        return;
    e->bits = bits;
    attest_judge_problem_get_scale(e->scale, e->question, bits);
    if (e->question->capped)
        arb_set_fmpq(e->cap, e->question->softcap, bits);
}

/* power[j] = the score of key j of the row; not finite: the row does not see it. */
static void score(attest_recorded_exact *e, const attest_judge_row *row)
{
    const attest_judge_problem *x = e->question;

    for (size_t j = row->first; j < row->last; j++) {
        arb_ptr t = e->power + j;

        if (row->bias && !(row->bias[j - row->first] > -(double)INFINITY)) {
            arb_indeterminate(t);
            continue;
        }
        arb_dot(t, NULL, 0, e->query, 1, e->key + j * x->dim, 1, (slong)x->dim, e->bits);
        arb_mul(t, t, e->scale, e->bits);
        if (x->capped) {
            arb_div(t, t, e->cap, e->bits);
            arb_tanh(t, t, e->bits);
            arb_mul(t, t, e->cap, e->bits);
        }
        if (row->bias) {
            arb_set_d(e->term, row->bias[j - row->first]);
            arb_add(t, t, e->term, e->bits);
        }
    }
}

/* power[j] = e^(score - s), s near the largest; 0 for keys that are not seen; total = their
 * sum.
 */
static void exponentiate(attest_recorded_exact *e, const attest_judge_row *row,
                         const attest_judge_head *head)
{
    size_t keys = e->question->keys;
    ARF(most);

    arf_neg_inf(most);
    if (head->sink)
        arf_set_d(most, head->sink_logit);
    for (size_t j = row->first; j < row->last; j++)
        if (arb_is_finite(e->power + j) && arf_cmp(arb_midref(e->power + j), most) > 0)
            arf_set(most, arb_midref(e->power + j));
    arb_zero(e->total);
    for (size_t j = 0; j <= keys; j++) {
        arb_ptr t = e->power + j;

        if (j == keys && head->sink)
            arb_set_d(t, head->sink_logit);
        if (j == keys ? !head->sink : j < row->first || j >= row->last || !arb_is_finite(t)) {
            arb_zero(t);
            continue;
        }
        arb_sub_arf(t, t, most, e->bits);
        arb_exp(t, t, e->bits);
        arb_add(e->total, e->total, t, e->bits);
    }
}

/* out = the mean of the values. */
static void mix(arb_ptr out, attest_recorded_exact *e, const attest_judge_row *row)
{
    size_t columns = e->question->value_dim;

    for (size_t c = 0; c < columns; c++) {
        arb_dot(out + c, NULL, 0, e->power + row->first, 1, e->value + row->first * columns + c,
                (slong)columns, (slong)(row->last - row->first), e->bits);
        arb_div(out + c, out + c, e->total, e->bits);
    }
}

/* The weights of the keys as doubles; *off = half the sum of their rounding errors. */
static void set_weights(double *weight, double *off, attest_recorded_exact *e)
{
    double sum = 0;
    ARF(error);

    for (size_t j = 0; j <= e->question->keys; j++) {
        weight[j] = 0;
        if (arb_is_zero(e->power + j))
            continue;
        arb_div(e->term, e->power + j, e->total, e->bits);
        weight[j] = arf_get_d(arb_midref(e->term), ARF_RND_NEAR);
        arf_set_d(error, weight[j]);
        arb_sub_arf(e->term, e->term, error, e->bits);
        arb_get_abs_ubound_arf(error, e->term, 53);
        sum += arf_get_d(error, ARF_RND_UP);
    }
    *off = sum / 2 * (1 + ATTEST_TERM(recorded_sums, 0x1p-20));
}

static bool any_open(arb_srcptr out, size_t count)
{
    for (size_t c = 0; c < count; c++)
        if (arb_contains_zero(out + c) && !arb_is_zero(out + c))
            return true;
    return false;
}

void attest_recorded_exact_run(arb_ptr out, double *weight, double *off,
                               attest_recorded_exact *e, attest_judge_head *head, size_t i)
{
    const attest_judge_problem *x = e->question;
    slong bits = ATTEST_RECORDED_BITS;
    attest_judge_row row;

    attest_judge_head_get_row(&row, head, i);
    for (size_t c = 0; c < x->dim; c++)
        arb_set_d(e->query + c, head->q[i * x->dim + c]);
    do {
        set_bits(e, bits);
        score(e, &row);
        exponentiate(e, &row, head);
        mix(out, e, &row);
        bits *= 2;
    } while (any_open(out, x->value_dim) && bits <= MOST_FACTOR * ATTEST_RECORDED_BITS);
    set_weights(weight, off, e);
}
