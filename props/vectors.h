/* vectors.h -- instances of statements about vectors of reals (Boltzmann operator, Lemma 1,
 * Lemma F): datasets of dimension 1, in which a vector is a sequence. */
#ifndef ATTEST_PROPS_VECTORS_H
#define ATTEST_PROPS_VECTORS_H

#include <stdbool.h>
#include <stddef.h>
#include <theft.h>

#include <attest/dataset.h>
#include <attest/error.h>

#include "campaign/gen.h"
#include "campaign/property.h"
#include "theory/lemma_f.h"

/* The vectors of a dataset as integers over one denominator, each in descending order. */
typedef struct attest_vectors {
    const attest_dataset *dataset;
    fmpz *entry; /* vector i is entry[start[i]] .. entry[start[i+1] - 1] */
    fmpz_t denominator;
} attest_vectors;

/* Clear them in any case. Status: DOMAIN (the dataset is not of dimension 1). */
attest_status attest_vectors_init(attest_vectors *vectors, const attest_dataset *dataset,
                                  attest_error *error) ATTEST_WARN_UNUSED;
void attest_vectors_clear(attest_vectors *vectors);

static inline const fmpz *attest_vectors_get(const attest_vectors *vectors, size_t i)
{
    return vectors->entry + vectors->dataset->start[i];
}

/* Returns whether some vector contains an entry twice. */
bool attest_vectors_have_duplicates(const attest_vectors *vectors);

/* Returns whether vectors i and j have the same set of entries. */
bool attest_vectors_same_set(const attest_vectors *vectors, size_t i, size_t j);

/* gap = the least distance of two different values of all vectors; returns false if there is
 * only one value. */
bool attest_vectors_gap(fmpq_t gap, const attest_vectors *vectors);

/* radius = the largest |entry|. */
void attest_vectors_radius(fmpq_t radius, const attest_vectors *vectors);

/* Encloses boltz of vector i minus boltz of vector j, with accuracy bits of relative accuracy.
 */
attest_status attest_vectors_difference(attest_boltz_difference *difference,
                                        const attest_vectors *vectors, size_t i, size_t j,
                                        long accuracy, attest_error *error) ATTEST_WARN_UNUSED;

/* Draws a gap that check (such as attest_lemma1_check_gap, with n) accepts: a whole number near
 * the threshold, the least multiple of 1/1024 above it, or a whole number up to 1000 larger. */
void attest_vectors_gen_gap(fmpq_t gap, struct theft *t, double threshold,
                            bool (*check)(const fmpq_t gap, size_t n), size_t n);

/* Draws a gap below the threshold, a multiple of 1/10; small gaps are more frequent. Domain:
 * 10 threshold is not an integer. */
void attest_vectors_gen_narrow(fmpq_t gap, struct theft *t, double threshold);

/* values = count values in descending order, symmetric to 0, at equal distances: the least that
 * check accepts, up to 2^-20. Status: NOMEM. */
attest_status attest_vectors_set_tight(attest_vocabulary *values, size_t count,
                                       double threshold,
                                       bool (*check)(const fmpq_t gap, size_t n),
                                       size_t n) ATTEST_WARN_UNUSED;

/* Draws count values in descending order, at least gap apart, often exactly; often centred at
 * 0. Status: NOMEM. */
attest_status attest_vectors_gen_values(attest_vocabulary *values, struct theft *t,
                                        size_t count, const fmpq_t gap) ATTEST_WARN_UNUSED;

/* Vectors as lists of indices into values, for a dataset of dimension 1. */
typedef struct attest_vector_lists {
    size_t count;
    size_t length[8];
    size_t index[8][64];
} attest_vector_lists;

/* Status: NOMEM. */
attest_status attest_vectors_build(attest_dataset *dataset, const attest_vocabulary *values,
                                   const attest_vector_lists *lists) ATTEST_WARN_UNUSED;

/* Returns the sign of actual - promised, two balls that enclose the log2 of a distance and of
 * its bound; 0: they overlap. Lowers the margin of the trial to the difference of their
 * midpoints. */
int attest_vectors_compare(attest_trial *trial, const arb_t actual, const arb_t promised);

/* ---- The attention weights as the library computes them.
 *
 * A layer on tokens (score, 1, unit vector) has the attention weights as entries of its output,
 * so that properties of softmax and hardmax test src/attention rather than another formula. */

/* score = the entries of sequence i of a dataset of dimension 1. */
void attest_scores_get(fmpq *score, const attest_dataset *dataset, size_t i);

/* p[i] encloses softmax(score)_i, i < count. Status: DOMAIN, NOMEM. */
attest_status attest_probabilities_softmax(arb_ptr p, const fmpq *score, size_t count,
                                           long bits, attest_error *error) ATTEST_WARN_UNUSED;

/* p[i] = hardmax(score)_i with uniform ties. Status: DOMAIN, NOMEM. */
attest_status attest_probabilities_hardmax(fmpq *p, const fmpq *score, size_t count,
                                           attest_error *error) ATTEST_WARN_UNUSED;

#endif
