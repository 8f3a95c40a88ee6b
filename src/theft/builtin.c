/* The built-in types. Every number is one choice in the order of simplicity (plus one for the
 * sign), also if it was drawn as a special value: special values shrink like all others. */
#include <ctype.h>
#include <float.h>
#include <inttypes.h>
#include <limits.h>

#include "internal.h"

#define THEFT_SPECIAL_ONE_IN 8 /* draws that are special values */

static inline bool theft_draw_special(struct theft_prng *g)
{
    return theft_prng_below(g, THEFT_SPECIAL_ONE_IN) == THEFT_SPECIAL_ONE_IN - 1;
}

/* x in [0, max]. */
uint64_t theft_builtin_unsigned(struct theft *t, uint64_t max);
/* x in [-limit, limit), 1 <= limit <= 2^63; 0 for limit 0. */
int64_t theft_builtin_signed(struct theft *t, uint64_t limit);
/* |x| <= limit; limit NaN: any double, infinities and NaN among them. `single`: a float. */
double theft_builtin_floating(struct theft *t, double limit, bool single);

extern const struct theft_type_info theft_builtin_bool, theft_builtin_uint,
    theft_builtin_uint8_t, theft_builtin_uint16_t, theft_builtin_uint32_t,
    theft_builtin_uint64_t, theft_builtin_size_t, theft_builtin_int, theft_builtin_int8_t,
    theft_builtin_int16_t, theft_builtin_int32_t, theft_builtin_int64_t, theft_builtin_float,
    theft_builtin_double, theft_builtin_char_array, theft_builtin_uint8_t_array;

/* ---- bool and integers ------------------------------------------------------------------- */

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

/* ---- float and double ------------------------------------------------------------------
 *
 * The choice is a code in which simpler numbers come first: the integers below 2^63 are their
 * own codes; then come 2^63 plus an exponent (0, 1, ..., 1023, then -1, -2, ...) and the
 * fraction bits in reverse, so that short fractions are small; infinity and NaN are last. The
 * sign is a choice after it. */

#define FRACTION_BITS 52
#define EXPONENT_ZERO 1023 /* the exponent field of 1.0 */
#define LAST_RANK 2047     /* infinity and NaN */
#define CODE_INTEGER_END (UINT64_C(1) << 63)
#define CODE_NAN UINT64_MAX
#define BITS_INFINITY UINT64_C(0x7ff0000000000000)

static uint64_t reverse_fraction(uint64_t fraction)
{
    uint64_t r = 0;
    for (unsigned i = 0; i < FRACTION_BITS; i++)
        r |= (fraction >> i & 1) << (FRACTION_BITS - 1 - i);
    return r;
}

/* The code of a magnitude: x >= 0 or NaN. */
static uint64_t encode(double x)
{
    if (x != x)
        return CODE_NAN;
    if (x < 0x1p63 && x == floor(x))
        return (uint64_t)x;
    uint64_t bits = theft_bits_of_double(x);
    uint64_t exponent = bits >> FRACTION_BITS;
    uint64_t fraction = reverse_fraction(bits & ((UINT64_C(1) << FRACTION_BITS) - 1));
    uint64_t rank = exponent == LAST_RANK       ? LAST_RANK
                    : exponent >= EXPONENT_ZERO ? exponent - EXPONENT_ZERO
                                                : LAST_RANK - 1 - exponent;
    return CODE_INTEGER_END | rank << FRACTION_BITS | fraction;
}

static double decode(uint64_t code)
{
    if (code < CODE_INTEGER_END)
        return (double)code;
    uint64_t rank = code >> FRACTION_BITS & LAST_RANK;
    uint64_t fraction = reverse_fraction(code & ((UINT64_C(1) << FRACTION_BITS) - 1));
    uint64_t exponent = rank == LAST_RANK       ? LAST_RANK
                        : rank <= EXPONENT_ZERO ? rank + EXPONENT_ZERO
                                                : LAST_RANK - 1 - rank;
    return theft_double_of_bits(exponent << FRACTION_BITS | fraction);
}

static double special(struct theft_prng *g, bool single)
{
    static const double common[] = {0,
                                    1,
                                    2,
                                    0.5,
                                    10,
                                    0.1,
                                    1.5,
                                    0x1p53,
                                    3.14159265358979311600,
                                    2.71828182845904509080,
                                    (double)INFINITY,
                                    (double)NAN};
    const double of_format[] = {
        single ? FLT_MAX : DBL_MAX,         single ? FLT_MIN : DBL_MIN,
        single ? 0x1p-149 : 0x1p-1074,      single ? FLT_EPSILON : DBL_EPSILON,
        single ? 1 - 0x1p-24 : 1 - 0x1p-53, single ? 1 + 0x1p-23 : 1 + 0x1p-52};
    size_t n = sizeof common / sizeof *common, m = sizeof of_format / sizeof *of_format;
    size_t i = (size_t)theft_prng_below(g, n + m);
    return i < n ? common[i] : of_format[i - n];
}

/* A magnitude: all bit patterns alike, evenly spread below a power of two, or a small integer.
 * Anything up to `limit`. */
