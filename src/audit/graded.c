/* graded.c -- the graded curve: the relative error of outputs against the width. */
#include "audit/graded.h"

#include "audit/collapse.h"
#include "audit/deviation.h"
#include "base/scope.h"

#define WORK_LIMIT 2.0 /* estimated seconds of one processor */

/* The first sequences of the sample, as many as are affordable, and one at least. */
static attest_audit_reference first_of(const attest_audit_reference *reference,
                                       const attest_audit_request *request,
                                       const attest_simulated_arithmetic *like)
{
    attest_simulated_arithmetic arithmetic;
    attest_audit_reference part = *reference;
    double each, affordable;

    attest_audit_width_set(&arithmetic, like, ATTEST_AUDIT_GRADED_WIDTHS);
    each = attest_audit_width_cost(request, &arithmetic) / (double)request->dataset->count;
    affordable = WORK_LIMIT / (each * ATTEST_AUDIT_GRADED_WIDTHS);
    if (affordable < (double)part.sequences)
        part.sequences = affordable > 1 ? (size_t)affordable : 1;
    part.positions = part.start[part.sequences];
    return part;
}

attest_status attest_audit_graded_get(attest_audit_graded *graded,
                                      const attest_audit_request *request,
                                      const attest_audit_reference *reference,
                                      const attest_simulated_arithmetic *like,
                                      attest_error *error)
{
    attest_audit_reference part = first_of(reference, request, like);
    attest_audit_request sample = *request;

    *graded = (attest_audit_graded){.sequences = part.sequences};
    sample.sequence = part.sequence;
    sample.sequences = part.sequences;
    for (size_t w = 0; w < ATTEST_AUDIT_GRADED_WIDTHS; w++) {
        attest_simulated_arithmetic arithmetic;
        attest_audit_outputs outputs ATTEST_CLEARED_BY(attest_audit_outputs_clear) = {0};
        attest_audit_deviation deviation ATTEST_CLEARED_BY(attest_audit_deviation_clear) = {0};

        attest_audit_width_set(&arithmetic, like, (long)w + 1);
        ATTEST_TRY(attest_audit_evaluate(&outputs, &sample, &arithmetic, error));
        ATTEST_TRY(attest_audit_deviation_get(&deviation, &outputs, NULL, &part, error));
        graded->known[w] = deviation.positions > 0;
        graded->max[w] = deviation.max;
        graded->mean[w] = deviation.mean;
        graded->widths = w + 1;
    }
    return ATTEST_OK;
}
