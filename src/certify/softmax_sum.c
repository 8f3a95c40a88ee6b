/* softmax_sum.c -- softmax outputs, and differences of them, as elements of a field; their
 * fractions reduced and over coprime denominators (proofs-notes/zero_test.md, "Reduced
 * fractions"). */
#include "certify/softmax_sum.h"

#include <stdlib.h>
#include <string.h>

#include <flint/fmpz_poly_q.h>

#include "base/memory.h"
#include "number/scope.h"

void attest_softmax_sum_init(attest_softmax_sum *sum, size_t dim)
{
    *sum = (attest_softmax_sum){.dim = dim};
    sum->constant = _fmpq_vec_init((slong)dim);
    fmpz_init_set_ui(sum->denominator, 1);
    fmpq_init(sum->unit);
}

static void group_clear(attest_softmax_group *group, size_t dim)
{
    _fmpz_vec_clear(group->exponent, (slong)group->terms);
    _fmpz_vec_clear(group->z, (slong)group->terms);
    _fmpq_vec_clear(group->n, (slong)(group->terms * dim));
}

void attest_softmax_sum_clear(attest_softmax_sum *sum)
{
    for (size_t g = 0; g < sum->groups; g++)
        group_clear(&sum->group[g], sum->dim);
    free(sum->group);
    _fmpq_vec_clear(sum->constant, (slong)sum->dim);
    fmpz_clear(sum->denominator);
    fmpq_clear(sum->unit);
}

/* y = m x, or m^T x when transposed. */
static void apply(fmpq *y, const attest_matrix *m, const fmpq *x, bool transposed)
{
    size_t rows = transposed ? m->cols : m->rows, cols = transposed ? m->rows : m->cols;
    FMPQ(entry);

    for (size_t r = 0; r < rows; r++) {
        fmpq_zero(y + r);
        for (size_t c = 0; c < cols; c++) {
            attest_matrix_get_entry(entry, m, transposed ? c : r, transposed ? r : c);
            fmpq_addmul(y + r, entry, x + c);
        }
    }
}

/* One key of one head, for making a group. */
typedef struct key {
    uint32_t token;
    fmpq score;
    ulong times;
    fmpq *value; /* dim */
} key;

static int by_token(const void *a, const void *b)
{
    uint32_t x = ((const key *)a)->token, y = ((const key *)b)->token;

    return (x > y) - (x < y);
}

static int by_score(const void *a, const void *b)
{
    return fmpq_cmp(&((const key *)a)->score, &((const key *)b)->score);
}

/* Sets the different visible tokens with their multiplicities; returns their number. */
static size_t collect_keys(key *keys, const attest_dataset *dataset,
                           const attest_context *context)
{
    size_t count = 0;

    for (size_t k = 0; k < context->seen; k++)
        keys[k] = (key){.token = attest_dataset_token(dataset, context->sequence, k)};
    qsort(keys, context->seen, sizeof *keys, by_token);
    for (size_t k = 0; k < context->seen; k++) {
        if (k == 0 || keys[k].token != keys[count - 1].token)
            keys[count++] = keys[k];
        keys[count - 1].times++;
    }
    return count;
}

/* Scores and values of all keys for one head and the query. */
static void fill_keys(key *keys, size_t count, const attest_head *head,
                      const attest_dataset *dataset, uint32_t query)
{
    slong dim = (slong)dataset->dim, width = (slong)head->wq.rows;
    FMPQ_VEC(inner, width);
    FMPQ_VEC(x, dim);
    FMPQ_VEC(probe, dim);

    attest_tokens_get_entries(x, &dataset->tokens, query);
    apply(inner, &head->wq, x, false);
    apply(probe, &head->wk, inner, true); /* the score of x_j is probe . x_j */
    for (size_t j = 0; j < count; j++) {
        attest_tokens_get_entries(x, &dataset->tokens, keys[j].token);
        fmpq_init(&keys[j].score);
        for (slong c = 0; c < dim; c++)
            fmpq_addmul(&keys[j].score, probe + c, x + c);
        keys[j].value = _fmpq_vec_init(dim);
        apply(inner, &head->wv, x, false);
        apply(keys[j].value, &head->wo, inner, false);
    }
}

