/* simulated.h -- the arithmetic that an audit simulates: a format, a rounding, an algorithm.
 *
 * doc/audit.md describes the order of operations of every choice; the defaults are those of
 * doc/arithmetic.md, so that an audit agrees with `attest eval --number FORMAT`. */
#ifndef ATTEST_FORMAT_SIMULATED_H
#define ATTEST_FORMAT_SIMULATED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <attest/format.h>

typedef enum attest_simulated_rounding {
    ATTEST_SIMULATED_NEAREST = 0, /* ties to even */
    ATTEST_SIMULATED_ZERO,        /* toward zero */
    ATTEST_SIMULATED_STOCHASTIC /* away from zero with the probability of the discarded part */
} attest_simulated_rounding;

typedef enum attest_simulated_softmax {
    ATTEST_SIMULATED_SHIFTED = 0, /* exp(score - maximum) */
    ATTEST_SIMULATED_NAIVE,       /* exp(score) */
    ATTEST_SIMULATED_ONLINE       /* block by block, rescaled when the maximum grows */
} attest_simulated_softmax;

/* A step that rounds. A stage without rounding computes in the reference format. */
typedef enum attest_simulated_stage {
    ATTEST_STAGE_INPUT = 0, /* tokens and weights as they are read */
    ATTEST_STAGE_SCORE,     /* keys, queries and their dot products */
    ATTEST_STAGE_MAX,       /* score minus maximum */
    ATTEST_STAGE_EXP,
    ATTEST_STAGE_SUM,      /* of the exponentials */
    ATTEST_STAGE_MIX,      /* values and their weighted sum */
    ATTEST_STAGE_DIVISION, /* of that sum by the sum of the exponentials */
    ATTEST_STAGE_OUTPUT,   /* W_O, and the sum over token and heads */
    ATTEST_STAGES
} attest_simulated_stage;

/* Random bits that decide a stochastic rounding. */
enum { ATTEST_SIMULATED_RANDOM_BITS = 24 };

typedef struct attest_simulated_arithmetic {
    attest_format format;
    bool accumulates;         /* dot products and sums are formed in ... */
    attest_format accumulate; /* ... this format, and then stored in format */
    attest_simulated_rounding rounding;
    uint64_t seed; /* of stochastic rounding */
    attest_simulated_softmax softmax;
    size_t block;  /* keys per block of the online algorithm, >= 1 */
    bool pairwise; /* sums by halves, else from the first term to the last */
    bool fma;      /* a dot product adds its products without rounding them */
} attest_simulated_arithmetic;

/* The arithmetic of attest_attention_mpfr with rounding to nearest. */
void attest_simulated_arithmetic_init(attest_simulated_arithmetic *arithmetic,
                                      const attest_format *format);

const char *attest_simulated_rounding_name(attest_simulated_rounding rounding);
const char *attest_simulated_softmax_name(attest_simulated_softmax softmax);
const char *attest_simulated_stage_name(attest_simulated_stage stage);

/* The unit roundoff of a format in this rounding: the largest relative error of an operation
 * that neither overflows nor underflows is at most 2^-*bits. */
long attest_simulated_unit_bits(const attest_format *format,
                                attest_simulated_rounding rounding);

#endif
