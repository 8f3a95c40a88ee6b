/* gpu.h -- the matrix units of GPUs, by name. */
#ifndef ATTEST_JUDGE_GPU_H
#define ATTEST_JUDGE_GPU_H

#include <stdbool.h>
#include <stddef.h>

#include <attest/format.h>

#include "judge/matrix_unit.h"

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

/* ---- dot products as the matrix unit of a GPU forms them.  doc/formats.md, "Matrix units".
 * Beyond matrix_unit.h: chains of blocks, products of 8 bits that go through binary16,
 * infinities and NaN, and an accumulator that is promoted ---- */

typedef struct attest_judge_core {
    attest_judge_gpu gpu;
    attest_judge_unit unit;
    attest_in_double result; /* binary32 or binary16 */
    size_t promote; /* after so many products a partial sum joins the result; 0: never */
} attest_judge_core;

/* promote: partial sums begin at 0, and join the result by a rounded addition (to nearest)
 * after so many products each; 0: there is one chain, from the addend on. Status: FORMAT (no
 * such unit, or it has no such products; promote is no multiple of what the unit adds at a
 * time). */
attest_status attest_judge_core_init(attest_judge_core *core, const char *unit,
                                     const attest_format *a, const attest_format *b, bool half,
                                     size_t promote, attest_error *error) ATTEST_WARN_UNUSED;

/* addend + a[0] b[0] + ... + a[count-1] b[count-1]. The addend is rounded to the result's
 * format first. Domain: numbers of the formats, NaN and infinities included. */
double attest_judge_core_dot(double addend, const double *a, const double *b, size_t count,
                             const attest_judge_core *core);

#endif
