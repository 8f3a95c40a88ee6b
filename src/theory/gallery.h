/* gallery.h -- the least counterexamples to hardmax, by tie rule, mask, lengths and weights.
 *
 * Tokens are multiples t of one vector u. A head's score of t for the query t' is c t t', c
 * = (W_K u).(W_Q u), and its output is linear in the winners' average; so whether an entry
 * defeats weights depends on the signs of c only (proofs-notes/theorem1.md), and "least" is
 * decided by an exhaustive search over sequences of small whole numbers. */
#ifndef ATTEST_THEORY_GALLERY_H
#define ATTEST_THEORY_GALLERY_H

#include "theory/theorem1.h"

/* The weights that an entry defeats: those with such a c in every head. */
typedef enum attest_gallery_defeats {
    ATTEST_GALLERY_ALL = 0,
    ATTEST_GALLERY_POSITIVE,
    ATTEST_GALLERY_NEGATIVE,
    ATTEST_GALLERY_ZERO
} attest_gallery_defeats;

typedef struct attest_gallery_entry {
    const char *name;
    const char *title;
    attest_ties ties;
    attest_mask mask;
    attest_gallery_defeats defeats;
    attest_universal_pair pair; /* length[1] = 0: both positions are of sequence 0 */
    /* The space in which the pair is the least: whole numbers from low to high, 0 and
     * repetitions only if allowed, sequences of equal length unless unequal. */
    long low, high;
    bool zero, repeats, unequal;
} attest_gallery_entry;

/* Ended by a NULL name. */
extern const attest_gallery_entry attest_gallery[];

/* The entry of this name, or NULL. */
const attest_gallery_entry *attest_gallery_get(const char *name);

/* "every hardmax layer", ... */
const char *attest_gallery_defeats_name(attest_gallery_defeats defeats);

/* weights = one head of one dimension that the entry defeats: all entries 1, except for W_Q,
 * which is the sign of c. Status: NOMEM. */
attest_status attest_gallery_set_weights(attest_weights *weights,
                                         const attest_gallery_entry *entry,
                                         attest_error *error) ATTEST_WARN_UNUSED;

/* The result of an exhaustive search. */
typedef struct attest_gallery_search {
    size_t shorter, contexts; /* sequences that were too short for any pair; their positions */
    size_t sequences;         /* all sequences, up to the length of the pair */
    attest_universal_pair pair; /* the least one; its numbers are in t */
    long t[2][ATTEST_THEOREM1_LONGEST];
} attest_gallery_search;

/* Searches all sequences of the entry's space, by length. Least: the longer sequence is
 * shortest, then fewest tokens, then the smallest largest number, then the smallest sum (in
 * absolute value), then first by numbers and positions. Domain: a pair exists in the space.
 * Status: NOMEM. */
attest_status attest_gallery_find(attest_gallery_search *search,
                                  const attest_gallery_entry *entry,
                                  attest_error *error) ATTEST_WARN_UNUSED;

#endif
