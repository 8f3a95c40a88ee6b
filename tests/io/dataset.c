/* Datasets: values read exactly, written and read again, sequences over one denominator. */
#include <string.h>
#include <unistd.h>

#include <attest/dataset.h>

#include "io/dataset.h"
#include "tests/tap.h"

static bool entry_is(const attest_dataset *dataset, size_t i, size_t k, size_t c,
                     const char *expected)
{
    fmpq_t value;
    char *text;
    bool same;

    fmpq_init(value);
    attest_tokens_get_entry(value, &dataset->tokens, attest_dataset_token(dataset, i, k), c);
    text = attest_number_format(value);
    same = strcmp(text, expected) == 0;
    if (!same)
        printf("# got %s\n", text);
    free(text);
    fmpq_clear(value);
    return same;
}

static const char *source_file(const char *name)
{
    static char path[4000];
    const char *source = getenv("srcdir");

    snprintf(path, sizeof path, "%s/tests/data/%s", source ? source : ".", name);
    return path;
}

static bool same_strings(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

static bool same_datasets(const attest_dataset *a, const attest_dataset *b)
{
    bool same = a->dim == b->dim && a->count == b->count && a->total == b->total &&
                a->longest == b->longest && a->label_dim == b->label_dim &&
                a->tokens.count == b->tokens.count && same_strings(a->name, b->name) &&
                same_strings(a->comment, b->comment) &&
                memcmp(a->start, b->start, (a->count + 1) * sizeof *a->start) == 0 &&
                memcmp(a->token, b->token, a->total * sizeof *a->token) == 0;
    fmpq_t x, y;

    fmpq_init(x);
    fmpq_init(y);
    for (size_t i = 0; same && i < a->tokens.count * a->dim; i++) {
        attest_tokens_get_entry(x, &a->tokens, i / a->dim, i % a->dim);
        attest_tokens_get_entry(y, &b->tokens, i / a->dim, i % a->dim);
        same = fmpq_equal(x, y);
    }
    for (size_t i = 0; same && i < a->total * a->label_dim; i++)
        same = fmpq_equal(a->label + i, b->label + i);
    fmpq_clear(x);
    fmpq_clear(y);
    return same;
}

static void test_numbers(void)
{
    attest_dataset dataset;
    attest_error error = {ATTEST_OK, ""};

    attest_dataset_init(&dataset);
    TAP_OK(attest_dataset_read(&dataset, source_file("good-dataset-numbers.json"), NULL,
                               &error) == ATTEST_OK,
           "numbers are read %s", error.text);
    TAP_OK(dataset.count == 3 && dataset.dim == 2 && dataset.total == 10 &&
               dataset.longest == 4 && attest_dataset_length(&dataset, 1) == 3,
           "3 sequences");
    TAP_OK(entry_is(&dataset, 0, 0, 1, "1/10"), "0.1 is 1/10");
    TAP_OK(entry_is(&dataset, 0, 1, 1, "18446744073709551615"), "2^64-1 is kept");
    TAP_OK(entry_is(&dataset, 1, 1, 0, "-9223372036854775808"), "-2^63 is kept");
    TAP_OK(entry_is(&dataset, 2, 1, 0, "987654313/8000"), "123456789.125e-3");
    TAP_OK(dataset.token[0] == dataset.token[2] && dataset.token[2] == dataset.token[3] &&
               dataset.token[4] == dataset.token[6] && dataset.token[7] == dataset.token[9],
           "equal numbers are equal tokens");
    TAP_OK(dataset.tokens.count == 6, "%zu distinct tokens", dataset.tokens.count);
    TAP_OK(strcmp(dataset.name, "every way to write a number") == 0, "the name");
    attest_dataset_clear(&dataset);
}

static void test_round_trip(void)
{
    static const char *const file[] = {"good-dataset-numbers.json", "good-dataset-labels.json",
                                       "good-dataset-escapes.json"};
    attest_dataset first, second;
    attest_error error = {ATTEST_OK, ""};
    char path[] = "t-dataset.XXXXXX";
    int opened = mkstemp(path);

    if (opened < 0)
        return;
    close(opened);
    attest_dataset_init(&first);
    attest_dataset_init(&second);
    for (size_t i = 0; i < 3; i++) {
        TAP_OK(attest_dataset_read(&first, source_file(file[i]), NULL, &error) == ATTEST_OK &&
                   attest_dataset_write(&first, path, &error) == ATTEST_OK &&
                   attest_dataset_read(&second, path, NULL, &error) == ATTEST_OK &&
                   same_datasets(&first, &second),
               "%s comes back %s", file[i], error.text);
    }
    attest_dataset_clear(&first);
    attest_dataset_clear(&second);
    unlink(path);
}

static bool token_is(const attest_sequence *sequence, size_t k, const attest_dataset *dataset,
                     size_t i)
{
    bool same = true;
    fmpq_t x, y;

    fmpq_init(x);
    fmpq_init(y);
    for (size_t c = 0; c < dataset->dim; c++) {
        attest_tokens_get_entry(x, &dataset->tokens, attest_dataset_token(dataset, i, k), c);
        fmpq_set_fmpz_frac(y, sequence->entry + k * dataset->dim + c, sequence->denominator);
        same = same && fmpq_equal(x, y);
    }
    fmpq_clear(x);
    fmpq_clear(y);
    return same;
}

/* The values, and that no prime can be taken out of all of them. */
static bool sequence_is_right(const attest_dataset *dataset, size_t i)
{
    attest_sequence sequence;
    bool right;
    fmpz_t common;

    attest_sequence_init(&sequence);
    fmpz_init(common);
    right = attest_dataset_get_sequence(&sequence, dataset, i, NULL, NULL) == ATTEST_OK &&
            sequence.length == attest_dataset_length(dataset, i) &&
            sequence.dim == dataset->dim;
    for (size_t k = 0; k < sequence.length && right; k++)
        right = token_is(&sequence, k, dataset, i);
    fmpz_set(common, sequence.denominator);
    for (size_t j = 0; j < sequence.length * sequence.dim && right; j++)
        fmpz_gcd(common, common, sequence.entry + j);
    right = right && fmpz_is_one(common) && fmpz_sgn(sequence.denominator) > 0;
    fmpz_clear(common);
    attest_sequence_clear(&sequence);
    return right;
}

static bool token_over_denominator(const attest_dataset *dataset, size_t t)
{
    size_t dim = dataset->dim;
    fmpz *numerator = _fmpz_vec_init((slong)dim);
    fmpq *entry = _fmpq_vec_init((slong)dim);
    fmpz_t denominator;
    fmpq_t x, y;
    bool same = true;

    fmpz_init(denominator);
    fmpq_init(x);
    fmpq_init(y);
    attest_tokens_get(numerator, denominator, &dataset->tokens, t);
    attest_tokens_get_entries(entry, &dataset->tokens, t);
    for (size_t c = 0; c < dim; c++) {
        attest_tokens_get_entry(x, &dataset->tokens, t, c);
        fmpq_set_fmpz_frac(y, numerator + c, denominator);
        same = same && fmpq_equal(x, y) && fmpq_equal(x, entry + c);
    }
    _fmpq_vec_clear(entry, (slong)dim);
    fmpq_clear(x);
    fmpq_clear(y);
    fmpz_clear(denominator);
    _fmpz_vec_clear(numerator, (slong)dim);
    return same;
}

static void test_sequences(void)
{
    double value[] = {-3, 0x1p-1074, 1, 0.5, 0x1p1023, 0, 6, 10, -4, 0, 0, 0};
    attest_dataset dataset;
    attest_dataset_builder builder;
    attest_sequence sequence;
    attest_error error = {ATTEST_OK, ""};
    attest_budget tiny = {100};

    attest_sequence_init(&sequence);
    attest_dataset_init(&dataset);
    attest_dataset_builder_init(&builder, 2, ATTEST_TABLE_REAL, NULL);
    TAP_OK(attest_dataset_builder_add_sequences(&builder, value, 3, 2, NULL) == ATTEST_OK &&
               attest_dataset_builder_finish(&dataset, &builder, NULL) == ATTEST_OK,
           "a dataset of doubles");
    attest_dataset_builder_clear(&builder);
    TAP_OK(sequence_is_right(&dataset, 0) && sequence_is_right(&dataset, 1) &&
               sequence_is_right(&dataset, 2),
           "its sequences");
    TAP_OK(token_over_denominator(&dataset, 0) && token_over_denominator(&dataset, 1) &&
               token_over_denominator(&dataset, 3),
           "its tokens");
    TAP_OK(attest_dataset_get_sequence(&sequence, &dataset, 0, &tiny, &error) ==
                   ATTEST_UNABLE &&
               tiny.left == 100,
           "%s", error.text);
    TAP_OK(attest_dataset_read(&dataset, source_file("good-dataset-numbers.json"), NULL,
                               NULL) == ATTEST_OK &&
               sequence_is_right(&dataset, 0) && sequence_is_right(&dataset, 1) &&
               sequence_is_right(&dataset, 2) && token_over_denominator(&dataset, 4),
           "rational sequences");
    TAP_OK(attest_dataset_get_sequence(&sequence, &dataset, 1, &tiny, &error) == ATTEST_UNABLE,
           "%s", error.text);
    attest_dataset_clear(&dataset);
    attest_sequence_clear(&sequence);
}

static void test_budget(void)
{
    static const char head[] = "{\"format\": \"attest/dataset\", \"version\": 1, "
                               "\"sequences\": [[";
    enum { COUNT = 1250000 };
    char *text = malloc(sizeof head + COUNT * 10 + 10), *at;
    attest_dataset dataset;
    attest_error error = {ATTEST_OK, ""};
    size_t whole = (size_t)8 << 30;
    attest_budget budget = {whole};

    at = text + sprintf(text, "%s", head);
    for (int i = 0; i < COUNT; i++)
        at += sprintf(at, "%s[1e99999]", i ? "," : "");
    at += sprintf(at, "]]}");
    attest_dataset_init(&dataset);
    TAP_OK(attest_dataset_parse_json(&dataset, text, (size_t)(at - text), &budget, &error) ==
                   ATTEST_UNABLE &&
               strstr(error.text, "more memory than is allowed") && budget.left == whole,
           "%.1f MB of 1e99999: %s", 1e-6 * (double)(at - text), error.text);
    budget.left = whole = 100000;
    sprintf(text, "%s[\"\\u0031e99999\", \"\\u0032e99999\", \"3e99999\"]]]}", head);
    TAP_OK(attest_dataset_parse_json(&dataset, text, strlen(text), &budget, &error) ==
                   ATTEST_UNABLE &&
               strncmp(error.text, "the numbers take", 16) == 0 && budget.left == whole,
           "numbers behind escapes: %s", error.text);
    /* Two of them would fit, but not their token. */
    sprintf(text, "%s[\"1e99999\", \"2e99999\"]]]}", head);
    TAP_OK(attest_dataset_parse_json(&dataset, text, strlen(text), &budget, &error) ==
                   ATTEST_UNABLE &&
               strstr(error.text, "sequences[0][0]: ") == error.text,
           "%s", error.text);
    attest_dataset_clear(&dataset);
    free(text);
}

TEST(dataset)
{
    test_numbers();
    test_round_trip();
    test_sequences();
    test_budget();
    flint_cleanup();
    return 0;
}
