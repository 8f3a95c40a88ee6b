/* tree.h -- what the parts of the closest-pair search share. */
#ifndef ATTEST_CERTIFY_TREE_H
#define ATTEST_CERTIFY_TREE_H

#include <math.h>

#include "certify/closest_pair.h"

/* Sets axes, axis_error and the rows of axis: axes directions of dim entries, together of
 * operator norm at most 1; *axis is NULL when the coordinates themselves serve. Status: NOMEM.
 */
attest_status attest_tree_axes(double **axis, attest_tree *tree,
                               attest_error *error) ATTEST_WARN_UNUSED;

/* fmax and fmin without their calls: there are no NaNs here. */
static inline double attest_tree_more(double a, double b)
{
    return a > b ? a : b;
}

static inline double attest_tree_less(double a, double b)
{
    return a < b ? a : b;
}

/* What underflow may add to the computed square of a distance: less than 2^-1074 per term. */
static inline double attest_tree_tiny(const attest_tree *tree)
{
    return (double)tree->cloud->dim * 0x1p-1072;
}

/* The square that a computed square s must not exceed if the true distance of the centres is at
 * most x >= 0. Rounded up. */
static inline double attest_tree_limit(const attest_tree *tree, double x)
{
    return x * x * (1 + tree->slack) + attest_tree_tiny(tree);
}

/* Bounds on the distance of centres whose square was computed as s. */
static inline double attest_tree_above(const attest_tree *tree, double s)
{
    return sqrt(s * (1 + tree->slack) + attest_tree_tiny(tree)) * (1 + 0x1p-50);
}

static inline double attest_tree_below(const attest_tree *tree, double s)
{
    double square = s * (1 - tree->slack) - attest_tree_tiny(tree);

    return square > 0 ? sqrt(square) * (1 - 0x1p-50) : 0;
}

#endif
