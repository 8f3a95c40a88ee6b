/* judge_gpu.h -- the matrix units of GPUs that a kernel model may name. */
#ifndef ATTEST_DATA_JUDGE_GPU_H
#define ATTEST_DATA_JUDGE_GPU_H

#include <attest/format.h>

/* The products in a block, and the bits that it keeps when it aligns them, of the unit
 * ("tc:volta"
 * .. "tc:blackwell") for products of a number of format a and one of format b. Status: FORMAT
 * (no such unit, or it has no such products). */
attest_status attest_judge_gpu_get(size_t *block, size_t *fraction, const char *unit,
                                   const attest_format *a, const attest_format *b,
                                   attest_error *error) ATTEST_WARN_UNUSED;

#endif
