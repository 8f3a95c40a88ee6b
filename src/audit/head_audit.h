/* head_audit.h -- one head of recorded queries, keys and values, in many arithmetics. */
#ifndef ATTEST_AUDIT_RECORDED_H
#define ATTEST_AUDIT_RECORDED_H

#include "audit/errors.h"
#include "audit/pairs.h"
#include "judge/model.h"
#include "judge/problem.h"

/* What was found of a head in one arithmetic. */
typedef struct attest_audit_cell {
    size_t positions;                 /* that were looked at */
    size_t nonfinite;                 /* of them: an entry is not finite */
    size_t saturated;                 /* entries of the size of the format's largest number */
    bool escaped;                     /* exponents beyond doubles: nothing else is known */
    attest_audit_deviation deviation; /* without its distances */
    size_t worst_batch, worst_row;    /* where the relative error is largest */
    attest_audit_weights_error weights_error;
    attest_audit_pairs pairs;
    attest_audit_errors errors;
    bool has_bound; /* errors.bound_ulp is one: bound_head.h */
} attest_audit_cell;

/* cell[f] = what arithmetic f makes of a head, at no more than `most` of its positions, (batch,
 * row) in order, at equal steps; rows that see no key are left out. Two positions have to be
 * told apart unless they have the same query and see the same keys and values the same number
 * of times. kernel: NULL, or the last arithmetic is that of its outputs, which
 * evaluate_kernel.h simulates; of its weights nothing is known. Domain: evaluate_in_double.h
 * can simulate all others. Status: FORMAT (a number that is not finite), USAGE (a kernel that
 * cannot be run), NOMEM. */
attest_status attest_audit_head_run(attest_audit_cell *cell,
                                    const attest_judge_problem *question, size_t head,
                                    const attest_simulated_arithmetic *arithmetic,
                                    size_t arithmetics, const attest_judge_model *kernel,
                                    size_t most, attest_error *error) ATTEST_WARN_UNUSED;

#endif
