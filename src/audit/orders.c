/* orders.c -- where rounding breaks what holds exactly (proofs-notes/float.md). */
#include "audit/orders.h"

#include <math.h>

#include "number/scope.h"

/* permuted = the sequence with token k at place order[k]. */
static attest_status permute(attest_dataset *permuted, const attest_dataset *dataset,
                             const size_t *order, attest_error *error)
{
    size_t n = dataset->total;
    FMPQ_VEC(entry, (slong)dataset->dim);
    ATTEST_SCOPED(attest_dataset_builder, builder, dataset->dim, ATTEST_TABLE_RATIONAL, NULL);

    for (size_t place = 0; place < n; place++)
        for (size_t k = 0; k < n; k++) {
            if (order[k] != place)
                continue;
            for (size_t c = 0; c < dataset->dim; c++)
                attest_tokens_get_entry(entry + c, &dataset->tokens,
                                        attest_dataset_token(dataset, 0, k), c);
            ATTEST_TRY(attest_dataset_builder_add_token(&builder, entry, error));
        }
    ATTEST_TRY(attest_dataset_builder_end_sequence(&builder, error));
    return attest_dataset_builder_finish(permuted, &builder, error);
}

bool attest_orders_same_output(const attest_audit_outputs *a, size_t p,
                               const attest_audit_outputs *b, size_t q)
{
    ARF(x, y);

    if (!attest_audit_outputs_finite(a, p) || !attest_audit_outputs_finite(b, q))
        return true;
    for (size_t c = 0; c < a->dim; c++) {
        attest_audit_outputs_get(x, a, p, c);
        attest_audit_outputs_get(y, b, q, c);
        if (!arf_equal(x, y))
            return false;
    }
    return true;
}

static void exchange(size_t *a, size_t *b)
{
    size_t swap = *a;

    *a = *b;
    *b = swap;
}

/* The next permutation in lexicographic order; false: it was the last. */
static bool next_order(size_t *order, size_t n)
{
    size_t i = n - 1, j = n - 1;

    while (i > 0 && order[i - 1] > order[i])
        i--;
    if (i == 0)
        return false;
    while (order[j] < order[i - 1])
        j--;
    exchange(&order[i - 1], &order[j]);
    for (j = n - 1; i < j; i++, j--)
        exchange(&order[i], &order[j]);
    return true;
}

static attest_status evaluate(attest_audit_outputs *outputs, const attest_dataset *dataset,
                              const attest_weights *weights,
                              const attest_simulated_arithmetic *arithmetic,
                              attest_error *error)
{
    attest_audit_request request;

    attest_audit_request_init(&request, dataset, weights);
    return attest_audit_evaluate(outputs, &request, arithmetic, error);
}

attest_status attest_orders_check(bool *broken, size_t order[ATTEST_ORDERS_LONGEST],
                                  size_t *position, const attest_dataset *dataset,
                                  const attest_weights *weights,
                                  const attest_simulated_arithmetic *arithmetic,
                                  attest_error *error)
{
    size_t n = dataset->total;
    attest_audit_outputs given ATTEST_CLEARED_BY(attest_audit_outputs_clear) = {0};

    for (size_t k = 0; k < n; k++)
        order[k] = k;
    *broken = false;
    ATTEST_TRY(evaluate(&given, dataset, weights, arithmetic, error));
    while (!*broken && n > 1 && next_order(order, n)) {
        attest_audit_outputs other ATTEST_CLEARED_BY(attest_audit_outputs_clear) = {0};
        ATTEST_SCOPED(attest_dataset, permuted);

        ATTEST_TRY(permute(&permuted, dataset, order, error));
        ATTEST_TRY(evaluate(&other, &permuted, weights, arithmetic, error));
        for (size_t k = 0; k < n && !*broken; k++) {
            *broken = !attest_orders_same_output(&given, k, &other, order[k]);
            *position = k;
        }
    }
    return ATTEST_OK;
}

/* 1/n to nearest even in p <= 24 bits: the quotient of doubles, rounded again, which is right
 * (proofs-notes/audit.md, "Quotients to nearest"). */
static double reciprocal(long p, double n)
{
    int exponent;
    double x = frexp(1 / n, &exponent);

    return ldexp(rint(ldexp(x, (int)p)), exponent - (int)p);
}

bool attest_orders_same_average(long p, unsigned long n)
{
    double most = ldexp(1, (int)p); /* from here on a sum of ones stays */
    double first = fmin((double)n, most), second = fmin((double)n + 1, most);

    return reciprocal(p, first) == reciprocal(p, second);
}
