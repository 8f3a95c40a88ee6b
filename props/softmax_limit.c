/* softmax_limit.c -- softmax tends to hardmax as the temperature falls. */
#include <math.h>

#include "campaign/gen.h"
#include "campaign/label.h"
#include "number/scope.h"
#include "props/probabilities.h"
#include "props/properties.h"
#include "props/statement.h"

static const attest_hypothesis hypotheses[] = {
    {"temperature", "tau > 0"},
    {0},
};

const attest_statement attest_statement_softmax_limit = {
    .name = "softmax_limit",
    .title = "Softmax tends to hardmax as the temperature falls",
    .source = "our own",
    .text = "|softmax(s/tau) - hardmax(s)|_1 <= 2 (n - m) e^{-gamma/tau} / m for m maximisers "
            "(uniform ties) of n scores and the gap gamma from the maximum to the next score; "
            "strictly unless m = n, where both sides are 0.",
    .hypotheses = hypotheses,
    .decided_by = "balls",
    .note = "proofs-notes/softmax_limit.md",
};

enum { BITS = 128, MOST_BITS = 1 << 14, RANGE = 200 };

static attest_status gen(attest_instance *instance, struct theft *t,
                         const attest_setting *setting)
{
    static const attest_gen_sequences kind = {
        .count_min = 1, .count_max = 1, .length_min = 1, .length_max = 8, .repeats = true};

    (void)setting;
    /* 1/4 .. 8: a range of RANGE is at most 4 RANGE then. */
    fmpq_set_si(attest_instance_set(instance, "tau"), 1 + (slong)theft_random_choice(t, 8), 1);
    if (attest_gen_rarely(t, 2))
        fmpq_div_2exp(attest_instance_set(instance, "tau"),
                      attest_instance_set(instance, "tau"), 2);
    return attest_gen_scores(&instance->dataset, t, &kind, RANGE);
}

/* The data of the statement: score[i] = s_i/tau, their number, m and gamma/tau. */
typedef struct scores {
    fmpq *score, *hard;
    size_t count, winners;
    fmpq_t gap;
} scores;

static void scores_init(scores *s, const attest_instance *instance)
{
    const attest_dataset *dataset = &instance->dataset;

    s->count = attest_dataset_length(dataset, 0);
    s->winners = 0;
    s->score = _fmpq_vec_init((slong)s->count), s->hard = _fmpq_vec_init((slong)s->count);
    fmpq_init(s->gap);
    attest_scores_get(s->score, dataset, 0);
    for (size_t i = 0; i < s->count; i++)
        fmpq_div(s->score + i, s->score + i, attest_instance_get(instance, "tau"));
}

static void scores_clear(scores *s)
{
    _fmpq_vec_clear(s->score, (slong)s->count), _fmpq_vec_clear(s->hard, (slong)s->count);
    fmpq_clear(s->gap);
}

/* m and the gap, from the definition. */
static void find_winners(scores *s)
{
    const fmpq *most = s->score;
    bool any = false;
    FMPQ(depth);

    for (size_t i = 1; i < s->count; i++)
        if (fmpq_cmp(s->score + i, most) > 0)
            most = s->score + i;
    for (size_t i = 0; i < s->count; i++) {
        fmpq_sub(depth, most, s->score + i);
        if (fmpq_is_zero(depth))
            s->winners++;
        else if (!any || fmpq_cmp(depth, s->gap) < 0) {
            fmpq_set(s->gap, depth);
            any = true;
        }
    }
}

/* distance = |softmax - hardmax|_1, bound = 2 (n - m) e^-gap / m. */
static attest_status get_sides(arb_t distance, arb_t bound, const scores *s, long bits,
                               attest_error *error)
{
    ARB_VEC(p, (slong)s->count);
    ARB(x);

    ATTEST_TRY(attest_probabilities_softmax(p, s->score, s->count, bits, error));
    arb_zero(distance);
    for (size_t i = 0; i < s->count; i++) {
        arb_set_fmpq(x, s->hard + i, bits);
        arb_sub(x, p + i, x, bits);
        arb_abs(x, x);
        arb_add(distance, distance, x, bits);
    }
    arb_set_fmpq(x, s->gap, bits);
    arb_neg(x, x);
    arb_exp(bound, x, bits);
    arb_mul_ui(bound, bound, 2 * (s->count - s->winners), bits);
    arb_div_ui(bound, bound, s->winners, bits);
    return ATTEST_OK;
}

static double log2_ratio(const arb_t high, const arb_t low)
{
    ARB(ratio);

    arb_div(ratio, high, low, BITS);
    arb_log_base_ui(ratio, ratio, 2, BITS);
    return arf_get_d(arb_midref(ratio), ARF_RND_NEAR);
}

static attest_status compare(attest_trial *trial, const scores *s, attest_error *error)
{
    ARB(distance, bound);

    attest_trial_open(trial, "not decided at %d bits", MOST_BITS);
    for (long bits = BITS; trial->outcome == ATTEST_OPEN && bits <= MOST_BITS; bits *= 2) {
        ATTEST_TRY(get_sides(distance, bound, s, bits, error));
        if (s->winners == s->count) {
            if (arb_contains_zero(distance))
                trial->outcome = ATTEST_HELD;
            else
                attest_trial_violated(trial, "softmax_limit",
                                      "all scores agree, but softmax is "
                                      "not hardmax");
        } else if (arb_lt(distance, bound)) {
            trial->outcome = ATTEST_HELD;
            trial->margin = log2_ratio(bound, distance);
        } else if (arb_ge(distance, bound)) {
            attest_trial_violated(trial, "softmax_limit", "softmax is further from hardmax");
            trial->margin = fmin(log2_ratio(bound, distance), -0x1p-1022);
        }
    }
    return ATTEST_OK;
}

static attest_status decide(attest_trial *trial, const attest_instance *instance,
                            const attest_setting *setting, attest_error *error)
{
    const fmpq *tau = attest_instance_get(instance, "tau");

    (void)setting;
    if (instance->dataset.count != 1 || instance->dataset.dim != 1 || !tau ||
        fmpq_sgn(tau) <= 0) {
        trial->outcome = ATTEST_DISCARDED;
        return ATTEST_OK;
    }
    ATTEST_SCOPED(scores, s, instance);
    find_winners(&s);
    if (s.winners == s.count)
        attest_trial_label(trial, "all scores agree");
    else if (s.winners > 1)
        attest_trial_label(trial, "tie");
    attest_trial_label_dataset(trial, &instance->dataset);
    ATTEST_TRY(attest_probabilities_hardmax(s.hard, s.score, s.count, error));
    return compare(trial, &s, error);
}

const attest_property attest_property_softmax_limit = {
    .name = "softmax_limit",
    .title = "the distance from softmax to hardmax is below its bound",
    .statement = "softmax_limit",
    .gen = gen,
    .decide = decide,
    .targeted = true,
    .trials = 5000,
};
