/* recorded_kernel.h -- a simulated kernel on a layer of recorded queries, keys and values. */
#ifndef ATTEST_AUDIT_RECORDED_KERNEL_H
#define ATTEST_AUDIT_RECORDED_KERNEL_H

#include "judge/quantise.h"
#include "judge/simulate.h"

typedef struct attest_recorded_kernel {
    double *rounded[3]; /* q, k, v in the kernel's input formats */
    attest_judge_quantised quantised;
    attest_judge_question question;
    attest_judge_concrete concrete;
    attest_judge_head head;
    int ready; /* how many of the last four there are */
} attest_recorded_kernel;

/* Rounds the inputs, quantises them as the model says, and makes its first schedule ready. The
 * model must outlive it. Status: USAGE (no schedule, or one that is not simulated), FORMAT (a
 * number that is not finite, or beyond the input format), NOMEM. Clear it in either case. */
attest_status attest_recorded_kernel_init(attest_recorded_kernel *kernel, const attest_qkv *qkv,
                                          const attest_judge_model *model,
                                          attest_error *error) ATTEST_WARN_UNUSED;
void attest_recorded_kernel_clear(attest_recorded_kernel *kernel);

/* Status: NOMEM, FORMAT. */
attest_status attest_recorded_kernel_load(attest_recorded_kernel *kernel, size_t batch,
                                          size_t head, attest_error *error) ATTEST_WARN_UNUSED;

/* out = row i of the head that is loaded. */
attest_status attest_recorded_kernel_run(double *out, attest_recorded_kernel *kernel, size_t i,
                                         attest_error *error) ATTEST_WARN_UNUSED;

#endif
