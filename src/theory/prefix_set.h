/* prefix_set.h -- numbers for what a query sees: the beginnings of sequences up to what does
 * not matter.
 *
 * Two beginnings get the same number iff they are equal
 *
 *   - as sets: the same tokens occur (a vocabulary);
 *   - as proportions: every token takes the same share of the positions (softmax, and hardmax
 *     with uniform ties, cannot tell (a, b) from (b, a, a, b));
 *   - as orders: the same tokens occur, for the first time in the same order (all that hardmax
 *     with leftmost ties can see).
 *
 * A hash that grows with the beginning finds the number, and a comparison token by token, which
 * takes time proportional to the length of one beginning, confirms it. */
#ifndef ATTEST_THEORY_PREFIX_SET_H
#define ATTEST_THEORY_PREFIX_SET_H

#include <attest/dataset.h>

#include "base/map.h"

typedef enum attest_likeness {
    ATTEST_LIKE_SETS,
    ATTEST_LIKE_PROPORTIONS,
    ATTEST_LIKE_ORDERS
} attest_likeness;

/* The sequence whose beginnings are looked at, with what is known of the current one. */
typedef struct attest_prefix {
    const attest_dataset *dataset;
    bool meant;              /* tokens are what Definition 2 takes for one */
    size_t sequence, length; /* the current beginning: length tokens of the sequence */
    size_t distinct;         /* different tokens in it */
    size_t *stamp;           /* by token: 1 + the last sequence in which it was met ... */
    size_t *times;           /* ... how often in the current beginning ... */
    size_t *rank;            /* ... and how many different tokens came before it there */
    size_t *other_stamp, *other_times; /* the same for a beginning compared with, */
    size_t comparison;                 /* which is this one */
    uint64_t set_hash, share_hash, order_hash;
} attest_prefix;

attest_status attest_prefix_init(attest_prefix *prefix, const attest_dataset *dataset,
                                 attest_error *error) ATTEST_WARN_UNUSED;
void attest_prefix_clear(attest_prefix *prefix);

/* Starts with the empty beginning of the sequence; extends the beginning by one token. */
void attest_prefix_start(attest_prefix *prefix, size_t sequence);
void attest_prefix_extend(attest_prefix *prefix);

/* A beginning that stands for all those with its number. */
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

/* *number = that of the current beginning. False: out of memory, or too many. */
bool attest_prefix_set_get(uint32_t *number, attest_prefix_set *set, attest_prefix *prefix);

#endif