/* Brings all exponents of the sum to a denominator that divisor divides. */
static void extend_denominator(attest_softmax_sum *sum, const fmpz_t divisor)
{
    FMPZ(larger, factor);

    if (fmpz_divisible(sum->denominator, divisor))
        return;
    fmpz_lcm(larger, sum->denominator, divisor);
    fmpz_divexact(factor, larger, sum->denominator);
    for (size_t g = 0; g < sum->groups; g++)
        _fmpz_vec_scalar_mul_fmpz(sum->group[g].exponent, sum->group[g].exponent,
                                  (slong)sum->group[g].terms, factor);
    fmpz_swap(sum->denominator, larger);
}

/* exponent = (score - least) D. */
static void set_exponent(fmpz_t exponent, const fmpq *score, const fmpq *least,
                         const fmpz_t denominator)
{
    FMPQ(difference);

    fmpq_sub(difference, score, least);
    fmpq_mul_fmpz(difference, difference, denominator);
    fmpz_swap(exponent, fmpq_numref(difference)); /* D makes it an integer */
}

/* Divides Z by the common factor of its coefficients, and N with it. */
static void make_primitive(attest_softmax_group *group, size_t dim)
{
    FMPZ(content);

    _fmpz_vec_content(content, group->z, (slong)group->terms);
    _fmpz_vec_scalar_divexact_fmpz(group->z, group->z, (slong)group->terms, content);
    for (size_t i = 0; i < group->terms * dim; i++)
        fmpq_div_fmpz(group->n + i, group->n + i, content);
}

/* The group of keys sorted by score: equal scores share a term. Factor e^{-least} cancels. */
static void make_group(attest_softmax_group *group, int sign, const key *keys, size_t count,
                       const attest_softmax_sum *sum)
{
    size_t dim = sum->dim, at = 0;
    FMPQ(share);

    group->terms = 1;
    for (size_t j = 1; j < count; j++)
        group->terms += !fmpq_equal(&keys[j].score, &keys[j - 1].score);
    group->exponent = _fmpz_vec_init((slong)group->terms);
    group->z = _fmpz_vec_init((slong)group->terms);
    group->n = _fmpq_vec_init((slong)(group->terms * dim));
    for (size_t j = 0; j < count; j++) {
        at += j > 0 && !fmpq_equal(&keys[j].score, &keys[j - 1].score);
        set_exponent(group->exponent + at, &keys[j].score, &keys[0].score, sum->denominator);
        fmpz_add_ui(group->z + at, group->z + at, keys[j].times);
        for (size_t c = 0; c < dim; c++) {
            fmpq_set_si(share, sign * (slong)keys[j].times, 1);
            fmpq_addmul(group->n + at * dim + c, share, keys[j].value + c);
        }
    }
    make_primitive(group, dim);
}

static attest_status add_head(attest_softmax_sum *sum, int sign, const attest_head *head,
                              const attest_dataset *dataset, key *keys, size_t count,
                              uint32_t query, attest_error *error)
{
    if (!attest_memory_grow(&sum->group, &sum->room, sum->groups + 1, sizeof *sum->group))
        return attest_memory_fail(error);
    fill_keys(keys, count, head, dataset, query);
    for (size_t j = 0; j < count; j++)
        extend_denominator(sum, fmpq_denref(&keys[j].score));
    qsort(keys, count, sizeof *keys, by_score);
    make_group(&sum->group[sum->groups++], sign, keys, count, sum);
    for (size_t j = 0; j < count; j++) {
        fmpq_clear(&keys[j].score);
        _fmpq_vec_clear(keys[j].value, (slong)sum->dim);
    }
    return ATTEST_OK;
}

attest_status attest_softmax_sum_add(attest_softmax_sum *sum, int sign,
                                     const attest_weights *weights,
                                     const attest_dataset *dataset,
                                     const attest_context *context, attest_error *error)
{
    key *keys ATTEST_FREED = attest_memory_alloc(context->seen, sizeof *keys);
    FMPQ(entry);

    if (!keys)
        return attest_memory_fail(error);
    for (size_t c = 0; c < sum->dim; c++) {
        size_t from = attest_weights_skip_entry(weights, c);
        if (from == SIZE_MAX)
            continue;
        attest_tokens_get_entry(entry, &dataset->tokens, context->query, from);
        if (sign > 0)
            fmpq_add(sum->constant + c, sum->constant + c, entry);
        else
            fmpq_sub(sum->constant + c, sum->constant + c, entry);
    }
    for (size_t h = 0; h < weights->heads; h++) {
        size_t count = collect_keys(keys, dataset, context);
        ATTEST_TRY(add_head(sum, sign, &weights->head[h], dataset, keys, count, context->query,
                            error));
    }
    return ATTEST_OK;
}

