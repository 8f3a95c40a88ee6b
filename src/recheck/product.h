/* product.h -- finds pairs of near points by products of small integers.
 *
 * Points are rounded to integers of at most 14 bits, so that all products and sums are exact
 * in 32 bits, and a pair is excluded only if its integer distance exceeds a limit that
 * covers the rounding (proofs-notes/certify.md, "The product"). */
#ifndef ATTEST_RECHECK_PRODUCT_H
#define ATTEST_RECHECK_PRODUCT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ATTEST_RECHECK_ROWS = 8, ATTEST_RECHECK_COLUMNS = 16 };

typedef struct attest_recheck_product attest_recheck_product;

/* Adds to sum the products of the pairs of entries from .. to - 1, for ROWS rows and a
 * block, and sets near from sum and the norms of the stage. */
typedef void attest_recheck_find(uint32_t near[ATTEST_RECHECK_ROWS],
                                 const attest_recheck_product *product, size_t row,
                                 size_t block, size_t from, size_t to, int stage,
                                 int32_t sum[ATTEST_RECHECK_ROWS][ATTEST_RECHECK_COLUMNS]);

struct attest_recheck_product {
    size_t count;     /* of points, padded to a multiple of COLUMNS by points at 0 */
    size_t pairs;     /* of entries: (dim + 1) / 2 */
    size_t first;     /* pairs of the first stage */
    double scale;     /* the factor of the entries */
    double rounding;  /* the Euclidean norm of one point's rounding, in units of the scale */
    int16_t *row;     /* count * pairs * 2 */
    int16_t *column;  /* by block of COLUMNS points: pairs * COLUMNS * 2 */
    int32_t *norm[2]; /* count: of the first stage, of all */
    int32_t limit;    /* the largest integer distance squared that is near */
    attest_recheck_find *find; /* init: the fastest implementation */
};

/* The implementations that this machine can run, the fastest first; NULL after the last. All
 * find the same pairs. */
attest_recheck_find *attest_recheck_product_way(size_t i);

/* Rounds points x[order[i] * stride], |entries| <= 1. False when memory is out, with nothing to
 * clear. */
bool attest_recheck_product_init(attest_recheck_product *product, const double *x,
                                 const uint32_t *order, size_t count, size_t dim);
void attest_recheck_product_clear(attest_recheck_product *product);

/* Points at a distance of up to reach become near, even if the reach is off by a rounding.
 * False if all points are near. */
bool attest_recheck_product_set_limit(attest_recheck_product *product, double reach);

/* near[r] = a bit for each of the COLUMNS points of the block that is near point row + r,
 * r < ROWS. Rows beyond count have no bits. */
void attest_recheck_product_find(uint32_t near[ATTEST_RECHECK_ROWS],
                                 const attest_recheck_product *product, size_t row,
                                 size_t block);

#endif
