/* gen.h -- generators: numbers, tokens, datasets and weights, biased to where bugs live.
 *
 * They draw from theft's public calls and from nothing else. What they promise (distinct
 * tokens, no zero token, a least gap, a limit on scores) holds by construction: what would
 * break it is moved aside, never drawn again. All draws zero give the simplest value, and
 * smaller draws simpler ones, because draws are what is shrunk. */
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

/* An integer of low .. high, low the simplest. Domain: low <= high. */
size_t attest_gen_size(struct theft *t, size_t low, size_t high);

/* Whether an event of the probability 1/odds happens; the zero draw says no. */
bool attest_gen_rarely(struct theft *t, unsigned odds);

/* An integer of -limit .. limit, the simplest 0, then 1, 2, ..., each before its negative. */
long attest_gen_integer(struct theft *t, unsigned limit);

/* An integer as above, a fraction of such integers, or, rarely, one of up to 128 bits above and
 * below the line. */
void attest_gen_rational(fmpq_t x, struct theft *t, unsigned limit);

/* The same, not 0: the simplest is 1; and the same, above 0. */
void attest_gen_nonzero(fmpq_t x, struct theft *t, unsigned limit);
void attest_gen_positive(fmpq_t x, struct theft *t, unsigned limit);

/* 1, or rarely a power of ten from 10^-decades to 10^decades. */
void attest_gen_scale(fmpq_t x, struct theft *t, unsigned decades);

/* ---- Tokens ----------------------------------------------------------------------------- */

/* Distinct tokens: count vectors of dim rationals, or of doubles, one after another. */
typedef struct attest_vocabulary {
    size_t count, dim;
    fmpq *entry;  /* count * dim; NULL where there are doubles */
    double *real; /* count * dim; NULL where there are rationals */
} attest_vocabulary;

typedef struct attest_gen_tokens {
    size_t dim_max;              /* dimensions 1 .. dim_max */
    size_t count_min, count_max; /* count_max <= 64 */
    bool zero;                   /* the zero vector may be a token */
    unsigned decades;            /* scales up to 10^+-decades; 0: none */
} attest_gen_tokens;

void attest_vocabulary_init(attest_vocabulary *vocabulary);
void attest_vocabulary_clear(attest_vocabulary *vocabulary);

/* Tokens of one of several kinds: small integers, fractions, multiples of one vector, clusters
 * that differ by 2^-40 or 2^-200 of the unit, pairs x and -x, consecutive multiples with gaps
 * that are equal or differ by 2^-200, long fractions; all of them may be scaled, or each by a
 * scale of its own. Status: NOMEM. */
attest_status attest_gen_vocabulary(attest_vocabulary *vocabulary, struct theft *t,
                                    const attest_gen_tokens *kind) ATTEST_WARN_UNUSED;

/* The same kinds in doubles, taken exactly: numbers of 53 bits for long fractions, powers of
 * two for scales. Only attest_gen_dataset takes such tokens. Status: NOMEM. */
attest_status attest_gen_doubles(attest_vocabulary *vocabulary, struct theft *t,
                                 const attest_gen_tokens *kind) ATTEST_WARN_UNUSED;

/* ---- Datasets --------------------------------------------------------------------------- */

typedef struct attest_gen_sequences {
    size_t count_min, count_max;   /* sequences */
    size_t length_min, length_max; /* 1 <= length_min; length_max <= 64 */
    bool repeats;                  /* a token may stand twice in a sequence; else no length
                                      exceeds the number of tokens */
    bool equal_lengths;
    /* Two sequences or more, and a token that stands in two contexts, whether there is a mask
     * or not; but for one dataset of 16, and where lengths and tokens do not allow it. */
    bool shared;
} attest_gen_sequences;

/* Sequences over the vocabulary: the first of any kind, later ones of any kind or made from the
 * one before by a permutation, by leaving tokens out, by doubling one (where repeats and
 * lengths allow it) or by exchanging one. Status: NOMEM. */
attest_status attest_gen_dataset(attest_dataset *dataset, struct theft *t,
                                 const attest_vocabulary *vocabulary,
                                 const attest_gen_sequences *kind) ATTEST_WARN_UNUSED;

