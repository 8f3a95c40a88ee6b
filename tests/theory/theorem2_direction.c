/* Directions of Theorem 2: divisors, orthogonal outputs, which directions keep tokens apart,
 * and numbers rounded up and down, each against its definition in rationals. */
#include "theory/theorem2.h"

#include "tests/tap.h"

enum { MOST_DIM = 6, ROUNDS = 300 };

/* Small numbers, so that many are equal and many 0; not all 0. */
static void gen_numerator(attest_rational_vector *v, uint64_t *state)
{
    do
        for (size_t c = 0; c < v->dim; c++)
            fmpz_set_si(v->numerator + c,
                        tap_random(state) % 2 ? 0 : (slong)(tap_random(state) % 9) - 4);
    while (_fmpz_vec_is_zero(v->numerator, (slong)v->dim));
}

/* divisor - 1 < |numerator| <= divisor. */
static bool is_normal(const attest_rational_vector *v)
{
    fmpz_t square, bound;
    bool ok;

    fmpz_init(square);
    fmpz_init(bound);
    _fmpz_vec_dot(square, v->numerator, v->numerator, (slong)v->dim);
    fmpz_mul(bound, v->denominator, v->denominator);
    ok = fmpz_cmp(square, bound) <= 0 && fmpz_sgn(v->denominator) > 0;
    fmpz_sub_ui(bound, v->denominator, 1);
    fmpz_mul(bound, bound, bound);
    ok = ok && fmpz_cmp(square, bound) > 0;
    fmpz_clear(square);
    fmpz_clear(bound);
    return ok;
}

/* Returns whether only the two largest entries of v have a part in w. */
static bool uses_largest(const fmpq *w, const attest_rational_vector *v)
{
    size_t larger[MOST_DIM] = {0};

    for (size_t c = 0; c < v->dim; c++)
        for (size_t e = 0; e < v->dim; e++)
            larger[c] += fmpz_cmpabs(v->numerator + e, v->numerator + c) > 0;
    for (size_t c = 0; c < v->dim; c++)
        if (larger[c] >= 2 && !fmpq_is_zero(w + c))
            return false;
    return true;
}

/* w.v = 0, |w| <= size, and all but 2^-40 of it. */
static bool is_output(const fmpq *w, const attest_rational_vector *v, const fmpq_t size)
{
    fmpq_t sum, square, x;
    bool ok = true;

    fmpq_init(sum);
    fmpq_init(square);
    fmpq_init(x);
    for (size_t c = 0; c < v->dim; c++) {
        fmpq_mul_fmpz(x, w + c, v->numerator + c);
        fmpq_add(sum, sum, x);
        fmpq_addmul(square, w + c, w + c);
    }
    ok = v->dim == 1 ? fmpq_equal(w, size) : fmpq_is_zero(sum) && uses_largest(w, v);
    fmpq_mul(x, size, size);
    ok = ok && fmpq_cmp(square, x) <= 0;
    fmpq_div(x, square, x);
    ok = ok && fmpq_get_d(x) > 1 - 0x1p-40;
    fmpq_clear(sum);
    fmpq_clear(square);
    fmpq_clear(x);
    return ok;
}

static void test_outputs(uint64_t *state)
{
    int normal = 0, right = 0;
    fmpq *w = _fmpq_vec_init(MOST_DIM);
    fmpq_t size;

    fmpq_init(size);
    for (int i = 0; i < ROUNDS; i++) {
        attest_rational_vector v;

        attest_rational_vector_init(&v, 1 + (size_t)i % MOST_DIM);
        gen_numerator(&v, state);
        attest_direction_normalise(&v);
        normal += is_normal(&v);
        fmpq_set_si(size, 1 + (slong)(tap_random(state) % 20), 1 + tap_random(state) % 20);
        attest_direction_output(w, &v, size);
        right += is_output(w, &v, size);
        attest_rational_vector_clear(&v);
    }
    TAP_OK(normal == ROUNDS, "%d of %d divisors are the norm, rounded up", normal, ROUNDS);
    TAP_OK(right == ROUNDS, "%d of %d outputs are orthogonal, and as long as they may be",
           right, ROUNDS);
    _fmpq_vec_clear(w, MOST_DIM);
    fmpq_clear(size);
}

/* Entries are sums of four numbers of 15 bits, less their middle, from the stream of the seed.
 */
