/* Theorem 1: universal pairs under weights of all sizes, and pairs from a user's own tokens,
 * against hardmax attention by another route; the file format there and back. */
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "theory/theorem1.h"

#include "tests/ref/attention.h"
#include "tests/ref/cases.h"
#include "tests/tap.h"

/* Equal outputs at the pair, by the oracle; and the tokens seen differ, counted here. */
static bool merges(const attest_counterexample *c)
{
    const attest_dataset *data = &c->dataset;
    fmpq *output[2] = {_fmpq_vec_init((slong)data->dim), _fmpq_vec_init((slong)data->dim)};
    bool seen[2][64] = {{false}}, equal = true;

    for (int side = 0; side < 2; side++) {
        size_t i = c->pair[side][0], k = c->pair[side][1];
        attest_sequence sequence;
        fmpq *all;

        attest_sequence_init(&sequence);
        if (attest_dataset_get_sequence(&sequence, data, i, NULL, NULL) != ATTEST_OK)
            abort();
        all = _fmpq_vec_init((slong)(sequence.length * data->dim));
        ref_hardmax(all, &c->weights, &sequence);
        for (size_t e = 0; e < data->dim; e++)
            fmpq_set(output[side] + e, all + k * data->dim + e);
        for (size_t j = 0;
             j < (c->weights.mask == ATTEST_MASK_CAUSAL ? k + 1 : sequence.length); j++)
            seen[side][attest_dataset_token(data, i, j)] = true;
        _fmpq_vec_clear(all, (slong)(sequence.length * data->dim));
        attest_sequence_clear(&sequence);
    }
    for (size_t e = 0; e < data->dim; e++)
        equal = equal && fmpq_equal(output[0] + e, output[1] + e);
    for (int side = 0; side < 2; side++)
        _fmpq_vec_clear(output[side], (slong)data->dim);
    return equal && memcmp(seen[0], seen[1], sizeof seen[0]) != 0 &&
           attest_dataset_token(data, c->pair[0][0], c->pair[0][1]) ==
               attest_dataset_token(data, c->pair[1][0], c->pair[1][1]);
}

/* Multiplies W_K by 10^power, and now and then makes a head vanish. */
static void scale(attest_weights *weights, int power, uint64_t *state)
{
    fmpz_t ten;

    fmpz_init_set_ui(ten, 10);
    fmpz_pow_ui(ten, ten, (ulong)(power < 0 ? -power : power));
    for (size_t h = 0; h < weights->heads; h++) {
        attest_matrix *wk = &weights->head[h].wk;

        for (size_t e = 0; e < wk->rows * wk->cols && power > 0; e++)
            fmpz_mul(wk->entry + e, wk->entry + e, ten);
        if (power < 0)
            fmpz_mul(wk->denominator, wk->denominator, ten);
        if (tap_random(state) % 5 == 0)
            _fmpz_vec_zero(wk->entry, (slong)(wk->rows * wk->cols));
    }
    fmpz_clear(ten);
}

static void test_universal(void)
{
    uint64_t state = tap_seed(0x7e01);
    int bad = 0;

    for (int trial = 0; trial < 200; trial++) {
        attest_counterexample c;
        size_t heads = 1 + tap_random(&state) % 8, dim = 1 + tap_random(&state) % 16,
               size = 1 + tap_random(&state) % 4;

        attest_counterexample_init(&c);
        if (attest_theorem1_gen_weights(&c.weights, heads, dim, size, tap_random(&state),
                                        NULL) != ATTEST_OK)
            abort();
        c.weights.ties = tap_random(&state) % 2 ? ATTEST_TIES_LEFTMOST : ATTEST_TIES_UNIFORM;
        c.weights.mask = tap_random(&state) % 2 ? ATTEST_MASK_CAUSAL : ATTEST_MASK_NONE;
        c.weights.skip = tap_random(&state) % 2;
        scale(&c.weights, (int)(tap_random(&state) % 3) * 40 - 40, &state);
        bad += attest_theorem1_build(&c, NULL) != ATTEST_OK || !merges(&c);
        attest_counterexample_clear(&c);
    }
    TAP_OK(bad == 0, "200 random layers are defeated by the universal pair");
}

/* A vocabulary of generic whole-number tokens; constant heads need balanced exchanges, which a
 * vocabulary with a parallelogram offers. */
static void gen_vocabulary(attest_dataset *data, size_t dim, size_t tokens, uint64_t *state)
{
    attest_dataset_builder builder;
    fmpq *token = _fmpq_vec_init((slong)dim);

    attest_dataset_builder_init(&builder, dim, ATTEST_TABLE_RATIONAL, NULL);
    for (size_t t = 0; t < tokens; t++) {
        for (size_t c = 0; c < dim; c++)
            fmpq_set_si(token + c, (slong)(tap_random(state) % 9) - 4,
                        1 + tap_random(state) % 3);
        if (attest_dataset_builder_add_token(&builder, token, NULL) != ATTEST_OK)
            abort();
    }
    if (attest_dataset_builder_end_sequence(&builder, NULL) != ATTEST_OK ||
        attest_dataset_builder_finish(data, &builder, NULL) != ATTEST_OK)
        abort();
    attest_dataset_builder_clear(&builder);
    _fmpq_vec_clear(token, (slong)dim);
}

