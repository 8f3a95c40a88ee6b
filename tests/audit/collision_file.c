/* A colliding pair as a counterexample: an arithmetic is read as it was written, and unknown
 * parameters are refused. */
#include <string.h>

#include "audit/collision_file.h"
#include "tests/ref/audit_cases.h"

static const ref_shape shape = {1, 2, 1, 4, 4, 3, true};

static attest_format get_format(const char *name)
{
    attest_format format;

    if (attest_format_parse(&format, name, NULL) != ATTEST_OK)
        abort();
    return format;
}

static bool same(const attest_simulated_arithmetic *a, const attest_simulated_arithmetic *b)
{
    return strcmp(a->format.name, b->format.name) == 0 && a->rounding == b->rounding &&
           a->softmax == b->softmax && a->pairwise == b->pairwise && a->fma == b->fma &&
           a->accumulates == b->accumulates &&
           (!a->accumulates || strcmp(a->accumulate.name, b->accumulate.name) == 0) &&
           (a->softmax != ATTEST_SIMULATED_ONLINE || a->block == b->block) &&
           (a->rounding != ATTEST_SIMULATED_STOCHASTIC || a->seed == b->seed);
}

static void arithmetics(uint64_t *state)
{
    size_t wrong = 0;

    for (unsigned i = 0; i < 72; i++) {
        attest_simulated_arithmetic a, b;
        attest_format format = get_format(i % 5 ? "bfloat16" : "float8_e5m2");
        attest_counterexample file;
        attest_audit audit;
        audit_case test;
        const size_t pair[2] = {0, 1};

        audit_case_init(&test, &shape, 3, 4, state);
        attest_audit_init(&audit);
        audit.dataset = &test.dataset;
        audit.weights = &test.layer.weights;
        attest_simulated_arithmetic_init(&a, &format);
        a.rounding = (attest_simulated_rounding)(i % 3);
        a.softmax = (attest_simulated_softmax)(i / 3 % 3);
        a.pairwise = i / 9 % 2;
        a.fma = i / 18 % 2;
        a.accumulates = i / 36;
        a.accumulate = get_format("binary32");
        a.block = 2 + i;
        a.seed = 100 + i;
        attest_counterexample_init(&file);
        if (attest_audit_collision_set(&file, &audit, &a, pair, NULL) != ATTEST_OK ||
            !attest_audit_collision_is(&file) ||
            attest_audit_collision_arithmetic(&b, &file, NULL) != ATTEST_OK)
            abort();
        wrong += !same(&a, &b);
        attest_counterexample_clear(&file);
        attest_audit_clear(&audit);
        audit_case_clear(&test);
    }
    TAP_OK(wrong == 0, "72 arithmetics are read as they were written: %zu are not", wrong);
}

/* Returns whether a sequence of the file is one of the dataset. */
static bool same_tokens(const attest_dataset *file, size_t i, const attest_dataset *all,
                        size_t k)
{
    bool alike = attest_dataset_length(file, i) == attest_dataset_length(all, k);
    fmpq_t x, y;

    fmpq_init(x);
    fmpq_init(y);
    for (size_t j = 0; alike && j < attest_dataset_length(all, k); j++)
        for (size_t c = 0; c < all->dim; c++) {
            attest_tokens_get_entry(x, &file->tokens, attest_dataset_token(file, i, j), c);
            attest_tokens_get_entry(y, &all->tokens, attest_dataset_token(all, k, j), c);
            alike = alike && fmpq_equal(x, y);
        }
    fmpq_clear(x);
    fmpq_clear(y);
    return alike;
}

/* Every pair of positions: of one sequence, or of two. */
static void pairs(uint64_t *state)
{
    attest_format format = get_format("bfloat16");
    attest_simulated_arithmetic a;
    attest_audit audit;
    audit_case test;
    size_t wrong = 0, total;

    audit_case_init(&test, &shape, 4, 4, state);
    attest_audit_init(&audit);
    audit.dataset = &test.dataset;
    audit.weights = &test.layer.weights;
    attest_simulated_arithmetic_init(&a, &format);
    total = test.dataset.total;
    for (size_t p = 0; p + 1 < total; p++) {
        const size_t pair[2] = {p, total - 1};
        attest_place place[2] = {attest_place_get(&test.dataset, p),
                                 attest_place_get(&test.dataset, total - 1)};
        bool two = place[0].sequence != place[1].sequence;
        attest_counterexample file;

        attest_counterexample_init(&file);
        if (attest_audit_collision_set(&file, &audit, &a, pair, NULL) != ATTEST_OK)
            abort();
        wrong += !file.has_pair || file.dataset.count != (two ? 2 : 1) ||
                 file.pair[0][0] != 0 || file.pair[0][1] != place[0].position ||
                 file.pair[1][0] != two || file.pair[1][1] != place[1].position ||
                 !same_tokens(&file.dataset, 0, &test.dataset, place[0].sequence) ||
                 !same_tokens(&file.dataset, two, &test.dataset, place[1].sequence);
        attest_counterexample_clear(&file);
    }
    TAP_OK(wrong == 0, "pairs with their sequences: %zu wrong", wrong);
    attest_audit_clear(&audit);
    audit_case_clear(&test);
}

static void refusals(void)
{
    static const char *const bad[][2] = {
        {"rounding", "up"},  {"softmax", "hard"}, {"sum", "any"},
        {"fma", "yes"},      {"block", "0"},      {"block", "2x"},
        {"block", ""},       {"seed", "-"},       {"seed", "99999999999999999999"},
        {"accumulate", "p"}, {"format", "p"}};
    attest_simulated_arithmetic a;
    attest_counterexample file;
    attest_error error;
    size_t wrong = 0;
    bool collides;

    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        bool format = strcmp(bad[i][0], "format") == 0;

        attest_counterexample_init(&file);
        wrong += attest_audit_collision_is(&file);
        if ((!format && attest_counterexample_add_parameter(&file, "format", "bfloat16")) ||
            attest_counterexample_add_parameter(&file, bad[i][0], bad[i][1]))
            abort();
        wrong += attest_audit_collision_arithmetic(&a, &file, &error) != ATTEST_FORMAT;
        wrong += attest_audit_collision_check(&collides, &file, &error) != ATTEST_FORMAT;
        attest_counterexample_clear(&file);
    }
    TAP_OK(wrong == 0, "parameters that are not known, files without data: %zu taken", wrong);
}

TEST(collision_file)
{
    uint64_t state = tap_seed(0xc0f);

    arithmetics(&state);
    pairs(&state);
    refusals();
    flint_cleanup();
    return 0;
}
