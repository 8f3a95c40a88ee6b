/* cloud.h -- many points, each known up to an error, as doubles.
 *
 * The true point i, divided by 2^exponent, lies within radius[i] (Euclidean) of
 * centre[i*dim .. i*dim+dim-1]. Once finished, all entries are at most 1 in absolute value, so
 * that squares of distances neither overflow nor lose more to underflow than
 * proofs-notes/closest_pair.md allows for. Points of one colour are never compared. */
#ifndef ATTEST_GEOMETRY_CLOUD_H
#define ATTEST_GEOMETRY_CLOUD_H

#include <stddef.h>
#include <stdint.h>

#include <attest/error.h>
#include <attest/flint.h>
#include <attest/progress.h>

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

#endif
