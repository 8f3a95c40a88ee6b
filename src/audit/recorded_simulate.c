/* recorded_simulate.c -- a head of recorded queries, keys and values in a simulated arithmetic.
 */
#include "audit/recorded_simulate.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "number/scope.h"

typedef attest_recorded_simulation simulation;

bool attest_recorded_simulation_fits(const attest_simulated_arithmetic *a)
{
    if (!attest_in_double_fits(&a->format, a->rounding))
        return false;
    /* products of binary64 are not exact in binary64: evaluate.c */
    return !a->accumulates ||
           (a->format.precision != 53 && attest_in_double_fits(&a->accumulate, a->rounding));
}

/* A number of the question, rounded once. */
static double get_rational(const fmpq_t x, const attest_in_double *h)
{
    return attest_in_double_get_fraction(fmpq_numref(x), fmpq_denref(x), h);
}

/* y is a value cut to 53 bits, rounded for plain doubles; made odd where that was inexact, it
 * rounds to fewer bits as the value does. */
static double round_cut(double y, int inexact, const attest_in_double *h)
{
    if (h->plain)
        return y;
    return h->rounding == ATTEST_SIMULATED_NEAREST
               ? attest_in_double_nearest(attest_in_double_to_odd(y, inexact ? y : 0), h)
               : attest_in_double_cut(y, h);
}

/* 1/sqrt(dim), rounded once. */
static double get_rsqrt(size_t dim, const attest_in_double *h)
{
    MPFR(53, root);
    int inexact;

    mpfr_set_ui(root, dim, MPFR_RNDN);
    inexact = mpfr_rec_sqrt(root, root, h->plain ? MPFR_RNDN : MPFR_RNDZ);
    return round_cut(mpfr_get_d(root, MPFR_RNDN), inexact, h);
}

/* tanh x, rounded once. */
static double get_tanh(double x, const attest_in_double *h)
{
    MPFR(53, value);
    int inexact;

    if (isnan(x))
        return x;
    mpfr_set_d(value, x, MPFR_RNDN);
    inexact = mpfr_tanh(value, value, h->plain ? MPFR_RNDN : MPFR_RNDZ);
    return round_cut(mpfr_get_d(value, MPFR_RNDN), inexact, h);
}

static double *numbers(size_t rows, size_t cols)
{
    return attest_memory_alloc(rows, cols * sizeof(double));
}

attest_status attest_recorded_simulation_init(simulation *s,
                                              const attest_simulated_arithmetic *arithmetic,
                                              const attest_judge_problem *x,
                                              attest_error *error)
{
    size_t n = x->keys;

    *s = (simulation){.arithmetic = arithmetic, .question = x};
    attest_in_double_init(&s->number, &arithmetic->format, arithmetic->rounding, &s->escaped,
                          &s->random);
    attest_in_double_init(
        &s->sum, arithmetic->accumulates ? &arithmetic->accumulate : &arithmetic->format,
        arithmetic->rounding, &s->escaped, &s->random);
    s->scales = x->rsqrt || !fmpq_is_one(x->scale);
    s->scale = x->rsqrt ? get_rsqrt(x->dim, &s->number) : get_rational(x->scale, &s->number);
    s->cap = x->capped ? get_rational(x->softcap, &s->number) : 0;
    s->query = numbers(x->queries, x->dim);
    s->key = numbers(n, x->dim);
    s->value = numbers(n, x->value_dim);
    s->gathered_key = numbers(n, x->dim);
    s->gathered_value = numbers(n, x->value_dim);
    s->score = numbers(n + 2, 1);
    s->shifted = numbers(n + 1, 1);
    s->weight = numbers(n + 2, 1);
    s->mixed = numbers(x->value_dim, 1);
    s->part = numbers(x->value_dim, 1);
    s->seen = attest_memory_alloc(n + 1, sizeof *s->seen);
    return s->query && s->key && s->value && s->gathered_key && s->gathered_value && s->score &&
                   s->shifted && s->weight && s->mixed && s->part && s->seen
               ? ATTEST_OK
               : attest_memory_fail(error);
}

void attest_recorded_simulation_clear(simulation *s)
{
    double *const all[] = {s->query, s->key,     s->value,  s->gathered_key, s->gathered_value,
                           s->score, s->shifted, s->weight, s->mixed,        s->part};

    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        free(all[i]);
    free(s->seen);
}

