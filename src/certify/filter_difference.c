/* filter_difference.c -- proves that the softmax outputs of one query token in two contexts
 * differ, from the tokens that only one of the contexts has.
 *
 * Common tokens cancel before anything is rounded, and a common factor e^-D is kept
 * separately, so the relative error is small however small the distance is: (10) of
 * proofs-notes/filter.md, whose letters are used here. A has the largest score. */
#include <math.h>

#include <attest/kernel.h>

#include "base/term.h"
#include "certify/filter_batch.h"

#define U 0x1p-53
#define SLACK (1 + 0x1p-16)
#define ABSOLUTE 0x1p-1000

/* Larger layers, and scores with larger errors, are left to certify. */
enum { MOST_SIZE = 16, MOST_HEADS = 16, MOST_TOKENS = ATTEST_FILTER_POSITIONS };
#define MOST_TAU 0x1p-20

/* One side: the scores of its tokens and their values. */
typedef struct side {
    const attest_filter_sight *sight;
    bool only[MOST_TOKENS]; /* the other side lacks this token */
    double score[MOST_TOKENS];
    double value[MOST_TOKENS][MOST_SIZE];
    double most, most_only; /* the largest score, and the largest of the tokens that only this
                               side has */
} side;

/* What a head adds to the difference: e^-depth y, y known up to error and at most |y| <= norm.
 */
typedef struct share {
    double y[MOST_SIZE], depth, error, norm;
} share;

static bool same_token(const double *x, const double *y, size_t dim)
{
    for (size_t c = 0; c < dim; c++)
        if (x[c] != y[c])
            return false;
    return true;
}

/* Marks the tokens that only one side has, counted with multiplicity. */
static void mark_differences(side *a, side *b, size_t dim)
{
    for (size_t j = 0; j < b->sight->length; j++)
        b->only[j] = true;
    for (size_t i = 0; i < a->sight->length; i++) {
        a->only[i] = true;
        for (size_t j = 0; j < b->sight->length && a->only[i]; j++)
            if (b->only[j] &&
                same_token(a->sight->token + i * dim, b->sight->token + j * dim, dim))
                a->only[i] = b->only[j] = false;
    }
}

static void project(double *y, const attest_double_matrix *w, const double *x)
{
    for (size_t r = 0; r < w->rows; r++) {
        y[r] = w->entry[r * w->cols] * x[0];
        for (size_t c = 1; c < w->cols; c++)
            y[r] += w->entry[r * w->cols + c] * x[c];
    }
}

/* Scores and values of a side; q is the projected query. False where a score overflowed. */
static bool set_side(side *s, const attest_double_head *head, const double *q)
{
    double k[MOST_SIZE];
    bool finite = true;

    s->most = s->most_only = -INFINITY;
    for (size_t j = 0; j < s->sight->length; j++) {
        const double *x = s->sight->token + j * head->q.cols;
        project(k, &head->k, x);
        project(s->value[j], &head->v, x);
        s->score[j] = q[0] * k[0];
        for (size_t r = 1; r < head->q.rows; r++)
            s->score[j] += q[r] * k[r];
        finite = finite && isfinite(s->score[j]);
        s->most = fmax(s->most, s->score[j]);
        if (s->only[j])
            s->most_only = fmax(s->most_only, s->score[j]);
    }
    return finite;
}

/* weight[j] = e^(s_j - from); returns their sum. */
static double get_weights(double weight[MOST_TOKENS], const side *s, double from)
{
    double sum = 0;

    for (size_t j = 0; j < s->sight->length; j++)
        weight[j] = s->score[j] - from;
    attest_kernel_exp(weight, weight, s->sight->length);
    for (size_t j = 0; j < s->sight->length; j++)
        sum += weight[j];
    return sum;
}

/* Bound on the error of a computed score: (3) and (7). most >= |W_Q| |W_K| X*^2. */
static double score_error(double p, double size, double most)
{
    return (ATTEST_TERM(difference_score_projections, 2 * p) +
            ATTEST_TERM(difference_score_product, (size + 2) * U)) *
           most * SLACK;
}

