/* product.h -- which of many points are near, from products of small integers.
 *
 * Points are rounded to integers of at most 14 bits, so that all products and sums are exact in
 * 32 bits, and a pair is left out only if its integer distance exceeds a limit that covers the
 * rounding (proofs-notes/certify.md, "The product"). */
#ifndef ATTEST_RECHECK_PRODUCT_H
#define ATTEST_RECHECK_PRODUCT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ATTEST_RECHECK_ROWS = 8, ATTEST_RECHECK_COLUMNS = 16 };

typedef struct attest_recheck_product attest_recheck_product;

/* Adds the products of pairs of entries from .. to - 1 of rows and a block to sum, and sets
 * near from that and the norms of the stage. */
typedef void attest_recheck_find(uint32_t near[ATTEST_RECHECK_ROWS],
                                 const attest_recheck_product *product, size_t row,
                                 size_t block, size_t from, size_t to, int stage,
                                 int32_t sum[ATTEST_RECHECK_ROWS][ATTEST_RECHECK_COLUMNS]);

struct attest_recheck_product {
    size_t count;     /* of points, filled up to a multiple of COLUMNS by points at 0 */
    size_t pairs;     /* of entries: (dim + 1) / 2 */
    size_t first;     /* pairs of the first stage */
    double scale;     /* what entries were multiplied by */
    double rounding;  /* the Euclidean norm of one point's rounding, in units of the scale */
    int16_t *row;     /* count * pairs * 2 */
    int16_t *column;  /* by block of COLUMNS points: pairs * COLUMNS * 2 */
    int32_t *norm[2]; /* count: of the first stage, of all */
    int32_t limit;    /* the largest integer distance squared that is near */
    attest_recheck_find *find; /* init: the fastest way */
};

/* The ways that this machine has, which all find the same, the fastest first; NULL behind the
 * last. */
attest_recheck_find *attest_recheck_product_way(size_t i);

/* Rounds points x[order[i] * stride], |entries| <= 1. False when memory is out, with nothing to
 * clear. */
bool attest_recheck_product_init(attest_recheck_product *product, const double *x,
                                 const uint32_t *order, size_t count, size_t dim);
void attest_recheck_product_clear(attest_recheck_product *product);

/* Distances of points up to reach are near, also if the reach is off by a rounding. False when
 * that is all of them. */
bool attest_recheck_product_set_limit(attest_recheck_product *product, double reach);

/* near[r] = a bit for each of the COLUMNS points of the block that is near point row + r,
 * r < ROWS. Rows beyond count have no bits. */
void attest_recheck_product_find(uint32_t near[ATTEST_RECHECK_ROWS],
                                 const attest_recheck_product *product, size_t row,
                                 size_t block);

#endif
