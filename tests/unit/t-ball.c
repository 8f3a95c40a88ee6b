/* How balls are written, and exponentials of many rationals at once. */
#include <string.h>

#include <attest/ball.h>

#include "number/ball_exp.h"
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
    TAP_OK(attest_ball_format_log2(x) == NULL, "nor has [0, 2]");
    arb_indeterminate(x);
    TAP_OK(attest_ball_format_log2(x) == NULL, "nor the unknown");
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

/* The exponentials contain those of plain Arb at twice the precision, and are as narrow as the
 * header says: radius <= 2^(3-precision) value below the cutoff. */
static bool exponentials_agree(const fmpz *numerator, const fmpz_t denominator, size_t count,
                               slong precision)
{
    arb_ptr value = _arb_vec_init((slong)count);
    arb_t x, bound, radius;
    bool ok = true, within;

    arb_init(x);
    arb_init(bound);
    arb_init(radius);
    attest_ball_exp_fractions(value, numerator, denominator, count, precision);
    for (size_t j = 0; j < count; j++) {
        arb_fmpz_div_fmpz(x, numerator + j, denominator, 2 * precision + 300);
        within = arf_cmpabs_2exp_si(arb_midref(x), ATTEST_BALL_EXP_CUTOFF - 2) < 0;
        arb_exp(x, x, 2 * precision + 100);
        ok = ok &&
             (fmpz_is_zero(numerator + j) ? arb_is_one(value + j) : arb_contains(value + j, x));
        arb_mul_2exp_si(bound, x, 3 - precision);
        arb_get_rad_arb(radius, value + j);
        ok = ok && (!within || arb_le(radius, bound));
    }
    arb_clear(x);
    arb_clear(bound);
    arb_clear(radius);
    _arb_vec_clear(value, (slong)count);
    return ok;
}

/* Multiples of one step, with multipliers of at most the given bits. */
static void test_lattice(unsigned bits, slong precision, uint64_t *state)
{
    bool ok = true;

    for (int i = 0; i < 20; i++) {
        size_t count = 1 + tap_random(state) % 40;
        fmpz *numerator = _fmpz_vec_init((slong)count);
        fmpz_t step, denominator;
        fmpz_init(step);
        fmpz_init(denominator);
        ref_random_integer(step, 1 + (unsigned)(tap_random(state) % 80), state);
        ref_random_integer(denominator, 1 + (unsigned)(tap_random(state) % 80), state);
        fmpz_abs(denominator, denominator);
        fmpz_add_ui(denominator, denominator, 1);
        for (size_t j = 0; j < count; j++) {
            ref_random_integer(numerator + j, bits, state);
            fmpz_mul(numerator + j, numerator + j, step);
            fmpz_abs(numerator + j, numerator + j);
            fmpz_neg(numerator + j, numerator + j);
        }
        ok = exponentials_agree(numerator, denominator, count, precision) && ok;
        _fmpz_vec_clear(numerator, (slong)count);
        fmpz_clear(step);
        fmpz_clear(denominator);
    }
    TAP_OK(ok, "exponentials on lattices, %u-bit multipliers, %ld bits", bits, precision);
}

/* Differences of any size end quickly, and are enclosed. */
static void test_huge_differences(void)
{
    fmpz *numerator = _fmpz_vec_init(4);
    arb_ptr value = _arb_vec_init(4);
    fmpz_t one, exponent;
    arb_t bound;

    fmpz_init_set_ui(one, 1);
    fmpz_init(exponent);
    arb_init(bound);
    fmpz_one_2exp(exponent, ATTEST_BALL_EXP_CUTOFF - 1);
    fmpz_neg(exponent, exponent);
    arb_one(bound);
    arb_mul_2exp_fmpz(bound, bound, exponent);
    fmpz_ui_pow_ui(numerator + 1, 10, 400000);
    fmpz_neg(numerator + 1, numerator + 1);
    fmpz_set_si(numerator + 2, -1);
    fmpz_mul_2exp(numerator + 2, numerator + 2, ATTEST_BALL_EXP_CUTOFF - 2);
    fmpz_set_si(numerator + 3, -3);
    attest_ball_exp_fractions(value, numerator, one, 4, 64);
    TAP_OK(arb_is_one(value), "exp(0) = 1");
    TAP_OK(arb_is_nonnegative(value + 1) && arb_contains_si(value + 1, 0) &&
               arb_le(value + 1, bound),
           "exp(-10^400000) is in [0, 2^-2^%d]", ATTEST_BALL_EXP_CUTOFF - 1);
    TAP_OK(arb_is_positive(value + 2) && arb_rel_accuracy_bits(value + 2) >= 61,
           "exp(-2^%d) still has its digits", ATTEST_BALL_EXP_CUTOFF - 2);
    TAP_OK(arb_rel_accuracy_bits(value + 3) >= 61, "and so has exp(-3) beside it");
    _fmpz_vec_clear(numerator, 4);
    _arb_vec_clear(value, 4);
    fmpz_clear(one);
    fmpz_clear(exponent);
    arb_clear(bound);
}

int main(void)
{
    static const unsigned bits[] = {1, 3, 6, 10, 20, 40, 61, 62, 63, 100};
    uint64_t state = tap_seed(0x5eed0004);

    test_hex();
    test_hex_round_trip(&state);
    test_log2();
    test_text();
    for (size_t i = 0; i < sizeof bits / sizeof bits[0]; i++) {
        test_lattice(bits[i], 64, &state);
        test_lattice(bits[i], 1024, &state);
    }
    test_lattice(4, 2, &state);
    test_lattice(8, 5000, &state);
    test_huge_differences();
    flint_cleanup();
    return tap_done();
}