static void test_stream(void)
{
    uint64_t state = 9, same = 9;
    attest_rational_vector v;
    bool ok = true;

    attest_rational_vector_init(&v, 3);
    for (int i = 0; i < 20; i++) {
        attest_direction_gen(&v, &state);
        for (size_t c = 0; c < 3; c++) {
            slong entry = -4 * 16384;

            for (int k = 0; k < 4; k++)
                entry += (slong)(tap_random(&same) / ((uint64_t)1 << 49));
            ok = ok && fmpz_equal_si(v.numerator + c, entry);
        }
        ok = ok && is_normal(&v);
    }
    attest_rational_vector_clear(&v);
    TAP_OK(ok && state == same, "directions of a seed");
    attest_rational_vector_init(&v, 1);
    attest_direction_gen(&v, &state);
    TAP_OK(fmpz_is_one(v.numerator) && fmpz_is_one(v.denominator), "on a line there is one");
    attest_rational_vector_clear(&v);
}

/* Tokens of two entries. */
static void set_tokens(attest_dataset *data, const fmpq (*token)[2], size_t count)
{
    attest_dataset_builder builder;

    attest_dataset_builder_init(&builder, 2, ATTEST_TABLE_RATIONAL, NULL);
    for (size_t t = 0; t < count; t++)
        if (attest_dataset_builder_add_token(&builder, token[t], NULL) != ATTEST_OK)
            abort();
    if (attest_dataset_builder_end_sequence(&builder, NULL) != ATTEST_OK ||
        attest_dataset_builder_finish(data, &builder, NULL) != ATTEST_OK)
        abort();
    attest_dataset_builder_clear(&builder);
}

/* value = v.x of token t. */
static void project(fmpq_t value, const attest_rational_vector *v, const attest_tokens *tokens,
                    size_t t)
{
    fmpq_t x;

    fmpq_init(x);
    fmpq_zero(value);
    for (size_t c = 0; c < v->dim; c++) {
        attest_tokens_get_entry(x, tokens, t, c);
        fmpq_mul_fmpz(x, x, v->numerator + c);
        fmpq_add(value, value, x);
    }
    fmpq_div_fmpz(value, value, v->denominator);
    fmpq_clear(x);
}

/* Returns whether all v.x are different and none is 0, and the least |v.x|, by comparing all.
 */
static bool compare_all(fmpq_t least, const attest_rational_vector *v,
                        const attest_tokens *tokens)
{
    bool apart = true;
    fmpq_t a, b;

    fmpq_init(a);
    fmpq_init(b);
    for (size_t t = 0; t < tokens->count; t++) {
        project(a, v, tokens, t);
        for (size_t s = 0; s < t; s++) {
            project(b, v, tokens, s);
            apart = apart && !fmpq_equal(a, b);
        }
        fmpq_abs(a, a);
        apart = apart && !fmpq_is_zero(a);
        if (t == 0 || fmpq_cmp(a, least) < 0)
            fmpq_set(least, a);
    }
    fmpq_clear(a);
    fmpq_clear(b);
    return apart;
}

static bool agrees(const attest_rational_vector *v, const attest_tokens *tokens, bool *apart)
{
    attest_projection along;
    fmpq_t least, expected;
    bool ok, is_apart;

    fmpq_init(least);
    fmpq_init(expected);
    *apart = compare_all(expected, v, tokens);
    ok = attest_direction_check(&is_apart, v, tokens, NULL) == ATTEST_OK && is_apart == *apart;
    ok = ok && attest_projection_init(&along, tokens, v, NULL) == ATTEST_OK;
    attest_direction_least(least, &along);
    ok = ok && fmpq_equal(least, expected);
    attest_projection_clear(&along);
    fmpq_clear(least);
    fmpq_clear(expected);
    return ok;
}

static void test_tokens(uint64_t *state)
{
    enum { TOKENS = 4 };
    fmpq token[TOKENS][2];
    int right = 0, kept = 0;

    for (size_t t = 0; t < TOKENS; t++)
        fmpq_init(&token[t][0]), fmpq_init(&token[t][1]);
    for (int i = 0; i < ROUNDS; i++) {
        attest_rational_vector v;
        attest_dataset data;
        bool apart;

        for (size_t t = 0; t < TOKENS; t++)
            for (size_t c = 0; c < 2; c++)
                fmpq_set_si(&token[t][c], (slong)(tap_random(state) % 13) - 6, 3);
        attest_dataset_init(&data);
        set_tokens(&data, (const fmpq(*)[2])token, TOKENS);
        attest_rational_vector_init(&v, 2);
        gen_numerator(&v, state);
        attest_direction_normalise(&v);
        right += agrees(&v, &data.tokens, &apart);
        kept += apart;
        attest_rational_vector_clear(&v);
        attest_dataset_clear(&data);
    }
    TAP_OK(right == ROUNDS && kept > ROUNDS / 4 && kept < ROUNDS * 3 / 4,
           "%d of %d directions: whether they keep tokens apart (%d do), and the least product",
           right, ROUNDS, kept);
    for (size_t t = 0; t < TOKENS; t++)
        fmpq_clear(&token[t][0]), fmpq_clear(&token[t][1]);
}

