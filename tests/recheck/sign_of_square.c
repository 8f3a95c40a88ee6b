/* Distances and norms against numbers on the second route, at any magnitude: equal ones, those
 * that differ by less than balls show, and what caps on bits and terms leave open. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/dataset.h"
#include "io/weights_json.h"
#include "recheck/exp_sum.h"
#include "recheck/recheck.h"
#include "tests/tap.h"

enum { ROOM = 4096, DEEP = 30 };

/* The token (x, y) scores x times its own first entry, and its y is averaged into the second:
 * the output at (1, 0) is (1, p), p the mean of y under softmax of x. */
static const char layer[] =
    "{\"format\":\"attest/weights\",\"version\":1,\"activation\":\"%s\",\"heads\":"
    "[{\"WQ\":[[1,0]],\"WK\":[[1,0]],\"WV\":[[0,1]],\"WO\":[[0],[1]]}]}";

typedef struct scene {
    attest_dataset dataset;
    attest_weights weights;
    attest_recheck check;
} scene;

static void scene_init(scene *s, const char *activation, const char *sequences)
{
    char text[ROOM + 100];
    int length;

    attest_dataset_init(&s->dataset);
    attest_weights_init(&s->weights);
    length =
        snprintf(text, sizeof text,
                 "{\"format\":\"attest/dataset\",\"version\":1,\"sequences\":[%s]}", sequences);
    if (attest_dataset_parse_json(&s->dataset, text, (size_t)length, NULL, NULL) != ATTEST_OK)
        abort();
    length = snprintf(text, sizeof text, layer, activation);
    if (attest_weights_parse_json(&s->weights, text, (size_t)length, NULL, NULL) != ATTEST_OK ||
        attest_recheck_init(&s->check, &s->dataset, &s->weights, NULL) != ATTEST_OK)
        abort();
}

static void scene_clear(scene *s)
{
    attest_recheck_clear(&s->check);
    attest_weights_clear(&s->weights);
    attest_dataset_clear(&s->dataset);
}

/* How the distance of the outputs at the first tokens of two sequences, or for one the norm,
 * compares with n/d + sign 2^-400. */
static int compare(scene *s, size_t a, size_t b, long n, unsigned long d, int sign)
{
    fmpq_t x, little;
    int order;

    fmpq_init(x), fmpq_init(little);
    fmpq_set_si(x, n, d);
    fmpq_set_si(little, sign, 1);
    fmpq_div_2exp(little, little, 400);
    fmpq_add(x, x, little);
    order = attest_recheck_compare(&s->check, s->dataset.start[a], s->dataset.start[b], x,
                                   ATTEST_CERTIFY_MAX_BITS);
    fmpq_clear(x), fmpq_clear(little);
    return order;
}

/* The same with 2^exponent, and a cap on bits. */
static int compare_end(scene *s, size_t a, size_t b, slong exponent, long max_bits)
{
    arf_t x;
    int order;

    arf_init(x);
    arf_one(x);
    arf_mul_2exp_si(x, x, exponent);
    order = attest_recheck_compare_end(&s->check, s->dataset.start[a], s->dataset.start[b], x,
                                       max_bits);
    arf_clear(x);
    return order;
}

/* Of (1, 3/4) and (1, 0) the distance is 3/4 and the norms are 5/4 and 1; 3/8 where (1, 3/2)
 * has the same score as four that are 0. */
static void test_equal(const char *activation)
{
    scene s;

    scene_init(&s, activation,
               "[[1,0],[1,\"3/2\"]],[[1,0]],[[1,0],[1,0],[1,0],[1,\"3/2\"]],"
               "[[1,0],[1,0],[1,\"3/2\"],[1,\"3/2\"]]");
    TAP_OK(compare(&s, 0, 1, 3, 4, 0) == 0 && compare(&s, 0, 1, 3, 4, 1) == -1 &&
               compare(&s, 0, 1, 3, 4, -1) == 1,
           "%s: a distance of 3/4, and 2^-400 beside it", activation);
    TAP_OK(compare(&s, 0, 0, 5, 4, 0) == 0 && compare(&s, 0, 0, 5, 4, 1) == -1 &&
               compare(&s, 0, 0, 5, 4, -1) == 1 && compare(&s, 1, 1, 1, 1, 0) == 0,
           "%s: norms of 5/4 and 1", activation);
    TAP_OK(compare(&s, 2, 1, 3, 8, 0) == 0 && compare(&s, 0, 2, 3, 8, 0) == 0 &&
               compare(&s, 0, 3, 0, 1, 0) == 0 && compare(&s, 0, 3, 0, 1, 1) == -1 &&
               compare(&s, 0, 2, 0, 1, 0) == 1,
           "%s: tokens that occur several times", activation);
    TAP_OK(compare_end(&s, 0, 1, 0, 1000) == -1 && compare_end(&s, 0, 1, -1, 1000) == 1 &&
               compare_end(&s, 1, 1, 0, 1000) == 0 && compare_end(&s, 0, 1, -5000, 1000) == 1 &&
               compare_end(&s, 0, 1, 5000, 1000) == -1,
           "%s: powers of two, far ones as well", activation);
    s.check.work_left = 0;
    memset(s.check.bits, 0, s.check.positions * sizeof *s.check.bits);
    TAP_OK(compare(&s, 0, 1, 0, 1, 0) == 2 && compare_end(&s, 0, 1, -5000, 1000) == 2 &&
               s.check.met_work,
           "%s: no work is allowed", activation);
    scene_clear(&s);
}

