/* tree_build.c -- a k-d tree over a cloud, with points stored by coordinate. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/scope.h"
#include "geometry/tree.h"
#include "geometry/near.h"

/* The dimensions for which the kernel promises its error. */
enum { MOST_PRODUCT = 1 << 13 };

/* A point and what it is ordered by. */
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

/* Hoare's selection: afterwards no key before place is larger, none behind it smaller. Equal
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
        /* Now everything before i is <= pivot, everything behind j >= pivot. */
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
    ATTEST_TRY(attest_tree_axes(&axis, tree, error));
    /* Rows of few coordinates are best met one by one; long ones by a matrix product. */
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
