/* Attention in balls against its definition. */
#include "attention/attention_ball.h"
#include "tests/ref/attention.h"
#include "tests/ref/cases.h"
#include "tests/tap.h"

/* Returns whether the evaluation of single positions gives the same balls. */
static bool single_queries_agree(arb_srcptr whole, const ref_case *test, long bits)
{
    size_t dim = test->sequence.dim, length = test->sequence.length;
    arb_ptr one = _arb_vec_init((slong)dim);
    bool ok = attest_attention_ball_at(one, &test->weights, &test->sequence, length, bits,
                                       NULL) == ATTEST_DOMAIN;

    for (size_t k = 0; k < length; k++) {
        ok = ok && attest_attention_ball_at(one, &test->weights, &test->sequence, k, bits,
                                            NULL) == ATTEST_OK;
        for (size_t c = 0; c < dim; c++)
            ok = ok && arb_equal(one + c, whole + k * dim + c);
    }
    _arb_vec_clear(one, (slong)dim);
    return ok;
}

/* The same for a range of positions; with narrow averages the balls may differ, and still
 * contain the exact values. */
static bool ranges_agree(arb_srcptr whole, const ref_case *test, arb_srcptr exact, long bits)
{
    size_t dim = test->sequence.dim, length = test->sequence.length, cut = length / 3;
    size_t count = (length - cut) * dim;
    arb_ptr part = _arb_vec_init((slong)count);
    bool ok = attest_attention_ball_between(part, &test->weights, &test->sequence, cut, length,
                                            false, bits, NULL) == ATTEST_OK;

    for (size_t i = 0; i < count; i++)
        ok = ok && arb_equal(part + i, whole + cut * dim + i);
    ok = ok && attest_attention_ball_between(part, &test->weights, &test->sequence, cut, length,
                                             true, bits, NULL) == ATTEST_OK;
    for (size_t i = 0; i < count; i++)
        ok = ok && arb_overlaps(part + i, exact + cut * dim + i) && arb_is_finite(part + i);
    _arb_vec_clear(part, (slong)count);
    return ok;
}

/* Every ball contains the oracle's much smaller one, and is as narrow as promised. */
static bool agrees(const ref_case *test, long bits)
{
    size_t count = test->sequence.length * test->sequence.dim;
    arb_ptr computed = _arb_vec_init((slong)count), expected = _arb_vec_init((slong)count);
    mag_ptr largest = _mag_vec_init((slong)count);
    bool ok = attest_attention_ball(computed, &test->weights, &test->sequence, bits, NULL) ==
              ATTEST_OK;

    ref_softmax(expected, largest, &test->weights, &test->sequence, 2 * bits + 400);
    for (size_t i = 0; i < count; i++) {
        /* Where the true value is a short number the computed ball is narrower still. */
        ok = ok && (arb_contains(computed + i, expected + i) ||
                    (arb_is_exact(computed + i) && arb_contains(expected + i, computed + i)));
        mag_mul_2exp_si(largest + i, largest + i, -bits);
        ok = ok && mag_cmp(arb_radref(computed + i), largest + i) <= 0;
    }
    ok = ok && single_queries_agree(computed, test, bits) &&
         ranges_agree(computed, test, expected, bits);
    _arb_vec_clear(computed, (slong)count);
    _arb_vec_clear(expected, (slong)count);
    _mag_vec_clear(largest, (slong)count);
    return ok;
}

static void random_case(ref_case *test, unsigned numerators, unsigned denominator,
                        uint64_t *state)
{
    ref_shape shape = {.heads = 1 + tap_random(state) % 3,
                       .dim = 1 + tap_random(state) % 4,
                       .size = 1 + tap_random(state) % 5,
                       .length = 1 + tap_random(state) % 6,
                       .bits = numerators,
                       .denominator = 1 + (unsigned)(tap_random(state) % denominator),
                       .factored = tap_random(state) & 1};

    ref_case_init(test, &shape, state);
    test->weights.mask = tap_random(state) & 1 ? ATTEST_MASK_CAUSAL : ATTEST_MASK_NONE;
    test->weights.skip = tap_random(state) & 1;
}

static bool random_cases_agree(long bits, unsigned numerators, unsigned denominator, int trials,
                               uint64_t *state)
{
    bool ok = true;

    for (int i = 0; i < trials; i++) {
        ref_case test;
        random_case(&test, numerators, denominator, state);
        ok = agrees(&test, bits) && ok;
        ref_case_clear(&test);
    }
    return ok;
}

