/* The files that tests/data/make-binary.py makes: every good one has the values it should have
 * and is refused when cut at any byte; every bad one is refused for its own reason. */
#include <string.h>

#include <attest/attest.h>

#include "io/dataset.h"
#include "io/npy.h"
#include "tests/tap.h"

typedef struct content {
    unsigned char *bytes;
    size_t size;
} content;

static const char *directory(void)
{
    static char path[4096];
    const char *source = getenv("srcdir");

    snprintf(path, sizeof path, "%s/tests/data", source ? source : ".");
    return path;
}

static content load(const char *name)
{
    char path[8192];
    content loaded = {malloc(1 << 16), 0};
    FILE *file;

    snprintf(path, sizeof path, "%s/%s", directory(), name);
    file = fopen(path, "rb");
    if (!file || !loaded.bytes) {
        TAP_OK(false, "open %s", path);
        exit(1);
    }
    loaded.size = fread(loaded.bytes, 1, 1 << 16, file);
    fclose(file);
    return loaded;
}

static bool ends(const char *name, const char *end)
{
    size_t length = strlen(name), tail = strlen(end);

    return length >= tail && strcmp(name + length - tail, end) == 0;
}

/* Reads a dataset or weights from a file of any format. A tensor is called x. */
static attest_status parse(attest_dataset *dataset, attest_weights *weights, const char *name,
                           const unsigned char *bytes, size_t size, attest_error *error)
{
    attest_budget budget = {1 << 20};
    attest_status status;

    if (ends(name, ".npz"))
        status = attest_weights_set_npz(weights, bytes, size, &budget, error);
    else if (ends(name, ".npy"))
        status = attest_dataset_set_npy(dataset, bytes, size, &budget, error);
    else
        status = attest_dataset_set_safetensors(
            dataset, bytes, size, strstr(name, "no-tensors") ? NULL : "x", &budget, error);
    if (status != ATTEST_OK && budget.left != 1 << 20)
        TAP_OK(false, "%s: a failed read restores the budget", name);
    return status;
}

static bool entry_is(const attest_dataset *dataset, size_t i, size_t k, size_t c, slong wanted)
{
    fmpq_t value;
    bool same;

    fmpq_init(value);
    attest_tokens_get_entry(value, &dataset->tokens, attest_dataset_token(dataset, i, k), c);
    same = fmpz_is_one(fmpq_denref(value)) && fmpz_equal_si(fmpq_numref(value), wanted);
    fmpq_clear(value);
    return same;
}

static bool is_grid(const attest_dataset *dataset, bool flat)
{
    size_t count = flat ? 1 : 2, length = flat ? 6 : 3;
    bool same = dataset->count == count && dataset->dim == 2 && dataset->longest == length &&
                dataset->total == 6 && dataset->tokens.real != NULL;

    for (size_t i = 0; same && i < count; i++)
        for (size_t k = 0; k < length; k++)
            for (size_t c = 0; c < 2; c++)
                same = same && entry_is(dataset, i, k, c, (slong)(6 * i + 2 * k + c));
    return same;
}

/* The three tokens of a good-extremes or good-large file, as exact numbers. */
static bool has_tokens(const attest_dataset *dataset, bool real, const char *const text[3])
{
    bool same = dataset->count == 1 && dataset->dim == 1 && dataset->total == 3 &&
                (dataset->tokens.real != NULL) == real;
    fmpq_t value, wanted;

    fmpq_init(value);
    fmpq_init(wanted);
    for (size_t k = 0; same && k < 3; k++) {
        attest_tokens_get_entry(value, &dataset->tokens, attest_dataset_token(dataset, 0, k),
                                0);
        same = attest_number_parse(wanted, text[k], strlen(text[k]), NULL, NULL) == ATTEST_OK &&
               fmpq_equal(value, wanted);
    }
    fmpq_clear(value);
    fmpq_clear(wanted);
    return same;
}

static bool matrix_counts(const attest_matrix *matrix, size_t rows, size_t cols, slong first)
{
    bool same = matrix->rows == rows && matrix->cols == cols && !matrix->factored;
    fmpq_t value;

    fmpq_init(value);
    for (size_t r = 0; same && r < rows; r++)
        for (size_t c = 0; c < cols; c++) {
            attest_matrix_get_entry(value, matrix, r, c);
            same = same && fmpz_is_one(fmpq_denref(value)) &&
                   fmpz_equal_si(fmpq_numref(value), first + (slong)(r * cols + c));
        }
    fmpq_clear(value);
    return same;
}

