/* printed.c -- the interval of a printed output contains every number that is printed like it,
 * by rationals; a number of a format is found in an interval, or it is excluded. */
#include <math.h>

#include "base/random.h"
#include "judge/printed.h"
#include "number/scope.h"
#include "tests/judge/judge_cases.h"
#include "tests/tap.h"

/* value = (2n + half) / (2 10^decimals) */
static void set_decimal(fmpq_t value, int64_t n, int half, unsigned decimals)
{
    fmpz_set_si(fmpq_numref(value), 2 * n + half);
    fmpz_ui_pow_ui(fmpq_denref(value), 10, decimals);
    fmpz_mul_2exp(fmpq_denref(value), fmpq_denref(value), 1);
    fmpq_canonicalise(value);
}

static int compare(double x, const fmpq_t value)
{
    FMPQ(exact);
    arf_t ball;

    arf_init(ball);
    arf_set_d(ball, x);
    arf_get_fmpq(exact, ball);
    arf_clear(ball);
    return fmpq_cmp(exact, value);
}

static void intervals(void)
{
    uint64_t state = attest_random_mix(17);
    size_t outside = 0, wide = 0;

    for (size_t trial = 0; trial < 40000; trial++) {
        unsigned decimals = (unsigned)case_pick(&state, 17);
        int64_t n = (int64_t)(attest_random_next(&state) >> (12 + case_pick(&state, 50)));
        double power = pow(10, decimals), y, low, high;
        FMPQ(first);
        FMPQ(last);

        n = case_pick(&state, 2) ? n : -n;
        y = (double)n / power;
        if (case_pick(&state, 2) && fabs(y) > 1e-30) /* stored in binary32 */
            y = (double)(float)y;
        /* a decimal is known from y where their distance is below half a unit */
        if (!(fabs((double)n) < 0x1p51) || !(fabs(y - (double)n / power) * power < 0.25))
            continue;
        attest_judge_printed_get_interval(&low, &high, y, decimals);
        set_decimal(first, n, -1, decimals);
        set_decimal(last, n, 1, decimals);
        outside += compare(low, first) > 0 || compare(high, last) < 0;
        wide += high - low >
                (1 + 0x1p-40) * (1 / power + fabs(y - (double)n / power)) + 0x1p-48 * fabs(y);
    }
    TAP_OK(outside == 0 && wide == 0,
           "%zu numbers that are printed like it are left out, %zu wide", outside, wide);
}

/* Every third of an interval of bfloat16 numbers, by all of its numbers there. */
static void numbers(void)
{
    uint64_t state = attest_random_mix(18);
    attest_in_double format[2];
    size_t wrong = 0;
    const attest_format bf16 = case_format("bfloat16"), f64 = case_format("binary64");

    attest_in_double_init(&format[0], &bf16, ATTEST_SIMULATED_NEAREST, NULL, NULL);
    attest_in_double_init(&format[1], &f64, ATTEST_SIMULATED_NEAREST, NULL, NULL);
    for (size_t trial = 0; trial < 20000; trial++) {
        double at =
            ldexp(1 + (double)case_pick(&state, 128) / 128, (int)case_pick(&state, 9) - 4);
        double unit = ldexp(1, ilogb(at) - 7),
               from = (double)case_pick(&state, 200) / 100 * unit;
        double low = at + from, high = low + (double)case_pick(&state, 150) / 100 * unit;
        bool expected = false;

        for (int i = 0; i < 6; i++) { /* the numbers above at; their distance may double */
            double x = at + i * unit;

            if (attest_in_double_convert(x, &format[0]) == x)
                expected = expected || (low <= x && x <= high);
        }
        wrong += attest_judge_printed_has_number(low, high, format, 1) != expected;
        wrong += attest_judge_printed_has_number(-high, -low, format, 1) != expected;
        wrong += !attest_judge_printed_has_number(-low, high, format, 1);
        wrong += !attest_judge_printed_has_number(low, high, format, 2);
    }
    TAP_OK(wrong == 0, "%zu intervals are wrong", wrong);
    TAP_OK(!attest_judge_printed_has_number(2, 1, format, 2),
           "an empty interval has no number");
}

TEST(printed)
{
    double low, high;

    attest_judge_printed_get_interval(&low, &high, 0, 300);
    TAP_OK(low < 0 && high > 0 && high < 1e-300, "many decimals");
    attest_judge_printed_get_interval(&low, &high, 1e300, 300);
    TAP_OK(low < 1e300 && high > 1e300 && isfinite(high), "of a large number");
    intervals();
    numbers();
    return 0;
}
