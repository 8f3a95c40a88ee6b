/* block.c -- arrays in block formats: groups, their scales, the values of elements. */
#include <attest/block.h>

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "format/block_rule.h"
#include "number/scope.h"

static const attest_format half = {.name = "binary16", 11, true, -14, 15, 16};

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

/* The numbers as floats: those of binary32, or of binary16, and nothing else. */
static attest_status copy(float *y, const double *x, const attest_quantised *q,
                          attest_error *error)
{
    size_t count = q->heads * q->tokens * q->dim;
    bool narrow = q->format.rule == ATTEST_BLOCK_KIVI;
    attest_in_double hosted;

    attest_in_double_init(&hosted, &half, ATTEST_SIMULATED_NEAREST, NULL, NULL);
    for (size_t i = 0; i < count; i++) {
        double same = narrow ? attest_in_double_nearest(x[i], &hosted) : (double)(float)x[i];

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

/* One group of one head, or the whole array; room: for its numbers. */
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
    if (q->format.rule >= ATTEST_BLOCK_Q8_0)
        attest_block_quantise_integers(g);
    else
        attest_block_quantise_floats(g);
    n = 0;
    for (size_t t = token; t < last_token; t++)
        for (size_t c = channel; c < last; c++)
            q->element[(base + t) * q->dim + c] = r->y[n++];
}

void attest_block_group_init(attest_block_group *group, const attest_block_format *format)
{
    attest_format element = format->element;

    *group = (attest_block_group){.format = format};
    element.saturates = element.saturates || format->rule != ATTEST_BLOCK_PLAIN;
    if (format->rule < ATTEST_BLOCK_Q8_0)
        attest_in_double_init(&group->element, &element, ATTEST_SIMULATED_NEAREST, NULL, NULL);
    attest_in_double_init(&group->half, &half, ATTEST_SIMULATED_NEAREST, NULL, NULL);
}

static void quantise(attest_quantised *q, const float *x, room *r)
{
    size_t count = q->heads * q->tokens * q->dim;
    attest_block_group g;

    attest_block_group_init(&g, &q->format);
    g.tensor_amax = attest_block_get_amax(x, count);
    for (size_t h = 0; h < q->heads; h++)
        for (size_t t = 0; t < q->tokens; t += q->group_tokens)
            for (size_t c = 0; c < q->dim; c += q->group_channels)
                quantise_at(q, x, &g, r, h, t, c);
}

/* One scale for all heads: the array is taken for one head of many tokens. */
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

/* q, whose format and sizes are set, = x. */
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
    attest_status status;

    *q = (attest_quantised){.format = *format, heads, tokens, dim};
    if (heads == 0 || tokens == 0 || dim == 0)
        return attest_error_set(error, ATTEST_FORMAT, "there is nothing to quantise");
    if (heads > SIZE_MAX / sizeof *q->scale / tokens / dim)
        return attest_memory_fail(error);
    status = quantise_all(q, x, error);
    if (status != ATTEST_OK)
        attest_quantised_clear(q);
    return status;
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

    /* The product has at most 40 bits; where something is added, that has few, too, and the
     * divisor is 1 (proofs-notes/formats.md). */
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
