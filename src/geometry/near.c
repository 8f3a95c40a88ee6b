/* near.c -- pairs of points that may be near, by matrix products in floats.
 *
 * The whole tree is packed once. Where the reach is so small against its extent that floats
 * would separate little, two leaves are packed anew, relative to one of their points and to
 * their own size. proofs-notes/closest_pair.md has the bounds. */
#include "geometry/near.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "config.h"
#include "geometry/tree.h"
#include "kernel/kernel.h"

static void block_scalar(uint64_t hit[ATTEST_NEAR], const float *a, const float *b, size_t dim,
                         const float alpha[ATTEST_NEAR], const float beta[ATTEST_NEAR])
{
    for (int i = 0; i < ATTEST_NEAR; i++) {
        float p[ATTEST_NEAR] = {0};
        for (size_t c = 0; c < dim; c++)
            for (int j = 0; j < ATTEST_NEAR; j++)
                p[j] += a[c * ATTEST_NEAR + i] * b[c * ATTEST_NEAR + j];
        hit[i] = 0;
        for (int j = 0; j < ATTEST_NEAR; j++)
            hit[i] |= (uint64_t) !(p[j] < alpha[i] + beta[j]) << j;
    }
}

void attest_near_block(uint64_t hit[ATTEST_NEAR], const float *a, const float *b, size_t dim,
                       const float alpha[ATTEST_NEAR], const float beta[ATTEST_NEAR])
{
    switch (attest_kernel_isa()) {
#ifdef ATTEST_KERNEL_AVX512
    case KERNEL_AVX512:
        attest_near_block_avx512(hit, a, b, dim, alpha, beta);
        return;
#endif
#ifdef ATTEST_KERNEL_AVX2
    case KERNEL_AVX2:
        attest_near_block_avx2(hit, a, b, dim, alpha, beta);
        return;
#endif
    default:
        block_scalar(hit, a, b, dim, alpha, beta);
    }
}

/* Coordinate c of a place and of those after it in its group. */
static const double *entry(const attest_tree *tree, size_t at, size_t c)
{
    return tree->block + (at / ATTEST_TREE_LANES * tree->cloud->dim + c) * ATTEST_TREE_LANES +
           at % ATTEST_TREE_LANES;
}

/* How many coordinates a level takes. */
static size_t rows_of(int level, size_t dim)
{
    return dim - (size_t)(ATTEST_TREE_LEVELS - 1 - level) * dim / 8;
}

/* The squares of the leaf at a place, at a level. */
static double *squares(const attest_tree_packed *packed, size_t at, int level)
{
    return packed->square + at * ATTEST_TREE_LEVELS + (size_t)level * ATTEST_NEAR;
}

static bool packed_init(attest_tree_packed *packed, size_t leaves, size_t dim)
{
    packed->entry = attest_memory_alloc(leaves * ATTEST_NEAR * dim, sizeof *packed->entry);
    packed->square =
        attest_memory_alloc(leaves * ATTEST_NEAR * ATTEST_TREE_LEVELS, sizeof *packed->square);
    packed->base = attest_memory_alloc(dim, sizeof *packed->base);
    return packed->entry && packed->square && packed->base;
}

static void packed_clear(attest_tree_packed *packed)
{
    free(packed->entry);
    free(packed->square);
    free(packed->base);
}

/* The base = the point at this place. */
static void set_base(attest_tree_packed *packed, const attest_tree *tree, size_t at)
{
    for (size_t c = 0; c < tree->cloud->dim; c++)
        packed->base[c] = *entry(tree, at, c);
    packed->most = 0;
}

/* The largest |entry - base| of a leaf, or more. Its last group is filled up with its last
 * point. */
static double extent(const attest_tree_packed *packed, const attest_tree *tree,
                     const attest_tree_node *leaf)
{
    double most[ATTEST_TREE_LANES] = {0}, all = 0;

    for (size_t at = leaf->begin; at < leaf->end; at += ATTEST_TREE_LANES)
        for (size_t c = 0; c < tree->cloud->dim; c++) {
            const double *x = entry(tree, at, c);
            for (size_t lane = 0; lane < ATTEST_TREE_LANES; lane++)
                most[lane] = attest_tree_more(most[lane], fabs(x[lane] - packed->base[c]));
        }
    for (size_t lane = 0; lane < ATTEST_TREE_LANES; lane++)
        all = attest_tree_more(all, most[lane]);
    return all * (1 + 0x1p-50);
}

static void set_exponent(attest_tree_packed *packed, double most)
{
    frexp(most, &packed->exponent);
    if (packed->exponent < -1000) /* 2^-exponent must not overflow */
        packed->exponent = -1000;
}

/* Packs a leaf at a place (a multiple of ATTEST_NEAR). */
static void pack(attest_tree_packed *packed, size_t to, const attest_tree *tree,
                 const attest_tree_node *leaf)
{
    size_t dim = tree->cloud->dim;
    float *row = packed->entry + to * dim;
    double *whole = squares(packed, to, ATTEST_TREE_LEVELS - 1);
    double factor = ldexp(1, -packed->exponent);

    for (size_t i = 0; i < ATTEST_TREE_LEVELS * ATTEST_NEAR; i++)
        squares(packed, to, 0)[i] = 0;
    for (size_t at = leaf->begin; at < leaf->end; at += ATTEST_TREE_LANES) {
        size_t column = at - leaf->begin;
        int level = 0;
        double sum[ATTEST_TREE_LANES] = {0};
        for (size_t c = 0; c < dim; c++) {
            const double *x = entry(tree, at, c);
            for (size_t lane = 0; lane < ATTEST_TREE_LANES; lane++) {
                float t = (float)((x[lane] - packed->base[c]) * factor);
                row[c * ATTEST_NEAR + column + lane] = t;
                sum[lane] += (double)t * t;
            }
            for (; level < ATTEST_TREE_LEVELS && c + 1 == rows_of(level, dim); level++)
                memcpy(squares(packed, to, level) + column, sum, sizeof sum);
        }
    }
    for (size_t i = 0; i < ATTEST_NEAR; i++)
        packed->most = attest_tree_more(packed->most, whole[i]);
}

