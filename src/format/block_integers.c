/* block_integers.c -- the rules of formats whose elements are integers: llama.cpp's q8_0 and
 * q4_0, int8 and int16 with a scale, KIVI's caches. */
#include <math.h>

#include "format/block_rule.h"

/* An integer from a float that was rounded to one; from what is not finite there is none. */
static double to_integer(float x, double least, double most)
{
    if (!isfinite(x))
        return (double)NAN;
    return x == 0 ? 0 : fmin(fmax(x, least), most);
}

/* llama.cpp: d = fl(amax/127) is stored in binary16, but the elements come from d itself. */
static void quantise_q8_0(attest_block_group *g)
{
    float amax = attest_block_get_amax(g->x, g->count), d = amax / 127, inverse;

    if (g->format->rule == ATTEST_BLOCK_Q8_0_X86)
        inverse = amax == 0 ? 0 : 127 / amax;
    else
        inverse = d == 0 ? 0 : 1 / d;
    *g->scale = (attest_block_scale){attest_in_double_nearest(d, &g->half), 1, 0};
    for (size_t i = 0; i < g->count; i++) {
        float product = g->x[i] * inverse;

        product = g->format->rule == ATTEST_BLOCK_Q8_0 ? roundf(product) : nearbyintf(product);
        g->y[i] = to_integer(product, -128, 127);
    }
}

static void quantise_q4_0(attest_block_group *g)
{
    float extreme = 0, d, inverse;

    for (size_t i = 0; i < g->count; i++)
        if (fabsf(g->x[i]) > fabsf(extreme)) /* the first of equals */
            extreme = g->x[i];
    d = extreme / -8;
    inverse = d == 0 ? 0 : 1 / d;
    *g->scale = (attest_block_scale){attest_in_double_nearest(d, &g->half), 1, 0};
    for (size_t i = 0; i < g->count; i++)
        g->y[i] = to_integer(truncf(g->x[i] * inverse + 8.5f) - 8, -8, 7);
}

/* vLLM: the scale and the factor are two divisions. */
static void quantise_int8(attest_block_group *g)
{
    float amax = attest_block_get_amax(g->x, g->count), factor = amax == 0 ? 0 : 127 / amax;

    *g->scale = (attest_block_scale){amax / 127, 1, 0};
    for (size_t i = 0; i < g->count; i++)
        g->y[i] = to_integer(nearbyintf(g->x[i] * factor), -128, 127);
}

/* CTranslate2: the scale is what the numbers are multiplied by; models of old versions have the
 * products cut toward zero. */
static void quantise_ct2(attest_block_group *g)
{
    bool eight = g->format->bits == 8;
    bool cut = g->format->rule == ATTEST_BLOCK_INT8_CT2_TRUNC ||
               g->format->rule == ATTEST_BLOCK_INT16_CT2_TRUNC;
    float amax = attest_block_get_amax(g->x, g->count);
    float scale = eight ? (amax == 0 ? 1 : 127 / amax) : 1024 / amax;

    *g->scale = (attest_block_scale){1, scale, 0};
    for (size_t i = 0; i < g->count; i++) {
        float product = g->x[i] * scale;

        g->y[i] = to_integer(cut ? truncf(product) : nearbyintf(product), eight ? -128 : -32768,
                             eight ? 127 : 32767);
    }
}

/* KIVI: every operation is rounded to binary16. */
static void quantise_kivi(attest_block_group *g)
{
    double least = g->x[0], most = g->x[0], top = ldexp(1, g->format->bits) - 1, scale;

    for (size_t i = 1; i < g->count; i++) {
        least = fmin(least, g->x[i]);
        most = fmax(most, g->x[i]);
    }
    scale = attest_in_double_nearest(most - least, &g->half);
    scale = attest_in_double_nearest(scale / top, &g->half);
    *g->scale = (attest_block_scale){scale, 1, least};
    for (size_t i = 0; i < g->count; i++) {
        double x = attest_in_double_nearest(g->x[i] - least, &g->half);

        x = attest_in_double_nearest(x / scale, &g->half);
        g->y[i] = isnan(x) ? x : nearbyint(fmin(fmax(x, 0), top));
    }
}

void attest_block_quantise_integers(attest_block_group *group)
{
    switch (group->format->rule) {
    case ATTEST_BLOCK_Q4_0:
        quantise_q4_0(group);
        break;
    case ATTEST_BLOCK_INT8:
        quantise_int8(group);
        break;
    case ATTEST_BLOCK_INT8_CT2:
    case ATTEST_BLOCK_INT8_CT2_TRUNC:
    case ATTEST_BLOCK_INT16_CT2:
    case ATTEST_BLOCK_INT16_CT2_TRUNC:
        quantise_ct2(group);
        break;
    case ATTEST_BLOCK_KIVI:
        quantise_kivi(group);
        break;
    default:
        quantise_q8_0(group);
    }
}
