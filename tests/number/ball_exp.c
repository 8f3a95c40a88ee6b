/* Exponentials of many rationals at once. */
#include "number/ball_exp.h"
#include "tests/ref/cases.h"
#include "tests/tap.h"

/* The exponentials contain those of plain Arb at twice the precision, and are as narrow as the
 * header says: radius <= 2^(3-precision) value below the cutoff. */
static bool exponentials_agree(const fmpz *numerator, const fmpz_t denominator, size_t count,
                               slong precision)
{
    arb_ptr value = _arb_vec_init((slong)count);
    arb_t x, bound, radius;
    bool ok = true, within;

    arb_init(x);
    arb_init(bound);
    arb_init(radius);
    attest_ball_exp_fractions(value, numerator, denominator, count, precision);
    for (size_t j = 0; j < count; j++) {
        arb_fmpz_div_fmpz(x, numerator + j, denominator, 2 * precision + 300);
        within = arf_cmpabs_2exp_si(arb_midref(x), ATTEST_BALL_EXP_CUTOFF - 2) < 0;
        arb_exp(x, x, 2 * precision + 100);
        ok = ok &&
             (fmpz_is_zero(numerator + j) ? arb_is_one(value + j) : arb_contains(value + j, x));
        arb_mul_2exp_si(bound, x, 3 - precision);
        arb_get_rad_arb(radius, value + j);
        ok = ok && (!within || arb_le(radius, bound));
    }
    arb_clear(x);
    arb_clear(bound);
    arb_clear(radius);
    _arb_vec_clear(value, (slong)count);
    return ok;
}

/* Multiples of one step, with multipliers of at most the given bits. */
static void test_lattice(unsigned bits, slong precision, uint64_t *state)
{
    bool ok = true;

    for (int i = 0; i < 20; i++) {
        size_t count = 1 + tap_random(state) % 40;
        fmpz *numerator = _fmpz_vec_init((slong)count);
        fmpz_t step, denominator;
        fmpz_init(step);
        fmpz_init(denominator);
        ref_random_integer(step, 1 + (unsigned)(tap_random(state) % 80), state);
        ref_random_integer(denominator, 1 + (unsigned)(tap_random(state) % 80), state);
        fmpz_abs(denominator, denominator);
        fmpz_add_ui(denominator, denominator, 1);
        for (size_t j = 0; j < count; j++) {
            ref_random_integer(numerator + j, bits, state);
            fmpz_mul(numerator + j, numerator + j, step);
            fmpz_abs(numerator + j, numerator + j);
            fmpz_neg(numerator + j, numerator + j);
        }
        ok = exponentials_agree(numerator, denominator, count, precision) && ok;
        _fmpz_vec_clear(numerator, (slong)count);
        fmpz_clear(step);
        fmpz_clear(denominator);
    }
    TAP_OK(ok, "exponentials on lattices, %u-bit multipliers, %ld bits", bits, precision);
}

/* Differences of any size end quickly, and are enclosed. */
static void test_huge_differences(void)
{
    fmpz *numerator = _fmpz_vec_init(4);
    arb_ptr value = _arb_vec_init(4);
    fmpz_t one, exponent;
    arb_t bound;

    fmpz_init_set_ui(one, 1);
    fmpz_init(exponent);
    arb_init(bound);
    fmpz_one_2exp(exponent, ATTEST_BALL_EXP_CUTOFF - 1);
    fmpz_neg(exponent, exponent);
    arb_one(bound);
    arb_mul_2exp_fmpz(bound, bound, exponent);
    fmpz_ui_pow_ui(numerator + 1, 10, 400000);
    fmpz_neg(numerator + 1, numerator + 1);
    fmpz_set_si(numerator + 2, -1);
    fmpz_mul_2exp(numerator + 2, numerator + 2, ATTEST_BALL_EXP_CUTOFF - 2);
    fmpz_set_si(numerator + 3, -3);
    attest_ball_exp_fractions(value, numerator, one, 4, 64);
    TAP_OK(arb_is_one(value), "exp(0) = 1");
    TAP_OK(arb_is_nonnegative(value + 1) && arb_contains_si(value + 1, 0) &&
               arb_le(value + 1, bound),
           "exp(-10^400000) is in [0, 2^-2^%d]", ATTEST_BALL_EXP_CUTOFF - 1);
    TAP_OK(arb_is_positive(value + 2) && arb_rel_accuracy_bits(value + 2) >= 61,
           "exp(-2^%d) has the requested accuracy", ATTEST_BALL_EXP_CUTOFF - 2);
    TAP_OK(arb_rel_accuracy_bits(value + 3) >= 61,
           "exp(-3) in the same vector has the requested accuracy");
    _fmpz_vec_clear(numerator, 4);
    _arb_vec_clear(value, 4);
    fmpz_clear(one);
    fmpz_clear(exponent);
    arb_clear(bound);
}

TEST(ball_exp)
{
    static const unsigned bits[] = {1, 3, 6, 10, 20, 40, 61, 62, 63, 100};
    uint64_t state = tap_seed(0x5eed0004);

    for (size_t i = 0; i < sizeof bits / sizeof bits[0]; i++) {
        test_lattice(bits[i], 64, &state);
        test_lattice(bits[i], 1024, &state);
    }
    test_lattice(4, 2, &state);
    test_lattice(8, 5000, &state);
    test_huge_differences();
    flint_cleanup();
    return 0;
}
