/* tree.c -- a k-d tree over a cloud: the directions along which it is split, its nodes, and the
 * distances of its points and boxes. */
#include "geometry/tree.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/scope.h"
#include "geometry/near.h"

/* A cloud of high dimension is split along a few directions. A projection of operator norm at
 * most 1 shortens distances, so distances of projections are lower bounds for any choice of
 * directions; good directions are those along which the cloud is wide. They come from a few
 * steps of subspace iteration on a sample, and only their norm is certified. */

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

/* Sets axes, axis_error and the rows of axis: axes directions of dim entries, together of
 * operator norm at most 1; *axis is NULL where the coordinates themselves serve. The caller
 * frees *axis, also on failure. Status: NOMEM. */
static attest_status choose_axes(double **axis, attest_tree *tree, attest_error *error)
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

/* The domain of attest_near_block. */
enum { MOST_PRODUCT = 1 << 13 };

/* A point and its sort key. */
typedef struct keyed {
    double key;
    uint32_t point;
} keyed;

typedef struct builder {
    attest_tree *tree;
    double *along; /* by point, not yet in tree order; ATTEST_TREE_AXES each */
    keyed *keyed;  /* room for all points */
} builder;

static double median_of_three(double a, double b, double c)
{
    return attest_tree_more(attest_tree_less(a, b),
                            attest_tree_less(attest_tree_more(a, b), c));
}

/* Hoare's selection: afterwards no key before place is larger, none after it smaller. Equal
 * keys are exchanged, so that runs of them are halved too. */
static void select_place(keyed *order, size_t count, size_t place)
{
    size_t low = 0, high = count - 1;

    while (low < high) {
        double pivot =
            median_of_three(order[low].key, order[low + (high - low) / 2].key, order[high].key);
        size_t i = low, j = high;
        for (;;) {
            while (order[i].key < pivot)
                i++;
            while (pivot < order[j].key)
                j--;
            if (i >= j)
                break;
            keyed other = order[i];
            order[i++] = order[j];
            order[j--] = other;
        }
        /* Now everything before i is <= pivot, everything after j >= pivot. */
        if (i == j) {
            if (place == i)
                return;
            i++, j--;
        }
        if (place >= i)
            low = i;
        else if (place <= j && j != SIZE_MAX)
            high = j;
        else
            return;
    }
}

/* Bounding box, colour and radius of a node; returns the axis to split, axes for colour. */
static size_t describe(const builder *b, attest_tree_node *node)
{
    attest_tree *tree = b->tree;
    const attest_cloud *cloud = tree->cloud;
    size_t widest = tree->axes;
    double width = 0;

    for (size_t a = 0; a < ATTEST_TREE_AXES; a++) {
        node->lower[a] = INFINITY;
        node->upper[a] = -INFINITY;
    }
    node->colour = cloud->colour[tree->order[node->begin]];
    node->radius = 0;
    for (uint32_t at = node->begin; at < node->end; at++) {
        uint32_t point = tree->order[at];
        const double *x = b->along + (size_t)point * ATTEST_TREE_AXES;
        for (size_t a = 0; a < ATTEST_TREE_AXES; a++) {
            node->lower[a] = attest_tree_less(node->lower[a], x[a]);
            node->upper[a] = attest_tree_more(node->upper[a], x[a]);
        }
        node->radius = attest_tree_more(node->radius, cloud->radius[point]);
        if (cloud->colour[point] != node->colour)
            node->colour = ATTEST_TREE_MIXED;
    }
    for (size_t a = 0; a < tree->axes; a++) {
        if (node->upper[a] - node->lower[a] > width) {
            width = node->upper[a] - node->lower[a];
            widest = a;
        }
    }
    return widest;
}

/* Brings the points of a node into an order in which those before place are on one side. */
static void part(const builder *b, const attest_tree_node *node, size_t place, size_t axis)
{
    attest_tree *tree = b->tree;
    uint32_t *order = tree->order + node->begin;
    size_t count = node->end - node->begin;

    for (size_t i = 0; i < count; i++) {
        b->keyed[i].point = order[i];
        b->keyed[i].key = axis < tree->axes
                              ? b->along[(size_t)order[i] * ATTEST_TREE_AXES + axis]
                              : tree->cloud->colour[order[i]];
    }
    select_place(b->keyed, count, place);
    for (size_t i = 0; i < count; i++)
        order[i] = b->keyed[i].point;
}

