/* block_floats.c -- the rules of formats whose elements are small floating-point numbers: MX,
 * NVFP4, and formats with a scale of binary32. */
#include <float.h>
#include <math.h>

#include "format/block_rule.h"

enum { LEAST_SCALE = -127, LARGEST_SCALE = 127 };

float attest_block_get_amax(const float *x, size_t count)
{
    float amax = 0;

    for (size_t i = 0; i < count; i++)
        amax = fmaxf(amax, fabsf(x[i]));
    return amax;
}

/* |x| to the format with halves away from zero, clamped: microxcaling's "nearest". */
static double round_away(double x, const attest_format *f)
{
    double most = attest_format_get_most(f), unit, r;
    int exponent;

    if (x == 0)
        return x;
    frexp(x, &exponent);
    exponent = exponent - 1 < f->emin ? (int)f->emin : exponent - 1;
    unit = ldexp(1, exponent - (int)f->precision + 1);
    r = floor(fabs(x) / unit + 0.5) * unit; /* exact: a power of two, and few bits */
    return copysign(r > most ? most : r, x);
}

/* floor(log2 amax). */
static int get_exponent(float amax)
{
    int exponent;

    frexpf(amax, &exponent);
    return exponent - 1;
}

/* microxcaling: floor(log2 amax) - emax, where an amax of 0 counts as 2^-126. */
static int get_mx_exponent(float amax, const attest_format *element)
{
    return get_exponent(amax == 0 ? FLT_MIN : amax) - (int)element->emax;
}

/* TransformerEngine: the exponent of fl(amax fl(1/most)), rounded up. */
static int get_te_exponent(float amax, const attest_format *element)
{
    float most = (float)attest_format_get_most(element), scaled = amax * (1 / most);
    int exponent;

    if (scaled == 0)
        return LEAST_SCALE;
    exponent = get_exponent(scaled);
    return scaled > ldexpf(1, exponent) ? exponent + 1 : exponent;
}

/* vLLM: that of amax after half a unit of its second significand bit is added. */
static int get_vllm_exponent(float amax)
{
    uint32_t bits;

    memcpy(&bits, &amax, sizeof bits);
    return (int)((bits + ((uint32_t)1 << 21)) >> 23) - 127 - 2;
}

/* llama.cpp: floor(log2f(amax)) - 2, where log2f is rounded: amax just below a power of two
 * counts as that power. The double's log2 decides, because no logarithm is near a tie. An amax
 * that is not finite gets the largest scale. */
static int get_llama_exponent(float amax)
{
    if (amax == 0)
        return LEAST_SCALE;
    return isfinite(amax) ? (int)floorf((float)log2((double)amax)) - 2 : LARGEST_SCALE;
}

static int get_scale_exponent(float amax, const attest_block_format *format)
{
    int s;

    switch (format->rule) {
    case ATTEST_BLOCK_MX_TE:
        s = get_te_exponent(amax, &format->element);
        break;
    case ATTEST_BLOCK_MX_VLLM:
        s = get_vllm_exponent(amax);
        break;
    case ATTEST_BLOCK_MX_LLAMA:
        s = get_llama_exponent(amax);
        break;
    default:
        s = get_mx_exponent(amax, &format->element);
    }
    return s < LEAST_SCALE ? LEAST_SCALE : s > LARGEST_SCALE ? LARGEST_SCALE : s;
}

/* llama.cpp's search: the first of 0, 0.5, .. 6, -0.5, .. -6 times the scale with the least
 * error, which is computed in binary32. half: half of the scale. */
static double find_llama(float x, float half)
{
    static const float twice[] = {0, 1, 2, 3, 4, 6, 8, 12};
    float best = fabsf(x), found = 0;

    for (int sign = 1; sign >= -1; sign -= 2)
        for (size_t i = 1; i < sizeof twice / sizeof twice[0]; i++) {
            float error = fabsf((float)sign * twice[i] * half - x);

            if (error < best) {
                best = error;
                found = (float)sign * twice[i];
            }
        }
    return found / 2;
}

static void quantise_mx(attest_block_group *g)
{
    int s = get_scale_exponent(attest_block_get_amax(g->x, g->count), g->format);

    *g->scale = (attest_block_scale){ldexp(1, s), 1, 0};
    for (size_t i = 0; i < g->count; i++) {
        double scaled = ldexp(g->x[i], -s);

        if (g->format->rule == ATTEST_BLOCK_MX)
            g->y[i] = round_away(scaled, &g->format->element);
        else if (g->format->rule == ATTEST_BLOCK_MX_LLAMA)
            g->y[i] = find_llama(g->x[i], ldexpf(1, s - 1));
        else
            g->y[i] = attest_in_double_nearest(scaled, &g->element);
    }
}

/* TransformerEngine's NVFP4: the tensor's scale makes use of the whole range of the blocks'. */
static void quantise_nv_te(attest_block_group *g)
{
    static const attest_format e4m3 = {.precision = 4,
                                       true,
                                       -6,
                                       8,
                                       8,
                                       .finite_only = true,
                                       .saturates = true,
                                       .top_is_nan = true};
    float amax = attest_block_get_amax(g->x, g->count), sixth = 1.0f / 6, inverse;
    float tensor = g->tensor_amax == 0 ? 1 : fminf(2688 / g->tensor_amax, FLT_MAX);
    float s = (float)attest_format_cast(fminf(amax * (tensor * sixth), FLT_MAX), &e4m3);

    inverse = fminf(1 / (s * (1 / tensor)), FLT_MAX);
    *g->scale = (attest_block_scale){s, tensor, 0};
    for (size_t i = 0; i < g->count; i++)
        g->y[i] = attest_in_double_nearest(g->x[i] * inverse, &g->element);
}

/* llama.cpp's scale of 8 bits: halves up, what reaches 248 is 448, and a subnormal number does
 * not round up to a normal one. */
static float get_llama_scale(float x)
{
    float r;

    if (x < 0x1p-6f)
        return fminf(floorf(x * 512 + 0.5f), 7) / 512;
    if (x >= 248)
        return 448;
    r = ldexpf(1, get_exponent(x) - 3);
    return floorf(x / r + 0.5f) * r;
}

static void quantise_nv_llama(attest_block_group *g)
{
    float s = get_llama_scale(attest_block_get_amax(g->x, g->count) / 6);

    *g->scale = (attest_block_scale){s, 1, 0};
    for (size_t i = 0; i < g->count; i++)
        g->y[i] = find_llama(g->x[i], s / 2);
}

static void quantise_scaled(attest_block_group *g)
{
    const attest_block_format *f = g->format;
    float scale = (float)f->scale;

    if (f->rule == ATTEST_BLOCK_PLAIN)
        scale = 1;
    else if (scale == 0)
        scale = attest_block_get_amax(g->x, g->count) / (float)f->range;
    if (scale == 0)
        scale = 1;
    *g->scale = (attest_block_scale){scale, 1, 0};
    for (size_t i = 0; i < g->count; i++)
        g->y[i] = f->element.positive ? attest_format_cast(g->x[i] / scale, &f->element)
                                      : attest_in_double_convert(g->x[i] / scale, &g->element);
}

void attest_block_quantise_floats(attest_block_group *group)
{
    switch (group->format->rule) {
    case ATTEST_BLOCK_PLAIN:
    case ATTEST_BLOCK_SCALED:
        quantise_scaled(group);
        break;
    case ATTEST_BLOCK_NV_TE:
        quantise_nv_te(group);
        break;
    case ATTEST_BLOCK_NV_LLAMA:
        quantise_nv_llama(group);
        break;
    default:
        quantise_mx(group);
    }
}
