/* The terms of the filter's bounds (proofs-notes/filter.md), each with an instance that needs
 * it. The steps of (10) are called one by one: their statements hold for any error of what they
 * start from, so that one term at a time is made large. */
#include <stdlib.h>
#include <string.h>

#include "certify/filter_difference.c"
#include "tests/bounds/exact.h"
#include "tests/bounds/filter_rows.h"
#include "tests/bounds/table.h"

#define LITTLE 0x1p-30 /* an error that is large compared with u */
#define BIT 0x1p-10

/* Just below the square root of u: 1 + LOST * LOST is rounded to 1. */
#define LOST (0x1.6a09e667f3bccp-27 * (1 - BIT))

/* A layer in doubles (0), and the exact one that they approximate (1): W_Q, W_K, W_V size x
 * dim, W_O dim x size of each head. */
typedef struct layer_case {
    size_t dim, size, heads, length;
    bool skip, softmax;
    double weights, tokens; /* relative errors */
    double *token[2], *weight[2];
    size_t winner; /* hardmax: the token that wins */
} layer_case;

static void layer_init(layer_case *t, size_t dim, size_t size, size_t heads, size_t length)
{
    *t = (layer_case){.dim = dim, .size = size, .heads = heads, .length = length};
    for (int i = 0; i < 2; i++) {
        t->token[i] = calloc(length * dim, sizeof(double));
        t->weight[i] = calloc(4 * heads * size * dim, sizeof(double));
        if (!t->token[i] || !t->weight[i])
            abort();
    }
}

/* Entry e of matrix m (Q, K, V, O) of head h, with a relative error of the exact one. */
static void set_weight(layer_case *t, size_t h, size_t m, size_t e, double x, double error)
{
    size_t at = (4 * h + m) * t->size * t->dim + e;

    t->weight[0][at] = x;
    t->weight[1][at] = x * (1 + error);
}

static void set_token(layer_case *t, size_t e, double x, double error)
{
    t->token[0][e] = x;
    t->token[1][e] = x * (1 + error);
}

/* y += W x, of doubles and balls. */
static void apply_exact(arb_ptr y, const double *w, arb_srcptr x, size_t rows, size_t cols)
{
    arb_t entry;

    arb_init(entry);
    for (size_t r = 0; r < rows; r++)
        for (size_t c = 0; c < cols; c++) {
            arb_set_d(entry, w[r * cols + c]);
            arb_addmul(y + r, entry, x + c, EXACT_BITS);
        }
    arb_clear(entry);
}

/* out += the softmax average of head h for the first token; for hardmax, the winner's value. */
static void add_head_exact(arb_ptr out, const layer_case *t, size_t h)
{
    const double *w = t->weight[1] + 4 * h * t->size * t->dim;
    slong size = (slong)t->size, dim = (slong)t->dim;
    size_t each = t->size * t->dim;
    arb_ptr x = _arb_vec_init(dim), q = _arb_vec_init(size), k = _arb_vec_init(size),
            v = _arb_vec_init(size), sum = _arb_vec_init(size);
    arb_t total, score;

    arb_init(total), arb_init(score);
    for (size_t j = 0; j < t->length; j++) {
        for (slong c = 0; c < dim; c++)
            arb_set_d(x + c, t->token[1][j * t->dim + (size_t)c]);
        _arb_vec_zero(k, size), _arb_vec_zero(v, size);
        if (j == 0)
            apply_exact(q, w, x, t->size, t->dim);
        if (!t->softmax && j != t->winner)
            continue;
        apply_exact(k, w + each, x, t->size, t->dim);
        apply_exact(v, w + 2 * each, x, t->size, t->dim);
        arb_dot(score, NULL, 0, q, 1, k, 1, size, EXACT_BITS);
        arb_exp(score, score, EXACT_BITS);
        arb_add(total, total, score, EXACT_BITS);
        _arb_vec_scalar_addmul(sum, v, size, score, EXACT_BITS);
    }
    _arb_vec_scalar_div(sum, sum, size, total, EXACT_BITS);
    apply_exact(out, w + 3 * each, sum, t->dim, t->size);
    arb_clear(total), arb_clear(score);
    _arb_vec_clear(x, dim), _arb_vec_clear(q, size), _arb_vec_clear(k, size);
    _arb_vec_clear(v, size), _arb_vec_clear(sum, size);
}

