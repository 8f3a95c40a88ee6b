/* memorize_ramps.c -- ramps in the gaps, and the units that cancel the skip.
 *
 * In the gap (low, high) of width g the ramp rises from l to u = l + 2^-k, where 2^-k <= g/4
 * and l is the least multiple of 2^-k that is at least low + g/4: so low < low + g/4 <= l and
 * u <= low + g/4 + 2 * 2^-k <= low + 3 g/4 < high, strictly inside, and both numbers are short.
 */
#include <stdlib.h>

#include "base/memory.h"
#include "number/rationals.h"
#include "number/scope.h"
#include "theory/memorize_parts.h"

/* l = mantissa 2^-k of the ramp in a gap; g is used up. */
static void place_ramp(fmpz_t mantissa, fmpz_t k, const arf_t low, arf_t g)
{
    ARF(l);

    /* 2^(e-1) <= g < 2^e, so 2^(e-3) <= g/4 */
    arf_abs_bound_lt_2exp_fmpz(k, g);
    fmpz_sub_ui(k, k, 3);
    fmpz_neg(k, k);
    arf_mul_2exp_si(g, g, -2);
    arf_add(l, low, g, ARF_PREC_EXACT, ARF_RND_DOWN);
    arf_mul_2exp_fmpz(l, l, k);
    arf_get_fmpz(mantissa, l, ARF_RND_CEIL);
}

/* x = mantissa 2^-k. */
static void set_dyadic(fmpq_t x, const fmpz_t mantissa, const fmpz_t k)
{
    slong shift = fmpz_get_si(k);

    fmpq_set_fmpz(x, mantissa);
    if (shift >= 0)
        fmpq_div_2exp(x, x, (ulong)shift);
    else
        fmpq_mul_2exp(x, x, (ulong)-shift);
}

/* Fills the numbers of the two units of ramp j: biases -l and -u, outputs +-(y' - y) 2^k. */
static void set_ramp(fmpq *bias, fmpq *output, size_t dim, const fmpz_t mantissa,
                     const fmpz_t k, const fmpq *from, const fmpq *to, size_t label_dim)
{
    FMPZ(minus, one);
    FMPQ(slope);

    fmpz_one(one);
    fmpz_neg(minus, mantissa);
    set_dyadic(bias, minus, k);
    fmpz_sub_ui(minus, minus, 1);
    set_dyadic(bias + 1, minus, k);
    fmpz_neg(minus, k);
    set_dyadic(slope, one, minus); /* 2^k */
    for (size_t c = 0; c < label_dim; c++) {
        fmpq_sub(output + c, to + c, from + c);
        fmpq_mul(output + c, output + c, slope);
        fmpq_neg(output + dim + c, output + c);
    }
}

/* The numbers of a group over common denominators. */
static attest_status take_numbers(attest_units *units, const fmpq *bias, const fmpq *output,
                                  attest_error *error)
{
    size_t bytes;

    ATTEST_TRY(attest_rationals_bound_common(units->bias_denominator, &bytes, bias,
                                             units->count, NULL, error));
    ATTEST_TRY(attest_rationals_bound_common(units->output_denominator, &bytes, output,
                                             units->count * units->dim, NULL, error));
    attest_rationals_get_numerators(units->bias, units->bias_denominator, bias, units->count);
    attest_rationals_get_numerators(units->output, units->output_denominator, output,
                                    units->count * units->dim);
    return ATTEST_OK;
}

/* The label of the contexts of piece j. */
static const fmpq *label_of(const attest_memorize_points *points, const fmpq *label,
                            size_t label_dim, size_t j)
{
    size_t at = j > 0 ? points->border[j - 1] : 0;

    return label + points->contexts->context[points->order[at]].first * label_dim;
}

static void set_ramps(fmpq *bias, fmpq *output, arf_t gap, const attest_memorize_points *points,
                      const fmpq *label, size_t label_dim)
{
    size_t dim = points->dim;
    FMPZ(mantissa, k);
    ARF(low, high);

    for (size_t j = 1; j < points->pieces; j++) {
        size_t h = 2 * (j - 1);

        attest_memorize_points_gap(low, high, points, j);
        arf_sub(high, high, low, ARF_PREC_EXACT, ARF_RND_DOWN);
        if (j == 1 || arf_cmp(high, gap) < 0)
            arf_set(gap, high);
        place_ramp(mantissa, k, low, high);
        set_ramp(bias + h, output + h * dim, dim, mantissa, k,
                 label_of(points, label, label_dim, j - 1),
                 label_of(points, label, label_dim, j), label_dim);
    }
}

/* relu(z_c + reach), taken away: what is left of the skip is -reach, which b_2 gives back. */
static attest_status set_cancelling(attest_feed_forward *layer, size_t c, const fmpz_t reach)
{
    attest_units *units = &layer->group[1 + c];

    if (attest_units_resize(units, layer->dim, 1) != ATTEST_OK)
        return ATTEST_NOMEM;
    fmpz_one(units->direction + c);
    fmpz_set(units->bias, reach);
    fmpz_set_si(units->output + c, -1);
    return ATTEST_OK;
}

attest_status attest_memorize_ramps(attest_feed_forward *layer, arf_t gap,
                                    const attest_memorize_points *points, const fmpq *label,
                                    size_t label_dim, const fmpz_t reach, attest_error *error)
{
    size_t dim = points->dim, count = 2 * (points->pieces - 1);
    ATTEST_RATIONALS(bias, count);
    ATTEST_RATIONALS(output, count * dim);

    if (attest_feed_forward_resize(layer, dim, 1 + dim) != ATTEST_OK || !bias || !output ||
        attest_units_resize(&layer->group[0], dim, count) != ATTEST_OK)
        return attest_memory_fail(error);
    for (size_t c = 0; c < dim; c++)
        if (set_cancelling(layer, c, reach) != ATTEST_OK)
            return attest_memory_fail(error);
    _fmpz_vec_set(layer->group[0].direction, points->projection, (slong)dim);
    set_ramps(bias, output, gap, points, label, label_dim);
    for (size_t c = 0; c < dim; c++) {
        if (c < label_dim)
            fmpq_set(layer->bias + c, label_of(points, label, label_dim, 0) + c);
        fmpq_add_fmpz(layer->bias + c, layer->bias + c, reach);
    }
    return take_numbers(&layer->group[0], bias, output, error);
}
