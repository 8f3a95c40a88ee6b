/* The zero test on identities that hold for a reason: a fraction whose numerator and
 * denominator share a factor, bounds that are met exactly, heads that cancel. */
#include <attest/certify.h>

#include "certify/softmax_sum.h"
#include "recheck/recheck.h"

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

/* sum, finished = F(X^a)_0 - F(X^b)_0, or F(X^a)_0 for b = a. */
static void make_difference(attest_softmax_sum *sum, const attest_weights *weights,
                            const attest_dataset *dataset, uint32_t a, uint32_t b)
{
    attest_softmax_sum_init(sum, dataset->dim);
    for (int side = 0; side < 1 + (a != b); side++) {
        uint32_t i = side ? b : a;
        attest_context context = {dataset->start[i], i,
                                  (uint32_t)attest_dataset_length(dataset, i),
                                  attest_dataset_token(dataset, i, 0), 0};
        if (attest_softmax_sum_add(sum, side ? -1 : 1, weights, dataset, &context, NULL))
            abort();
    }
    attest_softmax_sum_finish(sum);
}

/* Modulo primes a difference shows without terms; what is equal takes some. */
static void test_modular(const attest_weights *weights, const attest_dataset *dataset)
{
    attest_zero_answer answer = ATTEST_ZERO_UNABLE;
    attest_softmax_sum sum;
    fmpq_t target;

    fmpq_init(target);
    fmpq_set_si(target, 1, 7);
    make_difference(&sum, weights, dataset, 1, 2);
    TAP_OK(attest_zero_test(&answer, &sum, target, 0, NULL) == ATTEST_OK &&
               answer == ATTEST_ZERO_DIFFERENT,
           "another square is told apart without terms");
    attest_softmax_sum_clear(&sum);
    fmpq_clear(target);
}

/* Returns whether the square of that is the target. */
static attest_zero_answer test(const attest_weights *weights, const attest_dataset *dataset,
                               uint32_t a, uint32_t b, const fmpq_t target, size_t *groups)
{
    attest_zero_answer answer = ATTEST_ZERO_UNABLE;
    attest_softmax_sum sum;

    make_difference(&sum, weights, dataset, a, b);
    *groups = sum.groups;
    if (attest_zero_test(&answer, &sum, target, ATTEST_CERTIFY_MAX_TERMS, NULL))
        abort();
    attest_softmax_sum_clear(&sum);
    return answer;
}

/* How many fractions are left of that when it is reduced. */
static size_t reduced(const attest_weights *weights, const attest_dataset *dataset, uint32_t a,
                      uint32_t b)
{
    attest_softmax_sum sum;
    size_t groups;

    make_difference(&sum, weights, dataset, a, b);
    if (attest_softmax_sum_reduce(&sum, NULL) != ATTEST_OK)
        abort();
    groups = sum.groups;
    attest_softmax_sum_clear(&sum);
    return groups;
}

/* ----- heads with scores and values of their own ----- */

enum { WIDE = 5, SPLIT = 0, WHOLE, SWAPPED, OTHER, SHIFTED, HALVED, SINGLE, CONTEXTS };

/* Tokens (s1, s2, v1, v2, 1). Head 1 averages v1 by s1, head 2 v2 by s2, head 3 takes away what
 * head 1 gives, both into the same entry. */
static bool make_separate(attest_weights *weights, size_t heads)
{
    bool ok = attest_weights_resize(weights, heads) == ATTEST_OK;

    weights->activation = ATTEST_SOFTMAX;
    weights->skip = false;
    weights->dim = WIDE;
    for (size_t h = 0; ok && h < heads; h++) {
        attest_head *head = &weights->head[h];
        attest_matrix_resize(&head->wq, 1, WIDE);
        attest_matrix_resize(&head->wk, 1, WIDE);
        attest_matrix_resize(&head->wv, 1, WIDE);
        attest_matrix_resize(&head->wo, WIDE, 1);
        fmpz_one(head->wq.entry + 4);
        fmpz_one(head->wk.entry + h % 2);
        fmpz_one(head->wv.entry + 2 + h % 2);
        fmpz_set_si(head->wo.entry, h == 2 ? -1 : 1);
    }
    return ok;
}