/* The error of the first output over its radius; clears the case. */
static double layer_ratio(layer_case *t)
{
    attest_double_head *head = calloc(t->heads, sizeof *head);
    double *centre = calloc(t->length * t->dim, sizeof *centre), radius[2], ratio;
    arb_ptr exact = _arb_vec_init((slong)t->dim);
    attest_double_layer layer = {.activation = t->softmax ? ATTEST_SOFTMAX : ATTEST_HARDMAX,
                                 .skip = t->skip,
                                 .dim = t->dim,
                                 .heads = t->heads,
                                 .head = head,
                                 .error = t->weights};
    attest_double_task task = {.layer = &layer,
                               .token = t->token[0],
                               .error = t->tokens,
                               .centre = centre,
                               .radius = radius};
    attest_double_scratch scratch = {0};

    if (!head || !centre)
        abort();
    for (size_t c = 0; t->skip && c < t->dim; c++)
        arb_set_d(exact + c, t->token[1][c]);
    for (size_t h = 0; h < t->heads; h++) {
        size_t each = t->size * t->dim;
        const double *w = t->weight[0] + 4 * h * each;
        attest_double_layer_set_matrix(&head[h].q, w, t->size, t->dim);
        attest_double_layer_set_matrix(&head[h].k, w + each, t->size, t->dim);
        attest_double_layer_set_matrix(&head[h].v, w + 2 * each, t->size, t->dim);
        attest_double_layer_set_matrix(&head[h].o, w + 3 * each, t->dim, t->size);
        add_head_exact(exact, t, h);
    }
    if (attest_double_layer_attend(&task, 1, t->length, &scratch, NULL) != ATTEST_OK)
        abort();
    ratio = exact_ratio(centre, exact, t->dim, radius[0]);
    attest_double_layer_clear_scratch(&scratch);
    _arb_vec_clear(exact, (slong)t->dim);
    for (int i = 0; i < 2; i++)
        free(t->token[i]), free(t->weight[i]);
    free(head), free(centre);
    return ratio;
}

/* 1 + 999 LOST^2, of which all additions but the first are lost. */
static double layer_long_row(void)
{
    layer_case t;

    layer_init(&t, 1000, 1, 1, 1);
    for (size_t c = 0; c < 1000; c++) {
        set_token(&t, c, c ? LOST : 1, 0);
        set_weight(&t, 0, 2, c, c ? LOST : 1, 0);
    }
    set_weight(&t, 0, 3, 0, 1, 0);
    return layer_ratio(&t);
}

/* W_V and W_O are off. */
static double layer_weights(void)
{
    layer_case t;

    layer_init(&t, 1, 1, 1, 1);
    t.weights = LITTLE;
    set_token(&t, 0, 1, 0);
    set_weight(&t, 0, 2, 0, 1, LITTLE);
    set_weight(&t, 0, 3, 0, 1, LITTLE);
    return layer_ratio(&t);
}

static double layer_tokens(void)
{
    layer_case t;

    layer_init(&t, 1, 1, 1, 1);
    t.tokens = LITTLE;
    set_token(&t, 0, 1, LITTLE);
    set_weight(&t, 0, 2, 0, 1, 0);
    set_weight(&t, 0, 3, 0, 1, 0);
    return layer_ratio(&t);
}

/* Tokens 1 and -1, q = (1, -1), k = +-256 (1, 1): scores are 0, and the exact ones differ
 * from 0 by 2 LITTLE |q| |k|, in opposite directions. */
static double layer_scores(void)
{
    layer_case t;

    layer_init(&t, 1, 2, 1, 2);
    t.softmax = true;
    t.weights = LITTLE;
    for (size_t r = 0; r < 2; r++) {
        double sign = r ? -1 : 1;
        set_token(&t, r, sign, 0);
        set_weight(&t, 0, 0, r, sign, sign * LITTLE);
        set_weight(&t, 0, 1, r, 256, sign * LITTLE);
    }
    set_weight(&t, 0, 2, 0, 1, 0);
    set_weight(&t, 0, 3, 0, 1, 0);
    return layer_ratio(&t);
}

/* 1000 outputs of heads are added, all lost but the first, or the token. */
static double sum_of_heads(bool skip)
{
    layer_case t;

    layer_init(&t, 1, 1, 1000, 1);
    t.skip = skip;
    set_token(&t, 0, 1, 0);
    for (size_t h = 0; h < t.heads; h++) {
        set_weight(&t, h, 2, 0, h || skip ? LOST : 1, 0);
        set_weight(&t, h, 3, 0, h || skip ? LOST : 1, 0);
    }
    return layer_ratio(&t);
}

static double layer_heads(void)
{
    return sum_of_heads(false);
}

static double layer_skip_heads(void)
{
    return sum_of_heads(true);
}

static double layer_skip_tokens(void)
{
    layer_case t;

    layer_init(&t, 1, 1, 1, 1);
    t.skip = true;
    t.tokens = LITTLE;
    set_token(&t, 0, 1, LITTLE);
    return layer_ratio(&t);
}

/* 1.25 * 2^-1074. */
static double layer_underflow(void)
{
    layer_case t;

    layer_init(&t, 1, 1, 1, 1);
    set_token(&t, 0, 0x1p-292, 0);
    set_weight(&t, 0, 2, 0, 0x1p-292, 0);
    set_weight(&t, 0, 3, 0, 1.25 * 0x1p-490, 0);
    return layer_ratio(&t);
}

/* A token below the least double, times 2^500. */
static double layer_norm_least(void)
{
    layer_case t;

    layer_init(&t, 1, 1, 1, 1);
    t.tokens = ATTEST_DOUBLE_ROUNDED;
    t.token[1][0] = 0x1p-1074; /* 2^-1075, with the exact weight */
    set_weight(&t, 0, 2, 0, 0x1p500, -0.5);
    set_weight(&t, 0, 3, 0, 1, 0);
    return layer_ratio(&t);
}

