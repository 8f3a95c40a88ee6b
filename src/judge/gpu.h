/* gpu.h -- the matrix units of GPUs, by name, and their dot products. */
#ifndef ATTEST_JUDGE_GPU_H
#define ATTEST_JUDGE_GPU_H

#include <stdbool.h>
#include <stddef.h>

#include <attest/format.h>

#include "judge/matrix_unit.h"

/* How a unit forms a sum of products of one format. */
typedef struct attest_judge_gpu {
    size_t block;    /* products in a block */
    size_t fraction; /* bits after the leading one that remain when the products are aligned */
    bool halves; /* 8-bit products go through binary16: a block of those k with k mod 4 in {0,
                    1}, one of the others, both from 0; then the addend, rounded */
    int least;   /* the exponent of a block counts as at least this */
} attest_judge_gpu;

/* The unit ("tc:volta" .. "tc:blackwell", or a GPU, "tc:a100") for products of numbers of the
 * formats a and b. half: its results are binary16, else binary32. Status: FORMAT (unknown unit,
 * or unsupported products). */
attest_status attest_judge_gpu_find(attest_judge_gpu *gpu, const char *unit,
                                    const attest_format *a, const attest_format *b, bool half,
                                    attest_error *error) ATTEST_WARN_UNUSED;

/* The block and fraction of a unit with binary32 results whose products come in plain blocks.
 * Status: FORMAT, also where they do not. */
attest_status attest_judge_gpu_get(size_t *block, size_t *fraction, const char *unit,
                                   const attest_format *a, const attest_format *b,
                                   attest_error *error) ATTEST_WARN_UNUSED;

/* ---- dot products: doc/formats.md, "Matrix units". In addition to matrix_unit.h: chains of
 * blocks, 8-bit products that go through binary16, infinities and NaN, promoted accumulators
 * ---- */

typedef struct attest_judge_core {
    attest_judge_gpu gpu;
    attest_judge_unit unit;
    attest_in_double result; /* binary32 or binary16 */
    size_t
        promote; /* products of a partial sum that is added to the result; 0: no partial sums */
} attest_judge_core;

/* promote: the number of products of a partial sum, which begins at 0 and is added to the
 * result, rounded to nearest; 0: one chain, from the addend on. Status: FORMAT (unknown unit,
 * unsupported products, or promote is not a multiple of the products of an instruction). */
attest_status attest_judge_core_init(attest_judge_core *core, const char *unit,
                                     const attest_format *a, const attest_format *b, bool half,
                                     size_t promote, attest_error *error) ATTEST_WARN_UNUSED;

/* addend + a[0] b[0] + ... + a[count-1] b[count-1]. The addend is first rounded to the format
 * of the result. Domain: numbers of the formats, including NaN and infinities. */
double attest_judge_core_dot(double addend, const double *a, const double *b, size_t count,
                             const attest_judge_core *core);

#endif
