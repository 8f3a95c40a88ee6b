/* kernels.h -- an audit of the fast path: the errors of the kernels, and how pessimistic their
 * bound is. */
#ifndef ATTEST_AUDIT_KERNELS_H
#define ATTEST_AUDIT_KERNELS_H

#include "audit/evaluate.h"
#include "audit/reference.h"

/* Powers of two: bin 0 counts numbers below 2^LEAST (and 0), bin i those in [2^(LEAST + i - 1),
 * 2^(LEAST + i)), the last bin all larger ones. */
enum {
    ATTEST_KERNELS_BINS = 40,
    ATTEST_KERNELS_LEAST_ULP = -8,
    ATTEST_KERNELS_LEAST_RATIO = 0
};

typedef struct attest_audit_kernels {
    bool known;
    const char *name; /* the kernel that ran */
    size_t sequences, rows, entries;
    double max_ulp, mean_ulp; /* of an entry, against balls for the same doubles */
    size_t ulp[ATTEST_KERNELS_BINS];
    /* bound / error of a row, where the error is not 0 and the bound is finite. */
    size_t ratio[ATTEST_KERNELS_BINS];
    size_t exact;    /* rows without error */
    size_t infinite; /* rows without a bound */
    size_t broken;   /* rows whose error exceeds its bound: there must be none */
} attest_audit_kernels;

/* Runs the softmax kernel on queries, keys and values of the reference's sample, formed in
 * double, and encloses the exact results for these doubles. For hardmax known is false. Status:
 * NOMEM. */
attest_status attest_audit_kernels_get(attest_audit_kernels *kernels,
                                       const attest_audit_request *request,
                                       const attest_audit_reference *sample,
                                       attest_error *error) ATTEST_WARN_UNUSED;

#endif
