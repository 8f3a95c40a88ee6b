/* head_evaluate.h -- attention of recorded heads in a simulated arithmetic
 * (evaluate_in_double.c) and by a simulated kernel (evaluate_kernel.c). */
#ifndef ATTEST_AUDIT_HEAD_EVALUATE_H
#define ATTEST_AUDIT_HEAD_EVALUATE_H

#include "audit/evaluate.h"
#include "judge/problem.h"
#include "judge/quantise.h"

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

/* Heads of recorded queries, keys and values in a simulated kernel.
 * Inputs are rounded to nearest in the kernel's formats and quantised by its model, the
 * whole layer at once. The kernel is the first schedule of its model, bit for bit
 * (judge/simulate.h). */

typedef struct attest_audit_head_kernel {
    const attest_judge_model *model;
    const attest_judge_problem *problem;
    double *rounded[3]; /* q, k and v */
    attest_judge_quantised inputs;
    double *out; /* the outputs of a head: queries * value_dim */
} attest_audit_head_kernel;

/* Both must outlive it. Status: USAGE (the model has no schedule), FORMAT (a number is beyond a
 * format of the inputs, or not finite), NOMEM. Clear it in either case. */
attest_status attest_audit_head_kernel_init(attest_audit_head_kernel *kernel,
                                            const attest_judge_model *model,
                                            const attest_judge_problem *problem,
                                            attest_error *error) ATTEST_WARN_UNUSED;
void attest_audit_head_kernel_clear(attest_audit_head_kernel *kernel);

/* kernel->out = the outputs of all rows of a head. Status: USAGE (no such kernel), FORMAT,
 * NOMEM. */
attest_status attest_audit_head_kernel_load(attest_audit_head_kernel *kernel, size_t batch,
                                            size_t head,
                                            attest_error *error) ATTEST_WARN_UNUSED;

#endif
