/* gen.h -- generators: numbers, tokens, datasets and weights, biased to where bugs live.
 *
 * Generators draw from the public functions of theft only. Their guarantees (distinct tokens,
 * no zero token, a least gap, a limit on scores) hold by construction: a value that would break
 * one is changed, never drawn again. If all draws are zero, the value is the simplest one, and
 * smaller draws give simpler values, because shrinking makes draws smaller. */
#ifndef ATTEST_CAMPAIGN_GEN_H
#define ATTEST_CAMPAIGN_GEN_H

#include <stdbool.h>
#include <stddef.h>

#include <theft.h>

#include "campaign/property.h"

#if defined(__GNUC__)
#pragma GCC visibility push(default)
#endif

/* ---- Numbers ---------------------------------------------------------------------------- */

/* Draws an integer in low .. high; low is the simplest. Domain: low <= high. */
size_t attest_gen_size(struct theft *t, size_t low, size_t high);

/* Returns true with probability 1/odds; false for the zero draw. */
bool attest_gen_rarely(struct theft *t, unsigned odds);

/* Draws an integer in -limit .. limit; the simplest is 0, then 1, -1, 2, -2, ... */
long attest_gen_integer(struct theft *t, unsigned limit);

/* Draws an integer as above, a fraction of such integers, or rarely a fraction with numerator
 * and denominator of up to 128 bits. */
void attest_gen_rational(fmpq_t x, struct theft *t, unsigned limit);

/* The same, but not 0 (the simplest is 1), or > 0. */
void attest_gen_nonzero(fmpq_t x, struct theft *t, unsigned limit);
void attest_gen_positive(fmpq_t x, struct theft *t, unsigned limit);

/* Draws 1, or rarely a power of ten from 10^-decades to 10^decades. */
void attest_gen_scale(fmpq_t x, struct theft *t, unsigned decades);

/* ---- Tokens ----------------------------------------------------------------------------- */

/* Distinct tokens: count vectors of dim rationals, or of doubles, one after another. */
typedef struct attest_vocabulary {
    size_t count, dim;
    fmpq *entry;  /* count * dim; NULL: the entries are doubles */
    double *real; /* count * dim; NULL: the entries are rationals */
} attest_vocabulary;

typedef struct attest_gen_tokens {
    size_t dim_max;              /* dimensions 1 .. dim_max */
    size_t count_min, count_max; /* count_max <= 64 */
    bool zero;                   /* the zero vector may be a token */
    unsigned decades;            /* scales up to 10^+-decades; 0: none */
} attest_gen_tokens;

void attest_vocabulary_init(attest_vocabulary *vocabulary);
void attest_vocabulary_clear(attest_vocabulary *vocabulary);

/* Draws tokens of one kind: small integers, fractions, multiples of one vector, clusters
 * that differ by 2^-40 or 2^-200 of the unit, pairs x and -x, consecutive multiples with gaps
 * that are equal or differ by 2^-200, long fractions. They may have a common scale, or one
 * each. Status: NOMEM. */
attest_status attest_gen_vocabulary(attest_vocabulary *vocabulary, struct theft *t,
                                    const attest_gen_tokens *kind) ATTEST_WARN_UNUSED;

/* The same kinds in doubles: numbers of 53 bits instead of long fractions, powers of two as
 * scales. Only attest_gen_dataset accepts such tokens. Status: NOMEM. */
attest_status attest_gen_doubles(attest_vocabulary *vocabulary, struct theft *t,
                                 const attest_gen_tokens *kind) ATTEST_WARN_UNUSED;

/* ---- Datasets --------------------------------------------------------------------------- */

typedef struct attest_gen_sequences {
    size_t count_min, count_max;   /* sequences */
    size_t length_min, length_max; /* 1 <= length_min; length_max <= 64 */
    bool repeats;                  /* a token may occur twice in a sequence; else no length
                                      exceeds the number of tokens */
    bool equal_lengths;
    /* At least two sequences, and a token that occurs in two contexts, with a mask and without;
     * except in one dataset of 16, and if lengths and tokens do not allow it. */
    bool shared;
} attest_gen_sequences;

/* Draws sequences over the vocabulary: the first at random, later ones at random or from the
 * one before, by permuting it, or by removing, doubling (if repeats and lengths allow it) or
 * replacing tokens. Status: NOMEM. */
attest_status attest_gen_dataset(attest_dataset *dataset, struct theft *t,
                                 const attest_vocabulary *vocabulary,
                                 const attest_gen_sequences *kind) ATTEST_WARN_UNUSED;

