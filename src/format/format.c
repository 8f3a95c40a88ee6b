/* format.c -- floating-point formats: names, codes, casts. */
#include "format/simulate_in_double.h"

#include <attest/format.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/scope.h"
#include "format/simulate_in_double.h"

/* ---- names of formats and rounding modes ---- */

static const attest_format named[] = {
    {.name = "binary64", 53, true, -1022, 1023, 64},
    {.name = "binary32", 24, true, -126, 127, 32},
    {.name = "tfloat32", 11, true, -126, 127, 19},
    {.name = "bfloat16", 8, true, -126, 127, 16},
    {.name = "binary16", 11, true, -14, 15, 16},
    {.name = "float8_e4m3fn", 4, true, -6, 8, 8, .finite_only = true, .top_is_nan = true},
    {.name = "float8_e5m2", 3, true, -14, 15, 8},
    {.name = "float8_e4m3fnuz", 4, true, -7, 7, 8, .finite_only = true, .no_minus_zero = true},
    {.name = "float8_e5m2fnuz",
     3,
     true,
     -15,
     15,
     8,
     .finite_only = true,
     .no_minus_zero = true},
    {.name = "float6_e3m2fn", 3, true, -2, 4, 6, true, .saturates = true, .no_nan = true},
    {.name = "float6_e2m3fn", 4, true, 0, 2, 6, true, .saturates = true, .no_nan = true},
    {.name = "float4_e2m1fn", 2, true, 0, 2, 4, true, .saturates = true, .no_nan = true},
    {.name = "float8_e8m0fnu", 1, true, -127, 127, 8, true, .positive = true},
};

/* Aliases, in upper or lower case: common names, and those of the OCP specification, whose E4M3
 * is float8_e4m3fn. */
static const struct {
    const char *alias, *name;
} aliases[] = {
    {"fp64", "binary64"},
    {"fp32", "binary32"},
    {"tf32", "tfloat32"},
    {"bf16", "bfloat16"},
    {"fp16", "binary16"},
    {"e4m3fn", "float8_e4m3fn"},
    {"e4m3", "float8_e4m3fn"},
    {"fp8_e4m3", "float8_e4m3fn"},
    {"e5m2", "float8_e5m2"},
    {"fp8_e5m2", "float8_e5m2"},
    {"e4m3fnuz", "float8_e4m3fnuz"},
    {"e5m2fnuz", "float8_e5m2fnuz"},
    {"e3m2fn", "float6_e3m2fn"},
    {"e3m2", "float6_e3m2fn"},
    {"fp6_e3m2", "float6_e3m2fn"},
    {"e2m3fn", "float6_e2m3fn"},
    {"e2m3", "float6_e2m3fn"},
    {"fp6_e2m3", "float6_e2m3fn"},
    {"e2m1fn", "float4_e2m1fn"},
    {"e2m1", "float4_e2m1fn"},
    {"fp4", "float4_e2m1fn"},
    {"e8m0fnu", "float8_e8m0fnu"},
    {"e8m0", "float8_e8m0fnu"},
};

static const char suffix[] = ":saturating";

/* Resolves an alias; other names stay. */
static const char *get_name(const char *name)
{
    for (size_t i = 0; i < sizeof aliases / sizeof aliases[0]; i++)
        if (strcasecmp(name, aliases[i].alias) == 0)
            return aliases[i].name;
    return name;
}

/* Reads prefix and a decimal integer at *text and advances it. Integers that do not fit become
 * the largest or the least long, which no format accepts. */
static bool read_field(long *value, const char **text, const char *prefix)
{
    const char *digits = *text + strlen(prefix);
    size_t sign = 0, count;

    if (strncmp(*text, prefix, strlen(prefix)) != 0)
        return false;
    if (*digits == '-' || *digits == '+')
        sign = 1;
    count = strspn(digits + sign, "0123456789");
    if (count == 0)
        return false;
    *value = strtol(digits, NULL, 10);
    *text = digits + sign + count;
    return true;
}

