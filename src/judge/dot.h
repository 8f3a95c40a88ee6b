/* dot.h -- dot products as the matrix unit of a GPU forms them.
 *
 * doc/formats.md, "Matrix units". Beyond matrix_unit.h: chains of blocks, products of 8 bits
 * that go through binary16, infinities and NaN, and an accumulator that is promoted. */
#ifndef ATTEST_JUDGE_DOT_H
#define ATTEST_JUDGE_DOT_H

#include "judge/gpu.h"
#include "judge/matrix_unit.h"

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
