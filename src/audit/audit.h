/* audit.h -- an audit: one layer on one dataset, in many arithmetics. */
#ifndef ATTEST_AUDIT_AUDIT_H
#define ATTEST_AUDIT_AUDIT_H

#include <attest/certify.h>
#include <attest/dataset.h>
#include <attest/weights.h>

#include <attest/judge.h>

#include "audit/errors.h"
#include "audit/collapse.h"
#include "audit/collisions.h"
#include "audit/invariance.h"

/* The fast path: the errors of the kernels, and how pessimistic their bound is (kernels.c). */

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

typedef enum attest_audit_verdict {
    ATTEST_AUDIT_SURVIVES = 0, /* the claim holds for the rounded outputs */
    ATTEST_AUDIT_FAILS,        /* no collision, but a separation or a norm violates the claim */
    ATTEST_AUDIT_COLLAPSES     /* a required pair collides */
} attest_audit_verdict;

const char *attest_audit_verdict_name(attest_audit_verdict verdict);

/* The result in one arithmetic. */
typedef struct attest_audit_result {
    attest_simulated_arithmetic arithmetic;
    attest_audit_verdict verdict;
    attest_audit_collisions collisions;
    bool has_separation;  /* there is a required pair */
    arb_t min_separation; /* 0 if a pair collides */
    bool has_closest;
    size_t closest[2]; /* positions that attain it, if none collides */
    arb_t max_norm;    /* of the finite outputs */
    size_t saturated;  /* entries whose absolute value is the largest number of the format */
    bool has_errors;
    attest_audit_errors errors;
    bool has_bound;
    attest_audit_deviation deviation; /* valid if has_errors */
    attest_audit_pairs pairs;
    attest_audit_weights_error weights_error; /* rows 0: not measured */
    bool has_stages;
    attest_audit_errors stage[ATTEST_STAGES]; /* errors with this stage alone rounded */
    attest_audit_invariance invariance;
} attest_audit_result;

/* Sets an empty result. */
void attest_audit_result_init(attest_audit_result *result,
                              const attest_simulated_arithmetic *arithmetic);
void attest_audit_result_clear(attest_audit_result *result);

/* The certified separation and norm, and how they were found. */
typedef struct attest_audit_certified {
    bool known;
    const char *method;
    attest_verdict verdict; /* of the claim, for the exact outputs */
    bool has_pair;
    attest_place pair[2];
    arb_t min_separation, max_norm;
} attest_audit_certified;

/* The bounds of Theorem 2 for this dataset, which do not depend on the weights: r = r_max +
 * eps/4, and delta by the closed formula at the extremes of the data. */
typedef struct attest_audit_theory {
    bool known;
    const char *reason; /* why it is not known */
    arb_t r, delta, delta_log2;
} attest_audit_theory;

typedef struct attest_audit {
    /* Input. */
    const attest_dataset *dataset;
    const attest_weights *weights;
    attest_simulated_arithmetic like; /* algorithm and rounding for all formats */
    size_t formats;
    const attest_format *format;
    bool has_r;
    fmpq_t r, delta;                  /* the claim: norms < r, separations > delta */
    arf_t promise;                    /* ... and separations > promise, if it is positive */
    const attest_judge_model *kernel; /* NULL, or a kernel model to audit as well */
    bool compares;                    /* also audit all algorithms */
    bool has_stages;                  /* also measure the error of each stage */
    bool has_kernels;                 /* also measure the kernels of the fast path */
    bool has_curve; /* also compute the collapse curve and the error by width */
    size_t jobs;
    double max_work; /* limit on the work of certify, and of each reference */
    attest_progress progress;
    attest_audit_collapse collapse;
    /* Results. */
    attest_contexts classes;
    attest_audit_certified certified;
    attest_audit_theory theory;
    attest_audit_reference reference, stage_reference;
    attest_audit_exact_weights exact_weights;
    attest_audit_result *result; /* by format */
    attest_audit_result
        *kernel_result;             /* of the kernel model, in its output format; NULL: none */
    attest_audit_result *algorithm; /* if compares: by algorithm, then by format */
    attest_audit_kernels kernels;
    attest_audit_curve curve;
    attest_audit_error_by_width error_by_width; /* if has_curve */
} attest_audit;

enum { ATTEST_AUDIT_ALGORITHMS = 12 };

/* Sets defaults: no data, rounding to nearest, shifted softmax, sequential sums, the claim
 * delta = 0, and max_work as for claims. */
void attest_audit_init(attest_audit *audit);
void attest_audit_clear(attest_audit *audit);

/* Sets softmax, order of sums and fusion to algorithm i of those that are compared. */
void attest_audit_algorithm(attest_simulated_arithmetic *arithmetic, size_t i);

/* Runs the audit. Status: DOMAIN (shapes), UNABLE, NOMEM, IO. */
attest_status attest_audit_run(attest_audit *audit, attest_error *error) ATTEST_WARN_UNUSED;

/* Sets audit->certified: by attest_certify where that is affordable, else, for softmax, from
 * the outputs in binary64 and the a priori bound on their error: every separation differs from
 * that of the rounded outputs by at most twice the bound. Status: as attest_certify. */
attest_status attest_audit_certify(attest_audit *audit, attest_error *error) ATTEST_WARN_UNUSED;

/* Sets audit->theory. Status: NOMEM, UNABLE. */
attest_status attest_audit_theory_get(attest_audit *audit,
                                      attest_error *error) ATTEST_WARN_UNUSED;

/* bits = the significand bits that show a difference of `small` in numbers up to `large`:
 * ceil(log2(large / small)) + 1, at least 1. False: small is not known to be positive. */
bool attest_audit_bits(fmpz_t bits, const arb_t large, const arb_t small);

/* A sentence that summarises the result in one arithmetic. */
typedef struct attest_audit_conclusion {
    char words[512];
} attest_audit_conclusion;

void attest_audit_conclude(attest_audit_conclusion *text, const attest_audit_result *result);

/* A sentence about the laws that the arithmetic breaks on these data; empty if none was found
 * broken. */
void attest_audit_conclude_invariance(attest_audit_conclusion *text,
                                      const attest_audit_result *result);

#endif