/* SPLIT: (2 + 5 y)/(1 + y) + (3 + 7 y^2)/(1 + y^2). WHOLE: the same over (1 + y)(1 + y^2), by
 * head 1 alone. SWAPPED: as SPLIT, with the heads exchanged. OTHER: WHOLE with one value
 * changed. SHIFTED: SPLIT plus 4. HALVED: SPLIT plus 1/2. SINGLE:
 * 3/(1 + y). */
static bool make_contexts(attest_dataset *dataset)
{
    static const double x[CONTEXTS][4][WIDE] = {
        {{0, 0, 2, 3, 1}, {1, 2, 5, 7, 1}},
        {{0, 0, 5, 0, 1}, {1, 0, 8, 0, 1}, {2, 0, 9, 0, 1}, {3, 0, 12, 0, 1}},
        {{0, 0, 3, 2, 1}, {2, 1, 7, 5, 1}},
        {{0, 0, 5, 0, 1}, {1, 0, 8, 0, 1}, {2, 0, 9, 0, 1}, {3, 0, 13, 0, 1}},
        {{0, 0, 6, 3, 1}, {1, 2, 9, 7, 1}},
        {{0, 0, 2.5, 3, 1}, {1, 2, 5.5, 7, 1}},
        {{0, 0, 3, 0, 1}, {1, 0, 0, 0, 1}}};
    static const size_t length[CONTEXTS] = {2, 4, 2, 4, 2, 2, 2};
    attest_dataset_builder builder;
    bool ok = true;

    attest_dataset_builder_init(&builder, WIDE, ATTEST_TABLE_REAL, NULL);
    for (size_t i = 0; ok && i < CONTEXTS; i++)
        ok = attest_dataset_builder_add_sequences(&builder, x[i][0], 1, length[i], NULL) ==
             ATTEST_OK;
    ok = ok && attest_dataset_builder_finish(dataset, &builder, NULL) == ATTEST_OK;
    attest_dataset_builder_clear(&builder);
    return ok;
}

/* The sign of |F(X^a)_0 - F(X^b)_0|^2 - target, or 2. */
static int sign_of(const attest_weights *weights, const attest_dataset *dataset, uint32_t a,
                   uint32_t b, const fmpq_t target, size_t max_terms)
{
    attest_softmax_limits limits = {ATTEST_CERTIFY_MAX_BITS, max_terms, NULL};
    attest_softmax_sum sum;
    int sign = 2;

    make_difference(&sum, weights, dataset, a, b);
    if (attest_softmax_sign(&sign, &sum, target, &limits) != ATTEST_SOFTMAX_NO_CAP)
        sign = 2;
    attest_softmax_sum_clear(&sum);
    return sign;
}

/* Returns whether F(X^a)_0 - F(X^b)_0 (F(X^a)_0 for b = a) plus a constant is found to vanish
 * for numerator / denominator and neither for 1 less nor for 1 more; for denominator 0, whether
 * it vanishes for none of the three numbers around the numerator. */
static bool vanishes_only_with(const attest_weights *weights, const attest_dataset *dataset,
                               uint32_t a, uint32_t b, long numerator, ulong denominator)
{
    attest_softmax_sum sum;
    bool ok;

    make_difference(&sum, weights, dataset, a, b);
    ok = attest_softmax_sum_reduce(&sum, NULL) == ATTEST_OK && fmpq_is_zero(sum.constant) &&
         attest_softmax_sum_vanishes(&sum) == 0;
    for (long more = -1; more <= 1; more++) {
        fmpq_set_si(sum.constant, numerator, denominator ? denominator : 1);
        fmpq_add_si(sum.constant, sum.constant, more);
        ok = ok && attest_softmax_sum_vanishes(&sum) == (more == 0 && denominator > 0);
    }
    attest_softmax_sum_clear(&sum);
    return ok;
}

