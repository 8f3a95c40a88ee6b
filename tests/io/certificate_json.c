/* certificate_json.c -- the decimals and intervals that a certificate displays beside a ball.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "io/certificate_json.h"
#include "tests/tap.h"

/* ball = (mid +- rad) 2^exponent. */
static void set(arb_t ball, long mid, unsigned long rad, long exponent)
{
    arb_set_si(ball, mid);
    mag_set_ui(arb_radref(ball), rad);
    arb_mul_2exp_si(ball, ball, exponent);
}

static bool shows_log2(const char *text, const arb_t ball)
{
    bool shows = false;

    return attest_certificate_shows_log2(&shows, text, ball) == ATTEST_OK && shows;
}

static bool shows_text(const char *text, const arb_t ball)
{
    bool shows = false;

    return attest_certificate_shows_text(&shows, text, ball) == ATTEST_OK && shows;
}

/* log2 of powers of two is an integer; of 1 to 9 a unit in the 15th digit is 10^-14. */
static void test_log2(void)
{
    static const struct {
        long exponent;
        const char *text;
        bool shown;
    } c[] = {{1, "1", true},
             {1, "1.00000000000000", true},
             {1, "1.00000000000002", true},
             {1, "0.99999999999998", true},
             {1, "1.000000000000020001", false},
             {1, "0.999999999999979999", false},
             {1, "1.00000000000003", false},
             {1, "-1", false},
             {-1, "-1.00000000000002", true},
             {-1, "-0.99999999999998", true},
             {-1, "-1.00000000000003", false},
             {-1, "-0.99999999999997", false},
             {-1, "1", false},
             {9, "9.00000000000002", true},
             {9, "8.99999999999998", true},
             {9, "9.000000000000020001", false},
             {9, "8.99999999999997", false},
             {-9, "-9.00000000000003", false},
             {10, "10.0000000000002", true},
             {10, "9.9999999999998", true},
             {10, "10.0000000000003", false},
             {99, "99.0000000000003", false},
             {100, "100.000000000002", true},
             {100, "100.000000000003", false},
             {999999, "999999.000000002", true},
             {999999, "999999.000000003", false},
             {1000000, "1000000.00000002", true},
             {1000000, "1000000.00000003", false},
             {0, "0", true},
             {0, "1e-30", false},
             {3, "", false},
             {3, "three", false},
             {3, "3 ", false}};
    arb_t ball;

    arb_init(ball);
    for (size_t i = 0; i < sizeof c / sizeof c[0]; i++) {
        set(ball, 1, 0, c[i].exponent);
        TAP_OK(shows_log2(c[i].text, ball) == c[i].shown, "log2 of 2^%ld: \"%s\" is %s",
               c[i].exponent, c[i].text, c[i].shown ? "true" : "not");
    }
    set(ball, 3, 1, 0); /* that of its midpoint: log2 3 = 1.58496250072115618... */
    TAP_OK(shows_log2("1.58496250072116", ball) && !shows_log2("1.58496250072120", ball),
           "that of the midpoint");
    set(ball, 1025, 0, -10); /* 0.00140819...: digits count from the first that is not 0 */
    TAP_OK(shows_log2("0.00140819439280839", ball) &&
               !shows_log2("0.00140819439280842", ball) &&
               !shows_log2("0.00140819439280836", ball),
           "a log2 near 0");
    set(ball, 1, 1, 0);
    TAP_OK(!shows_log2("0", ball), "a ball that contains 0 has none");
    set(ball, -2, 0, 0);
    TAP_OK(!shows_log2("1", ball), "a negative ball has no logarithm");
    arb_clear(ball);
}

/* A text that is not a number and a wrong number are different errors. */
static void test_no_log2(void)
{
    static const char *const bad[] = {"",     "three", "3 ",  " 3",  "3.0.0", "[3]",   ".",
                                      "-",    "-.e1",  "3e",  "3e+", "3e+-0", "3e--0", "3e 0",
                                      "3e0 ", "+3",    "--3", "3/1", "0x3p0", "3e0.0"};
    bool shows = true;
    arb_t ball;

    arb_init(ball);
    for (size_t i = 0; i < 2 * (sizeof bad / sizeof bad[0]); i++) {
        set(ball, i % 2 ? 8 : -8, 0, 0);
        TAP_OK(attest_certificate_shows_log2(&shows, bad[i / 2], ball) == ATTEST_FORMAT &&
                   !shows,
               "no log2: \"%s\"", bad[i / 2]);
    }
    TAP_OK(attest_certificate_shows_log2(&shows, "3", ball) == ATTEST_OK && shows &&
               attest_certificate_shows_log2(&shows, "4", ball) == ATTEST_OK && !shows,
           "3 and not 4");
    arb_clear(ball);
}

