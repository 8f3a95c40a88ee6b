/* matrix_unit.h -- the matrix units of GPUs: the sum of a block of products and an addend, the
 * units by name, and their dot products.
 *
 * proofs-notes/judge-kernels.md, "Matrix unit". The exponent of a number x is
 * max(floor(log2|x|), emin of its format), that of a product the sum of the exponents of its
 * factors. E is the largest exponent of the terms that are not 0. Every term is cut toward zero
 * to a multiple of 2^(E-fraction), the sum is exact, and it is rounded once: toward zero to
 * binary32, to fraction bits after the first if those are fewer than 23, or to nearest to
 * binary16. */
#ifndef ATTEST_JUDGE_MATRIX_UNIT_H
#define ATTEST_JUDGE_MATRIX_UNIT_H

#include <stdbool.h>
#include <stddef.h>

#include "format/simulate_in_double.h"
#include "judge/loops.h"

typedef struct attest_judge_unit {
    int a_bits, a_emin, b_bits, b_emin; /* the formats of the factors */
    int fraction;
    int least;                       /* E counts as at least this; init sets no such limit */
    bool half;                       /* the result is binary16 */
    attest_in_double result;         /* binary16 */
    struct judge_loops_unit columns; /* for results of binary32, many sums at once */
} attest_judge_unit;

/* Returns whether such a unit can be simulated: factors of at most 25 bits, results of binary32
 * or binary16, and blocks whose sums fit into 64 bits. */
bool attest_judge_unit_fits(const attest_format *a, const attest_format *b,
                            const attest_format *result, size_t block, size_t fraction);

/* Domain: attest_judge_unit_fits. */
void attest_judge_unit_init(attest_judge_unit *unit, const attest_format *a,
                            const attest_format *b, const attest_format *result,
                            size_t fraction);

/* The products a[i] b[i stride] of a block. */
typedef struct attest_judge_block {
    const double *a, *b;
    size_t stride, count;
} attest_judge_block;

/* addend + the products. Domain: count is at most the block of the unit; all are numbers of its
 * formats. If a factor a or the addend is not finite, the result is not finite. */
double attest_judge_unit_sum(double addend, const attest_judge_block *block,
                             const attest_judge_unit *unit);

/* Returns whether attest_judge_unit_add_columns is available. */
bool attest_judge_unit_has_columns(const attest_judge_unit *unit);

/* o[c] += the products of a with column c of b, for adjacent columns. Domain:
 * attest_judge_unit_has_columns. */
void attest_judge_unit_add_columns(double *o, const attest_judge_block *block, size_t columns,
                                   const attest_judge_unit *unit);

/* ---- the terms of a block as integers ---- */

enum {
    ATTEST_JUDGE_UNIT_MOST_TERMS = JUDGE_LOOPS_TERMS,
    ATTEST_JUDGE_UNIT_COLUMNS = 64,      /* columns that are processed together */
    ATTEST_JUDGE_UNIT_NOTHING = -100000, /* the exponent of 0 */
    /* Terms can be aligned this far below the largest exponent. */
    ATTEST_JUDGE_UNIT_SPREAD = 16,
    ATTEST_JUDGE_UNIT_SINGLE_BITS = 24,
    ATTEST_JUDGE_UNIT_SINGLE_EMIN = -126,
    ATTEST_JUDGE_UNIT_HALF_BITS = 11,
    ATTEST_JUDGE_UNIT_HALF_EMIN = -14
};

/* magnitude times 2^last, and its exponent as defined above. */
typedef struct attest_judge_term {
    uint64_t magnitude;
    int exponent, last;
    bool negative;
} attest_judge_term;

static inline attest_judge_term attest_judge_term_split(double x, int bits, int emin)
{
    uint64_t u = attest_in_double_bits(x);
    int exponent = (int)(u >> 52 & 0x7ff) - 1023, shift = 53 - bits;
    uint64_t significand = (u & 0xfffffffffffffu) | (uint64_t)1 << 52;

    if (exponent < emin) {
        shift += emin - exponent;
        exponent = emin;
    }
    /* The least number of the format is shifted by 52; 0 is far below it. */
    if (shift > 52)
        return (attest_judge_term){0, ATTEST_JUDGE_UNIT_NOTHING, ATTEST_JUDGE_UNIT_NOTHING,
                                   u >> 63};
    return (attest_judge_term){significand >> shift, exponent, exponent - bits + 1, u >> 63};
}

static inline attest_judge_term attest_judge_term_multiply(attest_judge_term a,
                                                           attest_judge_term b)
{
    uint64_t magnitude = a.magnitude * b.magnitude;

    return (attest_judge_term){magnitude,
                               magnitude ? a.exponent + b.exponent : ATTEST_JUDGE_UNIT_NOTHING,
                               a.last + b.last, a.negative != b.negative};
}

static inline attest_judge_term attest_judge_term_split_addend(double x,
                                                               const attest_judge_unit *unit)
{
    return unit->half ? attest_judge_term_split(x, ATTEST_JUDGE_UNIT_HALF_BITS,
                                                ATTEST_JUDGE_UNIT_HALF_EMIN)
                      : attest_judge_term_split(x, ATTEST_JUDGE_UNIT_SINGLE_BITS,
                                                ATTEST_JUDGE_UNIT_SINGLE_EMIN);
}

/* The term in units of 2^quantum, cut toward zero. */
static inline int64_t attest_judge_term_align(const attest_judge_term *term, int quantum)
{
    int shift = quantum - term->last;
    uint64_t units = shift > 63   ? 0
                     : shift >= 0 ? term->magnitude >> shift
                                  : term->magnitude << -shift;

    return term->negative ? -(int64_t)units : (int64_t)units;
}

/* sum 2^quantum, rounded to the result. */
double attest_judge_unit_round(int64_t sum, int quantum, const attest_judge_unit *unit);

/* ---- the units of GPUs, by name ---- */

/* How a unit forms a sum of products of one format. */
typedef struct attest_judge_gpu {
    size_t block;    /* products in a block */
    size_t fraction; /* bits after the leading one that remain when the products are aligned */
    bool halves; /* 8-bit products go through binary16: a block of those k with k mod 4 in {0,
                    1}, one of the others, both from 0; then the addend, rounded */
    int least;   /* the exponent of a block counts as at least this */
} attest_judge_gpu;

/* The block and fraction of a unit ("tc:volta" .. "tc:blackwell", or a GPU, "tc:a100") for
 * products of numbers of the formats a and b and results of binary32. Status: FORMAT (unknown
 * unit, unsupported products, or 8-bit products that go through binary16). */
attest_status attest_judge_gpu_get(size_t *block, size_t *fraction, const char *unit,
                                   const attest_format *a, const attest_format *b,
                                   attest_error *error) ATTEST_WARN_UNUSED;

/* ---- dot products: doc/formats.md, "Matrix units". In addition to the sums above: chains of
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