/* Draws a vocabulary and sequences over it. Status: NOMEM. */
attest_status attest_gen_sequences_of(attest_dataset *dataset, struct theft *t,
                                      const attest_gen_tokens *tokens,
                                      const attest_gen_sequences *kind) ATTEST_WARN_UNUSED;

/* ---- Weights ---------------------------------------------------------------------------- */

typedef struct attest_gen_heads {
    size_t heads_max; /* 1 .. heads_max heads */
    size_t size_max;  /* rows of W_Q, W_K, W_V: 1 .. size_max */
    bool nonzero;     /* no matrix is zero */
    bool plain;       /* heads are independent: none zero, equal, opposite or scaled */
    unsigned decades; /* scales up to 10^+-decades; 0: none */
    /* > 0: W_K is divided by a power of two so that no score of two tokens of the vocabulary
     * exceeds the limit in absolute value. */
    unsigned score_limit;
    /* > 0, with a limit: in four layers of 16 the largest score is near another power of two:
     * from 2^8 to 2^10 (weights whose balls do not contain 0), from 2^10 to 2^gaps, or down to
     * 2^-1000. */
    unsigned gaps;
} attest_gen_heads;

/* Values of gaps: scores that balls decide, and scores beyond 10^40. */
enum { ATTEST_GEN_FAR = 10, ATTEST_GEN_HUGE = 133 };

/* Draws heads: dense or of rank 1, zero, equal or opposite to the one before, with scaled
 * values. Except in one of 16 layers the first head has no zero matrix, and no other head has
 * one by chance. activation, ties, mask and skip are not changed. Status: NOMEM. */
attest_status attest_gen_weights(attest_weights *weights, struct theft *t,
                                 const attest_vocabulary *vocabulary,
                                 const attest_gen_heads *kind) ATTEST_WARN_UNUSED;

/* Divides W_K by the least power of two that keeps all scores of two tokens within the limit.
 */
void attest_gen_limit_scores(attest_head *head, const attest_vocabulary *vocabulary,
                             unsigned limit);

/* Multiplies W_K by a power of two, so that the largest |score| of two tokens is within a
 * factor of two of 2^exponent, unless all scores are 0. */
void attest_gen_set_scores(attest_head *head, const attest_vocabulary *vocabulary,
                           long exponent);

/* Draw the activation and, or only, ties, mask and skip; the simplest are softmax, uniform
 * ties, no mask, and skip. */
void attest_gen_activation(attest_weights *weights, struct theft *t);
void attest_gen_ties_and_mask(attest_weights *weights, struct theft *t);

/* matrix = the dense matrix with these rows * cols entries. */
void attest_gen_set_matrix(attest_matrix *matrix, const fmpq *entry, size_t rows, size_t cols);

/* ---- Data and weights together ---------------------------------------------------------- */

typedef enum attest_gen_which {
    ATTEST_GEN_ANY = 0,
    ATTEST_GEN_SOFTMAX,
    ATTEST_GEN_HARDMAX
} attest_gen_which;

typedef struct attest_gen_layer {
    attest_gen_tokens tokens;
    attest_gen_sequences sequences;
    attest_gen_heads heads; /* score_limit is for softmax only */
    attest_gen_which activation;
    bool simple; /* uniform ties, no mask, skip; else they are drawn */
    /* Of 16 instances two have many positions (so that trees of outputs have several leaves),
     * one has many heads and sequences of one or two tokens, and two have collinear tokens
     * without repetitions and one head (where certify uses first differences). */
    bool corners;
} attest_gen_layer;

/* Draws a dataset and weights of its dimension. Status: NOMEM. */
attest_status attest_gen_data_and_weights(attest_instance *instance, struct theft *t,
                                          const attest_gen_layer *kind) ATTEST_WARN_UNUSED;

/* ---- Scores ----------------------------------------------------------------------------- */

/* Draws sequences of scores: tokens of one entry with ties, near-ties, gaps and scales, divided
 * by a power of two so that no two scores are further apart than range. Status: NOMEM. */
attest_status attest_gen_scores(attest_dataset *dataset, struct theft *t,
                                const attest_gen_sequences *kind,
                                unsigned range) ATTEST_WARN_UNUSED;

/* ---- Sets of reals ---------------------------------------------------------------------- */

/* Draws tokens of one dimension with neighbours at least `gap` apart: packed (exactly the gap),
 * nearly packed, or wide; the first is the largest. Domain: gap > 0. Status: NOMEM. */
attest_status attest_gen_reals(attest_vocabulary *reals, struct theft *t, size_t count_min,
                               size_t count_max, const fmpq_t gap) ATTEST_WARN_UNUSED;

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
