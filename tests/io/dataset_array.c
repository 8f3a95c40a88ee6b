/* dataset_array.c -- datasets from arrays: every token is at the place that the shape defines,
 * for all types, orders and block sizes; the error names the first entry that is not finite. */
#include <math.h>
#include <string.h>

#include <attest/dataset.h>

#include "io/array.h"
#include "io/dataset.h"
#include "tests/tap.h"

enum { MOST = 40000, BLOCK = 8192 };

typedef struct layout {
    attest_array_type type;
    bool big, fortran;
    size_t skew; /* bytes before the first element */
} layout;

static unsigned char bytes[8 * MOST + 8];

/* The entry of this place: an integer that all types have, another one for nearly all. */
static double wanted(const size_t shape[3], size_t i, size_t k, size_t c)
{
    return (double)(((i * shape[1] + k) * shape[2] + c) * 7919 % 20011) - 10000;
}

static size_t element_of(const size_t shape[3], bool fortran, size_t i, size_t k, size_t c)
{
    return fortran ? i + shape[0] * (k + shape[1] * c) : (i * shape[1] + k) * shape[2] + c;
}

static void put(const layout *l, size_t element, double value)
{
    size_t size = l->type == ATTEST_ARRAY_F32 ? 4 : 8;
    unsigned char *to = bytes + l->skew + element * size;
    uint64_t word = (uint64_t)(int64_t)value;

    if (l->type == ATTEST_ARRAY_F64) {
        memcpy(&word, &value, 8);
    } else if (l->type == ATTEST_ARRAY_F32) {
        float single = (float)value;
        uint32_t bits;
        memcpy(&bits, &single, 4);
        word = bits;
    }
    for (size_t b = 0; b < size; b++)
        to[l->big ? size - 1 - b : b] = (unsigned char)(word >> 8 * b);
}

static attest_array fill(const layout *l, const size_t shape[3])
{
    attest_array array = {
        .type = l->type, .big_endian = l->big, .fortran = l->fortran, .data = bytes + l->skew};

    if (!attest_array_set_shape(&array, shape, 3) || array.count > MOST)
        abort();
    for (size_t i = 0; i < shape[0]; i++)
        for (size_t k = 0; k < shape[1]; k++)
            for (size_t c = 0; c < shape[2]; c++)
                put(l, element_of(shape, l->fortran, i, k, c), wanted(shape, i, k, c));
    return array;
}

/* Returns whether all entries are right; the table is one of doubles, or of rationals if an
 * entry is not a double. */
static bool holds(const attest_dataset *d, const size_t shape[3], bool real)
{
    bool ok = d->count == shape[0] && d->longest == shape[1] && d->dim == shape[2] &&
              d->total == shape[0] * shape[1] && real == (d->tokens.real != NULL);
    fmpq_t x;

    fmpq_init(x);
    for (size_t i = 0; ok && i < shape[0]; i++) {
        ok = attest_dataset_length(d, i) == shape[1];
        for (size_t k = 0; ok && k < shape[1]; k++)
            for (size_t c = 0; ok && c < shape[2]; c++) {
                attest_tokens_get_entry(x, &d->tokens, attest_dataset_token(d, i, k), c);
                ok = fmpq_equal_si(x, (slong)wanted(shape, i, k, c));
            }
    }
    fmpq_clear(x);
    return ok;
}

static const layout layouts[] = {
    {ATTEST_ARRAY_F64, false, false, 0}, {ATTEST_ARRAY_F64, true, false, 0},
    {ATTEST_ARRAY_F64, false, true, 0},  {ATTEST_ARRAY_F64, false, false, 1},
    {ATTEST_ARRAY_F32, false, false, 0}, {ATTEST_ARRAY_F32, true, true, 3},
    {ATTEST_ARRAY_I64, false, false, 0}, {ATTEST_ARRAY_I64, true, true, 5}};

