/* certificate_shown.c -- is what is shown beside a ball true of it? */
#include "io/certificate_shown.h"

#include <stdlib.h>
#include <string.h>

#include <attest/ball.h>
#include <attest/number.h>

#include "number/scope.h"

/* Numbers shown are short, and significands lie within 2^+-4096: what is longer or farther from
 * 0 is not true of any ball that attest writes, and exact arithmetic with it would take long.
 * Midpoints and radii below 2^-MOST_EXPONENT count as radii of that size. */
enum { MOST_LENGTH = 200, MOST_EXPONENT = 100000, MOST_SHIFT_LENGTH = 1 << 21 };
enum { LOG2_DIGITS = 15, FAR = 2 * MOST_LENGTH };

#define DIGITS "0123456789"

static attest_status parse(fmpq_t x, const char *text, size_t length)
{
    return length <= MOST_LENGTH ? attest_number_parse(x, text, length, NULL, NULL)
                                 : ATTEST_FORMAT;
}

/* x = the integer that is all of text. FLINT would take blanks and signs elsewhere, too. */
static attest_status parse_integer(fmpz_t x, const char *text)
{
    const char *digits = text + (*text == '-');

    return *digits != '\0' && digits[strspn(digits, DIGITS)] == '\0' &&
                   fmpz_set_str(x, text, 10) == 0
               ? ATTEST_OK
               : ATTEST_FORMAT;
}

/* x 10^power = the decimal that is all of text, with an exponent of any size. */
static attest_status parse_decimal(fmpz_t x, fmpz_t power, const char *text)
{
    char digits[MOST_LENGTH + 1];
    const char *at = text + (*text == '-');
    size_t whole = strspn(at, DIGITS), after = 0;

    if (strlen(text) > MOST_LENGTH)
        return ATTEST_FORMAT;
    memcpy(digits, at, whole);
    at += whole;
    if (*at == '.') {
        after = strspn(++at, DIGITS);
        memcpy(digits + whole, at, after);
        at += after;
    }
    digits[whole + after] = '\0';
    ATTEST_TRY(parse_integer(x, digits));
    if (*text == '-')
        fmpz_neg(x, x);
    fmpz_zero(power);
    if (*at == 'e' || *at == 'E') {
        at += at[1] == '+' && at[2] != '-' ? 2 : 1;
        ATTEST_TRY(parse_integer(power, at));
    } else if (*at != '\0') {
        return ATTEST_FORMAT;
    }
    fmpz_sub_ui(power, power, after);
    return ATTEST_OK;
}

/* x = 10^k. */
static void set_power_of_ten(fmpz_t x, slong k)
{
    fmpz_set_ui(x, 10);
    fmpz_pow_ui(x, x, (ulong)k);
}

/* Whether x 10^apart differs from value, an integer of at most 15 digits, by no more than two
 * units in its 15th digit. Powers of ten are at most 10^(2 FAR). */
static bool are_close(const fmpz_t x, const fmpz_t apart, const fmpz_t value)
{
    FMPZ(power, difference);
    slong digits = (slong)fmpz_sizeinbase(value, 10);

    if (fmpz_is_zero(x) || fmpz_is_zero(value))
        return fmpz_is_zero(x) && fmpz_is_zero(value);
    /* x has at most MOST_LENGTH digits, so that these differ in magnitude. */
    if (fmpz_cmp_si(apart, FAR) > 0 || fmpz_cmp_si(apart, -FAR) < 0)
        return false;
    set_power_of_ten(power, FAR + fmpz_get_si(apart));
    fmpz_mul(difference, x, power);
    set_power_of_ten(power, FAR);
    fmpz_submul(difference, value, power);
    set_power_of_ten(power, FAR + digits - LOG2_DIGITS);
    fmpz_mul_ui(power, power, 2);
    return fmpz_cmpabs(difference, power) <= 0;
}

attest_status attest_certificate_shows_log2(bool *shows, const char *text, const arb_t ball)
{
    FMPZ(shown, shown_power, value, value_power);
    char *right ATTEST_FREED = NULL;

    *shows = false;
    ATTEST_TRY(parse_decimal(shown, shown_power, text));
    if (!arb_is_positive(ball))
        return ATTEST_OK;
    right = attest_ball_format_log2(ball);
    if (!right)
        return ATTEST_NOMEM;
    ATTEST_TRY(parse_decimal(value, value_power, right));
    fmpz_sub(shown_power, shown_power, value_power);
    *shows = are_close(shown, shown_power, value);
    return ATTEST_OK;
}

