/* interval_run.h -- what the kernel of a schedule returns whatever its exp does.
 *
 * The kernel is run on the lower and on the upper ends of what is open, with the same
 * roundings: proofs-notes/judge-replay.md proves every step, and the code names its lemmas.
 * Open are exp, tanh and the final division, within the errors of the variant, and whether
 * binary32 results below 2^-126 are flushed, the scores' excepted. */
#ifndef ATTEST_JUDGE_INTERVAL_RUN_H
#define ATTEST_JUDGE_INTERVAL_RUN_H

#include "judge/kernel_instance.h"

typedef struct attest_judge_interval {
    double lo, hi;
} attest_judge_interval;

/* What a split has come to: its reference, its row sum; its outputs in r->part. */
typedef struct attest_judge_interval_split {
    attest_judge_interval m, sum;
} attest_judge_interval_split;

typedef struct attest_judge_interval_run {
    attest_judge_instance x;
    attest_judge_accumulator sum[2], pv[2], work[2]; /* of the lower and of the upper ends */
    double *exponential[2], *weight[2], *term[2], *o[2], *group[2];
    double *part[2];                    /* the outputs of splits */
    attest_judge_interval_split *split; /* what else is known of them */
    attest_judge_interval *joined;      /* room for two of each */
} attest_judge_interval_run;

/* Question, variant and schedule must outlive it. Status as attest_judge_instance_init. */
attest_status attest_judge_interval_run_init(attest_judge_interval_run *replay,
                                             const attest_judge_problem *problem,
                                             const attest_judge_variant *variant,
                                             const attest_judge_schedule *schedule,
                                             attest_error *error) ATTEST_WARN_UNUSED;
void attest_judge_interval_run_clear(attest_judge_interval_run *replay);

/* Every kernel of the schedule returns for column c of row i a number from lo[c] to hi[c].
 * False: nothing can be said, as P or an accumulator may overflow; lo, hi are -inf, +inf. */
bool attest_judge_interval_run_row(double *lo, double *hi, attest_judge_interval_run *replay,
                                   attest_judge_head *head, size_t i);

/* Lemma 5: [*lo, *hi] holds what the unit returns for every addend in it and all products
 * between those of lower and of upper, which share b. False: beyond the largest number. */
bool attest_judge_interval_block(double *lo, double *hi, const attest_judge_block *lower,
                                 const attest_judge_block *upper,
                                 const attest_judge_unit *unit);

/* The same for many columns: weights from low to high, lo[c] and hi[c], b as in
 * attest_judge_unit_add_columns. */
bool attest_judge_interval_columns(double *lo, double *hi, const double *low,
                                   const double *high, const attest_judge_block *b,
                                   size_t columns, const attest_judge_unit *unit);

#endif
