/* tree_leaf.c -- distances of points and boxes of a tree.
 *
 * Loops run over all ATTEST_TREE_AXES axes, those beyond the tree's having no extent, and over
 * whole groups of points: lengths that the compiler knows, and turns into vectors. */
#include "geometry/tree.h"

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