static void test_separate(void)
{
    attest_weights two, three;
    attest_dataset dataset;
    fmpq_t target, tiny;
    size_t groups;

    attest_weights_init(&two), attest_weights_init(&three);
    attest_dataset_init(&dataset);
    fmpq_init(target), fmpq_init(tiny);
    TAP_OK(make_separate(&two, 2) && make_separate(&three, 3) && make_contexts(&dataset),
           "two heads, and a third that takes one away");
    TAP_OK(test(&two, &dataset, SPLIT, WHOLE, target, &groups) == ATTEST_ZERO_EQUAL &&
               groups == 3,
           "denominators that share factors");
    TAP_OK(sign_of(&two, &dataset, SPLIT, WHOLE, target, 1 << 22) == 0,
           "the sign of such a difference");
    TAP_OK(test(&two, &dataset, SPLIT, OTHER, target, &groups) == ATTEST_ZERO_DIFFERENT,
           "one value changed");
    TAP_OK(test(&two, &dataset, SPLIT, SWAPPED, target, &groups) == ATTEST_ZERO_EQUAL &&
               groups == 0,
           "heads that change places");
    TAP_OK(test(&three, &dataset, SPLIT, SWAPPED, target, &groups) == ATTEST_ZERO_DIFFERENT,
           "not where one of them is taken away");
    TAP_OK(test(&three, &dataset, WHOLE, OTHER, target, &groups) == ATTEST_ZERO_EQUAL &&
               groups == 0,
           "a changed value of a head that is taken away has no effect");
    TAP_OK(vanishes_only_with(&two, &dataset, WHOLE, SHIFTED, 4, 1) &&
               vanishes_only_with(&two, &dataset, WHOLE, HALVED, 1, 2),
           "fractions that share factors add up to -4 or -1/2, and a constant cancels that");
    TAP_OK(vanishes_only_with(&two, &dataset, SINGLE, SINGLE, -3, 0),
           "3/(1 + y) - 3 is not 0, though its first coefficient is");
    fmpq_set_si(target, 16, 1);
    TAP_OK(test(&two, &dataset, WHOLE, SHIFTED, target, &groups) == ATTEST_ZERO_EQUAL &&
               sign_of(&two, &dataset, WHOLE, SHIFTED, target, 1 << 22) == 0,
           "a distance of 4, exactly");
    fmpq_one(tiny);
    fmpq_div_2exp(tiny, tiny, 5000);
    fmpq_sub(target, target, tiny);
    TAP_OK(test(&two, &dataset, WHOLE, SHIFTED, target, &groups) == ATTEST_ZERO_DIFFERENT &&
               sign_of(&two, &dataset, WHOLE, SHIFTED, target, 1 << 22) == 1,
           "more than a little less than 4");
    fmpq_mul_2exp(tiny, tiny, 1);
    fmpq_add(target, target, tiny);
    TAP_OK(sign_of(&two, &dataset, WHOLE, SHIFTED, target, 1 << 22) == -1,
           "less than a little more than 4");
    TAP_OK(sign_of(&two, &dataset, WHOLE, SHIFTED, target, 3) == 2, "with enough terms");
    fmpq_clear(target), fmpq_clear(tiny);
    attest_weights_clear(&two), attest_weights_clear(&three);
    attest_dataset_clear(&dataset);
}

/* ----- differences far behind the leading terms ----- */

enum { KEYS = 40, STEP = 100 };

/* Two sequences of tokens (-100 j, j mod 7, 1) for j < KEYS - 1; the first has one more, with
 * the value 1. Under the first of the heads above the outputs differ by e^-3900 (1 + tiny). */
static bool make_deep(attest_dataset *dataset)
{
    double x[KEYS][DIM];
    attest_dataset_builder builder;
    bool ok = true;

    for (int j = 0; j < KEYS; j++) {
        x[j][0] = -STEP * j;
        x[j][1] = j == KEYS - 1 ? 1 : j % 7;
        x[j][2] = 1;
    }
    attest_dataset_builder_init(&builder, DIM, ATTEST_TABLE_REAL, NULL);
    for (size_t less = 0; ok && less < 2; less++)
        ok = attest_dataset_builder_add_sequences(&builder, x[0], 1, KEYS - less, NULL) ==
             ATTEST_OK;
    ok = ok && attest_dataset_builder_finish(dataset, &builder, NULL) == ATTEST_OK;
    attest_dataset_builder_clear(&builder);
    return ok;
}

/* near = e^-3900 (1 + 2^-40 side), a little less or more; square encloses e^-7800. */
static void get_near(fmpq_t near, arb_t square, int side)
{
    arb_t x, factor;

    arb_init(x), arb_init(factor);
    arb_set_si(x, -STEP * (KEYS - 1));
    arb_exp(x, x, 256);
    arb_sqr(square, x, 256);
    arb_set_si(factor, side);
    arb_mul_2exp_si(factor, factor, -40);
    arb_add_ui(factor, factor, 1, 256);
    arb_mul(x, x, factor, 256);
    arf_get_fmpq(near, arb_midref(x));
    arb_clear(x), arb_clear(factor);
}

