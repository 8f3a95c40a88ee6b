/* certificate_shown.c -- is what is shown beside a ball true of it? */
#include "io/certificate_shown.h"

#include <stdlib.h>
#include <string.h>

#include <attest/ball.h>
#include <attest/number.h>

/* Numbers shown are short, and significands lie within 2^+-4096: what is longer or farther is
 * not true of any ball that attest writes, and exact arithmetic with it would take long. */
enum { MOST_LENGTH = 200, MOST_EXPONENT = 100000, MOST_SHIFT_LENGTH = 1 << 21 };

/* Reads a decimal; *ok becomes false where there is none. */
static attest_status parse(fmpq_t x, bool *ok, const char *text, size_t length)
{
    attest_error ignored;
    attest_status status = ATTEST_FORMAT;

    if (length <= MOST_LENGTH)
        status = attest_number_parse(x, text, length, NULL, &ignored);
    *ok = *ok && status == ATTEST_OK;
    return status == ATTEST_NOMEM ? status : ATTEST_OK;
}

attest_status attest_certificate_shows_log2(bool *shows, const char *text, const arb_t ball)
{
    attest_status status;
    fmpq_t shown, value;
    char *right;

    *shows = arb_is_positive(ball);
    if (!*shows)
        return ATTEST_OK;
    right = attest_ball_format_log2(ball);
    if (!right)
        return ATTEST_NOMEM;
    fmpq_init(shown);
    fmpq_init(value);
    status = parse(value, shows, right, strlen(right));
    if (status == ATTEST_OK)
        status = parse(shown, shows, text, strlen(text));
    if (*shows) { /* a unit in the 15th digit is at most 10^-14 of the value */
        fmpq_sub(shown, shown, value);
        fmpq_abs(shown, shown);
        fmpq_abs(value, value);
        fmpq_div_2exp(shown, shown, 1);
        for (int digit = 0; digit < 14; digit++)
            fmpq_mul_si(shown, shown, 10);
        *shows = fmpq_cmp(shown, value) <= 0;
    }
    fmpq_clear(shown);
    fmpq_clear(value);
    free(right);
    return status;
}

/* Reads "[m +/- r]", "[+/- r]" or "m", up to end. */
static attest_status parse_interval(fmpq_t middle, fmpq_t radius, bool *ok, const char *text,
                                    const char *end)
{
    static const char between[] = "+/- ";
    const char *sign = strstr(text, between);
    attest_status status = ATTEST_OK;

    if (*text != '[')
        return parse(middle, ok, text, (size_t)(end - text));
    *ok = sign && sign < end && end[-1] == ']';
    if (*ok && sign > text + 1) {
        *ok = sign[-1] == ' ';
        status = parse(middle, ok, text + 1, (size_t)(sign - text - 2));
    }
    if (*ok && status == ATTEST_OK) {
        sign += strlen(between);
        status = parse(radius, ok, sign, (size_t)(end - 1 - sign));
    }
    return status;
}

/* *shift = e of the " * 2^e" at the end of an interval; empty: 0. */
static bool parse_shift(fmpz_t shift, const char *text)
{
    static const char power[] = " * 2^";
    size_t length = strlen(power);

    if (*text == '\0')
        return true;
    if (strncmp(text, power, length) != 0)
        return false;
    text += length;
    return strlen(text) <= MOST_SHIFT_LENGTH && fmpz_set_str(shift, text, 10) == 0;
}

/* Whether |ball / 2^shift - middle| <= radius on the whole ball. */
static bool contains(const fmpq_t middle, const fmpq_t radius, const fmpz_t shift,
                     const arb_t ball)
{
    arb_t scaled;
    arf_t error;
    fmpz_t down;
    fmpq_t distance, more;
    bool inside;

    arb_init(scaled);
    arf_init(error);
    fmpz_init(down);
    fmpq_init(distance);
    fmpq_init(more);
    fmpz_neg(down, shift);
    arb_mul_2exp_fmpz(scaled, ball, down);
    if (mag_cmp_2exp_si(arb_radref(scaled), -MOST_EXPONENT) < 0 && !arb_is_exact(scaled))
        mag_set_ui_2exp_si(arb_radref(scaled), 1, -MOST_EXPONENT);
    arf_set_mag(error, arb_radref(scaled));
    inside = arf_is_zero(arb_midref(scaled)) ||
             arf_cmpabs_2exp_si(arb_midref(scaled), -MOST_EXPONENT) > 0;
    inside = inside && arf_cmpabs_2exp_si(arb_midref(scaled), MOST_EXPONENT) < 0 &&
             arf_cmpabs_2exp_si(error, MOST_EXPONENT) < 0;
    if (inside) {
        arf_get_fmpq(distance, arb_midref(scaled));
        arf_get_fmpq(more, error);
        fmpq_sub(distance, distance, middle);
        fmpq_abs(distance, distance);
        fmpq_add(distance, distance, more);
        inside = fmpq_cmp(distance, radius) <= 0;
    }
    arb_clear(scaled);
    arf_clear(error);
    fmpz_clear(down);
    fmpq_clear(distance);
    fmpq_clear(more);
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
    *shows = end > text && parse_shift(shift, end);
    status = *shows ? parse_interval(middle, radius, shows, text, end) : ATTEST_OK;
    *shows = *shows && contains(middle, radius, shift, ball);
    fmpq_clear(middle);
    fmpq_clear(radius);
    fmpz_clear(shift);
    return status;
}