/* The ball at a higher precision lies between the bounds by directed roundings. */
static bool is_bracketed(const ref_case *test, long bits)
{
    size_t count = test->sequence.length * test->sequence.dim;
    arb_ptr ball = _arb_vec_init((slong)count);
    __mpfr_struct *low = malloc(count * sizeof *low), *high = malloc(count * sizeof *high);
    arf_t bound, end;
    bool ok;

    arf_init(bound);
    arf_init(end);
    for (size_t i = 0; i < count; i++) {
        mpfr_init2(low + i, bits);
        mpfr_init2(high + i, bits);
    }
    ref_softmax_bounds(low, high, &test->weights, &test->sequence);
    ok = attest_attention_ball(ball, &test->weights, &test->sequence, 3 * bits + 100, NULL) ==
         ATTEST_OK;
    for (size_t i = 0; i < count; i++) {
        arb_get_lbound_arf(end, ball + i, 4 * bits + 200);
        arf_set_mpfr(bound, low + i);
        ok = ok && arf_cmp(bound, end) <= 0;
        arb_get_ubound_arf(end, ball + i, 4 * bits + 200);
        arf_set_mpfr(bound, high + i);
        ok = ok && arf_cmp(end, bound) <= 0;
        mpfr_clear(low + i);
        mpfr_clear(high + i);
    }
    free(low);
    free(high);
    arf_clear(bound);
    arf_clear(end);
    _arb_vec_clear(ball, (slong)count);
    return ok;
}

static void test_brackets(uint64_t *state)
{
    bool ok = true;

    for (int i = 0; i < 60; i++) {
        ref_case test;
        random_case(&test, 3, 12, state);
        ok = is_bracketed(&test, 24 + (long)(tap_random(state) % 200)) && ok;
        ref_case_clear(&test);
    }
    TAP_OK(ok, "bounds by directed roundings bracket the ball");
}

/* Two tokens: softmax is a logistic function. */
static void test_closed_form(uint64_t *state)
{
    const long bits = 300;
    bool ok = true;

    for (int i = 0; i < 60; i++) {
        ref_shape shape = {1, 2, 2, 2, 4, 7, tap_random(state) & 1};
        arb_ptr ball = _arb_vec_init(4);
        __mpfr_struct out[4];
        arb_t expected;
        ref_case test;
        arb_init(expected);
        ref_case_init(&test, &shape, state);
        test.weights.skip = tap_random(state) & 1;
        for (int e = 0; e < 4; e++)
            mpfr_init2(out + e, 5000); /* scores below 2^11 cost at most 3000 bits */
        ref_softmax_two_tokens(out, &test.weights, &test.sequence);
        ok = ok && attest_attention_ball(ball, &test.weights, &test.sequence, bits, NULL) ==
                       ATTEST_OK;
        for (int e = 0; e < 4; e++) {
            arf_set_mpfr(arb_midref(expected), out + e);
            mag_set_ui_2exp_si(arb_radref(expected), 1, -1900);
            ok = ok && arb_overlaps(ball + e, expected) &&
                 mag_cmp_2exp_si(arb_radref(ball + e), 14 - bits) <= 0;
            mpfr_clear(out + e);
        }
        _arb_vec_clear(ball, 4);
        arb_clear(expected);
        ref_case_clear(&test);
    }
    TAP_OK(ok, "two tokens: a logistic function");
}

/* Hardmax in balls encloses the exact result. */
static void test_hardmax(uint64_t *state)
{
    bool ok = true;

    for (int i = 0; i < 100; i++) {
        ref_case test;
        random_case(&test, 30, 12, state);
        test.weights.activation = ATTEST_HARDMAX;
        size_t count = test.sequence.length * test.sequence.dim;
        arb_ptr ball = _arb_vec_init((slong)count);
        fmpq *exact = _fmpq_vec_init((slong)count);
        ok = ok &&
             attest_attention_ball(ball, &test.weights, &test.sequence, 40, NULL) == ATTEST_OK;
        ref_hardmax(exact, &test.weights, &test.sequence);
        for (size_t e = 0; e < count; e++)
            ok = ok && arb_contains_fmpq(ball + e, exact + e) && arb_is_finite(ball + e);
        _arb_vec_clear(ball, (slong)count);
        _fmpq_vec_clear(exact, (slong)count);
        ref_case_clear(&test);
    }
    TAP_OK(ok, "hardmax in balls");
}

