/* graded.h -- the graded curve: the relative error of outputs against the width.
 *
 * Outputs of a real head hardly ever coincide, so that its collapse says little; how its error
 * falls from width to width does. What is shown is measured: it falls where the truth does. */
#ifndef ATTEST_AUDIT_GRADED_H
#define ATTEST_AUDIT_GRADED_H

#include "audit/reference.h"

enum { ATTEST_AUDIT_GRADED_WIDTHS = 24 };

typedef struct attest_audit_graded {
    size_t sequences; /* of the sample, those that were evaluated */
    size_t widths;    /* 1, 2, ..., with unbounded exponents */
    bool known[ATTEST_AUDIT_GRADED_WIDTHS];
    double max[ATTEST_AUDIT_GRADED_WIDTHS], mean[ATTEST_AUDIT_GRADED_WIDTHS];
} attest_audit_graded;

/* Measures widths 1 to 24 on the first sequences of the sample, as many as take about two
 * seconds of one processor by a count of operations, the same on every machine. arithmetic
 * gives the algorithm, the rounding and the accumulator. Status: NOMEM, IO. */
attest_status attest_audit_graded_get(attest_audit_graded *graded,
                                      const attest_audit_request *request,
                                      const attest_audit_reference *reference,
                                      const attest_simulated_arithmetic *arithmetic,
                                      attest_error *error) ATTEST_WARN_UNUSED;

#endif
