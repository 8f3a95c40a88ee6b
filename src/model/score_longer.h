/* score_longer.h -- tokens with what scores are made of at their positions: score_form.h. */
#ifndef ATTEST_MODEL_SCORE_LONGER_H
#define ATTEST_MODEL_SCORE_LONGER_H

#include <attest/dataset.h>
#include <attest/weights.h>

#include "model/score_sides.h"

/* What the new tokens are made of. */
typedef struct attest_score_longer {
    const attest_dataset *dataset;
    const attest_weights *weights;
    attest_score_sides sides;
    bool turned, capped, shifted; /* queries and keys; scores; by positions of keys */
    slong kept;
    size_t width;     /* entries of a token */
    fmpq *token;      /* one of them */
    mag_ptr score;    /* by head: what scores may be off by */
    mag_ptr size[2];  /* by head: the longest query, the longest key, */
    mag_ptr error[2]; /* and what they may be off by */
} attest_score_longer;

/* l, zeroed but for dataset and weights: what they need, and the width of the new tokens.
 * Status: UNABLE (that is too much), NOMEM. */
attest_status attest_score_longer_init(attest_score_longer *l,
                                       attest_error *error) ATTEST_WARN_UNUSED;
void attest_score_longer_clear(attest_score_longer *l);

/* made = the longer tokens, whose numbers have enough bits; l->score = what scores are off by.
 * rounded and bits: as score_form.h says. Status: UNABLE, NOMEM. */
attest_status attest_score_longer_make(attest_dataset *made, attest_score_longer *l,
                                       size_t rounded, long bits, attest_budget *budget,
                                       attest_error *error) ATTEST_WARN_UNUSED;

#endif
