/* format.c -- the names of floating-point formats and rounding modes. */
#include <attest/format.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const attest_format named[] = {
    {"binary64", 53, true, -1022, 1023, false}, {"binary32", 24, true, -126, 127, false},
    {"tfloat32", 11, true, -126, 127, false},   {"bfloat16", 8, true, -126, 127, false},
    {"binary16", 11, true, -14, 15, false},     {"float8_e4m3fn", 4, true, -6, 8, true},
    {"float8_e5m2", 3, true, -14, 15, false},
};

static const struct {
    const char *alias, *name;
} aliases[] = {
    {"fp64", "binary64"}, {"fp32", "binary32"}, {"tf32", "tfloat32"},
    {"bf16", "bfloat16"}, {"fp16", "binary16"},
};

/* The name that the alias stands for, or the name itself. */
static const char *get_name(const char *name)
{
    for (size_t i = 0; i < sizeof aliases / sizeof aliases[0]; i++)
        if (strcmp(name, aliases[i].alias) == 0)
            return aliases[i].name;
    return name;
}

/* Reads prefix and a decimal integer at *text and moves on past them. What does not fit is the
 * largest or the least long, which no format takes. */
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

attest_status attest_format_parse(attest_format *format, const char *name, attest_error *error)
{
    name = get_name(name);
    for (size_t i = 0; i < sizeof named / sizeof named[0]; i++)
        if (strcmp(name, named[i].name) == 0) {
            *format = named[i];
            return ATTEST_OK;
        }
    if (strcmp(name, "fp8") == 0)
        return attest_error_set(error, ATTEST_USAGE,
                                "format \"fp8\" may be float8_e4m3fn or float8_e5m2: which?");
    if (!read_custom(format, name))
        return attest_error_set(error, ATTEST_USAGE,
                                "unknown format \"%.100s\": expected binary64, binary32, "
                                "tfloat32, bfloat16, binary16, float8_e4m3fn, float8_e5m2, p=N "
                                "or p=N:emin=E:emax=E",
                                name);
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
    strcpy(format->name, name);
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
