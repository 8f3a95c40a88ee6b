/* transform.h -- changes of datasets and weights whose effect on the outputs is known. */
#ifndef ATTEST_PROPS_TRANSFORM_H
#define ATTEST_PROPS_TRANSFORM_H

#include "theory/separated.h"

#include "campaign/property.h"

typedef enum attest_rearrangement {
    ATTEST_REVERSE_SEQUENCES, /* the last one first */
    ATTEST_REPEAT_SEQUENCE,   /* the first one again at the end */
    ATTEST_REVERSE_TOKENS,    /* in every sequence the last token first */
    ATTEST_REPEAT_TOKENS      /* in every sequence all tokens once more */
} attest_rearrangement;

/* to = from, rearranged. Status: NOMEM. */
attest_status attest_transform_rearrange(attest_dataset *to, const attest_dataset *from,
                                         attest_rearrangement how) ATTEST_WARN_UNUSED;

/* to = from with every token x replaced by factor * x; mirror reverses its entries, homogeneous
 * appends an entry 1. Status: NOMEM. */
typedef struct attest_token_change {
    const fmpq *factor; /* NULL: 1 */
    bool mirror, homogeneous;
} attest_token_change;
attest_status attest_transform_dataset(attest_dataset *to, const attest_dataset *from,
                                       const attest_token_change *change) ATTEST_WARN_UNUSED;

/* to = from. Status: NOMEM. */
attest_status attest_transform_copy_weights(attest_weights *to,
                                            const attest_weights *from) ATTEST_WARN_UNUSED;

/* Multiplies the matrix by factor. */
void attest_transform_multiply(attest_matrix *matrix, const fmpq_t factor);

/* Extends the weights for homogeneous tokens: a column of zeros for W_Q and W_V, a zero row for
 * W_O, and a column of the value shift for W_K, which adds shift * sum(W_Q z) to all scores of
 * a query z. */
void attest_transform_shift_weights(attest_weights *weights, const fmpq_t shift);

/* Reverses the order of the coordinates of tokens: columns of W_Q, W_K, W_V, rows of W_O. */
void attest_transform_mirror_weights(attest_weights *weights);

#endif
