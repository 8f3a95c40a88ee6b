/* Softmax weights from rounded scores, and the exact dot products behind them. */
#include "number/ball_exp.h"
#include "number/rationals.h"
#include "tests/ref/cases.h"
#include "tests/tap.h"

enum { KEYS = 9, WIDTH = 3 };

/* A head's keys, one query and their common denominator. */
typedef struct head {
    fmpz *key, *query;
    fmpz_t denominator;
} head;

/* Entries of exactly bits bits over a denominator that makes scores of up to about 2^size. */
static void head_init(head *h, unsigned bits, unsigned size, uint64_t *state)
{
    h->key = _fmpz_vec_init(KEYS * WIDTH);
    h->query = _fmpz_vec_init(WIDTH);
    fmpz_init(h->denominator);
    for (int i = 0; i < (KEYS + 1) * WIDTH; i++) {
        fmpz *x = i < WIDTH ? h->query + i : h->key + (i - WIDTH);
        ref_random_integer(x, bits - 1, state);
        fmpz_abs(x, x);
        fmpz_setbit(x, bits - 1);
        if (tap_random(state) & 1)
            fmpz_neg(x, x);
    }
    fmpz_one_2exp(h->denominator, 2 * bits - size);
    fmpz_sub_ui(h->denominator, h->denominator, 1);
}

static void head_clear(head *h)
{
    _fmpz_vec_clear(h->key, KEYS * WIDTH);
    _fmpz_vec_clear(h->query, WIDTH);
    fmpz_clear(h->denominator);
}

/* x encloses the weight of key j, at a precision far above that of the test. */
static void plain_weight(arb_t x, const head *h, int j)
{
    fmpz_t dot;

    fmpz_init(dot);
    _fmpz_vec_dot(dot, h->key + j * WIDTH, h->query, WIDTH);
    arb_fmpz_div_fmpz(x, dot, h->denominator, 1000);
    arb_exp(x, x, 900);
    fmpz_clear(dot);
}

/* Sets the head and asks for the weights of its query. */
static bool weigh(arb_ptr value, const head *h, size_t count, slong precision)
{
    attest_ball_scores scores;
    bool rounded;

    attest_ball_scores_init(&scores);
    attest_ball_scores_set(&scores, h->key, KEYS, WIDTH, h->query, h->denominator, precision);
    rounded = attest_ball_scores_exp(value, value + count, &scores, h->query, h->denominator,
                                     count, precision);
    attest_ball_scores_clear(&scores);
    return rounded;
}

/* The weights contain those of plain Arb, are as narrow as the header says, and add up. */
static bool weights_agree(const head *h, slong precision)
{
    arb_ptr value = _arb_vec_init(KEYS + 1);
    arb_t x, total, radius;
    bool ok = weigh(value, h, KEYS, precision);

    arb_init(x);
    arb_init(total);
    arb_init(radius);
    for (int j = 0; j < KEYS; j++) {
        plain_weight(x, h, j);
        arb_add(total, total, x, 1000);
        ok = ok && arb_contains(value + j, x);
        arb_get_rad_arb(radius, value + j);
        arb_mul_2exp_si(x, x, 3 - precision);
        ok = ok && arb_le(radius, x);
    }
    ok = ok && arb_contains(value + KEYS, total);
    arb_clear(x);
    arb_clear(total);
    arb_clear(radius);
    _arb_vec_clear(value, KEYS + 1);
    return ok;
}

static void test_weights(unsigned bits, unsigned size, slong precision, uint64_t *state)
{
    bool ok = true;

    for (int i = 0; i < 40; i++) {
        head h;
        head_init(&h, bits, size, state);
        ok = weights_agree(&h, precision) && ok;
        head_clear(&h);
    }
    TAP_OK(ok, "scores of %u-bit entries below 2^%u, at %ld bits", bits, size, precision);
}

/* Where exact scores are to be preferred. */
static void test_refusals(uint64_t *state)
{
    arb_ptr value = _arb_vec_init(KEYS + 1);
    head h;

    head_init(&h, 120, 4, state);
    TAP_OK(weigh(value, &h, KEYS, 64) && !weigh(value, &h, 2, 64), "not for two keys");
    TAP_OK(!weigh(value, &h, KEYS, 300), "not where exact scores are shorter");
    fmpz_one_2exp(h.denominator, 150);
    TAP_OK(!weigh(value, &h, KEYS, 64), "not for scores of 2^90");
    head_clear(&h);

    head_init(&h, 120, 4, state);
    for (int j = 0; j < KEYS; j++) /* key_j = key_0 times j: scores on a lattice */
        _fmpz_vec_scalar_mul_ui(h.key + (KEYS - 1 - j) * WIDTH, h.key, WIDTH,
                                (ulong)(KEYS - 1 - j));
    TAP_OK(!weigh(value, &h, KEYS, 64), "not for scores with a common step");
    head_clear(&h);
    _arb_vec_clear(value, KEYS + 1);
}

/* A random integer, often at the edge of one, two or three words. */
static void edge_integer(fmpz_t x, uint64_t *state)
{
    ref_random_integer(x, 1 + (unsigned)(tap_random(state) % 140), state);
    if (tap_random(state) % 3 == 0) {
        fmpz_one_2exp(x, 61 + tap_random(state) % 69);
        fmpz_sub_ui(x, x, tap_random(state) & 1);
        if (tap_random(state) & 1)
            fmpz_neg(x, x);
    }
}

static void test_dot(uint64_t *state)
{
    bool ok = true;

    for (int i = 0; i < 4000; i++) {
        size_t count = tap_random(state) % 9;
        fmpz *x = _fmpz_vec_init((slong)count), *y = _fmpz_vec_init((slong)count);
        fmpz_t sum, expected;
        fmpz_init(sum);
        fmpz_init(expected);
        for (size_t j = 0; j < count; j++) {
            edge_integer(x + j, state);
            edge_integer(y + j, state);
            fmpz_addmul(expected, x + j, y + j);
        }
        attest_integer_dot(sum, x, y, count);
        ok = ok && fmpz_equal(sum, expected);
        fmpz_clear(sum);
        fmpz_clear(expected);
        _fmpz_vec_clear(x, (slong)count);
        _fmpz_vec_clear(y, (slong)count);
    }
    TAP_OK(ok, "dot products of integers around one and two words");
}

TEST(ball_scores)
{
    uint64_t state = tap_seed(0x5eed0023);

    test_weights(120, 1, 40, &state);
    test_weights(120, 10, 88, &state);
    test_weights(120, 20, 152, &state);
    test_weights(300, 24, 300, &state);
    test_refusals(&state);
    test_dot(&state);
    flint_cleanup();
    return 0;
}
