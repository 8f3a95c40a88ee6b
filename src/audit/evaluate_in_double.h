/* evaluate_in_double.h -- attention of datasets and of recorded heads in a simulated arithmetic
 * whose numbers are doubles (format/simulate_in_double.h); attend.inc is the algorithm. */
#ifndef ATTEST_AUDIT_EVALUATE_IN_DOUBLE_H
#define ATTEST_AUDIT_EVALUATE_IN_DOUBLE_H

#include "audit/evaluate.h"
#include "format/simulate_in_double.h"
#include "judge/problem.h"

/* *escaped = whether a number of an unbounded format was outside the range of doubles. */
attest_status attest_audit_evaluate_in_double(attest_audit_outputs *outputs, bool *escaped,
                                              const attest_audit_request *request,
                                              const attest_simulated_arithmetic *arithmetic,
                                              attest_error *error) ATTEST_WARN_UNUSED;

/* A head of recorded queries, keys and values, with the scale, softcap, mask and sink of its
 * problem. doc/audit.md, Recorded activations, gives the order of operations. */
typedef struct attest_audit_head_simulation attest_audit_head_simulation;

/* Returns whether the arithmetic can be simulated in doubles. */
bool attest_audit_head_simulation_fits(const attest_simulated_arithmetic *arithmetic);

/* Returns a new simulation, or NULL if memory is exhausted. Arithmetic and problem must outlive
 * it. */
attest_audit_head_simulation *
attest_audit_head_simulation_new(const attest_simulated_arithmetic *arithmetic,
                                 const attest_judge_problem *problem) ATTEST_WARN_UNUSED;
void attest_audit_head_simulation_free(attest_audit_head_simulation *simulation);

/* Rounds queries, keys and values of a head. */
void attest_audit_head_simulation_load(attest_audit_head_simulation *simulation,
                                       const attest_judge_head *head);

/* out = the output of row i, value_dim entries; weight[j] = the weight of key j, 0 if the row
 * does not see it; weight[keys] = the weight of the sink. Domain: the row sees a key. */
void attest_audit_head_simulation_run(double *out, double *weight,
                                      attest_audit_head_simulation *simulation,
                                      attest_judge_head *head, size_t i);

/* Returns whether a number of an unbounded format was outside the range of doubles. */
bool attest_audit_head_simulation_escaped(const attest_audit_head_simulation *simulation);

#endif
