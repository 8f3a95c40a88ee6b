/* matrix_unit_terms.h -- the terms of a block as integers: what the sum of a block, and the
 * sum between two ends, are made of. */
#ifndef ATTEST_JUDGE_MATRIX_UNIT_TERMS_H
#define ATTEST_JUDGE_MATRIX_UNIT_TERMS_H

#include "judge/matrix_unit.h"

enum {
    ATTEST_JUDGE_UNIT_MOST_TERMS = JUDGE_LOOPS_TERMS,
    ATTEST_JUDGE_UNIT_COLUMNS = 64,      /* that are looked at together */
    ATTEST_JUDGE_UNIT_NOTHING = -100000, /* the exponent of 0 */
    /* How far below the largest exponent of the terms they can still be aligned. */
    ATTEST_JUDGE_UNIT_SPREAD = 16,
    ATTEST_JUDGE_UNIT_SINGLE_BITS = 24,
    ATTEST_JUDGE_UNIT_SINGLE_EMIN = -126,
    ATTEST_JUDGE_UNIT_HALF_BITS = 11,
    ATTEST_JUDGE_UNIT_HALF_EMIN = -14
};

/* A magnitude times 2^last; its exponent in the sense of matrix_unit.h. */
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
    /* The least number of the format is shifted by 52; 0 lies far below it. */
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

#endif
