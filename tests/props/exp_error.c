/* Whether a double is the exponential that attest/kernel.h promises: by neighbours of the C
 * library's results, which are within one unit, and at the edges. */
#include <float.h>
#include <math.h>

#include <attest/flint.h>

#include "props/attention_rows.h"
#include "tests/tap.h"

/* Of the doubles near e^x one is always accepted, none further than the next but one. */
static void test_neighbours(void)
{
    uint64_t state = tap_seed(0xe4b);
    size_t accepted = 0, twice = 0, wrong = 0;

    for (int i = 0; i < 20000; i++) {
        double x = (double)(int64_t)tap_random(&state) * 0x1p-63 * (i % 2 ? 700 : 1);
        double y = exp(x), low = nextafter(y, 0), high = nextafter(y, INFINITY);
        int near = (attest_exp_compare(low, x) > 0) + (attest_exp_compare(y, x) > 0) +
                   (attest_exp_compare(high, x) > 0);
        accepted += near > 0;
        twice += near > 1;
        wrong += near > 2 || attest_exp_compare(nextafter(low, 0), x) > 0 ||
                 attest_exp_compare(nextafter(high, INFINITY), x) > 0;
    }
    TAP_OK(accepted == 20000, "some double is near enough");
    TAP_OK(wrong == 0, "no more than two are");
    /* 0.60 + 0.60 - 1: how often two doubles are within 0.60. */
    TAP_OK(twice > 3400 && twice < 4600, "two are for every fifth: %zu of 20000", twice);
}

static void test_edges(void)
{
    const double over = 0x1.62e42fefa39efp+9, last = -0x1.74910d52d3051p+9;

    TAP_OK(attest_exp_compare(1, 0) > 0 && attest_exp_compare(nextafter(1, 0), 0) < 0,
           "exp(0) is 1");
    TAP_OK(attest_exp_compare(1, DBL_TRUE_MIN) > 0 && attest_exp_compare(1, -0x1p-600) > 0 &&
               attest_exp_compare(nextafter(1, 2), 0x1p-600) < 0 &&
               attest_exp_compare(nextafter(1, 0), -0x1p-600) < 0,
           "next to 1");
    TAP_OK(attest_exp_compare(exp(over), over) > 0 && attest_exp_compare(INFINITY, over) < 0,
           "the last that does not overflow");
    TAP_OK(attest_exp_compare(INFINITY, nextafter(over, 1000)) > 0 &&
               attest_exp_compare(DBL_MAX, nextafter(over, 1000)) < 0,
           "the first that does");
    TAP_OK(attest_exp_compare(INFINITY, 1e300) > 0 && attest_exp_compare(DBL_MAX, 1e300) < 0 &&
               attest_exp_compare(0, -1e300) > 0 &&
               attest_exp_compare(DBL_TRUE_MIN, -1e300) < 0,
           "far outside");
    TAP_OK(attest_exp_compare(DBL_TRUE_MIN, nextafter(last, 0)) > 0 &&
               attest_exp_compare(0, 1 + last) < 0 && attest_exp_compare(0, last - 1) > 0,
           "subnormal results are rounded once");
    TAP_OK(attest_exp_compare(NAN, 1) < 0 && attest_exp_compare(-1, 1) < 0, "no number");
}

TEST(exp_error)
{
    test_neighbours();
    test_edges();
    flint_cleanup();
    return 0;
}