void attest_recorded_simulation_load(simulation *s, const attest_judge_head *head)
{
    const attest_judge_problem *x = s->question;

    s->random = attest_random_mix(s->arithmetic->seed ^
                                  attest_random_mix(head->batch * x->heads + head->head));
    for (size_t i = 0; i < x->queries * x->dim; i++)
        s->query[i] = attest_in_double_convert(head->q[i], &s->number);
    for (size_t i = 0; i < x->keys * x->dim; i++)
        s->key[i % x->dim * x->keys + i / x->dim] =
            attest_in_double_convert(head->k[i], &s->number);
    for (size_t i = 0; i < x->keys * x->value_dim; i++)
        s->value[i] = attest_in_double_convert(head->v[i], &s->number);
    s->sink = head->sink ? attest_in_double_convert(head->sink_logit, &s->number) : 0;
}

/* z = m_0 x_0 + m_1 x_1 + ..., m_i at m[i * step]. */
static double dot(const double *m, size_t step, const double *x, size_t count,
                  const attest_in_double *h, bool fused, bool pairwise)
{
    size_t first = count - count / 2;
    double z;

    if (pairwise && count > 2)
        return attest_in_double_add(
            dot(m, step, x, first, h, fused, true),
            dot(m + first * step, step, x + first, count - first, h, fused, true), h);
    z = attest_in_double_mul(m[0], x[0], h);
    for (size_t i = 1; i < count; i++)
        z = fused ? attest_in_double_fma(m[i * step], x[i], z, h)
                  : attest_in_double_add(z, attest_in_double_mul(m[i * step], x[i], h), h);
    return z;
}

/* y_r = the sum over c of m[c*stride + r] x_c, r < rows, in the accumulator, then stored. */
static void combine(double *y, const double *m, size_t rows, size_t cols, size_t stride,
                    const double *x, const simulation *s)
{
    const attest_simulated_arithmetic *a = s->arithmetic;
    bool fast = a->rounding == ATTEST_SIMULATED_NEAREST && !a->pairwise && !a->fma;

    if (fast)
        attest_in_double_combine(y, m, rows, cols, stride, x, &s->sum);
    for (size_t r = 0; r < rows; r++) {
        if (!fast)
            y[r] = dot(m + r, stride, x, cols, &s->sum, a->fma, a->pairwise);
        if (a->accumulates)
            y[r] = attest_in_double_convert(y[r], &s->number);
    }
}

static double halve_sum(const double *x, size_t count, const attest_in_double *h)
{
    size_t first = count - count / 2;

    if (count == 1)
        return attest_in_double_convert(x[0], h);
    return attest_in_double_add(halve_sum(x, first, h), halve_sum(x + first, count - first, h),
                                h);
}

static double add_up(const double *x, size_t count, const simulation *s)
{
    double z = 0;

    if (s->arithmetic->pairwise)
        z = halve_sum(x, count, &s->sum);
    else
        for (size_t i = 0; i < count; i++)
            z = attest_in_double_add_wider(z, x[i], &s->sum);
    return s->arithmetic->accumulates ? attest_in_double_convert(z, &s->number) : z;
}

/* The keys that a row sees, and where they and their values stand. */
typedef struct view {
    size_t count, stride;
    const double *key, *value;
} view;

static void look(view *w, simulation *s, const attest_judge_row *row)
{
    const attest_judge_problem *x = s->question;

    w->count = 0;
    for (size_t j = row->first; j < row->last; j++)
        if (!row->bias || row->bias[j - row->first] > -(double)INFINITY)
            s->seen[w->count++] = j;
    w->stride = x->keys;
    w->key = s->key + row->first;
    w->value = s->value + row->first * x->value_dim;
    if (w->count == row->last - row->first)
        return;
    w->stride = w->count;
    for (size_t j = 0; j < w->count; j++) {
        for (size_t c = 0; c < x->dim; c++)
            s->gathered_key[c * w->count + j] = s->key[c * x->keys + s->seen[j]];
        memcpy(s->gathered_value + j * x->value_dim, s->value + s->seen[j] * x->value_dim,
               x->value_dim * sizeof *s->value);
    }
    w->key = s->gathered_key;
    w->value = s->gathered_value;
}