/* The next term from i on whose z is not 0. */
static size_t next_term(const attest_softmax_group *group, size_t i)
{
    while (i < group->terms && fmpz_is_zero(group->z + i))
        i++;
    return i;
}

static bool same_denominator(const attest_softmax_group *a, const attest_softmax_group *b)
{
    size_t i = next_term(a, 0), j = next_term(b, 0);

    while (i < a->terms && j < b->terms && fmpz_equal(a->exponent + i, b->exponent + j) &&
           fmpz_equal(a->z + i, b->z + j)) {
        i = next_term(a, i + 1);
        j = next_term(b, j + 1);
    }
    return i == a->terms && j == b->terms;
}

/* Appends term i of from to the terms of to. If the last exponent of to is the same, so is
 * z, and n is added. */
static void take_term(attest_softmax_group *to, attest_softmax_group *from, size_t i,
                      size_t dim)
{
    size_t at = to->terms;
    bool same = at > 0 && fmpz_equal(to->exponent + at - 1, from->exponent + i);

    if (same) {
        at--;
    } else {
        fmpz_swap(to->exponent + at, from->exponent + i);
        fmpz_swap(to->z + at, from->z + i);
        to->terms++;
    }
    for (size_t c = 0; c < dim; c++)
        fmpq_add(to->n + at * dim + c, to->n + at * dim + c, from->n + i * dim + c);
}

/* a = a + b, two groups with the same denominator; b is cleared. */
static void join_groups(attest_softmax_group *a, attest_softmax_group *b, size_t dim)
{
    size_t most = a->terms + b->terms, i = 0, j = 0;
    attest_softmax_group sum = {.terms = 0};

    sum.exponent = _fmpz_vec_init((slong)most);
    sum.z = _fmpz_vec_init((slong)most);
    sum.n = _fmpq_vec_init((slong)(most * dim));
    while (i < a->terms || j < b->terms) {
        if (j == b->terms || (i < a->terms && fmpz_cmp(a->exponent + i, b->exponent + j) <= 0))
            take_term(&sum, a, i++, dim);
        else
            take_term(&sum, b, j++, dim);
    }
    group_clear(a, dim);
    group_clear(b, dim);
    *a = sum; /* entries after its terms are zeros, which need no clear */
}

/* If every N_c is a multiple of Z, adds the fractions to the constant and returns true. */
static bool join_constant(attest_softmax_sum *sum, const attest_softmax_group *group)
{
    size_t dim = sum->dim;
    bool constant = true;
    FMPQ(ratio, product);

    for (size_t c = 0; c < dim && constant; c++) {
        fmpq_div_fmpz(ratio, group->n + c, group->z);
        for (size_t i = 1; i < group->terms && constant; i++) {
            fmpq_mul_fmpz(product, ratio, group->z + i);
            constant = fmpq_equal(product, group->n + i * dim + c);
        }
    }
    for (size_t c = 0; c < dim && constant; c++) {
        fmpq_div_fmpz(ratio, group->n + c, group->z);
        fmpq_add(sum->constant + c, sum->constant + c, ratio);
    }
    return constant;
}

/* Divides all exponents by their common divisor; sets unit, where y = e^unit. */
static void divide_exponents(attest_softmax_sum *sum)
{
    FMPZ(divisor, content);

    for (size_t g = 0; g < sum->groups; g++) {
        _fmpz_vec_content(content, sum->group[g].exponent, (slong)sum->group[g].terms);
        fmpz_gcd(divisor, divisor, content);
    }
    for (size_t g = 0; g < sum->groups && !fmpz_is_zero(divisor); g++)
        _fmpz_vec_scalar_divexact_fmpz(sum->group[g].exponent, sum->group[g].exponent,
                                       (slong)sum->group[g].terms, divisor);
    if (fmpz_is_zero(divisor))
        fmpz_one(divisor);
    fmpq_set_fmpz_frac(sum->unit, divisor, sum->denominator);
}

/* Joins groups with one denominator and drops those that vanish. */
static void join_all(attest_softmax_sum *sum)
{
    size_t kept = 0;

    for (size_t g = 0; g < sum->groups; g++) {
        size_t like = 0;
        while (like < kept && !same_denominator(&sum->group[like], &sum->group[g]))
            like++;
        if (like == kept)
            sum->group[kept++] = sum->group[g];
        else
            join_groups(&sum->group[like], &sum->group[g], sum->dim);
    }
    sum->groups = kept;
    kept = 0;
    for (size_t g = 0; g < sum->groups; g++) {
        if (join_constant(sum, &sum->group[g]))
            group_clear(&sum->group[g], sum->dim);
        else
            sum->group[kept++] = sum->group[g];
    }
    sum->groups = kept;
}

