/* recorded_kernel.h -- heads of recorded queries, keys and values in a simulated kernel.
 *
 * Inputs are rounded to the kernel's formats, to nearest, and quantised as its model says, the
 * whole layer at once; the kernel is the first schedule of its model, bit for bit
 * (judge/simulate.h). */
#ifndef ATTEST_AUDIT_RECORDED_KERNEL_H
#define ATTEST_AUDIT_RECORDED_KERNEL_H

#include "judge/quantise.h"
#include "judge/problem.h"

typedef struct attest_recorded_kernel {
    const attest_judge_model *model;
    const attest_judge_problem *question;
    double *rounded[3]; /* q, k and v */
    attest_judge_quantised inputs;
    double *out; /* the outputs of a head: queries * value_dim */
} attest_recorded_kernel;

/* Both must outlive it. Status: USAGE (the model has no schedule), FORMAT (a number is beyond a
 * format of the inputs, or not finite), NOMEM. Clear it in either case. */
attest_status attest_recorded_kernel_init(attest_recorded_kernel *kernel,
                                          const attest_judge_model *model,
                                          const attest_judge_problem *question,
                                          attest_error *error) ATTEST_WARN_UNUSED;
void attest_recorded_kernel_clear(attest_recorded_kernel *kernel);

/* kernel->out = the outputs of all rows of a head. Status: USAGE (no such kernel), FORMAT,
 * NOMEM. */
attest_status attest_recorded_kernel_load(attest_recorded_kernel *kernel, size_t batch,
                                          size_t head, attest_error *error) ATTEST_WARN_UNUSED;

#endif
