/* Exact hardmax attention against its definition. */
#include "tests/ref/attention.h"
#include "tests/ref/cases.h"
#include "tests/tap.h"

static bool agrees(const ref_case *test)
{
    size_t count = test->sequence.length * test->sequence.dim;
    fmpq *computed = _fmpq_vec_init((slong)count), *expected = _fmpq_vec_init((slong)count);
    bool ok;

    for (size_t i = 0; i < count; i++)
        fmpq_set_si(computed + i, 5, 7); /* what was there is lost */
    ok = attest_attention_exact(computed, &test->weights, &test->sequence, NULL) == ATTEST_OK;
    ref_hardmax(expected, &test->weights, &test->sequence);
    for (size_t i = 0; i < count; i++)
        ok = ok && fmpq_is_canonical(computed + i) && fmpq_equal(computed + i, expected + i);
    _fmpq_vec_clear(computed, (slong)count);
    _fmpq_vec_clear(expected, (slong)count);
    return ok;
}

/* All masks, ties and skips of one random case. */
static bool all_variants_agree(const ref_shape *shape, uint64_t *state)
{
    ref_case test;
    bool ok = true;

    ref_case_init(&test, shape, state);
    test.weights.activation = ATTEST_HARDMAX;
    for (int variant = 0; variant < 8; variant++) {
        test.weights.ties = variant & 1 ? ATTEST_TIES_LEFTMOST : ATTEST_TIES_UNIFORM;
        test.weights.mask = variant & 2 ? ATTEST_MASK_CAUSAL : ATTEST_MASK_NONE;
        test.weights.skip = !(variant & 4);
        ok = agrees(&test) && ok;
    }
    ref_case_clear(&test);
    return ok;
}

static void test_random(uint64_t *state)
{
    static const unsigned bits[] = {1, 2, 8, 70, 340};

    for (size_t b = 0; b < sizeof bits / sizeof bits[0]; b++) {
        bool ok = true;
        for (int i = 0; i < 40; i++) {
            ref_shape shape = {.heads = 1 + tap_random(state) % 3,
                               .dim = 1 + tap_random(state) % 4,
                               .size = 1 + tap_random(state) % 5,
                               .length = 1 + tap_random(state) % 6,
                               .bits = bits[b],
                               .denominator = 1 + (unsigned)(tap_random(state) % 12),
                               .factored = tap_random(state) & 1};
            ok = all_variants_agree(&shape, state) && ok;
        }
        TAP_OK(ok, "hardmax is that of the definition, %u-bit numerators", bits[b]);
    }
}

/* All scores tie: the mean of n values, for every n. */
static void test_ties(void)
{
    bool ok = true;
    uint64_t state = 1;

    for (size_t n = 1; n <= 40; n++) {
        ref_shape shape = {1, 2, 2, n, 8, 3, false};
        ref_case test;
        ref_case_init(&test, &shape, &state);
        _fmpz_vec_zero(test.weights.head[0].wk.entry, 4);
        test.weights.activation = ATTEST_HARDMAX;
        ok = agrees(&test) && ok;
        ref_case_clear(&test);
    }
    TAP_OK(ok, "all keys tie, lengths 1 to 40");
}

/* A row or a column more in any matrix of any head. */
static void test_shapes(void)
{
    uint64_t state = 3;
    ref_shape shape = {3, 2, 3, 2, 8, 3, false};
    int refused = 0, total = 0;
    ref_case test;
    fmpq *out = _fmpq_vec_init(4);

    ref_case_init(&test, &shape, &state);
    test.weights.activation = ATTEST_HARDMAX;
    for (size_t h = 0; h < 3; h++) {
        attest_head *head = &test.weights.head[h];
        size_t *size[] = {&head->wq.rows, &head->wq.cols, &head->wk.rows, &head->wk.cols,
                          &head->wv.rows, &head->wv.cols, &head->wo.rows, &head->wo.cols};

        for (size_t i = 0; i < sizeof size / sizeof *size; i++, total++) {
            ++*size[i];
            refused += attest_attention_exact(out, &test.weights, &test.sequence, NULL) ==
                       ATTEST_DOMAIN;
            --*size[i];
        }
    }
    TAP_OK(refused == total &&
               attest_attention_exact(out, &test.weights, &test.sequence, NULL) == ATTEST_OK,
           "%d of %d shapes that do not fit are refused", refused, total);
    ref_case_clear(&test);
    _fmpq_vec_clear(out, 4);
}

static void test_refusals(void)
{
    uint64_t state = 2;
    ref_shape shape = {2, 2, 3, 3, 8, 3, false};
    ref_case test;
    attest_error error;
    fmpq *out = _fmpq_vec_init(6);

    ref_case_init(&test, &shape, &state);
    test.weights.activation = ATTEST_SOFTMAX;
    TAP_OK(attest_attention_exact(out, &test.weights, &test.sequence, &error) ==
                   ATTEST_DOMAIN &&
               error.status == ATTEST_DOMAIN,
           "softmax is refused: %s", error.text);
    test.weights.activation = ATTEST_HARDMAX;
    test.weights.dim = 3;
    TAP_OK(attest_attention_exact(out, &test.weights, &test.sequence, &error) == ATTEST_DOMAIN,
           "other dimensions are refused: %s", error.text);
    test.weights.dim = 2;
    test.weights.head[1].wo.rows = 3;
    TAP_OK(attest_attention_exact(out, &test.weights, &test.sequence, &error) == ATTEST_DOMAIN,
           "shapes that do not fit are refused: %s", error.text);
    test.weights.head[1].wo.rows = 2;
    test.weights.heads = 0;
    TAP_OK(attest_attention_exact(out, &test.weights, &test.sequence, &error) == ATTEST_DOMAIN,
           "no heads: %s", error.text);
    test.weights.heads = 2;
    ref_case_clear(&test);
    _fmpq_vec_clear(out, 6);
}

TEST(exact)
{
    uint64_t state = tap_seed(0x5eed0001);

    test_random(&state);
    test_ties();
    test_shapes();
    test_refusals();
    flint_cleanup();
    return 0;
}
