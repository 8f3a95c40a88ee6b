/* lemma.c -- the head and the contexts to which Lemma F applies, and upper bounds of the norms
 * of their outputs in doubles (proofs-notes/first_difference.md). */
#include "recheck/lemma.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/term.h"
#include "number/scope.h"

/* Memory for init and its parts; remembers a failure. */
static void *lemma_alloc(attest_recheck_lemma *lemma, size_t count, size_t size)
{
    void *block = attest_memory_alloc(count, size);

    lemma->starved = lemma->starved || !block;
    return block;
}

/* ----- the head ----- */

/* m = v c^T where v is a row of the matrix: v and c, or false. */
static bool split(fmpq *c, fmpq *v, const attest_matrix *m)
{
    size_t pivot = SIZE_MAX;
    bool is = false;
    FMPQ(entry, product);

    for (size_t r = 0; r < m->rows && !is; r++)
        for (size_t k = 0; k < m->cols && !is; k++) {
            attest_matrix_get_entry(entry, m, r, k);
            is = !fmpq_is_zero(entry);
            pivot = k;
            for (size_t l = 0; is && l < m->cols; l++)
                attest_matrix_get_entry(v + l, m, r, l);
        }
    for (size_t r = 0; r < m->rows && is; r++) {
        attest_matrix_get_entry(entry, m, r, pivot);
        fmpq_div(c + r, entry, v + pivot);
        for (size_t k = 0; k < m->cols && is; k++) {
            attest_matrix_get_entry(entry, m, r, k);
            fmpq_mul(product, c + r, v + k);
            is = fmpq_equal(entry, product);
        }
    }
    return is;
}

/* *ratio with other = ratio v, or false. */
static bool is_parallel(fmpq_t ratio, const fmpq *v, const fmpq *other, size_t dim)
{
    bool is = true;
    FMPQ(product);

    fmpq_zero(ratio);
    for (size_t c = 0; c < dim; c++)
        if (!fmpq_is_zero(v + c)) {
            fmpq_div(ratio, other + c, v + c);
            break;
        }
    for (size_t c = 0; c < dim && is; c++) {
        fmpq_mul(product, ratio, v + c);
        is = fmpq_equal(product, other + c);
    }
    return is;
}

/* y += matrix x, or matrix^T x. */
static void apply(fmpq *y, const attest_matrix *m, const fmpq *x, bool transposed)
{
    FMPQ(entry);

    for (size_t r = 0; r < m->rows; r++)
        for (size_t c = 0; c < m->cols; c++) {
            attest_matrix_get_entry(entry, m, r, c);
            if (transposed)
                fmpq_addmul(y + c, entry, x + r);
            else
                fmpq_addmul(y + r, entry, x + c);
        }
}

/* Sets v, a, w; false if the head has another form, or adds nothing. */
static bool read_head(attest_recheck_lemma *lemma, const attest_head *head)
{
    slong dim = (slong)lemma->check->dim, width = (slong)head->wk.rows;
    bool is, zero = true;
    FMPQ(ratio);
    FMPQ_VEC(u, width);
    FMPQ_VEC(m, width);
    FMPQ_VEC(own, dim);

    is = split(u, lemma->v, &head->wk) && split(m, own, &head->wv) &&
         is_parallel(ratio, lemma->v, own, (size_t)dim);
    for (slong r = 0; r < width; r++)
        fmpq_mul(m + r, m + r, ratio);
    if (is) {
        apply(lemma->a, &head->wq, u, true);
        apply(lemma->w, &head->wo, m, false);
    }
    for (slong c = 0; c < dim; c++)
        zero = zero && fmpq_is_zero(lemma->w + c);
    return is && !zero;
}

/* ----- values ----- */

/* value[t] = direction . token t, over one denominator. False if memory is exhausted. */
static bool project(fmpz *value, fmpz_t denominator, const attest_recheck *check,
                    const fmpq *direction)
{
    const attest_tokens *tokens = &check->dataset->tokens;
    slong dim = (slong)check->dim, count = (slong)tokens->count;
    FMPZ_VEC(own, count);
    FMPZ(common);
    FMPZ_VEC(numerator, dim);
    FMPZ_VEC(x, dim);

    fmpz_one(common);
    for (slong c = 0; c < dim; c++)
        fmpz_lcm(common, common, fmpq_denref(direction + c));
    for (slong c = 0; c < dim; c++) {
        fmpz_divexact(numerator + c, common, fmpq_denref(direction + c));
        fmpz_mul(numerator + c, numerator + c, fmpq_numref(direction + c));
    }
    fmpz_one(denominator);
    for (slong t = 0; t < count; t++) {
        attest_tokens_get(x, own + t, tokens, (size_t)t);
        _fmpz_vec_dot(value + t, numerator, x, dim);
        if (!fmpz_divisible(denominator, own + t))
            fmpz_lcm(denominator, denominator, own + t);
    }
    for (slong t = 0; t < count; t++) {
        fmpz_divexact(own + t, denominator, own + t);
        fmpz_mul(value + t, value + t, own + t);
    }
    fmpz_mul(denominator, denominator, common);
    return true;
}

