/* curve.c -- the collapse curve: collisions and the least separation against the width. */
#include "audit/curve.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/scope.h"

enum { EVERY_TO = 16, LEAST_END = 64 };
#define WORK_LIMIT 2.0 /* estimated seconds of one processor */

void attest_audit_curve_init(attest_audit_curve *curve)
{
    *curve = (attest_audit_curve){0};
}

void attest_audit_curve_clear(attest_audit_curve *curve)
{
    for (size_t i = 0; i < curve->widths; i++)
        fmpz_clear(curve->width[i].collisions);
    free(curve->width);
    attest_audit_curve_init(curve);
}

static attest_status measure(attest_audit_width *width, const attest_audit_outputs *outputs,
                             const attest_contexts *classes, attest_error *error)
{
    ATTEST_SCOPED(attest_audit_collisions, collisions);

    ATTEST_TRY(attest_audit_collisions_get(&collisions, outputs, classes, error));
    width->nonfinite = collisions.nonfinite;
    fmpz_set(width->collisions, collisions.pairs);
    if (collisions.has_pair || collisions.nonfinite > 0)
        return ATTEST_OK;
    return attest_audit_separation_log2(&width->log2_separation, &width->has_separation,
                                        outputs, classes, error);
}

static attest_status add_width(attest_audit_curve *curve,
                               const attest_simulated_arithmetic *arithmetic,
                               const attest_audit_request *request,
                               const attest_contexts *classes, attest_error *error)
{
    attest_audit_outputs outputs ATTEST_CLEARED_BY(attest_audit_outputs_clear) = {0};

    if (!attest_memory_grow(&curve->width, &curve->room, curve->widths + 1,
                            sizeof *curve->width))
        return attest_memory_fail(error);
    ATTEST_TRY(attest_audit_evaluate(&outputs, request, arithmetic, error));
    curve->width[curve->widths] = (attest_audit_width){.bits = arithmetic->format.precision};
    fmpz_init(curve->width[curve->widths].collisions);
    return measure(&curve->width[curve->widths++], &outputs, classes, error);
}

/* The next width to look at: by one, then by about a fifth. */
static long next_width(long bits)
{
    return bits < EVERY_TO ? bits + 1 : bits + (bits + 4) / 5;
}

/* The estimated seconds that a width takes: its evaluation, and its closest pair. */
static double cost(const attest_audit_request *request,
                   const attest_simulated_arithmetic *arithmetic)
{
    const attest_dataset *dataset = request->dataset;

    return attest_audit_width_cost(request, arithmetic) +
           (double)dataset->total * (1e-6 + 1e-7 * (double)dataset->dim);
}

attest_status
attest_audit_curve_find(attest_audit_curve *curve, const attest_audit_request *request,
                        const attest_contexts *classes, const attest_simulated_arithmetic *like,
                        const attest_audit_collapse *collapse, attest_error *error)
{
    attest_simulated_arithmetic arithmetic;
    long end = collapse->bits ? 2 * collapse->bits : collapse->high;
    double spent = 0;

    if (fmpz_is_zero(classes->required_pairs))
        return ATTEST_OK;
    end = end < LEAST_END ? LEAST_END : end;
    end = end < collapse->high ? end : collapse->high;
    for (long bits = collapse->low; bits <= end; bits = next_width(bits)) {
        attest_audit_width_set(&arithmetic, like, bits);
        spent += cost(request, &arithmetic);
        if (spent > WORK_LIMIT)
            break;
        ATTEST_TRY(add_width(curve, &arithmetic, request, classes, error));
    }
    return ATTEST_OK;
}
