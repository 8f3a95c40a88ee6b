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
    double moved = attest_judge_grow(u, rescales + (dot->exact_products ? 0 : 1));
    double lost = (2 * n + rescales) * unit->least;
    double grown = attest_judge_grow(u, dot->exact_products ? n : n - 1);
    double deep = attest_judge_grow(u, depth + rescales + 1);

    rule->size_part = moved * (1 + grown) * ATTEST_JUDGE_UP;
    rule->most_part = grown * ATTEST_JUDGE_UP;
    rule->rest = lost * (1 + grown) * (1 + moved) * ATTEST_JUDGE_UP;
    rule->deep_size = depth > 0 ? deep * ATTEST_JUDGE_UP : (double)INFINITY;
    rule->deep_rest = lost * (1 + deep) * ATTEST_JUDGE_UP;
}

void attest_judge_sum_error_init(attest_judge_sum_error *rule, const attest_judge_dot *dot,
                                 const attest_judge_arithmetic *unit, double terms,
                                 double blocks, double raised, double rescales)
{
    rule->tensor = is_tensor(dot->order);
    rule->limit = unit->limit;
    rule->terms = terms;
    rule->blocks = blocks;
    rule->raised = raised;
    rule->least = unit->least;
    if (!rule->tensor) {
        init_tree(rule, dot, unit, rescales);
        return;
    }
    rule->cut = ldexp(1, -(int)dot->fraction);
    rule->kept = dot->accumulate.precision != 24 ? unit->u
                 : dot->fraction < 23            ? rule->cut
                                                 : 0x1p-23;
    rule->u = unit->u;
    rule->group_terms = (double)(terms < (double)dot->promote ? terms : dot->promote);
    rule->group_blocks = dot->promote > 0 ? (double)(dot->promote / dot->block) : 0;
    rule->size_part = attest_judge_grow(unit->u, rescales);
    rule->rest = (blocks + terms + rescales) * unit->least;
}

/* The power of two at or below x > 0; 0 for a subnormal x. */
static double floor_power(double x)
{
    return attest_hosted_double(attest_hosted_bits(x) & 0x7ff0000000000000u);
}

/* What the blocks lose when no partial sum is wrong by more than e: terms and addends are cut
 * to multiples of a quantum, results to the bits that are kept. */
static double tensor_loss(const attest_judge_sum_error *r, double size, double most, double e)
{
    double largest = most + e > r->raised ? most + e : r->raised, quantum, lost;
    bool groups = r->group_blocks > 0; /* their sums are added */
    double kept = r->kept + (groups ? r->u : 0), least = (groups ? 2 : 1) * r->least;

    if (!(largest > 0 && largest < (double)INFINITY))
        return largest;
    quantum = floor_power(largest * ATTEST_JUDGE_UP + 0x1p-1022) * r->cut;
    lost = r->terms * quantum < size ? r->terms * quantum : size;
    return (lost + r->blocks * (quantum + kept * (most + e) + least)) * ATTEST_JUDGE_UP;
}

/* Lemma 2, groups: each errs by a part of the absolute values of its own terms, and their sums,
 * no more of them than blocks, are the leaves of a tree. */
static double promoted_error(const attest_judge_sum_error *r, double size, double most)
{
    double cut = (r->group_terms + r->group_blocks) * r->cut;
    double part = cut + r->group_blocks * r->kept, grown = attest_judge_grow(r->u, r->blocks);
    double e = part * size + r->blocks * (cut * r->raised + r->group_blocks * r->least);

    if (!(part < 0.5))
        return (double)INFINITY;
    e = e / (1 - part) * ATTEST_JUDGE_UP;
    return (e * (1 + grown) + most * grown + r->blocks * r->least * (1 + grown)) *
           ATTEST_JUDGE_UP;
}

double attest_judge_sum_error_tensor(const attest_judge_sum_error *rule, double size,
                                     double most)
{
    double moved = rule->size_part * size, promoted = (double)INFINITY, e;

    size += moved;
    most += moved;
    if (rule->group_blocks > 0)
        promoted = (promoted_error(rule, size, most) + moved) * ATTEST_JUDGE_UP;
    e = tensor_loss(rule, size, most, 0) * (1 + 0x1p-4);
    for (int tries = 0; tries < 64; tries++, e *= 2) {
        double loss = tensor_loss(rule, size, most, e);

        if (loss <= e) {
            loss = (loss + moved) * ATTEST_JUDGE_UP;
            return loss < promoted ? loss : promoted;
        }
    }
    return promoted;
}
