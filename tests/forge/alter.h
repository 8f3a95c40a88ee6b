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
    FORGE_PAIR,         /* swapped, removed, of random places, or another required pair */
    FORGE_SEPARATION,   /* its enclosure */
    FORGE_NORM,         /* its enclosure */
    FORGE_PLACE,        /* of the largest norm */
    FORGE_OTHER_PAIR,   /* proved, with a random required pair, its enclosure, a delta below */
    FORGE_OTHER_NORM,   /* proved, with a random norm, its enclosure, an r above */
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

/* The inputs of an alteration: the dataset, the oracle, the positions of the extremes, and the
 * random state. */
typedef struct forge_context {
    const attest_dataset *dataset;
    const ref_truth *truth;
    size_t least[2], largest; /* the closest pair, if a pair is required; the largest norm */
    uint64_t *state;
} forge_context;

/* x = a number just below (side < 0) or just above (side > 0) the root of the square. Side 0:
 * the root itself if it is rational, otherwise the simplest rational near it. A root below
 * 2^-20000 counts as 0, and a power of 2 as a number just above it. */
void forge_near(fmpq_t x, const ref_square *square, int side, uint64_t *state);

/* Alters the claim in the way of this kind, at random. */
void forge_alter(forge_claim *claim, forge_kind kind, const forge_context *context);

#endif
