/* How balls are written, and read again. */
#include <string.h>

#include <attest/ball.h>

#include "tests/ref/cases.h"
#include "tests/tap.h"

static void test_hex(void)
{
    static const struct {
        const char *text, *canonical;
    } good[] = {
        {"0x1.8p+1", "0x1.8p+1"},
        {"-0x1p-60", "-0x1p-60"},
        {"0x0p+0", "0x0p+0"},
        {"+0X.8P5", "0x1p+4"},
        {"0x00ff.0p-3", "0x1.fep+4"},
        {"0x1.p0", "0x1p+0"},
        {"0x123456789abcdefp+0", "0x1.23456789abcdefp+56"},
        {"-0x1.8p-123456789012345678901234567890", "-0x1.8p-123456789012345678901234567890"},
        {"0x1.00000000000000000000000000001p+99999999999999999999",
         "0x1.00000000000000000000000000001p+99999999999999999999"}};
    static const char *const bad[] = {"",          "1.5",    "0x",      "0x.p1",  "0x1.8",
                                      "0x1p",      "0x1p+",  "0x1p1.5", "0x1p1 ", " 0x1p1",
                                      "0x1.8.1p0", "0xgp1",  "nan",     "inf",    "--0x1p1",
                                      "0x1p--1",   "0x-1p1", "0x1p0x1"};
    arf_t x;

    arf_init(x);
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        char *text = NULL;
        int status = attest_ball_parse_arf(x, good[i].text);
        if (status == 0)
            text = attest_ball_format_arf(x);
        TAP_OK(status == 0 && text && strcmp(text, good[i].canonical) == 0, "%s is %s",
               good[i].text, text ? text : "refused");
        free(text);
    }
    arf_set_si(x, 7);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        TAP_OK(attest_ball_parse_arf(x, bad[i]) == -1 && arf_equal_si(x, 7), "refused: \"%s\"",
               bad[i]);
    arf_clear(x);
}

static void test_hex_round_trip(uint64_t *state)
{
    bool ok = true;
    fmpz_t significand, exponent;
    arf_t x, y;

    fmpz_init(significand);
    fmpz_init(exponent);
    arf_init(x);
    arf_init(y);
    for (int i = 0; i < 2000; i++) {
        char *text, *end;
        ref_random_integer(significand, 1 + (unsigned)(tap_random(state) % 300), state);
        ref_random_integer(exponent, 1 + (unsigned)(tap_random(state) % 100), state);
        arf_set_fmpz_2exp(x, significand, exponent);
        text = attest_ball_format_arf(x);
        ok = ok && text && attest_ball_parse_arf(y, text) == 0 && arf_equal(x, y);
        /* Where it is a double, the C library reads the same number. */
        if (text && fmpz_bits(significand) < 50 && fmpz_bits(exponent) < 9)
            ok = ok && strtod(text, &end) == arf_get_d(x, ARF_RND_NEAR) && *end == '\0';
        free(text);
    }
    TAP_OK(ok, "2000 random numbers are read back exactly");
    fmpz_clear(significand);
    fmpz_clear(exponent);
    arf_clear(x);
    arf_clear(y);
}

/* Checks the logarithm of significand 2^exponent, both decimal integers. */
static void check_log2(const char *significand, const char *exponent, const char *expected)
{
    char *text;
    fmpz_t e;
    arb_t x;

    arb_init(x);
    fmpz_init(e);
    fmpz_set_str(e, exponent, 10);
    arb_set_str(x, significand, 5000);
    mag_zero(arb_radref(x));
    arb_mul_2exp_fmpz(x, x, e);
    text = attest_ball_format_log2(x);
    TAP_OK(text && strcmp(text, expected) == 0, "log2(%.20s * 2^%.20s) = %s", significand,
           exponent, text ? text : "NULL");
    free(text);
    arb_clear(x);
    fmpz_clear(e);
}

static void test_log2(void)
{
    arb_t x;
    char *text;

    check_log2("3", "0", "1.58496250072116");
    check_log2("1", "-60", "-60.0000000000000");
    check_log2("1", "-1", "-1.00000000000000");
    check_log2("1", "1", "1.00000000000000");
    check_log2("1", "0", "0");
    check_log2("3", "-642459", "-642457.415037499");
    check_log2("3", "-123456789012345678901234567890", "-1.23456789012346e+29");
    check_log2("0.75", "0", "-0.415037499278844");
    arb_init(x);
    /* log2(1 +- 2^-3000) = +- 2^-3000 / ln 2 to first order. */
    arb_one(x);
    arb_mul_2exp_si(x, x, -3000);
    arb_add_ui(x, x, 1, ARF_PREC_EXACT);
    text = attest_ball_format_log2(x);
    TAP_OK(text && strcmp(text, "1.17270167917169e-903") == 0, "log2(1 + 2^-3000) = %s", text);
    free(text);
    arb_zero(x);
    TAP_OK(attest_ball_format_log2(x) == NULL, "0 has no logarithm");
    arb_one(x);
    mag_one(arb_radref(x));
    TAP_OK(attest_ball_format_log2(x) == NULL, "[0, 2] has no logarithm");
    arb_indeterminate(x);
    TAP_OK(attest_ball_format_log2(x) == NULL, "an indeterminate ball has no logarithm");
    arb_clear(x);
}

/* The text of (3 + r) 2^exponent, where r = 2^-60 is the radius. */
static void check_text(const char *exponent, const char *expected)
{
    char *text;
    fmpz_t e;
    arb_t x;

    arb_init(x);
    fmpz_init(e);
    fmpz_set_str(e, exponent, 10);
    arb_set_ui(x, 3);
    mag_set_ui_2exp_si(arb_radref(x), 1, -60);
    arb_mul_2exp_fmpz(x, x, e);
    text = attest_ball_format_text(x);
    TAP_OK(text && strcmp(text, expected) == 0, "%s", text ? text : "NULL");
    free(text);
    arb_clear(x);
    fmpz_clear(e);
}

static void test_text(void)
{
    char *text;
    arb_t x;

    check_text("0", "[3.000000000000000000 +/- 8.68e-19]");
    check_text("-642459", "[0.750000000000000000 +/- 2.17e-19] * 2^-642457");
    check_text("123456789012345678901234567890",
               "[0.750000000000000000 +/- 2.17e-19] * 2^123456789012345678901234567892");
    arb_init(x);
    text = attest_ball_format_text(x);
    TAP_OK(text && strcmp(text, "0") == 0, "zero is %s", text);
    free(text);
    arb_zero_pm_inf(x);
    text = attest_ball_format_text(x);
    TAP_OK(text && *text, "the whole line is %s", text);
    free(text);
    arb_zero(x);
    mag_set_ui_2exp_si(arb_radref(x), 1, -642457);
    text = attest_ball_format_text(x);
    TAP_OK(text && strcmp(text, "[+/- 0.501] * 2^-642456") == 0, "a ball around zero is %s",
           text);
    free(text);
    arb_clear(x);
}

TEST(ball_text)
{
    uint64_t state = tap_seed(0x5eed0005);

    test_hex();
    test_hex_round_trip(&state);
    test_log2();
    test_text();
    flint_cleanup();
    return 0;
}
