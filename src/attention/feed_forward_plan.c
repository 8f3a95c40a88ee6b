/* feed_forward_plan.c -- the units of a group in order of bias, and sums over its beginnings.
 */
#include "attention/feed_forward.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* Sums over beginnings are kept for every so many units: memory against time. */
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

void attest_units_plan_sum(fmpz *slope, fmpz *offset, const attest_units_plan *plan,
                           size_t active)
{
    size_t dim = plan->units->dim, block = active / STRIDE;

    _fmpz_vec_set(slope, plan->slope + block * dim, (slong)dim);
    _fmpz_vec_set(offset, plan->offset + block * dim, (slong)dim);
    add_units(slope, offset, plan, block * STRIDE, active);
}

size_t attest_units_plan_count(const attest_units_plan *plan, const fmpz_t threshold)
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