/* Every token of the pair is one of the vocabulary's. */
static bool is_own(const attest_dataset *part, const attest_dataset *vocabulary)
{
    bool all = true;
    fmpq_t x, y;

    fmpq_init(x);
    fmpq_init(y);
    for (size_t t = 0; t < part->tokens.count; t++) {
        bool found = false;

        for (size_t s = 0; s < vocabulary->tokens.count; s++) {
            bool equal = true;

            for (size_t c = 0; c < part->dim; c++) {
                attest_tokens_get_entry(x, &part->tokens, t, c);
                attest_tokens_get_entry(y, &vocabulary->tokens, s, c);
                equal = equal && fmpq_equal(x, y);
            }
            found = found || equal;
        }
        all = all && found;
    }
    fmpq_clear(x);
    fmpq_clear(y);
    return all;
}

static void test_vocabulary(void)
{
    uint64_t state = tap_seed(0x70ca);
    int bad = 0, found_count = 0, constant = 0;

    for (int trial = 0; trial < 200; trial++) {
        attest_counterexample c;
        attest_dataset vocabulary;
        size_t dim = 1 + tap_random(&state) % 4;
        bool found;

        attest_counterexample_init(&c);
        attest_dataset_init(&vocabulary);
        gen_vocabulary(&vocabulary, dim, 6 + tap_random(&state) % 20, &state);
        if (attest_theorem1_gen_weights(&c.weights, 1 + tap_random(&state) % 3, dim, 2,
                                        tap_random(&state), NULL) != ATTEST_OK)
            abort();
        c.weights.ties = tap_random(&state) % 2 ? ATTEST_TIES_LEFTMOST : ATTEST_TIES_UNIFORM;
        c.weights.mask = tap_random(&state) % 2 ? ATTEST_MASK_CAUSAL : ATTEST_MASK_NONE;
        if (tap_random(&state) % 3 == 0) {
            scale(&c.weights, 0, &state);
            _fmpz_vec_zero(c.weights.head[0].wk.entry, (slong)(2 * dim));
            constant++;
        }
        if (attest_theorem1_build_from_vocabulary(&c, &found, &vocabulary, NULL, INFINITY,
                                                  NULL) != ATTEST_OK)
            bad++;
        else if (found)
            bad += !merges(&c) || !is_own(&c.dataset, &vocabulary);
        found_count += found;
        attest_dataset_clear(&vocabulary);
        attest_counterexample_clear(&c);
    }
    TAP_OK(bad == 0, "pairs from 200 vocabularies are merged, and made of their tokens");
    TAP_OK(found_count >= 180, "%d of 200 found, %d of them with constant heads", found_count,
           constant);
}

/* A head that averages all tokens: beside 20, only 5 times 1 and twice 8 for 7 times 3 will do,
 * which is all that the vocabulary has. */
static void test_relation(void)
{
    static const long value[] = {20, 1, 3, 8};
    attest_dataset_builder builder;
    attest_counterexample c;
    attest_dataset vocabulary;
    fmpq *token = _fmpq_vec_init(1);
    bool found = false;

    attest_counterexample_init(&c);
    attest_dataset_init(&vocabulary);
    attest_dataset_builder_init(&builder, 1, ATTEST_TABLE_RATIONAL, NULL);
    for (size_t t = 0; t < 4; t++) {
        fmpq_set_si(token, value[t], 1);
        if (attest_dataset_builder_add_token(&builder, token, NULL) != ATTEST_OK)
            abort();
    }
    if (attest_dataset_builder_end_sequence(&builder, NULL) != ATTEST_OK ||
        attest_dataset_builder_finish(&vocabulary, &builder, NULL) != ATTEST_OK ||
        attest_theorem1_gen_weights(&c.weights, 1, 1, 1, 1, NULL) != ATTEST_OK)
        abort();
    fmpz_zero(c.weights.head[0].wk.entry);
    fmpz_one(c.weights.head[0].wv.entry);
    fmpz_one(c.weights.head[0].wo.entry);
    TAP_OK(attest_theorem1_build_from_vocabulary(&c, &found, &vocabulary, NULL, INFINITY,
                                                 NULL) == ATTEST_OK &&
               found && merges(&c) && is_own(&c.dataset, &vocabulary) && c.dataset.longest == 8,
           "an exchange of tokens 7 for 7, the last of the vocabulary among them");
    _fmpq_vec_clear(token, 1);
    attest_dataset_builder_clear(&builder);
    attest_dataset_clear(&vocabulary);
    attest_counterexample_clear(&c);
}

