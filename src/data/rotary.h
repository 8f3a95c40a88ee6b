/* rotary.h -- what rotary positions turn by, as balls. */
#ifndef ATTEST_DATA_ROTARY_H
#define ATTEST_DATA_ROTARY_H

#include <attest/weights.h>

/* Encloses the angle per position of pair i, of about so many bits. Domain: i < dims/2; theta >
 * 0; 0 < short_wave < long_wave, or both 0. */
void attest_rotary_frequency(arb_t frequency, const attest_rotary *rotary, size_t i,
                             slong bits);

#endif