/* Separations can be so small that their logarithms exceed the numbers of other files. */
static void test_large_log2(void)
{
    static const struct {
        const char *text;
        bool shown;
    } c[] = {{"-1e100001", true},
             {"-1.00000000000002E+100001", true},
             {"-0.99999999999998e100001", true},
             {"-10000000000000.1e99988", true},
             {"-1.00000000000003e+100001", false},
             {"-0.999999999999979999e+100001", false},
             {"1e100001", false},
             {"-1e100000", false},
             {"-1e100401", false},
             {"-1e100402", false},
             {"-1e-100001", false},
             {"-1e99601", false},
             {"-1e99600", false},
             {"-1e123456789012345678901234567890", false},
             {"-1e-123456789012345678901234567890", false},
             {"0e100001", false}};
    fmpz_t exponent;
    arb_t ball;

    fmpz_init(exponent);
    arb_init(ball);
    fmpz_set_si(exponent, -10);
    fmpz_pow_ui(exponent, exponent, 100001);
    arb_one(ball);
    arb_mul_2exp_fmpz(ball, ball, exponent);
    for (size_t i = 0; i < sizeof c / sizeof c[0]; i++)
        TAP_OK(shows_log2(c[i].text, ball) == c[i].shown, "log2 of 2^-10^100001: \"%s\" is %s",
               c[i].text, c[i].shown ? "true" : "not");
    set(ball, 1, 0, 8);
    TAP_OK(shows_log2("8e0", ball) && shows_log2(".8e+1", ball) && shows_log2("80.E-1", ball) &&
               shows_log2("-0.8e-00", ball) == false,
           "every form of a decimal");
    fmpz_clear(exponent);
    arb_clear(ball);
}

/* Numbers of 200 characters are the longest. */
static void test_length(void)
{
    char text[256];
    arb_t ball;

    arb_init(ball);
    set(ball, 1, 0, 1);
    for (int length = 199; length <= 202; length++) {
        memset(text, '0', sizeof text);
        memcpy(text, "1.", 2);
        text[length] = '\0';
        TAP_OK(shows_log2(text, ball) == (length <= 200), "a log2 of %d characters", length);
        set(ball, 1, 0, 0);
        TAP_OK(shows_text(text, ball) == (length <= 200), "a text of %d characters", length);
        set(ball, 1, 0, 1);
    }
    arb_clear(ball);
}

static void test_text(void)
{
    static const struct {
        long mid;
        unsigned long rad;
        long exponent;
        const char *text;
        bool shown;
    } c[] = {{1, 0, 0, "1", true},
             {1, 0, 0, "1.0000000000000000000", true},
             {1, 0, 0, "1.0000000000000000001", false},
             {3, 0, -1, "1.5", true},
             {-3, 0, -1, "-1.5", true},
             {-3, 0, -1, "1.5", false},
             {1, 0, 0, "[1.5 +/- 0.5]", true},
             {1, 0, 0, "[1.5 +/- 0.4999]", false},
             {1, 0, 0, "[0.5 +/- 0.5]", true},
             {1, 0, 0, "[0.5 +/- 0.4999]", false},
             {4, 1, -2, "[1 +/- 0.25]", true},
             {4, 1, -2, "[1 +/- 0.2499]", false},
             {4, 1, -2, "[1.25 +/- 0.5]", true},
             {4, 1, -2, "[1.25 +/- 0.49]", false},
             {4, 1, -2, "1", false},
             {0, 1, 0, "[+/- 1]", true},
             {0, 1, 0, "[+/- 0.999]", false},
             {0, 0, 0, "0", true},
             /* powers of two */
             {8, 2, 0, "[1 +/- 0.25] * 2^3", true},
             {8, 2, 0, "[1 +/- 0.25] * 2^2", false},
             {8, 2, 0, "[1 +/- 0.25] * 2^4", false},
             {1, 0, -5, "1 * 2^-5", true},
             {1, 0, 200000, "1 * 2^200000", true},
             {1, 0, -200000, "1 * 2^-200000", true},
             {4, 1, 200000, "[1 +/- 0.25] * 2^200002", true}};
    arb_t ball;

    arb_init(ball);
    for (size_t i = 0; i < sizeof c / sizeof c[0]; i++) {
        set(ball, c[i].mid, c[i].rad, c[i].exponent);
        TAP_OK(shows_text(c[i].text, ball) == c[i].shown, "(%ld +- %lu) 2^%ld: \"%s\" is %s",
               c[i].mid, c[i].rad, c[i].exponent, c[i].text, c[i].shown ? "true" : "not");
    }
    arb_clear(ball);
}

