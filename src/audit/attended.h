/* attended.h -- how far the weights of softmax are from the exact ones in an arithmetic. */
#ifndef ATTEST_AUDIT_ATTENDED_H
#define ATTEST_AUDIT_ATTENDED_H

#include "audit/reference.h"

/* Exact weights of a sample, up to a bound: those of binary64, and what they may be off by. */
typedef struct attest_audit_weights {
    attest_audit_request request; /* which sequences */
    size_t rows;                  /* positions times heads */
    size_t longest;
    double *weight;    /* longest for each row */
    double *variation; /* by row: >= the total variation from the exact weights */
} attest_audit_weights;

/* Errors of the weights over the rows that have finite ones. */
typedef struct attest_audit_attended {
    size_t rows;
    double max, mean; /* total variation, half the sum of |computed - exact|, from above */
    size_t changed;   /* rows whose strongest key is not, for certain, a strongest exact one */
} attest_audit_attended;

/* Takes as many sequences of the sample as fit in about 64 MB. rows is 0 for hardmax. Status:
 * NOMEM, IO. */
attest_status attest_audit_weights_get(attest_audit_weights *weights,
                                       const attest_audit_request *request,
                                       const attest_audit_reference *sample,
                                       attest_error *error) ATTEST_WARN_UNUSED;
void attest_audit_weights_clear(attest_audit_weights *weights);

/* Counts one row of n weights: those of an arithmetic, and the exact ones but for a total
 * variation of `off`. mean is the sum until all rows are counted. */
void attest_audit_attended_add(attest_audit_attended *attended, const double *computed,
                               const double *exact, double off, size_t n);

/* Status: NOMEM, IO. Cost: one evaluation of the sample. */
attest_status attest_audit_attended_get(attest_audit_attended *attended,
                                        const attest_audit_weights *exact,
                                        const attest_simulated_arithmetic *arithmetic,
                                        attest_error *error) ATTEST_WARN_UNUSED;

#endif
