/* grid.h -- what finds near pairs, in one process or in several. */
#ifndef ATTEST_RECHECK_GRID_H
#define ATTEST_RECHECK_GRID_H

#include "recheck/product.h"
#include "recheck/recheck.h"

enum { ATTEST_RECHECK_AXES = 3 };

typedef struct attest_recheck_placed {
    int64_t cell[ATTEST_RECHECK_AXES];
    uint32_t position;
} attest_recheck_placed;

typedef struct attest_recheck_grid {
    const attest_recheck *check;
    attest_recheck_placed *order;   /* by cell, then by position */
    attest_recheck_product product; /* of the sketches in this order, */
    bool has_product;               /* unless all of them are near */
    double reach, slack;
    size_t done;           /* places that have met all others */
    double share, columns; /* of the rows that are meeting them: how far each column takes it */
    bool quiet;            /* a process that does not report */
    bool (*visit)(void *state, size_t a, size_t b);
    void *state;
} attest_recheck_grid;

/* The places are cut into parts of ROWS * 64, whose pairs with places before them are visited
 * part by part. */
size_t attest_recheck_grid_parts(const attest_recheck_grid *grid);

/* Visits those of one part; false when a visit did. */
bool attest_recheck_grid_visit(attest_recheck_grid *grid, size_t part);

/* Visits all parts in the same order, their pairs being found by several processes. *done is
 * false, and nothing was visited, where these pairs are too many to be kept. Status: NOMEM, IO.
 */
attest_status attest_recheck_collect(bool *done, attest_recheck_grid *grid, size_t jobs,
                                     attest_error *error) ATTEST_WARN_UNUSED;

#endif
