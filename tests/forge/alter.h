/* alter.h -- the ways in which certificates are altered. */
#ifndef ATTEST_TESTS_FORGE_ALTER_H
#define ATTEST_TESTS_FORGE_ALTER_H

#include <stdint.h>

#include "tests/forge/claim.h"

typedef enum forge_kind {
    FORGE_UNALTERED = 0,
    FORGE_VERDICT,
    FORGE_DELTA,
    FORGE_R,
    FORGE_PAIR,       /* another one, not required, swapped, out of range, none */
    FORGE_SEPARATION, /* its enclosure */
    FORGE_NORM,       /* its enclosure */
    FORGE_PLACE,      /* of the largest norm */
    FORGE_OTHER_PAIR, /* proved, with a pair that is not the closest, all else as true of it */
    FORGE_OTHER_NORM, /* the same with a norm that is not the largest */
    FORGE_TIGHT_PROVED, /* proved, with bounds around the true extremes */
    FORGE_TIGHT_REFUTED,
    FORGE_METHOD,   /* and precision */
    FORGE_REMARK,   /* log2 and text of balls */
    FORGE_REQUIRED, /* the number of required pairs */
    FORGE_HASH,
    FORGE_SEVERAL, /* two or three of the above */
    FORGE_KINDS
} forge_kind;

const char *forge_kind_name(forge_kind kind);

/* The instance, its true extremes and the random state, for the alterations. */
typedef struct forge_bench {
    const attest_dataset *dataset;
    const ref_truth *truth;
    size_t least[2], largest; /* positions; least only if there is a required pair */
    uint64_t *state;
} forge_bench;

/* x = a number just below (side < 0) or just above (side > 0) the root of the square, or the
 * root itself where it is rational, else the simplest rational near it (side 0). Roots below
 * 2^-20000 are taken for 0, with powers of 2 above them. */
void forge_near(fmpq_t x, const ref_square *square, int side, uint64_t *state);

void forge_alter(forge_claim *claim, forge_kind kind, const forge_bench *bench);

#endif