/* "p=N" or "p=N:emin=E:emax=E". */
static bool read_custom(attest_format *format, const char *name)
{
    const char *text = name;

    memset(format, 0, sizeof *format);
    if (!read_field(&format->precision, &text, "p=") || name[2] == '-' || name[2] == '+')
        return false;
    if (*text != '\0') {
        format->bounded = true;
        if (!read_field(&format->emin, &text, ":emin=") ||
            !read_field(&format->emax, &text, ":emax=") || *text != '\0')
            return false;
    }
    return strlen(name) < sizeof format->name;
}

/* Refuses names that several formats have. */
static attest_status refuse_vague(const char *name, attest_error *error)
{
    if (strcasecmp(name, "fp8") == 0)
        return attest_error_set(error, ATTEST_USAGE,
                                "format \"%s\" may be float8_e4m3fn or float8_e5m2 (or "
                                "float8_e4m3fnuz, float8_e5m2fnuz): which?",
                                name);
    if (strcasecmp(name, "fp6") == 0)
        return attest_error_set(error, ATTEST_USAGE,
                                "format \"%s\" may be float6_e3m2fn or float6_e2m3fn: which?",
                                name);
    return ATTEST_OK;
}

static attest_status check_custom(const attest_format *format, const char *name,
                                  attest_error *error)
{
    if (format->precision < 1 || format->precision > ATTEST_FORMAT_MAX_PRECISION)
        return attest_error_set(error, ATTEST_USAGE,
                                "format \"%.100s\": the precision must be between 1 and %ld",
                                name, ATTEST_FORMAT_MAX_PRECISION);
    if (format->bounded &&
        (format->emin > format->emax || format->emin < -ATTEST_FORMAT_MAX_EXPONENT ||
         format->emax > ATTEST_FORMAT_MAX_EXPONENT))
        return attest_error_set(error, ATTEST_USAGE,
                                "format \"%s\": emin must be at most emax, and both within "
                                "+-%ld",
                                name, ATTEST_FORMAT_MAX_EXPONENT);
    return ATTEST_OK;
}

static attest_status refuse_unknown(const char *name, attest_error *error)
{
    enum { NAMED = sizeof named / sizeof named[0] };
    char names[NAMED * (sizeof named[0].name + 2)] = "";

    for (size_t i = 0; i < NAMED; i++) {
        strcat(names, named[i].name);
        strcat(names, ", ");
    }
    return attest_error_set(error, ATTEST_USAGE,
                            "unknown format \"%.100s\": expected %sp=N or p=N:emin=E:emax=E",
                            name, names);
}

/* The format without a suffix. */
static attest_status parse_plain(attest_format *format, const char *name, attest_error *error)
{
    name = get_name(name);
    for (size_t i = 0; i < sizeof named / sizeof named[0]; i++)
        if (strcmp(name, named[i].name) == 0) {
            *format = named[i];
            return ATTEST_OK;
        }
    ATTEST_TRY(refuse_vague(name, error));
    if (!read_custom(format, name))
        return refuse_unknown(name, error);
    ATTEST_TRY(check_custom(format, name, error));
    strcpy(format->name, name);
    return ATTEST_OK;
}

attest_status attest_format_parse(attest_format *format, const char *name, attest_error *error)
{
    size_t size = strlen(name), tail = sizeof suffix - 1;
    char plain[sizeof format->name];

    if (size <= tail || strcmp(name + size - tail, suffix) != 0 || size - tail >= sizeof plain)
        return parse_plain(format, name, error);
    memcpy(plain, name, size - tail);
    plain[size - tail] = '\0';
    ATTEST_TRY(parse_plain(format, plain, error));
    if (!format->bounded || format->positive)
        return attest_error_set(error, ATTEST_USAGE, "format \"%.100s\": %s does not saturate",
                                name, format->name);
    if (format->saturates) /* the format always saturates, without a suffix */
        return ATTEST_OK;
    if (strlen(format->name) + tail >= sizeof format->name)
        return attest_error_set(error, ATTEST_USAGE, "format \"%.100s\": the name is too long",
                                name);
    format->saturates = true;
    strcat(format->name, suffix);
    return ATTEST_OK;
}

