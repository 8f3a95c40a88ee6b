/* positions.h -- positions of tokens: rotary angles, in balls and in binary64, and ALiBi. */
#ifndef ATTEST_MODEL_POSITIONS_H
#define ATTEST_MODEL_POSITIONS_H

#include <stddef.h>

#include <attest/weights.h>

/* Encloses the angle per position of pair i, to about this many bits. Domain: i < dims/2; theta
 * > 0; 0 < short_wave < long_wave, or both 0. */
void attest_rotary_frequency(arb_t frequency, const attest_rotary *rotary, size_t i,
                             slong bits);

/* The same parameters in binary64. */
typedef struct attest_rotary_doubles {
    size_t dims;   /* the first entries of a head that are rotated, an even number; 0: none */
    double theta;  /* entry i of the first half rotates by theta^(-2i/dims) per position ... */
    double factor; /* ... divided by this; 0: by 1 */
    /* llama3: wavelengths above long_wave are divided by the factor, those below short_wave are
     * not, between them the frequency is mixed. 0: all are divided alike. */
    double long_wave, short_wave;
} attest_rotary_doubles;

/* cosine[p * half + i], sine[...] for positions p < length, half = dims/2; each is the double
 * nearest to the true value except for an error far below an ulp. */
void attest_rotary_angles(double *cosine, double *sine, const attest_rotary_doubles *rotary,
                          size_t length);

/* ALiBi: slope[h] is added to a scaled score per position of the key. 2^(-8(h+1)/H) if H is a
 * power of 2; else those of the power below, then every other one of the power above. */
void attest_alibi_slopes(double *slope, size_t heads);

#endif
