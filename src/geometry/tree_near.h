/* tree_near.h -- pairs of leaves that are met by a matrix product in floats. */
#ifndef ATTEST_GEOMETRY_TREE_NEAR_H
#define ATTEST_GEOMETRY_TREE_NEAR_H

#include "geometry/closest_pair.h"
#include "geometry/near.h"

/* The product may stop after some of the coordinates: it leaves out less then, in less time.
 * Level l takes dim - (LEVELS - 1 - l) dim/8 of them. */
enum { ATTEST_TREE_LEVELS = 5 };

/* Leaves, moved by one base and scaled by one factor so that no entry exceeds 1, in floats. */
typedef struct attest_tree_packed {
    float *entry;   /* by leaf: dim rows of ATTEST_NEAR */
    double *square; /* by leaf and level: those of the norms of what the level takes */
    double most;    /* the largest square */
    double *base;   /* dim entries */
    int exponent;   /* the factor is 2^-exponent */
} attest_tree_packed;

typedef struct attest_tree_near {
    const attest_tree *tree;
    attest_tree_packed all; /* the whole tree, for reaches that floats resolve there */
    attest_tree_packed two; /* two leaves, packed anew */
    int level;              /* of the next product */
    int calm;               /* products in a row that left almost nothing */
} attest_tree_near;

/* Domain: leaves of ATTEST_NEAR points, at least one. Status: NOMEM. */
attest_status attest_tree_near_init(attest_tree_near *near, const attest_tree *tree,
                                    attest_error *error) ATTEST_WARN_UNUSED;
void attest_tree_near_clear(attest_tree_near *near);

/* Bit j of hit[i] is set if the centres of point i of leaf a and point j of leaf b, counted in
 * tree order, are at most reach apart; it may be set if they are not. */
void attest_tree_near_hits(uint64_t hit[ATTEST_NEAR], attest_tree_near *near, uint32_t a,
                           uint32_t b, double reach);

#endif
