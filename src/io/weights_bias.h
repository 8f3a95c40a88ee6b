/* weights_bias.h -- biases of a head as columns of its matrices. */
#ifndef ATTEST_IO_WEIGHTS_BIAS_H
#define ATTEST_IO_WEIGHTS_BIAS_H

#include <attest/weights.h>

#include "io/json_take.h"

/* Has one of the heads a member bQ, bK, bV or bO that is not null? */
bool attest_weights_have_bias(const attest_json_cursor *heads, size_t count);

/* head, of s x d matrices, becomes one of dimension d + 1: a last column bQ, bK, bV (0 where
 * the object has none) of W_Q, W_K, W_V and a last row of zeros of W_O; with bO, size s + 1:
 * W_V gets the row (0, ..., 0, 1), W_O the column bO. Errors stick: FORMAT (another length),
 * UNABLE, NOMEM. */
void attest_weights_set_bias(attest_head *head, const attest_json_cursor *object);

#endif
