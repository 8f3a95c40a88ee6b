/* transform.h -- changes of datasets and weights whose effect on the outputs is known. */
#ifndef ATTEST_PROPS_TRANSFORM_H
#define ATTEST_PROPS_TRANSFORM_H

#include "theory/separated.h"

#include "campaign/property.h"

typedef enum attest_rearrangement {
    ATTEST_REVERSE_SEQUENCES, /* the sequences in reverse order */
    ATTEST_REPEAT_SEQUENCE,   /* a copy of the first sequence at the end */
    ATTEST_REVERSE_TOKENS,    /* the tokens of every sequence in reverse order */
    ATTEST_REPEAT_TOKENS      /* every sequence followed by a copy of its tokens */
} attest_rearrangement;

/* to = from, rearranged; to must be initialised and is cleared first. Domain of
 * ATTEST_REPEAT_SEQUENCE: from has a sequence. Status: NOMEM. */
attest_status attest_transform_rearrange(attest_dataset *to, const attest_dataset *from,
                                         attest_rearrangement how) ATTEST_WARN_UNUSED;

/* How attest_transform_dataset changes each token. */
typedef struct attest_token_change {
    const fmpq *factor; /* multiplies every entry; NULL: 1 */
    bool mirror;        /* reverses the order of the entries */
    bool homogeneous;   /* then appends an entry 1 */
} attest_token_change;

/* to = from with every token changed; to must be initialised and is cleared first. Status:
 * NOMEM. */
attest_status attest_transform_dataset(attest_dataset *to, const attest_dataset *from,
                                       const attest_token_change *change) ATTEST_WARN_UNUSED;

/* Copies activation, ties, mask, skip, dim and the matrices of the heads, all that generated
 * weights have; to must be initialised. Status: NOMEM. */
attest_status attest_transform_copy_weights(attest_weights *to,
                                            const attest_weights *from) ATTEST_WARN_UNUSED;

/* Multiplies the matrix by factor; a factored matrix becomes dense. */
void attest_transform_multiply(attest_matrix *matrix, const fmpq_t factor);

/* Extends the weights for homogeneous tokens: appends a zero column to W_Q and W_V, a zero row
 * to W_O, and to W_K a column whose entries are all shift, which adds shift times the sum of
 * the entries of W_Q z to all scores of a query z. */
void attest_transform_shift_weights(attest_weights *weights, const fmpq_t shift);

/* Changes the weights for mirrored tokens: reverses the columns of W_Q, W_K and W_V and the
 * rows of W_O. */
void attest_transform_mirror_weights(attest_weights *weights);

#endif
