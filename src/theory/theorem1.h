/* theorem1.h -- Theorem 1: pairs of contexts for which every hardmax layer has equal
 * outputs. */
#ifndef ATTEST_THEORY_THEOREM1_H
#define ATTEST_THEORY_THEOREM1_H

#include <stddef.h>
#include <stdint.h>

#include <attest/dataset.h>
#include <attest/error.h>
#include <attest/weights.h>

#include "data/counterexample.h"

/* Two sequences t u, and in each the position of one token, t u with the same t, whose outputs
 * agree for all weights although the vocabularies that it sees differ. */
typedef struct attest_universal_pair {
    size_t length[2];
    const long *t[2];
    size_t position[2];
} attest_universal_pair;

enum { ATTEST_THEOREM1_LONGEST = 5 };

/* The pair of least length for these ties and mask. Never NULL. */
const attest_universal_pair *attest_theorem1_universal(attest_ties ties, attest_mask mask);

/* Random hardmax weights: entries are whole numbers in [-9, 9] drawn from seed, the same on
 * every machine. Domain: heads, dim, size >= 1. weights is initialised and not yet shaped.
 * Status: NOMEM. */
attest_status attest_theorem1_gen_weights(attest_weights *weights, size_t heads, size_t dim,
                                          size_t size, uint64_t seed,
                                          attest_error *error) ATTEST_WARN_UNUSED;

/* The universal pair along a direction u with small whole entries, chosen such that as many
 * heads as possible have scores that are not constant on it. counterexample is initialised, its
 * weights are set (hardmax). Fills in the rest and checks, exactly, that the outputs are equal
 * and the vocabularies differ. Status: DOMAIN (softmax weights), NOMEM. */
attest_status attest_theorem1_build(attest_counterexample *counterexample,
                                    attest_error *error) ATTEST_WARN_UNUSED;

/* Builds the counterexample from this pair, of sequences of at most ATTEST_THEOREM1_LONGEST
 * tokens; length[1] = 0: both positions are of sequence 0. *merged = the weights have equal
 * outputs for it, as they do if it is universal for their ties and mask. */
attest_status attest_theorem1_build_pair(attest_counterexample *counterexample, bool *merged,
                                         const attest_universal_pair *pair,
                                         attest_error *error) ATTEST_WARN_UNUSED;

/* Builds a counterexample from the tokens of a dataset. Both sequences contain the query and,
 * for each head, a token that wins; they differ in tokens that never win. If a head's scores
 * are constant and ties average, the exchanged tokens have equal sums of these heads' outputs.
 * Checked exactly. *found = there is such a pair among at most ATTEST_THEOREM1_TOKENS tokens
 * and ATTEST_THEOREM1_QUERIES queries. max_work: attention/head_plan.h. Status: DOMAIN (softmax
 * weights, or another dim), UNABLE (budget, work), NOMEM. */
#define ATTEST_THEOREM1_TOKENS 4096
#define ATTEST_THEOREM1_QUERIES 64
attest_status attest_theorem1_build_from_vocabulary(attest_counterexample *counterexample,
                                                    bool *found,
                                                    const attest_dataset *vocabulary,
                                                    attest_budget *budget, double max_work,
                                                    attest_error *error) ATTEST_WARN_UNUSED;

/* The contexts that theorem1_search.c compares.
 *
 * The heads' contribution at a context is the sum over the heads of the average of W_O W_V y
 * over the winners y; each context gets one exact number, a linear functional of that
 * vector. */

/* A position of a sequence. */
typedef struct attest_theorem1_context {
    size_t sequence; /* its first token in pool */
    size_t length, position;
    size_t token; /* at the position */
    fmpz number;
} attest_theorem1_context;

/* The active tokens, their scores, and the contexts that are made of them. */
typedef struct attest_theorem1_search {
    const attest_weights *weights;
    const attest_dataset *vocabulary;
    double work_left;
    uint64_t functional; /* its seed */
    size_t count;        /* active tokens: those of the first places */
    size_t *id,
        *own;      /* their numbers in the vocabulary, and the inverse; SIZE_MAX: not active */
    size_t places; /* visited so far */
    size_t *start, *at; /* the tokens of place k: at[start[k]] to at[start[k + 1]] */
    size_t at_room;
    fmpz *token; /* count * dim numerators over one denominator */
    fmpz_t denominator;
    fmpz *score; /* of key y for query x in head h: at (h * count + x) * count + y */
    fmpz *added; /* the functional of W_O W_V y in head h, times one number: at h * count + y */
    size_t *pool, pooled, pool_room;
    attest_theorem1_context *context;
    size_t contexts, context_room;
} attest_theorem1_search;