static double fresh(struct theft_prng *g, double limit, bool single)
{
    double x;
    if (theft_draw_special(g)) {
        x = special(g, single);
        return x <= limit || limit != limit ? x : limit;
    }
    double top = limit == limit && limit < DBL_MAX ? limit : single ? FLT_MAX : DBL_MAX;
    switch (theft_prng_bits(g, 2)) {
    case 0:
    case 1:
        return theft_double_of_bits(theft_prng_below(g, theft_bits_of_double(top) + 1));
    case 2:
        x = (double)theft_prng_bits(g, 53);
        x = ldexp(x, (int)theft_prng_below(g, 17) - 61);
        return x <= top ? x : (double)theft_prng_bits(g, 53) * 0x1p-53 * top;
    default:
        x = (double)theft_prng_below(g, 1024);
        return x <= top ? x : (double)theft_prng_bits(g, 53) * 0x1p-53 * top;
    }
}

/* Into the format and the limit; NaN stays only without a limit. */
static double fit(double x, double limit, bool single)
{
    if (limit == limit && !(x <= limit))
        x = limit;
    if (!single)
        return x;
    if (x > FLT_MAX && x <= DBL_MAX)
        x = FLT_MAX;
    return (double)(float)x;
}

double theft_builtin_floating(struct theft *t, double limit, bool single)
{
    struct theft_source *s = &t->source;
    bool is_fresh = !s->replaying;
    limit = fabs(limit);
    double x =
        is_fresh ? fresh(&s->prng, limit, single) : decode(theft_source_next(s, CODE_NAN));
    x = fit(x, limit, single);
    theft_source_note(s, encode(x), CODE_NAN);
    if (x == 0 || x != x)
        return x;
    bool negative = is_fresh ? theft_prng_bits(&s->prng, 1) : theft_source_next(s, 1);
    theft_source_note(s, negative, 1);
    return negative ? -x : x;
}

static enum theft_alloc_res double_alloc(struct theft *t, void *env, void **output)
{
    double *x = malloc(sizeof *x);
    if (!x)
        return THEFT_ALLOC_ERROR;
    *x = theft_builtin_floating(t, env ? *(const double *)env : (double)NAN, false);
    *output = x;
    return THEFT_ALLOC_OK;
}

static enum theft_alloc_res float_alloc(struct theft *t, void *env, void **output)
{
    float *x = malloc(sizeof *x);
    if (!x)
        return THEFT_ALLOC_ERROR;
    *x =
        (float)theft_builtin_floating(t, env ? (double)*(const float *)env : (double)NAN, true);
    *output = x;
    return THEFT_ALLOC_OK;
}

static void double_print(FILE *f, const void *instance, void *env)
{
    double x = *(const double *)instance;
    (void)env;
    fprintf(f, "%.17g (%a)", x, x);
}

static void float_print(FILE *f, const void *instance, void *env)
{
    double x = (double)*(const float *)instance;
    (void)env;
    fprintf(f, "%.9g (%a)", x, x);
}

const struct theft_type_info theft_builtin_double = {.alloc = double_alloc,
                                                     .free = theft_generic_free_cb,
                                                     .print = double_print,
                                                     .autoshrink_config = {.enable = true}};
const struct theft_type_info theft_builtin_float = {.alloc = float_alloc,
                                                    .free = theft_generic_free_cb,
                                                    .print = float_print,
                                                    .autoshrink_config = {.enable = true}};

/* ---- Zero-terminated arrays of char and uint8_t ------------------------------------------
 *
 * The choices are the bytes, with a zero at the end unless the array has its largest length;
 * letters are the simplest chars. */

#define DEFAULT_MAX 4096 /* bytes, where env gives no limit */
#define EMPTY_ONE_IN 256 /* fresh arrays that are empty */
#define LONGEST_FRESH_LOG2 8

struct bytes {
    uint8_t *at;
    size_t count, capacity;
};

static bool push(struct bytes *b, uint8_t byte)
{
    if (b->count == b->capacity) {
        size_t capacity = b->capacity ? 2 * b->capacity : 16;
        uint8_t *at = realloc(b->at, capacity);
        if (!at)
            return false;
        b->at = at;
        b->capacity = capacity;
    }
    b->at[b->count++] = byte;
    return true;
}

/* The order of simplicity of chars: zero, letters, digits, other printable ones, the rest. */
static const uint8_t *char_order(void)
{
    static _Thread_local uint8_t order[256];
    static const char first[] =
        "abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ ";
    if (order[1])
        return order;
    bool used[256] = {true};
    unsigned n = 1;
    for (const char *p = first; *p; p++) {
        used[(uint8_t)*p] = true;
        order[n++] = (uint8_t)*p;
    }
    for (int pass = 0; pass < 2; pass++)
        for (unsigned c = 1; c < 256; c++)
            if (!used[c] && (pass == 1 || (c > 32 && c < 127))) {
                used[c] = true;
                order[n++] = (uint8_t)c;
            }
    return order;
}

