/* ball_text.c -- balls as text.
 *
 * Exponents may be integers of any size, so no number is expanded to its digits: a number far
 * from 1 is written as a significand and a power of two. */
#include <attest/ball.h>

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "number/scope.h"

enum {
    LOG2_DIGITS = 15,        /* of a logarithm */
    TEXT_DIGITS = 20,        /* the most digits of a displayed number */
    PLAIN_EXPONENT_BITS = 12 /* beyond 2^+-4096 a text uses a power of two */
};

/* Appends a string that FLINT allocated, and frees it. */
static void add_flint_string(attest_text *text, char *string)
{
    attest_text_add(text, string);
    flint_free(string);
}

char *attest_ball_format_arf(const arf_t x)
{
    attest_text text;
    char *digits;
    slong fraction;
    FMPZ(significand, exponent);

    attest_text_init(&text);
    if (arf_is_zero(x)) {
        attest_text_add(&text, "0x0p+0");
        return attest_text_take(&text);
    }
    arf_get_fmpz_2exp(significand, exponent, x);
    attest_text_add(&text, fmpz_sgn(significand) < 0 ? "-0x1" : "0x1");
    fmpz_abs(significand, significand);
    /* x = 1.f 2^(exponent + fraction) with fraction bits after the point, filled up to whole
     * hexadecimal digits; the last digit is not zero because the significand is odd. */
    fraction = (slong)fmpz_bits(significand) - 1;
    fmpz_add_si(exponent, exponent, fraction);
    fmpz_mul_2exp(significand, significand, (ulong)(-fraction & 3));
    if (fraction > 0) {
        digits = fmpz_get_str(NULL, 16, significand);
        attest_text_add(&text, ".");
        attest_text_add(&text, digits + 1);
        flint_free(digits);
    }
    attest_text_add(&text, fmpz_sgn(exponent) < 0 ? "p" : "p+");
    add_flint_string(&text, fmpz_get_str(NULL, 10, exponent));
    return attest_text_take(&text);
}

/* significand = the hexadecimal digits of text, count of them, without the point. */
static int read_digits(fmpz_t significand, const char *text, size_t count)
{
    char *digits ATTEST_FREED = attest_memory_alloc(count + 1, 1);
    size_t used = 0;
    int failed;

    if (!digits)
        return -2;
    for (; used < count; text++)
        if (*text != '.')
            digits[used++] = *text;
    failed = fmpz_set_str(significand, digits, 16);
    return failed ? -1 : 0;
}

/* exponent = the decimal integer that is all of text. */
static int read_exponent(fmpz_t exponent, const char *text)
{
    const char *digits = text + (*text == '-' || *text == '+');

    if (*digits == '\0' || digits[strspn(digits, "0123456789")] != '\0')
        return -1;
    return fmpz_set_str(exponent, text + (*text == '+'), 10) ? -1 : 0;
}

int attest_ball_parse_arf(arf_t x, const char *text)
{
    static const char hexadecimal[] = "0123456789abcdefABCDEF";
    const char *start = text + (*text == '-' || *text == '+');
    bool negative = *text == '-';
    size_t whole, fraction = 0;
    int result;
    FMPZ(significand, exponent);

    if (start[0] != '0' || (start[1] != 'x' && start[1] != 'X'))
        return -1;
    start += 2;
    whole = strspn(start, hexadecimal);
    text = start + whole;
    if (*text == '.') {
        fraction = strspn(text + 1, hexadecimal);
        text += 1 + fraction;
    }
    if (whole + fraction == 0 || (*text != 'p' && *text != 'P'))
        return -1;
    result = read_exponent(exponent, text + 1);
    if (result == 0)
        result = read_digits(significand, start, whole + fraction);
    if (result == 0) {
        if (negative)
            fmpz_neg(significand, significand);
        fmpz_sub_ui(exponent, exponent, 4 * fraction);
        arf_set_fmpz_2exp(x, significand, exponent);
    }
    return result;
}

/* value encloses log2(x), x > 0, with about 64 correct bits after the point and 64 significant
 * ones near 1. */
static void enclose_log2(arb_t value, const arf_t x)
{
    slong precision = 80 + (slong)fmpz_bits(ARF_EXPREF(x));
    ARB(part, log2);
    ARF(significand);
    FMPZ(exponent);

    arb_const_log2(log2, precision);
    if (arf_cmpabs_2exp_si(x, -1) > 0 && arf_cmpabs_2exp_si(x, 1) < 0) {
        /* x - 1 is exact, and log1p keeps its relative accuracy at any size of it. */
        arf_sub_si(arb_midref(part), x, 1, ARF_PREC_EXACT, ARF_RND_DOWN);
        arb_log1p(value, part, precision);
        arb_div(value, value, log2, precision);
    } else {
        /* x = s 2^e, s in [1/2, 1): |e + log2 s| >= 1, so that nothing cancels. */
        arf_frexp(significand, exponent, x);
        arb_set_arf(part, significand);
        arb_log(value, part, precision);
        arb_div(value, value, log2, precision);
        arb_add_fmpz(value, value, exponent, precision);
    }
}

/* Replaces a string that FLINT allocated by a copy for free(). */
static char *take_flint_string(char *string)
{
    char *copy = attest_memory_copy(string);

    flint_free(string);
    return copy;
}

char *attest_ball_format_log2(const arb_t x)
{
    char *digits;
    ARB(value);

    if (!arb_is_positive(x) || !arb_is_finite(x))
        return NULL;
    enclose_log2(value, arb_midref(x));
    digits = arb_get_str(value, LOG2_DIGITS, ARB_STR_NO_RADIUS);
    return take_flint_string(digits);
}

/* exponent = a power of two near the ball's size. */
static void ball_exponent(fmpz_t exponent, const arb_t x)
{
    MAG(size);

    arb_get_mag(size, x);
    fmpz_set(exponent, MAG_EXPREF(size));
}

char *attest_ball_format_text(const arb_t x)
{
    attest_text text;
    FMPZ(exponent);
    ARB(significand);

    attest_text_init(&text);
    arb_set(significand, x);
    if (arb_is_finite(x) && !arb_is_zero(x))
        ball_exponent(exponent, x);
    if (fmpz_bits(exponent) <= PLAIN_EXPONENT_BITS) {
        fmpz_zero(exponent);
    } else {
        fmpz_neg(exponent, exponent);
        arb_mul_2exp_fmpz(significand, x, exponent);
        fmpz_neg(exponent, exponent);
    }
    add_flint_string(&text, arb_get_str(significand, TEXT_DIGITS, 0));
    if (!fmpz_is_zero(exponent)) {
        attest_text_add(&text, " * 2^");
        add_flint_string(&text, fmpz_get_str(NULL, 10, exponent));
    }
    return attest_text_take(&text);
}