attest_status attest_tree_near_init(attest_tree_near *near, const attest_tree *tree,
                                    attest_error *error)
{
    size_t leaves = (tree->cloud->count + ATTEST_NEAR - 1) / ATTEST_NEAR;
    double most = 0;

    *near = (attest_tree_near){.tree = tree, .level = ATTEST_TREE_LEVELS - 1};
    if (!packed_init(&near->all, leaves, tree->cloud->dim) ||
        !packed_init(&near->two, 2, tree->cloud->dim)) {
        attest_tree_near_clear(near);
        return attest_memory_fail(error);
    }
    set_base(&near->all, tree, 0);
    for (size_t n = 0; n < tree->nodes; n++)
        if (!tree->node[n].left)
            most = attest_tree_more(most, extent(&near->all, tree, &tree->node[n]));
    set_exponent(&near->all, most);
    for (size_t n = 0; n < tree->nodes; n++)
        if (!tree->node[n].left)
            pack(&near->all, tree->node[n].begin, tree, &tree->node[n]);
    return ATTEST_OK;
}

void attest_tree_near_clear(attest_tree_near *near)
{
    packed_clear(&near->all);
    packed_clear(&near->two);
    *near = (attest_tree_near){0};
}

/* The threshold of a product: half of X^2 - reach^2/2 for each side, minus the error of floats.
 */
static void thresholds(float threshold[ATTEST_NEAR], const double square[ATTEST_NEAR],
                       double reach, size_t dim)
{
    double slack = ((double)dim + 32) * 0x1p-24, reached = reach * reach;

    for (int i = 0; i < ATTEST_NEAR; i++)
        threshold[i] = (float)(square[i] / 2 - reached / 4 - slack * (square[i] + reached) -
                               (double)dim * 0x1p-100);
}

/* Compares two packed leaves by the coordinates that a level takes: those of a pair within
 * reach are within reach. */
static void compare(uint64_t hit[ATTEST_NEAR], const attest_tree_packed *packed, size_t a,
                    size_t b, size_t dim, int level, double reach)
{
    float alpha[ATTEST_NEAR], beta[ATTEST_NEAR];
    double scaled = ldexp(reach, -packed->exponent) * (1 + 0x1p-50) + 0x1p-100;
    size_t rows = rows_of(level, dim);

    /* Entries differ by less than 2: everything may be near; nor may floats overflow. */
    if (!(scaled < 2 * sqrt((double)rows))) {
        for (int i = 0; i < ATTEST_NEAR; i++)
            hit[i] = UINT64_MAX;
        return;
    }
    thresholds(alpha, squares(packed, a, level), scaled, rows);
    thresholds(beta, squares(packed, b, level), scaled, rows);
    attest_near_block(hit, packed->entry + a * dim, packed->entry + b * dim, rows, alpha, beta);
}

/* The level of the next product: one less after many that left almost nothing, one more at
 * once when one left much. A pair that is left costs about as much as a row of the product. */
static void adapt(attest_tree_near *near, const uint64_t hit[ATTEST_NEAR])
{
    enum { LITTLE = 1, MUCH = 16, PATIENCE = 32 };
    int hits = 0;

    for (int i = 0; i < ATTEST_NEAR; i++)
        for (uint64_t row = hit[i]; row && hits <= MUCH; row &= row - 1)
            hits++;
    near->calm = hits <= LITTLE ? near->calm + 1 : 0;
    if (hits > MUCH && near->level < ATTEST_TREE_LEVELS - 1)
        near->level++;
    else if (near->calm >= PATIENCE && near->level > 0) {
        near->level--;
        near->calm = 0;
    }
}

void attest_tree_near_hits(uint64_t hit[ATTEST_NEAR], attest_tree_near *near, uint32_t a,
                           uint32_t b, double reach)
{
    const attest_tree *tree = near->tree;
    const attest_tree_node *first = &tree->node[a], *second = &tree->node[b];
    size_t dim = tree->cloud->dim;
    double scaled = ldexp(reach, -near->all.exponent);

    /* The error of floats is less than a sixteenth of the square of the reach. */
    if (scaled * scaled > ((double)dim + 32) * 0x1p-20 * near->all.most) {
        compare(hit, &near->all, first->begin, second->begin, dim, near->level, reach);
        adapt(near, hit);
        return;
    }
    set_base(&near->two, tree, first->begin);
    set_exponent(&near->two, attest_tree_more(extent(&near->two, tree, first),
                                              extent(&near->two, tree, second)));
    pack(&near->two, 0, tree, first);
    pack(&near->two, ATTEST_NEAR, tree, second);
    compare(hit, &near->two, 0, ATTEST_NEAR, dim, ATTEST_TREE_LEVELS - 1, reach);
}