/* Reads "[m +/- r]", "[+/- r]" or "m", up to end. */
static attest_status parse_interval(fmpq_t middle, fmpq_t radius, const char *text,
                                    const char *end)
{
    static const char between[] = "+/- ";
    const char *sign = strstr(text, between);
    attest_status status = ATTEST_OK;

    if (*text != '[')
        return parse(middle, text, (size_t)(end - text));
    if (!sign || sign >= end || end[-1] != ']')
        return ATTEST_FORMAT;
    if (sign > text + 1)
        status = sign[-1] == ' ' ? parse(middle, text + 1, (size_t)(sign - text - 2))
                                 : ATTEST_FORMAT;
    sign += strlen(between);
    return status == ATTEST_OK ? parse(radius, sign, (size_t)(end - 1 - sign)) : status;
}

/* *shift = e of the " * 2^e" at the end of an interval; empty: 0. */
static attest_status parse_shift(fmpz_t shift, const char *text)
{
    static const char power[] = " * 2^";

    if (*text == '\0')
        return ATTEST_OK;
    if (strncmp(text, power, strlen(power)) != 0 ||
        strlen(text + strlen(power)) > MOST_SHIFT_LENGTH)
        return ATTEST_FORMAT;
    return parse_integer(shift, text + strlen(power));
}

/* Splits a ball into middle and radius; the ball that they make contains it, and none is tiny.
 */
static void split(arf_t middle, arf_t radius, const arb_t ball)
{
    arf_t tiny;

    arf_init(tiny);
    arf_set_si_2exp_si(tiny, 1, -MOST_EXPONENT);
    arf_set(middle, arb_midref(ball));
    arf_set_mag(radius, arb_radref(ball));
    if (!arf_is_zero(radius) && arf_cmp(radius, tiny) < 0)
        arf_set(radius, tiny);
    if (!arf_is_zero(middle) && arf_cmpabs(middle, tiny) < 0) {
        arf_zero(middle);
        arf_add(radius, radius, tiny, 2 * MOST_EXPONENT, ARF_RND_CEIL);
    }
    arf_clear(tiny);
}

/* Whether |ball / 2^shift - middle| <= radius on the whole ball. */
static bool contains(const fmpq_t middle, const fmpq_t radius, const fmpz_t shift,
                     const arb_t ball)
{
    arb_t scaled;
    arf_t mid, rad;
    fmpz_t down;
    fmpq_t distance, more;
    bool inside;

    arb_init(scaled);
    arf_init(mid), arf_init(rad);
    fmpz_init(down);
    fmpq_init(distance), fmpq_init(more);
    fmpz_neg(down, shift);
    arb_mul_2exp_fmpz(scaled, ball, down);
    split(mid, rad, scaled);
    inside = arf_cmpabs_2exp_si(mid, MOST_EXPONENT) < 0 &&
             arf_cmpabs_2exp_si(rad, MOST_EXPONENT) < 0;
    if (inside) {
        arf_get_fmpq(distance, mid);
        arf_get_fmpq(more, rad);
        fmpq_sub(distance, distance, middle);
        fmpq_abs(distance, distance);
        fmpq_add(distance, distance, more);
        inside = fmpq_cmp(distance, radius) <= 0;
    }
    arb_clear(scaled);
    arf_clear(mid), arf_clear(rad);
    fmpz_clear(down);
    fmpq_clear(distance), fmpq_clear(more);
    return inside;
}

attest_status attest_certificate_shows_text(bool *shows, const char *text, const arb_t ball)
{
    const char *end = strstr(text, " * ");
    attest_status status;
    fmpq_t middle, radius;
    fmpz_t shift;

    if (!end)
        end = text + strlen(text);
    fmpq_init(middle);
    fmpq_init(radius);
    fmpz_init(shift);
    status = parse_shift(shift, end);
    if (status == ATTEST_OK)
        status = parse_interval(middle, radius, text, end);
    *shows = status == ATTEST_OK && contains(middle, radius, shift, ball);
    fmpq_clear(middle);
    fmpq_clear(radius);
    fmpz_clear(shift);
    return status;
}
