/* evaluate.c -- attention outputs of a dataset: by MPFR in any format, or in doubles
 * (evaluate_in_double.c) where they contain it; and access to the outputs. */
#include <math.h>
#include <stdlib.h>

#include "audit/evaluate.h"
#include "base/workers.h"
#include "format/simulate_in_double.h"
#include "format/simulate_in_mpfr.h"
#include "number/ball.h"
#include "number/scope.h"

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

/* evaluate.inc by MPFR, in any format. */
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

static attest_status evaluate_in_mpfr(attest_audit_outputs *outputs,
                                      const attest_audit_request *request,
                                      const attest_simulated_arithmetic *arithmetic,
                                      attest_error *error)
{
    evaluation e ATTEST_CLEARED_BY(evaluation_clear) = {.request = request};

    ATTEST_TRY(evaluate(&e, request, arithmetic, error));
    *outputs = (attest_audit_outputs){.count = e.layout.start[request->sequences],
                                      .dim = e.dim,
                                      .wide = e.out.at,
                                      .bytes = e.out.bytes};
    e.out = (vector){0};
    return ATTEST_OK;
}

size_t attest_audit_request_sequence(const attest_audit_request *request, size_t i)
{
    return request->sequence ? request->sequence[i] : i;
}

bool attest_audit_layout_init(attest_audit_layout *layout, const attest_audit_request *request)
{
    const attest_dataset *dataset = request->dataset;
    size_t positions = 0;

    *layout = (attest_audit_layout){
        .local = attest_memory_alloc(dataset->tokens.count, sizeof *layout->local),
        .token = attest_memory_alloc(dataset->tokens.count, sizeof *layout->token),
        .start = attest_memory_alloc(request->sequences + 1, sizeof *layout->start)};
    if (!layout->local || !layout->token || !layout->start)
        return false;
    for (size_t i = 0; i < request->sequences; i++) {
        size_t sequence = attest_audit_request_sequence(request, i);
        size_t length = attest_dataset_length(dataset, sequence);
        layout->start[i] = positions;
        positions += length;
        layout->longest = length > layout->longest ? length : layout->longest;
        for (size_t k = 0; k < length; k++) {
            uint32_t t = attest_dataset_token(dataset, sequence, k);
            if (layout->local[t] == 0) {
                layout->token[layout->tokens++] = t;
                layout->local[t] = (uint32_t)layout->tokens;
            }
        }
    }
    layout->start[request->sequences] = positions;
    return true;
}

void attest_audit_layout_clear(attest_audit_layout *layout)
{
    free(layout->local);
    free(layout->token);
    free(layout->start);
}

size_t attest_audit_passages(size_t sequences, size_t items)
{
    return sequences > 0 && sequences < items ? (items + sequences - 1) / sequences : 1;
}

attest_audit_passage attest_audit_passage_get(size_t length, size_t i, size_t passages)
{
    return (attest_audit_passage){length * i / passages, length * (i + 1) / passages};
}

void attest_audit_request_init(attest_audit_request *request, const attest_dataset *dataset,
                               const attest_weights *weights)
{
    *request = (attest_audit_request){.dataset = dataset,
                                      .weights = weights,
                                      .sequences = dataset->count,
                                      .rounded = ATTEST_AUDIT_ALL_STAGES,
                                      .jobs = 1,
                                      .max_work = INFINITY};
}

/* Returns whether doubles can simulate the request. Products of binary64 numbers are not exact
 * in binary64, so rounding them to an accumulator of fewer bits would round twice. */
static bool fits_doubles(const attest_audit_request *request,
                         const attest_simulated_arithmetic *a)
{
    bool all = request->rounded == ATTEST_AUDIT_ALL_STAGES;

    if (request->always_mpfr || !attest_in_double_fits(&a->format, a->rounding))
        return false;
    if (!all && (a->format.precision == 53 || a->rounding != ATTEST_SIMULATED_NEAREST ||
                 !a->format.bounded))
        return false; /* binary64 cannot be the reference: it is no more precise, it supports
                         only rounding to nearest, or leaving its range would go unnoticed */
    if (!a->accumulates)
        return true;
    return a->format.precision != 53 && attest_in_double_fits(&a->accumulate, a->rounding);
}

attest_status attest_audit_evaluate(attest_audit_outputs *outputs,
                                    const attest_audit_request *request,
                                    const attest_simulated_arithmetic *arithmetic,
                                    attest_error *error)
{
    bool escaped = false;

    if (fits_doubles(request, arithmetic)) {
        ATTEST_TRY(
            attest_audit_evaluate_in_double(outputs, &escaped, request, arithmetic, error));
        if (!escaped)
            return ATTEST_OK;
        attest_audit_outputs_clear(outputs);
    }
    return evaluate_in_mpfr(outputs, request, arithmetic, error);
}

void attest_audit_outputs_clear(attest_audit_outputs *outputs)
{
    attest_shared_free(outputs->real, outputs->bytes, 1);
    attest_shared_free(outputs->wide, outputs->bytes, 1);
    *outputs = (attest_audit_outputs){0};
}

bool attest_audit_outputs_finite(const attest_audit_outputs *outputs, size_t p)
{
    for (size_t c = p * outputs->dim; c < (p + 1) * outputs->dim; c++)
        if (outputs->real ? !isfinite(outputs->real[c]) : !mpfr_number_p(outputs->wide + c))
            return false;
    return true;
}

int attest_audit_outputs_compare(const attest_audit_outputs *outputs, size_t p, size_t q)
{
    for (size_t c = 0; c < outputs->dim; c++) {
        size_t i = p * outputs->dim + c, j = q * outputs->dim + c;
        int order = outputs->real ? (outputs->real[i] > outputs->real[j]) -
                                        (outputs->real[i] < outputs->real[j])
                                  : mpfr_cmp(outputs->wide + i, outputs->wide + j);
        if (order != 0)
            return order;
    }
    return 0;
}

size_t attest_audit_outputs_saturated(const attest_audit_outputs *outputs,
                                      const attest_format *format)
{
    size_t count = 0, entries = outputs->count * outputs->dim;
    double largest;

    if (!format->bounded)
        return 0;
    MPFR(format->precision + 2, most, unit);
    mpfr_set_ui_2exp(most, 1, format->emax + 1, MPFR_RNDN);
    mpfr_set_ui_2exp(unit, format->top_is_nan ? 2 : 1, format->emax - format->precision + 1,
                     MPFR_RNDN);
    mpfr_sub(most, most, unit, MPFR_RNDN);
    largest = mpfr_get_d(most, MPFR_RNDN); /* exact if doubles contain the format */
    for (size_t i = 0; i < entries; i++)
        count += outputs->real ? fabs(outputs->real[i]) == largest
                               : !mpfr_nan_p(outputs->wide + i) &&
                                     mpfr_cmpabs(outputs->wide + i, most) == 0;
    return count;
}

void attest_audit_outputs_get(arf_t x, const attest_audit_outputs *outputs, size_t p, size_t c)
{
    size_t i = p * outputs->dim + c;

    if (outputs->real)
        arf_set_d(x, outputs->real[i]);
    else
        arf_set_mpfr(x, outputs->wide + i);
}
