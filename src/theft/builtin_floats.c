/* Built-in types: float and double.
 *
 * The choice is a code in which simpler numbers come first: the integers below 2^63 are their
 * own codes; then come 2^63 plus an exponent (0, 1, ..., 1023, then -1, -2, ...) and the
 * fraction bits in reverse, so that short fractions are small; infinity and NaN are last. The
 * sign is a choice after it. */
#include "builtin.h"

#include <float.h>

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
