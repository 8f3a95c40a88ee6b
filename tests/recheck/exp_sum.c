/* Sums of exponentials that are cut off differ from the whole sums by at most their rest; so do
 * their products and sums. Every exponential is evaluated with denominator 1. */
#include "recheck/exp_sum.h"

#include "tests/tap.h"

enum { TERMS = 6, DEEPEST = 20, BITS = 300 };

/* value = the sum of the terms, without the rest. */
static void get_value(arb_t value, const attest_recheck_sum *sum)
{
    arb_t power;

    arb_init(power);
    arb_zero(value);
    for (size_t i = 0; i < sum->count; i++) {
        arb_set_fmpz(power, &sum->term[i].depth);
        arb_neg(power, power);
        arb_exp(power, power, BITS);
        arb_addmul_fmpz(value, power, &sum->term[i].factor, BITS);
    }
    arb_clear(power);
}

/* Sets whole and part to the same random terms, part cut off. */
static void draw(attest_recheck_sum *whole, attest_recheck_sum *part, attest_recheck_cut *all,
                 attest_recheck_cut *cut, uint64_t *state)
{
    fmpz_t depth, factor;

    fmpz_init(depth), fmpz_init(factor);
    attest_recheck_sum_init(whole), attest_recheck_sum_init(part);
    for (size_t i = 1 + tap_random(state) % TERMS; i-- > 0;) {
        fmpz_set_ui(depth, tap_random(state) % DEEPEST);
        fmpz_set_si(factor, (slong)(tap_random(state) % 9) - 2);
        attest_recheck_sum_push(whole, depth, factor, all);
        attest_recheck_sum_push(part, depth, factor, cut);
    }
    attest_recheck_sum_collect(whole, all);
    attest_recheck_sum_collect(part, cut);
    fmpz_clear(depth), fmpz_clear(factor);
}

/* Returns whether the part is the whole but for its rest. */
static bool is_part(const attest_recheck_sum *part, const attest_recheck_sum *whole,
                    const attest_recheck_cut *cut)
{
    arb_t left, value, rest;
    bool is;

    arb_init(left), arb_init(value), arb_init(rest);
    get_value(left, whole);
    get_value(value, part);
    arb_sub(left, left, value, BITS);
    arb_abs(left, left);
    arb_set_fmpz(rest, cut->depth);
    arb_neg(rest, rest);
    arb_exp(rest, rest, BITS);
    arb_mul_fmpz(rest, rest, &part->rest, BITS);
    is = !arb_gt(left, rest);
    arb_clear(left), arb_clear(value), arb_clear(rest);
    return is;
}

TEST(exp_sum)
{
    attest_recheck_cut all = {.whole = true, .most = 10000}, cut = {.most = 10000};
    uint64_t state = tap_seed(0x50b5);
    size_t wrong[3] = {0}, rests = 0;
    fmpz_t three;

    fmpz_init(all.depth), fmpz_init(cut.depth), fmpz_init_set_si(three, -3);
    for (int i = 0; i < 400; i++) {
        attest_recheck_sum a, b, part_a, part_b, product = {0}, part = {0};

        fmpz_set_ui(cut.depth, tap_random(&state) % DEEPEST);
        draw(&a, &part_a, &all, &cut, &state);
        draw(&b, &part_b, &all, &cut, &state);
        attest_recheck_sum_addmul(&product, &a, &b, &all);
        attest_recheck_sum_collect(&product, &all);
        attest_recheck_sum_addmul(&part, &part_a, &part_b, &cut);
        attest_recheck_sum_collect(&part, &cut);
        wrong[0] += !is_part(&part_a, &a, &cut);
        wrong[1] += !is_part(&part, &product, &cut);
        rests += !fmpz_is_zero(&part.rest);
        attest_recheck_sum_add(&a, &b, three, &all);
        attest_recheck_sum_add(&part_a, &part_b, three, &cut);
        wrong[2] += !is_part(&part_a, &a, &cut);
        attest_recheck_sum_clear(&a), attest_recheck_sum_clear(&b);
        attest_recheck_sum_clear(&part_a), attest_recheck_sum_clear(&part_b);
        attest_recheck_sum_clear(&product), attest_recheck_sum_clear(&part);
    }
    TAP_OK(wrong[0] == 0, "sums that are cut off: %zu leave out more", wrong[0]);
    TAP_OK(wrong[1] == 0 && rests > 100,
           "products of sums that are cut off, %zu with a rest: %zu leave out more", rests,
           wrong[1]);
    TAP_OK(wrong[2] == 0, "sums of sums that are cut off: %zu leave out more", wrong[2]);
    fmpz_clear(all.depth), fmpz_clear(cut.depth), fmpz_clear(three);
    flint_cleanup();
    return 0;
}
