/* evaluation.h -- the outputs of the library at all positions of a dataset. */
#ifndef ATTEST_PROPS_EVALUATION_H
#define ATTEST_PROPS_EVALUATION_H

#include "theory/separated.h"

#include "campaign/property.h"

typedef struct attest_evaluation {
    const attest_dataset *dataset;
    arb_ptr ball; /* total * dim enclosures */
    fmpq *exact;  /* hardmax: the values; softmax: zeros */
} attest_evaluation;

/* Evaluates all sequences. Clear it in any case. Status: as attest_attention_ball. */
attest_status attest_evaluation_init(attest_evaluation *evaluation,
                                     const attest_dataset *dataset,
                                     const attest_weights *weights, long bits,
                                     attest_error *error) ATTEST_WARN_UNUSED;
void attest_evaluation_clear(attest_evaluation *evaluation);

/* Returns the index of the first of dim entries of the output at a place. */
size_t attest_evaluation_at(const attest_evaluation *evaluation, attest_place place);

/* z = entry c of the token at a minus that of the token at b, exactly. */
void attest_evaluation_difference(fmpq_t z, const attest_dataset *dataset, attest_place a,
                                  attest_place b, size_t c);

#endif
