/* The dataset builder: equal tokens get equal indices, in order of first appearance. */
#include <math.h>
#include <string.h>

#include <attest/dataset.h>

#include "tests/tap.h"

enum { DIM = 3 };

/* Oracle: the index of a token, by comparing it with all earlier ones. */
static size_t first_appearance(const double *value, size_t dim, size_t k, uint32_t *index,
                               size_t distinct)
{
    for (size_t j = 0; j < k; j++) {
        bool same = true;
        for (size_t c = 0; c < dim; c++)
            same = same && value[j * dim + c] == value[k * dim + c];
        if (same) {
            index[k] = index[j];
            return distinct;
        }
    }
    index[k] = (uint32_t)distinct;
    return distinct + 1;
}

static void random_tokens(double *value, size_t count, uint64_t *state)
{
    static const double entry[] = {0.0, -0.0, 1.0, -1.5, 5e-324, 1e308, 0.1, 3.0};

    for (size_t i = 0; i < count; i++)
        value[i] = entry[tap_random(state) % (sizeof entry / sizeof entry[0])];
}

static bool same_tokens(const attest_dataset *dataset, const double *value, size_t count)
{
    fmpq_t stored, given;
    bool same = dataset->total == count;

    fmpq_init(stored);
    fmpq_init(given);
    for (size_t i = 0; i < count * DIM && same; i++) {
        attest_tokens_get_entry(stored, &dataset->tokens, dataset->token[i / DIM], i % DIM);
        attest_number_set_double(given, value[i]);
        same = fmpq_equal(stored, given);
    }
    fmpq_clear(stored);
    fmpq_clear(given);
    return same;
}

static attest_status add_as_rationals(attest_dataset_builder *builder, const double *value,
                                      size_t count)
{
    attest_status status = ATTEST_OK;
    fmpq entry[DIM];

    for (size_t c = 0; c < DIM; c++)
        fmpq_init(entry + c);
    for (size_t k = 0; k < count && status == ATTEST_OK; k++) {
        for (size_t c = 0; c < DIM; c++)
            attest_number_set_double(entry + c, value[k * DIM + c]);
        status = attest_dataset_builder_add_token(builder, entry, NULL);
    }
    for (size_t c = 0; c < DIM; c++)
        fmpq_clear(entry + c);
    return status;
}

static void test_interning(attest_table table, const char *name)
{
    enum { COUNT = 1500, LENGTH = 50 };
    static double value[COUNT * DIM];
    static uint32_t index[COUNT];
    uint64_t state = tap_seed(0x1d3a);
    size_t distinct = 0;
    attest_dataset_builder builder;
    attest_dataset dataset;
    attest_budget budget = {1 << 24};
    bool added = true;

    random_tokens(value, COUNT * DIM, &state);
    for (size_t k = 0; k < COUNT; k++)
        distinct = first_appearance(value, DIM, k, index, distinct);
    attest_dataset_init(&dataset);
    attest_dataset_builder_init(&builder, DIM, table, &budget);
    for (size_t k = 0; k < COUNT; k += LENGTH) {
        if (table == ATTEST_TABLE_REAL)
            added = added && attest_dataset_builder_add_doubles(&builder, value + k * DIM,
                                                                LENGTH, NULL) == ATTEST_OK;
        else
            added = added && add_as_rationals(&builder, value + k * DIM, LENGTH) == ATTEST_OK;
        added = added && attest_dataset_builder_end_sequence(&builder, NULL) == ATTEST_OK;
    }
    TAP_OK(added && attest_dataset_builder_finish(&dataset, &builder, NULL) == ATTEST_OK,
           "%s: built", name);
    attest_dataset_builder_clear(&builder);
    TAP_OK(dataset.count == COUNT / LENGTH && dataset.longest == LENGTH && dataset.dim == DIM &&
               attest_dataset_length(&dataset, 3) == LENGTH,
           "%s: shape", name);
    TAP_OK(dataset.tokens.count == distinct, "%s: %zu distinct tokens", name, distinct);
    TAP_OK(memcmp(dataset.token, index, sizeof index) == 0, "%s: order of appearance", name);
    TAP_OK(same_tokens(&dataset, value, COUNT), "%s: the values", name);
    TAP_OK(budget.left < 1 << 24, "%s: the dataset is charged", name);
    attest_dataset_clear(&dataset);
}

static void test_many(void)
{
    enum { COUNT = 200000 };
    double *value = malloc(COUNT * 2 * sizeof *value);
    attest_dataset_builder builder;
    attest_dataset dataset;
    attest_budget budget = {1 << 26};
    bool right = true;

    /* Every token twice, in different orders; all bits of the hash are needed. */
    for (size_t k = 0; k < COUNT; k++) {
        value[2 * k] = (double)(k * 7919 % (COUNT / 2));
        value[2 * k + 1] = -value[2 * k] / 3;
    }
    attest_dataset_init(&dataset);
    attest_dataset_builder_init(&builder, 2, ATTEST_TABLE_REAL, &budget);
    TAP_OK(attest_dataset_builder_reserve(&builder, COUNT / 4, COUNT, NULL) == ATTEST_OK &&
               attest_dataset_builder_add_sequences(&builder, value, COUNT / 4, 4, NULL) ==
                   ATTEST_OK &&
               attest_dataset_builder_finish(&dataset, &builder, NULL) == ATTEST_OK,
           "%d tokens in sequences of 4", COUNT);
    TAP_OK(dataset.tokens.count == COUNT / 2, "half of them distinct");
    for (size_t k = 0; k < COUNT; k++)
        right = right && dataset.token[k] == k % (COUNT / 2) &&
                dataset.tokens.real[2 * dataset.token[k]] == value[2 * k];
    TAP_OK(right, "each with its index");
    size_t held = (COUNT / 4 + 1) * sizeof(size_t) + COUNT * sizeof(uint32_t) +
                  dataset.tokens.count * 2 * sizeof(double);
    TAP_OK((1 << 26) - budget.left == held, "charged for %zu bytes, no more", held);
    attest_dataset_builder_clear(&builder);
    TAP_OK((1 << 26) - budget.left == held, "a cleared builder gives nothing back twice");
    attest_dataset_clear(&dataset);
    free(value);
}