/* Returns whether the ball is narrow, and within 2^-30 of the other one. */
static bool is_close(const arb_t ball, const arb_t other)
{
    bool is;
    arb_t ratio;

    arb_init(ratio);
    arb_div(ratio, ball, other, 128);
    arb_sub_ui(ratio, ratio, 1, 128);
    arb_abs(ratio, ratio);
    arb_mul_2exp_si(ratio, ratio, 30);
    arb_sub_ui(ratio, ratio, 1, 128);
    is = arb_is_negative(ratio);
    arb_clear(ratio);
    return is;
}

static void test_deep(const attest_weights *one)
{
    const attest_softmax_limits limits = {ATTEST_CERTIFY_MAX_BITS, ATTEST_CERTIFY_MAX_TERMS,
                                          NULL};
    attest_dataset dataset;
    attest_recheck check;
    attest_softmax_sum sum;
    fmpq_t near, bound;
    arb_t square, found;

    attest_dataset_init(&dataset);
    fmpq_init(near), fmpq_init(bound), arb_init(square), arb_init(found);
    if (!make_deep(&dataset) || attest_recheck_init(&check, &dataset, one, NULL) != ATTEST_OK)
        abort();
    TAP_OK(sign_of(one, &dataset, 0, 1, bound, limits.terms) == 1 &&
               attest_recheck_order(&check, 0, KEYS, bound, limits.bits) == 1,
           "the last key, e^-3900, makes a difference");
    for (int side = -1; side <= 1; side += 2) {
        get_near(near, square, side);
        fmpq_mul(bound, near, near);
        TAP_OK(sign_of(one, &dataset, 0, 1, bound, limits.terms) == -side,
               "that is %s than this", side < 0 ? "more" : "less");
        TAP_OK(attest_recheck_order(&check, 0, KEYS, near, limits.bits) == -side,
               "also on the second route");
    }
    make_difference(&sum, one, &dataset, 0, 1);
    TAP_OK(attest_softmax_enclose(found, &sum, 64, &limits) == ATTEST_SOFTMAX_NO_CAP &&
               is_close(found, square),
           "its square is known relative to its size");
    TAP_OK(attest_recheck_square(found, &check, 0, KEYS, 64, limits.bits) &&
               is_close(found, square),
           "also on the second route");
    attest_softmax_sum_clear(&sum);
    attest_recheck_clear(&check);
    attest_dataset_clear(&dataset);
    fmpq_clear(near), fmpq_clear(bound), arb_clear(square), arb_clear(found);
}

TEST(zero_test)
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
    TAP_OK(reduced(&one, &dataset, 0, 1) == 0, "reduced, they are equal and cancel");
    TAP_OK(test(&one, &dataset, 0, 2, target, &groups) == ATTEST_ZERO_DIFFERENT,
           "one value changed");
    TAP_OK(test(&one, &dataset, 0, 0, target, &groups) == ATTEST_ZERO_DIFFERENT,
           "a norm that is not zero");
    fmpq_set_si(target, 49, 4);
    TAP_OK(test(&one, &dataset, 3, 3, target, &groups) == ATTEST_ZERO_EQUAL && groups == 0,
           "a norm of 7/2, exactly");
    fmpq_set_si(target, 49, 5);
    TAP_OK(test(&one, &dataset, 3, 3, target, &groups) == ATTEST_ZERO_DIFFERENT,
           "a norm that differs from the target");
    fmpq_set_si(target, 1, 1);
    TAP_OK(test(&one, &dataset, 0, 1, target, &groups) == ATTEST_ZERO_DIFFERENT,
           "a distance of 0 is not 1, by squares");
    fmpq_zero(target);
    TAP_OK(test(&many, &dataset, 0, 2, target, &groups) == ATTEST_ZERO_DIFFERENT,
           "many heads: a difference is seen at any size");
    TAP_OK(test(&many, &dataset, 0, 1, target, &groups) == ATTEST_ZERO_EQUAL,
           "many heads: fractions reduce to the same ones");
    test_deep(&one);
    test_modular(&one, &dataset);
    fmpq_clear(target);
    attest_weights_clear(&one);
    attest_weights_clear(&many);
    attest_dataset_clear(&dataset);
    test_separate();
    flint_cleanup();
    return 0;
}
