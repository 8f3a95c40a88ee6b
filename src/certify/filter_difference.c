/* filter_difference.c -- one query token in two contexts: a lower bound on the distance of its
 * softmax outputs, from the tokens that only one of them has.
 *
 * What both contexts have cancels before anything is rounded, so the bound has a small relative
 * error however small the distance is: (10) of proofs-notes/filter.md, whose letters these are.
 * A owns the largest score. */
#include <math.h>

#include <attest/kernel.h>

#include "certify/filter_batch.h"

#define U 0x1p-53
#define SLACK (1 + 0x1p-16)
#define ABSOLUTE 0x1p-1000

/* Larger heads are left to certify, and so are weights below e^-700 and scores that are known
 * less well than this. */
enum { MOST_SIZE = 16, MOST_TOKENS = ATTEST_FILTER_POSITIONS };
#define MOST_DEPTH 700
#define MOST_TAU 0x1p-20

/* One side: the scores of its tokens, their weights e^(s - M), and their values. */
typedef struct side {
    const attest_filter_sight *sight;
    bool only[MOST_TOKENS]; /* the other side has no such token for this one */
    double score[MOST_TOKENS], weight[MOST_TOKENS], own[MOST_TOKENS]; /* own: e^(s - max) */
    double value[MOST_TOKENS][MOST_SIZE];
    double most; /* the largest score */
} side;

/* What is known of a head. */
typedef struct head_error {
    double p, tau, v; /* of projections and weights, relative; at least |v_j| */
} head_error;

static bool same_token(const double *x, const double *y, size_t dim)
{
    for (size_t c = 0; c < dim; c++)
        if (x[c] != y[c])
            return false;
    return true;
}

/* Marks what only one side has, multiplicities counted. */
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

static void project(double *y, const attest_filter_matrix *w, const double *x)
{
    for (size_t r = 0; r < w->rows; r++) {
        y[r] = w->entry[r * w->cols] * x[0];
        for (size_t c = 1; c < w->cols; c++)
            y[r] += w->entry[r * w->cols + c] * x[c];
    }
}

/* Scores and values of a side; q is the projected query. */
static void set_side(side *s, const attest_filter_head *head, const double *q)
{
    double k[MOST_SIZE];

    s->most = -INFINITY;
    for (size_t j = 0; j < s->sight->length; j++) {
        const double *x = s->sight->token + j * head->q.cols;
        project(k, &head->k, x);
        project(s->value[j], &head->v, x);
        s->score[j] = q[0] * k[0];
        for (size_t r = 1; r < head->q.rows; r++)
            s->score[j] += q[r] * k[r];
        s->most = s->score[j] > s->most ? s->score[j] : s->most;
    }
}

/* Weights relative to M = most; false where one is too small or not a number. */
static bool set_weights(side *s, double most)
{
    bool ok = true;

    for (size_t j = 0; j < s->sight->length; j++) {
        s->weight[j] = s->score[j] - most;
        s->own[j] = s->score[j] - s->most;
        ok = ok && s->weight[j] >= -MOST_DEPTH;
    }
    attest_kernel_exp(s->weight, s->weight, s->sight->length);
    attest_kernel_exp(s->own, s->own, s->sight->length);
    return ok;
}

/* The largest bound (1) on a norm of the tokens of both sides and of the query. */
static double most_norm(const side *a, const side *b, const double *query, size_t dim)
{
    double most = attest_filter_norm(query, dim);

    for (int which = 0; which < 2; which++) {
        const attest_filter_sight *sight = which ? b->sight : a->sight;
        for (size_t j = 0; j < sight->length; j++) {
            double norm = attest_filter_norm(sight->token + j * dim, dim);
            most = norm > most ? norm : most;
        }
    }
    return most;
}

static double total(const double *x, size_t count)
{
    double sum = x[0];

    for (size_t j = 1; j < count; j++)
        sum += x[j];
    return sum;
}

/* o = the average of B. */
static void average(double *o, const side *b, size_t size)
{
    double z = total(b->own, b->sight->length);

    for (size_t r = 0; r < size; r++) {
        o[r] = b->own[0] * b->value[0][r];
        for (size_t j = 1; j < b->sight->length; j++)
            o[r] += b->own[j] * b->value[j][r];
        o[r] /= z;
    }
}