/* What is written in another way; with a blank or a sign more, too. All would be true of 1. */
static void test_no_text(void)
{
    static const char *const bad[] = {"",
                                      " * 2^0",
                                      "1 * 2^",
                                      "1 * 2^-",
                                      "1 * 2^x",
                                      "1 * 2^0 ",
                                      "1 * 2^ 0",
                                      "1 * 2^- 0",
                                      "1 * 2^0 0",
                                      "1 * 2^+0",
                                      "1 * 2^--0",
                                      "1 * 2^0x0",
                                      "1 * 2^0\t",
                                      "1 * 2^0 * 2^0",
                                      "1 * 3^0",
                                      "1 *",
                                      "1 ",
                                      " 1",
                                      "[1 +/- 1",
                                      "[1 +/- 1)",
                                      "[1+/- 1]",
                                      "[1 +/-1]",
                                      "[1  +/- 1]",
                                      "[1 +/-  1]",
                                      "[1 +/- 1 ]",
                                      "[ 1 +/- 1]",
                                      "[1 +/- 1] ",
                                      "[1]",
                                      "[1 * 2^+/- 1]",
                                      "[x +/- 1]",
                                      "[1 +/- x]",
                                      "[1 +/- ]",
                                      "[+/- ]",
                                      "[",
                                      "[1 +/- 1]]",
                                      "1 +/- 1]",
                                      "[ +/- 1]"};
    bool shows = true;
    arb_t ball;

    arb_init(ball);
    set(ball, 1, 0, 0);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        TAP_OK(attest_certificate_shows_text(&shows, bad[i], ball) == ATTEST_FORMAT && !shows,
               "no interval: \"%s\"", bad[i]);
    TAP_OK(attest_certificate_shows_text(&shows, "1 * 2^-0", ball) == ATTEST_OK && shows &&
               attest_certificate_shows_text(&shows, "2", ball) == ATTEST_OK && !shows,
           "1 and not 2");
    arb_clear(ball);
}

/* The longest exponent that is read has 2^21 characters. */
static void test_long_shift(void)
{
    static char text[(1 << 21) + 16];
    arb_t ball;
    bool ok = true;

    arb_init(ball);
    set(ball, 1, 0, 1);
    for (int more = -1; more <= 1; more++) {
        size_t length = (size_t)((1 << 21) + more);
        memset(text, '0', sizeof text);
        memcpy(text, "1 * 2^", 6);
        text[6 + length - 1] = '1';
        text[6 + length] = '\0';
        ok = ok && shows_text(text, ball) == (more <= 0);
    }
    TAP_OK(ok, "exponents of 2^21 characters, and no more");
    arb_clear(ball);
}

/* Beyond 2^100000 nothing is true that has no power of two; below 2^-100000 midpoints and radii
 * count as radii of that size. 2^100000 is 10^30102.99... */
static void test_far(void)
{
    static const struct {
        long mid;
        unsigned long rad;
        long exponent;
        const char *text;
        bool shown;
    } c[] = {{1, 0, 99999, "[+/- 1e30200]", true},
             {1, 0, 99999, "[+/- 1e30100]", false},
             {1, 0, 100000, "[+/- 1e30200]", false},
             {-1, 0, 99999, "[+/- 1e30200]", true},
             {-1, 0, 100000, "[+/- 1e30200]", false},
             {0, 1, 99999, "[+/- 1e30200]", true},
             {0, 1, 100000, "[+/- 1e30200]", false},
             {1, 0, -99999, "[+/- 1]", true},
             {1, 0, -100000, "[+/- 1]", true},
             {-1, 0, -100001, "[+/- 1]", true},
             {1, 0, -100001, "[+/- 1e-30100]", true},
             {1, 0, -100001, "[+/- 1e-30200]", false},
             {1, 0, -100001, "0", false},
             {1, 1, -200000, "[+/- 1e-30102]", true},
             {0, 1, -99999, "[+/- 1e-30100]", true},
             {0, 1, -99999, "[+/- 1e-30200]", false},
             {0, 1, -200000, "[+/- 1e-30100]", true},
             {0, 1, -200000, "[+/- 1e-30200]", false}};
    arb_t ball;

    arb_init(ball);
    for (size_t i = 0; i < sizeof c / sizeof c[0]; i++) {
        set(ball, c[i].mid, c[i].rad, c[i].exponent);
        TAP_OK(shows_text(c[i].text, ball) == c[i].shown, "(%ld +- %lu) 2^%ld: \"%s\" is %s",
               c[i].mid, c[i].rad, c[i].exponent, c[i].text, c[i].shown ? "true" : "not");
    }
    set(ball, 1, 0, 0); /* a radius that counts as 2^-100000 */
    mag_set_ui_2exp_si(arb_radref(ball), 1, -200000);
    TAP_OK(shows_text("[1 +/- 1e-30100]", ball) && !shows_text("[1 +/- 1e-30200]", ball) &&
               !shows_text("1", ball),
           "a tiny radius counts as 2^-100000");
    set(ball, 1, 0, -779473); /* a midpoint far below the radius, as a slack leaves it */
    mag_set_ui_2exp_si(arb_radref(ball), 5, -4);
    TAP_OK(shows_text("[+/- 0.313]", ball) && !shows_text("[+/- 0.3125]", ball) &&
               !shows_text("[+/- 0.312]", ball),
           "a tiny midpoint counts as a radius");
    arb_clear(ball);
}

