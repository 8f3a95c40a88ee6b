/* Floating-point formats: names, all 8-bit sums, products and quotients, all 16-bit
 * conversions, against roundings found in the list of a format's numbers. */
#include <fenv.h>
#include <math.h>
#include <string.h>

#include "format/simulate_in_double.h"
#include "number/double.h"
#include "number/mpfr.h"
#include "tests/ref/rounding.h"
#include "tests/tap.h"

static const mpfr_rnd_t roundings[] = {MPFR_RNDN, MPFR_RNDZ, MPFR_RNDU, MPFR_RNDD, MPFR_RNDA};

static void test_names(void)
{
    static const char *const bad[] = {"",
                                      "binary",
                                      "binary64 ",
                                      "P=8",
                                      "p=",
                                      "p=0",
                                      "p=-3",
                                      "p=+3",
                                      "p=2000000000",
                                      "p=9999999999999",
                                      "p=8:",
                                      "p=8:emin=3",
                                      "p=8:emin=3:emax=2",
                                      "p=8:emax=3:emin=2",
                                      "p=8:emin=-5:emax=5x",
                                      "p=8:emin=-999999999999:emax=5"};
    attest_format format;
    attest_error error;
    mpfr_rnd_t rounding;

    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        TAP_OK(attest_format_parse(&format, bad[i], &error) == ATTEST_USAGE &&
                   error.text[0] != '\0' && !strchr(error.text, '\n'),
               "refused: \"%s\"", bad[i]);
    TAP_OK(attest_format_parse(&format, "p=113:emin=-16382:emax=16383", &error) == ATTEST_OK &&
               format.precision == 113 && format.bounded && format.emin == -16382 &&
               format.emax == 16383 && !format.finite_only &&
               strcmp(format.name, "p=113:emin=-16382:emax=16383") == 0,
           "p=113:emin=-16382:emax=16383");
    TAP_OK(attest_format_parse(&format, "p=1", &error) == ATTEST_OK && format.precision == 1 &&
               !format.bounded,
           "p=1, unbounded");
    TAP_OK(attest_format_parse(&format, "fp16", &error) == ATTEST_OK &&
               strcmp(format.name, "binary16") == 0 && format.emax == 15,
           "fp16 is binary16");
    TAP_OK(attest_format_parse(&format, "fp8", &error) == ATTEST_USAGE &&
               strstr(error.text, "float8_e4m3fn or float8_e5m2"),
           "fp8 may be two: %s", error.text);
    TAP_OK(attest_rounding_parse(&rounding, "up", &error) == ATTEST_OK && rounding == MPFR_RNDU,
           "rounding up");
    TAP_OK(attest_rounding_parse(&rounding, "RNDA", &error) == ATTEST_OK &&
               rounding == MPFR_RNDA,
           "rounding RNDA");
    TAP_OK(attest_rounding_parse(&rounding, "sideways", &error) == ATTEST_USAGE,
           "no rounding sideways: %s", error.text);
}

/* The exact sum, with the sign that IEEE 754 (6.3) gives to zero. */
static double exact_sum(double x, double y, mpfr_rnd_t rounding)
{
    if (x + y != 0)
        return x + y;
    if (x == 0 && y == 0 && signbit(x) == signbit(y))
        return x;
    return rounding == MPFR_RNDD ? -0.0 : 0.0;
}

/* The quotient, cut to odd: a rounding of it to at most 8 bits is one of the exact quotient. */
static double odd_quotient(double x, double y)
{
    double q = x / y, remainder;
    uint64_t bits;

    if (isnan(q) || isinf(q) || q == 0)
        return q;
    remainder = fma(-q, y, x); /* exact for numbers of so few bits */
    if (remainder == 0)
        return q;
    if ((remainder < 0) != (x < 0)) /* |q| was rounded up: step back toward zero */
        q = nextafter(q, 0);
    memcpy(&bits, &q, sizeof q);
    bits |= 1;
    memcpy(&q, &bits, sizeof q);
    return q;
}

/* Number i of the list counted with both signs. */
static double signed_number(const ref_numbers *list, size_t i)
{
    return i & 1 ? -list->number[i / 2] : list->number[i / 2];
}

/* Returns how often +, * or / of two numbers of the format differs from the list. */
static size_t count_wrong(const ref_numbers *list, mpfr_rnd_t rounding, char operation)
{
    size_t wrong = 0;
    attest_mpfr_context context;
    mpfr_t x, y, z;

    attest_mpfr_context_init(&context, list->format, rounding);
    mpfr_inits2(list->format->precision, x, y, z, (mpfr_ptr)0);
    for (size_t i = 0; i < 2 * list->count; i++)
        for (size_t j = 0; j < 2 * list->count; j++) {
            double a = signed_number(list, i), b = signed_number(list, j), exact;
            mpfr_set_d(x, a, MPFR_RNDN);
            mpfr_set_d(y, b, MPFR_RNDN);
            if (operation == '+') {
                attest_mpfr_add(z, x, y, &context);
                exact = exact_sum(a, b, rounding);
            } else if (operation == '*') {
                attest_mpfr_mul(z, x, y, &context);
                exact = a * b;
            } else {
                attest_mpfr_div(z, x, y, &context);
                exact = odd_quotient(a, b);
            }
            wrong += !ref_same(mpfr_get_d(z, MPFR_RNDN), ref_round(exact, rounding, list));
        }
    mpfr_clears(x, y, z, (mpfr_ptr)0);
    attest_mpfr_context_clear(&context);
    return wrong;
}