/* Tokens 0, 1 and 10^400000 with unit weights: nothing hangs, and the huge key wins. */
static void test_huge_scores(void)
{
    uint64_t state = 5;
    ref_shape shape = {1, 1, 1, 3, 2, 1, false};
    arb_ptr ball = _arb_vec_init(3);
    ref_case test;

    ref_case_init(&test, &shape, &state);
    attest_head *head = &test.weights.head[0];
    attest_matrix *const all[] = {&head->wq, &head->wk, &head->wv, &head->wo};
    for (int i = 0; i < 4; i++) {
        fmpz_one(all[i]->entry);
        fmpz_one(all[i]->denominator);
    }
    fmpz_one(test.sequence.denominator);
    fmpz_zero(test.sequence.entry);
    fmpz_one(test.sequence.entry + 1);
    fmpz_ui_pow_ui(test.sequence.entry + 2, 10, 400000);
    test.weights.skip = false;
    TAP_OK(attest_attention_ball(ball, &test.weights, &test.sequence, 64, NULL) == ATTEST_OK &&
               arb_contains_fmpz(ball + 1, test.sequence.entry + 2) &&
               arb_rel_accuracy_bits(ball + 1) >= 60,
           "differences of 10^400000");
    fmpz_neg(test.sequence.entry + 2, test.sequence.entry + 2);
    TAP_OK(attest_attention_ball(ball, &test.weights, &test.sequence, 64, NULL) == ATTEST_OK &&
               arb_contains_si(ball + 1, 1) == 0 && arb_is_finite(ball + 1),
           "differences of -10^400000");
    ref_case_clear(&test);
    _arb_vec_clear(ball, 3);
}

/* Sums of many heads, and of many keys: balls are as narrow as promised. */
static void test_many(uint64_t *state)
{
    static const ref_shape shapes[] = {
        {.heads = 200, .dim = 2, .size = 1, .length = 2, .bits = 3, .denominator = 40},
        {.heads = 1, .dim = 2, .size = 1, .length = 200, .bits = 3, .denominator = 40}};

    for (size_t i = 0; i < 2; i++) {
        ref_case test;

        ref_case_init(&test, &shapes[i], state);
        TAP_OK(agrees(&test, 64), "%u heads on %u tokens", (unsigned)shapes[i].heads,
               (unsigned)shapes[i].length);
        ref_case_clear(&test);
    }
}

static void test_refusals(uint64_t *state)
{
    attest_error error;
    arb_t out[16];
    ref_case test;

    random_case(&test, 3, 12, state);
    TAP_OK(attest_attention_ball(out[0], &test.weights, &test.sequence, 1, &error) ==
               ATTEST_DOMAIN,
           "1 bit is refused: %s", error.text);
    TAP_OK(attest_attention_ball(out[0], &test.weights, &test.sequence, 2000000000, &error) ==
               ATTEST_DOMAIN,
           "2 000 000 000 bits are refused");
    test.weights.dim++;
    TAP_OK(attest_attention_ball(out[0], &test.weights, &test.sequence, 64, &error) ==
               ATTEST_DOMAIN,
           "other dimensions are refused: %s", error.text);
    ref_case_clear(&test);
}

TEST(ball)
{
    uint64_t state = tap_seed(0x5eed0002);

    TAP_OK(random_cases_agree(64, 4, 12, 60, &state), "64 bits");
    TAP_OK(random_cases_agree(256, 2, 12, 60, &state), "256 bits");
    TAP_OK(random_cases_agree(256, 12, 12, 60, &state), "256 bits, large scores");
    TAP_OK(random_cases_agree(1024, 3, 12, 20, &state), "1024 bits");
    TAP_OK(random_cases_agree(20000, 3, 12, 2, &state), "20000 bits");
    TAP_OK(random_cases_agree(2, 5, 12, 60, &state), "2 bits");
    TAP_OK(random_cases_agree(20, 34, 1u << 31, 300, &state), "20 bits, long fractions");
    test_brackets(&state);
    test_closed_form(&state);
    test_hardmax(&state);
    test_huge_scores();
    test_many(&state);
    test_refusals(&state);
    flint_cleanup();
    mpfr_free_cache();
    return 0;
}
