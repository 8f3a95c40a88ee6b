/* bounded_lanes.h -- products of one row with several at once: rows packed side by side, so
 * that the compiler can use vectors without changing the order of any sum. */
#ifndef ATTEST_CERTIFY_BOUNDED_LANES_H
#define ATTEST_CERTIFY_BOUNDED_LANES_H

#include <stddef.h>

enum { ATTEST_BOUNDED_LANES = 8 };

/* packed[first * size + c * LANES + lane] = entry c of row first + lane, first a multiple of
 * LANES; rows behind the last are 0. */
static inline void attest_bounded_pack(double *packed, const double *row, size_t size,
                                       size_t rows)
{
    for (size_t first = 0; first < rows; first += ATTEST_BOUNDED_LANES) {
        for (size_t lane = 0; lane < ATTEST_BOUNDED_LANES; lane++)
            for (size_t c = 0; c < size; c++)
                packed[first * size + c * ATTEST_BOUNDED_LANES + lane] =
                    first + lane < rows ? row[(first + lane) * size + c] : 0;
    }
}

/* dot[lane] = x . (row lane of a packed block): size products and additions, from the first. */
static inline void attest_bounded_dots(double dot[ATTEST_BOUNDED_LANES], const double *x,
                                       const double *packed, size_t size)
{
    double sum[ATTEST_BOUNDED_LANES];

    for (int lane = 0; lane < ATTEST_BOUNDED_LANES; lane++)
        sum[lane] = x[0] * packed[lane];
    for (size_t c = 1; c < size; c++) /* unrolled, or the sums would live in memory */
        _Pragma("GCC unroll 8") for (int lane = 0; lane < ATTEST_BOUNDED_LANES; lane++)
            sum[lane] += x[c] * packed[c * ATTEST_BOUNDED_LANES + lane];
    for (int lane = 0; lane < ATTEST_BOUNDED_LANES; lane++)
        dot[lane] = sum[lane];
}

#endif