/* A norm of 2^18 numbers, of which all but one are lost. */
static double layer_norm_sums(void)
{
    enum { COUNT = 1 << 18 };
    double *x = calloc(COUNT, sizeof *x), bound, ratio;
    arb_t exact, square;

    if (!x)
        abort();
    for (size_t c = 0; c < COUNT; c++)
        x[c] = c < 2 ? 1 : LOST;
    bound = attest_double_layer_bound_norm(x, COUNT);
    arb_init(exact), arb_init(square);
    arb_set_d(square, LOST);
    arb_sqr(square, square, EXACT_BITS);
    arb_mul_ui(exact, square, COUNT - 2, EXACT_BITS);
    arb_add_ui(exact, exact, 2, EXACT_BITS);
    arb_sqrt(exact, exact, EXACT_BITS);
    ratio = exact_ratio(&(double){sqrt(2)}, exact, 1, bound - sqrt(2));
    arb_clear(exact), arb_clear(square);
    free(x);
    return ratio;
}

/* Keys of 1000 entries, of the tokens (1, 0) and (1, 1/16): products with the query are gained
 * for the first, except for its last ten, which are 0, and lost for the second. The first has
 * the larger computed score, by nearly 2 sigma, and the smaller exact one. Values are 0 and
 * 1/16.
 */
static double hardmax_winner(void)
{
    const double gained = 0x1.6a09e667f3bccp-27 * (1 + 3 * BIT), apart = 2 * 989.0;
    layer_case t;
    double ratio;

    layer_init(&t, 2, 1000, 1, 2);
    set_token(&t, 0, 1, 0);
    set_token(&t, 2, 1, 0);
    set_token(&t, 3, 0x1p-4, 0);
    for (size_t r = 0; r < 1000; r++) {
        double first = r == 0 ? 1 : r < 990 ? gained : 0;
        set_weight(&t, 0, 0, 2 * r, r ? LOST : 1, 0);
        set_weight(&t, 0, 1, 2 * r, first, 0);
        set_weight(&t, 0, 1, 2 * r + 1, ((r ? LOST : 1) - first) * 16, 0);
    }
    set_weight(&t, 0, 2, 1, 1, 0);
    set_weight(&t, 0, 3, 0, 1, 0);
    t.winner = 1;
    ratio = layer_ratio(&t);
    return ratio > 0 ? INFINITY : apart / (2 * (1002 + 2 * 4)); /* an infinite radius: 0 */
}

/* One side of (10): count tokens of size 1, with computed scores and values, and exact ones. */
typedef struct side_case {
    attest_filter_context context;
    side of;
    double score_error, value_error[MOST_TOKENS]; /* exact - computed, of all; by token */
} side_case;

static void side_init(side_case *t, size_t count, double score, double value)
{
    memset(t, 0, sizeof *t);
    t->context.length = count;
    t->of.context = &t->context;
    for (size_t j = 0; j < count; j++) {
        t->of.only[j] = true;
        t->of.score[j] = j ? score : 0;
        t->of.value[j][0] = value;
    }
}

/* weight = e^(exact score - from) of token j. */
static void exact_weight(arb_t weight, const side_case *t, size_t j, double from)
{
    arb_t shift;

    arb_init(shift);
    arb_set_d(weight, t->of.score[j]);
    arb_set_d(shift, t->score_error * (j % 2 ? -1 : 1));
    arb_add(weight, weight, shift, EXACT_BITS);
    arb_set_d(shift, from);
    arb_sub(weight, weight, shift, EXACT_BITS);
    arb_exp(weight, weight, EXACT_BITS);
    arb_clear(shift);
}

/* sum += the sum of weights times (value - o), or 1. */
static void exact_sum(arb_t sum, const side_case *t, double from, const double *o)
{
    arb_t weight, value, part;

    arb_init(weight), arb_init(value), arb_init(part);
    for (size_t j = 0; j < t->context.length; j++) {
        exact_weight(weight, t, j, from);
        arb_set_d(value, o ? t->of.value[j][0] : 1);
        arb_set_d(part, o ? t->value_error[j] : 0);
        arb_add(value, value, part, EXACT_BITS);
        arb_set_d(part, o ? *o : 0);
        arb_sub(value, value, part, EXACT_BITS);
        arb_addmul(sum, weight, value, EXACT_BITS);
    }
    arb_clear(weight), arb_clear(value), arb_clear(part);
}

static double average_ratio(const side_case *t, double v, double tau, double p)
{
    double o, ratio, zero = 0;
    arb_t exact, sum;

    arb_init(exact), arb_init(sum);
    average(&o, &t->of, 1);
    exact_sum(exact, t, t->of.most, &zero);
    exact_sum(sum, t, t->of.most, NULL);
    arb_div(exact, exact, sum, EXACT_BITS);
    ratio = exact_ratio(&o, exact, 1, average_error(v, tau, (double)t->context.length, p));
    arb_clear(exact), arb_clear(sum);
    return ratio;
}

static double average_weights(void)
{
    side_case t;

    side_init(&t, 2, 0, 1);
    t.of.value[1][0] = -1;
    t.score_error = LITTLE;
    return average_ratio(&t, 1, weight_error(LITTLE), 0);
}

