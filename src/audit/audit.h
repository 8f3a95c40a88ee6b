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
#include "audit/kernels.h"
#include "audit/invariance.h"
#include "audit/pairs.h"

typedef enum attest_audit_verdict {
    ATTEST_AUDIT_SURVIVES = 0, /* the claim holds for the rounded outputs */
    ATTEST_AUDIT_FAILS,        /* no collision, but a separation or a norm is off its bound */
    ATTEST_AUDIT_COLLAPSES     /* a required pair collides */
} attest_audit_verdict;

const char *attest_audit_verdict_name(attest_audit_verdict verdict);

/* What was found in one arithmetic. */
typedef struct attest_audit_result {
    attest_simulated_arithmetic arithmetic;
    attest_audit_verdict verdict;
    attest_audit_collisions collisions;
    bool has_separation;  /* there is a required pair */
    arb_t min_separation; /* 0 where a pair collides */
    bool has_closest;
    size_t closest[2]; /* positions that attain it, where none collides */
    arb_t max_norm;    /* of the finite outputs */
    size_t saturated;  /* entries of the size of the largest number of the format */
    bool has_errors;
    attest_audit_errors errors;
    bool has_bound;
    attest_audit_deviation deviation; /* with has_errors */
    attest_audit_pairs pairs;
    attest_audit_weights_error weights_error; /* rows 0: not measured */
    bool has_stages;
    attest_audit_errors stage[ATTEST_STAGES]; /* with that stage rounded, the others not */
    attest_audit_laws laws;
} attest_audit_result;

/* Nothing found yet. */
void attest_audit_result_init(attest_audit_result *result,
                              const attest_simulated_arithmetic *arithmetic);
void attest_audit_result_clear(attest_audit_result *result);

/* How the certified separation was found. */
typedef struct attest_audit_certified {
    bool known;
    const char *method;
    attest_verdict verdict; /* of the claim, for the exact outputs */
    bool has_pair;
    attest_place pair[2];
    arb_t min_separation, max_norm;
} attest_audit_certified;

/* What Theorem 2 asks for on this dataset, whatever the weights are: r = r_max + eps/4, and the
 * closed formula for delta at the extremes of the data. */
typedef struct attest_audit_theory {
    bool known;
    const char *reason; /* why not */
    arb_t r, delta, delta_log2;
} attest_audit_theory;

typedef struct attest_audit {
    /* What is asked for. */
    const attest_dataset *dataset;
    const attest_weights *weights;
    attest_simulated_arithmetic like; /* algorithm and rounding for all formats */
    size_t formats;
    const attest_format *format;
    bool has_r;
    fmpq_t r, delta;                  /* the claim: norms < r, separations > delta */
    arf_t promise;                    /* ... and separations > promise, if it is positive */
    const attest_judge_model *kernel; /* NULL, or a kernel that is audited, too */
    bool compares;                    /* all algorithms side by side */
    bool has_stages;                  /* where the errors enter */
    bool has_kernels;                 /* the fast path, too */
    bool has_curve;                   /* the collapse curve, too */
    size_t jobs;
    double max_work; /* of certify, and of the balls of each reference */
    attest_progress progress;
    attest_audit_collapse collapse;
    /* What was found. */
    attest_contexts classes;
    attest_audit_certified certified;
    attest_audit_theory theory;
    attest_audit_reference reference, stage_reference;
    attest_audit_exact_weights exact_weights;
    attest_audit_result *result;    /* by format */
    attest_audit_result *staged;    /* of the kernel: its format is that of its outputs */
    attest_audit_result *algorithm; /* compares: formats for each of the algorithms */
    attest_audit_kernels kernels;
    attest_audit_curve curve;
    attest_audit_error_by_width error_by_width; /* with has_curve */
} attest_audit;

enum { ATTEST_AUDIT_ALGORITHMS = 12 };

/* No data; nearest, shifted, sequential; the claim is delta = 0 alone; max_work is that of
 * claims. */
void attest_audit_init(attest_audit *audit);
void attest_audit_clear(attest_audit *audit);

/* Algorithm i of those that are compared: softmax, order of sums and fusion are set. */
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

/* The bits of a significand that shows a difference of `small` in numbers up to `large`:
 * ceil(log2(large / small)) + 1, at least 1. false: small is not known to be positive. */
bool attest_audit_bits(fmpz_t bits, const arb_t large, const arb_t small);

/* What became of the outputs in one arithmetic, as a sentence. */
typedef struct attest_audit_conclusion {
    char words[512];
} attest_audit_conclusion;

void attest_audit_conclude(attest_audit_conclusion *text, const attest_audit_result *result);

/* Which laws it breaks on these data, as a sentence; empty: none was seen broken. */
void attest_audit_conclude_laws(attest_audit_conclusion *text,
                                const attest_audit_result *result);

/* log2 of the lower end of a positive ball, rounded down; false: it is not positive. */
bool attest_audit_log2_below(double *log2, const arb_t ball);

#endif