/* Sequences that are parts of a block, blocks, and longer; tokens that are longer than one. */
static const size_t shapes[][3] = {
    {1, 1, 1},         {3, 2049, 4},      {2, 4096, 4},  {2, 2048, 4},         {5, 1000, 4},
    {9, 900, 3},       {2, 5000, 2},      {3, BLOCK, 1}, {2, BLOCK + 1, 1},    {2, 2, BLOCK},
    {2, 2, BLOCK + 1}, {2, 3, BLOCK / 2}, {1, 5, 7000},  {2, 3, BLOCK / 2 - 1}};

static void test_places(void)
{
    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++) {
        size_t wrong = 0;

        for (size_t l = 0; l < sizeof layouts / sizeof layouts[0]; l++) {
            attest_array array = fill(&layouts[l], shapes[s]);
            attest_budget budget = {1 << 24};
            attest_dataset dataset;

            attest_dataset_init(&dataset);
            wrong += attest_dataset_set_array(&dataset, &array, &budget, NULL) != ATTEST_OK ||
                     !holds(&dataset, shapes[s], true);
            attest_dataset_clear(&dataset);
        }
        TAP_OK(wrong == 0, "(%zu, %zu, %zu): %zu layouts are wrong", shapes[s][0], shapes[s][1],
               shapes[s][2], wrong);
    }
}

/* The error names the place of a NaN, the first of two; also with doubles that are not copied.
 */
static void test_refused(void)
{
    static const struct {
        size_t shape[3], at[2][3];
        const char *index;
    } c[] = {{{3, 2049, 4}, {{1, 2048, 3}, {2, 0, 0}}, "[1][2048][3]"},
             {{3, 2049, 4}, {{1, 5, 2}, {1, 5, 3}}, "[1][5][2]"},
             {{5, 1000, 4}, {{3, 0, 1}, {3, 1, 0}}, "[3][0][1]"},
             {{5, 1000, 4}, {{4, 999, 3}, {4, 999, 3}}, "[4][999][3]"},
             {{2, 2, BLOCK + 1}, {{1, 1, BLOCK}, {1, 1, BLOCK}}, "[1][1][8192]"},
             {{2, 3, 1}, {{0, 0, 0}, {1, 2, 0}}, "[0][0][0]"}};

    for (size_t i = 0; i < sizeof c / sizeof c[0]; i++)
        for (size_t l = 0; l < 6; l++) {
            attest_array array = fill(&layouts[l], c[i].shape);
            attest_budget budget = {1 << 24};
            attest_error error = {0};
            attest_dataset dataset;
            attest_status status;

            for (int n = 0; n < 2; n++)
                put(&layouts[l],
                    element_of(c[i].shape, layouts[l].fortran, c[i].at[n][0], c[i].at[n][1],
                               c[i].at[n][2]),
                    n ? (double)INFINITY : (double)NAN);
            attest_dataset_init(&dataset);
            status = attest_dataset_set_array(&dataset, &array, &budget, &error);
            TAP_OK(status == ATTEST_FORMAT && strstr(error.text, c[i].index) &&
                       dataset.count == 0 && budget.left == 1 << 24,
                   "layout %zu: %s", l, error.text);
            attest_dataset_clear(&dataset);
        }
}