/* Products 1/3, of large numbers, and 1/3 + 10^-18, which doubles know better: the former is
 * least, whichever token is first. */
static void test_close(void)
{
    fmpq token[2][2];
    attest_rational_vector v;

    for (size_t t = 0; t < 2; t++)
        fmpq_init(&token[t][0]), fmpq_init(&token[t][1]);
    attest_rational_vector_init(&v, 2);
    fmpz_one(v.numerator);
    fmpz_set_si(v.numerator + 1, -1);
    attest_direction_normalise(&v);
    for (size_t first = 0; first < 2; first++) {
        attest_dataset data;
        bool apart, ok;

        fmpq_set_si(&token[first][0], 3000001, 3);
        fmpq_set_si(&token[first][1], 1000000, 1);
        fmpq_set_str(&token[1 - first][0], "1000000000000000003/3000000000000000000", 10);
        fmpq_zero(&token[1 - first][1]);
        attest_dataset_init(&data);
        set_tokens(&data, (const fmpq(*)[2])token, 2);
        ok = agrees(&v, &data.tokens, &apart);
        TAP_OK(ok && apart, "products that doubles do not tell apart");
        attest_dataset_clear(&data);
    }
    attest_rational_vector_clear(&v);
    for (size_t t = 0; t < 2; t++)
        fmpq_clear(&token[t][0]), fmpq_clear(&token[t][1]);
}

/* Returns whether y = m 2^e with m of at most so many bits. */
static bool has_bits(const fmpq_t y, long bits)
{
    fmpz_t odd;
    bool ok;

    fmpz_init_set(odd, fmpq_numref(y));
    fmpz_tdiv_q_2exp(odd, odd, fmpz_val2(odd));
    ok = (long)fmpz_bits(odd) <= bits;
    fmpz_set(odd, fmpq_denref(y));
    fmpz_tdiv_q_2exp(odd, odd, fmpz_val2(odd));
    ok = ok && fmpz_is_one(odd);
    fmpz_clear(odd);
    return ok;
}

/* Of one bit more at most, as numerator and denominator say the size up to a factor 2. */
static void test_rounding(uint64_t *state)
{
    fmpq_t x, up, down, width;
    int right = 0;

    fmpq_init(x);
    fmpq_init(up);
    fmpq_init(down);
    fmpq_init(width);
    for (int i = 0; i < ROUNDS; i++) {
        long bits = 1 + (long)(tap_random(state) % 60);

        fmpq_set_si(x, 1 + (slong)(tap_random(state) >> (1 + tap_random(state) % 62)),
                    1 + (tap_random(state) >> tap_random(state) % 63));
        fmpq_set(up, x);
        fmpq_set(down, x);
        attest_round_up(up, bits);
        attest_round_down(down, bits);
        fmpq_sub(width, up, down);
        fmpq_mul_2exp(width, width, (ulong)bits - 1); /* at most x: 2^(1 - bits) of it */
        right += fmpq_cmp(down, x) <= 0 && fmpq_cmp(x, up) <= 0 && fmpq_cmp(width, x) <= 0 &&
                 has_bits(up, bits + 1) && has_bits(down, bits + 1) &&
                 (!has_bits(x, bits) || fmpq_equal(up, down));
    }
    TAP_OK(right == ROUNDS, "%d of %d numbers rounded up and down", right, ROUNDS);
    fmpq_clear(x);
    fmpq_clear(up);
    fmpq_clear(down);
    fmpq_clear(width);
}

TEST(theorem2_direction)
{
    uint64_t state = tap_seed(0xd14ec7);

    test_outputs(&state);
    test_stream();
    test_tokens(&state);
    test_close();
    test_rounding(&state);
    flint_cleanup();
    return 0;
}
