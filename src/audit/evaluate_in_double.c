/* evaluate_in_double.c -- attention of datasets and recorded heads in formats whose numbers are
 * doubles. */
#include "audit/head_evaluate.h"
#include "format/simulate_in_double.h"

typedef double number;
typedef attest_in_double rounder;
struct work;

static void rounder_init(rounder *s, const attest_format *format, struct work *w);
static attest_format reference_format(const attest_format *format);
static void op_set_fraction(number *z, const fmpz_t numerator, const fmpz_t denominator,
                            rounder *s);

static inline void rounder_clear(rounder *s)
{
    (void)s;
}

static inline void op_set(number *z, const number *x)
{
    *z = *x;
}

static inline void op_zero(number *z)
{
    *z = 0;
}

static inline void op_one(number *z, rounder *s)
{
    *z = attest_in_double_convert(1, s);
}

static inline void op_convert(number *z, const number *x, rounder *s)
{
    *z = attest_in_double_convert(*x, s);
}

static inline void op_add(number *z, const number *x, const number *y, rounder *s)
{
    *z = attest_in_double_add(*x, *y, s);
}

static inline void op_add_wider(number *z, const number *x, const number *y, rounder *s)
{
    *z = attest_in_double_add_wider(*x, *y, s);
}

static inline void op_sub(number *z, const number *x, const number *y, rounder *s)
{
    *z = attest_in_double_add(*x, -*y, s);
}

static inline void op_mul(number *z, const number *x, const number *y, rounder *s)
{
    *z = attest_in_double_mul(*x, *y, s);
}

static inline void op_fma(number *z, const number *x, const number *y, const number *w,
                          rounder *s)
{
    *z = attest_in_double_fma(*x, *y, *w, s);
}

static inline void op_div(number *z, const number *x, const number *y, rounder *s)
{
    *z = attest_in_double_div(*x, *y, s);
}

static inline void op_exp(number *z, const number *x, rounder *s)
{
    *z = attest_in_double_exp(*x, s);
}

static inline double op_get_double(const number *x)
{
    return *x;
}

static inline double op_get_ratio(const number *x, const number *y, rounder *s)
{
    (void)s;
    return *x / *y;
}

static inline bool op_is_nan(const number *x)
{
    return isnan(*x);
}

static inline bool op_greater(const number *x, const number *y)
{
    return *x > *y;
}

static inline bool op_equal(const number *x, const number *y)
{
    return *x == *y;
}

struct stage;
static bool combine_at_once(number *y, const number *m, size_t rows, size_t cols, size_t stride,
                            const number *x, struct stage *s,
                            const attest_simulated_arithmetic *a);

static inline void remember_exponentials(struct work *w)
{
    (void)w; /* exponentials are cheap */
}

#include "audit/evaluate.inc"

static void op_set_fraction(number *z, const fmpz_t numerator, const fmpz_t denominator,
                            rounder *s)
{
    const slong exact = (slong)1 << 53;
    double top, bottom, quotient, error;

    if (COEFF_IS_MPZ(*numerator) || COEFF_IS_MPZ(*denominator) || *numerator > exact ||
        *numerator < -exact || *denominator > exact) {
        *z = attest_in_double_get_fraction(numerator, denominator, s);
        return;
    }
    top = (double)*numerator;
    bottom = (double)*denominator;
    quotient = top / bottom;
    error = fma(-quotient, bottom, top); /* exact, of the sign of the quotient's error */
    if (s->plain)
        *z = quotient;
    else if (s->rounding == ATTEST_SIMULATED_NEAREST)
        *z = attest_in_double_nearest(attest_in_double_to_odd(quotient, error), s);
    else
        *z = attest_in_double_cut(attest_in_double_toward_zero(quotient, error), s);
}

static void rounder_init(rounder *s, const attest_format *format, work *w)
{
    attest_in_double_init(s, format, w->arithmetic->rounding, w->escaped, &w->random);
    s->hidden = s->plain && w->arithmetic->format.precision < s->format.precision;
}

/* Formats that use this reference have less than half the bits of binary64, so its errors are
 * negligible. */
static attest_format reference_format(const attest_format *format)
{
    (void)format;
    return (attest_format){.name = "binary64", 53, true, -1022, 1023, 64};
}

static bool numbers_init(vector *v, size_t count, const attest_format *format, bool shared)
{
    (void)format;
    v->shared = shared;
    v->bytes = count * sizeof *v->at;
    if (count > SIZE_MAX / sizeof *v->at)
        return false;
    v->at = shared ? attest_shared_alloc(v->bytes, 1) : attest_memory_alloc(v->bytes, 1);
    return v->at != NULL;
}

