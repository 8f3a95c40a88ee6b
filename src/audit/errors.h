/* errors.h -- errors of outputs, in units of the last place, against certified ones. */
#ifndef ATTEST_AUDIT_ERRORS_H
#define ATTEST_AUDIT_ERRORS_H

#include "audit/reference.h"
#include "audit/size.h"

/* Errors in units of the last place of a format at the true value; an output that is not finite
 * has none. */
typedef struct attest_audit_errors {
    size_t entries;    /* finite entries that were compared */
    bool unlimited;    /* an unbounded format missed an exact 0: infinitely many ulp */
    size_t unresolved; /* entries of which it is not known whether they are 0 */
    attest_audit_size max_ulp, mean_ulp;
    size_t worst;                /* the position in the sample */
    attest_audit_size bound_ulp; /* the largest a priori bound, over the same entries; infinite:
                                  * none */
} attest_audit_errors;

/* Whether the errors were measured at all entries, and none is beyond MPFR's exponents. */
bool attest_audit_errors_known(const attest_audit_errors *errors);

/* Measures outputs in this format. all: they are those of the whole dataset, else those of the
 * sample. bound: entry by entry over the unit roundoff 2^-unit_bits, as attest_audit_bound has
 * it for the sample, or NULL. The same for any number of jobs. Status: NOMEM, IO. */
attest_status
attest_audit_errors_get(attest_audit_errors *errors, const attest_audit_outputs *outputs,
                        const attest_dataset *all, const attest_audit_reference *reference,
                        const attest_format *format, const double *bound, long unit_bits,
                        size_t jobs, attest_error *error) ATTEST_WARN_UNUSED;

#endif
