/* Everything that is decidable is decided: claims about layers of hostile magnitudes, with
 * bounds at, just below and just above the truth, against the oracle of tests/ref/truth.h. */
#include <attest/certify.h>

#include "recheck/exp_sum.h"
#include "recheck/recheck.h"
#include "tests/forge/alter.h"
#include "tests/forge/instance.h"
#include "tests/tap.h"

#ifndef INSTANCES
#define INSTANCES 120
#endif

/* Returns whether every required pair is more than delta apart, and every norm below r if there
 * is one. */
static bool is_true(const ref_truth *truth, const attest_claim *claim)
{
    size_t n = truth->positions;

    for (size_t a = 0; a < n; a++) {
        if (claim->has_r && ref_square_compare(&truth->norm[a], claim->r) >= 0)
            return false;
        for (size_t b = a + 1; b < n; b++)
            if (truth->required[a * n + b] &&
                ref_square_compare(ref_truth_separation(truth, a, b), claim->delta) <= 0)
                return false;
    }
    return true;
}

static void choose_bounds(attest_claim *claim, const forge_context *context)
{
    if (context->truth->required_pairs && forge_below(context->state, 4))
        forge_near(claim->delta,
                   ref_truth_separation(context->truth, context->least[0], context->least[1]),
                   (int)forge_below(context->state, 3) - 1, context->state);
    claim->has_r = forge_below(context->state, 2);
    if (claim->has_r)
        forge_near(claim->r, &context->truth->norm[context->largest],
                   (int)forge_below(context->state, 3) - 1, context->state);
}

/* The comparisons of the second route at bounds near every norm and separation; returns how
 * many are wrong or open. */
static long compare_all(const forge_instance *instance, const forge_context *context)
{
    const ref_truth *truth = context->truth;
    attest_recheck check;
    long wrong = 0;
    fmpq_t x;

    if (instance->weights.activation != ATTEST_SOFTMAX)
        return 0;
    if (attest_recheck_init(&check, &instance->dataset, &instance->weights, NULL) != ATTEST_OK)
        abort();
    fmpq_init(x);
    for (size_t a = 0; a < truth->positions; a++)
        for (size_t b = a; b < truth->positions; b++) {
            const ref_square *square = &truth->norm[a];
            if (b != a && !truth->required[a * truth->positions + b])
                continue;
            if (b != a)
                square = ref_truth_separation(truth, a, b);
            forge_near(x, square, (int)forge_below(context->state, 3) - 1, context->state);
            wrong += attest_recheck_order(&check, a, b, x, ATTEST_CERTIFY_MAX_BITS) !=
                     ref_square_compare(square, x);
        }
    fmpq_clear(x);
    attest_recheck_clear(&check);
    return wrong;
}

/* One instance; counts[verdict] grows. Whether the verdict is right and not open. */
static bool decide(uint64_t *state, long counts[3], long *second)
{
    forge_instance instance;
    forge_context context = {.state = state};
    attest_finding finding;
    attest_claim claim;
    ref_truth truth;
    bool right;

    forge_instance_init(&instance, state);
    ref_truth_init(&truth, &instance.dataset, &instance.weights);
    context.dataset = &instance.dataset;
    context.truth = &truth;
    context.largest = ref_truth_largest(&truth);
    ref_truth_least(&context.least[0], &context.least[1], &truth);
    attest_claim_init(&claim);
    attest_finding_init(&finding);
    claim.dataset = &instance.dataset;
    claim.weights = &instance.weights;
    choose_bounds(&claim, &context);
    right = attest_certify(&finding, &claim, NULL) == ATTEST_OK &&
            finding.verdict == (is_true(&truth, &claim) ? ATTEST_PROVED : ATTEST_REFUTED);
    counts[finding.verdict]++;
    *second += compare_all(&instance, &context);
    attest_finding_clear(&finding);
    attest_claim_clear(&claim);
    ref_truth_clear(&truth);
    forge_instance_clear(&instance);
    return right;
}

/* (1 + w^3)^2, truncated after w^4: the remainder contains w^6. */
static void check_cut(void)
{
    attest_recheck_cut cut = {.whole = false, .most = 100};
    attest_recheck_sum sum, square;
    fmpz_t depth, one;

    fmpz_init_set_ui(cut.depth, 4);
    fmpz_init(depth), fmpz_init_set_ui(one, 1);
    attest_recheck_sum_init(&sum), attest_recheck_sum_init(&square);
    attest_recheck_sum_push(&sum, depth, one, &cut);
    fmpz_set_ui(depth, 3);
    attest_recheck_sum_push(&sum, depth, one, &cut);
    attest_recheck_sum_collect(&sum, &cut);
    attest_recheck_sum_addmul(&square, &sum, &sum, &cut);
    TAP_OK(square.count == 2 && fmpz_equal_ui(&square.rest, 1) && fmpz_is_zero(&sum.rest),
           "what a product leaves out is bounded");
    attest_recheck_sum_clear(&sum), attest_recheck_sum_clear(&square);
    fmpz_clear(depth), fmpz_clear(one), fmpz_clear(cut.depth);
}

TEST(decide)
{
    uint64_t seed = tap_seed(0xdec1de);
    long wrong = 0, second = 0, counts[3] = {0};

    for (long i = 0; i < INSTANCES && wrong < 10; i++) {
        uint64_t own = seed + (uint64_t)i * 0x1000003, state = own;
        if (!decide(&state, counts, &second)) {
            wrong++;
            printf("# instance 0: ATTEST_SEED=0x%llx\n", (unsigned long long)own);
        }
    }
    printf("# %ld proved, %ld refuted\n", counts[ATTEST_PROVED], counts[ATTEST_REFUTED]);
    TAP_OK(wrong == 0, "%ld of %d verdicts are wrong or open", wrong, INSTANCES);
    TAP_OK(second == 0, "%ld comparisons of the second route are", second);
    TAP_OK(counts[ATTEST_UNDECIDED] == 0, "%ld are open", counts[ATTEST_UNDECIDED]);
    TAP_OK(counts[ATTEST_PROVED] > INSTANCES / 10 && counts[ATTEST_REFUTED] > INSTANCES / 10,
           "both verdicts occur");
    check_cut();
    flint_cleanup();
    return 0;
}
