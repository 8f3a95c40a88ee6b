/* approximate_stairs.c -- the stair that maps entries to the centres of their cells. */
#include <stdio.h>

#include "base/memory.h"
#include "attention/feed_forward.h"
#include "number/rationals.h"
#include "number/scope.h"
#include "theory/approximate_parts.h"

/* x = i/G + side ramp/2: the end of the flat part of a cell at border i. */
static void get_edge(fmpq_t x, size_t i, int side, size_t grid, const fmpq_t ramp)
{
    FMPQ(half);

    fmpq_div_2exp(half, ramp, 1);
    fmpq_set_si(x, (slong)i, grid);
    if (side < 0)
        fmpq_sub(x, x, half);
    else if (side > 0)
        fmpq_add(x, x, half);
}

/* Units of one axis: two for each border, of slopes +-1/(G ramp), and one that cancels the
 * skip, which is active for entries above -1. */
static attest_status build_axis(attest_units *units, size_t axis, size_t dim, size_t grid,
                                const fmpq_t ramp, attest_error *error)
{
    size_t count = 2 * (grid - 1) + 1, bytes;
    ATTEST_RATIONALS(bias, count);
    FMPQ(slope);

    if (attest_units_resize(units, dim, count) != ATTEST_OK || !bias)
        return attest_memory_fail(error);
    fmpq_mul_ui(slope, ramp, grid);
    fmpq_inv(slope, slope);
    fmpz_one(units->direction + axis);
    fmpz_set(units->output_denominator, fmpq_denref(slope));
    for (size_t i = 1; i < grid; i++) {
        for (int side = -1; side <= 1; side += 2) {
            size_t h = 2 * i - 1 + (side > 0);
            get_edge(bias + h, i, side, grid, ramp);
            fmpq_neg(bias + h, bias + h);
            fmpz_mul_si(units->output + h * dim + axis, fmpq_numref(slope), -side);
        }
    }
    fmpq_set_si(bias, 1, 1);
    fmpz_neg(units->output + axis, fmpq_denref(slope));
    ATTEST_TRY(attest_rationals_bound_common(units->bias_denominator, &bytes, bias, count, NULL,
                                             error));
    attest_rationals_get_numerators(units->bias, units->bias_denominator, bias, count);
    return ATTEST_OK;
}

attest_status attest_stairs_build(attest_feed_forward *stairs, size_t dim, size_t grid,
                                  const fmpq_t ramp, attest_error *error)
{
    if (attest_feed_forward_resize(stairs, dim, dim) != ATTEST_OK)
        return attest_memory_fail(error);
    for (size_t axis = 0; axis < dim; axis++) {
        ATTEST_TRY(build_axis(&stairs->group[axis], axis, dim, grid, ramp, error));
        /* the cancelled skip leaves -1, the lowest stair is 1/(2G) */
        fmpq_set_si(stairs->bias + axis, 2 * (slong)grid + 1, 2 * grid);
    }
    return ATTEST_OK;
}

/* Whether a unit of the group begins strictly between low and high; its direction is the axis.
 */
static bool has_corner(const attest_units *units, const fmpq_t low, const fmpq_t high)
{
    bool found = false;
    FMPQ(at);

    for (size_t h = 0; h < units->count && !found; h++) {
        fmpq_set_fmpz_frac(at, units->bias + h, units->bias_denominator);
        fmpq_neg(at, at);
        found = fmpq_cmp(at, low) > 0 && fmpq_cmp(at, high) < 0;
    }
    return found;
}

/* The layer at the point whose entries are all x is the centre of cell i in all entries. */
static bool is_centre(fmpq *z, attest_pattern *pattern, const attest_feed_forward_plan *plan,
                      const fmpq_t x, size_t i, size_t grid)
{
    size_t dim = plan->layer->dim;
    bool equal = true;
    FMPQ(centre);

    fmpq_set_si(centre, 2 * (slong)i + 1, 2 * grid);
    for (size_t c = 0; c < dim; c++)
        fmpq_set(z + c, x);
    attest_feed_forward_exact(z + dim, pattern, plan, z);
    for (size_t c = 0; c < dim; c++)
        equal = equal && fmpq_equal(z + dim + c, centre);
    return equal;
}

/* Each group must have the unit vector of its own axis as direction and move no other entry. */
static bool is_by_axis(const attest_feed_forward *stairs)
{
    for (size_t g = 0; g < stairs->groups; g++) {
        if (!fmpz_is_one(stairs->group[g].direction_denominator) ||
            !fmpz_is_one(stairs->group[g].direction + g))
            return false;
        for (size_t c = 0; c < stairs->dim; c++) {
            if (c == g)
                continue;
            if (!fmpz_is_zero(stairs->group[g].direction + c))
                return false;
            for (size_t h = 0; h < stairs->group[g].count; h++)
                if (!fmpz_is_zero(stairs->group[g].output + h * stairs->dim + c))
                    return false;
        }
    }
    return true;
}

attest_status attest_stairs_check(bool *flat, char *reason, size_t size,
                                  const attest_feed_forward *stairs, size_t grid,
                                  const fmpq_t ramp, attest_error *error)
{
    size_t dim = stairs->dim;
    attest_feed_forward_plan plan ATTEST_CLEARED_BY(attest_feed_forward_plan_clear) = {0};
    attest_pattern pattern ATTEST_CLEARED_BY(attest_pattern_clear) = {0};
    ATTEST_RATIONALS(z, 2 * dim);
    FMPQ(low, high);

    ATTEST_TRY(attest_feed_forward_plan_init(&plan, stairs, error));
    if (attest_pattern_init(&pattern, stairs) != ATTEST_OK || !z)
        return attest_memory_fail(error);
    *flat = stairs->groups == dim && is_by_axis(stairs);
    if (!*flat)
        snprintf(reason, size, "the stair mixes entries");
    for (size_t i = 0; i < grid && *flat; i++) {
        get_edge(low, i, i > 0, grid, ramp);
        get_edge(high, i + 1, i + 1 < grid ? -1 : 0, grid, ramp);
        *flat = is_centre(z, &pattern, &plan, low, i, grid) &&
                is_centre(z, &pattern, &plan, high, i, grid);
        for (size_t g = 0; g < stairs->groups && *flat; g++)
            *flat = !has_corner(&stairs->group[g], low, high);
        if (!*flat)
            snprintf(reason, size, "the stair is not flat on cell %zu", i);
    }
    return ATTEST_OK;
}