static bool are_weights(const attest_weights *weights)
{
    bool same = weights->heads == 2 && weights->dim == 3 && weights->skip &&
                weights->activation == ATTEST_SOFTMAX && weights->mask == ATTEST_MASK_NONE &&
                attest_weights_check_shapes(weights, NULL) == ATTEST_OK;

    for (size_t h = 0; same && h < 2; h++)
        same = matrix_counts(&weights->head[h].wq, 2, 3, (slong)(6 * h)) &&
               matrix_counts(&weights->head[h].wk, 2, 3, (slong)(20 + 6 * h)) &&
               matrix_counts(&weights->head[h].wv, 2, 3, (slong)(40 + 6 * h)) &&
               matrix_counts(&weights->head[h].wo, 3, 2, (slong)(60 + 6 * h));
    return same;
}

static bool has_values(const attest_dataset *dataset, const attest_weights *weights,
                       const char *name)
{
    static const struct {
        const char *name;
        bool real;
        const char *text[3];
    } special[] = {
        {"good-extremes-f8.npy", true, {"0x1p-1074", "-0x1.fffffffffffffp1023", "0"}},
        {"good-extremes-f4.npy", true, {"0x1p-149", "-0x1.fffffep127", "0"}},
        {"good-extremes-f2.npy", true, {"0x1p-24", "-65504", "0"}},
        {"good-extremes-i8.npy",
         false,
         {"9223372036854775807", "-9223372036854775808", "9007199254740993"}},
        {"good-extremes-u8.npy", false, {"18446744073709551615", "9007199254740993", "0"}},
        {"good-large-i8.npy",
         true,
         {"4611686018427387904", "-9223372036854775808", "9007199254740992"}}};

    if (ends(name, ".npz"))
        return are_weights(weights);
    for (size_t i = 0; i < sizeof special / sizeof special[0]; i++)
        if (strcmp(name, special[i].name) == 0)
            return has_tokens(dataset, special[i].real, special[i].text);
    return strncmp(name, "good-grid-", 10) == 0 &&
           is_grid(dataset, strstr(name, "-2d.") != NULL);
}

/* Every prefix, in a block of exactly its size: reading beyond it shows under valgrind or ASan.
 */
static size_t accepted_prefixes(attest_dataset *dataset, attest_weights *weights,
                                const char *name, const content *whole)
{
    size_t accepted = 0;

    for (size_t size = 0; size < whole->size; size++) {
        unsigned char *part = malloc(size ? size : 1);
        attest_error error;
        if (!part)
            abort();
        memcpy(part, whole->bytes, size);
        accepted += parse(dataset, weights, name, part, size, &error) != ATTEST_FORMAT;
        free(part);
    }
    return accepted;
}

static void check_good(attest_dataset *dataset, attest_weights *weights, const char *name,
                       const content *file)
{
    attest_error error = {ATTEST_OK, ""};
    attest_status status = parse(dataset, weights, name, file->bytes, file->size, &error);

    TAP_OK(status == ATTEST_OK && has_values(dataset, weights, name), "%s %s", name,
           error.text);
    size_t accepted = accepted_prefixes(dataset, weights, name, file);
    TAP_OK(accepted == 0, "%s is refused when cut at any of %zu bytes", name, file->size);
}

static void check_bad(attest_dataset *dataset, attest_weights *weights, const char *name,
                      const content *file, const char *message)
{
    attest_error error = {ATTEST_OK, ""};
    attest_status status = parse(dataset, weights, name, file->bytes, file->size, &error);

    TAP_OK((status == ATTEST_FORMAT || status == ATTEST_USAGE) && status == error.status &&
               *message && strstr(error.text, message) && !strchr(error.text, '\n'),
           "%s: %s", name, error.text);
    if (status != ATTEST_FORMAT && status != ATTEST_USAGE)
        printf("# status %s, expected '%s'\n", attest_status_name(status), message);
}

TEST(binary)
{
    char line[512], path[8192];
    int good = 0, bad = 0;
    FILE *list;

    snprintf(path, sizeof path, "%s/binary.list", directory());
    list = fopen(path, "r");
    while (list && fgets(line, sizeof line, list)) {
        attest_dataset dataset;
        attest_weights weights;
        char *message = strchr(line, '\t');
        line[strcspn(line, "\n")] = '\0';
        if (!message)
            break;
        *message++ = '\0';
        content file = load(line);
        attest_dataset_init(&dataset);
        attest_weights_init(&weights);
        if (strncmp(line, "good-", 5) == 0 && ++good)
            check_good(&dataset, &weights, line, &file);
        else if (++bad)
            check_bad(&dataset, &weights, line, &file, message);
        attest_dataset_clear(&dataset);
        attest_weights_clear(&weights);
        free(file.bytes);
    }
    TAP_OK(list && good >= 50 && bad >= 180, "%d good and %d bad files", good, bad);
    if (list)
        fclose(list);
    flint_cleanup();
    return 0;
}
