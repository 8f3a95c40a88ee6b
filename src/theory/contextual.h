/* contextual.h -- Definition 2: the pairs of positions that a contextual mapping must
 * distinguish.
 *
 * The vocabulary of position (i, k) is the set of the tokens of sequence i, or with a causal
 * mask of its first k + 1 tokens. A pair of positions is required when their vocabularies or
 * their tokens differ: the positions fall into classes (vocabulary, token), and a pair is
 * required iff its classes differ.
 *
 * Prefixes of sequences get numbers, equal iff the prefixes are equal
 *
 *   - as sets: the same tokens occur (a vocabulary);
 *   - as proportions: every token takes the same share of the positions (softmax, and hardmax
 *     with uniform ties, have equal outputs for (a, b) and (b, a, a, b));
 *   - as orders: the same tokens occur, for the first time in the same order (hardmax with
 *     leftmost ties depends on no more than that).
 *
 * A hash that is updated token by token finds the number, and a comparison token by token,
 * which takes time proportional to the length of one prefix, confirms it. */
#ifndef ATTEST_THEORY_CONTEXTUAL_H
#define ATTEST_THEORY_CONTEXTUAL_H

#include <attest/dataset.h>
#include <attest/error.h>
#include <attest/weights.h>

#include "base/map.h"
#include "theory/separated.h"

/* The context of a position: the query token, and the visible tokens up to differences that
 * no weights can see (proofs-notes/contextual.md). Positions with the same context have the
 * same output for all weights, and the same class. */
typedef struct attest_context {
    size_t first;      /* the first position, counted through all sequences */
    uint32_t sequence; /* of that position */
    uint32_t seen;     /* how many tokens of the sequence are visible */
    uint32_t query;    /* the token */
    uint32_t group;    /* its class: 0, 1, ... in order of appearance */
} attest_context;

typedef struct attest_contexts {
    size_t positions;
    size_t count; /* different contexts, in order of first appearance */
    attest_context *context;
    size_t vocabularies, classes;
    fmpz_t required_pairs; /* unordered pairs of positions of different classes */
    bool keep_positions;   /* set before get: also set position */
    uint32_t *position;    /* the context of every position; else NULL */
} attest_contexts;

void attest_contexts_init(attest_contexts *contexts);
void attest_contexts_clear(attest_contexts *contexts);

/* Finds all contexts of the dataset for layers with this mask; ties is the rule of hardmax
 * layers, and ATTEST_TIES_UNIFORM for softmax. Status: NOMEM, UNABLE (more than 2^32 - 2
 * contexts). Cost: one pass over the positions; O(n) more for a vocabulary met before, hence
 * O(n^2) per sequence of length n with a causal mask at worst; memory O(positions). */
attest_status attest_contexts_get(attest_contexts *contexts, const attest_dataset *dataset,
                                  attest_mask mask, attest_ties ties,
                                  attest_error *error) ATTEST_WARN_UNUSED;

/* Sets the classes only, one context for each, and position: the class of every position.
 * For layers that round: their sums depend on the order of the tokens, so that positions
 * with the same context may have different outputs. Status and cost: as above. */
attest_status attest_contexts_get_classes(attest_contexts *contexts,
                                          const attest_dataset *dataset, attest_mask mask,
                                          attest_error *error) ATTEST_WARN_UNUSED;

/* The first position of a context. */
attest_place attest_context_place(const attest_context *context, const attest_dataset *dataset);

typedef enum attest_likeness {
    ATTEST_LIKE_SETS,
    ATTEST_LIKE_PROPORTIONS,
    ATTEST_LIKE_ORDERS
} attest_likeness;

/* The current prefix of a sequence, and its tokens. */
typedef struct attest_prefix {
    const attest_dataset *dataset;
    bool by_identity;        /* tokens are compared by identity, as in Definition 2 */
    size_t sequence, length; /* the prefix: length tokens of the sequence */
    size_t distinct;         /* different tokens in it */
    size_t *stamp;           /* by token: 1 + the last sequence in which it occurred ... */
    size_t *times;           /* ... how often in the prefix ... */
    size_t *rank;            /* ... and how many different tokens came before it there */
    size_t *other_stamp, *other_times; /* stamp and times of another prefix, in a comparison */
    size_t comparison;                 /* with this number */
    uint64_t set_hash, share_hash, order_hash;
} attest_prefix;

attest_status attest_prefix_init(attest_prefix *prefix, const attest_dataset *dataset,
                                 attest_error *error) ATTEST_WARN_UNUSED;
void attest_prefix_clear(attest_prefix *prefix);

/* Starts with the empty prefix of the sequence; extends the prefix by one token. */
void attest_prefix_start(attest_prefix *prefix, size_t sequence);
void attest_prefix_extend(attest_prefix *prefix);

/* The first prefix with its number. */
typedef struct attest_prefix_entry {
    size_t sequence, length, distinct;
} attest_prefix_entry;

typedef struct attest_prefix_set {
    attest_likeness likeness;
    attest_prefix_entry *entry; /* count of them, by number */
    size_t count, room;
    attest_map map;
} attest_prefix_set;

void attest_prefix_set_init(attest_prefix_set *set, attest_likeness likeness);
void attest_prefix_set_clear(attest_prefix_set *set);

/* *number = that of the current prefix. False if memory is exhausted, or there are too many. */
bool attest_prefix_set_get(uint32_t *number, attest_prefix_set *set, attest_prefix *prefix);

#endif
