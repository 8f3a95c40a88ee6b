/* Relations between outputs of attention that hold whatever the weights are, in exact
 * arithmetic (hardmax, equality) and in balls (softmax, overlap of narrow balls). */
#include <string.h>

#include "tests/ref/cases.h"
#include "tests/tap.h"

enum { TRIALS = 60, BITS = 200 };

typedef struct outputs {
    size_t count;
    fmpq *hard;
    arb_ptr soft;
} outputs;

static void outputs_init(outputs *out, ref_case *test)
{
    bool ok;

    out->count = test->sequence.length * test->sequence.dim;
    out->hard = _fmpq_vec_init((slong)out->count);
    out->soft = _arb_vec_init((slong)out->count);
    test->weights.activation = ATTEST_HARDMAX;
    ok = attest_attention_exact(out->hard, &test->weights, &test->sequence, NULL) == ATTEST_OK;
    test->weights.activation = ATTEST_SOFTMAX;
    ok = ok && attest_attention_ball(out->soft, &test->weights, &test->sequence, BITS, NULL) ==
                   ATTEST_OK;
    if (!ok)
        abort();
}

static void outputs_clear(outputs *out)
{
    _fmpq_vec_clear(out->hard, (slong)out->count);
    _arb_vec_clear(out->soft, (slong)out->count);
}

/* Entries i of a and j of b agree in both systems. */
static bool same(const outputs *a, size_t i, const outputs *b, size_t j)
{
    arb_srcptr x = a->soft + i, y = b->soft + j;

    /* The terms are below 2^30: a radius above 2^(40-BITS) would make overlap meaningless. */
    return fmpq_equal(a->hard + i, b->hard + j) && arb_overlaps(x, y) &&
           mag_cmp_2exp_si(arb_radref(x), 40 - BITS) < 0 &&
           mag_cmp_2exp_si(arb_radref(y), 40 - BITS) < 0;
}

/* All entries of tokens a_token and b_token agree. */
static bool same_token(const outputs *a, size_t a_token, const outputs *b, size_t b_token,
                       size_t d)
{
    bool ok = true;

    for (size_t c = 0; c < d; c++)
        ok = ok && same(a, a_token * d + c, b, b_token * d + c);
    return ok;
}

static ref_shape random_shape(uint64_t *state)
{
    return (ref_shape){.heads = 1 + tap_random(state) % 3,
                       .dim = 1 + tap_random(state) % 4,
                       .size = 1 + tap_random(state) % 4,
                       .length = 1 + tap_random(state) % 6,
                       .bits = 3,
                       .denominator = 5,
                       .factored = tap_random(state) & 1};
}

static void get_token(fmpz *token, const attest_sequence *z, size_t k)
{
    _fmpz_vec_set(token, z->entry + k * z->dim, (slong)z->dim);
}

static void test_permutation(uint64_t *state)
{
    bool ok = true;

    for (int i = 0; i < TRIALS; i++) {
        ref_shape shape = random_shape(state);
        ref_case test;
        outputs before, after;
        size_t place[8], n = shape.length, d = shape.dim;
        ref_case_init(&test, &shape, state);
        fmpz *old = _fmpz_vec_init((slong)(n * d));
        _fmpz_vec_set(old, test.sequence.entry, (slong)(n * d));
        outputs_init(&before, &test);
        for (size_t k = 0; k < n; k++) { /* place[k] = where token k goes */
            size_t j = tap_random(state) % (k + 1);
            place[k] = k;
            size_t t = place[k];
            place[k] = place[j];
            place[j] = t;
        }
        for (size_t k = 0; k < n; k++)
            _fmpz_vec_set(test.sequence.entry + place[k] * d, old + k * d, (slong)d);
        outputs_init(&after, &test);
        for (size_t k = 0; k < n; k++)
            ok = same_token(&before, k, &after, place[k], d) && ok;
        _fmpz_vec_clear(old, (slong)(n * d));
        outputs_clear(&before);
        outputs_clear(&after);
        ref_case_clear(&test);
    }
    TAP_OK(ok, "permuted tokens have permuted outputs");
}