typedef struct ranked {
    const fmpz *value;
    uint32_t token;
} ranked;

static int by_value(const void *a, const void *b)
{
    return -fmpz_cmp(((const ranked *)a)->value, ((const ranked *)b)->value);
}

/* sorted = the tokens by descending value, gap = the least distance; false where two values are
 * equal, or there is only one. order has room for count. */
static bool sort_values(uint32_t *sorted, fmpz_t gap, const fmpz *value, size_t count,
                        ranked *order)
{
    bool distinct = count > 1;
    FMPZ(distance);

    for (size_t t = 0; t < count; t++)
        order[t] = (ranked){value + t, (uint32_t)t};
    if (distinct)
        qsort(order, count, sizeof *order, by_value);
    for (size_t i = 0; i < count && distinct; i++) {
        sorted[i] = order[i].token;
        if (i == 0)
            continue;
        fmpz_sub(distance, order[i - 1].value, order[i].value);
        distinct = !fmpz_is_zero(distance);
        if (i == 1 || fmpz_cmp(distance, gap) < 0)
            fmpz_set(gap, distance);
    }
    return distinct;
}

/* Returns whether g >= log(2 + sqrt 3): e^g >= 2 + sqrt 3, that is 1 - 4q + q^2 >= 0 where q >
 * 1. A rational g does not meet it with equality, so that balls decide; g > 2 needs none. */
static bool is_wide(const fmpq_t g)
{
    bool decided = fmpq_cmp_si(g, 2) >= 0 || fmpq_sgn(g) <= 0, wide = fmpq_cmp_si(g, 2) >= 0;
    ARB(q, x);

    for (long bits = 64; !decided && bits <= 1 << 20; bits *= 2) {
        arb_set_fmpq(q, g, bits);
        arb_exp(q, q, bits);
        arb_sub_ui(x, q, 4, bits);
        arb_mul(x, x, q, bits);
        arb_add_ui(x, x, 1, bits);
        decided = arb_is_positive(x) || arb_is_negative(x);
        wide = arb_is_positive(x);
    }
    return wide;
}

void attest_recheck_lemma_gap(fmpq_t gap, const attest_recheck_lemma *lemma, size_t token)
{
    FMPZ(numerator, denominator);

    fmpz_abs(numerator, lemma->slope + token);
    fmpz_mul(numerator, numerator, lemma->gap);
    fmpz_mul(denominator, lemma->slopes, lemma->values);
    fmpq_set_fmpz_frac(gap, numerator, denominator);
}

/* The token of the smallest |alpha|: it has the least gap of scores. */
static size_t flattest(const attest_recheck_lemma *lemma)
{
    size_t least = 0, count = lemma->check->dataset->tokens.count;

    for (size_t t = 1; t < count; t++)
        if (fmpz_cmpabs(lemma->slope + t, lemma->slope + least) < 0)
            least = t;
    return least;
}

/* An upper end of x as a double, and with log of its logarithm. */
static double above(const arb_t x)
{
    ARF(end);

    arb_get_ubound_arf(end, x, 53);
    return arf_get_d(end, ARF_RND_CEIL);
}

/* The bracket is least at t = g, where it is g (1 - 4q + q^2)/(1 - q^2), and that grows with g;
 * from t = 2g on it is more than 0.43 > 1/e. */
static double bracket_log(const fmpq_t g)
{
    double log;
    ARB(x, q, square);

    arb_set_fmpq(x, g, 128);
    arb_neg(q, x);
    arb_exp(q, q, 128);
    arb_mul(square, q, q, 128);
    arb_mul_2exp_si(q, q, 2);
    arb_sub(q, square, q, 128);
    arb_add_ui(q, q, 1, 128);
    arb_mul(x, x, q, 128);
    arb_sub_ui(square, square, 1, 128);
    arb_neg(square, square);
    arb_div(x, x, square, 128);
    arb_inv(x, x, 128);
    arb_log(x, x, 64); /* indeterminate where the bracket may be 0 */
    log = -above(x);
    return log < -1 ? log : log >= -1 ? -1 : -INFINITY;
}

