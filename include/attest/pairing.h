/* pairing.h -- makes a dataset and weights fit: layers with biases, norms and other forms as
 * linear layers on longer tokens.
 *
 * A head of a real model is not linear: q = A_q x + b_q and so on, and the skip may add a
 * tensor R other than the tokens z that the head attends to, as in R + Attn(z) with z =
 * norm(R). It is linear on longer tokens,
 *
 *     (z, 1, r),   W_Q = [A_q  b_q  0], W_K, W_V likewise,
 *
 * where r is the sum of everything but the heads: z or R, if there is a skip, plus b_o. The
 * skip adds the entries r, and the entries of the output beyond the first d are 0. So all code
 * that evaluates, certifies, checks or simulates a layer handles biases exactly: a bias is the
 * last term of its sum, after the product, as kernels add it.
 *
 * Norms in front, and the form of queries, keys and scores (weights.h), become longer tokens,
 * too. Irrational numbers are rounded, and weights->output_error bounds the error of outputs
 * that this causes. proofs-notes/pairing.md. */
#ifndef ATTEST_PAIRING_H
#define ATTEST_PAIRING_H

#include <attest/dataset.h>
#include <attest/weights.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Makes a dataset and weights fit each other; both are as they were read. What it does depends
 * on these members:
 * - weights->homogeneous, and tokens of one entry less than the weights take: tokens get the
 *   entry 1, and weights->output_dim becomes their previous length. The constant that a head
 *   adds to every output (a row of W_V that is 0 except for the last entry: b_o) is added once,
 *   by the skip. Tokens that already have the entry are not changed; the head is linear in
 *   them.
 * - weights->residual: the tensor of that name in input, of the shape of the dataset, becomes
 *   r; input is what the dataset was read from.
 * - weights->norm: tokens are normed; the skip, if any, adds the tokens before the norm, or the
 *   tensor weights->residual.
 * - weights->form: tokens get the parts of scores at their position, and dataset->identity
 *   identifies those that were equal before.
 * Afterwards dataset and weights have the same dim, and the weights have none of these members
 * set. Labels are lost if tokens change. Exact, up to weights->output_error. Status: DOMAIN
 * (the dimensions do not fit), USAGE or FORMAT (no such tensor, another shape), UNABLE, NOMEM;
 * after a failure both can only be cleared. Cost: tokens and matrices are copied. */
ATTEST_API attest_status attest_pairing_set(attest_dataset *dataset, attest_weights *weights,
                                            const attest_input *input, attest_budget *budget,
                                            attest_error *error) ATTEST_WARN_UNUSED;

#ifdef __cplusplus
}
#endif

#endif