static void build(const builder *b, uint32_t at)
{
    attest_tree *tree = b->tree;
    attest_tree_node *node = &tree->node[at];
    size_t axis = describe(b, node);
    size_t count = node->end - node->begin, leaves, half;

    node->left = 0;
    if (count <= tree->leaf)
        return;
    leaves = (count + tree->leaf - 1) / tree->leaf;
    half = (leaves + 1) / 2 * tree->leaf; /* < count: the leaves on the left are full */
    part(b, node, half, axis);
    node->left = (uint32_t)tree->nodes;
    tree->nodes += 2;
    tree->node[node->left].begin = node->begin;
    tree->node[node->left].end = tree->node[node->left + 1].begin =
        node->begin + (uint32_t)half;
    tree->node[node->left + 1].end = node->end;
    build(b, node->left);
    build(b, node->left + 1);
}

/* Colours, radii, axis coordinates and groups of points in tree order; the last group is filled
 * up with its last point. */
static void arrange(const builder *b)
{
    attest_tree *tree = b->tree;
    const attest_cloud *cloud = tree->cloud;
    size_t dim = cloud->dim, row = ATTEST_TREE_AXES * sizeof *tree->along;
    size_t places = (cloud->count + ATTEST_TREE_LANES - 1) / ATTEST_TREE_LANES;

    for (size_t at = 0; at < cloud->count; at++) {
        size_t point = tree->order[at];
        tree->place[point] = (uint32_t)at;
        tree->colour[at] = cloud->colour[point];
        tree->radius[at] = cloud->radius[point];
        memcpy(tree->along + at * ATTEST_TREE_AXES, b->along + point * ATTEST_TREE_AXES, row);
    }
    for (size_t at = 0; at < places * ATTEST_TREE_LANES; at++) {
        size_t point = tree->order[at < cloud->count ? at : cloud->count - 1];
        double *group = tree->block + at / ATTEST_TREE_LANES * dim * ATTEST_TREE_LANES;
        for (size_t c = 0; c < dim; c++)
            group[c * ATTEST_TREE_LANES + at % ATTEST_TREE_LANES] =
                cloud->centre[point * dim + c];
    }
}

static void project(double *along, const attest_tree *tree, const double *axis)
{
    const attest_cloud *cloud = tree->cloud;
    size_t dim = cloud->dim;

    for (size_t i = 0; i < cloud->count; i++) {
        const double *x = cloud->centre + i * dim;
        for (size_t a = 0; a < tree->axes; a++) {
            double s = axis ? 0 : x[a];
            for (size_t c = 0; axis && c < dim; c++)
                s += axis[a * dim + c] * x[c];
            along[i * ATTEST_TREE_AXES + a] = s;
        }
    }
}

static bool allocate(attest_tree *tree)
{
    size_t count = tree->cloud->count, leaves = count / tree->leaf + 1;
    size_t places = (count / ATTEST_TREE_LANES + 1) * ATTEST_TREE_LANES;

    tree->order = attest_memory_alloc(count, sizeof *tree->order);
    tree->place = attest_memory_alloc(count, sizeof *tree->place);
    tree->colour = attest_memory_alloc(count, sizeof *tree->colour);
    tree->radius = attest_memory_alloc(count, sizeof *tree->radius);
    tree->along = attest_memory_alloc(count * ATTEST_TREE_AXES, sizeof *tree->along);
    tree->block = attest_memory_alloc(places * tree->cloud->dim, sizeof *tree->block);
    tree->node = attest_memory_alloc(2 * leaves + 1, sizeof *tree->node);
    return tree->order && tree->place && tree->colour && tree->radius && tree->along &&
           tree->block && tree->node;
}

static void builder_clear(builder *b)
{
    free(b->along);
    free(b->keyed);
}

attest_status attest_tree_init(attest_tree *tree, const attest_cloud *cloud,
                               attest_error *error)
{
    builder b ATTEST_CLEARED_BY(builder_clear) = {tree, NULL, NULL};
    double *axis ATTEST_FREED = NULL;

    *tree = (attest_tree){.cloud = cloud};
    /* (dim + 2) roundings of relative error 2^-53, and those of limit, above and below. */
    tree->slack = ((double)cloud->dim + 16) * 0x1p-52;
    tree->tiny = (double)cloud->dim * 0x1p-1072; /* less than 2^-1074 per term */
    ATTEST_TRY(choose_axes(&axis, tree, error));
    /* Points of few coordinates are compared one by one, long ones by a matrix product. */
    tree->leaf = cloud->dim > ATTEST_TREE_AXES && cloud->dim < MOST_PRODUCT ? ATTEST_NEAR
                                                                            : ATTEST_TREE_LANES;
    b.along = attest_memory_alloc(cloud->count * ATTEST_TREE_AXES, sizeof *b.along);
    b.keyed = attest_memory_alloc(cloud->count, sizeof *b.keyed);
    if (!allocate(tree) || !b.along || !b.keyed) {
        attest_tree_clear(tree);
        return attest_memory_fail(error);
    }
    project(b.along, tree, axis);
    for (size_t i = 0; i < cloud->count; i++)
        tree->order[i] = (uint32_t)i;
    tree->nodes = cloud->count > 0;
    tree->node[0] = (attest_tree_node){.end = (uint32_t)cloud->count};
    if (cloud->count > 0) {
        build(&b, 0);
        arrange(&b);
    }
    return ATTEST_OK;
}

