/* block.c -- arrays in block formats: groups, their scales, the values of elements. */
#include <attest/block.h>

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "format/block_error.h"
#include "number/scope.h"

static const attest_format binary16 = {.name = "binary16", 11, true, -14, 15, 16};

void attest_block_group_init(attest_block_group *group, const attest_block_format *format)
{
    attest_format element = format->element;

    *group = (attest_block_group){.format = format};
    if (element.precision < 53) /* binary64 contains the quotients, which are of binary32 */
        element.saturates = element.saturates || format->rule != ATTEST_BLOCK_PLAIN;
    if (format->rule < ATTEST_BLOCK_Q8_0)
        attest_in_double_init(&group->element, &element, ATTEST_SIMULATED_NEAREST, NULL, NULL);
    attest_in_double_init(&group->half, &binary16, ATTEST_SIMULATED_NEAREST, NULL, NULL);
}

/* ---- elements that are floating-point numbers: MX, NVFP4, a scale of binary32 ---- */

enum { LEAST_SCALE = -127, LARGEST_SCALE = 127 };

static float get_amax(const float *x, size_t count)
{
    float amax = 0;

    for (size_t i = 0; i < count; i++)
        amax = fmaxf(amax, fabsf(x[i]));
    return amax;
}

/* x rounded to the format with halves away from zero, clamped: "nearest" of microxcaling. */
static double round_away(double x, const attest_format *f)
{
    double most = attest_format_get_most(f), unit, r;
    int exponent;

    if (x == 0)
        return x;
    frexp(x, &exponent);
    exponent = exponent - 1 < f->emin ? (int)f->emin : exponent - 1;
    unit = ldexp(1, exponent - (int)f->precision + 1);
    r = floor(fabs(x) / unit + 0.5) * unit; /* exact: few bits times a power of two */
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

/* vLLM: the exponent of amax after half a unit of its second significand bit is added. */
static int get_vllm_exponent(float amax)
{
    uint32_t bits;

    memcpy(&bits, &amax, sizeof bits);
    return (int)((bits + ((uint32_t)1 << 21)) >> 23) - 127 - 2;
}

/* llama.cpp: floor(log2f(amax)) - 2, where log2f is rounded: amax just below a power of two
 * counts as that power. log2 in binary64 decides, because no logarithm is near a tie. An amax
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

/* The search of llama.cpp: the first of 0, 0.5, .. 6, -0.5, .. -6 times the scale with the
 * least error, computed in binary32. half: half of the scale. */
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
    int s = get_scale_exponent(get_amax(g->x, g->count), g->format);

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

/* NVFP4 of TransformerEngine: the scale of the tensor uses the whole range of the scales of
 * blocks. */
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
    float amax = get_amax(g->x, g->count), sixth = 1.0f / 6, inverse;
    float tensor = g->tensor_amax == 0 ? 1 : fminf(2688 / g->tensor_amax, FLT_MAX);
    float s = (float)attest_format_cast(fminf(amax * (tensor * sixth), FLT_MAX), &e4m3);

    inverse = fminf(1 / (s * (1 / tensor)), FLT_MAX);
    *g->scale = (attest_block_scale){s, tensor, 0};
    for (size_t i = 0; i < g->count; i++)
        g->y[i] = attest_in_double_nearest(g->x[i] * inverse, &g->element);
}

/* The 8-bit scale of llama.cpp: halves round up, 248 and more become 448, and a subnormal
 * number does not round up to a normal one. */
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
    float s = get_llama_scale(get_amax(g->x, g->count) / 6);

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
        scale = get_amax(g->x, g->count) / (float)f->range;
    if (scale == 0)
        scale = 1;
    *g->scale = (attest_block_scale){scale, 1, 0};
    for (size_t i = 0; i < g->count; i++)
        g->y[i] = f->element.positive ? attest_format_cast(g->x[i] / scale, &f->element)
                                      : attest_in_double_convert(g->x[i] / scale, &g->element);
}

/* ---- elements that are integers: q8_0 and q4_0 of llama.cpp, int8 and int16 with a scale, the
 * caches of KIVI ---- */

/* Clamps a float that was rounded to an integer; NaN if it is not finite. */
static double to_integer(float x, double least, double most)
{
    if (!isfinite(x))
        return (double)NAN;
    return x == 0 ? 0 : fmin(fmax(x, least), most);
}