/* Sequences over a vocabulary that is drawn for them. Status: NOMEM. */
attest_status attest_gen_sequences_of(attest_dataset *dataset, struct theft *t,
                                      const attest_gen_tokens *tokens,
                                      const attest_gen_sequences *kind) ATTEST_WARN_UNUSED;

/* ---- Weights ---------------------------------------------------------------------------- */

typedef struct attest_gen_heads {
    size_t heads_max; /* 1 .. heads_max heads */
    size_t size_max;  /* rows of W_Q, W_K, W_V: 1 .. size_max */
    bool nonzero;     /* no matrix is zero */
    bool plain;       /* every head on its own: none zero, equal, opposite or scaled */
    unsigned decades; /* scales up to 10^+-decades; 0: none */
    /* > 0: W_K is divided by a power of two so that no score of two tokens of the vocabulary
     * exceeds the limit in absolute value. */
    unsigned score_limit;
    /* > 0, with a limit: the largest scores of four layers of 16 are near other powers of two:
     * from 2^8 to 2^10 (weights that balls still tell from 0), from 2^10 to 2^gaps, down to
     * 2^-1000. */
    unsigned gaps;
} attest_gen_heads;

/* Gaps that balls decide, and more than 10^40. */
enum { ATTEST_GEN_FAR = 10, ATTEST_GEN_HUGE = 133 };

/* Heads of every kind: dense or of rank 1, zero, equal to the one before, opposite to it, with
 * scaled values. But for one of 16, the first head has no zero matrix, and no other has one by
 * chance. activation, ties, mask and skip stay as they are. Status: NOMEM. */
attest_status attest_gen_weights(attest_weights *weights, struct theft *t,
                                 const attest_vocabulary *vocabulary,
                                 const attest_gen_heads *kind) ATTEST_WARN_UNUSED;

/* Divides W_K by the least power of two that keeps all scores of two tokens within the limit.
 */
void attest_gen_limit_scores(attest_head *head, const attest_vocabulary *vocabulary,
                             unsigned limit);

/* Multiplies W_K by a power of two that brings the largest |score| of two tokens within a
 * factor of two of 2^exponent; where all are 0 it stays. */
void attest_gen_set_scores(attest_head *head, const attest_vocabulary *vocabulary,
                           long exponent);

/* Draws the activation, or only ties, mask and skip: softmax, uniform, no mask and skip are the
 * simplest. */
void attest_gen_activation(attest_weights *weights, struct theft *t);
void attest_gen_ties_and_mask(attest_weights *weights, struct theft *t);

/* matrix = the dense rational matrix with these rows * cols entries. */
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
    /* Two instances of 16 have many positions, so that trees of outputs have several leaves;
     * one has many heads, over sequences of one or two tokens; two are on a line, without
     * repeated tokens and with one head, where certify goes by first differences. */
    bool corners;
} attest_gen_layer;

/* A dataset and weights of its dimension. Status: NOMEM. */
attest_status attest_gen_data_and_weights(attest_instance *instance, struct theft *t,
                                          const attest_gen_layer *kind) ATTEST_WARN_UNUSED;

/* ---- Scores ----------------------------------------------------------------------------- */

/* Sequences of scores: tokens of one entry with ties, near-ties, gaps and scales, divided by a
 * power of two so that no two of them are further apart than range. Status: NOMEM. */
attest_status attest_gen_scores(attest_dataset *dataset, struct theft *t,
                                const attest_gen_sequences *kind,
                                unsigned range) ATTEST_WARN_UNUSED;

/* ---- Sets of reals ---------------------------------------------------------------------- */

/* Rationals in one dimension as the tokens of a vocabulary, neighbours at least `gap` apart:
 * packed (the gap itself), nearly packed, or wide; the first is the largest. Domain: gap > 0.
 * Status: NOMEM. */
attest_status attest_gen_reals(attest_vocabulary *reals, struct theft *t, size_t count_min,
                               size_t count_max, const fmpq_t gap) ATTEST_WARN_UNUSED;

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
