/* rank_one.h -- a head of rank 1: keys and values depend on one direction of the tokens.
 *
 * If W_K = u_K v^T and W_V = u_V (lambda v)^T, the score of key y for query x is (a.x)(v.y)
 * with a = W_Q^T u_K, and the head's output is w m, w = lambda W_O u_V, m the average of v.y
 * under softmax: boltz of the scores divided by alpha = a.x. W_Q may be any matrix. */
#ifndef ATTEST_THEORY_RANK_ONE_H
#define ATTEST_THEORY_RANK_ONE_H

#include <stdbool.h>
#include <stddef.h>

#include <attest/weights.h>

#include "number/rationals.h"

typedef struct attest_rank_one {
    size_t dim;
    attest_rational_vector v; /* the direction of keys and values, not 0 */
    attest_rational_vector a; /* alpha = a.x */
    attest_rational_vector w; /* the direction of outputs */
    bool parallel;            /* a = ratio v */
    fmpq_t ratio;
} attest_rank_one;

/* Always to be cleared. */
void attest_rank_one_init(attest_rank_one *head, size_t dim);
void attest_rank_one_clear(attest_rank_one *head);

/* Brings a head into this form. Exact. Returns NULL, or the reason why the head does not have
 * this form. */
const char *attest_rank_one_set(attest_rank_one *rank_one, const attest_head *head);

#endif