/* llama.cpp: d = fl(amax/127) is stored in binary16, but the elements come from d itself. */
static void quantise_q8_0(attest_block_group *g)
{
    float amax = get_amax(g->x, g->count), d = amax / 127, inverse;

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

/* vLLM: scale and factor are two divisions. */
static void quantise_int8(attest_block_group *g)
{
    float amax = get_amax(g->x, g->count), factor = amax == 0 ? 0 : 127 / amax;

    *g->scale = (attest_block_scale){amax / 127, 1, 0};
    for (size_t i = 0; i < g->count; i++)
        g->y[i] = to_integer(nearbyintf(g->x[i] * factor), -128, 127);
}

/* CTranslate2: numbers are multiplied by the scale; in models of old versions the products are
 * cut toward zero. */
static void quantise_ct2(attest_block_group *g)
{
    bool eight = g->format->bits == 8;
    bool cut = g->format->rule == ATTEST_BLOCK_INT8_CT2_TRUNC ||
               g->format->rule == ATTEST_BLOCK_INT16_CT2_TRUNC;
    float amax = get_amax(g->x, g->count);
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

void attest_block_group_quantise(attest_block_group *group)
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
    case ATTEST_BLOCK_Q8_0:
    case ATTEST_BLOCK_Q8_0_X86:
    case ATTEST_BLOCK_Q8_0_ARM:
        quantise_q8_0(group);
        break;
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
        quantise_mx(group);
    }
}

/* ---- arrays ---- */

static size_t get_groups(size_t count, size_t size)
{
    return (count + size - 1) / size;
}

static size_t get_group_of(const attest_quantised *q, size_t head, size_t token, size_t channel)
{
    size_t down = get_groups(q->tokens, q->group_tokens);
    size_t across = get_groups(q->dim, q->group_channels);

    if (q->format.tensor)
        return 0;
    return (head * down + token / q->group_tokens) * across + channel / q->group_channels;
}

/* y = x. All numbers must be finite numbers of binary32, or of binary16 for KIVI. */
static attest_status copy(float *y, const double *x, const attest_quantised *q,
                          attest_error *error)
{
    size_t count = q->heads * q->tokens * q->dim;
    bool narrow = q->format.rule == ATTEST_BLOCK_KIVI;
    attest_in_double narrow_format;

    attest_in_double_init(&narrow_format, &binary16, ATTEST_SIMULATED_NEAREST, NULL, NULL);
    for (size_t i = 0; i < count; i++) {
        double same =
            narrow ? attest_in_double_nearest(x[i], &narrow_format) : (double)(float)x[i];

        if (!isfinite(x[i]) || same != x[i])
            return attest_error_set(error, ATTEST_FORMAT,
                                    "head %zu, token %zu, channel %zu: %s takes finite numbers "
                                    "of %s, this is %g",
                                    i / q->dim / q->tokens, i / q->dim % q->tokens, i % q->dim,
                                    q->format.name, narrow ? "binary16" : "binary32", x[i]);
        y[i] = (float)x[i];
    }
    return ATTEST_OK;
}

/* Space for the numbers of one group, or of the whole array. */
typedef struct room {
    float *x;
    double *y;
} room;

/* Quantises the group whose first element is at (head, token, channel). */
static void quantise_at(attest_quantised *q, const float *x, attest_block_group *g, room *r,
                        size_t head, size_t token, size_t channel)
{
    size_t last_token = token + q->group_tokens, last = channel + q->group_channels, n = 0;
    size_t base = head * q->tokens;

    last_token = last_token < q->tokens ? last_token : q->tokens;
    last = last < q->dim ? last : q->dim;
    for (size_t t = token; t < last_token; t++)
        for (size_t c = channel; c < last; c++)
            r->x[n++] = x[(base + t) * q->dim + c];
    g->x = r->x;
    g->y = r->y;
    g->count = n;
    g->scale = q->scale + get_group_of(q, head, token, channel);
    attest_block_group_quantise(g);
    n = 0;
    for (size_t t = token; t < last_token; t++)
        for (size_t c = channel; c < last; c++)
            q->element[(base + t) * q->dim + c] = r->y[n++];
}

static void quantise(attest_quantised *q, const float *x, room *r)
{
    size_t count = q->heads * q->tokens * q->dim;
    attest_block_group g;

    attest_block_group_init(&g, &q->format);
    g.tensor_amax = get_amax(x, count);
    for (size_t h = 0; h < q->heads; h++)
        for (size_t t = 0; t < q->tokens; t += q->group_tokens)
            for (size_t c = 0; c < q->dim; c += q->group_channels)
                quantise_at(q, x, &g, r, h, t, c);
}

/* A format with one scale for all heads treats the array as one head of many tokens. */
static void set_groups(attest_quantised *q)
{
    const attest_block_format *f = &q->format;

    q->group_tokens = f->tokens == 0 || f->tokens > q->tokens ? q->tokens : f->tokens;
    q->group_channels = f->channels == 0 || f->channels > q->dim ? q->dim : f->channels;
    q->scales = f->tensor ? 1
                          : q->heads * get_groups(q->tokens, q->group_tokens) *
                                get_groups(q->dim, q->group_channels);
}

