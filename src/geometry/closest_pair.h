/* closest_pair.h -- the pairs of points of different colours that can be closest in a cloud.
 *
 * A tree over the cloud answers with rigorous bounds: for a pair, lower <= true distance <=
 * upper in units of 2^exponent of the cloud (proofs-notes/closest_pair.md). A candidate is a
 * pair with lower <= bound, bound the least upper bound over all pairs: every pair that attains
 * the least true distance is one. Exact arithmetic decides between the candidates.
 *
 * Cost: O(count log count) on data whose distances are spread out and whose dimension, or whose
 * projection on its 8 widest directions, separates it. Where all distances are nearly equal, as
 * in random data of high dimension, all pairs of blocks are visited: count^2 dim / 2 products
 * of floats, at the speed of a matrix product. Large clouds are searched in cloud->jobs
 * processes; the result does not depend on their number. Memory: O(count dim), which they
 * share, and up to 16 MB a process for candidates. */
#ifndef ATTEST_GEOMETRY_CLOSEST_PAIR_H
#define ATTEST_GEOMETRY_CLOSEST_PAIR_H

#include <stdbool.h>

#include "geometry/cloud.h"

enum {
    ATTEST_TREE_LANES = 16, /* points are stored, coordinate by coordinate, in such groups */
    ATTEST_TREE_AXES = 8    /* the most axes along which the tree splits */
};

typedef struct attest_tree_node {
    uint32_t begin, end; /* places in tree order */
    uint32_t left;       /* children left and left + 1; 0: a leaf */
    uint32_t colour;     /* that of all its points, or ATTEST_TREE_MIXED */
    double radius;       /* the largest of its points */
    double lower[ATTEST_TREE_AXES], upper[ATTEST_TREE_AXES]; /* its box; 0 beyond axes */
} attest_tree_node;

#define ATTEST_TREE_MIXED UINT32_MAX

typedef struct attest_tree {
    const attest_cloud *cloud;
    size_t axes;
    size_t leaf;       /* points per leaf: all leaves but the last one are full */
    double axis_error; /* of a coordinate along an axis */
    double slack;      /* relative error of a computed square of a distance */
    double tiny;       /* error by underflow; stored, because subnormal products are slow */
    uint32_t *order;   /* count points, in the order of the leaves */
    uint32_t *place;   /* of each point in that order */
    uint32_t *colour;  /* the same order */
    double *radius;    /* the same order */
    double *along;     /* ATTEST_TREE_AXES coordinates per point, 0 beyond axes; same order */
    double *block;     /* groups of dim rows of ATTEST_TREE_LANES entries, same order */
    attest_tree_node *node; /* node[0] is the root */
    size_t nodes;
} attest_tree;

/* Needs the finished cloud as long as the tree lives. Status: NOMEM. */
attest_status attest_tree_init(attest_tree *tree, const attest_cloud *cloud,
                               attest_error *error) ATTEST_WARN_UNUSED;
void attest_tree_clear(attest_tree *tree);

/* A pair of points, first < second. */
typedef struct attest_candidate {
    uint32_t first, second;
    double lower; /* bound on their distance */
} attest_candidate;

/* *bound = the least upper bound on a distance over all pairs of different colours; infinity
 * when there is no such pair. *pair = all candidates in lexicographic order, to be freed by the
 * caller; with more than most/2 of them *complete is false and *pairs 0. Status: NOMEM, IO (a
 * worker died). */
attest_status attest_tree_closest(attest_candidate **pair, size_t *pairs, bool *complete,
                                  double *bound, const attest_tree *tree, size_t most,
                                  attest_error *error) ATTEST_WARN_UNUSED;

/* active[i] = true for every point i of a pair with lower <= bound, false for the others.
 * Status: NOMEM, IO. */
attest_status attest_tree_active(bool *active, const attest_tree *tree, double bound,
                                 attest_error *error) ATTEST_WARN_UNUSED;

#endif