/* Values near 1/2, weights near u: the products are rounded up where they are added, and the
 * weights are lost. */
static double average_sums(void)
{
    side_case t;

    side_init(&t, MOST_TOKENS, log(U * (1 - BIT)), 0.5 * (1 + 4 * BIT));
    t.of.value[0][0] = 0.5;
    return average_ratio(&t, 0.5 * (1 + 4 * BIT), weight_error(0), 0);
}

static double average_values(void)
{
    side_case t;

    side_init(&t, 1, 0, 1);
    t.value_error[0] = LITTLE;
    return average_ratio(&t, 1, weight_error(0), LITTLE);
}

/* Computed terms of both sides, in their order, against exact ones; o is computed, exact_o is
 * not. */
static double terms_ratio(const side_case *a, const side_case *b, double o, double exact_o,
                          double v, double tau, double p, double rho)
{
    double sum = 0, count = 0, w, ratio;
    arb_t exact;

    arb_init(exact);
    w = add_terms(&sum, &count, &a->of, &o, 1, 1, 0);
    w += add_terms(&sum, &count, &b->of, &o, 1, 1, 0);
    exact_sum(exact, a, 0, &exact_o);
    exact_sum(exact, b, 0, &exact_o);
    ratio = exact_ratio(&sum, exact, 1, w * terms_error(v, tau, count, p, rho));
    arb_clear(exact);
    return ratio;
}

static double one_term_ratio(double score, double value, double average)
{
    side_case a, b;

    side_init(&a, 1, 0, 1);
    side_init(&b, 0, 0, 0);
    a.score_error = score;
    a.value_error[0] = value;
    return terms_ratio(&a, &b, -1, -1 + average, 1, weight_error(score), value, average);
}

static double terms_weights(void)
{
    return one_term_ratio(LITTLE, 0, 0);
}

static double terms_values(void)
{
    return one_term_ratio(0, LITTLE, 0);
}

static double terms_average(void)
{
    return one_term_ratio(0, 0, LITTLE);
}

/* 128 terms, all but the first near u. */
static double terms_sums(void)
{
    side_case a, b;

    side_init(&a, MOST_TOKENS, log(U * (1 - BIT)), 0.5);
    side_init(&b, MOST_TOKENS, a.of.score[1], 0.5);
    b.of.score[0] = a.of.score[1];
    return terms_ratio(&a, &b, -0.5, -0.5, 0.5, weight_error(0), 0, 0);
}

/* 1 over the sum of the weights; |f| <= 2 v w with v = 1/2, w = 1. */
static double quotient_ratio(const side_case *t, double tau)
{
    double weight[MOST_TOKENS], z = get_weights(weight, &t->of, t->of.most), got = 1 / z, ratio;
    arb_t exact;

    arb_init(exact);
    exact_sum(exact, t, t->of.most, NULL);
    arb_inv(exact, exact, EXACT_BITS);
    ratio =
        exact_ratio(&got, exact, 1, quotient_error(0.5, tau, (double)t->context.length) / z);
    arb_clear(exact);
    return ratio;
}

static double quotient_weights(void)
{
    side_case t;

    side_init(&t, 1, 0, 0);
    t.score_error = LITTLE;
    return quotient_ratio(&t, weight_error(LITTLE));
}

static double quotient_sums(void)
{
    side_case t;

    side_init(&t, MOST_TOKENS, log(U * (1 - BIT)), 0);
    return quotient_ratio(&t, weight_error(0));
}

/* The sum of |computed - exact| over weights, over that of the weights. */
static double weights_ratio(const side_case *a, const side_case *b, double from, double tau)
{
    double weight[MOST_TOKENS], zero = 0, ratio;
    arb_t exact, one, off, total;

    arb_init(exact), arb_init(one), arb_init(off), arb_init(total);
    for (int s = 0; s < 2; s++) {
        const side_case *t = s ? b : a;
        get_weights(weight, &t->of, from);
        for (size_t j = 0; j < t->context.length; j++) {
            exact_weight(exact, t, j, from);
            arb_add(total, total, exact, EXACT_BITS);
            arb_set_d(one, weight[j]);
            arb_sub(one, one, exact, EXACT_BITS);
            arb_abs(one, one);
            arb_add(off, off, one, EXACT_BITS);
        }
    }
    arb_div(off, off, total, EXACT_BITS);
    ratio = exact_ratio(&zero, off, 1, tau);
    arb_clear(exact), arb_clear(one), arb_clear(off), arb_clear(total);
    return ratio;
}

static double weight_scores(void)
{
    side_case a, b;

    side_init(&a, 1, 0, 0);
    side_init(&b, 0, 0, 0);
    a.score_error = LITTLE;
    return weights_ratio(&a, &b, 0, weight_error(LITTLE));
}

/* 127 tokens are 4 + 2^-51 below the first, which is rounded to 4. */
static double weight_roundings(void)
{
    side_case a, b;

    side_init(&a, MOST_TOKENS, -4, 0);
    side_init(&b, MOST_TOKENS, -4, 0);
    a.of.score[0] = 0x1p-51;
    b.of.score[0] = -4;
    return weights_ratio(&a, &b, 0x1p-51, weight_error(0));
}