/* Scores of the keys in view, and behind them that of the sink. */
static void score(const view *w, simulation *s, const attest_judge_row *row, size_t i)
{
    const attest_judge_problem *x = s->question;
    const attest_in_double *h = &s->number;

    combine(s->score, w->key, w->count, x->dim, w->stride, s->query + i * x->dim, s);
    for (size_t j = 0; j < w->count; j++) {
        double t = s->scales ? attest_in_double_mul(s->score[j], s->scale, h) : s->score[j];

        if (x->capped)
            t = attest_in_double_mul(s->cap, get_tanh(attest_in_double_div(t, s->cap, h), h),
                                     h);
        if (row->bias)
            t = attest_in_double_add(
                t, attest_in_double_convert(row->bias[s->seen[j] - row->first], h), h);
        s->score[j] = t;
    }
    s->score[w->count] = s->sink;
}

static double find_maximum(const double *x, size_t count, double z)
{
    for (size_t j = 0; j < count; j++)
        if (isnan(x[j]) || x[j] > z)
            z = x[j];
    return z;
}

static void exponentiate(size_t begin, size_t end, double maximum, simulation *s)
{
    const attest_in_double *h = &s->number;

    for (size_t j = begin; j < end; j++) {
        double power = s->score[j];
        if (s->arithmetic->softmax != ATTEST_SIMULATED_NAIVE)
            power = attest_in_double_add(power, -maximum, h);
        s->weight[j] = attest_in_double_exp(power, h);
    }
}

/* mixed and *total over all scores at once; terms: the keys, and the sink where there is one.
 */
static double softmax(const view *w, size_t terms, simulation *s)
{
    size_t columns = s->question->value_dim;
    double maximum = s->score[0];

    exponentiate(0, terms, find_maximum(s->score, terms, maximum), s);
    combine(s->mixed, w->value, columns, w->count, columns, s->weight, s);
    return add_up(s->weight, terms, s);
}

/* The same in blocks of keys; the sink belongs to the last one. */
static double softmax_online(const view *w, size_t terms, simulation *s)
{
    const attest_in_double *h = &s->number;
    size_t columns = s->question->value_dim, block = s->arithmetic->block;
    double maximum = s->score[0], total = 0;

    for (size_t begin = 0; begin < w->count; begin += block) {
        bool first = begin == 0, last = w->count - begin <= block;
        size_t end = last ? w->count : begin + block, all = last ? terms : end;
        double before = maximum, factor;

        maximum = find_maximum(s->score + begin, all - begin, before);
        factor = attest_in_double_exp(attest_in_double_add(before, -maximum, h), h);
        exponentiate(begin, all, maximum, s);
        combine(first ? s->mixed : s->part, w->value + begin * columns, columns, end - begin,
                columns, s->weight + begin, s);
        if (first) {
            total = add_up(s->weight + begin, all - begin, s);
            continue;
        }
        total = attest_in_double_add(attest_in_double_mul(total, factor, h),
                                     add_up(s->weight + begin, all - begin, s), h);
        for (size_t c = 0; c < columns; c++)
            s->mixed[c] = attest_in_double_add(attest_in_double_mul(s->mixed[c], factor, h),
                                               s->part[c], h);
        for (size_t j = 0; j < begin; j++)
            s->weight[j] *= factor;
    }
    return total;
}

void attest_recorded_simulation_run(double *out, double *weight, simulation *s,
                                    attest_judge_head *head, size_t i)
{
    const attest_judge_problem *x = s->question;
    attest_judge_row row;
    size_t terms;
    double total;
    view w;

    attest_judge_head_get_row(&row, head, i);
    look(&w, s, &row);
    score(&w, s, &row, i);
    terms = w.count + head->sink;
    total = s->arithmetic->softmax == ATTEST_SIMULATED_ONLINE ? softmax_online(&w, terms, s)
                                                              : softmax(&w, terms, s);
    for (size_t c = 0; c < x->value_dim; c++)
        out[c] = attest_in_double_div(s->mixed[c], total, &s->number);
    memset(weight, 0, (x->keys + 1) * sizeof *weight);
    for (size_t j = 0; j < w.count; j++)
        weight[s->seen[j]] = s->weight[j] / total;
    if (head->sink)
        weight[x->keys] = s->weight[w.count] / total;
}
