/* gpu.h -- the matrix units of GPUs, by name. */
#ifndef ATTEST_JUDGE_GPU_H
#define ATTEST_JUDGE_GPU_H

#include <stdbool.h>
#include <stddef.h>

#include <attest/format.h>

/* How a unit forms a sum of products of one format. */
typedef struct attest_judge_gpu {
    size_t block;    /* products in a block */
    size_t fraction; /* the bits that it keeps when it aligns them */
    bool halves;     /* 8-bit products by way of binary16: a block of those k with k mod 4 in
                      * {0, 1}, one of the others, both from 0; then the addend, rounded */
    int least;       /* a block's exponent counts as at least this */
} attest_judge_gpu;

/* The unit ("tc:volta" .. "tc:blackwell", or one of its GPUs, "tc:a100") for products of a
 * number of format a and one of format b. half: its results are binary16, else binary32.
 * Status: FORMAT (no such unit, or it has no such products). */
attest_status attest_judge_gpu_find(attest_judge_gpu *gpu, const char *unit,
                                    const attest_format *a, const attest_format *b, bool half,
                                    attest_error *error) ATTEST_WARN_UNUSED;

/* The block and fraction of a unit whose results are binary32 and whose products come in plain
 * blocks. Status: FORMAT, also where they do not. */
attest_status attest_judge_gpu_get(size_t *block, size_t *fraction, const char *unit,
                                   const attest_format *a, const attest_format *b,
                                   attest_error *error) ATTEST_WARN_UNUSED;

#endif
