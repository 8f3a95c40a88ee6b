/* evaluate_in_mpfr.c -- evaluate.inc in any format, by MPFR. */
#include "format/simulate_in_mpfr.h"

typedef __mpfr_struct number;
typedef attest_in_mpfr rounder;
struct work;

static void rounder_init(rounder *s, const attest_format *format, struct work *w);
static attest_format reference_format(const attest_format *format);

#define rounder_clear attest_in_mpfr_clear
#define op_convert attest_in_mpfr_convert
#define op_add attest_in_mpfr_add
#define op_add_wider attest_in_mpfr_add
#define op_sub attest_in_mpfr_sub
#define op_mul attest_in_mpfr_mul
#define op_fma attest_in_mpfr_fma
#define op_div attest_in_mpfr_div
#define op_exp attest_in_mpfr_exp_cached
#define op_set_fraction attest_in_mpfr_set_fraction

static inline void op_set(number *z, const number *x)
{
    mpfr_set(z, x, MPFR_RNDN); /* exact: the same precision */
}

static inline void op_zero(number *z)
{
    mpfr_set_zero(z, 1);
}

static inline void op_one(number *z, rounder *s)
{
    mpfr_set_ui(s->operand, 1, MPFR_RNDN);
    attest_in_mpfr_convert(z, s->operand, s);
}

static inline double op_get_double(const number *x)
{
    return mpfr_get_d(x, MPFR_RNDN);
}

static inline double op_get_ratio(const number *x, const number *y, rounder *s)
{
    mpfr_div(s->operand, x, y, MPFR_RNDN);
    return mpfr_get_d(s->operand, MPFR_RNDN);
}

static inline bool op_is_nan(const number *x)
{
    return mpfr_nan_p(x);
}

static inline bool op_greater(const number *x, const number *y)
{
    return mpfr_greater_p(x, y);
}

static inline bool op_equal(const number *x, const number *y)
{
    return mpfr_equal_p(x, y);
}

struct stage;
static bool combine_at_once(number *y, const number *m, size_t rows, size_t cols, size_t stride,
                            const number *x, struct stage *s,
                            const attest_simulated_arithmetic *a);
static void remember_exponentials(struct work *w);

#include "audit/evaluate.inc"

static void rounder_init(rounder *s, const attest_format *format, work *w)
{
    attest_in_mpfr_init(s, format, w->arithmetic->rounding, &w->random);
}

/* With 2p + 64 bits the reference's errors are negligible, except after catastrophic
 * cancellation. */
static attest_format reference_format(const attest_format *format)
{
    return (attest_format){.name = "reference", .precision = 2 * format->precision + 64};
}

/* Caches exponentials for formats in which computing one takes longer than looking it up. */
static void remember_exponentials(work *w)
{
    bool naive = w->arithmetic->softmax == ATTEST_SIMULATED_NAIVE;
    const stage *powers = &w->stage[naive ? ATTEST_STAGE_SCORE : ATTEST_STAGE_MAX];

    if (w->arithmetic->format.precision >= 64)
        attest_in_mpfr_remember(&w->stage[ATTEST_STAGE_EXP].arithmetic,
                                powers->format.precision);
}

static bool numbers_init(vector *v, size_t count, const attest_format *format, bool shared)
{
    v->shared = shared;
    v->at = attest_in_mpfr_vector_init(&v->bytes, count, format->precision, shared);
    return v->at != NULL;
}

static bool combine_at_once(number *y, const number *m, size_t rows, size_t cols, size_t stride,
                            const number *x, stage *s, const attest_simulated_arithmetic *a)
{
    (void)y, (void)m, (void)rows, (void)cols, (void)stride, (void)x, (void)s, (void)a;
    return false;
}

attest_status attest_audit_evaluate_in_mpfr(attest_audit_outputs *outputs,
                                            const attest_audit_request *request,
                                            const attest_simulated_arithmetic *arithmetic,
                                            attest_error *error)
{
    evaluation e ATTEST_CLEARED_BY(evaluation_clear) = {.request = request};

    ATTEST_TRY(evaluate(&e, request, arithmetic, error));
    *outputs = (attest_audit_outputs){.count = e.start[request->sequences],
                                      .dim = e.dim,
                                      .wide = e.out.at,
                                      .bytes = e.out.bytes};
    e.out = (vector){0};
    return ATTEST_OK;
}
