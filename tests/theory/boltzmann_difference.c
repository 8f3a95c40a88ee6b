/* boltz(A) - boltz(B): against the definition at full precision, closed forms at magnitudes
 * that no evaluation reaches, exact zeros, planted cancellation. */
#include <math.h>
#include <stdlib.h>

#include "theory/lemma_f.h"

#include "tests/ref/boltzmann_full.h"
#include "tests/tap.h"

enum { MOST = 12, FULL_BITS = 4000 };

typedef struct sample {
    long a[MOST], b[MOST];
    size_t a_times[MOST], b_times[MOST];
    size_t a_count, b_count;
    long denominator;
} sample;

static void set_fmpz(fmpz *out, const long *in, size_t count)
{
    for (size_t i = 0; i < count; i++)
        fmpz_set_si(out + i, in[i]);
}

static attest_status bound(attest_boltz_difference *d, const sample *s, long accuracy)
{
    fmpz *a = _fmpz_vec_init(MOST), *b = _fmpz_vec_init(MOST);
    attest_multiset left = {s->a_count, a, s->a_times}, right = {s->b_count, b, s->b_times};
    attest_status status;
    fmpz_t denominator;

    set_fmpz(a, s->a, s->a_count);
    set_fmpz(b, s->b, s->b_count);
    fmpz_init_set_si(denominator, s->denominator);
    status = attest_boltz_difference_bound(d, &left, &right, denominator, accuracy, 0, NULL);
    fmpz_clear(denominator);
    _fmpz_vec_clear(a, MOST);
    _fmpz_vec_clear(b, MOST);
    return status;
}

/* Values in [-900, 900] over 1..9, multiplicities 1..3; half of the time B is A with one entry
 * changed, so that prefixes agree and the difference is deep. */
static void gen_sample(sample *s, uint64_t *state)
{
    s->denominator = 1 + (long)(tap_random(state) % 9);
    s->a_count = 1 + tap_random(state) % MOST;
    s->b_count = 1 + tap_random(state) % MOST;
    for (size_t i = 0; i < MOST; i++) {
        s->a[i] = (long)(tap_random(state) % 1801) - 900;
        s->b[i] = (long)(tap_random(state) % 1801) - 900;
        s->a_times[i] = 1 + tap_random(state) % 3;
        s->b_times[i] = 1 + tap_random(state) % 3;
    }
    if (tap_random(state) % 2) {
        s->b_count = s->a_count;
        for (size_t i = 0; i < s->a_count; i++) {
            s->b[i] = s->a[i];
            s->b_times[i] = s->a_times[i];
        }
        if (tap_random(state) % 2)
            s->b[tap_random(state) % s->b_count] -= 1 + (long)(tap_random(state) % 50);
        else
            s->b_times[tap_random(state) % s->b_count] += 1;
    }
}

static bool agrees(const attest_boltz_difference *d, const sample *s)
{
    mpfr_t full;
    arb_t reference, log2;
    arf_t radius;
    bool ok;

    mpfr_init2(full, FULL_BITS);
    arb_init(reference);
    arb_init(log2);
    arf_init(radius);
    ref_boltz_difference(full, s->a, s->a_times, s->a_count, s->b, s->b_times, s->b_count,
                         s->denominator);
    arf_set_mpfr(arb_midref(reference), full);
    if (d->sign == 0) {
        /* Equal: nothing but the oracle's own rounding is left. */
        ok = mpfr_zero_p(full) || mpfr_get_exp(full) < 40 - FULL_BITS;
    } else {
        arf_set_si_2exp_si(radius, 1, 40 - FULL_BITS);
        arb_add_error_arf(reference, radius);
        arb_abs(log2, reference);
        arb_log_base_ui(log2, log2, 2, 200);
        ok = arb_overlaps(d->value, reference) && arb_is_finite(d->log2) &&
             arb_overlaps(d->log2, log2) && d->sign == mpfr_sgn(full) &&
             arb_rel_accuracy_bits(d->value) >= 60;
    }
    mpfr_clear(full);
    arb_clear(reference);
    arb_clear(log2);
    arf_clear(radius);
    return ok;
}