/* A score of rows (1, LOST, ...), long in the tokens' or in the heads' dimension. */
static double score_ratio(size_t dim, size_t size)
{
    double w[MOST_SIZE], x[MOST_SIZE], q[MOST_SIZE], ratio, bound;
    attest_filter_context context = {x, 1};
    attest_double_head head;
    side s = {.context = &context};
    arb_t exact;

    for (size_t c = 0; c < MOST_SIZE; c++) {
        x[c] = c ? LOST : 1;
        w[c] = c ? LOST : 1;
    }
    attest_double_layer_set_matrix(&head.q, w, size, dim);
    head.k = head.v = head.q;
    project(q, &head.q, x);
    if (!set_side(&s, &head, q))
        abort();
    bound = score_error(attest_double_layer_projection_error(dim, 0, 0), (double)size,
                        pow(head.q.norm * attest_double_layer_bound_norm(x, dim), 2));
    arb_init(exact);
    arb_set_d(exact, LOST);
    arb_sqr(exact, exact, EXACT_BITS);
    arb_mul_ui(exact, exact, MOST_SIZE - 1, EXACT_BITS);
    arb_add_ui(exact, exact, 1, EXACT_BITS);
    arb_pow_ui(exact, exact, dim > 1 ? 2 : 1, EXACT_BITS);
    ratio = exact_ratio(s.score, exact, 1, bound);
    arb_clear(exact);
    return ratio;
}

static double score_projections(void)
{
    return score_ratio(MOST_SIZE, 1);
}

static double score_product(void)
{
    return score_ratio(1, MOST_SIZE);
}

static double output_sums(void)
{
    double w[MOST_SIZE], y, ratio;
    attest_double_matrix o;
    arb_t exact;

    for (size_t c = 0; c < MOST_SIZE; c++)
        w[c] = c ? LOST : 1;
    attest_double_layer_set_matrix(&o, w, 1, MOST_SIZE);
    project(&y, &o, w);
    arb_init(exact);
    arb_set_d(exact, LOST);
    arb_sqr(exact, exact, EXACT_BITS);
    arb_mul_ui(exact, exact, MOST_SIZE - 1, EXACT_BITS);
    arb_add_ui(exact, exact, 1, EXACT_BITS);
    ratio = exact_ratio(&y, exact, 1, output_error(MOST_SIZE, o.norm * o.norm));
    arb_clear(exact);
    return ratio;
}

/* 1.25 * 2^-1074. */
static double output_underflow(void)
{
    double w = 0x1p-537, x = 1.25 * 0x1p-537, y, ratio;
    attest_double_matrix o;
    arb_t exact;

    attest_double_layer_set_matrix(&o, &w, 1, 1);
    project(&y, &o, &x);
    arb_init(exact);
    arb_set_d(exact, 1.25);
    arb_mul_2exp_si(exact, exact, -1074);
    ratio = exact_ratio(&y, exact, 1, output_error(1, 0x1p-1072));
    arb_clear(exact);
    return ratio;
}

/* The share of a head where one context is x and the other -x. Their values are those of
 * W_V x and -W_V x, each off by 15 products that are lost; W_O is 2^20, W_Q and W_K have one
 * entry. *off = the error of the share; returns its exact value, except for *off. */
static double get_lone_share(share *to, double *off, double entry)
{
    double x[MOST_SIZE], minus[MOST_SIZE], score[MOST_SIZE] = {entry}, w = 0x1p20, q;
    attest_double_head head;
    const attest_double_layer layer = {.dim = MOST_SIZE, .heads = 1, .head = &head};
    const attest_filter_context context[2] = {{x, 1}, {minus, 1}};
    side a = {.context = &context[0], .only = {true}},
         b = {.context = &context[1], .only = {true}};
    double exact;

    for (size_t c = 0; c < MOST_SIZE; c++) {
        x[c] = c ? LOST : 1;
        minus[c] = -x[c];
    }
    attest_double_layer_set_matrix(&head.q, score, 1, MOST_SIZE);
    attest_double_layer_set_matrix(&head.k, score, 1, MOST_SIZE);
    attest_double_layer_set_matrix(&head.v, x, 1, MOST_SIZE);
    attest_double_layer_set_matrix(&head.o, &w, 1, 1);
    project(&q, &head.q, x);
    if (!set_side(&a, &head, &q) || !set_side(&b, &head, &q) ||
        !get_share(to, &layer, &head, &a, &b, 1, attest_double_layer_bound_norm(x, MOST_SIZE)))
        abort();
    *off = 0x1p21 * (MOST_SIZE - 1) * LOST * LOST; /* exact is 2^21 (1 + 15 LOST^2) */
    exact = 0x1p21;
    return fabs(to->y[0] - exact) < 1e-6 ? exact : (double)NAN;
}

/* Context -x weighs e^-200 beside x. */
static double difference_norm(void)
{
    share part;
    double off, exact = get_lone_share(&part, &off, 10);

    return exact / part.norm;
}

static double difference_share(void)
{
    share part;
    double off;

    return get_lone_share(&part, &off, 0) > 0 ? off / part.error : (double)NAN;
}