/* Activates the tokens that some sequence has at the next place. Status: NOMEM. */
attest_status attest_theorem1_add_place(attest_theorem1_search *search,
                                        attest_error *error) ATTEST_WARN_UNUSED;

/* Makes the tables for the active tokens (token, score and added have room), and the
 * contexts of all sequences of up to length tokens, which replace earlier ones: shorter
 * sequences first, then by place, the last one fastest. Domain: length <=
 * ATTEST_THEOREM1_LENGTH. Status: UNABLE (budget, work), NOMEM. */
attest_status attest_theorem1_set_contexts(attest_theorem1_search *search, size_t length,
                                           attest_budget *budget,
                                           attest_error *error) ATTEST_WARN_UNUSED;
void attest_theorem1_clear_contexts(attest_theorem1_search *search);

/* Tokens and their scores; building a pair of sequences, and checking that
 * hardmax merges it. */

/* Checks that these are hardmax weights for tokens of that size. Status: DOMAIN. */
attest_status attest_theorem1_check_vocabulary(const attest_weights *weights,
                                               const attest_dataset *vocabulary,
                                               attest_error *error) ATTEST_WARN_UNUSED;

/* token = count tokens of the table, those of the numbers id (NULL: the first ones), as
 * numerators over one denominator (initialised). Status: UNABLE (budget). */
attest_status attest_theorem1_load(fmpz *token, fmpz_t denominator, const attest_tokens *tokens,
                                   const size_t *id, size_t count, attest_budget *budget,
                                   attest_error *error) ATTEST_WARN_UNUSED;

/* score[y] = (W_K y).(W_Q x), times one positive number for all y, of the count tokens y; x is
 * one of them. */
void attest_theorem1_rank(fmpz *score, const attest_head *head, const fmpz *token, size_t count,
                          size_t dim, size_t x);

/* Fills counterexample's dataset with sequences made of tokens of a table: sequence side is
 * table[index[side][k]], k < length[side]; entries are numerator / denominator, dim per token;
 * length[1] = 0: there is one sequence, and both positions are its own.
 * Sets the pair of positions and the texts. Status: NOMEM. */
attest_status attest_theorem1_set_pair(attest_counterexample *counterexample,
                                       const fmpz *numerator, const fmpz_t denominator,
                                       size_t dim, const size_t *const index[2],
                                       const size_t length[2], const size_t position[2],
                                       attest_error *error) ATTEST_WARN_UNUSED;

/* Computes both outputs; *merged = they are equal, the tokens are equal, and the visible
 * vocabularies differ. Exact. Status: DOMAIN, UNABLE, NOMEM. */
attest_status attest_theorem1_check(bool *merged, attest_counterexample *counterexample,
                                    attest_error *error) ATTEST_WARN_UNUSED;

/* The least sequences of given tokens that given hardmax weights merge.
 *
 * The space: sequences whose token at place k is one that the dataset has at place k of some
 * sequence, so that tokens that encode their position stay there. All of it is searched,
 * shorter sequences first (proofs-notes/theorem1.md, "The gallery"). */

/* The largest space that is searched: sequences, their length, and scores of a key for a
 * query. */
enum {
    ATTEST_THEOREM1_SEQUENCES = 200000,
    ATTEST_THEOREM1_LENGTH = 40,
    ATTEST_THEOREM1_SCORES = 2000000
};

/* The space that was searched. */
typedef struct attest_theorem1_space {
    size_t length;           /* of the longest sequences */
    size_t tokens;           /* that occur at a place before length */
    size_t shorter, longest; /* numbers of sequences with fewer than, and with, length tokens */
    bool whole;              /* the whole space fits into the limits */
} attest_theorem1_space;

/* *found = two positions with the same token and different contexts have equal outputs. The
 * counterexample, whose weights the caller has set (hardmax), is then the pair with the least
 * length of the longer sequence, then of the shorter one, then the first in the order of the
 * dataset. Both outputs are computed again, exactly. Status: DOMAIN (softmax weights, or
 * another dim), UNABLE (budget, work), NOMEM. */
attest_status attest_theorem1_build_least(attest_counterexample *counterexample, bool *found,
                                          attest_theorem1_space *space,
                                          const attest_dataset *vocabulary,
                                          attest_budget *budget, double max_work,
                                          attest_error *error) ATTEST_WARN_UNUSED;

#endif