static void room_clear(room *r)
{
    free(r->x);
    free(r->y);
}

/* Quantises x; the format and sizes of q are set. */
static attest_status quantise_all(attest_quantised *q, const double *x, attest_error *error)
{
    size_t heads = q->heads, tokens = q->tokens, count = heads * tokens * q->dim;
    float *copied ATTEST_FREED = attest_memory_alloc(count, sizeof *copied);
    room r ATTEST_CLEARED_BY(room_clear) = {attest_memory_alloc(count, sizeof *r.x),
                                            attest_memory_alloc(count, sizeof *r.y)};

    set_groups(q);
    q->element = attest_memory_alloc(count, sizeof *q->element);
    q->scale = attest_memory_alloc(q->scales, sizeof *q->scale);
    if (!copied || !r.x || !r.y || !q->element || !q->scale)
        return attest_memory_fail(error);
    ATTEST_TRY(copy(copied, x, q, error));
    if (q->format.tensor) {
        q->heads = 1;
        q->tokens = q->group_tokens = heads * tokens;
    }
    quantise(q, copied, &r);
    if (q->format.tensor) {
        q->heads = heads;
        q->tokens = q->group_tokens = tokens;
    }
    return ATTEST_OK;
}

attest_status attest_quantised_init(attest_quantised *q, const double *x, size_t heads,
                                    size_t tokens, size_t dim,
                                    const attest_block_format *format, attest_error *error)
{
    *q = (attest_quantised){.format = *format, heads, tokens, dim};
    if (heads == 0 || tokens == 0 || dim == 0)
        return attest_error_set(error, ATTEST_FORMAT, "there is nothing to quantise");
    if (heads > SIZE_MAX / sizeof *q->scale / tokens / dim)
        return attest_memory_fail(error);
    ATTEST_TRY_OR(quantise_all(q, x, error), attest_quantised_clear(q));
    return ATTEST_OK;
}

void attest_quantised_clear(attest_quantised *q)
{
    free(q->element);
    free(q->scale);
    q->element = NULL;
    q->scale = NULL;
}

const attest_block_scale *attest_quantised_get_scale(const attest_quantised *q, size_t i)
{
    return q->scale +
           get_group_of(q, i / q->dim / q->tokens, i / q->dim % q->tokens, i % q->dim);
}

double attest_quantised_get(const attest_quantised *q, size_t i)
{
    const attest_block_scale *s = attest_quantised_get_scale(q, i);

    /* Exact: the product has at most 40 bits; if an offset is added, it has few bits, too, and
     * the divisor is 1 (proofs-notes/formats.md). */
    return q->element[i] * s->factor / s->divisor + s->offset;
}

/* y = x. Domain: x is finite. */
static void set_double(fmpq_t y, double x)
{
    int exponent;
    double significand = frexp(x, &exponent);

    fmpz_set_d(fmpq_numref(y), ldexp(significand, 53));
    fmpz_one(fmpq_denref(y));
    exponent -= 53;
    if (exponent < 0)
        fmpq_div_2exp(y, y, (ulong)-exponent);
    else
        fmpq_mul_2exp(y, y, (ulong)exponent);
}

bool attest_quantised_get_exact(fmpq_t value, const attest_quantised *q, size_t i)
{
    const attest_block_scale *s = attest_quantised_get_scale(q, i);
    FMPQ(x);

    if (!isfinite(q->element[i]) || !isfinite(s->factor) || !isfinite(s->divisor) ||
        s->divisor == 0)
        return false;
    set_double(value, q->element[i]);
    set_double(x, s->factor);
    fmpq_mul(value, value, x);
    set_double(x, s->divisor);
    fmpq_div(value, value, x);
    set_double(x, s->offset);
    fmpq_add(value, value, x);
    return true;
}

uint32_t attest_quantised_get_code(const attest_quantised *q, size_t i)
{
    int bits = q->format.bits;

    if (bits == 0 || bits > 32)
        return 0;
    if (q->format.rule < ATTEST_BLOCK_Q8_0)
        return attest_format_encode(q->element[i], &q->format.element);
    if (!isfinite(q->element[i]))
        return 0;
    if (q->format.rule == ATTEST_BLOCK_Q4_0)
        return (uint32_t)(q->element[i] + 8);
    return (uint32_t)(int32_t)q->element[i] & (uint32_t)(((uint64_t)1 << bits) - 1);
}
