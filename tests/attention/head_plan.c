/* Where the exact systems cut the products of a head. */
#include "attention/head_plan.h"
#include "tests/ref/cases.h"
#include "tests/tap.h"

/* Plans of a head of the given shape, in which the named matrices (of "qkvo") are u v^T;
 * narrowest: the entries that are averaged where they are fewest. */
static bool plan_is(size_t d, size_t s, const char *factored, size_t score_width,
                    size_t value_width, size_t output_factors, size_t narrowest)
{
    uint64_t state = 1;
    ref_shape shape = {1, d, s, 1, 4, 5, false};
    ref_case test;
    attest_head_plan plan;
    bool ok;

    ref_case_init(&test, &shape, &state);
    attest_head *head = &test.weights.head[0];
    for (; *factored; factored++) {
        attest_matrix *m = *factored == 'q'   ? &head->wq
                           : *factored == 'k' ? &head->wk
                           : *factored == 'v' ? &head->wv
                                              : &head->wo;
        attest_matrix_resize_factored(m, m->rows, m->cols);
    }
    attest_head_plan_folded(&plan, head);
    ok = plan.score_width == score_width && plan.value_width == value_width &&
         plan.output.count == output_factors;
    attest_head_plan_narrow(&plan, head);
    ok = ok && plan.score_width == score_width && plan.value_width == narrowest;
    attest_head_plan_as_written(&plan, head);
    ok = ok && plan.score_width == s && plan.value_width == s && plan.output.count > 0;
    ref_case_clear(&test);
    return ok;
}

TEST(head_plan)
{
    TAP_OK(plan_is(5, 3, "", 3, 5, 0, 3),
           "dense, s < d: scores at s, W_O W_V applied to tokens");
    TAP_OK(plan_is(3, 5, "", 3, 3, 0, 3), "dense, s > d: scores at d");
    TAP_OK(plan_is(5, 3, "q", 1, 5, 0, 3), "rank-1 W_Q: a score is one product");
    TAP_OK(plan_is(5, 3, "k", 1, 5, 0, 3), "rank-1 W_K: a score is one product");
    TAP_OK(plan_is(5, 3, "v", 3, 1, 2, 1),
           "rank-1 W_V: one number is averaged, u and W_O follow");
    TAP_OK(plan_is(5, 3, "o", 3, 1, 1, 1), "rank-1 W_O: one number is averaged, u follows");
    TAP_OK(plan_is(5, 3, "qkvo", 1, 1, 3, 1), "all of rank 1");
    TAP_OK(plan_is(1, 4, "vo", 1, 1, 0, 1), "d = 1: everything is applied to the tokens");
    flint_cleanup();
    return 0;
}