attest_status attest_rounding_parse(mpfr_rnd_t *rounding, const char *name, attest_error *error)
{
    static const struct {
        const char *name, *mpfr_name;
        mpfr_rnd_t rounding;
    } mode[] = {
        {"nearest", "RNDN", MPFR_RNDN}, {"zero", "RNDZ", MPFR_RNDZ}, {"up", "RNDU", MPFR_RNDU},
        {"down", "RNDD", MPFR_RNDD},    {"away", "RNDA", MPFR_RNDA},
    };

    for (size_t i = 0; i < sizeof mode / sizeof mode[0]; i++)
        if (strcmp(name, mode[i].name) == 0 || strcmp(name, mode[i].mpfr_name) == 0) {
            *rounding = mode[i].rounding;
            return ATTEST_OK;
        }
    return attest_error_set(
        error, ATTEST_USAGE,
        "unknown rounding mode \"%.100s\": expected nearest, zero, up, down "
        "or away",
        name);
}

/* ---- codes and casts ---- */

typedef struct layout {
    int fraction, exponent; /* bits */
    uint32_t ones;          /* the exponent field with all bits set */
} layout;

static layout get_layout(const attest_format *f)
{
    int fraction = (int)f->precision - 1, exponent = f->width - fraction - !f->positive;

    return (layout){fraction, exponent, ((uint32_t)1 << exponent) - 1};
}

static uint32_t get_sign(const attest_format *f)
{
    return f->positive ? 0 : (uint32_t)1 << (f->width - 1);
}

static uint32_t get_nan(const attest_format *f)
{
    layout l = get_layout(f);

    if (f->positive)
        return l.ones;
    if (f->no_minus_zero)
        return get_sign(f);
    if (f->top_is_nan)
        return get_sign(f) - 1;
    return l.ones << l.fraction | (uint32_t)1 << (l.fraction - 1);
}

uint32_t attest_format_encode(double x, const attest_format *f)
{
    layout l = get_layout(f);
    uint32_t sign = signbit(x) ? get_sign(f) : 0;
    int exponent;

    if (isnan(x))
        return get_nan(f);
    if (isinf(x))
        return sign | l.ones << l.fraction;
    if (x == 0)
        return sign;
    exponent = ilogb(x);
    if (f->positive)
        return (uint32_t)(exponent - f->emin);
    if (exponent < f->emin)
        return sign | (uint32_t)ldexp(fabs(x), l.fraction - (int)f->emin);
    /* The leading bit of the significand adds 1 to the exponent field. */
    return sign | (((uint32_t)(exponent - f->emin) << l.fraction) +
                   (uint32_t)ldexp(fabs(x), l.fraction - exponent));
}

double attest_format_get_most(const attest_format *f)
{
    return ldexp(2 - ldexp(1, (f->top_is_nan ? 2 : 1) - (int)f->precision), (int)f->emax);
}

/* Rounds to a power of two. */
static double cast_positive(double x, const attest_format *f)
{
    int exponent;
    double significand;

    if (isnan(x) || x <= 0 || isinf(x))
        return (double)NAN;
    significand = frexp(x, &exponent); /* in [1/2, 1) */
    exponent -= significand < 0.75;
    if (exponent > f->emax)
        return (double)NAN;
    return ldexp(1, exponent < f->emin ? (int)f->emin : exponent);
}

double attest_format_cast(double x, const attest_format *format)
{
    attest_in_double in_double;

    if (format->positive)
        return cast_positive(x, format);
    attest_in_double_init(&in_double, format, ATTEST_SIMULATED_NEAREST, NULL, NULL);
    return attest_in_double_convert(x, &in_double);
}
