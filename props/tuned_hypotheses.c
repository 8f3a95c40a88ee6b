/* tuned_hypotheses.c -- the hypotheses of `tuned`, in exact arithmetic and in doubles with
 * error bounds, which prove them or decide nothing (proofs-notes/tuned.md, "In doubles"). */
#include "props/tuned.h"

#include <math.h>

#include "campaign/label.h"
#include "number/rationals.h"
#include "number/scope.h"
#include "props/doubles.h"

#define U 0x1p-53
/* Covers second-order terms and the roundings of a bound and of a comparison with it. */
#define MORE (1 + 0x1p-30)
#define LESS (1 - 0x1p-30)
/* Exceeds all underflows. */
#define TINY 0x1p-1000

enum { MOST_TOKENS = 64 };

bool attest_tuned_project(double *value, double *spread, const attest_tuned_head *head,
                          const double *token, size_t count)
{
    double low = INFINITY, high = -INFINITY, error = 0;
    bool apart = true;

    for (size_t t = 0; t < count; t++) {
        double sum = 0, size = 0;
        for (size_t c = 0; c < head->dim; c++) {
            double x = head->v[c] * token[t * head->dim + c];
            sum += x;
            size += fabs(x);
        }
        value[t] = sum;
        low = fmin(low, sum);
        high = fmax(high, sum);
        error = fmax(error, (double)(head->dim + 1) * U * size);
    }
    error = error * MORE + TINY;
    for (size_t t = 0; t < count; t++) {
        apart = apart && fabs(value[t]) > error;
        for (size_t s = 0; s < t; s++)
            apart = apart && fabs(value[s] - value[t]) * LESS > 2 * error;
    }
    *spread = (high - low + 2 * error) * MORE;
    return apart && *spread < INFINITY;
}

/* w_c up to (size + 1) U bound_c; returns an upper bound on |w|^2. */
static double get_w(double *w, double *bound, const attest_tuned_head *head)
{
    double square = 0;

    for (size_t c = 0; c < head->dim; c++) {
        w[c] = bound[c] = 0;
        for (size_t r = 0; r < head->size; r++) {
            double x = head->o[c * head->size + r] * head->u[2][r];
            w[c] += x;
            bound[c] += fabs(x);
        }
        square += bound[c] * bound[c];
    }
    return square * MORE + TINY;
}

/* Returns whether w is surely not parallel to z, whose entries are off by U in relation to
 * themselves.
 */
static bool is_aside(const double *w, const double *bound, const double *z, size_t dim,
                     size_t size)
{
    for (size_t i = 0; i < dim; i++)
        for (size_t j = 0; j < i; j++) {
            double minor = w[i] * z[j] - w[j] * z[i];
            double most = bound[i] * fabs(z[j]) + bound[j] * fabs(z[i]);
            if (fabs(minor) > (double)(size + 4) * U * most * MORE + TINY)
                return true;
        }
    return false;
}

bool attest_tuned_keeps_apart(double *excess, const attest_tuned_head *head,
                              const double *token, size_t count, double spread)
{
    double w[ATTEST_TUNED_DIM], bound[ATTEST_TUNED_DIM], z[ATTEST_TUNED_DIM];
    double square = get_w(w, bound, head), least = INFINITY;
    bool aside = true, zero = true;

    for (size_t c = 0; c < head->dim; c++)
        zero = zero && !(fabs(w[c]) > (double)(head->size + 1) * U * bound[c] * MORE + TINY);
    for (size_t t = 0; t < count; t++)
        for (size_t s = 0; s < t; s++) {
            double distance = 0;
            for (size_t c = 0; c < head->dim; c++) {
                z[c] = token[t * head->dim + c] - token[s * head->dim + c];
                distance += z[c] * z[c];
            }
            least = fmin(least, distance);
            aside = aside && is_aside(w, bound, z, head->dim, head->size);
        }
    *excess = sqrt(square / least) * spread;
    /* NaN is not above any number. */
    return !zero && (aside || least * LESS > square * spread * spread * MORE + TINY);
}

static bool get_factors(double *u, double *v, const attest_matrix *m)
{
    for (size_t r = 0; r < m->rows; r++)
        if (!attest_doubles_get(u + r, m->u + r, m->u_denominator))
            return false;
    for (size_t c = 0; c < m->cols; c++)
        if (!attest_doubles_get(v + c, m->v + c, m->v_denominator))
            return false;
    return true;
}

