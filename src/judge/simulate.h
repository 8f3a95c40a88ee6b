/* simulate.h -- what a kernel returns, bit for bit.
 *
 * proofs-notes/judge-kernels.md defines the kernels. The code is independent of the bounds. */
#ifndef ATTEST_JUDGE_SIMULATE_H
#define ATTEST_JUDGE_SIMULATE_H

#include "judge/kernel_instance.h"

/* Runs a kernel: out = row i of its output, value_dim numbers. Status: USAGE, if there is no
 * such kernel because a sum is too long for the depth of the model. */
attest_status attest_judge_instance_run(double *out, attest_judge_instance *x,
                                        attest_judge_head *head, size_t i,
                                        attest_error *error) ATTEST_WARN_UNUSED;

/* The same for one row, with an instance of its own. Status: also that of
 * attest_judge_instance_init. */
attest_status attest_judge_simulate_row(double *out, attest_judge_head *head, size_t i,
                                        const attest_judge_variant *variant,
                                        const attest_judge_recipe *recipe,
                                        attest_error *error) ATTEST_WARN_UNUSED;

/* attest_judge_simulate for a kernel whose inputs are quantised already. */
attest_status attest_judge_simulate_values(double *out, double *lo, double *hi,
                                           const attest_qkv *qkv,
                                           const attest_judge_model *model, size_t schedule,
                                           const attest_judge_options *options,
                                           attest_error *error) ATTEST_WARN_UNUSED;

#endif
