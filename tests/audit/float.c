/* What floating point breaks, by exhaustive search: the least three tokens whose order matters,
 * the least pair of contexts (x) and (x, y) that are merged, the least length at which one more
 * token does not change an average. One dimension, all weights 1. The files of
 * examples/float/ hold what is found here; tests/cli/float.sh replays them. */
#include <stdlib.h>
#include <string.h>

#include "audit/collisions.h"
#include "audit/invariance.h"
#include "tests/tap.h"

enum { MOST = 6, FAR = 64, KEYS = 3 };

static const struct expected {
    const char *format;
    long order[KEYS]; /* tokens */
    long merged[2];   /* x, y */
    unsigned long length;
} expected[] = {
    {"binary32", {-2, -1, 0}, {4, -1}, 11864338}, {"bfloat16", {-2, -1, 0}, {2, -1}, 190},
    {"binary16", {-2, -1, 0}, {3, 0}, 1464},      {"float8_e4m3fn", {-2, -1, 1}, {2, 0}, 14},
    {"float8_e5m2", {-2, -1, 0}, {1, -1}, 6},
};

static void set_weights(attest_weights *weights)
{
    attest_matrix *m[4];

    attest_weights_init(weights);
    if (attest_weights_resize(weights, 1) != ATTEST_OK)
        abort();
    weights->dim = 1;
    m[0] = &weights->head[0].wq, m[1] = &weights->head[0].wk;
    m[2] = &weights->head[0].wv, m[3] = &weights->head[0].wo;
    for (size_t i = 0; i < 4; i++) {
        attest_matrix_resize(m[i], 1, 1);
        fmpz_one(m[i]->entry);
    }
}

static void set_dataset(attest_dataset *dataset, const long *a, size_t n, const long *b,
                        size_t m)
{
    attest_dataset_builder builder;
    attest_status status = ATTEST_OK;
    fmpq_t x;

    attest_dataset_init(dataset);
    attest_dataset_builder_init(&builder, 1, ATTEST_TABLE_RATIONAL, NULL);
    fmpq_init(x);
    for (size_t side = 0; side < 2 && status == ATTEST_OK; side++) {
        const long *t = side ? b : a;

        for (size_t k = 0; k < (side ? m : n) && status == ATTEST_OK; k++) {
            fmpq_set_si(x, t[k], 1);
            status = attest_dataset_builder_add_token(&builder, x, NULL);
        }
        if (status == ATTEST_OK && (side ? m : n) > 0)
            status = attest_dataset_builder_end_sequence(&builder, NULL);
    }
    if (status != ATTEST_OK ||
        attest_dataset_builder_finish(dataset, &builder, NULL) != ATTEST_OK)
        abort();
    attest_dataset_builder_clear(&builder);
    fmpq_clear(x);
}

static bool order_matters(const long *t, size_t n, const attest_weights *weights,
                          const attest_simulated_arithmetic *arithmetic)
{
    size_t order[ATTEST_INVARIANCE_LONGEST], position;
    attest_dataset dataset;
    attest_error error;
    bool broken;

    set_dataset(&dataset, t, n, NULL, 0);
    if (attest_invariance_check(&broken, order, &position, &dataset, weights, arithmetic,
                                &error) != ATTEST_OK)
        abort();
    attest_dataset_clear(&dataset);
    return broken;
}

/* The first three ascending tokens by the largest |t|, then by numbers. */
static bool find_order(long t[KEYS], const attest_weights *weights,
                       const attest_simulated_arithmetic *arithmetic)
{
    for (long most = 1; most <= MOST; most++)
        for (t[0] = -most; t[0] <= most; t[0]++)
            for (t[1] = t[0] + 1; t[1] <= most; t[1]++)
                for (t[2] = t[1] + 1; t[2] <= most; t[2]++)
                    if ((t[0] == -most || t[2] == most) &&
                        order_matters(t, KEYS, weights, arithmetic))
                        return true;
    return false;
}

static bool two_may_swap(const attest_weights *weights,
                         const attest_simulated_arithmetic *arithmetic)
{
    for (long a = -MOST; a <= MOST; a++)
        for (long b = a; b <= MOST; b++)
            if (order_matters((const long[]){a, b}, 2, weights, arithmetic))
                return false;
    return true;
}

static bool are_merged(long x, long y, const attest_weights *weights,
                       const attest_simulated_arithmetic *arithmetic)
{
    const long one[] = {x}, two[] = {x, y};
    attest_audit_outputs outputs = {0};
    attest_audit_request request;
    attest_dataset dataset;
    attest_error error;
    bool merged;

    set_dataset(&dataset, one, 1, two, 2);
    attest_audit_request_init(&request, &dataset, weights);
    if (attest_audit_evaluate(&outputs, &request, arithmetic, &error) != ATTEST_OK)
        abort();
    merged = attest_audit_outputs_finite(&outputs, 0) &&
             attest_audit_outputs_finite(&outputs, 1) &&
             attest_audit_outputs_compare(&outputs, 0, 1) == 0;
    attest_audit_outputs_clear(&outputs);
    attest_dataset_clear(&dataset);
    return merged;
}