/* tau: bound on the mean relative error of the weights of up to 128 tokens, relative to the
 * largest of their scores. */
static double weight_error(double sigma)
{
    return (ATTEST_TERM(difference_weight_scores, sigma) +
            ATTEST_TERM(difference_weight_roundings, 5 * U)) *
           SLACK;
}

/* rho: bound on the error of the average of count tokens. */
static double average_error(double v, double tau, double count, double p)
{
    return v * (ATTEST_TERM(difference_average_weights, tau) +
                ATTEST_TERM(difference_average_sums, 2 * count * U) +
                ATTEST_TERM(difference_average_values, p));
}

/* Bound on the error of a sum of count terms w_j (v_j - o), over the sum of their weights. */
static double terms_error(double v, double tau, double count, double p, double rho)
{
    return 2 * v *
               (ATTEST_TERM(difference_terms_weights, tau) +
                ATTEST_TERM(difference_terms_sums, (count + 1) * U)) +
           ATTEST_TERM(difference_terms_values, v * p) +
           ATTEST_TERM(difference_terms_average, rho);
}

/* Bound on the error that dividing by the sum of count weights adds to the same. */
static double quotient_error(double v, double tau, double count)
{
    return 2 * v *
           (ATTEST_TERM(difference_quotient_weights, tau) +
            ATTEST_TERM(difference_quotient_sums, count * U));
}

/* Bound on the error that W_O adds to a share of at most this norm. */
static double output_error(double size, double norm)
{
    return ATTEST_TERM(difference_output_sums, size * U * norm) +
           ATTEST_TERM(difference_output_underflow, ABSOLUTE);
}

/* o = the average of a side. */
static void average(double *o, const side *s, size_t size)
{
    double weight[MOST_TOKENS], z = get_weights(weight, s, s->most);

    for (size_t r = 0; r < size; r++) {
        o[r] = 0;
        for (size_t j = 0; j < s->sight->length; j++)
            o[r] += weight[j] * s->value[j][r];
        o[r] /= z;
    }
}

/* sum += sign * (sum over the tokens that only s has of e^(s_j - from) (v_j - o)); adds their
 * number to *count, and returns the sum of their weights. */
static double add_terms(double *sum, double *count, const side *s, const double *o, size_t size,
                        double sign, double from)
{
    double weight[MOST_TOKENS], total = 0;

    (void)get_weights(weight, s, from);
    for (size_t j = 0; j < s->sight->length; j++) {
        if (!s->only[j])
            continue;
        ++*count;
        total += weight[j];
        for (size_t r = 0; r < size; r++)
            sum[r] += sign * weight[j] * (s->value[j][r] - o[r]);
    }
    return total;
}

/* The share of a head, A being the side with the largest score and sign telling which that is;
 * norm is the largest of the tokens' norms. False where it is not known well enough. */
static bool get_share(share *to, const attest_double_layer *layer,
                      const attest_double_head *head, const side *a, const side *b, double sign,
                      double norm)
{
    double from = fmax(a->most_only, b->most_only), o[MOST_SIZE] = {0}, f[MOST_SIZE] = {0};
    double weight[MOST_TOKENS], w, z, rho, error, count = 0, size = (double)head->q.rows;
    double p = attest_double_layer_projection_error(layer->dim, 0, 0), v = head->v.norm * norm;
    double sigma = score_error(p, size, (head->q.norm * norm) * (head->k.norm * norm));
    double tau = weight_error(sigma);

    to->depth = a->most - from;
    if (!(ATTEST_TERM(difference_limit, tau + to->depth * U) < MOST_TAU))
        return false;
    average(o, b, head->q.rows);
    w = add_terms(f, &count, a, o, head->q.rows, sign, from);
    w += add_terms(f, &count, b, o, head->q.rows, -sign, from);
    z = get_weights(weight, a, a->most);
    for (size_t r = 0; r < head->q.rows; r++)
        f[r] /= z;
    project(to->y, &head->o, f);
    rho = average_error(v, tau, (double)b->sight->length, p);
    error =
        terms_error(v, tau, count, p, rho) + quotient_error(v, tau, (double)a->sight->length);
    to->norm = ATTEST_TERM(difference_norm, head->o.norm * (w / z * 2 * v)) * SLACK;
    to->error = (ATTEST_TERM(difference_share, head->o.norm * (w / z * error)) +
                 output_error(size, to->norm)) *
                SLACK;
    return true;
}