static bool set_values(attest_recheck_lemma *lemma)
{
    size_t count = lemma->check->dataset->tokens.count;
    ranked *order ATTEST_FREED = lemma_alloc(lemma, count, sizeof *order);
    bool ok;
    FMPQ(gap, ratio);
    ARB(x);

    ok = order && project(lemma->value, lemma->values, lemma->check, lemma->v) &&
         sort_values(lemma->sorted, lemma->gap, lemma->value, count, order);
    if (ok && is_parallel(ratio, lemma->v, lemma->a, lemma->check->dim)) {
        _fmpz_vec_scalar_mul_fmpz(lemma->slope, lemma->value, (slong)count, fmpq_numref(ratio));
        fmpz_mul(lemma->slopes, lemma->values, fmpq_denref(ratio));
    } else if (ok) {
        ok = project(lemma->slope, lemma->slopes, lemma->check, lemma->a);
    }
    if (ok) {
        attest_recheck_lemma_gap(gap, lemma, flattest(lemma));
        ok = is_wide(gap); /* and no alpha is 0 */
        lemma->bracket_log = ok ? bracket_log(gap) : -INFINITY;
    }
    for (size_t t = 0; t < count && ok; t++) {
        lemma->rank[lemma->sorted[t]] = (uint32_t)t;
        arb_set_fmpz(x, lemma->slope + t);
        arb_abs(x, x);
        arb_div_fmpz(x, x, lemma->slopes, 64);
        lemma->slope_above[t] = above(x);
        arb_log(x, x, 64);
        lemma->slope_log[t] = above(x);
    }
    return ok;
}

static void set_norm(attest_recheck_lemma *lemma)
{
    FMPQ(square);
    ARB(log);

    for (size_t c = 0; c < lemma->check->dim; c++)
        fmpq_addmul(square, lemma->w + c, lemma->w + c);
    arb_set_fmpq(lemma->norm, square, 256);
    arb_sqrt(lemma->norm, lemma->norm, 256);
    arb_log(log, lemma->norm, 64);
    arb_neg(log, log);
    lemma->norm_log = -above(log);
}

/* Sets v, a, w and what follows from them; false if the hypotheses do not hold. */
static bool set_head(attest_recheck_lemma *lemma, const attest_head *head)
{
    bool ok = read_head(lemma, head) && set_values(lemma);

    if (ok)
        set_norm(lemma);
    return ok;
}

bool attest_recheck_lemma_tokens(arf_t bound, const attest_recheck_lemma *lemma)
{
    size_t dim = lemma->check->dim, count = lemma->check->dataset->tokens.count;
    uint32_t *sorted ATTEST_FREED = attest_memory_alloc(count, sizeof *sorted);
    ranked *order ATTEST_FREED = attest_memory_alloc(count, sizeof *order);
    bool allocated = sorted && order;
    FMPQ_VEC(p, (slong)dim);
    FMPZ_VEC(value, (slong)count);
    FMPQ(vw, ww, pp);
    FMPZ(denominator, gap);
    ARB(ratio, norm);

    arf_zero(bound);
    for (size_t c = 0; c < dim; c++) {
        fmpq_addmul(vw, lemma->v + c, lemma->w + c);
        fmpq_addmul(ww, lemma->w + c, lemma->w + c);
    }
    for (size_t c = 0; c < dim; c++) { /* p = (w.w) v - (v.w) w is orthogonal to w */
        fmpq_mul(p + c, ww, lemma->v + c);
        fmpq_submul(p + c, vw, lemma->w + c);
        fmpq_addmul(pp, p + c, p + c);
    }
    if (allocated && !fmpq_is_zero(pp) && project(value, denominator, lemma->check, p) &&
        sort_values(sorted, gap, value, count, order)) {
        arb_set_fmpz(ratio, gap);
        arb_div_fmpz(ratio, ratio, denominator, 256);
        arb_set_fmpq(norm, pp, 256);
        arb_sqrt(norm, norm, 256);
        arb_div(ratio, ratio, norm, 256);
        arb_get_lbound_arf(bound, ratio, 256);
    }
    return allocated;
}

/* If tokens and the terms added to them are below LARGE, the underflow in the square of a
 * norm is less than LOST^2. */
