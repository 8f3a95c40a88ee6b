/* stream.h -- attention in one pass over the keys, with a running maximum. */
#ifndef ATTEST_PROPS_STREAM_H
#define ATTEST_PROPS_STREAM_H

#include "props/oracle.h"

/* out encloses the output at a place: for each head m, S = sum e^{a_j - m} and the sum of the
 * values with these weights are kept; a larger score rescales both by e^{m - m'}. Domain:
 * softmax. */
void attest_stream_softmax(arb_ptr out, const attest_oracle *oracle, attest_place place,
                           long bits);

/* out = the output at a place: a larger score starts anew, an equal one is added (uniform ties)
 * or passed over (leftmost). Domain: hardmax. */
void attest_stream_hardmax(fmpq *out, const attest_oracle *oracle, attest_place place);

#endif
