/* Lemma F: its threshold, its bound against full precision (packed sets make it tight, so a
 * larger constant would be seen), and the family bound against all pairs. */
#include <math.h>
#include <stdint.h>

#include "theory/boltzmann_difference.h"
#include "theory/lemma_f.h"

#include "tests/ref/boltzmann_full.h"
#include "tests/tap.h"

enum { MOST = 40, LISTS = 8 };

/* g = 1 + g e^-g / (1 - e^-g), each side in MPFR with no rearrangement. */
static void test_threshold(void)
{
    arb_t g;
    mpfr_t x, q, right;
    fmpq_t below, above;

    arb_init(g);
    mpfr_inits2(400, x, q, right, (mpfr_ptr)0);
    attest_lemma_f_threshold(g, 300);
    arf_get_mpfr(x, arb_midref(g), MPFR_RNDN);
    mpfr_neg(q, x, MPFR_RNDN);
    mpfr_exp(q, q, MPFR_RNDN);
    mpfr_mul(right, x, q, MPFR_RNDN);
    mpfr_ui_sub(q, 1, q, MPFR_RNDN);
    mpfr_div(right, right, q, MPFR_RNDN);
    mpfr_add_ui(right, right, 1, MPFR_RNDN);
    mpfr_sub(right, right, x, MPFR_RNDN);
    TAP_OK(mpfr_zero_p(right) || mpfr_get_exp(right) < -298, "g* solves its equation");
    TAP_OK(arb_rel_accuracy_bits(g) >= 300, "to 300 bits");
    TAP_OK(fabs(mpfr_get_d(x, MPFR_RNDN) - 1.445574911151548) < 1e-15, "g* = 1.4455749...");
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
    arb_clear(g);
    mpfr_clears(x, q, right, (mpfr_ptr)0);
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

/* Lists of integers over 2, steps of 3 or more: the gap is at least 3/2. */
typedef struct sample {
    size_t start[LISTS + 1];
    fmpz *numerator;
    size_t count;
} sample;

static void gen_family(sample *s, uint64_t *state, long step)
{
    size_t total = 0;

    s->count = 2 + tap_random(state) % (LISTS - 1);
    for (size_t i = 0; i < s->count; i++) {
        uint64_t members = 1 + tap_random(state) % 255;

        s->start[i] = total;
        if (i > 0 && tap_random(state) % 4 == 0)
            members |= 1;
        for (long e = 0; e < 8; e++)
            if (members >> e & 1)
                fmpz_set_si(s->numerator + total++, step * e + (e > 3 ? (e == 5) : 0));
    }
    s->start[s->count] = total;
}

static size_t first_difference(const sample *s, size_t i, size_t j, long *t, bool *equal)
{
    long top[2] = {-1, -1}, c = -1;

    *equal = true;
    for (long x = 0; x < 200; x++) {
        bool in[2] = {false, false};

        for (size_t e = s->start[i]; e < s->start[i + 1]; e++)
            in[0] = in[0] || fmpz_equal_si(s->numerator + e, x);
        for (size_t e = s->start[j]; e < s->start[j + 1]; e++)
            in[1] = in[1] || fmpz_equal_si(s->numerator + e, x);
        if (in[0])
            top[0] = x;
        if (in[1])
            top[1] = x;
        if (in[0] != in[1]) {
            c = x;
            *equal = false;
        }
    }
    *t = (top[0] > top[1] ? top[0] : top[1]) - c;
    return top[0] != top[1] ? 0 : 1;
}

/* The least bound over all pairs, by definition; false when no two sets differ. */
static bool least_of_all(double *least, const sample *s, const fmpq_t gap)
{
    arb_t value, log2, g, t;
    bool any = false;

    arb_init(value);
    arb_init(log2);
    arb_init(g);
    arb_init(t);
    arb_set_fmpq(g, gap, 128);
    for (size_t i = 0; i < s->count; i++) {
        for (size_t j = i + 1; j < s->count; j++) {
            bool equal;
            long depth;
            size_t kind = first_difference(s, i, j, &depth, &equal);
            double bound;

            if (equal)
                continue;
            arb_set_si(t, depth);
            arb_div_si(t, t, 2, 128);
            if (attest_lemma_f_bound(value, log2, g, kind == 0, t, 128, NULL) != ATTEST_OK)
                return false;
            bound = arf_get_d(arb_midref(log2), ARF_RND_NEAR);
            *least = !any || bound < *least ? bound : *least;
            any = true;
        }
    }
    arb_clear(value);
    arb_clear(log2);
    arb_clear(g);
    arb_clear(t);
    return any;
}

static void test_family(void)
{
    uint64_t state = tap_seed(0xfa417);
    attest_family_bound bound;
    sample s = {.numerator = _fmpz_vec_init(LISTS * 8)};
    fmpz_t two;
    int bad = 0, none = 0;

    fmpz_init_set_ui(two, 2);
    attest_family_bound_init(&bound);
    for (int trial = 0; trial < 2000; trial++) {
        attest_family family = {0, s.start, s.numerator, two};
        double least = 0;
        bool any;

        gen_family(&s, &state, 4 + (long)(tap_random(&state) % 4));
        family.count = s.count;
        if (attest_lemma_f_bound_family(&bound, &family, 128, NULL) != ATTEST_OK ||
            (!bound.holds && !fmpq_is_zero(bound.gap))) {
            bad++;
            continue;
        }
        any = least_of_all(&least, &s, bound.gap);
        if (any != (bound.pair[0] != SIZE_MAX) ||
            (any && fabs(least - arf_get_d(arb_midref(bound.log2), ARF_RND_NEAR)) > 1e-9))
            bad++;
        none += !any;
    }
    TAP_OK(bad == 0, "2000 families: the least bound over neighbours is that over all pairs");
    TAP_OK(none < 1000, "%d of them had equal sets only", none);
    attest_family_bound_clear(&bound);
    fmpz_clear(two);
    _fmpz_vec_clear(s.numerator, LISTS * 8);
}

/* Lists (20,10), (20,7), (12): neighbours (20,7)-(20,10) and (12)-(20,7) are at least 3 apart,
 * but 12 and 10 are 2 apart. */
static void test_gap_is_global(void)
{
    static const long lists[] = {20, 10, 20, 7, 12};
    static const long repeated[] = {20, 20, 7};
    static const size_t start[] = {0, 2, 4, 5}, one[] = {0, 3};
    fmpz *numerator = _fmpz_vec_init(5);
    attest_family family = {3, start, numerator, NULL};
    attest_family_bound bound;
    fmpz_t denominator;

    fmpz_init_set_ui(denominator, 1);
    family.denominator = denominator;
    for (int i = 0; i < 5; i++)
        fmpz_set_si(numerator + i, lists[i]);
    attest_family_bound_init(&bound);
    TAP_OK(attest_lemma_f_bound_family(&bound, &family, 128, NULL) == ATTEST_OK &&
               bound.holds && fmpq_cmp_si(bound.gap, 2) == 0,
           "the gap is that of the whole family");
    fmpz_set_ui(denominator, 2);
    TAP_OK(attest_lemma_f_bound_family(&bound, &family, 128, NULL) == ATTEST_OK &&
               !bound.holds && bound.close[0] == 2 && bound.close[1] == 0,
           "a gap below g* between sets that are no neighbours fails, and names them");
    fmpz_set_ui(denominator, 1);
    for (int i = 0; i < 3; i++)
        fmpz_set_si(numerator + i, repeated[i]);
    family.count = 1;
    family.start = one;
    TAP_OK(attest_lemma_f_bound_family(&bound, &family, 128, NULL) == ATTEST_OK &&
               !bound.holds && bound.repeats == 0,
           "a repetition fails, and is named");
    attest_family_bound_clear(&bound);
    fmpz_clear(denominator);
    _fmpz_vec_clear(numerator, 5);
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

int main(void)
{
    test_threshold();
    test_packed(1446, 1000, 1.0000001);
    test_packed(2, 1, 1.0000001);
    test_packed(5, 1, 1.0000001);
    test_domain();
    test_family();
    test_gap_is_global();
    test_thresholds();
    flint_cleanup();
    mpfr_free_cache();
    return tap_done();
}