#define LARGE 0x1p100
#define LOST 0x1p-400
/* Slopes above it have a relative error of at most 2^-50. */
#define NORMAL 0x1p-1000

/* x 2^shift rounded to a double: within 2^-53 of its size or 2^-1074, or not finite. */
static double rounded(const fmpq_t x, slong shift)
{
    ARF(t);

    arf_set_fmpq(t, x, 53, ARF_RND_NEAR);
    arf_mul_2exp_si(t, t, shift);
    return arf_get_d(t, ARF_RND_NEAR);
}

/* Sets the numbers that bound norms. False if memory is exhausted. */
static bool set_norms(attest_recheck_lemma *lemma)
{
    const attest_tokens *tokens = &lemma->check->dataset->tokens;
    size_t dim = tokens->dim, count = tokens->count;
    double *w ATTEST_FREED = lemma_alloc(lemma, dim, sizeof *w);
    FMPQ(x);

    lemma->square = lemma_alloc(lemma, count, sizeof *lemma->square);
    lemma->dot = lemma_alloc(lemma, count, sizeof *lemma->dot);
    lemma->near = lemma_alloc(lemma, count, sizeof *lemma->near);
    if (!w || !lemma->square || !lemma->dot || !lemma->near)
        return false;
    lemma->shift = arf_abs_bound_lt_2exp_si(arb_midref(lemma->norm));
    for (size_t c = 0; c < dim; c++) {
        w[c] = rounded(lemma->w + c, -lemma->shift);
        lemma->norm_square += w[c] * w[c];
    }
    for (size_t t = 0; t < count; t++) {
        for (size_t c = 0; c < dim; c++) {
            double own;
            if (!tokens->real)
                attest_tokens_get_entry(x, tokens, t, c);
            own = tokens->real ? tokens->real[t * dim + c] : rounded(x, 0);
            lemma->square[t] += own * own;
            lemma->dot[t] += own * w[c];
        }
        fmpq_set_fmpz_frac(x, lemma->value + t, lemma->values);
        lemma->near[t] = rounded(x, lemma->shift);
    }
    return true;
}

double attest_recheck_lemma_norm(const attest_recheck_lemma *lemma, size_t position)
{
    bool causal = lemma->check->weights->mask == ATTEST_MASK_CAUSAL;
    size_t list = causal ? position : attest_recheck_sequence(lemma->check, position);
    uint32_t token = lemma->check->dataset->token[position];
    bool first = fmpz_sgn(lemma->slope + token) > 0; /* the largest value scores most */
    uint32_t top =
        lemma->sorted[lemma->key[first ? lemma->start[list] : lemma->start[list + 1] - 1]];
    double sign = fmpz_sgn(lemma->slope + token) > 0 ? -1 : 1, most = 0;
    /* nu <= log(2 + sqrt 3)/2 < 0.65848; what the upper bound of |alpha| exceeds it by is far
     * less than the rest. */
    double reach = 0.6585 / lemma->slope_above[token];
    double moved = scalbln(reach, lemma->shift), far = fabs(lemma->near[top]) + moved;
    double end[2] = {lemma->near[top], lemma->near[top] + sign * moved};
    /* |x|^2, 2 |x| |w| far and |w|^2 far^2, of which the second is at most the sum of the
     * others, are off by at most (d + 14) u, u = 2^-53, with what the root of their sum is. */
    double slack =
        ATTEST_TERM(lemma_norm_roundings, ((double)lemma->check->dim + 20) * 0x1p-52);

    if (!(far < LARGE && lemma->square[token] < LARGE * LARGE &&
          lemma->slope_above[token] > NORMAL && lemma->slope_above[token] < INFINITY))
        return INFINITY;
    for (int i = 0; i < 2; i++) /* a convex parabola is largest at an end */
        most = fmax(most, lemma->square[token] + 2 * end[i] * lemma->dot[token] +
                              end[i] * end[i] * lemma->norm_square);
    return sqrt(most + slack * (lemma->square[token] + far * far * lemma->norm_square)) +
           ATTEST_TERM(lemma_norm_lost, LOST);
}

/* The largest number of entries: under a mask they grow like n^2. */
enum { MOST_ENTRIES = 1 << 28 };

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return (x > y) - (x < y);
}