/* The work of a comparison with 1/3. */
static double work_of(scene *s, size_t a, size_t b)
{
    const double all = 0x1p40;

    s->check.work_left = all;
    compare(s, a, b, 1, 3, 0);
    return all - s->check.work_left;
}

/* Two outputs take the work of each, a norm that of one, and what was evaluated before is kept.
 * The distance is 1/3, which balls do not decide. */
static void test_work(void)
{
    static const char thirds[] = "[[1,0],[1,0],[1,1]],[[1,0]]";
    double norm[2], both;
    scene s;

    for (size_t i = 0; i < 2; i++) {
        scene_init(&s, "softmax", thirds);
        norm[i] = work_of(&s, i, i);
        scene_clear(&s);
    }
    scene_init(&s, "softmax", thirds);
    both = work_of(&s, 0, 1);
    TAP_OK(norm[0] > norm[1] && norm[1] > 0 && fabs(both - norm[0] - norm[1]) < 1e-3 * both,
           "the work of a distance is that of both norms");
    TAP_OK(work_of(&s, 0, 1) == 0 && work_of(&s, 1, 0) == 0 && work_of(&s, 0, 0) == 0,
           "a distance that was evaluated before needs no work");
    scene_clear(&s);
    scene_init(&s, "softmax", thirds);
    s.check.work_left = norm[0] + norm[1] / 2;
    TAP_OK(compare(&s, 0, 1, 1, 3, 0) == 2 && s.check.met_work,
           "half of the second is too little");
    scene_clear(&s);
}

/* Returns whether outputs are equal takes no bits where they are rational. */
static void test_zero(const char *activation)
{
    arb_t square;
    arf_t zero;
    scene s;

    arf_init(zero);
    scene_init(&s, activation, "[[1,0],[1,0],[1,\"3/2\"]],[[1,0]]");
    arb_init(square);
    arb_one(square);
    TAP_OK(attest_recheck_square(square, &s.check, 0, 1, 64, 100) && arb_is_zero(square),
           "%s: the square of a distance of 0 is 0", activation);
    arb_clear(square);
    TAP_OK(attest_recheck_compare_end(&s.check, 0, 1, zero, 100) == 0 &&
               attest_recheck_compare_end(&s.check, 0, s.dataset.start[1], zero, 100) == 1,
           "%s: distances against 0", activation);
    arf_clear(zero);
    scene_clear(&s);
}

/* A distance of 1/2, by a mean of three; distances far from the bound are decided by balls,
 * whatever the limit of terms. */
static void test_routes(void)
{
    fmpq_t x;
    scene s;

    fmpq_init(x);
    scene_init(&s, "softmax", "[[1,0],[1,0],[1,\"3/2\"]],[[1,0]],[[1,0],[3,1]],[[1,0],[5,1]]");
    TAP_OK(compare_end(&s, 0, 1, -1, 1000) == 0 && compare_end(&s, 0, 1, -2, 1000) == 1,
           "a distance of a half");
    s.check.max_terms = 0;
    TAP_OK(compare(&s, 2, 3, 0, 1, 0) == 1 && compare(&s, 2, 3, 1, 1, 0) == -1 &&
               !s.check.met_terms &&
               attest_recheck_order(&s.check, s.dataset.start[2], s.dataset.start[3], x,
                                    1000) == 2,
           "balls decide if sums may have no terms");
    TAP_OK(compare_end(&s, 2, 3, 100000000, 100) == -1 &&
               compare_end(&s, 2, 3, -100000000, 100) == 1,
           "balls decide distant bounds with any number of bits");
    fmpq_clear(x);
    scene_clear(&s);
}

/* (1, 3/8) beside (x, 11/8), x about -10^8: the output is (1, 3/4 + p), where p is e^(x - 1)
 * except for less than its square. Distances: of the first two e^-(10^8 + 1) (1 - 1/e) =
 * 2^-144269506.19..., of the first and the third, whose x is 10^-60 less, e^-(10^8 + 1) 10^-60
 * = 2^-144269704.84...: there 200 bits cancel. */
