/* interval_run.h -- bounds on the results of a kernel with a schedule, for any exp that the
 * model allows.
 *
 * The kernel runs on intervals, with the same roundings: proofs-notes/interval_run.md proves
 * every step, and the code names its lemmas. A schedule does not determine exp, tanh and the
 * final division, which have the errors of the variant, and whether binary32 results below
 * 2^-126 are flushed, except for scores. */
#ifndef ATTEST_JUDGE_INTERVAL_RUN_H
#define ATTEST_JUDGE_INTERVAL_RUN_H

#include "judge/kernel_instance.h"

typedef struct attest_judge_interval {
    double lo, hi;
} attest_judge_interval;

enum { LOWER, UPPER };

/* Arrays and accumulators of the lower and of the upper ends. */
typedef struct attest_judge_interval_run {
    attest_judge_instance x;
    attest_judge_accumulator sum[2], pv[2], work[2];
    double *score[2], *exponential[2], *weight[2]; /* of the keys of a row */
    double *o[2], *group[2];
    double *part[2];   /* the outputs, row sum and reference of every split */
    double *joined[2]; /* their logarithms, and their weights */
    double *term[2];   /* space for one tile */
    double *upper;     /* the arrays that are not those of x */
} attest_judge_interval_run;

/* Problem, variant and schedule must outlive it. Status as attest_judge_instance_init. */
attest_status attest_judge_interval_run_init(attest_judge_interval_run *r,
                                             const attest_judge_problem *problem,
                                             const attest_judge_variant *variant,
                                             const attest_judge_schedule *schedule,
                                             attest_error *error) ATTEST_WARN_UNUSED;
void attest_judge_interval_run_clear(attest_judge_interval_run *r);

/* Every kernel of the schedule returns for column c of row i a number from lo[c] to hi[c].
 * False: no bound is known because P or an accumulator may overflow; lo, hi are -inf, +inf. */
bool attest_judge_interval_run_row(double *lo, double *hi, attest_judge_interval_run *r,
                                   attest_judge_head *head, size_t i);

/* ---- single steps ---- */

/* Lemma 3: exp of an argument in the interval, with any error of the model; two: exp2. */
attest_judge_interval attest_judge_interval_exp(const attest_judge_instance *x,
                                                attest_judge_interval argument, bool two);

/* lo, hi = bounds on the exponentials of count keys with known scores, from number first of the
 * row on; 0 where a key is not seen. Returns false, and does nothing, if each key needs its own
 * computation. */
bool attest_judge_interval_exponentials(double *lo, double *hi, attest_judge_interval_run *r,
                                        size_t first, size_t count, double reference);

/* Casts P to the format in which it is multiplied with V, (j). Domain: >= 0, not quantised. */
void attest_judge_interval_cast(double *weight, const attest_judge_instance *x, size_t count);

/* The row sums of both ends, lane by lane. */
typedef struct attest_judge_interval_lanes {
    double sum[2][ATTEST_RECIPE_LANES];
    bool started[ATTEST_RECIPE_LANES];
    size_t running; /* the number of started lanes */
} attest_judge_interval_lanes;

/* Adds count terms >= 0: the first to lane lead, the next to the lane after it, and so on. */
void attest_judge_interval_add_lanes(attest_judge_interval_lanes *lanes,
                                     const double *const term[2], size_t lead, size_t count,
                                     const attest_judge_interval_run *r);

/* o += the weights of a tile times its values. first: the first key of the row, where the
 * weights begin; started: o, r->o or r->group, is not empty. Returns false if a sum may be
 * beyond the largest number. */
bool attest_judge_interval_add_values(double *const o[2], attest_judge_interval_run *r,
                                      const attest_judge_head *head, size_t first,
                                      const attest_judge_tile *tile, bool started);

/* r->o += r->group, which becomes 0. started: r->o is not empty. */
void attest_judge_interval_add_group(attest_judge_interval_run *r, bool started);

/* Lemma 5: [*lo, *hi] becomes an interval that contains every result of the matrix unit for an
 * addend in it and products between those of lower and of upper, which share b. Returns false
 * if it may be beyond the largest number. */
bool attest_judge_interval_block(double *lo, double *hi, const attest_judge_block *lower,
                                 const attest_judge_block *upper,
                                 const attest_judge_unit *unit);

/* The same for many columns: weights from low to high, lo[c] and hi[c], b as in
 * attest_judge_unit_add_columns. */
bool attest_judge_interval_columns(double *lo, double *hi, const double *low,
                                   const double *high, const attest_judge_block *b,
                                   size_t columns, const attest_judge_unit *unit);

#endif
