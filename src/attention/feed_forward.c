/* feed_forward.c -- a feed-forward layer, evaluated by its activation pattern: the units of
 * each group in order of bias, sums over its beginnings, and the affine map of the active
 * units. */
#include "attention/feed_forward.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "number/rationals.h"
#include "number/scope.h"

/* Prefix sums are stored for every STRIDE-th unit only: memory against time. */
enum { STRIDE = 16 };

/* A unit while its group is sorted. */
typedef struct entry {
    const fmpz *bias;
    uint32_t unit;
} entry;

/* Descending; equal biases in the order of the file. */
static int compare_entries(const void *left, const void *right)
{
    const entry *a = left, *b = right;
    int order = fmpz_cmp(b->bias, a->bias);

    return order ? order : (a->unit > b->unit) - (a->unit < b->unit);
}

static bool sort_units(attest_units_plan *plan)
{
    const attest_units *units = plan->units;
    entry *sorted = attest_memory_alloc(units->count, sizeof *sorted);

    plan->order = attest_memory_alloc(units->count, sizeof *plan->order);
    if (sorted && plan->order) {
        for (size_t h = 0; h < units->count; h++)
            sorted[h] = (entry){units->bias + h, (uint32_t)h};
        qsort(sorted, units->count, sizeof *sorted, compare_entries);
        for (size_t h = 0; h < units->count; h++)
            plan->order[h] = sorted[h].unit;
    }
    free(sorted);
    return sorted && plan->order;
}

/* Adds the units from..to-1 of the order to the sums of output and of bias * output. */
static void add_units(fmpz *slope, fmpz *offset, const attest_units_plan *plan, size_t from,
                      size_t to)
{
    const attest_units *units = plan->units;

    for (size_t i = from; i < to; i++) {
        size_t h = plan->order[i];
        for (size_t c = 0; c < units->dim; c++) {
            const fmpz *output = units->output + h * units->dim + c;
            if (fmpz_is_zero(output))
                continue;
            fmpz_add(slope + c, slope + c, output);
            fmpz_addmul(offset + c, units->bias + h, output);
        }
    }
}

static bool plan_group(attest_units_plan *plan, const attest_units *units)
{
    size_t dim = units->dim;

    plan->units = units;
    plan->blocks = units->count / STRIDE + 1;
    plan->slope = attest_memory_alloc(plan->blocks * dim, sizeof *plan->slope);
    plan->offset = attest_memory_alloc(plan->blocks * dim, sizeof *plan->offset);
    if (!plan->slope || !plan->offset || !sort_units(plan))
        return false;
    for (size_t b = 1; b < plan->blocks; b++) {
        _fmpz_vec_set(plan->slope + b * dim, plan->slope + (b - 1) * dim, (slong)dim);
        _fmpz_vec_set(plan->offset + b * dim, plan->offset + (b - 1) * dim, (slong)dim);
        add_units(plan->slope + b * dim, plan->offset + b * dim, plan, (b - 1) * STRIDE,
                  b * STRIDE);
    }
    return true;
}

attest_status attest_feed_forward_plan_init(attest_feed_forward_plan *plan,
                                            const attest_feed_forward *layer,
                                            attest_error *error)
{
    plan->layer = layer;
    plan->group = attest_memory_alloc(layer->groups, sizeof *plan->group);
    if (!plan->group)
        return attest_memory_fail(error);
    for (size_t g = 0; g < layer->groups; g++) {
        if (layer->group[g].count >= UINT32_MAX)
            return attest_error_set(error, ATTEST_UNABLE, "a group has 2^32 units or more");
        if (!plan_group(&plan->group[g], &layer->group[g]))
            return attest_memory_fail(error);
    }
    return ATTEST_OK;
}

static void clear_sums(fmpz *sum, size_t count)
{
    for (size_t i = 0; sum && i < count; i++)
        fmpz_clear(sum + i);
    free(sum);
}

void attest_feed_forward_plan_clear(attest_feed_forward_plan *plan)
{
    for (size_t g = 0; plan->group && g < plan->layer->groups; g++) {
        attest_units_plan *group = &plan->group[g];
        free(group->order);
        clear_sums(group->slope, group->blocks * plan->layer->dim);
        clear_sums(group->offset, group->blocks * plan->layer->dim);
    }
    free(plan->group);
}

/* slope and offset = the sums over the first active units of the order, dim entries each. */
static void sum_active(fmpz *slope, fmpz *offset, const attest_units_plan *plan, size_t active)
{
    size_t dim = plan->units->dim, block = active / STRIDE;

    _fmpz_vec_set(slope, plan->slope + block * dim, (slong)dim);
    _fmpz_vec_set(offset, plan->offset + block * dim, (slong)dim);
    add_units(slope, offset, plan, block * STRIDE, active);
}

