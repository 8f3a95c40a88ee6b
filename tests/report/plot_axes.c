/* plot_axes.c -- axes of any magnitude: whole ticks, everything covered, nothing expanded.
 */
#include <math.h>
#include <string.h>

#include "report/plot.h"
#include "tests/tap.h"

static void check_axis(attest_scale_kind kind, double low, double high, const char *what)
{
    attest_scale scale;
    double tick[ATTEST_SCALE_MOST], last = -INFINITY;
    size_t count, wrong = 0;
    char base[32], exponent[32], before[64] = "";

    attest_scale_set(&scale, kind, low, high, 6);
    scale.from = 10;
    scale.to = 110;
    count = attest_scale_get_ticks(tick, &scale);
    TAP_OK(count >= 2 && count <= 14, "%s: %zu ticks", what, count);
    for (size_t i = 0; i < count; i++) {
        double at = attest_scale_get(&scale, tick[i]);
        char now[64];
        attest_scale_format(base, exponent, &scale, tick[i]);
        snprintf(now, sizeof now, "%s^%s", base, exponent);
        /* evenly spaced, from the first end to the last, no label twice or long */
        wrong += fabs(at - (10 + 100 * (double)i / (double)(count - 1))) > 1e-6;
        wrong += !(at > last) || strcmp(now, before) == 0 || strlen(now) > 24;
        strcpy(before, now);
        last = at;
    }
    TAP_OK(wrong == 0, "%s: even, different, short labels (last %s)", what, before);
    TAP_OK(attest_scale_get(&scale, low) >= 10 && attest_scale_get(&scale, high) <= 110 &&
               attest_scale_get(&scale, low) <= attest_scale_get(&scale, high),
           "%s: both ends lie inside", what);
}

static void check_axes(void)
{
    check_axis(ATTEST_SCALE_LINEAR, 0, 100, "linear");
    check_axis(ATTEST_SCALE_LINEAR, -0.0003, 0.0011, "linear, small");
    check_axis(ATTEST_SCALE_LINEAR, 3e11, 9e11, "linear, large");
    check_axis(ATTEST_SCALE_LINEAR, 5, 5, "a single value");
    check_axis(ATTEST_SCALE_EXPONENT, -642457, 3.5, "2^-642457 and 2^3.5");
    check_axis(ATTEST_SCALE_EXPONENT, -1e9, 0, "2^-1000000000");
    check_axis(ATTEST_SCALE_EXPONENT, -6.25, -6.25, "a single exponent");
    check_axis(ATTEST_SCALE_OCTAVES, 1, 4096, "bits 1 ... 4096");
    check_axis(ATTEST_SCALE_OCTAVES, 17, 17, "17 bits");
    check_axis(ATTEST_SCALE_DECADES, 0.004, 1130760, "decades");
    check_axis(ATTEST_SCALE_DECADES, 0, -1, "logarithms of nothing");
    check_axis(ATTEST_SCALE_EXPONENT, NAN, INFINITY, "nothing finite");
}

static void check_labels(void)
{
    attest_scale scale;
    char base[32], exponent[32];

    attest_scale_set(&scale, ATTEST_SCALE_EXPONENT, -642457, 0, 6);
    attest_scale_format(base, exponent, &scale, -600000);
    TAP_OK(strcmp(base, "2") == 0 && strcmp(exponent, "\xE2\x88\x92"
                                                      "600\xE2\x80\xAF"
                                                      "000") == 0,
           "2^-600 000 keeps its exponent: %s^%s", base, exponent);
    attest_scale_set(&scale, ATTEST_SCALE_DECADES, 1, 1e6, 6);
    attest_scale_format(base, exponent, &scale, 1e5);
    TAP_OK(strcmp(base, "10") == 0 && strcmp(exponent, "5") == 0, "10^5");
    attest_scale_format(base, exponent, &scale, 100);
    TAP_OK(strcmp(base, "100") == 0 && !*exponent, "100");
    attest_scale_set(&scale, ATTEST_SCALE_LINEAR, 0, 0.4, 4);
    attest_scale_format(base, exponent, &scale, 0.1);
    TAP_OK(strcmp(base, "0.1") == 0, "0.1");
}

static void check_number(double value, int digits, const char *expected)
{
    char text[64];

    TAP_OK(strcmp(attest_scale_format_number(text, value, digits), expected) == 0, "%g: %s",
           value, text);
}

static void check_numbers(void)
{
    check_number(0, 2, "0");
    check_number(-0.001, 2,
                 "\xE2\x88\x92"
                 "1.00e\xE2\x88\x92"
                 "3");
    check_number(1234, 0, "1234");
    check_number(1234567, 0,
                 "1\xE2\x80\xAF"
                 "234\xE2\x80\xAF"
                 "567");
    check_number(-1130750.5, 2,
                 "\xE2\x88\x92"
                 "1\xE2\x80\xAF"
                 "130\xE2\x80\xAF"
                 "750.5");
    check_number(0.125, 4, "0.125");
    check_number(9.99999e20, 2, "1.00e21");
    check_number(NAN, 2, "not a number");
    check_number(-INFINITY, 2, "\xE2\x88\x92\xE2\x88\x9E");
}

TEST(plot_axes)
{
    check_axes();
    check_labels();
    check_numbers();
    return 0;
}
