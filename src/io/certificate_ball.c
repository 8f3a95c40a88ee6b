/* certificate_ball.c -- reading the balls of certificates. */
#include "io/certificate_ball.h"

#include <attest/ball.h>

#include "base/memory.h"
#include "io/certificate_shown.h"

/* Of an exponent; and how far, in bits, midpoint and radius may be apart: their sum is formed
 * exactly. A few characters must not become gigabytes. */
enum { MOST_EXPONENT_BITS = 1 << 22, MOST_APART_BITS = 26 };

static attest_status read_arf(arf_t x, const attest_json_cursor *ball, const char *key,
                              attest_error *error)
{
    attest_json_cursor member;
    const char *text;
    int parsed = 0;
    attest_status status = attest_json_get_member(&member, ball, key, error);

    if (status == ATTEST_OK)
        status = attest_json_get_string(&text, &member, error);
    if (status == ATTEST_OK)
        parsed = attest_ball_parse_arf(x, text);
    if (status == ATTEST_OK && parsed == -2)
        status = attest_memory_fail(error);
    else if (status == ATTEST_OK && parsed != 0)
        status = attest_json_fail(&member, error, ATTEST_FORMAT, "not a hexadecimal float");
    if (status == ATTEST_OK && fmpz_bits(ARF_EXPREF(x)) > MOST_EXPONENT_BITS)
        status = attest_json_fail(&member, error, ATTEST_FORMAT, "the exponent is too large");
    return status;
}

/* radius = x >= 0 exactly; false when it has too many bits, which attest does not write. */
static bool set_radius(mag_t radius, const arf_t x)
{
    fmpz_t mantissa, exponent;
    bool fits;

    fmpz_init(mantissa);
    fmpz_init(exponent);
    arf_get_fmpz_2exp(mantissa, exponent, x);
    fits = fmpz_bits(mantissa) <= MAG_BITS;
    if (fits) {
        mag_set_ui(radius, fmpz_get_ui(mantissa));
        mag_mul_2exp_fmpz(radius, radius, exponent);
    }
    fmpz_clear(mantissa);
    fmpz_clear(exponent);
    return fits;
}

static bool are_near(const arf_t mid, const arf_t radius)
{
    fmpz_t apart;
    bool near;

    if (arf_is_zero(mid) || arf_is_zero(radius))
        return true;
    fmpz_init(apart);
    fmpz_sub(apart, ARF_EXPREF(mid), ARF_EXPREF(radius));
    near = fmpz_bits(apart) <= MOST_APART_BITS;
    fmpz_clear(apart);
    return near;
}

typedef attest_status shows_function(bool *shows, const char *text, const arb_t ball);

/* What a ball shows besides its ends, if it does, in this form; *untrue = what where it is not
 * so. */
static attest_status read_shown(const char **untrue, const attest_json_cursor *object,
                                const arb_t ball, const char *key, const char *form,
                                shows_function *shows, const char *what, attest_error *error)
{
    attest_json_cursor member;
    const char *text;
    bool so;
    attest_status status;

    if (!attest_json_find_member(&member, object, key))
        return ATTEST_OK;
    status = attest_json_get_string(&text, &member, error);
    if (status != ATTEST_OK)
        return status;
    status = shows(&so, text, ball);
    if (status == ATTEST_FORMAT)
        return attest_json_fail(&member, error, status, "not %s", form);
    if (status != ATTEST_OK)
        return attest_memory_fail(error);
    if (!so)
        *untrue = what;
    return ATTEST_OK;
}

attest_status attest_certificate_read_ball(arb_t ball, const char **untrue,
                                           const attest_json_cursor *object, const char *key,
                                           attest_error *error)
{
    attest_json_cursor member;
    attest_status status = attest_json_get_member(&member, object, key, error);
    arf_t radius;

    if (status != ATTEST_OK)
        return status;
    arf_init(radius);
    status = read_arf(arb_midref(ball), &member, "mid", error);
    if (status == ATTEST_OK)
        status = read_arf(radius, &member, "rad", error);
    if (status == ATTEST_OK && arf_sgn(radius) < 0)
        status = attest_json_fail(&member, error, ATTEST_FORMAT, "a negative radius");
    if (status == ATTEST_OK && !set_radius(arb_radref(ball), radius))
        status = attest_json_fail(&member, error, ATTEST_FORMAT,
                                  "the radius has more than %d bits", MAG_BITS);
    if (status == ATTEST_OK && !are_near(arb_midref(ball), radius))
        status = attest_json_fail(&member, error, ATTEST_FORMAT,
                                  "midpoint and radius are more than 2^%d bits apart",
                                  MOST_APART_BITS);
    arf_clear(radius);
    if (status == ATTEST_OK)
        status =
            read_shown(untrue, &member, ball, "log2", "a decimal of at most 200 characters",
                       attest_certificate_shows_log2,
                       "a \"log2\" is not that of the midpoint it stands beside", error);
    if (status == ATTEST_OK)
        status = read_shown(untrue, &member, ball, "text",
                            "an interval [m +/- r], with or without * 2^e",
                            attest_certificate_shows_text,
                            "a \"text\" does not contain the ball it stands beside", error);
    return status;
}