static void test_arithmetic(const char *name)
{
    attest_format format;
    ref_numbers list;

    if (!TAP_OK(attest_format_parse(&format, name, NULL) == ATTEST_OK, "%s exists", name))
        return;
    ref_numbers_init(&list, &format);
    for (const char *operation = "+*/"; *operation; operation++) {
        size_t wrong = 0;
        for (int r = 0; r < 5; r++)
            wrong += count_wrong(&list, roundings[r], *operation);
        TAP_OK(wrong == 0, "%s: all %zu^2 pairs under %c in five modes (%zu wrong)", name,
               2 * list.count, *operation, wrong);
    }
    ref_numbers_clear(&list);
}

/* Returns whether x, exact, is converted as the list says, in all modes. */
static bool converts(double x, const ref_numbers *list)
{
    bool ok = true;
    fmpz_t numerator, denominator;
    int exponent;
    double significand = frexp(x, &exponent);

    fmpz_init(numerator);
    fmpz_init_set_ui(denominator, 1);
    fmpz_set_d(numerator, ldexp(significand, 53));
    exponent -= 53;
    fmpz_mul_2exp(exponent > 0 ? numerator : denominator,
                  exponent > 0 ? numerator : denominator, (ulong)abs(exponent));
    for (int r = 0; r < 5; r++) {
        attest_mpfr_context context;
        mpfr_t y;
        attest_mpfr_context_init(&context, list->format, roundings[r]);
        mpfr_init2(y, list->format->precision);
        attest_mpfr_set_fraction(y, numerator, denominator, &context);
        ok = ok && ref_same(mpfr_get_d(y, MPFR_RNDN), ref_round(x, roundings[r], list));
        mpfr_clear(y);
        attest_mpfr_context_clear(&context);
    }
    fmpz_clear(numerator);
    fmpz_clear(denominator);
    return ok;
}

/* Every number of one format to another. */
static void test_conversion(const char *from, const char *to)
{
    attest_format source, target;
    ref_numbers all, list;
    size_t wrong = 0;

    if (attest_format_parse(&source, from, NULL) != ATTEST_OK ||
        attest_format_parse(&target, to, NULL) != ATTEST_OK)
        abort();
    ref_numbers_init(&all, &source);
    ref_numbers_init(&list, &target);
    for (size_t i = 1; i < all.count; i++)
        wrong += !converts(i & 1 ? all.number[i] : -all.number[i], &list);
    TAP_OK(wrong == 0, "all of %s to %s in five modes (%zu wrong)", from, to, wrong);
    ref_numbers_clear(&all);
    ref_numbers_clear(&list);
}

/* A format's numbers, the middles between neighbours, and points close to the middles. */
static void test_neighbours(const char *name)
{
    attest_format format;
    ref_numbers list;
    size_t wrong = 0;

    if (attest_format_parse(&format, name, NULL) != ATTEST_OK)
        abort();
    ref_numbers_init(&list, &format);
    for (size_t i = 0; i < list.count; i++) {
        double x = list.number[i];
        double next = i + 1 < list.count ? list.number[i + 1] : 2 * x - list.number[i - 1];
        double middle = x + (next - x) / 2, sign = i & 1 ? -1 : 1;
        wrong += !converts(sign * middle, &list);
        if (i % 3 == 0)
            wrong += !converts(sign * nextafter(middle, 0), &list);
        if (i % 3 == 1)
            wrong += !converts(sign * nextafter(middle, INFINITY), &list);
    }
    wrong += !converts(1e60, &list) || !converts(-1e60, &list) || !converts(1e-60, &list);
    TAP_OK(wrong == 0, "roundings to %s between neighbours in five modes (%zu wrong)", name,
           wrong);
    ref_numbers_clear(&list);
}

static void test_range_is_restored(void)
{
    attest_format format;
    attest_mpfr_context context;
    mpfr_exp_t emin = mpfr_get_emin(), emax = mpfr_get_emax();

    if (attest_format_parse(&format, "float8_e5m2", NULL) != ATTEST_OK)
        abort();
    mpfr_set_emax(12345);
    mpfr_set_underflow();
    attest_mpfr_context_init(&context, &format, MPFR_RNDN);
    TAP_OK(mpfr_get_emax() == 16 && mpfr_get_emin() == -15, "the range is the format's");
    mpfr_clear_flags();
    attest_mpfr_context_clear(&context);
    TAP_OK(mpfr_get_emax() == 12345 && mpfr_get_emin() == emin && mpfr_underflow_p(),
           "range and flags are restored");
    mpfr_set_emax(emax);
}