static void test_against_definition(void)
{
    uint64_t state = tap_seed(0xb017);
    attest_boltz_difference d;
    sample s;
    int bad = 0, zeros = 0;

    attest_boltz_difference_init(&d);
    for (int trial = 0; trial < 300; trial++) {
        gen_sample(&s, &state);
        if (bound(&d, &s, 60) != ATTEST_OK || !agrees(&d, &s)) {
            printf("# trial %d disagrees\n", trial);
            bad++;
        }
        zeros += d.sign == 0;
    }
    TAP_OK(bad == 0, "300 random multisets agree with the definition at full precision");
    TAP_OK(zeros > 0 && zeros < 200, "%d of them are equal", zeros);
    attest_boltz_difference_clear(&d);
}

/* A = {0, -t}, B = {0}: boltz(A) = -t e^{-t}/(1 + e^{-t}). */
static bool closed_form(const fmpz_t t)
{
    attest_boltz_difference d;
    fmpz *a = _fmpz_vec_init(2);
    attest_multiset left = {2, a, NULL}, right = {1, a, NULL};
    arb_t expected, log2;
    fmpz_t one;
    bool ok;

    attest_boltz_difference_init(&d);
    arb_init(expected);
    arb_init(log2);
    fmpz_init_set_ui(one, 1);
    fmpz_neg(a + 1, t);
    ok = attest_boltz_difference_bound(&d, &left, &right, one, 64, 256, NULL) == ATTEST_OK &&
         d.sign == -1 && d.bits == 128;
    /* log |.| = log t - t - log1p(e^{-t}), the last term within [0, e^{-t}]. */
    arb_log_fmpz(expected, t, 200);
    arb_sub_fmpz(expected, expected, t, fmpz_bits(t) + 300);
    arb_const_log2(log2, fmpz_bits(t) + 300);
    arb_div(expected, expected, log2, fmpz_bits(t) + 300);
    ok = ok && arb_overlaps(expected, d.log2) && arb_rel_accuracy_bits(d.log2) >= 62;
    /* 15 digits beyond the integer part of t. */
    arb_abs(expected, d.value);
    arb_log(expected, expected, fmpz_bits(t) + 300);
    arb_div(expected, expected, log2, fmpz_bits(t) + 300);
    ok = ok && arb_overlaps(expected, d.log2);
    attest_boltz_difference_clear(&d);
    _fmpz_vec_clear(a, 2);
    arb_clear(expected);
    arb_clear(log2);
    fmpz_clear(one);
    return ok;
}

static void test_magnitudes(void)
{
    fmpz_t t;

    fmpz_init(t);
    fmpz_set_ui(t, 445316); /* about 2^-642457 */
    TAP_OK(closed_form(t), "t = 445316");
    fmpz_set_str(t, "1000000000000000000000000000001", 10);
    TAP_OK(closed_form(t), "t = 10^30 + 1");
    fmpz_one_2exp(t, 3000);
    TAP_OK(closed_form(t), "t = 2^3000");
    fmpz_one_2exp(t, 100000);
    TAP_OK(closed_form(t), "t = 2^100000");
    fmpz_clear(t);
}

/* A = B + {c} with c within 2^-300 of boltz(B): the leading term (c - beta) e^c / Z_A cancels
 * to 2^-300, so 128 bits cannot do and the precision must grow; and with a cap it must say so.
 */