/* A share with the largest error that its bound allows. */
static double heads_shares(void)
{
    const share part = {{1}, 0, 0x1p-10, 1};
    double g[MOST_SIZE] = {0}, least, error = add_shares(g, &least, &part, 1, 1);

    return 0x1p-10 / error;
}

/* The exact sum is 1 - 2^-10, which is not above itself. */
static double difference_sum(void)
{
    const share part = {{1}, 0, 0x1p-10, 1};

    return is_above(&part, 1, 1, 1 - 0x1p-10) ? (double)INFINITY : heads_shares();
}

/* The sum of shares of size 1; shift[h] is added to the exact depth. */
static double shares_ratio(const share *part, const double *shift, size_t heads)
{
    double g[MOST_SIZE] = {0}, least, error = add_shares(g, &least, part, heads, 1), ratio;
    arb_t exact, factor, t;

    arb_init(exact), arb_init(factor), arb_init(t);
    for (size_t h = 0; h < heads; h++) {
        arb_set_d(factor, shift[0]);
        arb_set_d(t, shift[h]);
        arb_sub(factor, factor, t, EXACT_BITS);
        arb_set_d(t, part[0].depth);
        arb_add(factor, factor, t, EXACT_BITS);
        arb_set_d(t, part[h].depth);
        arb_sub(factor, factor, t, EXACT_BITS);
        arb_exp(factor, factor, EXACT_BITS);
        arb_set_d(t, part[h].y[0]);
        arb_addmul(exact, factor, t, EXACT_BITS);
    }
    ratio = exact_ratio(g, exact, 1, error);
    arb_clear(exact), arb_clear(factor), arb_clear(t);
    return ratio;
}

/* 16 heads, whose shares are lost except for the first. */
static double heads_sums(void)
{
    share part[MOST_HEADS] = {0};
    double shift[MOST_HEADS] = {0};

    for (size_t h = 0; h < MOST_HEADS; h++)
        part[h].y[0] = part[h].norm = h ? LOST * LOST : 1;
    return shares_ratio(part, shift, MOST_HEADS);
}

/* Two depths, rounded by half a unit in opposite directions. */
static double heads_depth(void)
{
    share part[2] = {{.depth = 0x1p20}, {{1}, 0x1p20 + 0x1p-32, 0, 1}};
    double shift[2] = {0x1p-33, -0x1p-33};

    return shares_ratio(part, shift, 2);
}

/* A share of 2^1000, and a factor of about 0.46 * 2^-1074. */
static double heads_underflow(void)
{
    share part[2] = {{.depth = 0}, {{0x1p1000}, 745.2, 0, 0x1p1000}};
    double shift[2] = {0};

    return shares_ratio(part, shift, 2);
}

/* A depth that is rounded down by half a unit: e^-600 is not above the least double that is not
 * below the exact number. */
static double scale_ratio(void)
{
    share part = {.depth = 600};
    double above, zero = 0, computed, ratio;
    arb_t exact, t;

    part.y[0] = part.norm = 1;
    arb_init(exact), arb_init(t);
    arb_set_d(exact, -600);
    arb_set_d(t, 0x1p-44);
    arb_sub(exact, exact, t, EXACT_BITS);
    arb_exp(exact, exact, EXACT_BITS);
    above = arf_get_d(arb_midref(exact), ARF_RND_CEIL);
    computed = -600;
    attest_kernel_exp(&computed, &computed, 1);
    arb_set_d(t, computed);
    arb_div(t, t, exact, EXACT_BITS);
    arb_sub_ui(t, t, 1, EXACT_BITS);
    ratio = exact_ratio(&zero, t, 1, 520 * U);
    part.norm = 0; /* what add_shares takes off is another matter */
    ratio = is_above(&part, 1, 1, above) ? INFINITY : ratio;
    arb_clear(exact), arb_clear(t);
    return ratio;
}

/* Integers beyond the limits are refused. The ratio is that of the largest integer that is
 * formed within them, a sum or difference of two, to 2^63; infinite for a result that is wrong.
 * Scores of all tokens are equal if W_Q is 0, and each sequence has equal tokens then. */
static double integers_ratio(const double *token, const size_t *length, const double *weight,
                             bool skip, double expected, double ratio)
{
    static attest_filter_integers n;
    const attest_filter_shape shape = {.activation = ATTEST_HARDMAX,
                                       .ties = ATTEST_TIES_UNIFORM,
                                       .dim = 1,
                                       .heads = 1,
                                       .size = 1,
                                       .skip = skip};
    const attest_filter_instance instance = {2, length, token, weight};
    double centre, radius, square;
    bool equal;

    attest_filter_integers_begin(&n, &shape, &instance, length[0] + length[1]);
    if (!attest_filter_integers_get(&centre, &radius, &n, 0))
        return ratio;
    return fabs(centre - expected) < 0.5 &&
                   attest_filter_integers_compare(&equal, &square, &n, 0, length[0]) && !equal
               ? ratio
               : INFINITY;
}

/* A token that only one context has, of score -10 and value 1, beside the one of both, of value
 * -1; scores are known to sigma = 1, and the first is as much larger as the other is smaller.
 * Errors of first order are not enough, and such scores are refused. */