/* A head scores tokens by their first entries; the first token is the query, the second one
 * wins, and the other two are exchanged. The winner is a shared token if the query's own score
 * is not above those of both, so that sequences have three tokens, and else two. */
static void test_query(void)
{
    static const struct {
        double token[4][2];
        size_t longest;
    } of[] = {{{{9, 0}, {10, 1}, {1, 2}, {2, 3}}, 2}, {{{1, 0}, {10, 1}, {2, 2}, {3, 3}}, 3},
              {{{4, 0}, {10, 1}, {3, 2}, {5, 3}}, 3}, {{{4, 0}, {10, 1}, {5, 2}, {3, 3}}, 3},
              {{{5, 0}, {10, 1}, {5, 2}, {2, 3}}, 3}, {{{5, 0}, {10, 1}, {2, 2}, {5, 3}}, 3}};
    enum { COUNT = sizeof of / sizeof *of };
    size_t right = 0;

    for (size_t i = 0; i < COUNT; i++) {
        attest_dataset_builder builder;
        attest_counterexample c;
        attest_dataset vocabulary;
        attest_matrix *m[4];
        bool found = false;

        attest_counterexample_init(&c);
        attest_dataset_init(&vocabulary);
        attest_dataset_builder_init(&builder, 2, ATTEST_TABLE_REAL, NULL);
        if (attest_dataset_builder_add_doubles(&builder, of[i].token[0], 4, NULL) !=
                ATTEST_OK ||
            attest_dataset_builder_end_sequence(&builder, NULL) != ATTEST_OK ||
            attest_dataset_builder_finish(&vocabulary, &builder, NULL) != ATTEST_OK ||
            attest_theorem1_gen_weights(&c.weights, 1, 2, 1, 1, NULL) != ATTEST_OK)
            abort();
        m[0] = &c.weights.head[0].wq, m[1] = &c.weights.head[0].wk;
        m[2] = &c.weights.head[0].wv, m[3] = &c.weights.head[0].wo;
        for (size_t j = 0; j < 4; j++) {
            attest_matrix_resize(m[j], j == 3 ? 2 : 1, j == 3 ? 1 : 2);
            _fmpz_vec_zero(m[j]->entry, 2);
            fmpz_one(m[j]->entry + (j == 2));
        }
        right += attest_theorem1_build_from_vocabulary(&c, &found, &vocabulary, NULL, INFINITY,
                                                       NULL) == ATTEST_OK &&
                 found && merges(&c) && is_own(&c.dataset, &vocabulary) &&
                 c.dataset.longest == of[i].longest;
        attest_dataset_builder_clear(&builder);
        attest_dataset_clear(&vocabulary);
        attest_counterexample_clear(&c);
    }
    TAP_OK(right == COUNT,
           "the winner is shared where the query's own score does not suffice: "
           "%zu of %d",
           right, (int)COUNT);
}

static void test_domain(void)
{
    attest_counterexample c;

    attest_counterexample_init(&c);
    if (attest_theorem1_gen_weights(&c.weights, 1, 2, 1, 1, NULL) != ATTEST_OK)
        abort();
    c.weights.activation = ATTEST_SOFTMAX;
    TAP_OK(attest_theorem1_build(&c, NULL) == ATTEST_DOMAIN, "softmax is refused");
    attest_counterexample_clear(&c);
}

static void test_file(void)
{
    attest_counterexample c, back;
    const char *path = "t-theorem1.tmp.json";
    bool ok;

    attest_counterexample_init(&c);
    attest_counterexample_init(&back);
    ok = attest_theorem1_gen_weights(&c.weights, 2, 3, 2, 7, NULL) == ATTEST_OK &&
         attest_theorem1_build(&c, NULL) == ATTEST_OK &&
         attest_counterexample_add_parameter(&c, "delta", "0") == ATTEST_OK;
    c.has_seed = true;
    c.seed = UINT64_C(0xfedcba9876543210);
    ok = ok && attest_counterexample_write(&c, path, NULL) == ATTEST_OK &&
         attest_counterexample_read(&back, path, NULL, NULL) == ATTEST_OK;
    TAP_OK(ok, "a counterexample is written and read");
    TAP_OK(ok && back.seed == c.seed && back.has_seed && back.parameters == 1 &&
               strcmp(back.parameter[0].value, "0") == 0 &&
               strcmp(back.property, "theorem1") == 0 && back.pair[1][1] == 3 &&
               strcmp(back.found_by, "construction") == 0,
           "the file contains all members");
    TAP_OK(ok && merges(&back), "what was read is a counterexample");
    unlink(path);
    attest_counterexample_clear(&c);
    attest_counterexample_clear(&back);
}

TEST(theorem1)
{
    test_universal();
    test_vocabulary();
    test_relation();
    test_query();
    test_domain();
    test_file();
    flint_cleanup();
    return 0;
}