/* The largest bound (1) on a norm of the tokens of both sides and of the query. */
static double most_norm(const attest_filter_sight *a, const attest_filter_sight *b,
                        const double *query, size_t dim)
{
    double most = attest_double_layer_bound_norm(query, dim);

    for (size_t j = 0; j < a->length; j++)
        most = fmax(most, attest_double_layer_bound_norm(a->token + j * dim, dim));
    for (size_t j = 0; j < b->length; j++)
        most = fmax(most, attest_double_layer_bound_norm(b->token + j * dim, dim));
    return most;
}

/* g = sum_h e^(least - depth_h) y_h, *least being the least depth; returns a bound on its
 * error. */
static double add_shares(double g[MOST_SIZE], double *least, const share *part, size_t heads,
                         size_t dim)
{
    double error = 0;

    *least = INFINITY;
    for (size_t h = 0; h < heads; h++)
        *least = fmin(*least, part[h].depth);
    for (size_t h = 0; h < heads; h++) {
        double factor = *least - part[h].depth, norm = part[h].norm;
        attest_kernel_exp(&factor, &factor, 1);
        for (size_t c = 0; c < dim; c++)
            g[c] += factor * part[h].y[c];
        error += factor * (ATTEST_TERM(difference_heads_shares, part[h].error) +
                           ATTEST_TERM(difference_heads_sums, norm * ((double)heads + 2) * U) +
                           ATTEST_TERM(difference_heads_depth, norm * 2 * part[h].depth * U)) +
                 ATTEST_TERM(difference_heads_underflow, norm * 0x1p-1074);
    }
    return error * SLACK;
}

/* Returns whether |sum_h e^-depth_h y_h| > bound, from the largest entry of the sum. */
static bool is_above(const share *part, size_t heads, size_t dim, double bound)
{
    double least, g[MOST_SIZE] = {0}, error = add_shares(g, &least, part, heads, dim), most = 0;
    double scale;

    for (size_t c = 0; c < dim; c++)
        most = fmax(most, fabs(g[c]));
    most -= ATTEST_TERM(difference_sum, error);
    if (!isfinite(most) || !(most > 0) || bound == 0)
        return isfinite(most) && most > 0;
    scale = -least;
    attest_kernel_exp(&scale, &scale, 1);
    /* The depth is below 1024, so rounding it errs by at most 512 u; the rest is for exp and
     * these operations. */
    return scale > 0x1p-1000 &&
           scale * most * (1 - ATTEST_TERM(difference_scale, 520 * U)) > bound;
}

bool attest_filter_difference(const attest_double_layer *layer, const double *query,
                              const attest_filter_sight *a, const attest_filter_sight *b,
                              double bound)
{
    share part[MOST_HEADS];
    side x = {.sight = a}, y = {.sight = b};
    double q[MOST_SIZE], norm;

    if (layer->dim > MOST_SIZE || layer->heads > MOST_HEADS || layer->error != 0)
        return false;
    mark_differences(&x, &y, layer->dim);
    norm = most_norm(a, b, query, layer->dim);
    for (size_t h = 0; h < layer->heads; h++) {
        const attest_double_head *head = &layer->head[h];
        bool first;
        if (head->q.rows > MOST_SIZE)
            return false;
        project(q, &head->q, query);
        if (!set_side(&x, head, q) || !set_side(&y, head, q))
            return false;
        first = x.most >= y.most;
        if (!get_share(&part[h], layer, head, first ? &x : &y, first ? &y : &x, first ? 1 : -1,
                       norm))
            return false;
    }
    return is_above(part, layer->heads, layer->dim, bound);
}
