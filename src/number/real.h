/* real.h -- a double taken apart. */
#ifndef ATTEST_NUMBER_REAL_H
#define ATTEST_NUMBER_REAL_H

#include <stdint.h>
#include <string.h>

/* x = significand * 2^exponent, significand odd, or both 0 for x = 0. Exact. Domain: x is
 * finite. The exponent lies between -1074 and 1023. */
static inline void attest_real_split(int64_t *significand, int *exponent, double x)
{
    uint64_t bits, fraction;
    int field, zeros;

    memcpy(&bits, &x, sizeof bits);
    fraction = bits & (((uint64_t)1 << 52) - 1);
    field = (int)(bits >> 52 & 0x7FF);
    if (field)
        fraction |= (uint64_t)1 << 52;
    else
        field = 1; /* subnormal */
    if (fraction == 0) {
        *significand = 0;
        *exponent = 0;
        return;
    }
    zeros = __builtin_ctzll(fraction);
    *significand = bits >> 63 ? -(int64_t)(fraction >> zeros) : (int64_t)(fraction >> zeros);
    *exponent = field - 1075 + zeros;
}

#endif