/* The length of a fresh array: short ones as often as long ones. */
static size_t fresh_length(struct theft_prng *g, size_t max)
{
    if (theft_prng_below(g, EMPTY_ONE_IN) == 0)
        return 0;
    size_t range = (size_t)1 << theft_prng_below(g, LONGEST_FRESH_LOG2 + 1);
    size_t length = 1 + (size_t)theft_prng_below(g, range);
    return length < max ? length : max;
}

static enum theft_alloc_res array_alloc(struct theft *t, void *env, const uint8_t *order,
                                        void **output)
{
    struct theft_source *s = &t->source;
    size_t max = env ? *(const size_t *)env : DEFAULT_MAX;
    struct bytes b = {0};
    max = max ? max - 1 : 0; /* without the zero at the end */
    size_t length = s->replaying ? max : fresh_length(&s->prng, max);
    bool ok = true;
    while (ok && b.count < max) {
        uint64_t code = s->replaying       ? theft_source_next(s, UINT8_MAX)
                        : b.count < length ? 1 + theft_prng_below(&s->prng, UINT8_MAX)
                                           : 0;
        theft_source_note(s, code, UINT8_MAX);
        if (code == 0)
            break;
        ok = push(&b, order ? order[code] : (uint8_t)code);
    }
    if (!ok || !push(&b, 0)) {
        free(b.at);
        return THEFT_ALLOC_ERROR;
    }
    *output = b.at;
    return THEFT_ALLOC_OK;
}

static enum theft_alloc_res char_array_alloc(struct theft *t, void *env, void **output)
{
    return array_alloc(t, env, char_order(), output);
}

static enum theft_alloc_res uint8_array_alloc(struct theft *t, void *env, void **output)
{
    return array_alloc(t, env, NULL, output);
}

static void char_array_print(FILE *f, const void *instance, void *env)
{
    (void)env;
    fputc('"', f);
    for (const uint8_t *p = instance; *p; p++) {
        if (*p == '"' || *p == '\\')
            fprintf(f, "\\%c", *p);
        else if (*p >= 32 && *p < 127)
            fputc(*p, f);
        else
            fprintf(f, "\\x%02x", *p);
    }
    fputc('"', f);
}

static void uint8_array_print(FILE *f, const void *instance, void *env)
{
    const uint8_t *at = instance;
    size_t n = strlen((const char *)at);
    (void)env;
    fprintf(f, "%zu bytes", n);
    for (size_t row = 0; row < n; row += 16) {
        fprintf(f, "\n%04zx:", row);
        for (size_t i = row; i < row + 16; i++)
            if (i < n)
                fprintf(f, " %02x", at[i]);
            else
                fputs("   ", f);
        fputs("  ", f);
        for (size_t i = row; i < row + 16 && i < n; i++)
            fputc(at[i] >= 32 && at[i] < 127 ? at[i] : '.', f);
    }
}

const struct theft_type_info theft_builtin_char_array = {.alloc = char_array_alloc,
                                                         .free = theft_generic_free_cb,
                                                         .print = char_array_print,
                                                         .autoshrink_config = {.enable = true}};
const struct theft_type_info theft_builtin_uint8_t_array = {
    .alloc = uint8_array_alloc,
    .free = theft_generic_free_cb,
    .print = uint8_array_print,
    .autoshrink_config = {.enable = true}};

/* ---- The table of types ------------------------------------------------------------------ */

const struct theft_type_info *theft_get_builtin_type_info(enum theft_builtin_type_info type)
{
    static const struct theft_type_info *const types[] = {
        [THEFT_BUILTIN_bool] = &theft_builtin_bool,
        [THEFT_BUILTIN_uint] = &theft_builtin_uint,
        [THEFT_BUILTIN_uint8_t] = &theft_builtin_uint8_t,
        [THEFT_BUILTIN_uint16_t] = &theft_builtin_uint16_t,
        [THEFT_BUILTIN_uint32_t] = &theft_builtin_uint32_t,
        [THEFT_BUILTIN_uint64_t] = &theft_builtin_uint64_t,
        [THEFT_BUILTIN_size_t] = &theft_builtin_size_t,
        [THEFT_BUILTIN_int] = &theft_builtin_int,
        [THEFT_BUILTIN_int8_t] = &theft_builtin_int8_t,
        [THEFT_BUILTIN_int16_t] = &theft_builtin_int16_t,
        [THEFT_BUILTIN_int32_t] = &theft_builtin_int32_t,
        [THEFT_BUILTIN_int64_t] = &theft_builtin_int64_t,
        [THEFT_BUILTIN_float] = &theft_builtin_float,
        [THEFT_BUILTIN_double] = &theft_builtin_double,
        [THEFT_BUILTIN_char_ARRAY] = &theft_builtin_char_array,
        [THEFT_BUILTIN_uint8_t_ARRAY] = &theft_builtin_uint8_t_array,
    };
    return (size_t)type < sizeof types / sizeof *types ? types[type] : NULL;
}

void theft_copy_builtin_type_info(enum theft_builtin_type_info type,
                                  struct theft_type_info *info)
{
    const struct theft_type_info *builtin = theft_get_builtin_type_info(type);
    if (builtin)
        *info = *builtin;
    else
        memset(info, 0, sizeof *info);
}
