/* tree.h -- distances of a tree, and pairs of its leaves by matrix products in floats. */
#ifndef ATTEST_GEOMETRY_TREE_H
#define ATTEST_GEOMETRY_TREE_H

#include <math.h>
#include <stdbool.h>

#include "geometry/closest_pair.h"
#include "geometry/near.h"

/* Needs the finished cloud as long as the tree lives. Status: NOMEM. */
attest_status attest_tree_init(attest_tree *tree, const attest_cloud *cloud,
                               attest_error *error) ATTEST_WARN_UNUSED;
void attest_tree_clear(attest_tree *tree);

/* s[lane] = the square of the distance between the centre at place at and each of those at
 * places from, ..., from + ATTEST_TREE_LANES - 1; from is a multiple of that. False when all of
 * them exceed limit; then s is unfinished. */
bool attest_tree_squares(double s[ATTEST_TREE_LANES], const attest_tree *tree, size_t at,
                         size_t from, double limit);

/* The square of the distance of the centres at two places. */
double attest_tree_square(const attest_tree *tree, size_t at, size_t other);

/* A lower bound on the square of the distance of the centres at two places, from the
 * projections. */
double attest_tree_along_square(const attest_tree *tree, size_t at, size_t other);

/* A lower bound on the square of the distance between the centre at a place, or that of any
 * point of node a, and those of node b. */
double attest_tree_point_square(const attest_tree *tree, size_t at, const attest_tree_node *b);
double attest_tree_box_square(const attest_tree *tree, const attest_tree_node *a,
                              const attest_tree_node *b);

/* fmax and fmin without their calls: a cloud has no NaNs (attest_cloud_finish). */
static inline double attest_tree_more(double a, double b)
{
    return a > b ? a : b;
}

static inline double attest_tree_less(double a, double b)
{
    return a < b ? a : b;
}

/* The square that a computed square s must not exceed if the true distance of the centres is at
 * most x >= 0. Rounded up so far that a square above it has a lower bound above x; the pairs
 * that are found then do not depend on when a limit was applied to them. */
static inline double attest_tree_limit(const attest_tree *tree, double x)
{
    x *= 1 + 0x1p-44;
    return x * x * (1 + 4 * tree->slack) + 4 * tree->tiny;
}

/* Bounds on the distance of centres whose square was computed as s. */
static inline double attest_tree_above(const attest_tree *tree, double s)
{
    return sqrt(s * (1 + tree->slack) + tree->tiny) * (1 + 0x1p-50);
}

static inline double attest_tree_below(const attest_tree *tree, double s)
{
    double square = s * (1 - tree->slack) - tree->tiny;

    return square > 0 ? sqrt(square) * (1 - 0x1p-50) : 0;
}

/* Pairs of leaves of ATTEST_NEAR points. */

/* The product may stop after some of the coordinates: it excludes fewer pairs, in less time.
 * Level l takes dim - (LEVELS - 1 - l) dim/8 of them. */
enum { ATTEST_TREE_LEVELS = 5 };

/* Leaves, moved by one base and scaled by one factor so that no entry exceeds 1, in floats. */
typedef struct attest_tree_packed {
    float *entry;   /* by leaf: dim rows of ATTEST_NEAR */
    double *square; /* by leaf and level: squares of norms over the coordinates of the level */
    double most;    /* the largest square */
    double *base;   /* dim entries */
    int exponent;   /* the factor is 2^-exponent */
} attest_tree_packed;

typedef struct attest_tree_near {
    const attest_tree *tree;
    attest_tree_packed all; /* the whole tree, for reaches that floats resolve in it */
    attest_tree_packed two; /* two leaves, packed anew */
    int level;              /* of the next product */
    int calm;               /* products in a row with almost no hits */
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
