/* bound_vectors.h -- the error bounds of bound.h for a row in each lane. */
#ifndef ATTEST_KERNEL_BOUND_VECTORS_H
#define ATTEST_KERNEL_BOUND_VECTORS_H

#include <math.h>

#include "kernel/bound.h"
#include "kernel/vector.h"

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

/* The means for the bound by weights, of a row in each lane. */
struct bound_means {
    vector key, value, rounding; /* [|k|_w^2], [|v|^2], [g^2 |v|^2] */
    vector out;                  /* |out|^2 */
};

/* The sums for the bound by singular values, of a row in each lane. */
struct bound_spectral {
    vector key, weight, rounding; /* sums of p^2 |k|_w^2, p^2, p^2 g */
    vector away;                  /* |out - c|^2 */
    vector sigma, mean_norm;      /* sigma, |c| */
};

/* The part of the scores in the bound by singular values, from [eta^2] and [|v|^2]. */
static inline vector bound_spectral_scores(struct bound_terms terms, vector q_square,
                                           vector eta_square, vector value,
                                           const struct bound_spectral *row)
{
    vector weights = vector_fma(vector_mul(q_square, row->key), vector_set(terms.score),
                                vector_mul(row->weight, vector_set(terms.weight)));
    vector away = vector_fma(vector_sqrt(value), vector_set(ATTEST_BOUND_SPECTRAL_AWAY),
                             vector_sqrt(row->away));

    return vector_fma(vector_sqrt(weights), row->sigma,
                      vector_mul(vector_sqrt(eta_square), away));
}

/* That of the weighted sums, reciprocal and product included, from |out|^2. */
static inline vector bound_spectral_sums(struct bound_terms terms, vector out,
                                         const struct bound_spectral *row)
{
    vector root = vector_sqrt(vector_mul(row->rounding, vector_set(terms.value_sums)));
    vector mean = vector_fma(row->mean_norm, vector_set(terms.value_depth),
                             vector_mul(vector_sqrt(out), vector_set(terms.sum_depth)));

    return vector_fma(root, row->sigma, mean);
}

/* The bound by weights, and that by singular values unless that is NULL, lane by lane, in units
 * of terms.unit until the end. A NaN becomes an infinity. The rounding of 1 + cancel is less
 * than the reserve in cancel. */
static inline vector bound_sharp(struct bound_terms terms, vector q_square,
                                 struct bound_means mean, const struct bound_spectral *spectral)
{
    vector spread = vector_fms(vector_set(1.0 + terms.cancel), mean.value, mean.out);
    vector weights = vector_fma(vector_mul(q_square, mean.key), vector_set(terms.score),
                                vector_set(terms.weight));
    vector scores = vector_sqrt(vector_mul(weights, spread));
    vector sums = vector_mul(mean.rounding, vector_set(ATTEST_BOUND_SHARP_VALUE)), bound;

    sums = vector_sqrt(vector_fma(mean.out, vector_set(terms.out), sums));
    if (spectral) { /* min keeps a NaN in its second operand */
        scores = vector_min(
            bound_spectral_scores(terms, q_square, weights, mean.value, spectral), scores);
        sums = vector_min(bound_spectral_sums(terms, mean.out, spectral), sums);
    }
    bound = vector_mul(vector_add(scores, sums), vector_set(terms.unit));
    return vector_min(bound, vector_set(INFINITY));
}

#endif
