/* The work of a layer against what the shapes of heads and the bits of their entries say, by
 * hand; what is charged, and refused. */
#include "attention/head_plan.h"

#include <math.h>

#include "tests/tap.h"

enum { DIM = 5, SIZE = 3, LENGTH = 4 };

/* b log2 b, but no less than of 64 bits. */
static double operation(double bits)
{
    return bits < 64 ? 384 : bits * log2(bits);
}

/* entry = -2^(bits - 1), a number of this many bits. */
static void plant(fmpz *entry, long bits)
{
    fmpz_one(entry);
    fmpz_mul_2exp(entry, entry, (ulong)bits - 1);
    fmpz_neg(entry, entry);
}

/* Entries of 1 except for the one at place, over a denominator of that many bits. */
static void make_dense(attest_matrix *matrix, size_t rows, size_t cols, size_t place, long bits,
                       long denominator)
{
    attest_matrix_resize(matrix, rows, cols);
    for (size_t e = 0; e < rows * cols; e++)
        fmpz_one(matrix->entry + e);
    plant(matrix->entry + place, bits);
    fmpz_one_2exp(matrix->denominator, (ulong)denominator - 1);
}

/* A head of two: bits of W_Q, W_K, W_V and W_O are 100, 200, 300 and 400, times the factor. */
static void make_head(attest_head *head, long factor)
{
    make_dense(&head->wq, SIZE, DIM, SIZE * DIM - 1, 100 * factor, 1);
    make_dense(&head->wk, SIZE, DIM, 0, 2, 200 * factor);
    make_dense(&head->wv, SIZE, DIM, DIM, 300 * factor, 7);
    make_dense(&head->wo, DIM, SIZE, SIZE - 1, 400 * factor, 399 * factor);
}

static void make_sequence(attest_sequence *sequence, long entry, long denominator)
{
    attest_sequence_init(sequence);
    attest_sequence_resize(sequence, LENGTH, DIM);
    plant(sequence->entry + LENGTH * DIM - 1, entry);
    fmpz_one_2exp(sequence->denominator, (ulong)denominator - 1);
}

/* The head of make_head: scores of SIZE entries; W_O W_V is applied to tokens, and DIM entries
 * are averaged. token: the bits of entries; end: those of what is averaged. */
static double head_work(double factor, double token, double end, size_t queries, bool softmax)
{
    double key = token + 200 * factor, query = token + 100 * factor, n = LENGTH;
    double per_token =
        SIZE * DIM *
        (operation(key) + operation(token + 300 * factor) + operation(token + 700 * factor));
    double per_query = SIZE * DIM * operation(query) + n * SIZE * operation(key + query) +
                       n * DIM * operation(end);

    if (softmax)
        per_query += n * 16 * log2(end + 2) * operation(end);
    return n * per_token + (double)queries * per_query;
}

static bool is(double work, double expected)
{
    return fabs(work - expected) <= 1e-9 * expected;
}

static void test_heads(void)
{
    attest_weights weights;
    attest_sequence by_entry, by_denominator;

    attest_weights_init(&weights);
    if (attest_weights_resize(&weights, 2) != ATTEST_OK)
        abort();
    weights.dim = DIM;
    make_head(&weights.head[0], 1);
    make_head(&weights.head[1], 2);
    make_sequence(&by_entry, 50, 1);
    make_sequence(&by_denominator, 1, 60);
    TAP_OK(is(attest_work_estimate(&weights, &by_entry, 3, 0),
              head_work(1, 50, 750, 3, true) + head_work(2, 50, 1450, 3, true)),
           "softmax, two heads, exact numbers");
    TAP_OK(is(attest_work_estimate(&weights, &by_entry, 1, 128),
              head_work(1, 50, 128, 1, true) + head_work(2, 50, 128, 1, true)),
           "balls of 128 bits, one query");
    weights.activation = ATTEST_HARDMAX;
    TAP_OK(is(attest_work_estimate(&weights, &by_denominator, LENGTH, 0),
              head_work(1, 60, 760, LENGTH, false) + head_work(2, 60, 1460, LENGTH, false)),
           "hardmax, bits of a denominator");
    attest_sequence_clear(&by_entry);
    attest_sequence_clear(&by_denominator);
    attest_weights_clear(&weights);
}

/* W_V = u v^T: one number is averaged, u and W_O follow; small numbers cost as those of 64
 * bits. */
