/* The Boltzmann operator in two number systems. */
#include <attest/attention.h>
#include "attention/attention_ball.h"

#include "tests/ref/cases.h"
#include "tests/tap.h"

/* value encloses LSE(a) - H(softmax(a)), the other form of boltz. */
static void entropy_form(arb_t value, const fmpz *numerator, const fmpz_t denominator,
                         size_t count, slong precision)
{
    arb_ptr power = _arb_vec_init((slong)count);
    arb_t total, p;

    arb_init(total);
    arb_init(p);
    for (size_t j = 0; j < count; j++) {
        arb_fmpz_div_fmpz(power + j, numerator + j, denominator, precision);
        arb_exp(power + j, power + j, precision);
        arb_add(total, total, power + j, precision);
    }
    arb_log(value, total, precision);
    for (size_t j = 0; j < count; j++) { /* - H = sum p log p */
        arb_div(p, power + j, total, precision);
        arb_log(power + j, p, precision);
        arb_addmul(value, p, power + j, precision);
    }
    arb_clear(total);
    arb_clear(p);
    _arb_vec_clear(power, (slong)count);
}

typedef struct numbers {
    size_t count;
    fmpz *numerator;
    fmpz_t denominator;
} numbers;

static void numbers_init(numbers *a, unsigned bits, uint64_t *state)
{
    a->count = 1 + tap_random(state) % 8;
    a->numerator = _fmpz_vec_init((slong)a->count);
    fmpz_init_set_ui(a->denominator, 1 + tap_random(state) % 30);
    for (size_t j = 0; j < a->count; j++)
        ref_random_integer(a->numerator + j, bits, state);
}

static void numbers_clear(numbers *a)
{
    _fmpz_vec_clear(a->numerator, (slong)a->count);
    fmpz_clear(a->denominator);
}

static void test_ball(long bits, uint64_t *state)
{
    bool ok = true;

    for (int i = 0; i < 100; i++) {
        numbers a;
        arb_t computed, expected;
        arb_init(computed);
        arb_init(expected);
        numbers_init(&a, 1 + (unsigned)(tap_random(state) % 10), state);
        ok = ok && attest_boltz_ball(computed, a.numerator, a.denominator, a.count, bits,
                                     NULL) == ATTEST_OK;
        entropy_form(expected, a.numerator, a.denominator, a.count, 2 * bits + 3000);
        /* |max| and the terms are below 2^10. */
        ok = ok && arb_overlaps(computed, expected) &&
             mag_cmp_2exp_si(arb_radref(computed), 10 - bits) <= 0 &&
             mag_cmp_2exp_si(arb_radref(expected), -bits - 100) <= 0;
        numbers_clear(&a);
        arb_clear(computed);
        arb_clear(expected);
    }
    TAP_OK(ok, "boltz = LSE - H at %ld bits", bits);
}

static void test_refusals(void)
{
    attest_error error;
    fmpz_t one;
    arb_t ball;

    fmpz_init_set_ui(one, 1);
    arb_init(ball);
    TAP_OK(attest_boltz_ball(ball, one, one, 0, 64, &error) == ATTEST_DOMAIN,
           "no numbers in balls: %s", error.text);
    TAP_OK(attest_boltz_ball(ball, one, one, 1, 0, &error) == ATTEST_DOMAIN, "no bits: %s",
           error.text);
    arb_clear(ball);
    fmpz_clear(one);
}

TEST(boltz)
{
    uint64_t state = tap_seed(0x5eed0006);

    test_ball(64, &state);
    test_ball(1000, &state);
    test_refusals();
    flint_cleanup();
    mpfr_free_cache();
    return 0;
}