void attest_tree_clear(attest_tree *tree)
{
    free(tree->order);
    free(tree->place);
    free(tree->colour);
    free(tree->radius);
    free(tree->along);
    free(tree->block);
    free(tree->node);
    *tree = (attest_tree){0};
}

/* Distances. Loops run over all ATTEST_TREE_AXES axes, those beyond the tree's having no
 * extent, and over whole groups of points: constant lengths, which the compiler vectorises. */

enum { ABANDON = 8 }; /* coordinates between two looks at the partial sums */

static double sum(const double s[ATTEST_TREE_AXES])
{
    return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));
}

/* Gaps shrink by the error of two coordinates, and the factor covers the roundings of 8 terms.
 */
double attest_tree_box_square(const attest_tree *tree, const attest_tree_node *a,
                              const attest_tree_node *b)
{
    double s[ATTEST_TREE_AXES], twice = 2 * tree->axis_error;

    for (int c = 0; c < ATTEST_TREE_AXES; c++) {
        double gap = attest_tree_more(a->lower[c] - b->upper[c], b->lower[c] - a->upper[c]);
        gap -= twice;
        gap = (gap + fabs(gap)) * 0.5; /* max(gap, 0), exactly, and without a branch */
        s[c] = gap * gap;
    }
    return sum(s) * (1 - 0x1p-48);
}

double attest_tree_point_square(const attest_tree *tree, size_t at, const attest_tree_node *b)
{
    const double *x = tree->along + at * ATTEST_TREE_AXES;
    double s[ATTEST_TREE_AXES], twice = 2 * tree->axis_error;

    for (int c = 0; c < ATTEST_TREE_AXES; c++) {
        double gap = attest_tree_more(x[c] - b->upper[c], b->lower[c] - x[c]);
        gap -= twice;
        gap = (gap + fabs(gap)) * 0.5; /* max(gap, 0), exactly, and without a branch */
        s[c] = gap * gap;
    }
    return sum(s) * (1 - 0x1p-48);
}

double attest_tree_along_square(const attest_tree *tree, size_t at, size_t other)
{
    const double *x = tree->along + at * ATTEST_TREE_AXES;
    const double *y = tree->along + other * ATTEST_TREE_AXES;
    double s[ATTEST_TREE_AXES], twice = 2 * tree->axis_error;

    for (int c = 0; c < ATTEST_TREE_AXES; c++) {
        double gap = fabs(x[c] - y[c]) - twice;
        gap = (gap + fabs(gap)) * 0.5;
        s[c] = gap * gap;
    }
    return sum(s) * (1 - 0x1p-48);
}

static const double *group(const attest_tree *tree, size_t at)
{
    return tree->block + at / ATTEST_TREE_LANES * tree->cloud->dim * ATTEST_TREE_LANES;
}

bool attest_tree_squares(double s[ATTEST_TREE_LANES], const attest_tree *tree, size_t at,
                         size_t from, double limit)
{
    size_t dim = tree->cloud->dim;
    const double *mine = group(tree, at) + at % ATTEST_TREE_LANES;
    const double *theirs = group(tree, from);

    for (int lane = 0; lane < ATTEST_TREE_LANES; lane++)
        s[lane] = 0;
    for (size_t c = 0; c < dim;) {
        size_t stop = dim - c < ABANDON ? dim : c + ABANDON;
        for (; c < stop; c++) {
            double x = mine[c * ATTEST_TREE_LANES];
            for (int lane = 0; lane < ATTEST_TREE_LANES; lane++) {
                double t = x - theirs[c * ATTEST_TREE_LANES + lane];
                s[lane] += t * t;
            }
        }
        int far = 0;
        for (int lane = 0; lane < ATTEST_TREE_LANES; lane++)
            far += s[lane] > limit;
        if (far == ATTEST_TREE_LANES) /* partial sums only grow */
            return false;
    }
    return true;
}

double attest_tree_square(const attest_tree *tree, size_t at, size_t other)
{
    const double *x = group(tree, at) + at % ATTEST_TREE_LANES;
    const double *y = group(tree, other) + other % ATTEST_TREE_LANES;
    double s = 0;

    for (size_t c = 0; c < tree->cloud->dim; c++) {
        double t = x[c * ATTEST_TREE_LANES] - y[c * ATTEST_TREE_LANES];
        s += t * t;
    }
    return s;
}
