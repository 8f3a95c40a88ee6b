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
#include <stddef.h>
#include <stdint.h>

#include <attest/error.h>
#include <attest/flint.h>
#include <attest/progress.h>

/* Many points, each known up to an error, as doubles. The true point i, divided by 2^exponent,
 * lies within radius[i] (Euclidean) of centre[i*dim .. i*dim+dim-1]. Once finished, all entries
 * are at most 1 in absolute value, so that squares of distances neither overflow nor lose more
 * to underflow than proofs-notes/closest_pair.md allows for. Points of one colour are never
 * compared. */
typedef struct attest_cloud {
    size_t count, dim;
    double *centre;   /* count * dim */
    double *radius;   /* count */
    uint32_t *colour; /* count */
    slong *own;       /* the exponent of each point until the cloud is finished, then NULL */
    slong exponent;   /* of all points, once it is finished */
    attest_progress progress; /* reports pairs during a search; init: none */
    size_t jobs; /* processes of a search; 0: one. The result does not depend on it */
} attest_cloud;

/* Points at the origin, of colour 0. Status: NOMEM, UNABLE (more than 2^32 - 2 points). */
attest_status attest_cloud_init(attest_cloud *cloud, size_t count, size_t dim,
                                attest_error *error) ATTEST_WARN_UNUSED;
void attest_cloud_clear(attest_cloud *cloud);

/* Point i = the box of dim balls. Domain: not yet finished. */
void attest_cloud_set_balls(attest_cloud *cloud, size_t i, arb_srcptr value);

/* Point i = dim doubles, taken exactly. Domain: finite; not yet finished. */
void attest_cloud_set_doubles(attest_cloud *cloud, size_t i, const double *value);

/* Point i = a point at most radius from these dim doubles. Domain: finite; not yet finished. */
void attest_cloud_set_rounded(attest_cloud *cloud, size_t i, const double *value,
                              double radius);

/* Brings all points to one exponent. Afterwards centres are finite; a point that is not lies at
 * the origin, with an infinite radius. */
void attest_cloud_finish(attest_cloud *cloud);

/* Bounds on the norm of the true point i, in units of 2^exponent. Domain: finished. */
void attest_cloud_norm(double *lower, double *upper, const attest_cloud *cloud, size_t i);

/* Bounds on the distance of the true points i and j, in units of 2^exponent. Domain: finished.
 */
void attest_cloud_distance(double *lower, double *upper, const attest_cloud *cloud, size_t i,
                           size_t j);
#include "geometry/closest_pair.h"

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

/* A pair of points, first < second. */
typedef struct attest_candidate {
    uint32_t first, second;
    double lower; /* bound on their distance */
} attest_candidate;

/* An iterator over the candidates in lexicographic order, also where they are too many for a
 * list. */
typedef struct attest_candidates {
    attest_tree tree;
    double bound; /* the least upper bound, in units of 2^exponent of the cloud */
    bool complete;
    attest_candidate *pair;
    size_t pairs;
    bool *active; /* not complete: the points of candidates */
    size_t at;    /* the next pair; not complete: the point whose neighbours are listed */
    uint32_t *neighbour;
    size_t room, neighbours, next;
} attest_candidates;

/* Searches the finished cloud, which must outlive the candidates, in its jobs processes.
 * Status: NOMEM, IO (a worker died). */
attest_status attest_candidates_init(attest_candidates *candidates, const attest_cloud *cloud,
                                     attest_error *error) ATTEST_WARN_UNUSED;
void attest_candidates_clear(attest_candidates *candidates);

/* The next candidate, first < second; *found is false after the last one. Status: NOMEM. */
attest_status attest_candidates_next(bool *found, size_t *first, size_t *second,
                                     attest_candidates *candidates,
                                     attest_error *error) ATTEST_WARN_UNUSED;

#endif
