/* tree_build.c -- a k-d tree over a cloud, with full leaves stored by coordinate. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "certify/tree.h"

typedef struct builder {
    attest_tree *tree;
    double *along; /* by point, not yet in tree order */
} builder;

static double key(const builder *b, uint32_t point, size_t axis)
{
    size_t axes = b->tree->axes;

    return axis < axes ? b->along[point * axes + axis] : b->tree->cloud->colour[point];
}

static void exchange(uint32_t *a, uint32_t *b)
{
    uint32_t t = *a;

    *a = *b;
    *b = t;
}

static double median_of_three(double a, double b, double c)
{
    return attest_tree_more(attest_tree_less(a, b),
                            attest_tree_less(attest_tree_more(a, b), c));
}

/* Hoare's selection: afterwards no key before place is larger, none behind it smaller. Equal
 * keys are exchanged, so that runs of them are halved too. */
static void select_place(const builder *b, uint32_t *order, size_t count, size_t place,
                         size_t axis)
{
    size_t low = 0, high = count - 1;

    while (low < high) {
        double pivot = median_of_three(key(b, order[low], axis),
                                       key(b, order[low + (high - low) / 2], axis),
                                       key(b, order[high], axis));
        size_t i = low, j = high;
        for (;;) {
            while (key(b, order[i], axis) < pivot)
                i++;
            while (pivot < key(b, order[j], axis))
                j--;
            if (i >= j)
                break;
            exchange(&order[i++], &order[j--]);
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
static size_t describe(const builder *b, attest_tree_node *node, double *box)
{
    attest_tree *tree = b->tree;
    const attest_cloud *cloud = tree->cloud;
    size_t axes = tree->axes, widest = axes;
    double *lower = box, *upper = box + ATTEST_TREE_AXES, width = 0;

    for (size_t a = 0; a < axes; a++) {
        lower[a] = INFINITY;
        upper[a] = -INFINITY;
    }
    node->colour = cloud->colour[tree->order[node->begin]];
    node->radius = 0;
    for (uint32_t at = node->begin; at < node->end; at++) {
        uint32_t point = tree->order[at];
        const double *x = b->along + point * axes;
        for (size_t a = 0; a < axes; a++) {
            lower[a] = attest_tree_less(lower[a], x[a]);
            upper[a] = attest_tree_more(upper[a], x[a]);
        }
        node->radius = attest_tree_more(node->radius, cloud->radius[point]);
        if (cloud->colour[point] != node->colour)
            node->colour = ATTEST_TREE_MIXED;
    }
    for (size_t a = 0; a < axes; a++) {
        if (upper[a] - lower[a] > width) {
            width = upper[a] - lower[a];
            widest = a;
        }
    }
    return widest;
}

static void build(const builder *b, uint32_t at)
{
    attest_tree *tree = b->tree;
    attest_tree_node *node = &tree->node[at];
    size_t axis = describe(b, node, tree->box + 2 * ATTEST_TREE_AXES * (size_t)at);
    size_t count = node->end - node->begin, leaves, half;

    node->left = 0;
    if (count <= ATTEST_TREE_LEAF)
        return;
    leaves = (count + ATTEST_TREE_LEAF - 1) / ATTEST_TREE_LEAF;
    half = (leaves + 1) / 2 * ATTEST_TREE_LEAF; /* < count: the leaves on the left are full */
    select_place(b, tree->order + node->begin, count, half, axis);
    node->left = (uint32_t)tree->nodes;
    tree->nodes += 2;
    tree->node[node->left].begin = node->begin;
    tree->node[node->left].end = tree->node[node->left + 1].begin =
        node->begin + (uint32_t)half;
    tree->node[node->left + 1].end = node->end;
    build(b, node->left);
    build(b, node->left + 1);
}

/* Colours, radii, axis coordinates and leaf blocks in tree order. */
static void arrange(const builder *b)
{
    attest_tree *tree = b->tree;
    const attest_cloud *cloud = tree->cloud;
    size_t dim = cloud->dim, axes = tree->axes;

    for (size_t at = 0; at < cloud->count; at++) {
        uint32_t point = tree->order[at];
        double *block = tree->block + at / ATTEST_TREE_LEAF * dim * ATTEST_TREE_LEAF;
        tree->place[point] = (uint32_t)at;
        tree->colour[at] = cloud->colour[point];
        tree->radius[at] = cloud->radius[point];
        memcpy(tree->along + at * axes, b->along + point * axes, axes * sizeof *tree->along);
        for (size_t c = 0; c < dim; c++)
            block[c * ATTEST_TREE_LEAF + at % ATTEST_TREE_LEAF] =
                cloud->centre[point * dim + c];
    }
}

static void project(double *along, const attest_tree *tree, const double *axis)
{
    const attest_cloud *cloud = tree->cloud;
    size_t dim = cloud->dim, axes = tree->axes;

    for (size_t i = 0; i < cloud->count; i++) {
        const double *x = cloud->centre + i * dim;
        for (size_t a = 0; a < axes; a++) {
            double s = axis ? 0 : x[a];
            for (size_t c = 0; axis && c < dim; c++)
                s += axis[a * dim + c] * x[c];
            along[i * axes + a] = s;
        }
    }
}

static bool allocate(attest_tree *tree)
{
    size_t count = tree->cloud->count, leaves = count / ATTEST_TREE_LEAF + 1;

    tree->order = attest_memory_alloc(count, sizeof *tree->order);
    tree->place = attest_memory_alloc(count, sizeof *tree->place);
    tree->colour = attest_memory_alloc(count, sizeof *tree->colour);
    tree->radius = attest_memory_alloc(count, sizeof *tree->radius);
    tree->along = attest_memory_alloc(count * tree->axes, sizeof *tree->along);
    tree->block =
        attest_memory_alloc(leaves * ATTEST_TREE_LEAF * tree->cloud->dim, sizeof *tree->block);
    tree->node = attest_memory_alloc(2 * leaves + 1, sizeof *tree->node);
    tree->box = attest_memory_alloc((2 * leaves + 1) * 2 * ATTEST_TREE_AXES, sizeof *tree->box);
    return tree->order && tree->place && tree->colour && tree->radius && tree->along &&
           tree->block && tree->node && tree->box;
}

attest_status attest_tree_init(attest_tree *tree, const attest_cloud *cloud,
                               attest_error *error)
{
    builder b = {tree, NULL};
    double *axis = NULL;
    attest_status status;

    *tree = (attest_tree){.cloud = cloud};
    /* (dim + 2) roundings of relative error 2^-53, and those of limit, above and below. */
    tree->slack = ((double)cloud->dim + 16) * 0x1p-52;
    status = attest_tree_axes(&axis, tree, error);
    if (status != ATTEST_OK)
        return status;
    b.along = attest_memory_alloc(cloud->count * tree->axes, sizeof *b.along);
    if (!allocate(tree) || !b.along) {
        attest_tree_clear(tree);
        free(b.along);
        free(axis);
        return attest_error_set(error, ATTEST_NOMEM, "out of memory");
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
    free(b.along);
    free(axis);
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
    free(tree->box);
    *tree = (attest_tree){0};
}