/* Integers beyond 2^53, of both kinds and orders. */
static void test_integers(void)
{
    static const size_t shape[3] = {2, 3, 2};
    size_t wrong = 0;

    for (int signs = 0; signs < 2; signs++)
        for (int fortran = 0; fortran < 2; fortran++) {
            const layout l = {signs ? ATTEST_ARRAY_I64 : ATTEST_ARRAY_U64, false, fortran, 0};
            attest_array array = fill(&l, shape);
            attest_budget budget = {1 << 20};
            attest_dataset dataset;
            fmpq_t x;
            fmpz_t y;

            memset(bytes, 0xff, sizeof bytes); /* -1, or 2^64 - 1 */
            for (size_t e = 0; e < 12; e++) {
                bytes[8 * e] = (unsigned char)(2 * e + 1);
                bytes[8 * e + 7] = 0x7f; /* 2^63 - 256 + 2 e + 1 */
            }
            bytes[8 * 11 + 7] = 0xff; /* -256 + 23, or 2^64 - 256 + 23 */
            attest_dataset_init(&dataset);
            fmpq_init(x), fmpz_init(y);
            wrong += attest_dataset_set_array(&dataset, &array, &budget, NULL) != ATTEST_OK ||
                     dataset.tokens.real || dataset.count != 2 || dataset.longest != 3;
            for (size_t t = 0; dataset.count == 2 && t < 6; t++)
                for (size_t c = 0; c < 2; c++) {
                    size_t e = element_of(shape, fortran, t / 3, t % 3, c);
                    fmpz_set_ui(y, 1);
                    fmpz_mul_2exp(y, y, e == 11 ? 64 : 63);
                    if (e == 11 && signs)
                        fmpz_zero(y);
                    fmpz_add_si(y, y, 2 * (slong)e + 1 - 256);
                    attest_tokens_get_entry(x, &dataset.tokens,
                                            attest_dataset_token(&dataset, t / 3, t % 3), c);
                    wrong += !fmpz_equal(fmpq_numref(x), y) || !fmpz_is_one(fmpq_denref(x));
                }
            fmpq_clear(x), fmpz_clear(y);
            attest_dataset_clear(&dataset);
        }
    TAP_OK(wrong == 0, "integers beyond 2^53: %zu are wrong", wrong);
}

static void test_shapes(void)
{
    static const struct {
        size_t rank, shape[4];
        const char *text;
    } c[] = {{1, {12}, "shape (12,): a dataset has shape"},
             {2, {3, 4}, "shape (3, 4): a dataset has shape"},
             {4, {1, 3, 2, 2}, "shape (1, 3, 2, 2): a dataset has shape"},
             {3, {0, 3, 2}, "(0, 3, 2): the dataset is empty"},
             {3, {2, 0, 2}, "(2, 0, 2): the dataset is empty"},
             {3, {2, 3, 0}, "(2, 3, 0): the dataset is empty"}};
    attest_array array = {.data = bytes};
    attest_error error = {0};
    attest_dataset dataset;

    attest_dataset_init(&dataset);
    for (size_t i = 0; i < sizeof c / sizeof c[0]; i++) {
        array.type = ATTEST_ARRAY_F32;
        if (!attest_array_set_shape(&array, c[i].shape, c[i].rank))
            abort();
        TAP_OK(attest_dataset_set_array(&dataset, &array, NULL, &error) == ATTEST_FORMAT &&
                   strstr(error.text, c[i].text),
               "refused: %s", error.text);
    }
    array.type = ATTEST_ARRAY_BOOL;
    if (!attest_array_set_shape(&array, shapes[1], 3))
        abort();
    TAP_OK(attest_dataset_set_array(&dataset, &array, NULL, &error) == ATTEST_FORMAT,
           "refused: %s", error.text);
}

/* For every budget the call succeeds, or it is refused and the budget is as before. */
static void test_budget(void)
{
    static const size_t shape[3] = {3, 50, 4};
    size_t done = 0, refused = 0, wrong = 0;

    for (size_t l = 0; l < sizeof layouts / sizeof layouts[0]; l++)
        for (size_t left = 0; left < 200000; left += 1000) {
            attest_array array = fill(&layouts[l], shape);
            attest_budget budget = {left};
            attest_dataset dataset;
            attest_status status;

            attest_dataset_init(&dataset);
            status = attest_dataset_set_array(&dataset, &array, &budget, NULL);
            done += status == ATTEST_OK;
            refused += status == ATTEST_UNABLE;
            wrong += status == ATTEST_OK ? !holds(&dataset, shape, true) || budget.left >= left
                                         : budget.left != left || dataset.count != 0;
            attest_dataset_clear(&dataset);
        }
    TAP_OK(wrong == 0 && done > 100 && refused > 100, "%zu budgets suffice, %zu do not", done,
           refused);
}

TEST(dataset_array)
{
    test_places();
    test_refused();
    test_integers();
    test_shapes();
    test_budget();
    flint_cleanup();
    return 0;
}
