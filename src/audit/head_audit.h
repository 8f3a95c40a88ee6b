/* head_audit.h -- one head of recorded queries, keys and values, in many arithmetics. */
#ifndef ATTEST_AUDIT_HEAD_AUDIT_H
#define ATTEST_AUDIT_HEAD_AUDIT_H

#include "audit/errors.h"
#include "audit/pairs.h"
#include "judge/model.h"
#include "judge/problem.h"

/* The result for a head in one arithmetic. */
typedef struct attest_audit_cell {
    size_t positions; /* that were audited */
    size_t nonfinite; /* positions with an entry that is not finite */
    size_t saturated; /* entries whose absolute value is the format's largest number */
    bool escaped;     /* a number left the range of doubles: the rest is invalid */
    attest_audit_deviation deviation; /* without its distances */
    size_t worst_batch, worst_row;    /* where the relative error is largest */
    attest_audit_weights_error weights_error;
    attest_audit_pairs pairs;
    attest_audit_errors errors;
    bool has_bound; /* errors.bound_ulp is one: bound_head.h */
} attest_audit_cell;

/* cell[f] = the result of arithmetic f for a head, at no more than `most` of its positions,
 * (batch, row) in order, at equal steps; rows that see no key are left out. Two positions must
 * be told apart unless they have the same query and see the same keys and values equally often.
 * kernel: NULL, or the model that the last arithmetic, its output format, stands for
 * (evaluate_kernel.h); its weights are not measured. Domain: evaluate_in_double.h can simulate
 * all others. Status: FORMAT (a number that is not finite), USAGE (a kernel that cannot be
 * run), NOMEM. */
attest_status attest_audit_head_run(attest_audit_cell *cell,
                                    const attest_judge_problem *problem, size_t head,
                                    const attest_simulated_arithmetic *arithmetic,
                                    size_t arithmetics, const attest_judge_model *kernel,
                                    size_t most, attest_error *error) ATTEST_WARN_UNUSED;

#endif
