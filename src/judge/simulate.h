/* simulate.h -- what a kernel returns, bit for bit.
 *
 * proofs-notes/judge-kernels.md defines the kernels; nothing here knows of a bound. */
#ifndef ATTEST_JUDGE_SIMULATE_H
#define ATTEST_JUDGE_SIMULATE_H

#include "judge/kernel_instance.h"

/* out = row i of the output of a kernel, value_dim numbers. Status: USAGE, if there is no such
 * kernel because a sum is too long for the depth that the model names. */
attest_status attest_judge_instance_run(double *out, attest_judge_instance *x,
                                        attest_judge_head *head, size_t i,
                                        attest_error *error) ATTEST_WARN_UNUSED;

/* The same for one row, from the start. Status: also that of attest_judge_instance_init. */
attest_status attest_judge_simulate_row(double *out, attest_judge_head *head, size_t i,
                                        const attest_judge_variant *variant,
                                        const attest_judge_recipe *recipe,
                                        attest_error *error) ATTEST_WARN_UNUSED;

/* attest_judge_simulate without its first step: q, k and v are what the kernel multiplies. */
attest_status attest_judge_simulate_values(double *out, double *lo, double *hi,
                                           const attest_qkv *qkv,
                                           const attest_judge_model *model, size_t schedule,
                                           const attest_judge_options *options,
                                           attest_error *error) ATTEST_WARN_UNUSED;

#endif
