/* certificate_shown.c -- is what is shown beside a ball true of it? */
#include "io/certificate_shown.h"

#include <stdlib.h>
#include <string.h>

#include <attest/ball.h>
#include <attest/number.h>

/* Numbers shown are short, and significands lie within 2^+-4096: what is longer or farther from
 * 0 is not true of any ball that attest writes, and exact arithmetic with it would take long.
 * Midpoints and radii below 2^-MOST_EXPONENT count as radii of that size. */
enum { MOST_LENGTH = 200, MOST_EXPONENT = 100000, MOST_SHIFT_LENGTH = 1 << 21 };

static attest_status parse(fmpq_t x, const char *text, size_t length)
{
    return length <= MOST_LENGTH ? attest_number_parse(x, text, length, NULL, NULL)
                                 : ATTEST_FORMAT;
}

/* x = 10^k. */
static void set_power_of_ten(fmpq_t x, slong k)
{
    fmpq_set_si(x, 10, 1);
    fmpq_pow_si(x, x, k);
}

/* Whether x differs from value by no more than two units in the 15th digit of value, that is
 * 2 * 10^(k - 14) where 10^k <= |value| < 10^(k + 1). */
static bool are_close(const fmpq_t x, const fmpq_t value)
{
    fmpq_t difference, size, power;
    slong k;
    bool close;

    if (fmpq_is_zero(value))
        return fmpq_is_zero(x);
    fmpq_init(difference), fmpq_init(size), fmpq_init(power);
    fmpq_abs(size, value);
    /* not below k: a numerator of n digits and a denominator of m are less than 10^(n - m + 1)
     */
    k = (slong)fmpz_sizeinbase(fmpq_numref(size), 10) -
        (slong)fmpz_sizeinbase(fmpq_denref(size), 10) + 1;
    for (set_power_of_ten(power, k); fmpq_cmp(size, power) < 0; set_power_of_ten(power, --k))
        ;
    set_power_of_ten(power, k - 14);
    fmpq_mul_2exp(power, power, 1);
    fmpq_sub(difference, x, value);
    fmpq_abs(difference, difference);
    close = fmpq_cmp(difference, power) <= 0;
    fmpq_clear(difference), fmpq_clear(size), fmpq_clear(power);
    return close;
}

attest_status attest_certificate_shows_log2(bool *shows, const char *text, const arb_t ball)
{
    attest_status status;
    fmpq_t shown, value;
    char *right = NULL;

    *shows = false;
    fmpq_init(shown);
    fmpq_init(value);
    status = parse(shown, text, strlen(text));
    if (status == ATTEST_OK && arb_is_positive(ball)) {
        right = attest_ball_format_log2(ball);
        status = right ? parse(value, right, strlen(right)) : ATTEST_NOMEM;
        *shows = status == ATTEST_OK && are_close(shown, value);
    }
    fmpq_clear(shown);
    fmpq_clear(value);
    free(right);
    return status;
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
    const char *digits = text + strlen(power);

    if (*text == '\0')
        return ATTEST_OK;
    if (strncmp(text, power, strlen(power)) != 0)
        return ATTEST_FORMAT;
    text = digits;
    digits += *digits == '-';
    /* FLINT would take blanks and signs elsewhere, too */
    if (*digits == '\0' || digits[strspn(digits, "0123456789")] != '\0' ||
        strlen(text) > MOST_SHIFT_LENGTH || fmpz_set_str(shift, text, 10) != 0)
        return ATTEST_FORMAT;
    return ATTEST_OK;
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
