/* The zero test on identities that hold for a reason: a fraction whose numerator and
 * denominator share a factor, bounds that are met exactly, heads that cancel. */
#include <attest/certify.h>

#include "certify/zero_test.h"

#include "tests/tap.h"

enum { DIM = 3, MOST_HEADS = 12 };

/* Tokens (s, v, 1): head h scores (h + 1) s for every query and averages v. */
static bool make_weights(attest_weights *weights, size_t heads)
{
    bool ok = attest_weights_resize(weights, heads) == ATTEST_OK;

    weights->activation = ATTEST_SOFTMAX;
    weights->skip = false;
    weights->dim = DIM;
    for (size_t h = 0; ok && h < heads; h++) {
        attest_head *head = &weights->head[h];
        attest_matrix_resize(&head->wq, 1, DIM);
        attest_matrix_resize(&head->wk, 1, DIM);
        attest_matrix_resize(&head->wv, 1, DIM);
        attest_matrix_resize(&head->wo, DIM, 1);
        fmpz_one(head->wq.entry + 2);
        fmpz_set_ui(head->wk.entry + 0, h + 1);
        fmpz_one(head->wv.entry + 1);
        fmpz_one(head->wo.entry + 1);
    }
    return ok;
}

/* Sequence 0 averages 2 and 5 with weights 1 : y; sequence 1 averages 2, 5, 2, 5 with weights
 * 1 : y : y^2 : y^3, which is the same fraction times (1 + y^2)/(1 + y^2); sequence 2 differs
 * in its last value; sequence 3 is the mean of 2 and 5 with equal scores. */
static bool make_data(attest_dataset *dataset)
{
    static const double x[4][4][DIM] = {{{0, 2, 1}, {1, 5, 1}},
                                        {{0, 2, 1}, {1, 5, 1}, {2, 2, 1}, {3, 5, 1}},
                                        {{0, 2, 1}, {1, 5, 1}, {2, 2, 1}, {3, 6, 1}},
                                        {{0, 2, 1}, {0, 5, 1}}};
    static const size_t length[4] = {2, 4, 4, 2};
    attest_dataset_builder builder;
    attest_error error;
    bool ok = true;

    attest_dataset_builder_init(&builder, DIM, ATTEST_TABLE_REAL, NULL);
    for (size_t i = 0; ok && i < 4; i++)
        ok = attest_dataset_builder_add_sequences(&builder, x[i][0], 1, length[i], &error) ==
             ATTEST_OK;
    ok = ok && attest_dataset_builder_finish(dataset, &builder, &error) == ATTEST_OK;
    attest_dataset_builder_clear(&builder);
    return ok;
}

/* |F(X^a)_0 - F(X^b)_0|^2 = target, or |F(X^a)_0|^2 for b = a. */
static attest_zero_answer test(const attest_weights *weights, const attest_dataset *dataset,
                               uint32_t a, uint32_t b, const fmpq_t target, size_t *groups)
{
    const size_t terms = ATTEST_CERTIFY_MAX_TERMS;
    attest_zero_answer answer = ATTEST_ZERO_UNABLE;
    attest_softmax_sum sum;
    attest_error error;

    attest_softmax_sum_init(&sum, DIM);
    for (int side = 0; side < 1 + (a != b); side++) {
        uint32_t i = side ? b : a;
        attest_context context = {dataset->start[i], i,
                                  (uint32_t)attest_dataset_length(dataset, i),
                                  attest_dataset_token(dataset, i, 0), 0};
        if (attest_softmax_sum_add(&sum, side ? -1 : 1, weights, dataset, &context, &error))
            abort();
    }
    attest_softmax_sum_finish(&sum);
    *groups = sum.groups;
    if (attest_zero_test(&answer, &sum, target, terms, &error))
        abort();
    attest_softmax_sum_clear(&sum);
    return answer;
}

int main(void)
{
    attest_weights one, many;
    attest_dataset dataset;
    fmpq_t target;
    size_t groups;

    attest_weights_init(&one);
    attest_weights_init(&many);
    attest_dataset_init(&dataset);
    fmpq_init(target);
    TAP_OK(make_weights(&one, 1) && make_weights(&many, MOST_HEADS) && make_data(&dataset),
           "weights and data");
    TAP_OK(test(&one, &dataset, 0, 1, target, &groups) == ATTEST_ZERO_EQUAL && groups == 2,
           "equal fractions with different denominators");
    TAP_OK(test(&one, &dataset, 0, 2, target, &groups) == ATTEST_ZERO_DIFFERENT,
           "one value changed");
    TAP_OK(test(&one, &dataset, 0, 0, target, &groups) == ATTEST_ZERO_DIFFERENT,
           "a norm that is not zero");
    fmpq_set_si(target, 49, 4);
    TAP_OK(test(&one, &dataset, 3, 3, target, &groups) == ATTEST_ZERO_EQUAL && groups == 0,
           "a norm of 7/2, exactly");
    fmpq_set_si(target, 49, 5);
    TAP_OK(test(&one, &dataset, 3, 3, target, &groups) == ATTEST_ZERO_DIFFERENT,
           "and not of another size");
    fmpq_set_si(target, 1, 1);
    TAP_OK(test(&one, &dataset, 0, 1, target, &groups) == ATTEST_ZERO_DIFFERENT,
           "a distance of 0 is not 1, by squares");
    fmpq_zero(target);
    TAP_OK(test(&many, &dataset, 0, 2, target, &groups) == ATTEST_ZERO_DIFFERENT,
           "many heads: a difference is seen at any size");
    TAP_OK(test(&many, &dataset, 0, 1, target, &groups) == ATTEST_ZERO_EQUAL,
           "many heads: fractions reduce to the same ones");
    fmpq_clear(target);
    attest_weights_clear(&one);
    attest_weights_clear(&many);
    attest_dataset_clear(&dataset);
    flint_cleanup();
    return tap_done();
}
