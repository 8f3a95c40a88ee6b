/* range_bound.h -- what the bound of a model excludes on the rows of a head; the thresholds and
 * offsets that are safe there. proofs-notes/judge.md, "Range". */
#ifndef ATTEST_JUDGE_RANGE_BOUND_H
#define ATTEST_JUDGE_RANGE_BOUND_H

#include "judge/head_bound.h"
#include "judge/range.h"

typedef struct attest_judge_range_bound {
    attest_judge_head_bound state;
    attest_judge_rule *rule;
    double *result; /* of a block of rows */
} attest_judge_range_bound;

/* Checks the inputs, too: values that no variant has. Status: FORMAT, NOMEM; bound is to be
 * cleared in any case. */
attest_status attest_judge_range_bound_init(attest_judge_range_bound *bound,
                                            const attest_judge_problem *problem,
                                            const attest_judge_model *model,
                                            attest_error *error) ATTEST_WARN_UNUSED;
void attest_judge_range_bound_clear(attest_judge_range_bound *bound);

/* The thresholds of ranges in exact arithmetic: of all variants, the least. */
void attest_judge_range_bound_thresholds(attest_judge_ranges *ranges,
                                         const attest_judge_range_bound *bound);

/* Makes the head the current one, of bound->state; may[e] is set where the bound does not
 * exclude an event; the numbers of ranges, but for the thresholds above, become those of the
 * worst row so far. */
attest_status attest_judge_range_bound_head(attest_judge_ranges *ranges,
                                            bool may[ATTEST_JUDGE_EVENTS],
                                            attest_judge_range_bound *bound, size_t batch,
                                            size_t head,
                                            attest_error *error) ATTEST_WARN_UNUSED;

#endif
