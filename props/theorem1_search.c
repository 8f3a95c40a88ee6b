/* theorem1_search.c -- hardmax attention is defeated by random data: Theorem 1, found by
 * search.
 *
 * Nothing of the universal pair is built in: tokens, weights and sizes are drawn, and the
 * search must come across sequences that the layer confuses, and shrink them. */
#include "campaign/gen.h"
#include "campaign/label.h"
#include "number/rationals.h"
#include "number/scope.h"
#include "props/oracle.h"
#include "props/properties.h"
#include "props/verdicts.h"

static const attest_gen_layer kind = {
    .tokens = {.dim_max = 3, .count_min = 3, .count_max = 8},
    .sequences = {.count_min = 2,
                  .count_max = 3,
                  .length_min = 2,
                  .length_max = 6,
                  .equal_lengths = true},
    .heads = {.heads_max = 4, .size_max = 3, .nonzero = true, .plain = true},
    .activation = ATTEST_GEN_HARDMAX,
    .simple = true,
};

/* For given weights, whose dimension may be large: tokens that need few draws, so that they can
 * be shrunk. Small multiples of a short vector, or, a quarter of them, short fractions. */
static void gen_tokens(attest_vocabulary *v, struct theft *t)
{
    bool line = !attest_gen_rarely(t, 4), zero = true;
    fmpq *u = v->entry;
    slong multiple = 0;

    for (size_t e = 0; e < (line ? v->dim : v->count * v->dim); e++) {
        slong p = attest_gen_integer(t, 6);

        fmpq_set_si(v->entry + e, p, 1 + attest_gen_size(t, 0, 2));
        zero = zero && p == 0;
    }
    if (line && zero)
        fmpq_one(u);
    for (size_t i = v->count; i-- > 0;) { /* the first token, u, last */
        fmpq *token = v->entry + i * v->dim;

        if (line) {
            multiple += 1 + (slong)attest_gen_size(t, 0, 2);
            FMPQ(factor);
            fmpq_set_si(factor, multiple, 1);
            for (size_t c = 0; c < v->dim; c++)
                fmpq_mul(token + c, u + c, factor);
        } else { /* different first entries, none of them zero */
            fmpq_set_si(token, (slong)i + 1, 1);
        }
    }
}

static attest_status gen_data(attest_instance *instance, struct theft *t,
                              const attest_weights *weights)
{
    attest_vocabulary vocabulary ATTEST_CLEARED_BY(attest_vocabulary_clear) = {
        .count = attest_gen_size(t, 3, 6), .dim = weights->dim};

    vocabulary.entry = attest_rationals_alloc(vocabulary.count * vocabulary.dim);
    if (!vocabulary.entry)
        return ATTEST_NOMEM;
    gen_tokens(&vocabulary, t);
    ATTEST_TRY(attest_gen_dataset(&instance->dataset, t, &vocabulary, &kind.sequences));
    return attest_weights_set(&instance->weights, weights);
}

static attest_status gen(attest_instance *instance, struct theft *t,
                         const attest_setting *setting)
{
    if (setting->weights)
        return gen_data(instance, t, setting->weights);
    return attest_gen_data_and_weights(instance, t, &kind);
}

static bool has_form(const attest_instance *instance)
{
    return attest_instance_fits(instance) && instance->weights.activation == ATTEST_HARDMAX;
}

static bool same_outputs(const attest_oracle *oracle, attest_place a, attest_place b)
{
    size_t dim = oracle->dataset->dim;
    FMPQ_VEC(x, (slong)dim);
    FMPQ_VEC(y, (slong)dim);
    bool same = true;

    attest_oracle_hardmax(x, oracle, a);
    attest_oracle_hardmax(y, oracle, b);
    for (size_t c = 0; c < dim; c++)
        same = same && fmpq_equal(x + c, y + c);
    return same;
}

/* The first two places of one token with different vocabularies and equal outputs. Different
 * tokens may collide by chance under any activation; this is what hardmax cannot avoid. */
static bool find_pair(attest_place pair[2], const attest_oracle *oracle)
{
    const attest_dataset *d = oracle->dataset;
    attest_place a = {0, 0};

    do
        for (attest_place b = a; attest_oracle_next(&b, d);)
            if (attest_dataset_token(d, a.sequence, a.position) ==
                    attest_dataset_token(d, b.sequence, b.position) &&
                attest_oracle_required(oracle, a, b) && same_outputs(oracle, a, b)) {
                pair[0] = a, pair[1] = b;
                return true;
            }
    while (attest_oracle_next(&a, d));
    return false;
}

/* Certifies the instance: the certifier must refute it, as the oracle does. */
static attest_status confirm(attest_trial *trial, const attest_instance *instance,
                             attest_error *error)
{
    attest_filter_answer answer;

    ATTEST_TRY(attest_verdicts_get_one(&answer, instance, error));
    if (answer.verdict == ATTEST_REFUTED) {
        trial->has_pair = true;
        attest_trial_violated(trial, "contextual-mapping",
                              "equal outputs at one token in different contexts");
    } else
        attest_trial_open(trial, "%s does not see equal outputs", answer.method);
    return ATTEST_OK;
}

static attest_status decide(attest_trial *trial, const attest_instance *instance,
                            const attest_setting *setting, attest_error *error)
{
    (void)setting;
    if (!has_form(instance)) {
        trial->outcome = ATTEST_DISCARDED;
        return ATTEST_OK;
    }
    attest_oracle oracle ATTEST_CLEARED_BY(attest_oracle_clear);
    ATTEST_TRY(attest_oracle_init(&oracle, &instance->dataset, &instance->weights));
    if (find_pair(trial->pair, &oracle))
        ATTEST_TRY(confirm(trial, instance, error));
    attest_trial_label_layer(trial, instance);
    return ATTEST_OK;
}

/* The token 1 beside 2, and alone: the head prefers the least token. */
static const char witness[] =
    "{\"format\": \"attest/counterexample\", \"version\": 1, \"property\": \"theorem1-search\","
    " \"dataset\": {\"format\": \"attest/dataset\", \"version\": 1,"
    " \"sequences\": [[[1], [2]], [[1]]]},"
    " \"weights\": {\"format\": \"attest/weights\", \"version\": 1, \"activation\": "
    "\"hardmax\","
    " \"heads\": [{\"WQ\": [[-1]], \"WK\": [[1]], \"WV\": [[1]], \"WO\": [[1]]}]},"
    " \"parameters\": {}, \"violates\": {\"definition\": \"contextual-mapping\","
    " \"pair\": [[0, 0], [1, 0]]}, \"found_by\": \"campaign\", \"shrink_steps\": 0}";

const attest_property attest_property_theorem1_search = {
    .name = "theorem1-search",
    .title = "random hardmax layers confuse random contexts",
    .statement = "theorem1",
    .definition = "contextual-mapping",
    .gen = gen,
    .decide = decide,
    .expect_violation = true,
    .witness = witness,
    .trials = 64,
};