static bool get_head(attest_tuned_head *to, const attest_weights *weights)
{
    const attest_head *from = weights->head;
    const attest_matrix *const matrix[3] = {&from->wq, &from->wk, &from->wv};
    double v[ATTEST_TUNED_DIM];

    *to = (attest_tuned_head){.dim = weights->dim, .size = from->wq.rows};
    for (int m = 0; m < 3; m++) {
        if (!matrix[m]->factored || !get_factors(to->u[m], m == 0 ? to->v : v, matrix[m]))
            return false;
        for (size_t c = 0; c < to->dim; c++)
            if (m > 0 && v[c] != to->v[c])
                return false;
    }
    if (from->wo.factored)
        return false;
    for (size_t e = 0; e < to->dim * to->size; e++)
        if (!attest_doubles_get(to->o + e, from->wo.entry + e, from->wo.denominator))
            return false;
    return true;
}

/* Returns whether kappa = u_0 . u_1 is proved to be nonzero. */
static bool has_kappa(const attest_tuned_head *head)
{
    double sum = 0, size = 0;

    for (size_t r = 0; r < head->size; r++) {
        sum += head->u[0][r] * head->u[1][r];
        size += fabs(head->u[0][r] * head->u[1][r]);
    }
    return fabs(sum) > (double)(head->size + 1) * U * size * MORE + TINY && size < INFINITY;
}

bool attest_tuned_surely(const attest_instance *instance)
{
    const attest_weights *weights = &instance->weights;
    const attest_tokens *tokens = &instance->dataset.tokens;
    double value[MOST_TOKENS], spread, excess;
    attest_tuned_head head;

    return attest_instance_fits(instance) && weights->heads == 1 &&
           weights->activation == ATTEST_SOFTMAX && weights->skip &&
           weights->dim <= ATTEST_TUNED_DIM && weights->head->wq.rows <= ATTEST_TUNED_SIZE &&
           tokens->real && tokens->count <= MOST_TOKENS && get_head(&head, weights) &&
           has_kappa(&head) &&
           attest_tuned_project(value, &spread, &head, tokens->real, tokens->count) &&
           attest_tuned_keeps_apart(&excess, &head, tokens->real, tokens->count, spread);
}

/* The head of the statement, and its tokens. */
typedef struct exact {
    size_t dim, tokens;
    fmpq_t kappa;
    fmpq *v, *w;   /* dim */
    fmpq *token;   /* tokens * dim */
    fmpq *value;   /* v.x for each of them */
    fmpq_t spread; /* their range */
} exact;

static void exact_clear(exact *e)
{
    _fmpq_vec_clear(e->v, (slong)e->dim);
    _fmpq_vec_clear(e->w, (slong)e->dim);
    _fmpq_vec_clear(e->token, (slong)(e->tokens * e->dim));
    _fmpq_vec_clear(e->value, (slong)e->tokens);
    fmpq_clear(e->kappa);
    fmpq_clear(e->spread);
}

static void set_projections(exact *e)
{
    const fmpq *low = e->value, *high = e->value;

    for (size_t t = 0; t < e->tokens; t++) {
        for (size_t c = 0; c < e->dim; c++)
            fmpq_addmul(e->value + t, e->v + c, e->token + t * e->dim + c);
        low = fmpq_cmp(e->value + t, low) < 0 ? e->value + t : low;
        high = fmpq_cmp(e->value + t, high) > 0 ? e->value + t : high;
    }
    fmpq_sub(e->spread, high, low);
}

static void exact_init(exact *e, const attest_instance *instance)
{
    const attest_tokens *tokens = &instance->dataset.tokens;
    const attest_head *head = instance->weights.head;

    *e = (exact){.dim = tokens->dim, .tokens = tokens->count};
    e->v = _fmpq_vec_init((slong)e->dim);
    e->w = _fmpq_vec_init((slong)e->dim);
    e->token = _fmpq_vec_init((slong)(e->tokens * e->dim));
    e->value = _fmpq_vec_init((slong)e->tokens);
    fmpq_init(e->kappa);
    fmpq_init(e->spread);
    FMPQ(x, y);
    for (size_t r = 0; r < head->wq.rows; r++) {
        fmpq_set_fmpz_frac(x, head->wq.u + r, head->wq.u_denominator);
        fmpq_set_fmpz_frac(y, head->wk.u + r, head->wk.u_denominator);
        fmpq_addmul(e->kappa, x, y);
        fmpq_set_fmpz_frac(x, head->wv.u + r, head->wv.u_denominator);
        for (size_t c = 0; c < e->dim; c++) {
            attest_matrix_get_entry(y, &head->wo, c, r);
            fmpq_addmul(e->w + c, x, y);
        }
    }
    for (size_t c = 0; c < e->dim; c++)
        fmpq_set_fmpz_frac(e->v + c, head->wq.v + c, head->wq.v_denominator);
    for (size_t i = 0; i < e->tokens * e->dim; i++)
        attest_tokens_get_entry(e->token + i, tokens, i / e->dim, i % e->dim);
    set_projections(e);
}