static double difference_limit(void)
{
    const double one = 1;
    attest_double_layer layer = {.dim = 1};
    attest_double_head head;
    side_case a, b;
    share got = {0};
    double ratio = MOST_TAU / (SLACK - 1);
    arb_t exact, t;

    memset(&head, 0, sizeof head);
    attest_double_layer_set_matrix(&head.q, &one, 1, 1);
    attest_double_layer_set_matrix(&head.k, &one, 1, 1);
    attest_double_layer_set_matrix(&head.v, &one, 1, 1);
    attest_double_layer_set_matrix(&head.o, &one, 1, 1);
    head.q.norm = 1 / score_error(attest_double_layer_projection_error(1, 0, 0), 1, 1);
    side_init(&a, 2, -10, -1);
    side_init(&b, 1, 0, -1);
    a.of.only[0] = b.of.only[0] = false;
    a.of.value[1][0] = 1;
    a.of.most_only = -10, b.of.most_only = -INFINITY;
    if (!get_share(&got, &layer, &head, &a.of, &b.of, 1, 1))
        return ratio;
    arb_init(exact), arb_init(t);
    arb_set_si(exact, 8); /* 10 - 2: how much less the first weighs */
    arb_exp(exact, exact, EXACT_BITS);
    arb_add_ui(exact, exact, 1, EXACT_BITS);
    arb_set_ui(t, 2);
    arb_div(exact, t, exact, EXACT_BITS);
    arb_set_si(t, 10);
    arb_exp(t, t, EXACT_BITS);
    arb_mul(exact, exact, t, EXACT_BITS); /* over e^-depth */
    ratio = exact_ratio(got.y, exact, 1, got.error);
    arb_clear(exact), arb_clear(t);
    return ratio;
}

/* Scores 2^64 and 2^32: 0 in 64 bits, and the other token wins. */
static double integers_score(void)
{
    return integers_ratio((double[]){0x1p32, 1, 3}, (size_t[]){2, 1}, (double[]){1, 1, 1, 1},
                          false, 0x1p32, 0.5);
}

/* 64 tokens (x or -x, 1, ...), and three heads that weigh count[h] of them alike, with values
 * 0: outputs are the tokens, over the least common multiple of the counts, in units of 2^-28,
 * as weights are 2^-14. The square of the distance of the third and the fourth, in the same
 * ties here; 0 if they are refused. */
static double get_square(double x, const size_t count[3])
{
    enum { DIMENSION = 5 };
    static attest_filter_integers n;
    const attest_filter_shape shape = {.activation = ATTEST_HARDMAX,
                                       .ties = ATTEST_TIES_UNIFORM,
                                       .dim = DIMENSION,
                                       .heads = 3,
                                       .size = 1,
                                       .skip = true};
    const size_t length = 64;
    double token[64 * DIMENSION], weight[12 * DIMENSION] = {0}, square;
    const attest_filter_instance instance = {1, &length, token, weight};
    bool equal;

    for (size_t j = 0; j < length; j++) {
        token[DIMENSION * j] = j % 2 ? -x : x;
        token[DIMENSION * j + 1] = 1;
        for (size_t h = 0; h < 3; h++)
            token[DIMENSION * j + 2 + h] = j < count[h];
    }
    for (size_t h = 0; h < 3; h++) {
        weight[4 * DIMENSION * h + 1] = 0x1p-14;
        weight[4 * DIMENSION * h + DIMENSION + 2 + h] = 0x1p-14;
    }
    attest_filter_integers_begin(&n, &shape, &instance, length);
    return attest_filter_integers_compare(&equal, &square, &n, 2, 3) ? square : 0;
}

/* The products of numerators and denominators that the limits allow next to those that they
 * refuse: the difference of outputs x and -x, which have the denominator `allowed`, over 2^63.
 */
static double limit_ratio(double x, double allowed, double above)
{
    return above == 0 ? 2 * x * 0x1p28 * allowed * allowed / 0x1p63 : INFINITY;
}

/* Outputs just below the limit, over 64 * 63. Those of 1100 would differ by more than 2^63. */
static double integers_skip(void)
{
    const size_t count[] = {64, 63, 1};

    return get_square(1023, count) == 2046 * 2046
               ? limit_ratio(1023, 64 * 63, get_square(1100, count))
               : INFINITY;
}

/* The same over 4095, the largest denominator; over 4100 they would differ by more than 2^63.
 */
static double integers_denominator(void)
{
    const size_t largest[] = {63, 13, 5}, larger[] = {41, 25, 4};

    return get_square(1023, largest) == 2046 * 2046
               ? limit_ratio(1023, 4095, get_square(1023, larger))
               : INFINITY;
}

/* Outputs 33 * 2^50 and 2^50 over 32 and 16 tokens: a difference of 2^64, which is 0 in 64
 * bits.
 */
static double integers_heads(void)
{
    double token[48];

    for (size_t j = 0; j < 48; j++)
        token[j] = j < 32 ? 33 : 1;
    return integers_ratio(token, (size_t[]){32, 16}, (double[]){0, 1, 0x1p25, 0x1p25}, false,
                          33 * 0x1p50, 0.25);
}

