/* bound_vectors.h -- attest_bound_row and its kin for a row in each lane, in the verbs of
 * vector_*.h, one of which is included before this. */
#ifndef ATTEST_KERNEL_BOUND_VECTORS_H
#define ATTEST_KERNEL_BOUND_VECTORS_H

#include <math.h>

#include "kernel/bound.h"

/* As attest_bound_row, lane by lane, in two steps: delta needs only the inputs, and its square
 * root takes long. min returns its second operand where one is a NaN. */
static inline vector bound_delta(struct bound_terms terms, vector q_square, vector key_square)
{
    return vector_mul(vector_set(terms.dot), vector_sqrt(vector_mul(q_square, key_square)));
}

/* As attest_bound_delta; one root is enough where the product of the squares cannot have
 * underflowed. */
static inline vector bound_hardmax_delta(struct bound_terms terms, vector q_square,
                                         vector key_square)
{
    vector product = vector_mul(q_square, key_square), norms = vector_sqrt(product);
    vector_mask large = vector_at_most(vector_set(ATTEST_BOUND_SQUARE_MIN), product);

    if (__builtin_expect(vector_bits(large) != VECTOR_ALL, 0))
        norms = vector_select(large, norms,
                              vector_mul(vector_sqrt(q_square), vector_sqrt(key_square)));
    return vector_fma(vector_set(terms.dot), norms, vector_set(ATTEST_BOUND_SCORE_FLOOR));
}

static inline vector bound_rows(struct bound_terms terms, vector delta, vector value_norm,
                                vector denominator)
{
    vector peak = vector_fma(vector_set(ATTEST_BOUND_PEAK_DELTA), delta,
                             vector_set(ATTEST_BOUND_PEAK_SLACK - 4.0));
    vector bound;

    /* A denominator that is not finite is a NaN: weights are at most 1. It stays one. */
    peak = vector_min(vector_set(1.0), vector_fma(vector_set(4.0), denominator, peak));
    bound = vector_mul(value_norm, vector_fma(delta, peak, vector_set(terms.fixed)));
    return vector_min(bound, vector_set(INFINITY));
}

/* What the bound by weights needs of a row in each lane. */
struct bound_means {
    vector key, value, rounding; /* [|k|_w^2], [|v|^2], [g^2 |v|^2] */
    vector out;                  /* |out|^2 */
};

/* The bound by weights, lane by lane, in units of terms.unit until the end. A NaN becomes an
 * infinity. 1 + cancel is rounded by less than what cancel has to spare. */
static inline vector bound_sharp(struct bound_terms terms, vector q_square,
                                 struct bound_means mean)
{
    vector spread = vector_fms(vector_set(1.0 + terms.cancel), mean.value, mean.out);
    vector weights = vector_fma(vector_mul(q_square, mean.key), vector_set(terms.score),
                                vector_set(terms.weight));
    vector sums = vector_mul(mean.rounding, vector_set(ATTEST_BOUND_SHARP_VALUE));
    vector bound;

    sums = vector_fma(mean.out, vector_set(terms.out), sums);
    bound = vector_add(vector_sqrt(vector_mul(weights, spread)), vector_sqrt(sums));
    return vector_min(vector_mul(bound, vector_set(terms.unit)), vector_set(INFINITY));
}

#endif