void attest_softmax_sum_finish(attest_softmax_sum *sum)
{
    join_all(sum);
    divide_exponents(sum);
}

static void get_stride(fmpz_t stride, const attest_softmax_group *group)
{
    _fmpz_vec_content(stride, group->exponent, (slong)group->terms);
    if (fmpz_is_zero(stride))
        fmpz_one(stride);
}

static bool entry_is_zero(const attest_softmax_group *group, size_t dim, size_t c)
{
    for (size_t i = 0; i < group->terms; i++)
        if (!fmpq_is_zero(group->n + i * dim + c))
            return false;
    return true;
}

/* f = entry c of the group, reduced. False when its degree is too large. */
static bool set_fraction(fmpz_poly_q_t f, const attest_softmax_group *group, size_t dim,
                         size_t c, const fmpz_t stride)
{
    FMPZ(degree, clear, value);

    fmpz_poly_q_zero(f);
    if (entry_is_zero(group, dim, c))
        return true;
    fmpz_fdiv_q(degree, group->exponent + group->terms - 1, stride);
    if (fmpz_cmp_ui(degree, ATTEST_SOFTMAX_DEGREE) > 0)
        return false;
    fmpz_one(clear);
    for (size_t i = 0; i < group->terms; i++)
        fmpz_lcm(clear, clear, fmpq_denref(group->n + i * dim + c));
    fmpz_poly_zero(fmpz_poly_q_denref(f));
    for (size_t i = 0; i < group->terms; i++) {
        const fmpq *n = group->n + i * dim + c;

        fmpz_divexact(degree, group->exponent + i, stride);
        fmpz_mul(value, clear, group->z + i);
        fmpz_poly_set_coeff_fmpz(fmpz_poly_q_denref(f), fmpz_get_si(degree), value);
        fmpz_divexact(value, clear, fmpq_denref(n));
        fmpz_mul(value, value, fmpq_numref(n));
        fmpz_poly_set_coeff_fmpz(fmpz_poly_q_numref(f), fmpz_get_si(degree), value);
    }
    fmpz_poly_q_canonicalise(f);
    return true;
}

/* group = the fraction as entry c, all others 0. */
static void group_set(attest_softmax_group *group, const fmpz_poly_q_t f, size_t dim, size_t c,
                      const fmpz_t stride)
{
    const fmpz_poly_struct *above = fmpz_poly_q_numref(f), *below = fmpz_poly_q_denref(f);
    slong length = FLINT_MAX(fmpz_poly_length(below), fmpz_poly_length(above));
    FMPZ(content, n, z);

    fmpz_poly_content(content, below);
    group->terms = 0;
    group->exponent = _fmpz_vec_init(length);
    group->z = _fmpz_vec_init(length);
    group->n = _fmpq_vec_init(length * (slong)dim);
    for (slong i = 0; i < length; i++) {
        fmpz_poly_get_coeff_fmpz(z, below, i);
        fmpz_poly_get_coeff_fmpz(n, above, i);
        if (fmpz_is_zero(z) && fmpz_is_zero(n))
            continue;
        fmpz_mul_si(group->exponent + group->terms, stride, i);
        fmpz_divexact(group->z + group->terms, z, content);
        fmpq_set_fmpz_frac(group->n + group->terms++ * dim + c, n, content);
    }
}

/* If the fraction of entry c of group g can be reduced, moves it to a new group and sets
 * *moved. */
static attest_status split_entry(bool *moved, attest_softmax_sum *sum, size_t g, size_t c,
                                 attest_error *error)
{
    attest_softmax_group *group;
    fmpz_poly_q_t f;
    FMPZ(stride, degree);

    if (!attest_memory_grow(&sum->group, &sum->room, sum->groups + 1, sizeof *sum->group))
        return attest_memory_fail(error);
    group = &sum->group[g];
    *moved = false;
    if (entry_is_zero(group, sum->dim, c))
        return ATTEST_OK;
    fmpz_poly_q_init(f);
    get_stride(stride, group);
    for (size_t i = 0; i < group->terms; i++)
        if (!fmpz_is_zero(group->z + i))
            fmpz_divexact(degree, group->exponent + i, stride);
    *moved = set_fraction(f, group, sum->dim, c, stride) &&
             fmpz_cmp_si(degree, fmpz_poly_degree(fmpz_poly_q_denref(f))) > 0;
    if (*moved) {
        group_set(&sum->group[sum->groups++], f, sum->dim, c, stride);
        for (size_t i = 0; i < group->terms; i++)
            fmpq_zero(group->n + i * sum->dim + c);
    }
    fmpz_poly_q_clear(f);
    return ATTEST_OK;
}