/* key = the ranks of the first seen tokens from start on, sorted; false if one occurs twice. */
static bool make_list(uint32_t *key, const attest_recheck_lemma *lemma, size_t start,
                      size_t seen)
{
    bool distinct = true;

    for (size_t k = 0; k < seen; k++)
        key[k] = lemma->rank[lemma->check->dataset->token[start + k]];
    qsort(key, seen, sizeof *key, by_number);
    for (size_t k = 1; k < seen; k++)
        distinct = distinct && key[k] != key[k - 1];
    return distinct;
}

/* Sets all contexts as lists of ranks. False if memory is exhausted, or a sequence has a token
 * twice. */
static bool make_lists(attest_recheck_lemma *lemma)
{
    const attest_dataset *dataset = lemma->check->dataset;
    bool causal = lemma->check->weights->mask == ATTEST_MASK_CAUSAL, ok;
    size_t entries = 0;

    lemma->lists = causal ? dataset->total : dataset->count;
    lemma->start = lemma_alloc(lemma, lemma->lists + 1, sizeof *lemma->start);
    if (!lemma->start)
        return false;
    for (size_t l = 0; l < lemma->lists; l++) {
        entries +=
            causal ? attest_recheck_seen(lemma->check, l) : attest_dataset_length(dataset, l);
        lemma->start[l + 1] = entries;
        if (entries > MOST_ENTRIES)
            return false;
    }
    lemma->key = lemma_alloc(lemma, entries, sizeof *lemma->key);
    ok = lemma->key != NULL;
    for (size_t l = 0; l < lemma->lists && ok; l++)
        ok = make_list(lemma->key + lemma->start[l], lemma,
                       dataset->start[causal ? attest_recheck_sequence(lemma->check, l) : l],
                       lemma->start[l + 1] - lemma->start[l]);
    return ok;
}

bool attest_recheck_lemma_init(attest_recheck_lemma *lemma, const attest_recheck *check)
{
    const attest_weights *weights = check->weights;
    size_t count = check->dataset->tokens.count;
    bool ok;

    memset(lemma, 0, sizeof *lemma);
    if (weights->activation != ATTEST_SOFTMAX || weights->heads != 1 ||
        !attest_weights_skip_is_plain(weights))
        return false;
    lemma->check = check;
    lemma->v = _fmpq_vec_init((slong)check->dim);
    lemma->a = _fmpq_vec_init((slong)check->dim);
    lemma->w = _fmpq_vec_init((slong)check->dim);
    lemma->value = _fmpz_vec_init((slong)count);
    lemma->slope = _fmpz_vec_init((slong)count);
    fmpz_init(lemma->values), fmpz_init(lemma->slopes), fmpz_init(lemma->gap);
    arb_init(lemma->norm);
    lemma->rank = lemma_alloc(lemma, count, sizeof *lemma->rank);
    lemma->sorted = lemma_alloc(lemma, count, sizeof *lemma->sorted);
    lemma->slope_above = lemma_alloc(lemma, count, sizeof *lemma->slope_above);
    lemma->slope_log = lemma_alloc(lemma, count, sizeof *lemma->slope_log);
    ok = lemma->rank && lemma->sorted && lemma->slope_above && lemma->slope_log &&
         set_head(lemma, &weights->head[0]) && make_lists(lemma) && set_norms(lemma);
    if (!ok)
        attest_recheck_lemma_clear(lemma);
    return ok;
}

void attest_recheck_lemma_clear(attest_recheck_lemma *lemma)
{
    slong dim = (slong)lemma->check->dim, count = (slong)lemma->check->dataset->tokens.count;

    _fmpq_vec_clear(lemma->v, dim), _fmpq_vec_clear(lemma->a, dim);
    _fmpq_vec_clear(lemma->w, dim);
    _fmpz_vec_clear(lemma->value, count), _fmpz_vec_clear(lemma->slope, count);
    fmpz_clear(lemma->values), fmpz_clear(lemma->slopes), fmpz_clear(lemma->gap);
    arb_clear(lemma->norm);
    free(lemma->rank), free(lemma->sorted), free(lemma->start), free(lemma->key);
    free(lemma->slope_above), free(lemma->slope_log);
    free(lemma->square), free(lemma->dot), free(lemma->near);
}

size_t attest_recheck_lemma_place(const attest_recheck_lemma *lemma, uint32_t token,
                                  uint32_t list)
{
    const attest_dataset *dataset = lemma->check->dataset;
    size_t position = list;

    if (lemma->check->weights->mask == ATTEST_MASK_CAUSAL)
        return position;
    position = dataset->start[list];
    while (dataset->token[position] != token)
        position++;
    return position;
}
