/* score_sides.h -- the queries and keys that scores are products of, as balls: normed and
 * turned as weights->form says. */
#ifndef ATTEST_MODEL_SCORE_SIDES_H
#define ATTEST_MODEL_SCORE_SIDES_H

#include <attest/dataset.h>
#include <attest/weights.h>

/* Those of one sequence at a time. */
typedef struct attest_score_sides {
    const attest_weights *weights;
    size_t
        rounded; /* the first entries of a token that stand for others, which are within ... */
    long bits;   /* ... 2^(1-bits) of them, relatively; 0: tokens are what they are */
    slong precision;
    size_t room;                  /* positions that there is memory for */
    arb_ptr *matrix[2], *side[2]; /* W_Q, W_K, and room * s queries and keys, by head */
    arb_ptr token;                /* one, */
    arb_ptr frequency;            /* by pair of entries, */
    arb_ptr angle;                /* and one position's cosines, then sines */
} attest_score_sides;

/* Memory for sequences of so many tokens; the matrices, in balls. Status: NOMEM. */
attest_status attest_score_sides_init(attest_score_sides *sides, const attest_weights *weights,
                                      size_t room, slong precision,
                                      attest_error *error) ATTEST_WARN_UNUSED;
void attest_score_sides_clear(attest_score_sides *sides);

/* Encloses queries and keys of sequence i: side[0] and side[1]. Status: UNABLE (what a norm
 * divides by may be 0). */
attest_status attest_score_sides_load(attest_score_sides *sides, const attest_dataset *dataset,
                                      size_t i, attest_error *error) ATTEST_WARN_UNUSED;

#endif