static void test_far(void)
{
    char text[ROOM];
    scene s;

    snprintf(text, sizeof text,
             "[[1,\"3/8\"],[-100000000,\"11/8\"]],[[1,\"3/8\"],[-100000001,\"11/8\"]],"
             "[[1,\"3/8\"],[\"-1%067d1/1%060d\",\"11/8\"]]",
             0, 0);
    scene_init(&s, "softmax", text);
    TAP_OK(compare_end(&s, 0, 1, -144269507, 160) == 1 &&
               compare_end(&s, 0, 1, -144269506, 160) == -1 &&
               compare_end(&s, 1, 0, -144269507, 200) == 1 &&
               compare_end(&s, 1, 0, -144269506, 200) == -1,
           "e^-10^8, in 160 bits");
    TAP_OK(compare_end(&s, 0, 2, -144269705, 470) == 1 &&
               compare_end(&s, 0, 2, -144269704, 470) == -1,
           "10^-60 of it, in 470");
    TAP_OK(compare_end(&s, 0, 2, -144269705, 160) == 2 &&
               compare_end(&s, 0, 1, -144269507, 159) == 2,
           "which fewer bits do not decide");
    TAP_OK(compare(&s, 0, 0, 5, 4, 0) == 1 && compare(&s, 0, 2, 0, 1, 0) == 1,
           "a norm above 5/4, and outputs that are not equal");
    scene_clear(&s);
}

/* A distance of (2^200 + 1) 2^exponent, the mean of three times that and two that are 0: it is
 * decided, although balls of 320 bits do not decide it. */
static void test_long_end(const char *activation, slong exponent)
{
    char above[ROOM / 4], below[ROOM / 2], text[ROOM];
    fmpz_t n, d;
    arf_t x;
    scene s;

    fmpz_init(n), fmpz_init(d), arf_init(x);
    fmpz_one(n), fmpz_one(d);
    fmpz_mul_2exp(n, n, 200);
    fmpz_add_ui(n, n, 1);
    arf_set_fmpz(x, n);
    arf_mul_2exp_si(x, x, exponent);
    fmpz_mul_ui(n, n, 3);
    fmpz_mul_2exp(d, d, (ulong)-exponent);
    snprintf(text, sizeof text, "[[1,0],[1,0],[1,\"%s/%s\"]],[[1,0]]",
             fmpz_get_str(above, 10, n), fmpz_get_str(below, 10, d));
    scene_init(&s, activation, text);
    TAP_OK(attest_recheck_compare_end(&s.check, 0, 3, x, 320) == 0 &&
               compare_end(&s, 0, 1, exponent + 200, 320) == 1 &&
               compare_end(&s, 0, 1, exponent + 201, 320) == -1,
           "%s: (2^200 + 1) 2^%ld is what it is", activation, (long)exponent);
    fmpz_clear(n), fmpz_clear(d), arf_clear(x);
    scene_clear(&s);
}

/* The first distance of test_far against its own 200 bits, rounded down and up. */
static void test_own_bits(void)
{
    scene s;
    arb_t distance, less;
    arf_t end[2];

    arb_init(distance), arb_init(less), arf_init(end[0]), arf_init(end[1]);
    scene_init(&s, "softmax",
               "[[1,\"3/8\"],[-100000000,\"11/8\"]],[[1,\"3/8\"],[-100000001,\"11/8\"]]");
    arb_set_si(distance, -100000001);
    arb_exp(distance, distance, 300);
    arb_set_si(less, -100000002);
    arb_exp(less, less, 300);
    arb_sub(distance, distance, less, 300);
    arf_set_round(end[0], arb_midref(distance), 200, ARF_RND_DOWN);
    arf_set_round(end[1], arb_midref(distance), 200, ARF_RND_UP);
    TAP_OK(attest_recheck_compare_end(&s.check, 0, 2, end[0], 320) == 1 &&
               attest_recheck_compare_end(&s.check, 0, 2, end[1], 320) == -1,
           "e^-10^8 except for 2^-200 of it, in 320 bits");
    TAP_OK(attest_recheck_compare_end(&s.check, 0, 2, end[0], 319) == 2 &&
               attest_recheck_compare_end(&s.check, 0, 2, end[1], 160) == 2,
           "which fewer do not decide");
    arb_clear(distance), arb_clear(less), arf_clear(end[0]), arf_clear(end[1]);
    scene_clear(&s);
}

/* (1, 0) beside (-2^k, 1), k = 1, 2, ... and k = 2, 3, ...: the products of their sums have
 * hundreds of terms, of which a few decide. The difference is that of the means. */
