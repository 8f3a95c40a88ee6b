/* evaluate_hosted.c -- evaluate.inc in formats that doubles host. */
#include "format/simulate_in_double.h"

typedef double number;
typedef attest_in_double rounder;
struct evaluation;

static void rounder_init(rounder *s, const attest_format *format, struct evaluation *e);
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
static uint64_t hash_token(const fmpz *numerator, const fmpz_t denominator, size_t dim);
static bool is_long(const struct evaluation *e, size_t items, size_t operations);

static inline void remember_exponentials(struct evaluation *e)
{
    (void)e; /* they are cheap */
}

#include "audit/evaluate.inc"
#include "audit/evaluate_common.h"

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

static void rounder_init(rounder *s, const attest_format *format, evaluation *e)
{
    attest_in_double_init(s, format, e->arithmetic->rounding, e->escaped, &e->random);
    s->hidden = s->plain && e->arithmetic->format.precision < s->format.precision;
}

/* The hardware's binary64 hides its errors behind those of formats with less than half its
 * bits. */
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

attest_status attest_audit_evaluate_hosted(attest_audit_outputs *outputs, bool *escaped,
                                           const attest_audit_request *request,
                                           const attest_simulated_arithmetic *arithmetic,
                                           attest_error *error)
{
    evaluation e ATTEST_CLEARED_BY(evaluation_clear) = {.request = request,
                                                        .arithmetic = arithmetic,
                                                        .weights = request->weights,
                                                        .dim = request->dataset->dim};

    ATTEST_TRY(evaluate(&e, error));
    *escaped = *e.escaped;
    *outputs = (attest_audit_outputs){.count = e.start[request->sequences],
                                      .dim = e.dim,
                                      .real = e.out.at,
                                      .bytes = e.out.bytes};
    e.out = (vector){0};
    return ATTEST_OK;
}