/* With a last entry 1 in every token, the last column of W_K adds one constant to all scores
 * of a query. */
static void test_shift(uint64_t *state)
{
    bool ok = true, changed = false;

    for (int i = 0; i < TRIALS; i++) {
        ref_shape shape = random_shape(state);
        ref_case test;
        outputs before, after;
        shape.factored = false;
        ref_case_init(&test, &shape, state);
        size_t n = shape.length, d = shape.dim;
        for (size_t k = 0; k < n; k++)
            fmpz_set(test.sequence.entry + k * d + d - 1, test.sequence.denominator);
        outputs_init(&before, &test);
        for (size_t h = 0; h < shape.heads; h++)
            for (size_t r = 0; r < shape.size; r++) {
                fmpz *entry = test.weights.head[h].wk.entry + r * d + d - 1;
                ref_random_integer(entry, 6, state);
                changed = changed || !fmpz_is_zero(entry);
            }
        outputs_init(&after, &test);
        for (size_t k = 0; k < n; k++)
            ok = same_token(&before, k, &after, k, d) && ok;
        outputs_clear(&before);
        outputs_clear(&after);
        ref_case_clear(&test);
    }
    TAP_OK(ok && changed, "a constant added to all scores of a query changes nothing");
}

static void test_head_order(uint64_t *state)
{
    bool ok = true;

    for (int i = 0; i < TRIALS; i++) {
        ref_shape shape = random_shape(state);
        ref_case test;
        outputs before, after;
        shape.heads = 3;
        ref_case_init(&test, &shape, state);
        test.weights.skip = i & 1;
        outputs_init(&before, &test);
        attest_head first = test.weights.head[0];
        test.weights.head[0] = test.weights.head[2];
        test.weights.head[2] = first;
        outputs_init(&after, &test);
        for (size_t k = 0; k < shape.length; k++)
            ok = same_token(&before, k, &after, k, shape.dim) && ok;
        outputs_clear(&before);
        outputs_clear(&after);
        ref_case_clear(&test);
    }
    TAP_OK(ok, "the order of the heads does not matter");
}

static void make_zero(attest_matrix *matrix)
{
    attest_matrix_resize(matrix, matrix->rows, matrix->cols);
}

/* W_V = 0: the tokens themselves, or 0 without skip. */
static void test_zero_values(uint64_t *state)
{
    bool ok = true;

    for (int i = 0; i < TRIALS; i++) {
        ref_shape shape = random_shape(state);
        ref_case test;
        outputs out;
        ref_case_init(&test, &shape, state);
        test.weights.skip = i & 1;
        for (size_t h = 0; h < shape.heads; h++)
            make_zero(i & 2 ? &test.weights.head[h].wv : &test.weights.head[h].wo);
        outputs_init(&out, &test);
        for (size_t e = 0; e < out.count; e++) {
            fmpq_t expected;
            fmpq_init(expected);
            if (test.weights.skip)
                fmpq_set_fmpz_frac(expected, test.sequence.entry + e,
                                   test.sequence.denominator);
            ok = ok && fmpq_equal(out.hard + e, expected) &&
                 arb_contains_fmpq(out.soft + e, expected);
            fmpq_clear(expected);
        }
        outputs_clear(&out);
        ref_case_clear(&test);
    }
    TAP_OK(ok, "zero W_V or W_O: the skip alone");
}

/* W_Q = 0: softmax and hardmax are both the mean of the values. */
static void test_zero_scores(uint64_t *state)
{
    bool ok = true;

    for (int i = 0; i < TRIALS; i++) {
        ref_shape shape = random_shape(state);
        ref_case test;
        outputs out;
        ref_case_init(&test, &shape, state);
        test.weights.mask = i & 1 ? ATTEST_MASK_CAUSAL : ATTEST_MASK_NONE;
        for (size_t h = 0; h < shape.heads; h++)
            make_zero(&test.weights.head[h].wq);
        outputs_init(&out, &test);
        for (size_t e = 0; e < out.count; e++)
            ok = ok && arb_contains_fmpq(out.soft + e, out.hard + e);
        outputs_clear(&out);
        ref_case_clear(&test);
    }
    TAP_OK(ok, "zero scores: softmax is hardmax is the mean");
}

