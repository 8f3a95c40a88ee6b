/* head_bound.h -- the bounds of the rows of a head, one after another. */
#ifndef ATTEST_JUDGE_HEAD_BOUND_H
#define ATTEST_JUDGE_HEAD_BOUND_H

#include "judge/row.h"

/* What a matrix unit makes of the subnormal inputs of a head, for one variant. */
typedef struct attest_judge_raised {
    double product, value;
} attest_judge_raised;

typedef struct attest_judge_head_bound {
    attest_judge_head head;
    bool loaded;
    const attest_judge_rule *rule; /* of the variants that are asked */
    size_t rules;
    attest_judge_work work;
    double *turned; /* K with the keys of a column side by side */
    double *key_size;
    attest_judge_raised *raised; /* by variant */
    double *row;                 /* four of them: lo, hi, exact, error of another variant */
} attest_judge_head_bound;

attest_status attest_judge_head_bound_init(attest_judge_head_bound *bound,
                                           const attest_judge_question *question,
                                           const attest_judge_rule *rule, size_t rules,
                                           attest_error *error) ATTEST_WARN_UNUSED;
void attest_judge_head_bound_clear(attest_judge_head_bound *bound);

/* Makes a head the current one, unless it is already. */
attest_status attest_judge_head_bound_load(attest_judge_head_bound *bound, size_t batch,
                                           size_t head, attest_error *error) ATTEST_WARN_UNUSED;

/* The bounds of row i, for every column; the hull over the variants. */
attest_judge_reason attest_judge_head_bound_row(double *lo, double *hi, double *exact,
                                                double *error, attest_judge_head_bound *bound,
                                                size_t i);

#endif
