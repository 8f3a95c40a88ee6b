/* certificate_ball.c -- reading the balls of certificates. */
#include "io/certificate_ball.h"

#include <attest/ball.h>

#include "base/memory.h"
#include "io/certificate_shown.h"
#include "number/scope.h"

/* Of an exponent; and how far, in bits, midpoint and radius may be apart: their sum is formed
 * exactly. A few characters must not become gigabytes. */
enum { MOST_EXPONENT_BITS = 1 << 22, MOST_APART_BITS = 26 };

static void read_arf(arf_t x, const attest_json_cursor *ball, const char *key)
{
    attest_json_cursor member = attest_json_take(ball, key);
    const char *text = attest_json_take_string(&member, NULL);
    int parsed = attest_json_failed(ball) ? 0 : attest_ball_parse_arf(x, text);

    if (parsed == -2)
        attest_json_note_memory(ball);
    else if (parsed != 0)
        attest_json_refuse(&member, "not a hexadecimal float");
    else if (fmpz_bits(ARF_EXPREF(x)) > MOST_EXPONENT_BITS)
        attest_json_refuse(&member, "the exponent is too large");
}

/* radius = x >= 0 exactly; false when it has too many bits, which attest does not write. */
static bool set_radius(mag_t radius, const arf_t x)
{
    FMPZ(mantissa, exponent);

    arf_get_fmpz_2exp(mantissa, exponent, x);
    if (fmpz_bits(mantissa) > MAG_BITS)
        return false;
    mag_set_ui(radius, fmpz_get_ui(mantissa));
    mag_mul_2exp_fmpz(radius, radius, exponent);
    return true;
}

static bool are_near(const arf_t mid, const arf_t radius)
{
    FMPZ(apart);

    if (arf_is_zero(mid) || arf_is_zero(radius))
        return true;
    fmpz_sub(apart, ARF_EXPREF(mid), ARF_EXPREF(radius));
    return fmpz_bits(apart) <= MOST_APART_BITS;
}

typedef attest_status shows_function(bool *shows, const char *text, const arb_t ball);

/* Compares the member key of a ball, if there is one, with its value: shows() parses the text,
 * of this form, and compares. *untrue = what where they differ. */
static void read_shown(const char **untrue, const attest_json_cursor *ball, const arb_t value,
                       const char *key, const char *form, shows_function *shows,
                       const char *what)
{
    attest_json_cursor member;
    const char *text;
    bool so = true;

    if (!attest_json_has(ball, key))
        return;
    member = attest_json_take(ball, key);
    text = attest_json_take_string(&member, NULL);
    if (attest_json_failed(ball))
        return;
    switch (shows(&so, text, value)) {
    case ATTEST_OK:
        *untrue = so ? *untrue : what;
        return;
    case ATTEST_FORMAT:
        attest_json_refuse(&member, "not %s", form);
        return;
    default:
        attest_json_note_memory(ball);
    }
}

void attest_certificate_read_ball(arb_t ball, const char **untrue,
                                  const attest_json_cursor *object, const char *key)
{
    attest_json_cursor member = attest_json_take(object, key);
    ARF(radius);

    read_arf(arb_midref(ball), &member, "mid");
    read_arf(radius, &member, "rad");
    if (arf_sgn(radius) < 0)
        attest_json_refuse(&member, "a negative radius");
    else if (!set_radius(arb_radref(ball), radius))
        attest_json_refuse(&member, "the radius has more than %d bits", MAG_BITS);
    else if (!are_near(arb_midref(ball), radius))
        attest_json_refuse(&member, "midpoint and radius are more than 2^%d bits apart",
                           MOST_APART_BITS);
    read_shown(untrue, &member, ball, "log2", "a decimal of at most 200 characters",
               attest_certificate_shows_log2,
               "a \"log2\" is not that of the midpoint it stands beside");
    read_shown(untrue, &member, ball, "text", "an interval [m +/- r], with or without * 2^e",
               attest_certificate_shows_text,
               "a \"text\" does not contain the ball it stands beside");
}