/* sum += sign * (sum over what only s has of w_j (v_j - o)); returns the sum of these w_j. */
static double add_terms(double *sum, const side *s, const double *o, size_t size, double sign)
{
    double weight = 0;

    for (size_t j = 0; j < s->sight->length; j++) {
        if (!s->only[j])
            continue;
        weight += s->weight[j];
        for (size_t r = 0; r < size; r++)
            sum[r] += sign * s->weight[j] * (s->value[j][r] - o[r]);
    }
    return weight;
}

/* Adds W_O (o_A - o_B) of a head to g; returns what it may be off, or +infinity. */
static double add_head(double *g, const attest_filter_layer *layer,
                       const attest_filter_head *head, const head_error *e, const side *a,
                       const side *b)
{
    double o[MOST_SIZE] = {0}, f[MOST_SIZE] = {0}, y[MOST_SIZE] = {0};
    double z, w, rho, each, error;
    double tokens = (double)(a->sight->length + b->sight->length), v2 = 2 * e->v;

    average(o, b, head->q.rows);
    w = add_terms(f, a, o, head->q.rows, 1) + add_terms(f, b, o, head->q.rows, -1);
    z = total(a->weight, a->sight->length);
    for (size_t r = 0; r < head->q.rows; r++)
        f[r] /= z;
    project(y, &head->o, f);
    for (size_t c = 0; c < layer->dim; c++)
        g[c] += y[c];
    rho = e->v * (2 * e->tau + (2 * tokens + 4) * U + e->p);     /* of o */
    each = v2 * (e->tau + (tokens + 3) * U) + e->v * e->p + rho; /* of w_j (v_j - o) */
    error = w / z * (each + v2 * (e->tau + (tokens + 3) * U));   /* of the quotient */
    error += w / z * v2 * ((double)(head->q.rows + layer->heads) + 3) * U; /* W_O, sums */
    return head->o.norm * (error * SLACK + ABSOLUTE);
}

static head_error get_error(const attest_filter_layer *layer, const attest_filter_head *head,
                            double norm)
{
    double p = ((double)layer->dim + 2) * U * SLACK;
    double sigma = (2 * p + ((double)head->q.rows + 2) * U) * head->q.norm * norm *
                   (head->k.norm * norm) * SLACK;

    return (head_error){p, (sigma + (MOST_DEPTH + 2) * U) * SLACK, head->v.norm * norm};
}

double attest_filter_difference(const attest_filter_layer *layer, const double *query,
                                const attest_filter_sight *a, const attest_filter_sight *b)
{
    side x = {.sight = a}, y = {.sight = b};
    double g[MOST_SIZE] = {0}, q[MOST_SIZE], norm, error = 0, most = 0;

    if (layer->dim > MOST_SIZE || layer->error != 0)
        return 0;
    mark_differences(&x, &y, layer->dim);
    norm = most_norm(&x, &y, query, layer->dim);
    for (size_t h = 0; h < layer->heads; h++) {
        const attest_filter_head *head = &layer->head[h];
        head_error e = get_error(layer, head, norm);
        double top;
        if (head->q.rows > MOST_SIZE)
            return 0;
        project(q, &head->q, query);
        set_side(&x, head, q);
        set_side(&y, head, q);
        top = x.most > y.most ? x.most : y.most;
        if (!set_weights(&x, top) || !set_weights(&y, top) || !(e.tau < MOST_TAU))
            return 0;
        if (x.most == top) {
            error += add_head(g, layer, head, &e, &x, &y);
        } else { /* o_B - o_A: with the other sign */
            double other[MOST_SIZE] = {0};
            error += add_head(other, layer, head, &e, &y, &x);
            for (size_t c = 0; c < layer->dim; c++)
                g[c] -= other[c];
        }
    }
    for (size_t c = 0; c < layer->dim; c++)
        most = fmax(most, fabs(g[c]));
    most = (most - error * SLACK) * (1 - 0x1p-50);
    return isfinite(most) && most > 0 ? most : 0;
}
