/* Lemma F: its threshold, its bound against full precision (packed sets make it tight, so a
 * larger constant would be seen). */
#include <math.h>

#include "theory/lemma_f.h"

#include "tests/ref/boltzmann_full.h"
#include "tests/tap.h"

enum { MOST = 40 };

/* g* = 1.445574911151548... solves g = 1 + g e^-g / (1 - e^-g). */
static void test_threshold(void)
{
    fmpq_t below, above;

    fmpq_init(below);
    fmpq_init(above);
    fmpq_set_str(below, "14455749111515480/10000000000000000", 10);
    fmpq_set_str(above, "14455749111515490/10000000000000000", 10);
    TAP_OK(!attest_lemma_f_check_gap(below) && attest_lemma_f_check_gap(above),
           "gaps on both sides of g*, 10^-15 apart");
    fmpq_set_si(below, 1, 2);
    TAP_OK(!attest_lemma_f_check_gap(below), "a small gap");
    fmpq_clear(below);
    fmpq_clear(above);
}

/* The lemma's bound for gap g/den and t/den, and the truth; *ratio = truth / bound. */
static bool tight(double *ratio, const long *a, size_t a_count, const long *b, size_t b_count,
                  long g, bool at_maximum, long t, long denominator)
{
    arb_t value, log2, gap, depth;
    mpfr_t truth;
    bool ok;

    arb_init(value);
    arb_init(log2);
    arb_init(gap);
    arb_init(depth);
    mpfr_init2(truth, 1000);
    arb_set_si(gap, g);
    arb_div_si(gap, gap, denominator, 128);
    arb_set_si(depth, t);
    arb_div_si(depth, depth, denominator, 128);
    ok = attest_lemma_f_bound(value, log2, gap, at_maximum, depth, 128, NULL) == ATTEST_OK;
    ref_boltz_difference(truth, a, NULL, a_count, b, NULL, b_count, denominator);
    mpfr_abs(truth, truth, MPFR_RNDN);
    *ratio = mpfr_get_d(truth, MPFR_RNDN) / arf_get_d(arb_midref(value), ARF_RND_NEAR);
    mpfr_log2(truth, truth, MPFR_RNDN);
    ok =
        ok && mpfr_get_d(truth, MPFR_RNDN) >= arf_get_d(arb_midref(log2), ARF_RND_NEAR) - 1e-12;
    arb_clear(value);
    arb_clear(log2);
    arb_clear(gap);
    arb_clear(depth);
    mpfr_clear(truth);
    return ok && *ratio >= 1 - 1e-12;
}

/* Both sets packed at distance g; B owns depth k g, A everything below: the lemma's worst case
 * as k grows. */
static void test_packed(long g, long denominator, double most)
{
    long a[MOST], b[MOST];
    double ratio = 0, least = INFINITY;
    bool ok = true;

    for (size_t k = 1; k < MOST / 2; k++) {
        size_t a_count = 0, b_count = 0;

        for (size_t i = 0; i < MOST; i++) {
            if (i < k)
                a[a_count++] = b[b_count++] = -(long)i * g;
            else if (i == k)
                b[b_count++] = -(long)i * g;
            else
                a[a_count++] = -(long)i * g;
        }
        ok = ok && tight(&ratio, a, a_count, b, b_count, g, false, (long)k * g, denominator);
        least = ratio < least ? ratio : least;
    }
    TAP_OK(ok && least < most, "gap %ld/%ld: bound holds, tightest ratio %.9f", g, denominator,
           least);
    for (size_t i = 0; i < MOST; i++) {
        a[i] = -(long)i * g;
        b[i] = -(long)(i + 1) * g;
    }
    ok = tight(&ratio, a, MOST, b, 1, g, true, 0, denominator);
    TAP_OK(ok && ratio < 1 + 1e-9, "maxima differ: bound holds, ratio %.12f", ratio);
}

static void test_domain(void)
{
    arb_t value, log2, gap, t;

    arb_init(value);
    arb_init(log2);
    arb_init(gap);
    arb_init(t);
    arb_set_d(gap, 1.4375);
    arb_set_d(t, 4);
    TAP_OK(attest_lemma_f_bound(value, log2, gap, false, t, 128, NULL) == ATTEST_DOMAIN,
           "a gap below g* is refused");
    arb_set_d(gap, 5);
    TAP_OK(attest_lemma_f_bound(value, log2, gap, false, t, 128, NULL) == ATTEST_DOMAIN,
           "t below the gap is refused");
    arb_set_d(t, 1e300);
    TAP_OK(attest_lemma_f_bound(value, log2, gap, false, t, 128, NULL) == ATTEST_OK &&
               arb_is_positive(value) && arb_is_negative(log2) &&
               arb_rel_accuracy_bits(log2) > 100,
           "t = 10^300");
    arb_clear(value);
    arb_clear(log2);
    arb_clear(gap);
    arb_clear(t);
}

/* The sign of boltz(A) - boltz(B) for A = {0, -2g, ..., -ng}, B = {0, -g, far away}: B owns the
 * first difference, so it is positive where the order of Lemma F holds. */
static int collision_sign(long n, long g, long denominator)
{
    fmpz *x = _fmpz_vec_init(2 * n);
    attest_boltz_difference difference;
    attest_multiset a = {(size_t)n, x, NULL}, b = {(size_t)n, x + n, NULL};
    fmpz_t over;
    int sign;

    for (long i = 0; i < n; i++) {
        fmpz_set_si(x + i, i == 0 ? 0 : -(i + 1) * g);
        fmpz_set_si(x + n + i, i < 2 ? -i * g : -(1000 + i) * 2 * denominator);
    }
    fmpz_init_set_si(over, denominator);
    attest_boltz_difference_init(&difference);
    if (attest_boltz_difference_bound(&difference, &a, &b, over, 30, 0, NULL) != ATTEST_OK)
        abort();
    sign = difference.sign;
    attest_boltz_difference_clear(&difference);
    fmpz_clear(over);
    _fmpz_vec_clear(x, 2 * n);
    return sign;
}

/* Thresholds below which the order, and with it the lemma, fails. */
static void test_thresholds(void)
{
    static const struct {
        long n, below, above; /* over 10^5 */
    } table[] = {
        {2, 88137, 88138}, {3, 121349, 121350}, {4, 128751, 128752}, {8, 131671, 131672}};

    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        TAP_OK(collision_sign(table[i].n, table[i].below, 100000) < 0 &&
                   collision_sign(table[i].n, table[i].above, 100000) > 0,
               "n = %ld: the order turns between %ld and %ld over 10^5", table[i].n,
               table[i].below, table[i].above);
}

TEST(lemma_f)
{
    test_threshold();
    test_packed(1446, 1000, 1.0000001);
    test_packed(2, 1, 1.0000001);
    test_packed(5, 1, 1.0000001);
    test_domain();
    test_thresholds();
    flint_cleanup();
    mpfr_free_cache();
    return 0;
}
