/* linear_tokens.h -- tokens that contain queries, keys or scores, so that plain heads on them
 * have the scores of heads with norms, rotary positions, ALiBi or softcap. */
#ifndef ATTEST_MODEL_LINEAR_TOKENS_H
#define ATTEST_MODEL_LINEAR_TOKENS_H

#include <attest/dataset.h>
#include <attest/weights.h>

/* The queries and keys of one sequence, as balls, normed and rotated according to
 * weights->form. */
typedef struct attest_linear_sides {
    const attest_weights *weights;
    size_t rounded; /* the first entries of a token have a relative error of at most ... */
    long bits;      /* ... 2^(1-bits); 0: tokens are exact */
    slong precision;
    size_t room;                  /* capacity in positions */
    arb_ptr *matrix[2], *side[2]; /* W_Q, W_K, and room * s queries and keys, by head */
    arb_ptr token;                /* one token */
    arb_ptr frequency;            /* by pair of entries */
    arb_ptr angle;                /* the cosines, then the sines of one position */
} attest_linear_sides;

/* The new tokens while they are made. */
typedef struct attest_linear_tokens {
    const attest_dataset *dataset;
    const attest_weights *weights;
    attest_linear_sides sides;
    bool turned;      /* queries and keys are normed or rotated */
    bool capped;      /* scores are under a softcap */
    bool shifted;     /* scores are shifted by ALiBi */
    slong kept;       /* bits of numbers that are not rational */
    size_t width;     /* entries of a token */
    fmpq *token;      /* one token */
    mag_ptr score;    /* by head: the error bound of scores */
    mag_ptr size[2];  /* by head: the norm of the longest query and key */
    mag_ptr error[2]; /* by head: the error bound of queries and keys */
} attest_linear_tokens;

/* Sets the width of the new tokens, and which forms there are. Domain: l is zero except for
 * dataset and weights. Status: UNABLE (the tokens would be too wide), NOMEM. */
attest_status attest_linear_tokens_init(attest_linear_tokens *l,
                                        attest_error *error) ATTEST_WARN_UNUSED;
void attest_linear_tokens_clear(attest_linear_tokens *l);

/* made = the longer tokens, with as many bits as needed; l->score = the error bound of scores.
 * rounded and bits: as for attest_linearise_scores. Status: UNABLE, NOMEM. */
attest_status attest_linear_tokens_make(attest_dataset *made, attest_linear_tokens *l,
                                        size_t rounded, long bits, attest_budget *budget,
                                        attest_error *error) ATTEST_WARN_UNUSED;

#endif
