/* softmax_range.c -- softmax weights of scores within a range. */
#include <math.h>

#include "campaign/gen.h"
#include "campaign/label.h"
#include "number/scope.h"
#include "props/probabilities.h"
#include "props/properties.h"
#include "props/statement.h"

const attest_statement attest_statement_softmax_range = {
    .name = "softmax_range",
    .title = "Softmax weights of scores within a range",
    .source = "our own",
    .text =
        "n scores within a range D = max - min give weights in [e^{-D}/n, e^{D}/n]; strictly "
        "inside unless D = 0, where all weights are 1/n.",
    .decided_by = "balls",
    .note = "proofs-notes/softmax_range.md",
};

enum { BITS = 128, MOST_BITS = 1 << 14, RANGE = 200 };

static attest_status gen(attest_instance *instance, struct theft *t,
                         const attest_setting *setting)
{
    static const attest_gen_sequences kind = {
        .count_min = 1, .count_max = 1, .length_min = 1, .length_max = 8, .repeats = true};

    (void)setting;
    return attest_gen_scores(&instance->dataset, t, &kind, RANGE);
}

static void get_range(fmpq_t range, const fmpq *score, size_t count)
{
    const fmpq *low = score, *high = score;

    for (size_t i = 1; i < count; i++) {
        low = fmpq_cmp(score + i, low) < 0 ? score + i : low;
        high = fmpq_cmp(score + i, high) > 0 ? score + i : high;
    }
    fmpq_sub(range, high, low);
}

/* The least of log2(p_i / (e^-D / n)) and log2((e^D / n) / p_i) over all i, enclosed: positive
 * iff all weights are strictly inside. */
static void get_margin(arb_t margin, arb_srcptr p, size_t count, const fmpq_t range, long bits)
{
    ARB(d, x, n);

    arb_set_fmpq(d, range, bits);
    arb_set_ui(n, count);
    arb_log(n, n, bits);
    arb_pos_inf(margin);
    for (size_t i = 0; i < count; i++) {
        arb_log(x, p + i, bits);
        arb_add(x, x, n, bits); /* log(n p_i), which must lie between -D and D */
        arb_abs(x, x);
        arb_sub(x, d, x, bits);
        arb_min(margin, margin, x, bits);
    }
    arb_const_log2(x, bits);
    arb_div(margin, margin, x, bits);
}

static attest_status compare(attest_trial *trial, const fmpq *score, size_t count,
                             attest_error *error)
{
    ARB_VEC(p, (slong)count);
    ARB(margin);
    FMPQ(range);

    get_range(range, score, count);
    attest_trial_open(trial, "not decided at %d bits", MOST_BITS);
    for (long bits = BITS; trial->outcome == ATTEST_OPEN && bits <= MOST_BITS; bits *= 2) {
        ATTEST_TRY(attest_probabilities_softmax(p, score, count, bits, error));
        get_margin(margin, p, count, range, bits);
        if (fmpq_is_zero(range) ? arb_contains_zero(margin) : arb_is_positive(margin))
            trial->outcome = ATTEST_HELD;
        else if (fmpq_is_zero(range) || arb_is_nonpositive(margin))
            attest_trial_violated(trial, "softmax_range", "a weight is outside");
        if (trial->outcome != ATTEST_OPEN && !fmpq_is_zero(range))
            trial->margin = arf_get_d(arb_midref(margin), ARF_RND_NEAR);
    }
    return ATTEST_OK;
}

static attest_status decide(attest_trial *trial, const attest_instance *instance,
                            const attest_setting *setting, attest_error *error)
{
    (void)setting;
    if (instance->dataset.count != 1 || instance->dataset.dim != 1) {
        trial->outcome = ATTEST_DISCARDED;
        return ATTEST_OK;
    }
    size_t count = attest_dataset_length(&instance->dataset, 0);
    FMPQ_VEC(score, (slong)count);
    attest_scores_get(score, &instance->dataset, 0);
    attest_trial_label_dataset(trial, &instance->dataset);
    return compare(trial, score, count, error);
}

const attest_property attest_property_softmax_range = {
    .name = "softmax_range",
    .title = "the weights of scores within a range are within theirs",
    .statement = "softmax_range",
    .gen = gen,
    .decide = decide,
    .targeted = true,
    .trials = 5000,
};
