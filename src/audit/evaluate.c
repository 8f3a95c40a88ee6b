/* evaluate.c -- attention outputs of a dataset: the choice of the number system, and access to
 * the outputs. */
#include "audit/evaluate_in_double.h"

#include <math.h>
#include <stdlib.h>

#include "format/simulate_in_double.h"
#include "base/workers.h"
#include "number/ball.h"
#include "number/scope.h"

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
    return attest_audit_evaluate_in_mpfr(outputs, request, arithmetic, error);
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
