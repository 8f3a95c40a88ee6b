/* tree.h -- what the parts of the closest-pair search share. */
#ifndef ATTEST_GEOMETRY_TREE_H
#define ATTEST_GEOMETRY_TREE_H

#include <math.h>
#include <stdbool.h>

#include "geometry/closest_pair.h"

/* Sets axes, axis_error and the rows of axis: axes directions of dim entries, together of
 * operator norm at most 1; *axis is NULL when the coordinates themselves serve. The caller
 * frees *axis, also on failure. Status: NOMEM. */
attest_status attest_tree_axes(double **axis, attest_tree *tree,
                               attest_error *error) ATTEST_WARN_UNUSED;

/* s[lane] = the square of the distance between the centre at place at and each of those at
 * places from, ..., from + ATTEST_TREE_LANES - 1; from is a multiple of that. False when all of
 * them exceed limit; then s is unfinished. */
bool attest_tree_squares(double s[ATTEST_TREE_LANES], const attest_tree *tree, size_t at,
                         size_t from, double limit);

/* The square of the distance of the centres at two places. */
double attest_tree_square(const attest_tree *tree, size_t at, size_t other);

/* A lower bound on the same, from the projections. */
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
 * most x >= 0. Rounded up, and by so much that what exceeds it also has a lower bound above x:
 * then the pairs that are found do not depend on when a limit was applied to them. */
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

#endif