/* Replaces u v^T by its dense matrix. */
static void make_dense(attest_matrix *matrix)
{
    attest_matrix dense;

    if (!matrix->factored)
        return;
    attest_matrix_init(&dense);
    attest_matrix_resize(&dense, matrix->rows, matrix->cols);
    for (size_t r = 0; r < matrix->rows; r++)
        for (size_t c = 0; c < matrix->cols; c++)
            fmpz_mul(dense.entry + r * matrix->cols + c, matrix->u + r, matrix->v + c);
    fmpz_set(dense.denominator, matrix->denominator);
    attest_matrix_set(matrix, &dense);
    attest_matrix_clear(&dense);
}

static void test_factors(uint64_t *state)
{
    bool ok = true;

    for (int i = 0; i < TRIALS; i++) {
        ref_shape shape = random_shape(state);
        ref_case test;
        outputs factored, dense;
        shape.factored = true;
        ref_case_init(&test, &shape, state);
        outputs_init(&factored, &test);
        for (size_t h = 0; h < shape.heads; h++) {
            make_dense(&test.weights.head[h].wq);
            make_dense(&test.weights.head[h].wk);
            make_dense(&test.weights.head[h].wv);
            make_dense(&test.weights.head[h].wo);
        }
        outputs_init(&dense, &test);
        for (size_t k = 0; k < shape.length; k++)
            ok = same_token(&factored, k, &dense, k, shape.dim) && ok;
        outputs_clear(&factored);
        outputs_clear(&dense);
        ref_case_clear(&test);
    }
    TAP_OK(ok, "factors u v^T are the dense matrix");
}

/* Under a causal mask output k is that of the last token of the prefix without a mask. */
static void test_prefix(uint64_t *state)
{
    bool ok = true;

    for (int i = 0; i < TRIALS; i++) {
        ref_shape shape = random_shape(state);
        ref_case test;
        outputs masked, prefix;
        ref_case_init(&test, &shape, state);
        test.weights.mask = ATTEST_MASK_CAUSAL;
        outputs_init(&masked, &test);
        test.weights.mask = ATTEST_MASK_NONE;
        for (size_t k = 0; k < shape.length; k++) {
            test.sequence.length = k + 1;
            outputs_init(&prefix, &test);
            ok = same_token(&masked, k, &prefix, k, shape.dim) && ok;
            outputs_clear(&prefix);
        }
        test.sequence.length = shape.length;
        outputs_clear(&masked);
        ref_case_clear(&test);
    }
    TAP_OK(ok, "a causal mask is the prefix");
}

/* Writing every token twice changes no output: weights are per occurrence. */
static void test_twice(uint64_t *state)
{
    bool ok = true;

    for (int i = 0; i < TRIALS; i++) {
        ref_shape shape = random_shape(state);
        ref_case test, twice;
        outputs once_out, twice_out;
        uint64_t copy = *state;
        ref_case_init(&test, &shape, state);
        ref_case_init(&twice, &shape, &copy);
        attest_sequence_resize(&twice.sequence, 2 * shape.length, shape.dim);
        fmpz_set(twice.sequence.denominator, test.sequence.denominator);
        for (size_t k = 0; k < 2 * shape.length; k++)
            get_token(twice.sequence.entry + k * shape.dim, &test.sequence, k / 2);
        outputs_init(&once_out, &test);
        outputs_init(&twice_out, &twice);
        for (size_t k = 0; k < 2 * shape.length; k++)
            ok = same_token(&once_out, k / 2, &twice_out, k, shape.dim) && ok;
        outputs_clear(&once_out);
        outputs_clear(&twice_out);
        ref_case_clear(&test);
        ref_case_clear(&twice);
    }
    TAP_OK(ok, "every token written twice");
}

TEST(relations)
{
    uint64_t state = tap_seed(0x5eed0005);

    test_permutation(&state);
    test_shift(&state);
    test_head_order(&state);
    test_zero_values(&state);
    test_zero_scores(&state);
    test_factors(&state);
    test_prefix(&state);
    test_twice(&state);
    flint_cleanup();
    return 0;
}
