/* theorem1_contexts.h -- the contexts that theorem1_least.c compares.
 *
 * What the heads add at a context is the sum over them of the average of W_O W_V y over the
 * winners y; each context gets one exact number, a linear functional of that vector. */
#ifndef ATTEST_THEORY_THEOREM1_CONTEXTS_H
#define ATTEST_THEORY_THEOREM1_CONTEXTS_H

#include "theory/theorem1.h"

/* A position of a sequence. */
typedef struct attest_theorem1_context {
    size_t sequence; /* its first token in pool */
    size_t length, position;
    size_t token; /* at the position */
    fmpz number;
} attest_theorem1_context;

/* The tokens in play, their scores, and the contexts that are made of them. */
typedef struct attest_theorem1_search {
    const attest_weights *weights;
    const attest_dataset *vocabulary;
    double work_left;
    uint64_t functional; /* its seed */
    size_t count;        /* tokens in play: those of the first places */
    size_t *id, *own;    /* their numbers in the vocabulary, and back; SIZE_MAX: not in play */
    size_t places;       /* looked at so far */
    size_t *start, *at;  /* the tokens of place k: at[start[k]] to at[start[k + 1]] */
    size_t at_room;
    fmpz *token; /* count * dim numerators over one denominator */
    fmpz_t denominator;
    fmpz *score; /* of key y for query x in head h: at (h * count + x) * count + y */
    fmpz *added; /* the functional of W_O W_V y in head h, times one number: at h * count + y */
    size_t *pool, pooled, pool_room;
    attest_theorem1_context *context;
    size_t contexts, context_room;
} attest_theorem1_search;

/* Brings the tokens into play that some sequence has at the next place. Status: NOMEM. */
attest_status attest_theorem1_add_place(attest_theorem1_search *search,
                                        attest_error *error) ATTEST_WARN_UNUSED;

/* Makes the tables for the tokens in play (token, score and added have room), and with them the
 * contexts of all sequences of up to length tokens, instead of earlier ones: shorter sequences
 * first, then by place, the last one fastest. Domain: length <= ATTEST_THEOREM1_LENGTH. Status:
 * UNABLE (budget, work), NOMEM. */
attest_status attest_theorem1_set_contexts(attest_theorem1_search *search, size_t length,
                                           attest_budget *budget,
                                           attest_error *error) ATTEST_WARN_UNUSED;
void attest_theorem1_clear_contexts(attest_theorem1_search *search);

#endif