/* Inputs of the system "double" are rounded to nearest in every mode of fenv. */
static void test_nearest_double(void)
{
    static const int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_UPWARD, FE_DOWNWARD};
    fmpz_t top, one, three;
    bool ok = true;

    fmpz_init(top);
    fmpz_init_set_ui(one, 1);
    fmpz_init_set_ui(three, 3);
    for (int m = 0; m < 4; m++) {
        fesetround(modes[m]);
        fmpz_set_si(top, 9007199254740993); /* 2^53 + 1: a tie, to even */
        ok = ok && attest_double_get_fraction(top, one) == 9007199254740992.0;
        fmpz_neg(top, top);
        ok = ok && attest_double_get_fraction(top, one) == -9007199254740992.0;
        ok = ok && attest_double_get_fraction(one, three) == 0x1.5555555555555p-2;
        fmpz_set_si(top, -2);
        ok = ok && attest_double_get_fraction(top, three) == -0x1.5555555555555p-1;
        fmpz_set_si(top, -5);
        ok = ok && attest_double_get_fraction(top, one) == -5;
        fmpz_one_2exp(top, 1075); /* half of the least subnormal number: a tie, to even */
        ok = ok && attest_double_get_fraction(one, top) == 0 &&
             attest_double_get_fraction(three, top) == 0x1p-1073;
        fmpz_one_2exp(top, 1024);
        ok = ok && attest_double_get_fraction(top, one) == HUGE_VAL;
    }
    fesetround(FE_TONEAREST);
    TAP_OK(ok, "rationals to the nearest double in every mode of fenv");
    fmpz_clear(top);
    fmpz_clear(one);
    fmpz_clear(three);
}

/* The largest number of each format. */
static void test_most(void)
{
    static const struct {
        const char *name;
        double most;
    } formats[] = {{"binary32", 0x1.fffffep127}, {"bfloat16", 0x1.fep127},
                   {"binary16", 65504},          {"float8_e4m3fn", 448},
                   {"float8_e5m2", 57344},       {"float8_e4m3fnuz", 240},
                   {"float6_e3m2fn", 28},        {"float6_e2m3fn", 7.5},
                   {"float4_e2m1fn", 6},         {"p=3:emin=-3:emax=2", 7}};

    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        attest_format format;

        if (attest_format_parse(&format, formats[i].name, NULL) != ATTEST_OK)
            abort();
        TAP_OK(attest_format_get_most(&format) == formats[i].most, "%s: %g is the largest",
               formats[i].name, attest_format_get_most(&format));
    }
}

/* Scales are powers of two: the nearest one, the larger of two that are as near. */
static void test_scales(void)
{
    static const struct {
        double x, scale; /* 0: none */
    } of[] = {{1, 1},
              {1.4999, 1},
              {1.5, 2},
              {2.9999, 2},
              {3, 4},
              {0.75, 1},
              {0.7499, 0.5},
              {0x1p-127, 0x1p-127},
              {1e-300, 0x1p-127},
              {0x1.7p127, 0x1p127},
              {0x1.8p127, 0},
              {0, 0},
              {-1, 0},
              {HUGE_VAL, 0}};
    attest_format format;

    if (attest_format_parse(&format, "float8_e8m0fnu", NULL) != ATTEST_OK)
        abort();
    for (size_t i = 0; i < sizeof of / sizeof of[0]; i++) {
        double scale = attest_format_cast(of[i].x, &format);

        TAP_OK(of[i].scale > 0 ? scale == of[i].scale : isnan(scale), "the scale of %g is %g",
               of[i].x, scale);
    }
}

TEST(format)
{
    test_names();
    test_arithmetic("float8_e4m3fn");
    test_arithmetic("float8_e5m2");
    test_arithmetic("float8_e4m3fnuz");
    test_arithmetic("float6_e3m2fn");
    test_arithmetic("float6_e2m3fn");
    test_arithmetic("float4_e2m1fn");
    test_arithmetic("float8_e4m3fn:saturating");
    test_arithmetic("float8_e5m2:saturating");
    test_arithmetic("p=2:emin=-3:emax=2");
    test_arithmetic("p=1:emin=-3:emax=3");
    test_conversion("binary16", "float8_e4m3fn");
    test_conversion("bfloat16", "float8_e5m2");
    test_conversion("bfloat16", "binary16");
    test_neighbours("binary16");
    test_neighbours("bfloat16");
    test_neighbours("float8_e4m3fn");
    test_neighbours("p=5:emin=2:emax=9");
    test_range_is_restored();
    test_nearest_double();
    test_most();
    test_scales();
    flint_cleanup();
    mpfr_free_cache();
    return 0;
}
