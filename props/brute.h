/* brute.h -- Definition 2 by comparing every pair of positions, with the outputs of the oracle.
 */
#ifndef ATTEST_PROPS_BRUTE_H
#define ATTEST_PROPS_BRUTE_H

#include "props/oracle.h"

/* The first precision of balls, and the largest. */
enum { ATTEST_BRUTE_BITS = 256, ATTEST_BRUTE_MAX_BITS = 1 << 13 };

typedef struct attest_brute {
    bool open;       /* undecided at ATTEST_BRUTE_MAX_BITS: the other members are undefined */
    size_t required; /* pairs */
    bool collision;  /* a required pair has exactly equal outputs */
    /* A pair differs by less than balls of ATTEST_BRUTE_MAX_BITS show, by the zero test: the
     * enclosure of the least separation begins at 0. */
    bool tiny;
    /* Enclosures of the least |difference|^2 over required pairs (exactly 0 for a collision,
     * +inf without required pairs) and of the largest |output|^2. */
    arb_t separation, norm;
    attest_place pair[2]; /* the first pair with equal outputs, or the closest one */
    fmpq_t exact_separation, exact_norm; /* the same for hardmax, as rationals */
} attest_brute;

void attest_brute_init(attest_brute *brute);
void attest_brute_clear(attest_brute *brute);

/* Status: NOMEM. Time: quadratic in the number of positions. */
attest_status attest_brute_get(attest_brute *brute, const attest_dataset *dataset,
                               const attest_weights *weights) ATTEST_WARN_UNUSED;

#endif
