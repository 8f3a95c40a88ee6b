/* prelude.h -- what a block computes before it attends, in binary64: norms, projections,
 * positions.
 *
 * Every operation is rounded to nearest, in the order that is written here, so that the same
 * file gives the same numbers everywhere; what attention is then asked about are these numbers,
 * exactly. Sums run over entries in their order. */
#ifndef ATTEST_DATA_PRELUDE_H
#define ATTEST_DATA_PRELUDE_H

#include <stdbool.h>
#include <stddef.h>

#include <attest/weights.h>

/* z = (x - mean)/sqrt(variance + eps) weight + bias (LayerNorm), x/sqrt(mean square + eps)
 * weight
 * + bias (RMSNorm), or x. weight and bias may be NULL; z may be x. */
void attest_prelude_norm(double *z, const double *x, size_t dim, attest_norm norm, double eps,
                         const double *weight, const double *bias);

/* y[r] = sum over c of matrix[c * rows + r] z[c], + bias[r] unless NULL. */
void attest_prelude_apply(double *y, const double *matrix, const double *bias, const double *z,
                          size_t rows, size_t dim);

/* How positions turn queries and keys. */
typedef struct attest_prelude_rotary {
    size_t dims;   /* the first entries of a head that are turned, an even number; 0: none */
    double theta;  /* entry i of the first half turns by theta^(-2i/dims) per position ... */
    double factor; /* ... divided by this; 0: by 1 */
    /* llama3: wavelengths above long_wave are divided by the factor, those below short_wave are
     * not, between them the frequency is mixed. 0: all are divided alike. */
    double long_wave, short_wave;
} attest_prelude_rotary;

/* exact (initialised) = the same numbers. */
void attest_prelude_set_rotary(attest_rotary *exact, const attest_prelude_rotary *rotary);

/* cosine[p * half + i], sine[...] for positions p < length, half = dims/2; each is the double
 * nearest to the true value but for an error far below an ulp. */
void attest_prelude_angles(double *cosine, double *sine, const attest_prelude_rotary *rotary,
                           size_t length);

/* (a, b) = (a cos - b sin, b cos + a sin) for a = head[i], b = head[i + half]. */
void attest_prelude_rotate(double *head, size_t half, const double *cosine, const double *sine);

/* ALiBi: slope[h], what is added to a scaled score per position of the key. 2^(-8(h+1)/H) where
 * H is a power of 2; else those of the power below, then every other one of the power above. */
void attest_prelude_slopes(double *slope, size_t heads);

#endif
