/* outputs.h -- the library's outputs at all positions of a dataset. */
#ifndef ATTEST_PROPS_OUTPUTS_H
#define ATTEST_PROPS_OUTPUTS_H

#include <attest/separated.h>

#include "campaign/instance.h"

typedef struct attest_outputs {
    const attest_dataset *dataset;
    arb_ptr ball; /* total * dim enclosures */
    fmpq *exact;  /* hardmax: the values; softmax: zeros */
} attest_outputs;

/* Evaluates all sequences. Always to be cleared. Status: as attest_attention_ball. */
attest_status attest_outputs_init(attest_outputs *outputs, const attest_dataset *dataset,
                                  const attest_weights *weights, long bits,
                                  attest_error *error) ATTEST_WARN_UNUSED;
void attest_outputs_clear(attest_outputs *outputs);

/* Where the dim entries of the output at a place begin. */
size_t attest_outputs_at(const attest_outputs *outputs, attest_place place);

/* z = entry c of the token at a minus that at b. Exact. */
void attest_token_difference(fmpq_t z, const attest_dataset *dataset, attest_place a,
                             attest_place b, size_t c);

#endif