static void test_factored(void)
{
    attest_weights weights;
    attest_sequence sequence;
    attest_head *head;
    double n = LENGTH, per_token, per_query;

    attest_weights_init(&weights);
    if (attest_weights_resize(&weights, 1) != ATTEST_OK)
        abort();
    weights.dim = DIM;
    weights.activation = ATTEST_HARDMAX;
    head = &weights.head[0];
    make_head(head, 1);
    attest_matrix_resize_factored(&head->wv, SIZE, DIM);
    plant(head->wv.u + SIZE - 1, 80);
    plant(head->wv.v + DIM - 1, 90);
    make_sequence(&sequence, 10, 1);
    per_token = SIZE * DIM * operation(210) + DIM * operation(100);
    per_query = SIZE * DIM * operation(110) + n * SIZE * operation(320) + n * operation(100) +
                SIZE * operation(180) + DIM * SIZE * operation(580);
    TAP_OK(is(attest_work_estimate(&weights, &sequence, 2, 0), n * per_token + 2 * per_query),
           "W_V of rank 1");
    make_dense(&head->wq, SIZE, DIM, 0, 1, 1);
    make_dense(&head->wk, SIZE, DIM, 0, 1, 1);
    make_dense(&head->wv, SIZE, DIM, 0, 1, 1);
    make_dense(&head->wo, DIM, SIZE, 0, 1, 1);
    TAP_OK(is(attest_work_estimate(&weights, &sequence, 2, 0),
              384 * (n * 3 * SIZE * DIM + 2 * (SIZE * DIM + n * SIZE + n * DIM))),
           "small numbers");
    attest_sequence_clear(&sequence);
    make_sequence(&sequence, 1, 1);
    make_dense(&head->wk, SIZE, DIM, 0, 100, 1);
    TAP_OK(is(attest_work_estimate(&weights, &sequence, 2, 0),
              n * SIZE * DIM * (operation(101) + 2 * 384) +
                  2 * (SIZE * DIM * 384 + n * SIZE * operation(103) + n * DIM * 384)),
           "tokens of one bit");
    attest_sequence_clear(&sequence);
    attest_weights_clear(&weights);
}

static void test_operation(void)
{
    TAP_OK(attest_work_operation(64) == 384 && attest_work_operation(1) == 384 &&
               attest_work_operation(63) == 384 && attest_work_operation(128) == 896 &&
               is(attest_work_operation(65), 65 * log2(65)),
           "b log2 b, at least of 64 bits");
}

static void test_charge(void)
{
    double left = 10;

    TAP_OK(attest_work_charge(&left, 4, NULL) == ATTEST_OK && left == 6,
           "a charge reduces the work");
    TAP_OK(attest_work_charge(&left, 6, NULL) == ATTEST_OK && left == 0,
           "a charge may use up the work");
    TAP_OK(attest_work_charge(&left, 1e-9, NULL) == ATTEST_UNABLE && left == 0,
           "no work is left for a further charge");
    left = INFINITY;
    TAP_OK(attest_work_charge(&left, 1e300, NULL) == ATTEST_OK && isinf(left), "no limit");
    TAP_OK(attest_work_charge(&left, NAN, NULL) == ATTEST_UNABLE, "NaN");
}

/* Sequences of 1, 2 and 3 tokens, each of them with its own work. */
static void test_sequences(void)
{
    static const size_t some[] = {2, 0};
    static const double x[] = {1, 2, 3};
    attest_dataset_builder builder;
    attest_dataset dataset;
    attest_weights weights;
    double one[3], left, all;

    attest_weights_init(&weights);
    attest_dataset_init(&dataset);
    if (attest_weights_resize(&weights, 1) != ATTEST_OK)
        abort();
    weights.dim = 1;
    make_dense(&weights.head[0].wq, 1, 1, 0, 70, 1);
    make_dense(&weights.head[0].wk, 1, 1, 0, 70, 1);
    make_dense(&weights.head[0].wv, 1, 1, 0, 70, 1);
    make_dense(&weights.head[0].wo, 1, 1, 0, 70, 1);
    attest_dataset_builder_init(&builder, 1, ATTEST_TABLE_REAL, NULL);
    for (size_t i = 0; i < 3; i++)
        if (attest_dataset_builder_add_sequences(&builder, x, 1, i + 1, NULL) != ATTEST_OK)
            abort();
    if (attest_dataset_builder_finish(&dataset, &builder, NULL) != ATTEST_OK)
        abort();
    for (size_t i = 0; i < 3; i++) {
        attest_sequence sequence;

        attest_sequence_init(&sequence);
        if (attest_dataset_get_sequence(&sequence, &dataset, i, NULL, NULL) != ATTEST_OK)
            abort();
        one[i] = attest_work_estimate(&weights, &sequence, i + 1, 256);
        attest_sequence_clear(&sequence);
    }
    all = left = 1e9;
    TAP_OK(attest_work_charge_sequences(&left, &weights, &dataset, NULL, 2, 256, NULL, NULL) ==
                   ATTEST_OK &&
               is(all - left, one[0] + one[1]),
           "the first two sequences");
    left = all;
    TAP_OK(attest_work_charge_sequences(&left, &weights, &dataset, some, 2, 256, NULL, NULL) ==
                   ATTEST_OK &&
               is(all - left, one[2] + one[0]),
           "the last and the first");
    left = one[2];
    TAP_OK(attest_work_charge_sequences(&left, &weights, &dataset, some, 2, 256, NULL, NULL) ==
                   ATTEST_UNABLE &&
               left == one[2],
           "more than is left");
    attest_dataset_builder_clear(&builder);
    attest_dataset_clear(&dataset);
    attest_weights_clear(&weights);
}

TEST(work)
{
    test_operation();
    test_heads();
    test_factored();
    test_charge();
    test_sequences();
    flint_cleanup();
    return 0;
}