static bool combine_at_once(number *y, const number *m, size_t rows, size_t cols, size_t stride,
                            const number *x, stage *s, const attest_simulated_arithmetic *a)
{
    if (a->rounding != ATTEST_SIMULATED_NEAREST || a->pairwise || a->fma)
        return false;
    attest_in_double_combine(y, m, rows, cols, stride, x, &s->arithmetic);
    return true;
}

attest_status attest_audit_evaluate_in_double(attest_audit_outputs *outputs, bool *escaped,
                                              const attest_audit_request *request,
                                              const attest_simulated_arithmetic *arithmetic,
                                              attest_error *error)
{
    evaluation e ATTEST_CLEARED_BY(evaluation_clear) = {.request = request};

    ATTEST_TRY(evaluate(&e, request, arithmetic, error));
    *escaped = *e.work.escaped;
    *outputs = (attest_audit_outputs){.count = e.layout.start[request->sequences],
                                      .dim = e.dim,
                                      .real = e.out.at,
                                      .bytes = e.out.bytes};
    e.out = (vector){0};
    return ATTEST_OK;
}

/* Recorded heads: queries, keys and values are given, scores are scaled, capped and masked, and
 * there may be a sink. All stages are rounded. */
struct attest_audit_head_simulation {
    const attest_judge_problem *problem;
    work work;
    bool scales;
    double scale, cap, sink;       /* rounded; cap 0: none */
    double *query, *key, *value;   /* of the head: rounded; keys entry after entry */
    double *seen_key, *seen_value; /* copies of those that a masked row sees */
    double *weights_out; /* the weights of the keys that a row sees, and of the sink */
    size_t *seen;        /* which keys a row sees */
};

bool attest_audit_head_simulation_fits(const attest_simulated_arithmetic *a)
{
    if (!attest_in_double_fits(&a->format, a->rounding))
        return false;
    /* products of binary64 are not exact in binary64: evaluate.c */
    return !a->accumulates ||
           (a->format.precision != 53 && attest_in_double_fits(&a->accumulate, a->rounding));
}

/* Rounds a value to the format. y is the value truncated to 53 bits (for plain doubles:
 * rounded). If y is inexact, its last bit is set, so rounding it to fewer bits gives the same
 * result as rounding the value. */
static double round_cut(double y, int inexact, const rounder *h)
{
    if (h->plain)
        return y;
    return h->rounding == ATTEST_SIMULATED_NEAREST
               ? attest_in_double_nearest(attest_in_double_to_odd(y, inexact ? y : 0), h)
               : attest_in_double_cut(y, h);
}

/* 1/sqrt(dim), rounded once. */
static double get_rsqrt(size_t dim, const rounder *h)
{
    MPFR(53, root);
    int inexact;

    mpfr_set_ui(root, dim, MPFR_RNDN);
    inexact = mpfr_rec_sqrt(root, root, h->plain ? MPFR_RNDN : MPFR_RNDZ);
    return round_cut(mpfr_get_d(root, MPFR_RNDN), inexact, h);
}

/* tanh x, rounded once. */
static double get_tanh(double x, const rounder *h)
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

attest_audit_head_simulation *
attest_audit_head_simulation_new(const attest_simulated_arithmetic *arithmetic,
                                 const attest_judge_problem *x)
{
    attest_audit_head_simulation *s = attest_memory_alloc(1, sizeof *s);
    const rounder *h;

    if (!s)
        return NULL;
    *s = (attest_audit_head_simulation){
        .problem = x,
        .work = {.arithmetic = arithmetic,
                 .rounded = ATTEST_AUDIT_ALL_STAGES,
                 .longest = x->keys + 1,
                 .widest = x->dim > x->value_dim ? x->dim : x->value_dim}};
    s->query = numbers(x->queries, x->dim);
    s->key = numbers(x->keys, x->dim);
    s->value = numbers(x->keys, x->value_dim);
    s->seen_key = numbers(x->keys, x->dim);
    s->seen_value = numbers(x->keys, x->value_dim);
    s->weights_out = numbers(x->keys + 1, 1);
    s->seen = attest_memory_alloc(x->keys, sizeof *s->seen);
    if (!work_init(&s->work) || !s->query || !s->key || !s->value || !s->seen_key ||
        !s->seen_value || !s->weights_out || !s->seen) {
        attest_audit_head_simulation_free(s);
        return NULL;
    }
    h = &s->work.stage[ATTEST_STAGE_SCORE].arithmetic;
    s->work.weights_out = s->weights_out;
    s->scales = x->rsqrt || !fmpq_is_one(x->scale);
    s->scale = x->rsqrt ? get_rsqrt(x->dim, h)
                        : attest_in_double_get_fraction(fmpq_numref(x->scale),
                                                        fmpq_denref(x->scale), h);
    if (x->capped)
        s->cap =
            attest_in_double_get_fraction(fmpq_numref(x->softcap), fmpq_denref(x->softcap), h);
    return s;
}

