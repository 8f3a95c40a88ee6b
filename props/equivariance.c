/* equivariance.c -- permutation equivariance, shift invariance, streaming. */
#include <attest/attention.h>

#include "campaign/gen.h"
#include "campaign/label.h"
#include "number/scope.h"
#include "props/oracle.h"
#include "props/registry.h"
#include "props/transform.h"

/* x = e^{a - b}. */
static void exp_difference(arb_t x, const fmpq_t a, const fmpq_t b, long bits)
{
    FMPQ(difference);

    fmpq_sub(difference, a, b);
    arb_set_fmpq(x, difference, bits);
    arb_exp(x, x, bits);
}

/* Entry c of what head h adds. */
static void stream_head(arb_t mean, const attest_oracle *oracle, size_t h, attest_place place,
                        size_t c, long bits)
{
    const fmpq *most = attest_oracle_score(oracle, h, place, 0);
    ARB(total, sum, factor, x);

    arb_one(total);
    arb_set_fmpq(sum, attest_oracle_value(oracle, h, place, 0, c), bits);
    for (size_t j = 1; j < attest_oracle_seen(oracle, place); j++) {
        const fmpq *score = attest_oracle_score(oracle, h, place, j);
        arb_set_fmpq(x, attest_oracle_value(oracle, h, place, j, c), bits);
        if (fmpq_cmp(score, most) > 0) {
            exp_difference(factor, most, score, bits);
            arb_mul(total, total, factor, bits);
            arb_mul(sum, sum, factor, bits);
            arb_add_ui(total, total, 1, bits);
            arb_add(sum, sum, x, bits);
            most = score;
        } else {
            exp_difference(factor, score, most, bits);
            arb_add(total, total, factor, bits);
            arb_addmul(sum, x, factor, bits);
        }
    }
    arb_div(mean, sum, total, bits);
}

/* out encloses the output at a place, computed in one pass over the keys: for each head S = sum
 * e^{a_j - m} and the sum of the values with these weights, m being the largest score so far; a
 * larger score m' rescales both by e^{m - m'}. Domain: softmax. */
static void stream_softmax(arb_ptr out, const attest_oracle *oracle, attest_place place,
                           long bits)
{
    FMPQ(skip);
    ARB(mean);

    for (size_t c = 0; c < oracle->dataset->dim; c++) {
        attest_oracle_skip(skip, oracle, place, c);
        arb_set_fmpq(out + c, skip, bits);
        for (size_t h = 0; h < oracle->weights->heads; h++) {
            stream_head(mean, oracle, h, place, c, bits);
            arb_add(out + c, out + c, mean, bits);
        }
    }
}

/* out = the output at a place, in one pass: a larger score restarts the sum, an equal one is
 * added (uniform ties) or skipped (leftmost). Domain: hardmax. */
static void stream_hardmax(fmpq *out, const attest_oracle *oracle, attest_place place)
{
    bool leftmost = oracle->weights->ties == ATTEST_TIES_LEFTMOST;
    FMPQ(sum, winners);

    for (size_t c = 0; c < oracle->dataset->dim; c++) {
        attest_oracle_skip(out + c, oracle, place, c);
        for (size_t h = 0; h < oracle->weights->heads; h++) {
            const fmpq *most = attest_oracle_score(oracle, h, place, 0);
            fmpq_one(winners);
            fmpq_set(sum, attest_oracle_value(oracle, h, place, 0, c));
            for (size_t j = 1; j < attest_oracle_seen(oracle, place); j++) {
                const fmpq *score = attest_oracle_score(oracle, h, place, j);
                int order = fmpq_cmp(score, most);
                if (order > 0) {
                    most = score;
                    fmpq_one(winners);
                    fmpq_set(sum, attest_oracle_value(oracle, h, place, j, c));
                } else if (order == 0 && !leftmost) {
                    fmpq_add_si(winners, winners, 1);
                    fmpq_add(sum, sum, attest_oracle_value(oracle, h, place, j, c));
                }
            }
            fmpq_div(sum, sum, winners);
            fmpq_add(out + c, out + c, sum);
        }
    }
}

static const attest_hypothesis hypotheses[] = {
    {"no-mask", "no causal mask"},
    {"uniform-ties", "ties are shared, or there are none"},
    {0},
};

