/* Built-in types: bool and integers. */
#include "builtin.h"

#include <inttypes.h>
#include <limits.h>

/* The ends of the range, and the neighbours of the powers of two. */
static uint64_t special_unsigned(struct theft_prng *g, uint64_t max)
{
    uint64_t pick = theft_prng_bits(g, 2), v;
    if (pick == 0)
        return max - theft_prng_below(g, max < 4 ? max : 4);
    v = UINT64_C(1) << theft_prng_below(g, theft_choice_width(max));
    v += pick - 2; /* one less, itself, one more */
    return v < max ? v : max;
}

static uint64_t fresh_unsigned(struct theft_prng *g, uint64_t max)
{
    if (theft_draw_special(g))
        return special_unsigned(g, max);
    return max == UINT64_MAX ? theft_prng_bits(g, 64) : theft_prng_below(g, max + 1);
}

uint64_t theft_builtin_unsigned(struct theft *t, uint64_t max)
{
    struct theft_source *s = &t->source;
    if (max == 0)
        return 0;
    uint64_t v = s->replaying ? theft_source_next(s, max) : fresh_unsigned(&s->prng, max);
    theft_source_note(s, v, max);
    return v;
}

/* Magnitude, then sign, where there is a choice: 0 has none, and the limit itself is taken only
 * with a minus. */
int64_t theft_builtin_signed(struct theft *t, uint64_t limit)
{
    struct theft_source *s = &t->source;
    if (limit == 0)
        return 0;
    bool fresh = !s->replaying;
    uint64_t m = fresh ? fresh_unsigned(&s->prng, limit) : theft_source_next(s, limit);
    theft_source_note(s, m, limit);
    bool negative = m == limit;
    if (m != 0 && m < limit) {
        negative = fresh ? theft_prng_bits(&s->prng, 1) : theft_source_next(s, 1);
        theft_source_note(s, negative, 1);
    }
    return negative ? -(int64_t)(m - 1) - 1 : (int64_t)m;
}

static enum theft_alloc_res store(const void *value, size_t size, void **output)
{
    *output = malloc(size);
    if (!*output)
        return THEFT_ALLOC_ERROR;
    memcpy(*output, value, size);
    return THEFT_ALLOC_OK;
}

#define BUILTIN(NAME)                                                                          \
    const struct theft_type_info theft_builtin_##NAME = {                                      \
        .alloc = NAME##_alloc,                                                                 \
        .free = theft_generic_free_cb,                                                         \
        .print = NAME##_print,                                                                 \
        .autoshrink_config = {.enable = true},                                                 \
    };

#define BUILTIN_UNSIGNED(NAME, TYPE, MAX, FORMAT)                                              \
    static enum theft_alloc_res NAME##_alloc(struct theft *t, void *env, void **output)        \
    {                                                                                          \
        uint64_t max = env ? *(const TYPE *)env : MAX;                                         \
        TYPE v = (TYPE)theft_builtin_unsigned(t, env && max ? max - 1 : max);                  \
        return store(&v, sizeof v, output);                                                    \
    }                                                                                          \
    static void NAME##_print(FILE *f, const void *instance, void *env)                         \
    {                                                                                          \
        (void)env;                                                                             \
        fprintf(f, "%" FORMAT, *(const TYPE *)instance);                                       \
    }                                                                                          \
    BUILTIN(NAME)

#define BUILTIN_SIGNED(NAME, TYPE, MAX, FORMAT)                                                \
    static enum theft_alloc_res NAME##_alloc(struct theft *t, void *env, void **output)        \
    {                                                                                          \
        int64_t limit = env ? *(const TYPE *)env : 0;                                          \
        TYPE v = (TYPE)theft_builtin_signed(t, !env        ? (uint64_t)MAX + 1                 \
                                               : limit < 0 ? -(uint64_t)limit                  \
                                                           : (uint64_t)limit);                 \
        return store(&v, sizeof v, output);                                                    \
    }                                                                                          \
    static void NAME##_print(FILE *f, const void *instance, void *env)                         \
    {                                                                                          \
        (void)env;                                                                             \
        fprintf(f, "%" FORMAT, *(const TYPE *)instance);                                       \
    }                                                                                          \
    BUILTIN(NAME)

static enum theft_alloc_res bool_alloc(struct theft *t, void *env, void **output)
{
    bool v = theft_random_bits(t, 1);
    (void)env;
    return store(&v, sizeof v, output);
}

static void bool_print(FILE *f, const void *instance, void *env)
{
    (void)env;
    fputs(*(const bool *)instance ? "true" : "false", f);
}

BUILTIN(bool)
BUILTIN_UNSIGNED(uint, unsigned, UINT_MAX, "u")
BUILTIN_UNSIGNED(uint8_t, uint8_t, UINT8_MAX, PRIu8)
BUILTIN_UNSIGNED(uint16_t, uint16_t, UINT16_MAX, PRIu16)
BUILTIN_UNSIGNED(uint32_t, uint32_t, UINT32_MAX, PRIu32)
BUILTIN_UNSIGNED(uint64_t, uint64_t, UINT64_MAX, PRIu64)
BUILTIN_UNSIGNED(size_t, size_t, SIZE_MAX, "zu")
BUILTIN_SIGNED(int, int, INT_MAX, "d")
BUILTIN_SIGNED(int8_t, int8_t, INT8_MAX, PRId8)
BUILTIN_SIGNED(int16_t, int16_t, INT16_MAX, PRId16)
BUILTIN_SIGNED(int32_t, int32_t, INT32_MAX, PRId32)
BUILTIN_SIGNED(int64_t, int64_t, INT64_MAX, PRId64)
