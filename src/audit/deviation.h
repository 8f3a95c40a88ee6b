/* deviation.h -- how far computed outputs lie from the exact ones, as whole vectors. */
#ifndef ATTEST_AUDIT_DEVIATION_H
#define ATTEST_AUDIT_DEVIATION_H

#include "audit/reference.h"

/* Relative errors |computed - exact| / |exact| at the positions of the sample, from above. */
typedef struct attest_audit_deviation {
    size_t positions; /* those that have one: a finite output, and an exact one that is not 0 */
    double max, mean;
    size_t worst;            /* the position in the sample */
    __mpfr_struct *distance; /* by position of the sample, >= |computed - exact|; infinite where
                              * an entry is not finite */
    size_t distance_bytes;
} attest_audit_deviation;

/* Measures outputs of the whole dataset (NULL: of the sample) at the positions of the sample.
 * Status: NOMEM. */
attest_status attest_audit_deviation_get(attest_audit_deviation *deviation,
                                         const attest_audit_outputs *outputs,
                                         const attest_dataset *dataset,
                                         const attest_audit_reference *reference,
                                         attest_error *error) ATTEST_WARN_UNUSED;
/* Gives back the distances; the numbers stay. */
void attest_audit_deviation_forget(attest_audit_deviation *deviation);
void attest_audit_deviation_clear(attest_audit_deviation *deviation);

#endif