/* The first x, y != x by |x| + |y|, then |x|, positive ones first. */
static bool find_merged(long pair[2], const attest_weights *weights,
                        const attest_simulated_arithmetic *arithmetic)
{
    for (long sum = 1; sum <= FAR; sum++)
        for (long x = 1; x <= sum; x++)
            for (long sign = 1; sign >= -1; sign -= 2) {
                pair[0] = x;
                pair[1] = sign * (sum - x);
                if (pair[0] != pair[1] && are_merged(pair[0], pair[1], weights, arithmetic))
                    return true;
            }
    return false;
}

/* Returns the least length at which one more token does not change an average;
 * *shorter_noticed = the note does not prove that it does. */
static unsigned long find_length(long p, bool *shorter_noticed)
{
    unsigned long n = 1;

    while (!attest_invariance_same_average(p, n))
        n++;
    *shorter_noticed = n * (n + 1) >= 1ul << (2 * p - 1);
    return n;
}

static void check_format(const struct expected *e, const attest_weights *weights)
{
    attest_simulated_arithmetic arithmetic;
    attest_format format;
    attest_error error;
    long order[KEYS] = {0}, merged[2] = {0};
    unsigned long length;
    bool noticed, found;

    if (attest_format_parse(&format, e->format, &error) != ATTEST_OK)
        abort();
    attest_simulated_arithmetic_init(&arithmetic, &format);
    TAP_OK(two_may_swap(weights, &arithmetic), "%s: two tokens may change places", e->format);
    found = find_order(order, weights, &arithmetic);
    TAP_OK(found && order[0] == e->order[0] && order[1] == e->order[1] &&
               order[2] == e->order[2],
           "%s: the order of (%ld, %ld, %ld) matters", e->format, order[0], order[1], order[2]);
    found = find_merged(merged, weights, &arithmetic);
    TAP_OK(found && merged[0] == e->merged[0] && merged[1] == e->merged[1],
           "%s: (%ld) and (%ld, %ld) are merged", e->format, merged[0], merged[0], merged[1]);
    length = find_length(format.precision, &noticed);
    TAP_OK(length == e->length && noticed, "%s: token %lu does not change an average",
           e->format, length + 1);
}

/* The counts of one arithmetic are set, whatever was there before. */
static attest_audit_invariance count_in(const attest_format *format, const long *a, size_t n,
                                        const long *b, size_t m, const attest_weights *weights)
{
    attest_simulated_arithmetic arithmetic;
    attest_audit_invariance counts;
    attest_dataset dataset;
    attest_error error;

    set_dataset(&dataset, a, n, b, m);
    attest_simulated_arithmetic_init(&arithmetic, format);
    memset(&counts, 0x55, sizeof counts);
    if (attest_audit_invariance_get(&counts, &arithmetic, 1, &dataset, weights, &error) !=
        ATTEST_OK)
        abort();
    attest_dataset_clear(&dataset);
    return counts;
}

static bool are_counts(const attest_audit_invariance *c, size_t reordered, size_t changed,
                       size_t shortened, size_t unnoticed)
{
    return c->reordered == reordered && c->changed == changed && c->shortened == shortened &&
           c->unnoticed == unnoticed;
}

/* Counts of two sequences, of sequences of one token, and of hardmax. */
static void test_counts(attest_weights *weights)
{
    static const long one[] = {3}, two[] = {3, -1}, three[] = {-2, -1, 0};
    attest_audit_invariance counts;
    attest_format format;

    if (attest_format_parse(&format, "bfloat16", NULL) != ATTEST_OK)
        abort();
    counts = count_in(&format, two, 2, three, 3, weights);
    TAP_OK(counts.reordered == 5 && counts.changed > 0 && counts.changed <= 3 &&
               counts.changed_at.sequence == 1 && counts.shortened == 3,
           "%zu of %zu outputs depend on the order, the first in sequence %zu", counts.changed,
           counts.reordered, (size_t)counts.changed_at.sequence);
    counts = count_in(&format, one, 1, one, 1, weights);
    TAP_OK(are_counts(&counts, 0, 0, 0, 0), "sequences of one token have no other order");
    weights->activation = ATTEST_HARDMAX;
    counts = count_in(&format, two, 2, three, 3, weights);
    TAP_OK(are_counts(&counts, 0, 0, 0, 0), "hardmax is not counted");
    weights->activation = ATTEST_SOFTMAX;
}

TEST(float)
{
    attest_weights weights;

    set_weights(&weights);
    test_counts(&weights);
    for (size_t f = 0; f < sizeof expected / sizeof *expected; f++)
        check_format(&expected[f], &weights);
    attest_weights_clear(&weights);
    flint_cleanup();
    return 0;
}