const attest_statement attest_statement_equivariance = {
    .name = "equivariance",
    .title = "Permutation equivariance, shift invariance, streaming",
    .source = "folklore",
    .text =
        "Permuting the tokens permutes the outputs of attention without a mask; adding a "
        "constant to all scores of a query changes nothing; streaming attention, which sees "
        "one key after another and keeps a running maximum, total and sum, is attention. "
        "(The last two hold under a mask and for leftmost ties, too.)",
    .hypotheses = hypotheses,
    .decided_by = "exact arithmetic for hardmax, balls for softmax",
    .note = "proofs-notes/equivariance.md",
};

enum { BITS = 128 };

static const attest_gen_layer kind = {
    .tokens = {.dim_max = 3, .count_min = 2, .count_max = 6, .zero = true, .decades = 40},
    .sequences = {.count_min = 1,
                  .count_max = 2,
                  .length_min = 1,
                  .length_max = 6,
                  .repeats = true,
                  .shared = true},
    .heads = {.heads_max = 3,
              .size_max = 3,
              .decades = 40,
              .score_limit = 100,
              .gaps = ATTEST_GEN_HUGE},
    .simple = true,
};

static attest_status gen(attest_instance *instance, struct theft *t,
                         const attest_setting *setting)
{
    attest_weights *weights = &instance->weights;

    attest_gen_rational(attest_instance_set(instance, "shift"), t, 8);
    if (attest_setting_drops(setting, "no-mask"))
        weights->mask = ATTEST_MASK_CAUSAL;
    if (attest_setting_drops(setting, "uniform-ties"))
        weights->ties = ATTEST_TIES_LEFTMOST;
    return attest_gen_data_and_weights(instance, t, &kind);
}

/* The outputs of one sequence, exact or enclosed. */
typedef struct outputs {
    size_t count;
    fmpq *exact;  /* hardmax */
    arb_ptr ball; /* softmax */
} outputs;

static attest_status outputs_init(outputs *out, const attest_weights *weights,
                                  const attest_dataset *dataset, size_t i, attest_error *error)
{
    ATTEST_SCOPED(attest_sequence, sequence);

    out->count = attest_dataset_length(dataset, i) * dataset->dim;
    out->exact = _fmpq_vec_init((slong)out->count);
    out->ball = _arb_vec_init((slong)out->count);
    ATTEST_TRY(attest_dataset_get_sequence(&sequence, dataset, i, NULL, error));
    return weights->activation == ATTEST_HARDMAX
               ? attest_attention_exact(out->exact, weights, &sequence, error)
               : attest_attention_ball(out->ball, weights, &sequence, BITS, error);
}

static void outputs_clear(outputs *out)
{
    _fmpq_vec_clear(out->exact, (slong)out->count);
    _arb_vec_clear(out->ball, (slong)out->count);
}

/* Entry a of x and entry b of y are equal, or (softmax) not known to differ. */
static bool same(const attest_weights *weights, const outputs *x, size_t a, const outputs *y,
                 size_t b)
{
    return weights->activation == ATTEST_HARDMAX ? fmpq_equal(x->exact + a, y->exact + b)
                                                 : arb_overlaps(x->ball + a, y->ball + b);
}

static void fail(attest_trial *trial, size_t i, size_t k, const char *what)
{
    attest_trial_violated(trial, "equivariance", "token %zu of sequence %zu: %s", k, i, what);
    trial->has_pair = true;
    trial->pair[0] = trial->pair[1] = (attest_place){i, k};
}

/* The tokens in reverse order: the outputs in reverse order. */
static attest_status check_permutation(attest_trial *trial, const attest_instance *instance,
                                       const outputs *before, size_t i, attest_error *error)
{
    const attest_weights *weights = &instance->weights;
    size_t dim = instance->dataset.dim, length = attest_dataset_length(&instance->dataset, i);
    outputs after ATTEST_CLEARED_BY(outputs_clear) = {0};
    ATTEST_SCOPED(attest_dataset, changed);

    ATTEST_TRY(attest_transform_rearrange(&changed, &instance->dataset, ATTEST_REVERSE_TOKENS));
    ATTEST_TRY(outputs_init(&after, weights, &changed, i, error));
    for (size_t j = 0; j < before->count; j++)
        if (!same(weights, before, j, &after, (length - 1 - j / dim) * dim + j % dim))
            fail(trial, i, j / dim, "the output changes when the tokens are reversed");
    return ATTEST_OK;
}