/* A third, from three tied tokens. */
static double integers_quotient(void)
{
    static attest_filter_integers n;
    const attest_filter_shape shape = {.activation = ATTEST_HARDMAX,
                                       .ties = ATTEST_TIES_UNIFORM,
                                       .dim = 1,
                                       .heads = 1,
                                       .size = 1};
    const double token[] = {0, 1, 1}, weight[] = {0, 0, 1, 1};
    const size_t length = 3;
    const attest_filter_instance instance = {1, &length, token, weight};
    double centre, radius, ratio;
    arb_t exact;

    attest_filter_integers_begin(&n, &shape, &instance, 3);
    if (!attest_filter_integers_get(&centre, &radius, &n, 0))
        return NAN;
    arb_init(exact);
    arb_set_ui(exact, 2);
    arb_div_ui(exact, exact, 3, EXACT_BITS);
    ratio = exact_ratio(&centre, exact, 1, radius);
    arb_clear(exact);
    return ratio;
}

static const char spare[] = "a fraction of p: one u is for underflow, one is spare, and there "
                            "are at most 16 entries";

static const table_row rows[] = {
    {"layer_projection_sums", layer_long_row, 0.98, NULL},
    {"layer_projection_weights", layer_weights, 0.98, NULL},
    {"layer_projection_tokens", layer_tokens, 0.98, NULL},
    {"layer_scores", layer_scores, 0.98, NULL},
    {"layer_values", layer_weights, 0.98, NULL},
    {"layer_output", layer_weights, 0.98, NULL},
    {"layer_average", layer_weights, 0.98, NULL},
    {"layer_heads", layer_heads, 0.98, NULL},
    {"layer_skip_tokens", layer_skip_tokens, 0.98, NULL},
    {"layer_skip_heads", layer_skip_heads, 0.98, NULL},
    {"layer_underflow", layer_underflow, 0,
     "H (d s + 8) 2^-1074, which is at most 2^-1021, is all that underflow does"},
    {"layer_norm_sums", layer_norm_sums, 0,
     "2^26 numbers, the most there are, lose 2^-27 of their norm"},
    {"layer_norm_least", layer_norm_least, 0,
     "squares that underflow take 2^-524 off the norm of 2^26 numbers at most; 2^-480 is "
     "larger, "
     "so that u times a product of two norms is above all underflow of the product of entries"},
    {"hardmax_scores", hardmax_winner, 0.97, NULL},
    {"hardmax_margin", hardmax_winner, 0.97, NULL},
    {"difference_score_projections", score_projections, 0.75, spare},
    {"difference_score_product", score_product, 0.6, spare},
    {"difference_weight_scores", weight_scores, 0.98, NULL},
    {"difference_weight_roundings", weight_roundings, 0.44,
     "4.7 u is proved for 128 tokens at any distances; half units jump at powers of two"},
    {"difference_average_weights", average_weights, 0.98, NULL},
    {"difference_average_sums", average_sums, 0.9, NULL},
    {"difference_average_values", average_values, 0.98, NULL},
    {"difference_terms_weights", terms_weights, 0.98, NULL},
    {"difference_terms_sums", terms_sums, 0.9, NULL},
    {"difference_terms_values", terms_values, 0.98, NULL},
    {"difference_terms_average", terms_average, 0.98, NULL},
    {"difference_quotient_weights", quotient_weights, 0.98, NULL},
    {"difference_quotient_sums", quotient_sums, 0.9, NULL},
    {"difference_output_sums", output_sums, 0.9, NULL},
    {"difference_output_underflow", output_underflow, 0,
     "16 times 16 products lose at most 2^-1066; 2^-1000 costs nothing"},
    {"difference_norm", difference_norm, 0.98, NULL},
    {"difference_share", difference_share, 0.1,
     "the projections of keys, queries and values err by much more at most than the 15 lost "
     "products here; difference_terms and difference_quotient have their instances"},
    {"difference_heads_shares", heads_shares, 0.98, NULL},
    {"difference_sum", difference_sum, 0.98, NULL},
    {"difference_heads_sums", heads_sums, 0.8,
     "16 heads at most; exp and a product are 3 of the 18 u, and exact for the first head"},
    {"difference_heads_depth", heads_depth, 0.98, NULL},
    {"difference_heads_underflow", heads_underflow, 0.4,
     "exp below 2^-1022 is off by 0.6 * 2^-1074 at most"},
    {"difference_scale", scale_ratio, 0.98, NULL},
    {"difference_limit", difference_limit, 0.06,
     "a limit: squares of what is below 2^-20 are at most 2^-4 of what SLACK has for them"},
    {"integers_score", integers_score, 0.5, "a limit: sums of two scores are below 2^62"},
    {"integers_skip", integers_skip, 0.96, NULL},
    {"integers_denominator", integers_denominator, 0.99, NULL},
    {"integers_heads", integers_heads, 0.25,
     "a limit for the sum of both; integers_skip has a difference near it"},
    {"integers_quotient", integers_quotient, 0.1,
     "one rounding, of at most u; the radius is four times that"},
};

int main(void)
{
    table_run(rows, sizeof rows / sizeof *rows);
    filter_run_judge();
    flint_cleanup();
    return table_done();
}
