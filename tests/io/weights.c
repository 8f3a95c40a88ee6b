/* Weights: read exactly, factors kept, written and read again, shapes. */
#include <string.h>
#include <unistd.h>

#include <attest/weights.h>

#include "tests/tap.h"

static const char *source_file(const char *name)
{
    static char path[4000];
    const char *source = getenv("srcdir");

    snprintf(path, sizeof path, "%s/tests/data/%s", source ? source : ".", name);
    return path;
}

static bool entry_is(const attest_matrix *matrix, size_t r, size_t c, const char *expected)
{
    fmpq_t value;
    char *text;
    bool same;

    fmpq_init(value);
    attest_matrix_get_entry(value, matrix, r, c);
    text = attest_number_format(value);
    same = strcmp(text, expected) == 0;
    free(text);
    fmpq_clear(value);
    return same;
}

static bool same_matrices(const attest_matrix *a, const attest_matrix *b)
{
    bool same = a->rows == b->rows && a->cols == b->cols && a->factored == b->factored &&
                fmpz_equal(a->denominator, b->denominator) &&
                fmpz_equal(a->u_denominator, b->u_denominator);

    if (!same)
        return false;
    if (a->factored)
        return _fmpz_vec_equal(a->u, b->u, (slong)a->rows) &&
               _fmpz_vec_equal(a->v, b->v, (slong)a->cols);
    return _fmpz_vec_equal(a->entry, b->entry, (slong)(a->rows * a->cols));
}

static bool same_weights(const attest_weights *a, const attest_weights *b)
{
    bool same = a->activation == b->activation && a->ties == b->ties && a->mask == b->mask &&
                a->skip == b->skip && a->dim == b->dim && a->heads == b->heads;

    for (size_t h = 0; same && h < a->heads; h++)
        same = same_matrices(&a->head[h].wq, &b->head[h].wq) &&
               same_matrices(&a->head[h].wk, &b->head[h].wk) &&
               same_matrices(&a->head[h].wv, &b->head[h].wv) &&
               same_matrices(&a->head[h].wo, &b->head[h].wo);
    return same;
}

static void test_values(void)
{
    attest_weights weights;
    attest_error error = {ATTEST_OK, ""};

    attest_weights_init(&weights);
    TAP_OK(attest_weights_read(&weights, source_file("good-weights-softmax.json"), NULL,
                               &error) == ATTEST_OK,
           "read %s", error.text);
    TAP_OK(weights.activation == ATTEST_SOFTMAX && weights.mask == ATTEST_MASK_CAUSAL &&
               !weights.skip && weights.dim == 3 && weights.heads == 2,
           "options");
    TAP_OK(entry_is(&weights.head[0].wq, 0, 0, "1/2") &&
               entry_is(&weights.head[0].wq, 0, 1, "1/4") &&
               entry_is(&weights.head[0].wq, 0, 2, "-3") &&
               entry_is(&weights.head[0].wo, 1, 0, "1/7"),
           "entries");
    TAP_OK(weights.head[0].wk.factored && entry_is(&weights.head[0].wk, 0, 0, "1/15") &&
               entry_is(&weights.head[0].wk, 0, 1, "2/3") &&
               fmpz_equal_ui(weights.head[0].wk.denominator, 15) &&
               weights.head[1].wo.factored && entry_is(&weights.head[1].wo, 2, 1, "1"),
           "factors stay factors");
    TAP_OK(attest_weights_read(&weights, source_file("good-weights-hardmax.json"), NULL,
                               NULL) == ATTEST_OK &&
               weights.activation == ATTEST_HARDMAX && weights.ties == ATTEST_TIES_LEFTMOST &&
               weights.skip && weights.mask == ATTEST_MASK_NONE,
           "hardmax");
    TAP_OK(attest_weights_read(&weights, source_file("good-weights-defaults.json"), NULL,
                               NULL) == ATTEST_OK &&
               weights.ties == ATTEST_TIES_UNIFORM && weights.skip &&
               weights.mask == ATTEST_MASK_NONE,
           "defaults");
    TAP_OK(attest_weights_read(&weights, "no/such/file", NULL, &error) == ATTEST_IO &&
               weights.heads == 0,
           "%s", error.text);
    attest_weights_clear(&weights);
}

