/* score_form.h -- heads whose queries, keys and scores have a form of their own, as plain heads
 * on longer tokens.
 *
 * Where queries and keys are normed or turned, a token gets those of all heads at its position,
 * and W_Q and W_K only pick them; ALiBi is one more entry of both; a softcap makes scores that
 * are no products any more, so that a token gets its row of them, and keys pick the column.
 * proofs-notes/pairing.md. */
#ifndef ATTEST_MODEL_SCORE_FORM_H
#define ATTEST_MODEL_SCORE_FORM_H

#include <attest/dataset.h>
#include <attest/weights.h>

/* Makes plain heads of weights, and longer tokens of the dataset, which weights fit; its meant
 * says which tokens were one before. The first `rounded` entries of tokens stand for others
 * within 2^(1-bits) of them, relatively (bits = 0: for themselves). weights->slack grows by
 * what numbers that are not rational leave open. Status: UNABLE (what that is cannot be told,
 * or hardmax would depend on it), NOMEM; after a failure both can only be cleared. */
attest_status attest_score_form_apply(attest_dataset *dataset, attest_weights *weights,
                                      size_t rounded, long bits, attest_budget *budget,
                                      attest_error *error) ATTEST_WARN_UNUSED;

#endif
