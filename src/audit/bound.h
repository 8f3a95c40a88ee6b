/* bound.h -- an a priori bound on the error of attention in a simulated arithmetic.
 *
 * proofs-notes/audit.md derives it. All bounds are divided by the unit roundoff u of the format
 * and increase with u, so a bound computed for one width, times the u of a larger width, is a
 * bound for that width. */
#ifndef ATTEST_AUDIT_BOUND_H
#define ATTEST_AUDIT_BOUND_H

#include "audit/evaluate.h"

/* The roundings that the bound allows for. */
typedef struct attest_audit_model {
    double u;         /* unit roundoff from above, > 0 */
    double u_sum;     /* that of the accumulator, if there is one, else u */
    long unit_bits;   /* bounds are in units of 2^-unit_bits */
    double tiny;      /* bounds the error of an operation that underflows, in these units */
    double most;      /* the largest number; infinite for unbounded exponents */
    long exact_bits;  /* integers of this many bits are exact, for any exponent; 0: unknown */
    bool shifted;     /* the maximum is subtracted from the scores */
    bool accumulates; /* sums are rounded once more when they are stored */
    bool pairwise;
    size_t online_block; /* 0: not online */
    bool capped; /* also bound the error of a sum by the sizes of its terms: finite for any
                    length, but this bound over u does not increase with u. Domain: rounding to
                    nearest, sums from the first term to the last, not online */
} attest_audit_model;

/* Sets the model of an arithmetic. Widths beyond 500 bits use the unit of 500 bits, since a
 * bound for a larger unit holds for a smaller one: in their own units (unit_bits) or, with an
 * accumulator, whose errors do not shrink with the width, in units of 2^-500. */
void attest_audit_model_init(attest_audit_model *model,
                             const attest_simulated_arithmetic *arithmetic);

/* Sets capped if its domain allows it. The bound then holds for this arithmetic only, not for
 * larger widths. */
void attest_audit_model_cap(attest_audit_model *model,
                            const attest_simulated_arithmetic *arithmetic);

/* norm[p] >= |computed output - exact output| 2^unit_bits at position p of the request's
 * sequences, and entry[p*dim + c] is this bound for one entry; infinite where there is no
 * bound: entries outside the range of doubles, possible overflow. Each may be NULL; both are in
 * attest_shared_alloc memory. Status: NOMEM, IO. Cost: about five evaluations in double. */
attest_status attest_audit_bound(double *norm, double *entry,
                                 const attest_audit_request *request,
                                 const attest_audit_model *model,
                                 attest_error *error) ATTEST_WARN_UNUSED;

/* variation[p heads + h] >= the total variation, half the sum of |computed - exact|, of the
 * weights of head h at position p; infinite where there is no bound, and for hardmax. In
 * attest_shared_alloc memory. Status and cost as above. */
attest_status attest_audit_bound_weights(double *variation, const attest_audit_request *request,
                                         const attest_audit_model *model,
                                         attest_error *error) ATTEST_WARN_UNUSED;

#endif