static void test_round_trip(void)
{
    static const char *const file[] = {"good-weights-softmax.json", "good-weights-hardmax.json",
                                       "good-weights-defaults.json"};
    attest_weights first, second;
    attest_error error = {ATTEST_OK, ""};
    char path[] = "t-weights.XXXXXX";
    int opened = mkstemp(path);

    if (opened < 0)
        return;
    close(opened);
    attest_weights_init(&first);
    attest_weights_init(&second);
    for (size_t i = 0; i < 3; i++)
        TAP_OK(attest_weights_read(&first, source_file(file[i]), NULL, &error) == ATTEST_OK &&
                   attest_weights_write(&first, path, &error) == ATTEST_OK &&
                   attest_weights_read(&second, path, NULL, &error) == ATTEST_OK &&
                   same_weights(&first, &second),
               "%s comes back %s", file[i], error.text);
    TAP_OK(attest_weights_write(&first, "no/such/directory/file", &error) == ATTEST_IO, "%s",
           error.text);
    attest_weights_clear(&first);
    attest_weights_clear(&second);
    unlink(path);
}

static void test_shapes(void)
{
    attest_weights weights;
    attest_error error = {ATTEST_OK, ""};

    attest_weights_init(&weights);
    TAP_OK(attest_weights_check_shapes(&weights, &error) == ATTEST_FORMAT, "%s", error.text);
    TAP_OK(attest_weights_resize(&weights, 1) == ATTEST_OK, "one head");
    attest_matrix_resize(&weights.head[0].wq, 2, 3);
    attest_matrix_resize(&weights.head[0].wk, 2, 3);
    attest_matrix_resize_factored(&weights.head[0].wv, 2, 3);
    attest_matrix_resize(&weights.head[0].wo, 3, 2);
    TAP_OK(attest_weights_check_shapes(&weights, &error) == ATTEST_FORMAT &&
               strcmp(error.text, "dim is 0, but heads[0].WQ is 2x3") == 0,
           "%s", error.text);
    weights.dim = 3;
    TAP_OK(attest_weights_check_shapes(&weights, &error) == ATTEST_OK, "shapes that fit");
    attest_matrix_resize(&weights.head[0].wo, 2, 3);
    TAP_OK(attest_weights_check_shapes(&weights, &error) == ATTEST_FORMAT, "%s", error.text);
    attest_weights_clear(&weights);
    TAP_OK(strcmp(attest_activation_name(ATTEST_HARDMAX), "hardmax") == 0 &&
               strcmp(attest_ties_name(ATTEST_TIES_LEFTMOST), "leftmost") == 0 &&
               strcmp(attest_mask_name(ATTEST_MASK_CAUSAL), "causal") == 0,
           "names");
}

/* n denominators make each of n numerators n times as large: n^2 in all. */
static void test_denominators(void)
{
    enum { COUNT = 3000 };
    static char text[100 * COUNT];
    attest_weights weights;
    attest_error error = {ATTEST_OK, ""};
    attest_budget budget = {(size_t)4 << 20};
    char path[] = "t-weights.XXXXXX", *at = text;
    int opened = mkstemp(path);
    ulong prime = 2;
    FILE *file;

    at += sprintf(at, "{\"format\": \"attest/weights\", \"version\": 1, \"activation\": "
                      "\"softmax\", \"heads\": [{\"WQ\": [[");
    for (int i = 0; i < COUNT; i++, prime = n_nextprime(prime, 0))
        at += sprintf(at, "%s\"1/%lu\"", i ? "," : "", prime);
    at += sprintf(at, "]]}]}");
    file = opened >= 0 ? fdopen(opened, "w") : NULL;
    if (!file)
        return;
    fputs(text, file);
    fclose(file);
    attest_weights_init(&weights);
    TAP_OK(attest_weights_read(&weights, path, &budget, &error) == ATTEST_UNABLE &&
               strstr(error.text, "heads[0].WQ: ") && budget.left > 3 << 20,
           "%s", error.text);
    attest_weights_clear(&weights);
    unlink(path);
}

TEST(weights)
{
    test_values();
    test_round_trip();
    test_shapes();
    test_denominators();
    flint_cleanup();
    return 0;
}
