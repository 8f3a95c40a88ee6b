/* tree_axes.c -- the directions along which a cloud of high dimension is split.
 *
 * A projection of operator norm at most 1 shortens distances, so that distances of projections
 * are lower bounds, whatever the directions are; good directions are those along which the
 * cloud is wide. They come from a few steps of subspace iteration on a sample, and only their
 * norm is certified. */
#include <stdlib.h>

#include "base/memory.h"
#include "base/scope.h"
#include "geometry/tree.h"

enum { STEPS = 6, SAMPLE_ENTRIES = 1 << 20 };

static double dot(const double *a, const double *b, size_t dim)
{
    double s = 0;

    for (size_t c = 0; c < dim; c++)
        s += a[c] * b[c];
    return s;
}

/* Gram-Schmidt, twice for each row; a row that vanishes becomes zero, which is allowed. */
static void orthonormalise(double *axis, size_t axes, size_t dim)
{
    for (size_t a = 0; a < axes; a++) {
        double *row = axis + a * dim, before = sqrt(dot(row, row, dim)), norm;
        for (size_t b = 0; b < 2 * a; b++) {
            const double *other = axis + (b % a) * dim;
            double part = dot(row, other, dim);
            for (size_t c = 0; c < dim; c++)
                row[c] -= part * other[c];
        }
        norm = sqrt(dot(row, row, dim));
        for (size_t c = 0; c < dim; c++)
            row[c] = norm > before * 0x1p-20 ? row[c] / norm : 0;
    }
}

/* next += (sum over the sample of (x - mean)(x - mean)^T) axis, row by row. */
static void multiply(double *next, const double *axis, const attest_cloud *cloud,
                     const double *mean, double *x, size_t axes, size_t step)
{
    size_t dim = cloud->dim;

    for (size_t i = 0; i < cloud->count; i += step) {
        for (size_t c = 0; c < dim; c++)
            x[c] = cloud->centre[i * dim + c] - mean[c];
        for (size_t a = 0; a < axes; a++) {
            double part = dot(x, axis + a * dim, dim);
            for (size_t c = 0; c < dim; c++)
                next[a * dim + c] += part * x[c];
        }
    }
}

/* True when the rows, scaled by 1 - 2^-40, have operator norm at most 1. |P P^T - I| is at most
 * its Frobenius norm, a zero row only lowers |P|; each computed entry is wrong by less than
 * (dim + 2) 2^-53 times the norms of two rows, which are then below 1.01. */
static bool short_enough(const double *axis, size_t axes, size_t dim)
{
    double sum = 0, wrong = ((double)dim + 2) * 0x1p-52;

    for (size_t a = 0; a < axes; a++) {
        for (size_t b = 0; b < axes; b++) {
            double entry = fabs(dot(axis + a * dim, axis + b * dim, dim));
            if (a == b)
                entry = entry > 1 ? entry - 1 : 0; /* shorter rows do no harm */
            sum += (entry + wrong) * (entry + wrong);
        }
    }
    return sum < 0x1p-84; /* |P|^2 <= 1 + 2^-42, and (1 + 2^-42)(1 - 2^-40)^2 < 1 */
}

static void iterate(double *axis, double *work, const attest_tree *tree)
{
    const attest_cloud *cloud = tree->cloud;
    size_t dim = cloud->dim, axes = tree->axes, entries = axes * dim;
    double *next = work, *mean = work + entries, *x = mean + dim;
    size_t wanted = SAMPLE_ENTRIES / dim + 64, step = cloud->count / wanted + 1, sampled = 0;
    uint64_t state = 1;

    for (size_t i = 0; i < cloud->count; i += step, sampled++)
        for (size_t c = 0; c < dim; c++)
            mean[c] += cloud->centre[i * dim + c];
    for (size_t c = 0; c < dim; c++)
        mean[c] /= sampled ? (double)sampled : 1;
    for (size_t e = 0; e < entries; e++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        axis[e] = (double)(int64_t)state * 0x1p-63;
    }
    orthonormalise(axis, axes, dim);
    for (int s = 0; s < STEPS; s++) {
        for (size_t e = 0; e < entries; e++)
            next[e] = 0;
        multiply(next, axis, cloud, mean, x, axes, step);
        for (size_t e = 0; e < entries; e++)
            axis[e] = next[e];
        orthonormalise(axis, axes, dim);
    }
}

attest_status attest_tree_axes(double **axis, attest_tree *tree, attest_error *error)
{
    size_t dim = tree->cloud->dim;
    double *work ATTEST_FREED = NULL;

    *axis = NULL;
    tree->axes = dim < ATTEST_TREE_AXES ? dim : ATTEST_TREE_AXES;
    tree->axis_error = 0;
    if (dim <= ATTEST_TREE_AXES)
        return ATTEST_OK;
    *axis = attest_memory_alloc(tree->axes * dim, sizeof **axis);
    work = attest_memory_alloc((tree->axes + 2) * dim, sizeof *work);
    if (!*axis || !work)
        return attest_memory_fail(error);
    iterate(*axis, work, tree);
    if (!short_enough(*axis, tree->axes, dim)) {
        free(*axis);
        *axis = NULL; /* the first coordinates: a projection of norm 1, exact */
        return ATTEST_OK;
    }
    for (size_t e = 0; e < tree->axes * dim; e++)
        (*axis)[e] *= 1 - 0x1p-40;
    /* A dot product of a row with a point (entries at most 1, so of norm at most sqrt(dim)). */
    tree->axis_error =
        ((double)dim + 4) * 0x1p-53 * sqrt((double)dim) + (double)dim * 0x1p-1073;
    return ATTEST_OK;
}