void attest_audit_head_simulation_free(attest_audit_head_simulation *s)
{
    if (!s)
        return;
    work_clear(&s->work);
    free(s->query);
    free(s->key);
    free(s->value);
    free(s->seen_key);
    free(s->seen_value);
    free(s->weights_out);
    free(s->seen);
    free(s);
}

bool attest_audit_head_simulation_escaped(const attest_audit_head_simulation *s)
{
    return *s->work.escaped;
}

void attest_audit_head_simulation_load(attest_audit_head_simulation *s,
                                       const attest_judge_head *head)
{
    const attest_judge_problem *x = s->problem;
    const rounder *h = &s->work.stage[ATTEST_STAGE_INPUT].arithmetic;

    s->work.random = attest_random_mix(s->work.arithmetic->seed ^
                                       attest_random_mix(head->batch * x->heads + head->head));
    for (size_t i = 0; i < x->queries * x->dim; i++)
        s->query[i] = attest_in_double_convert(head->q[i], h);
    for (size_t i = 0; i < x->keys * x->dim; i++)
        s->key[i % x->dim * x->keys + i / x->dim] = attest_in_double_convert(head->k[i], h);
    for (size_t i = 0; i < x->keys * x->value_dim; i++)
        s->value[i] = attest_in_double_convert(head->v[i], h);
    s->sink = head->sink ? attest_in_double_convert(head->sink_logit, h) : 0;
}

/* Sets v and s->seen to the keys that the row sees: the arrays of the head, or copies if some
 * keys are masked. */
static void set_visible_keys(view *v, attest_audit_head_simulation *s,
                             const attest_judge_row *keys)
{
    const attest_judge_problem *x = s->problem;

    v->visible = 0;
    for (size_t j = keys->first; j < keys->last; j++)
        if (!keys->bias || keys->bias[j - keys->first] > -(double)INFINITY)
            s->seen[v->visible++] = j;
    v->stride = x->keys;
    v->key = s->key + keys->first;
    v->value = s->value + keys->first * x->value_dim;
    if (v->visible == keys->last - keys->first)
        return;
    v->stride = v->visible;
    for (size_t j = 0; j < v->visible; j++) {
        for (size_t c = 0; c < x->dim; c++)
            s->seen_key[c * v->visible + j] = s->key[c * x->keys + s->seen[j]];
        memcpy(s->seen_value + j * x->value_dim, s->value + s->seen[j] * x->value_dim,
               x->value_dim * sizeof *s->value);
    }
    v->key = s->seen_key;
    v->value = s->seen_value;
}

/* Computes the scores of the keys, scaled, capped and masked, followed by the score of the
 * sink. */
static void score_row(const view *v, attest_audit_head_simulation *s,
                      const attest_judge_row *keys)
{
    const rounder *h = &s->work.stage[ATTEST_STAGE_SCORE].arithmetic;
    double *score = s->work.score.at;

    score_keys(v, &s->work);
    for (size_t j = 0; j < v->visible; j++) {
        double t = s->scales ? attest_in_double_mul(score[j], s->scale, h) : score[j];

        if (s->problem->capped)
            t = attest_in_double_mul(s->cap, get_tanh(attest_in_double_div(t, s->cap, h), h),
                                     h);
        if (keys->bias)
            t = attest_in_double_add(
                t, attest_in_double_convert(keys->bias[s->seen[j] - keys->first], h), h);
        score[j] = t;
    }
    score[v->visible] = s->sink;
}

void attest_audit_head_simulation_run(double *out, double *weight,
                                      attest_audit_head_simulation *s, attest_judge_head *head,
                                      size_t i)
{
    const attest_judge_problem *x = s->problem;
    attest_judge_row keys;
    view v = {
        .score_width = x->dim, .value_width = x->value_dim, .query = s->query + i * x->dim};

    attest_judge_head_get_row(&keys, head, i);
    set_visible_keys(&v, s, &keys);
    v.terms = v.visible + head->sink;
    score_row(&v, s, &keys);
    attend(&v, &s->work);
    memcpy(out, s->work.mean.at, x->value_dim * sizeof *out);
    memset(weight, 0, (x->keys + 1) * sizeof *weight);
    for (size_t j = 0; j < v.visible; j++)
        weight[s->seen[j]] = s->weights_out[j];
    if (head->sink)
        weight[x->keys] = s->weights_out[v.visible];
}