static bool is_zero(const fmpq *x, size_t dim)
{
    for (size_t c = 0; c < dim; c++)
        if (!fmpq_is_zero(x + c))
            return false;
    return true;
}

static bool has_zero_token(const exact *e)
{
    for (size_t t = 0; t < e->tokens; t++)
        if (is_zero(e->token + t * e->dim, e->dim))
            return true;
    return false;
}

/* v is injective on the tokens and 0. */
static bool is_injective(const exact *e)
{
    for (size_t t = 0; t < e->tokens; t++) {
        if (fmpq_is_zero(e->value + t) && !is_zero(e->token + t * e->dim, e->dim))
            return false;
        for (size_t s = 0; s < t; s++)
            if (fmpq_equal(e->value + s, e->value + t))
                return false;
    }
    return true;
}

static bool is_parallel(const exact *e, const fmpq *z)
{
    bool parallel = true;
    FMPQ(x, y);

    for (size_t i = 0; i < e->dim && parallel; i++)
        for (size_t j = 0; j < i && parallel; j++) {
            fmpq_mul(x, e->w + i, z + j);
            fmpq_mul(y, e->w + j, z + i);
            parallel = fmpq_equal(x, y);
        }
    return parallel;
}

static void get_square(fmpq_t square, const fmpq *z, size_t dim)
{
    fmpq_zero(square);
    for (size_t c = 0; c < dim; c++)
        fmpq_addmul(square, z + c, z + c);
}

/* (a) |w| spread < |z| for all differences z of tokens, or (b) w is parallel to none. */
static bool keeps_apart(const exact *e)
{
    FMPQ_VEC(z, (slong)e->dim);
    bool is_short = true, aside = true;
    FMPQ(reach, square);

    get_square(reach, e->w, e->dim);
    fmpq_mul(reach, reach, e->spread);
    fmpq_mul(reach, reach, e->spread);
    for (size_t t = 0; t < e->tokens; t++)
        for (size_t s = 0; s < t; s++) {
            for (size_t c = 0; c < e->dim; c++)
                fmpq_sub(z + c, e->token + t * e->dim + c, e->token + s * e->dim + c);
            get_square(square, z, e->dim);
            is_short = is_short && fmpq_cmp(reach, square) < 0;
            aside = aside && !is_parallel(e, z);
        }
    return is_short || aside;
}

static bool same_direction(const attest_matrix *a, const attest_matrix *b)
{
    return a->factored && b->factored && fmpz_equal(a->v_denominator, b->v_denominator) &&
           _fmpz_vec_equal(a->v, b->v, (slong)a->cols);
}

/* Softmax with skip and one head, its matrices given as u v^T with one v. */
static bool has_form(const attest_instance *instance)
{
    const attest_weights *weights = &instance->weights;

    return attest_instance_fits(instance) && weights->heads == 1 &&
           weights->activation == ATTEST_SOFTMAX && weights->skip &&
           same_direction(&weights->head->wq, &weights->head->wk) &&
           same_direction(&weights->head->wq, &weights->head->wv);
}

bool attest_tuned_exactly(const attest_instance *instance, const attest_setting *setting)
{
    if (!has_form(instance))
        return false;
    ATTEST_SCOPED(exact, e, instance);
    return (attest_setting_drops(setting, "nonzero") || !has_zero_token(&e)) &&
           (attest_setting_drops(setting, "kappa") || !fmpq_is_zero(e.kappa)) &&
           (attest_setting_drops(setting, "injective") || is_injective(&e)) &&
           (attest_setting_drops(setting, "w") || !is_zero(e.w, e.dim)) &&
           (attest_setting_drops(setting, "apart") || keeps_apart(&e));
}