static void test_cancellation(void)
{
    attest_boltz_difference d;
    fmpz *a = _fmpz_vec_init(3);
    fmpz_t denominator;
    attest_multiset left = {3, a, NULL}, right = {2, a, NULL};
    mpfr_t beta;
    long b[] = {0, -1};
    bool ok;

    attest_boltz_difference_init(&d);
    fmpz_init(denominator);
    fmpz_one_2exp(denominator, 300);
    mpfr_init2(beta, 1000);
    ref_boltz(beta, b, NULL, 2, 1);
    mpfr_mul_2si(beta, beta, 300, MPFR_RNDN);
    fmpz_neg(a + 1, denominator);
    {
        mpz_t floor;
        mpz_init(floor);
        mpfr_get_z(floor, beta, MPFR_RNDD);
        fmpz_set_mpz(a + 2, floor);
        mpz_clear(floor);
    }
    TAP_OK(attest_boltz_difference_bound(&d, &left, &right, denominator, 30, 128, NULL) ==
               ATTEST_UNABLE,
           "128 bits are not enough for a planted cancellation: UNABLE");
    TAP_OK(attest_boltz_difference_bound(&d, &left, &right, denominator, 30, 300, NULL) ==
               ATTEST_UNABLE,
           "300 bits are not enough: UNABLE");
    ok =
        attest_boltz_difference_bound(&d, &left, &right, denominator, 30, 0, NULL) == ATTEST_OK;
    TAP_OK(ok && d.bits > 300, "doubling reaches it (%ld bits)", d.bits);
    TAP_OK(ok && d.sign == -1 && arf_cmpabs_2exp_si(arb_midref(d.value), -300) < 0,
           "c is just below boltz(B), so boltz(A) is, too");
    attest_boltz_difference_clear(&d);
    _fmpz_vec_clear(a, 3);
    fmpz_clear(denominator);
    mpfr_clear(beta);
}

static void test_zero(void)
{
    attest_boltz_difference d;
    sample s = {.a = {5, -3, 5, 0},
                .b = {0, 5, -3},
                .a_times = {1, 2, 3, 6},
                .b_times = {3, 2, 1},
                .a_count = 4,
                .b_count = 3,
                .denominator = 7};

    attest_boltz_difference_init(&d);
    TAP_OK(bound(&d, &s, 60) == ATTEST_OK && d.sign == 0 && arb_is_zero(d.value),
           "proportional multiplicities, values repeated: exactly 0");
    s.b_times[2] = 2;
    TAP_OK(bound(&d, &s, 60) == ATTEST_OK && d.sign != 0, "one more copy: not 0");
    s.a_count = 0;
    TAP_OK(bound(&d, &s, 60) == ATTEST_DOMAIN, "an empty multiset is refused");
    attest_boltz_difference_clear(&d);
}

/* Multiplicities of A times 2^40, those of B times 3 2^40: boltz of each stays what it was. */
static void test_many_copies(void)
{
    uint64_t state = tap_seed(0xc0b1e5);
    int same = 0, total = 50;

    for (int i = 0; i < total; i++) {
        attest_boltz_difference once, often;
        sample s;

        attest_boltz_difference_init(&once);
        attest_boltz_difference_init(&often);
        gen_sample(&s, &state);
        if (bound(&once, &s, 60) != ATTEST_OK)
            abort();
        for (size_t k = 0; k < MOST; k++) {
            s.a_times[k] <<= 40;
            s.b_times[k] *= (size_t)3 << 40;
        }
        same += bound(&often, &s, 60) == ATTEST_OK && often.sign == once.sign &&
                arb_overlaps(often.value, once.value) &&
                (once.sign == 0 || arb_overlaps(often.log2, once.log2));
        attest_boltz_difference_clear(&once);
        attest_boltz_difference_clear(&often);
    }
    TAP_OK(same == total, "%d of %d differences of 2^40 copies", same, total);
}

TEST(boltzmann_difference)
{
    test_against_definition();
    test_magnitudes();
    test_cancellation();
    test_zero();
    test_many_copies();
    flint_cleanup();
    mpfr_free_cache();
    return 0;
}