/* Returns whether a certificate with this order of its witness is read, with every member. */
static bool reads_order(const char *order)
{
    static const char *const text =
        "{\"format\": \"attest/certificate\", \"version\": 1, \"claim\": "
        "\"contextual-mapping\", \"verdict\": \"proved\", \"method\": \"first-difference\", "
        "\"precision_bits\": 128, \"r\": null, \"delta\": \"0\", \"min_separation\": {\"mid\": "
        "\"0x1p+1\", \"rad\": \"0x0p+0\", \"log2\": \"1\", \"text\": \"2\"}, \"pair\": [[0, "
        "1], "
        "[2, 3]], \"max_norm\": {\"mid\": \"0x1p+2\", \"rad\": \"0x0p+0\", \"log2\": \"2\", "
        "\"text\": \"4\"}, \"max_norm_at\": [4, 5], \"witness\": {\"lemma\": "
        "\"first-difference\", \"neighbours\": [[6, 7], [8, 9]], \"order\": %s, \"common\": "
        "10, "
        "\"gap\": \"3/2\", \"bound\": {\"mid\": \"0x1p+0\", \"rad\": \"0x0p+0\", \"log2\": "
        "\"0\", \"text\": \"1\"}}, \"inputs\": [{\"role\": \"dataset\", \"path\": \"d\", "
        "\"sha256\": \"%064d\", \"size\": 11}, {\"role\": \"weights\", \"path\": \"w\", "
        "\"sha256\": \"%064d\", \"size\": 12}], \"versions\": {\"attest\": \"0\", \"flint\": "
        "\"0\"}}";
    char path[] = "/tmp/attest-order-XXXXXX";
    int descriptor = mkstemp(path);
    FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "w");
    attest_certificate certificate;
    const attest_certificate_witness *w = &certificate.witness;
    attest_error error = {ATTEST_OK, ""};
    bool ok;

    if (!file)
        abort();
    fprintf(file, text, order, 0, 0);
    fclose(file);
    attest_certificate_init(&certificate);
    ok = attest_certificate_read(&certificate, path, NULL, &error) == ATTEST_OK && w->present &&
         w->order == atoi(order) && w->common == 10 && w->neighbours[0].sequence == 6 &&
         w->neighbours[0].position == 7 && w->neighbours[1].sequence == 8 &&
         w->neighbours[1].position == 9 && fmpz_equal_ui(fmpq_numref(w->gap), 3) &&
         fmpz_equal_ui(fmpq_denref(w->gap), 2) && arb_is_one(w->bound) &&
         certificate.largest.sequence == 4 && certificate.largest.position == 5;
    if (!ok)
        printf("# %s\n", error.text);
    attest_certificate_clear(&certificate);
    unlink(path);
    return ok;
}

static void test_witness(void)
{
    TAP_OK(reads_order("1") && reads_order("-1"), "witnesses of both orders are read");
    TAP_OK(!reads_order("0") && !reads_order("2") && !reads_order("-2"), "there is no other");
}

TEST(certificate_json)
{
    test_witness();
    test_log2();
    test_no_log2();
    test_large_log2();
    test_length();
    test_text();
    test_no_text();
    test_long_shift();
    test_far();
    flint_cleanup();
    return 0;
}