static void test_terms(void)
{
    char text[ROOM];
    size_t at = 0;
    arb_t square, p[2], term, total;
    fmpq_t zero;
    scene s;

    for (int i = 0; i < 2; i++) {
        at += (size_t)sprintf(text + at, "%s[[1,0]", i ? "," : "");
        for (int k = 1 + i; k <= DEEP; k++)
            at += (size_t)sprintf(text + at, ",[-%ld,1]", 1L << k);
        at += (size_t)sprintf(text + at, "]");
    }
    scene_init(&s, "softmax", text);
    fmpq_init(zero), arb_init(square), arb_init(p[0]), arb_init(p[1]);
    arb_init(term), arb_init(total);
    for (int i = 0; i < 2; i++) { /* sum / (1 + sum) */
        for (int k = 1 + i; k < 10; k++) {
            arb_set_si(term, -(1L << k) - 1);
            arb_exp(term, term, 300);
            arb_add(p[i], p[i], term, 300);
        }
        arb_add_ui(total, p[i], 1, 300);
        arb_div(p[i], p[i], total, 300);
    }
    arb_sub(p[0], p[0], p[1], 300);
    arb_sqr(p[0], p[0], 300);
    s.check.max_terms = 100;
    TAP_OK(attest_recheck_order(&s.check, 0, s.dataset.start[1], zero, 1000) == 1 &&
               attest_recheck_square(square, &s.check, 0, s.dataset.start[1], 100, 1000) &&
               arb_overlaps(square, p[0]) && arb_rel_accuracy_bits(square) >= 90 &&
               !s.check.met_terms,
           "100 terms suffice if the first few decide");
    s.check.max_terms = 2;
    TAP_OK(attest_recheck_order(&s.check, 0, s.dataset.start[1], zero, 1000) == 2 &&
               s.check.met_terms,
           "2 do not");
    fmpq_clear(zero), arb_clear(square), arb_clear(p[0]), arb_clear(p[1]);
    arb_clear(term), arb_clear(total);
    scene_clear(&s);
}

/* How many fractions are left of the difference of two outputs, or of one. */
static size_t count_fractions(scene *s, size_t a, size_t b)
{
    attest_recheck_fractions f;
    size_t count;

    attest_recheck_fractions_init(&f, &s->check, s->dataset.start[a], s->dataset.start[b]);
    count = f.failed ? SIZE_MAX : f.count;
    attest_recheck_fractions_clear(&f);
    return count;
}

/* What cancels leaves nothing, and what has one denominator is one fraction. */
static void test_fractions(void)
{
    scene s;

    scene_init(&s, "softmax",
               "[[1,0],[2,1]],[[1,0],[1,0],[2,1],[2,1]],[[1,0],[2,3]],[[1,0],[1,1]],"
               "[[1,0],[3,1]],[[1,0],[2,0],[3,1],[4,1]]");
    TAP_OK(count_fractions(&s, 0, 0) == 1 && count_fractions(&s, 3, 3) == 0,
           "one output: a fraction, or a number");
    TAP_OK(count_fractions(&s, 0, 1) == 0 && count_fractions(&s, 1, 0) == 0,
           "all tokens twice: nothing is left");
    TAP_OK(count_fractions(&s, 0, 2) == 1 && count_fractions(&s, 1, 2) == 1 &&
               count_fractions(&s, 0, 4) == 2,
           "one denominator, or two");
    /* (1 + e)(1 + e^2) below, and 1 + e above: the mean is that of depths 0 and 2. */
    TAP_OK(count_fractions(&s, 5, 5) == 1 && count_fractions(&s, 5, 4) == 0,
           "a common divisor is taken out");
    scene_clear(&s);
}

/* The mean (1 + w)(1 + w^3) / ((1 + w)(1 + w^2)(1 + 2 w^2)), w = 1/e: once 1 + w is divided
 * out, the denominator has even depths only, but the numerator has 3. One more token at -5000
 * moves the mean by 2^-7220.66. */
static void test_stride(void)
{
    static const char keys[] = "[1,0],[1,0],[1,0],[3,1],[2,1],[0,1],[0,0],[0,0],[-1,1],[-1,0],"
                               "[-2,0],[-2,0]";
    char text[ROOM];
    scene s;

    snprintf(text, sizeof text, "[%s],[%s,[-5000,1]]", keys, keys);
    scene_init(&s, "softmax", text);
    TAP_OK(compare_end(&s, 0, 1, -7221, 1000) == 1 && compare_end(&s, 0, 1, -7220, 1000) == -1,
           "a numerator with odd depths over a denominator with even ones");
    scene_clear(&s);
}

TEST(sign_of_square)
{
    test_equal("softmax");
    test_equal("hardmax");
    test_work();
    test_zero("softmax");
    test_zero("hardmax");
    test_routes();
    test_far();
    test_own_bits();
    test_long_end("softmax", -200);
    test_long_end("softmax", -5000);
    test_long_end("hardmax", -200);
    test_long_end("hardmax", -5000);
    test_terms();
    test_fractions();
    test_stride();
    flint_cleanup();
    return 0;
}