/* All scores of a query shifted by the same amount. */
static attest_status check_shift(attest_trial *trial, const attest_instance *instance,
                                 const outputs *before, size_t i, attest_error *error)
{
    size_t dim = instance->dataset.dim;
    attest_token_change change = {.homogeneous = true};
    outputs after ATTEST_CLEARED_BY(outputs_clear) = {0};
    ATTEST_SCOPED(attest_dataset, changed);
    ATTEST_SCOPED(attest_weights, shifted);

    ATTEST_TRY(attest_transform_dataset(&changed, &instance->dataset, &change));
    ATTEST_TRY(attest_transform_copy_weights(&shifted, &instance->weights));
    attest_transform_shift_weights(&shifted, attest_instance_get(instance, "shift"));
    ATTEST_TRY(outputs_init(&after, &shifted, &changed, i, error));
    for (size_t j = 0; j < before->count; j++)
        if (!same(&shifted, before, j, &after, j / dim * (dim + 1) + j % dim))
            fail(trial, i, j / dim, "the output changes when the scores are shifted");
    return ATTEST_OK;
}

/* The outputs from one pass over the keys. */
static void check_stream(attest_trial *trial, const attest_oracle *oracle,
                         const outputs *before, size_t i)
{
    size_t dim = oracle->dataset->dim;
    FMPQ_VEC(exact, (slong)dim);
    ARB_VEC(ball, (slong)dim);
    outputs after = {.count = dim, .exact = exact, .ball = ball};

    for (size_t k = 0; k < attest_dataset_length(oracle->dataset, i); k++) {
        if (oracle->weights->activation == ATTEST_HARDMAX)
            stream_hardmax(exact, oracle, (attest_place){i, k});
        else
            stream_softmax(ball, oracle, (attest_place){i, k}, BITS);
        for (size_t c = 0; c < dim; c++)
            if (!same(oracle->weights, before, k * dim + c, &after, c))
                fail(trial, i, k, "streaming gives another output");
    }
}

static attest_status check_sequence(attest_trial *trial, const attest_instance *instance,
                                    const attest_oracle *oracle, size_t i, attest_error *error)
{
    outputs before ATTEST_CLEARED_BY(outputs_clear) = {0};

    ATTEST_TRY(outputs_init(&before, &instance->weights, &instance->dataset, i, error));
    ATTEST_TRY(check_permutation(trial, instance, &before, i, error));
    ATTEST_TRY(check_shift(trial, instance, &before, i, error));
    check_stream(trial, oracle, &before, i);
    return ATTEST_OK;
}

static bool meets_hypotheses(const attest_instance *instance, const attest_setting *setting)
{
    const attest_weights *weights = &instance->weights;

    return attest_instance_fits(instance) && attest_instance_get(instance, "shift") &&
           (weights->mask == ATTEST_MASK_NONE || attest_setting_drops(setting, "no-mask")) &&
           (weights->activation == ATTEST_SOFTMAX || weights->ties == ATTEST_TIES_UNIFORM ||
            attest_setting_drops(setting, "uniform-ties"));
}

static attest_status decide(attest_trial *trial, const attest_instance *instance,
                            const attest_setting *setting, attest_error *error)
{
    if (!meets_hypotheses(instance, setting)) {
        trial->outcome = ATTEST_DISCARDED;
        return ATTEST_OK;
    }
    attest_trial_label_layer(trial, instance);
    attest_oracle oracle ATTEST_CLEARED_BY(attest_oracle_clear);
    ATTEST_TRY(attest_oracle_init(&oracle, &instance->dataset, &instance->weights));
    for (size_t i = 0; i < instance->dataset.count; i++)
        ATTEST_TRY(check_sequence(trial, instance, &oracle, i, error));
    return ATTEST_OK;
}

static const attest_droppable droppable[] = {{"no-mask", true}, {"uniform-ties", true}, {0}};

const attest_property attest_property_equivariance = {
    .name = "equivariance",
    .title = "permuted tokens, shifted scores, streamed keys",
    .statement = "equivariance",
    .gen = gen,
    .decide = decide,
    .coverage = attest_coverage_layers,
    .droppable = droppable,
    .trials = 3000,
};
