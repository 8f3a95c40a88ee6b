/* Lemma 1: bound, gap with strictness from both sides, and the bound against the truth. */
#include <math.h>
#include <stdint.h>

#include "theory/lemma1.h"

#include "tests/ref/boltzmann_full.h"
#include "tests/tap.h"

static double log2_of(double x)
{
    return log2(x);
}

static void test_bound(void)
{
    arb_t value, log2, r;
    double expected = pow(log(5), 2) * exp(-14);

    arb_init(value);
    arb_init(log2);
    arb_init(r);
    arb_set_si(r, 7);
    attest_lemma1_bound(value, log2, 5, r, 128);
    TAP_OK(fabs(arf_get_d(arb_midref(value), ARF_RND_NEAR) / expected - 1) < 1e-14 &&
               fabs(arf_get_d(arb_midref(log2), ARF_RND_NEAR) - log2_of(expected)) < 1e-13,
           "(log 5)^2 e^-14");
    attest_lemma1_bound(value, log2, 1, r, 128);
    TAP_OK(arb_is_zero(value), "n = 1: the bound is 0");
    arb_set_d(r, 0x1p80);
    attest_lemma1_bound(value, log2, 3, r, 128);
    TAP_OK(arb_is_positive(value) && arb_rel_accuracy_bits(log2) > 100, "r = 2^80");
    arb_clear(value);
    arb_clear(log2);
    arb_clear(r);
}

/* gap > 2 log n + 3, strictly. */
static void test_gap(void)
{
    fmpq_t r;

    fmpq_init(r);
    fmpq_set_si(r, 3, 1);
    TAP_OK(!attest_lemma1_check_gap(r, 1), "n = 1: a gap of exactly 3 is not above 3");
    fmpq_set_si(r, 301, 100);
    TAP_OK(attest_lemma1_check_gap(r, 1), "n = 1: a gap of 3.01 is");
    fmpq_set_si(r, 438, 100); /* 3 + 2 log 2 = 4.386... */
    TAP_OK(!attest_lemma1_check_gap(r, 2), "n = 2: a gap of 4.38 is not enough");
    fmpq_set_si(r, 439, 100);
    TAP_OK(attest_lemma1_check_gap(r, 2), "n = 2: a gap of 4.39 is");
    fmpq_clear(r);
}

/* Random vectors within the hypotheses: the bound never exceeds the truth. */
static void test_truth(void)
{
    uint64_t state = tap_seed(0x1e44a1);
    arb_t value, log2, r;
    mpfr_t truth;
    double least = INFINITY;
    int tried = 0;

    arb_init(value);
    arb_init(log2);
    arb_init(r);
    mpfr_init2(truth, 2000);
    for (int trial = 0; trial < 300; trial++) {
        size_t n = 2 + tap_random(&state) % 3;
        long step = n == 2 ? 5 : 6, a[4], b[4], top = 0;
        bool differ = false;

        for (size_t i = 0; i < n; i++) {
            a[i] = step * ((long)(4 * i + tap_random(&state) % 4) - 8);
            b[i] = tap_random(&state) % 2 ? a[i]
                                          : step * ((long)(4 * i + tap_random(&state) % 4) - 8);
            differ = differ || a[i] != b[i];
            top = labs(a[i]) > top ? labs(a[i]) : top;
            top = labs(b[i]) > top ? labs(b[i]) : top;
        }
        if (!differ)
            continue;
        tried++;
        arb_set_si(r, top); /* r just above: the bound is continuous in r */
        attest_lemma1_bound(value, log2, n, r, 128);
        ref_boltz_difference(truth, a, NULL, n, b, NULL, n, 1);
        mpfr_abs(truth, truth, MPFR_RNDN);
        mpfr_log2(truth, truth, MPFR_RNDN);
        {
            double margin =
                mpfr_get_d(truth, MPFR_RNDN) - arf_get_d(arb_midref(log2), ARF_RND_NEAR);

            least = margin < least ? margin : least;
        }
    }
    TAP_OK(tried > 200 && least > 0, "%d pairs: truth above the bound, by 2^%.3f at least",
           tried, least);
    arb_clear(value);
    arb_clear(log2);
    arb_clear(r);
    mpfr_clear(truth);
}

TEST(lemma1)
{
    test_bound();
    test_gap();
    test_truth();
    flint_cleanup();
    mpfr_free_cache();
    return 0;
}