/* Returns the number of units of the group whose bias numerator is above the threshold. */
static size_t count_above(const attest_units_plan *plan, const fmpz_t threshold)
{
    size_t low = 0, high = plan->units->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (fmpz_cmp(plan->units->bias + plan->order[middle], threshold) > 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

attest_status attest_pattern_init(attest_pattern *pattern, const attest_feed_forward *layer)
{
    size_t dim = layer->dim;

    pattern->dim = dim;
    pattern->groups = layer->groups;
    pattern->decided = false;
    pattern->range = attest_memory_alloc(layer->groups, sizeof *pattern->range);
    pattern->linear = attest_rationals_alloc(dim * dim);
    pattern->offset = attest_rationals_alloc(dim);
    return pattern->range && pattern->linear && pattern->offset ? ATTEST_OK : ATTEST_NOMEM;
}

void attest_pattern_clear(attest_pattern *pattern)
{
    free(pattern->range);
    attest_rationals_free(pattern->linear, pattern->dim * pattern->dim);
    attest_rationals_free(pattern->offset, pattern->dim);
}

/* linear += slope direction^T / (output_denominator direction_denominator), and offset
 * likewise, for the first active units of the group. */
static void add_group(attest_pattern *pattern, const attest_units_plan *plan, size_t active)
{
    const attest_units *units = plan->units;
    size_t dim = units->dim;
    FMPZ_VEC(sum, (slong)(2 * dim));
    FMPZ(scale);
    FMPQ(term);

    sum_active(sum, sum + dim, plan, active);
    fmpz_mul(scale, units->output_denominator, units->direction_denominator);
    for (size_t c = 0; c < dim; c++) {
        if (fmpz_is_zero(sum + c))
            continue;
        for (size_t e = 0; e < dim; e++) {
            if (fmpz_is_zero(units->direction + e))
                continue;
            fmpz_mul(fmpq_numref(term), sum + c, units->direction + e);
            fmpz_set(fmpq_denref(term), scale);
            fmpq_canonicalise(term);
            fmpq_add(pattern->linear + c * dim + e, pattern->linear + c * dim + e, term);
        }
    }
    fmpz_mul(scale, units->output_denominator, units->bias_denominator);
    for (size_t c = 0; c < dim; c++) {
        if (fmpz_is_zero(sum + dim + c))
            continue;
        fmpz_set(fmpq_numref(term), sum + dim + c);
        fmpz_set(fmpq_denref(term), scale);
        fmpq_canonicalise(term);
        fmpq_add(pattern->offset + c, pattern->offset + c, term);
    }
}

/* The affine map of the active units, once the ranges are known. */
static void sum_pattern(attest_pattern *pattern, const attest_feed_forward_plan *plan)
{
    const attest_feed_forward *layer = plan->layer;
    size_t dim = layer->dim;

    pattern->decided = true;
    for (size_t c = 0; c < dim; c++) {
        fmpq_set(pattern->offset + c, layer->bias + c);
        for (size_t e = 0; e < dim; e++)
            fmpq_set_si(pattern->linear + c * dim + e, layer->skip && c == e, 1);
    }
    for (size_t g = 0; g < layer->groups; g++) {
        add_group(pattern, &plan->group[g], pattern->range[g].active);
        if (pattern->range[g].active < pattern->range[g].possible)
            pattern->decided = false;
    }
}

/* Encloses direction.z. */
static void get_along(arb_t along, const attest_units *units, arb_srcptr z, long bits)
{
    arb_zero(along);
    for (size_t c = 0; c < units->dim; c++)
        if (!fmpz_is_zero(units->direction + c))
            arb_addmul_fmpz(along, z + c, units->direction + c, bits);
    arb_div_fmpz(along, along, units->direction_denominator, bits);
}

/* threshold = floor(-x bias_denominator): a unit with a larger bias numerator, and no other,
 * has x + bias > 0. Exact. */
static void get_threshold(fmpz_t threshold, const arf_t x, const attest_units *units)
{
    ARF(product);

    arf_mul_fmpz(product, x, units->bias_denominator, ARF_PREC_EXACT, ARF_RND_DOWN);
    arf_neg(product, product);
    arf_get_fmpz(threshold, product, ARF_RND_FLOOR);
}

/* Numbers that enclose a finite ball, its ends unless midpoint and radius are far apart: 1 +-
 * e^-10^15 is such a ball, and its exact ends do not fit into memory. */
static void get_ends(arf_t low, arf_t high, const arb_t x)
{
    slong bits = arf_bits(arb_midref(x)) + 2 * MAG_BITS;
    arf_t radius;

    arf_init_set_mag_shallow(radius, arb_radref(x));
    arf_sub(low, arb_midref(x), radius, bits, ARF_RND_FLOOR);
    arf_add(high, arb_midref(x), radius, bits, ARF_RND_CEIL);
}

/* The pattern at every point of the box z of balls. bits: of the products direction.z. */
static void set_pattern_ball(attest_pattern *pattern, const attest_feed_forward_plan *plan,
                             arb_srcptr z, long bits)
{
    FMPZ(threshold);
    ARF(low, high);
    ARB(along);

    for (size_t g = 0; g < plan->layer->groups; g++) {
        const attest_units_plan *group = &plan->group[g];

        get_along(along, group->units, z, bits);
        if (!arb_is_finite(along)) {
            pattern->range[g] = (attest_activation_range){0, group->units->count};
            continue;
        }
        get_ends(low, high, along);
        get_threshold(threshold, low, group->units);
        pattern->range[g].active = count_above(group, threshold);
        get_threshold(threshold, high, group->units);
        pattern->range[g].possible = count_above(group, threshold);
    }
    sum_pattern(pattern, plan);
}

/* The pattern at the point z, which is always decided. */
static void set_pattern_exact(attest_pattern *pattern, const attest_feed_forward_plan *plan,
                              const fmpq *z)
{
    FMPZ(threshold);
    FMPQ(along);

    for (size_t g = 0; g < plan->layer->groups; g++) {
        const attest_units *units = plan->group[g].units;
        FMPQ(term);

        fmpq_zero(along);
        for (size_t c = 0; c < units->dim; c++) {
            fmpq_mul_fmpz(term, z + c, units->direction + c);
            fmpq_add(along, along, term);
        }
        fmpq_div_fmpz(along, along, units->direction_denominator);
        fmpq_mul_fmpz(along, along, units->bias_denominator);
        fmpq_neg(along, along);
        fmpz_fdiv_q(threshold, fmpq_numref(along), fmpq_denref(along));
        pattern->range[g].active = count_above(&plan->group[g], threshold);
        pattern->range[g].possible = pattern->range[g].active;
    }
    sum_pattern(pattern, plan);
}

bool attest_pattern_is_constant(const attest_pattern *pattern, size_t c)
{
    for (size_t e = 0; e < pattern->dim; e++)
        if (!fmpq_is_zero(pattern->linear + c * pattern->dim + e))
            return false;
    return true;
}

/* Adds the units that may be active or not: relu of a ball is the ball of [max(low, 0),
 * max(high, 0)]. */
static void add_undecided(arb_ptr out, const attest_units_plan *plan,
                          const attest_activation_range *range, arb_srcptr z, long bits)
{
    const attest_units *units = plan->units;
    ARB(along, unit, zero);
    FMPQ(value);

    get_along(along, units, z, bits);
    for (size_t i = range->active; i < range->possible; i++) {
        size_t h = plan->order[i];

        fmpq_set_fmpz_frac(value, units->bias + h, units->bias_denominator);
        arb_set_fmpq(unit, value, bits);
        arb_add(unit, unit, along, bits);
        arb_max(unit, unit, zero, bits);
        arb_div_fmpz(unit, unit, units->output_denominator, bits);
        for (size_t c = 0; c < units->dim; c++)
            arb_addmul_fmpz(out + c, unit, units->output + h * units->dim + c, bits);
    }
}

void attest_feed_forward_ball(arb_ptr out, attest_pattern *pattern,
                              const attest_feed_forward_plan *plan, arb_srcptr z, long bits)
{
    size_t dim = pattern->dim;
    ARB(term);

    set_pattern_ball(pattern, plan, z, bits);
    for (size_t c = 0; c < dim; c++) {
        arb_set_fmpq(out + c, pattern->offset + c, bits);
        for (size_t e = 0; e < dim; e++) {
            if (fmpq_is_zero(pattern->linear + c * dim + e))
                continue;
            arb_set_fmpq(term, pattern->linear + c * dim + e, bits);
            arb_addmul(out + c, term, z + e, bits);
        }
    }
    for (size_t g = 0; g < pattern->groups && !pattern->decided; g++)
        if (pattern->range[g].active < pattern->range[g].possible)
            add_undecided(out, &plan->group[g], &pattern->range[g], z, bits);
}

void attest_feed_forward_exact(fmpq *out, attest_pattern *pattern,
                               const attest_feed_forward_plan *plan, const fmpq *z)
{
    size_t dim = pattern->dim;

    set_pattern_exact(pattern, plan, z);
    for (size_t c = 0; c < dim; c++) {
        fmpq_set(out + c, pattern->offset + c);
        for (size_t e = 0; e < dim; e++)
            fmpq_addmul(out + c, pattern->linear + c * dim + e, z + e);
    }
}
