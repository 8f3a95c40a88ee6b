/* sum_error.c -- (1): trees of roundings, and the blocks of a matrix unit. */
#include "judge/sum_error.h"

#include <math.h>

static bool is_tensor(attest_judge_order order)
{
    return order == ATTEST_JUDGE_ORDER_TENSOR || order == ATTEST_JUDGE_ORDER_TENSOR_FORWARD ||
           order == ATTEST_JUDGE_ORDER_TENSOR_BACKWARD;
}

/* The additions that a term passes at most; 0: as many as there are terms. A depth says nothing
 * of an order that is one after another. */
static double depth_of(const attest_judge_dot *dot, double terms)
{
    double depth = 1;

    if (dot->order != ATTEST_JUDGE_ORDER_PAIRWISE)
        return dot->order == ATTEST_JUDGE_ORDER_ANY ? (double)dot->depth : 0;
    if (dot->depth > 0)
        return (double)dot->depth;
    for (double n = 1; n < terms; n *= 2)
        depth++;
    return depth;
}

/* Lemma 1 of proofs-notes/judge.md for the additions, with every term moved by the roundings of
 * its product and of its rescales before; the least numbers grow as the sums do. */
static void init_tree(attest_judge_sum_error *rule, const attest_judge_dot *dot,
                      const attest_judge_arithmetic *unit, double rescales)
{
    double n = rule->terms, u = unit->u, depth = depth_of(dot, n);
    double moved =
        attest_judge_grow(u, ATTEST_TERM(tree_rescales, rescales) +
                                 ATTEST_TERM(tree_products, dot->exact_products ? 0 : 1));
    double lost = ATTEST_TERM(tree_least, (2 * n + rescales) * unit->least);
    double grown =
        attest_judge_grow(u, ATTEST_TERM(tree_additions, dot->exact_products ? n : n - 1));
    double deep = attest_judge_grow(u, ATTEST_TERM(tree_depth, depth + rescales + 1));

    rule->size_part = moved * (1 + grown) * ATTEST_JUDGE_UP;
    rule->most_part = grown * ATTEST_JUDGE_UP;
    rule->rest = lost * (1 + grown) * (1 + moved) * ATTEST_JUDGE_UP;
    rule->deep_size = depth > 0 ? deep * ATTEST_JUDGE_UP : (double)INFINITY;
    rule->deep_rest = lost * (1 + deep) * ATTEST_JUDGE_UP;
}

/* Lemma 2, groups: each errs by a part of the absolute values of its own terms, and their sums,
 * no more of them than blocks, are the leaves of a tree. Or every addend is a partial sum of a
 * group, and the additions of the groups round no more than Lemma 2 counts (judge.md). */
static void init_groups(attest_judge_sum_error *rule, double terms, double blocks, double u)
{
    double n = rule->terms < terms ? rule->terms : terms,
           cut = ATTEST_TERM(group_cut, (n + blocks) * rule->cut);
    double part = cut + ATTEST_TERM(group_kept, blocks * rule->kept),
           grown = attest_judge_grow(u, ATTEST_TERM(group_additions, rule->blocks));
    double factor = (1 + grown) / (1 - part) * ATTEST_JUDGE_UP;

    if (part < 0.5) {
        rule->promoted_size = part * factor * ATTEST_JUDGE_UP;
        rule->promoted_most = grown * ATTEST_JUDGE_UP;
        rule->promoted_rest = rule->blocks *
                              (ATTEST_TERM(group_raised, cut * rule->raised * factor) +
                               ATTEST_TERM(group_least, blocks * rule->least * factor +
                                                            rule->least * (1 + grown))) *
                              ATTEST_JUDGE_UP;
    }
}

void attest_judge_sum_error_init(attest_judge_sum_error *rule, const attest_judge_dot *dot,
                                 const attest_judge_arithmetic *unit, double terms,
                                 double blocks, double raised, double rescales)
{
    rule->tensor = is_tensor(dot->order);
    rule->limit = unit->limit;
    rule->terms = terms;
    rule->blocks = blocks;
    rule->raised = ATTEST_TERM(matrix_raised, raised);
    rule->least = ATTEST_TERM(matrix_least, unit->least);
    if (!rule->tensor) {
        init_tree(rule, dot, unit, rescales);
        return;
    }
    rule->cut = ATTEST_TERM(matrix_cut, ldexp(1, -(int)dot->fraction));
    rule->kept = ATTEST_TERM(
        matrix_kept, dot->accumulate.precision != 24 ? unit->u : fmax(rule->cut, 0x1p-23));
    rule->size_part = attest_judge_grow(unit->u, ATTEST_TERM(matrix_rescales, rescales));
    rule->rest = ATTEST_TERM(matrix_rest, (blocks + terms + rescales) * unit->least);
    rule->promoted_size = rule->promoted_most = 0;
    rule->promoted_rest = (double)INFINITY;
    if (dot->promote > 0)
        init_groups(rule, (double)dot->promote, (double)(dot->promote / dot->block), unit->u);
}

void attest_judge_sum_error_group(attest_judge_sum_error *rule, const attest_judge_dot *dot,
                                  const attest_judge_arithmetic *unit, size_t tile)
{
    double tiles = (double)dot->promote_tiles, size = (double)tile;

    if (!rule->tensor || dot->promote_tiles == 0)
        return;
    /* of any size: one group may have all blocks */
    init_groups(rule, tile > 0 ? tiles * size : rule->terms,
                tile > 0 ? tiles * ceil(size / (double)dot->block) : rule->blocks, unit->u);
}