static void test_refusals(void)
{
    double bad[] = {1, 2, 3, 4, NAN, 6, 7, INFINITY};
    attest_dataset_builder builder;
    attest_dataset dataset;
    attest_error error;
    attest_budget budget = {1 << 20};

    attest_dataset_init(&dataset);
    attest_dataset_builder_init(&builder, 2, ATTEST_TABLE_REAL, &budget);
    TAP_OK(attest_dataset_builder_finish(&dataset, &builder, &error) == ATTEST_FORMAT, "%s",
           error.text);
    TAP_OK(attest_dataset_builder_end_sequence(&builder, &error) == ATTEST_FORMAT, "%s",
           error.text);
    TAP_OK(attest_dataset_builder_add_sequences(&builder, bad, 1, 0, &error) == ATTEST_FORMAT,
           "%s", error.text);
    TAP_OK(attest_dataset_builder_add_doubles(&builder, bad, 4, &error) == ATTEST_FORMAT &&
               strcmp(error.text, "[2][0]: not a finite number") == 0,
           "%s", error.text);
    attest_dataset_builder_clear(&builder);
    attest_dataset_builder_init(&builder, 2, ATTEST_TABLE_REAL, &budget);
    TAP_OK(attest_dataset_builder_add_sequences(&builder, bad, 2, 2, &error) == ATTEST_FORMAT &&
               strcmp(error.text, "[1][0][0]: not a finite number") == 0,
           "%s", error.text);
    attest_dataset_builder_clear(&builder);
    attest_dataset_builder_init(&builder, 2, ATTEST_TABLE_REAL, &budget);
    TAP_OK(attest_dataset_builder_add_doubles(&builder, bad, 1, &error) == ATTEST_OK &&
               attest_dataset_builder_end_sequence(&builder, &error) == ATTEST_OK &&
               attest_dataset_builder_add_doubles(&builder, bad, 1, &error) == ATTEST_OK &&
               attest_dataset_builder_finish(&dataset, &builder, &error) == ATTEST_FORMAT,
           "%s", error.text);
    TAP_OK(attest_dataset_builder_reserve(&builder, SIZE_MAX, 1, &error) == ATTEST_NOMEM &&
               attest_dataset_builder_reserve(&builder, 1, SIZE_MAX, &error) == ATTEST_NOMEM,
           "absurd sizes are refused");
    TAP_OK(attest_dataset_builder_reserve(&builder, 1, 1 << 20, &error) == ATTEST_UNABLE &&
               strstr(error.text, "more memory than is allowed"),
           "%s", error.text);
    attest_dataset_builder_clear(&builder);
    TAP_OK(budget.left == 1 << 20, "clearing restores the budget");
}

/* dim numbers over different primes: every numerator becomes as large as all denominators
 * together. The builder must refuse them before it computes them. */
static void test_denominators(void)
{
    enum { WIDE = 2000 };
    fmpq *entry = malloc(WIDE * sizeof *entry);
    attest_dataset_builder builder;
    attest_error error;
    attest_budget budget = {1 << 20};
    ulong prime = 1000;

    for (size_t c = 0; c < WIDE; c++) {
        fmpq_init(entry + c);
        prime = n_nextprime(prime, 0);
        fmpq_set_si(entry + c, 1, prime);
    }
    attest_dataset_builder_init(&builder, WIDE, ATTEST_TABLE_RATIONAL, &budget);
    TAP_OK(attest_dataset_builder_add_token(&builder, entry, &error) == ATTEST_UNABLE, "%s",
           error.text);
    attest_dataset_builder_clear(&builder);
    TAP_OK(budget.left == 1 << 20, "clearing a builder of long rationals restores the budget");
    attest_dataset_builder_init(&builder, WIDE, ATTEST_TABLE_RATIONAL, NULL);
    TAP_OK(attest_dataset_builder_add_token(&builder, entry, &error) == ATTEST_OK,
           "no budget, no limit");
    attest_dataset_builder_clear(&builder);
    for (size_t c = 0; c < WIDE; c++)
        fmpq_clear(entry + c);
    free(entry);
}

TEST(builder)
{
    test_interning(ATTEST_TABLE_REAL, "doubles");
    test_interning(ATTEST_TABLE_RATIONAL, "rationals");
    test_many();
    test_refusals();
    test_denominators();
    flint_cleanup();
    return 0;
}
