/* block_error.c -- errors of block formats on numbers that are not negative. */
#include "format/block_error.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/scope.h"

/* The relative error of the few operations of binary32 between a number and its element, and
 * their underflow. */
#define ROUNDINGS 0x1p-20
#define UNDERFLOW 0x1p-118

/* The rounding to the format of an element errs by at most unit x, by half if x is subnormal;
 * numbers above most are cut to it. */
typedef struct rounding {
    double unit, half, most;
} rounding;

static rounding get_rounding(const attest_format *format)
{
    double u = ldexp(1, (int)-format->precision);

    return (rounding){u / (1 + u), ldexp(1, (int)(format->emin - format->precision)),
                      attest_format_get_most(format)};
}

/* Elements x / scale, where the scale is at most ratio times the largest number (llama.cpp:
 * times 1 + 2^-18, as its logarithm is rounded), and that is at most top scales: numbers above
 * the largest element are cut to it, which loses at most 1 - most / top of them. */
static void set_floats(attest_block_error *to, rounding e, double ratio, double top)
{
    double cut = top > e.most ? 1 - e.most / top : 0;

    to->relative = (e.unit > cut ? e.unit : cut) + ROUNDINGS;
    to->of_largest = e.half * ratio * (1 + 0x1p-16);
    to->tiny = UNDERFLOW;
}

static void set_mx(attest_block_error *to, const attest_block_format *format)
{
    rounding e = get_rounding(&format->element);
    double power = ldexp(1, (int)-format->element.emax);

    switch (format->rule) {
    case ATTEST_BLOCK_MX_TE: /* 2^s from amax/most to twice that */
        set_floats(to, e, 2 / e.most, e.most);
        break;
    case ATTEST_BLOCK_MX_VLLM: /* 7 scales are the next power of two */
        set_floats(to, e, 1 / 3.5, 7);
        break;
    default: /* the power of two below amax; of llama.cpp also the one just above */
        set_floats(to, e, power, 2 / power);
    }
}

/* llama.cpp's NVFP4: a scale of 4 bits, of fixed point below 2^-6. */
static void set_nv(attest_block_error *to, const attest_block_format *format)
{
    rounding e = get_rounding(&format->element);

    set_floats(to, e, 17.0 / 16 / 6, 6 * 17.0 / 16);
    to->tiny = 6 * 0x1p-9 + e.half * 0x1p-9;
    to->most = 6 * 240;
}

/* Integers up to most, with an error of slip; the scale is stored in binary16 or as it is. */
static void set_integers(attest_block_error *to, double most, double slip, bool stored)
{
    to->of_largest = (slip + 0x1p-11) / most;
    to->relative = (stored ? 0x1p-11 : 0) + ROUNDINGS;
    to->tiny = UNDERFLOW + (stored ? 0x1p-25 * (most + 1) : 0);
    to->least = UNDERFLOW; /* below it 1 / scale may overflow */
    if (stored)
        to->most = 65504 * most;
}

static void set_scaled(attest_block_error *to, const attest_block_format *format)
{
    rounding e = get_rounding(&format->element);

    if (format->scale == 0) {
        set_floats(to, e, 1 / format->range, format->range);
        to->tiny += (e.most + format->range) * 0x1p-149; /* a scale that underflows */
        return;
    }
    set_floats(to, e, 0, e.most);
    to->tiny += (e.half * (1 + ROUNDINGS) + 0x1p-149) * format->scale;
    to->most = format->scale * e.most * (1 - ROUNDINGS);
}

static bool is_of_rows(const attest_block_format *format)
{
    if (format->rule == ATTEST_BLOCK_PLAIN || format->rule == ATTEST_BLOCK_NV_TE ||
        format->rule == ATTEST_BLOCK_KIVI)
        return false;
    return format->scale > 0 || (!format->tensor && format->tokens == 1);
}

attest_status attest_block_error_init(attest_block_error *bound,
                                      const attest_block_format *format, attest_error *error)
{
    *bound = (attest_block_error){.most = 0x1p120};
    if (!is_of_rows(format) ||
        (format->rule == ATTEST_BLOCK_SCALED &&
         (!format->element.bounded || format->element.positive || !(format->range <= 0x1p20))))
        return attest_error_set(
            error, ATTEST_USAGE,
            "%s: weights are quantised row by row, in groups of keys: a scheme with scales of "
            "a "
            "row's own (mx.., q8_0, q4_0, nvfp4:llama, int8:per-token, int8:ct2, "
            "FORMAT:per-token) or with one that is given (FORMAT:scale=S) is expected",
            format->name);
    switch (format->rule) {
    case ATTEST_BLOCK_SCALED:
        set_scaled(bound, format);
        break;
    case ATTEST_BLOCK_NV_LLAMA:
        set_nv(bound, format);
        break;
    case ATTEST_BLOCK_Q8_0:
    case ATTEST_BLOCK_Q8_0_X86:
    case ATTEST_BLOCK_Q8_0_ARM:
        set_integers(bound, 127, 0.5, true);
        break;
    case ATTEST_BLOCK_Q4_0:
        set_integers(bound, 8, 0.5, true);
        break;
    case ATTEST_BLOCK_INT8:
    case ATTEST_BLOCK_INT8_CT2:
        set_integers(bound, 127, 0.5, false);
        break;
    case ATTEST_BLOCK_INT8_CT2_TRUNC:
        set_integers(bound, 127, 1, false);
        break;
    default:
        set_mx(bound, format);
    }
    return ATTEST_OK;
}

attest_status attest_block_row_init(attest_block_row *row, const attest_block_format *format,
                                    size_t capacity, attest_error *error)
{
    *row = (attest_block_row){.format = *format};
    row->x = attest_memory_alloc(capacity + 1, sizeof *row->x);
    row->y = attest_memory_alloc(capacity + 1, sizeof *row->y);
    if (!row->x || !row->y)
        return attest_memory_fail(error);
    attest_block_group_init(&row->group, &row->format);
    return ATTEST_OK;
}

void attest_block_row_clear(attest_block_row *row)
{
    free(row->x);
    free(row->y);
    row->x = NULL;
    row->y = NULL;
}

attest_block_scale attest_block_row_quantise(double *value, attest_block_row *row,
                                             const double *x, size_t count, double largest)
{
    attest_block_group *g = &row->group;
    attest_block_scale scale;

    row->x[0] =
        (float)largest; /* the largest goes first, where searches for the maximum begin */
    for (size_t i = 0; i < count; i++)
        row->x[i + 1] = (float)x[i];
    g->format = &row->format;
    g->x = row->x;
    g->y = row->y;
    g->count = count + 1;
    g->scale = &scale;
    attest_block_group_quantise(g);
    for (size_t i = 0; i < count; i++)
        value[i] = row->y[i + 1];
    return scale;
}

/* If the scale divides, the quotient is first rounded to odd. */
double attest_block_get_value(double element, const attest_block_scale *scale,
                              const attest_in_double *to)
{
    const attest_block_scale *s = scale;
    double product = element * s->factor, value = product / s->divisor + s->offset;

    if (s->divisor != 1 && s->offset == 0 && isfinite(product / s->divisor) &&
        fabs(product) > 0x1p-900) {
        value = product / s->divisor;
        value = attest_in_double_to_odd(value, fma(-value, s->divisor, product) *
                                                   (s->divisor < 0 ? -1 : 1));
    }
    return attest_in_double_convert(value, to);
}