attest_status attest_softmax_sum_reduce(attest_softmax_sum *sum, attest_error *error)
{
    bool changed = true, moved = false;

    while (changed) { /* each pass lowers the sum of the degrees */
        size_t groups = sum->groups;
        changed = false;
        for (size_t g = 0; g < groups; g++)
            for (size_t c = 0; c < sum->dim; c++) {
                ATTEST_TRY(split_entry(&moved, sum, g, c, error));
                changed = changed || moved;
            }
        join_all(sum);
    }
    return ATTEST_OK;
}

/* Adds fractions whose denominators share a factor until all are coprime; each sum replaces
 * one fraction, and 0 the others. False if a degree is too large. */
static bool make_coprime(fmpz_poly_q_t *f, size_t count)
{
    fmpz_poly_t common;
    bool fits = true;

    fmpz_poly_init(common);
    for (size_t i = 0; i < count; i++)
        for (size_t j = i + 1; j < count && fits; j++) {
            slong a = fmpz_poly_degree(fmpz_poly_q_denref(f[i]));
            slong b = fmpz_poly_degree(fmpz_poly_q_denref(f[j]));
            fmpz_poly_gcd(common, fmpz_poly_q_denref(f[i]), fmpz_poly_q_denref(f[j]));
            if (fmpz_poly_degree(common) == 0)
                continue;
            fits = a + b - fmpz_poly_degree(common) <= ATTEST_SOFTMAX_DEGREE;
            if (fits) {
                fmpz_poly_q_add(f[i], f[i], f[j]);
                fmpz_poly_q_zero(f[j]);
                j = i; /* the denominator has changed: compare with all others again */
            }
        }
    fmpz_poly_clear(common);
    return fits;
}

/* Returns 1 if entry c is 0, 0 if it is not, -1 if degrees are too large. Reduced fractions
 * over coprime denominators add up to a constant only if each is one: a root of one
 * denominator is a pole of that fraction and of no other. */
static int entry_vanishes(const attest_softmax_sum *sum, size_t c, const fmpz_t stride,
                          fmpz_poly_q_t *f)
{
    bool fits = true, constant = true;
    FMPQ(total, part);

    fmpq_set(total, sum->constant + c);
    for (size_t g = 0; g < sum->groups; g++)
        fits = fits && set_fraction(f[g], &sum->group[g], sum->dim, c, stride);
    fits = fits && make_coprime(f, sum->groups);
    for (size_t g = 0; g < sum->groups && fits; g++) {
        const fmpz_poly_struct *above = fmpz_poly_q_numref(f[g]);

        constant = constant && fmpz_poly_degree(above) <= 0 &&
                   fmpz_poly_degree(fmpz_poly_q_denref(f[g])) == 0;
        fmpz_poly_get_coeff_fmpz(fmpq_numref(part), above, 0);
        fmpz_poly_get_coeff_fmpz(fmpq_denref(part), fmpz_poly_q_denref(f[g]), 0);
        if (constant)
            fmpq_add(total, total, part);
    }
    return fits ? constant && fmpq_is_zero(total) : -1;
}

int attest_softmax_sum_vanishes(const attest_softmax_sum *sum)
{
    fmpz_poly_q_t *f ATTEST_FREED = attest_memory_alloc(sum->groups, sizeof *f);
    int vanishes = f ? 1 : -1; /* -1: no memory, or the degree is too large */
    FMPZ(stride, content);

    for (size_t g = 0; g < sum->groups && f; g++) {
        fmpz_poly_q_init(f[g]);
        get_stride(content, &sum->group[g]);
        fmpz_gcd(stride, stride, content);
    }
    if (fmpz_is_zero(stride))
        fmpz_one(stride);
    for (size_t c = 0; c < sum->dim && vanishes == 1; c++)
        vanishes = entry_vanishes(sum, c, stride, f);
    for (size_t g = 0; g < sum->groups && f; g++)
        fmpz_poly_q_clear(f[g]);
    return vanishes;
}
