/* contextual_relations.c -- changes of data and weights with a known effect on Definition 2. */
#include <attest/certify.h>

#include "campaign/gen.h"
#include "campaign/label.h"
#include "number/scope.h"
#include "props/registry.h"
#include "props/sample.h"
#include "props/transform.h"

enum { BITS = 256 };

static const attest_gen_layer kind = {
    .tokens = {.dim_max = 3, .count_min = 2, .count_max = 6, .zero = true, .decades = 20},
    .sequences = {.count_min = 1,
                  .count_max = 5,
                  .length_min = 1,
                  .length_max = 6,
                  .repeats = true,
                  .shared = true},
    .heads = {.heads_max = 4,
              .size_max = 3,
              .decades = 20,
              .score_limit = 64,
              .gaps = ATTEST_GEN_FAR},
};

static attest_status gen(attest_instance *instance, struct theft *t,
                         const attest_setting *setting)
{
    (void)setting;
    attest_gen_nonzero(attest_instance_set(instance, "scale"), t, 8);
    return attest_gen_data_and_weights(instance, t, &kind);
}

/* The layer, its changed copy, and the findings of certify for both. */
typedef struct comparison {
    const attest_instance *instance;
    const fmpq *scale;
    attest_finding before, after;
    attest_dataset dataset;
    attest_weights weights;
    attest_trial *trial;
    attest_error *error;
} comparison;

static attest_status certify(attest_finding *finding, const attest_dataset *dataset,
                             const attest_weights *weights, attest_error *error)
{
    attest_finding_clear(finding);
    attest_finding_init(finding);
    ATTEST_SCOPED(attest_claim, claim);
    claim.dataset = dataset;
    claim.weights = weights;
    return attest_certify(finding, &claim, error);
}

/* Checks after = |factor| * before, within the balls. */
static bool agrees(const arb_t after, const arb_t before, const fmpq *factor)
{
    ARB(expected);

    arb_set(expected, before);
    if (factor) {
        arb_mul_fmpz(expected, expected, fmpq_numref(factor), BITS);
        arb_div_fmpz(expected, expected, fmpq_denref(factor), BITS);
        arb_abs(expected, expected);
    }
    return arb_overlaps(after, expected);
}

/* Compares verdict, separation and norm after the change that `what` names. */
static attest_status compare(comparison *c, const char *what, const fmpq *factor)
{
    const attest_finding *x = &c->before, *y = &c->after;

    ATTEST_TRY(certify(&c->after, &c->dataset, &c->weights, c->error));
    if (c->trial->outcome != ATTEST_HELD)
        return ATTEST_OK;
    if (y->verdict == ATTEST_UNDECIDED)
        attest_trial_open(c->trial, "%s: %s", what, y->reason);
    else if (x->verdict != y->verdict || x->has_pair != y->has_pair)
        attest_trial_violated(c->trial, "contextual-mapping", "%s: %s becomes %s", what,
                              attest_verdict_name(x->verdict), attest_verdict_name(y->verdict));
    else if (!agrees(y->max_norm, x->max_norm, factor))
        attest_trial_violated(c->trial, "contextual-mapping", "%s: the largest norm changes",
                              what);
    else if (x->has_pair && !agrees(y->min_separation, x->min_separation, factor))
        attest_trial_violated(c->trial, "contextual-mapping",
                              "%s: the least separation changes", what);
    return ATTEST_OK;
}

static attest_status rearrange(comparison *c, attest_rearrangement how, const char *what)
{
    ATTEST_TRY(attest_transform_rearrange(&c->dataset, &c->instance->dataset, how));
    return compare(c, what, NULL);
}

static attest_status reverse_sequences(comparison *c)
{
    return rearrange(c, ATTEST_REVERSE_SEQUENCES, "reversing the sequences");
}

static attest_status repeat_sequence(comparison *c)
{
    return rearrange(c, ATTEST_REPEAT_SEQUENCE, "repeating a sequence");
}

static attest_status reverse_tokens(comparison *c)
{
    return rearrange(c, ATTEST_REVERSE_TOKENS, "reversing the tokens");
}

static attest_status repeat_tokens(comparison *c)
{
    return rearrange(c, ATTEST_REPEAT_TOKENS, "repeating all tokens");
}

/* Multiplies tokens by a rational and divides W_K by its square: scores stay, outputs are
 * multiplied. */
static attest_status scale(comparison *c)
{
    attest_token_change change = {.factor = c->scale};
    FMPQ(inverse);

    ATTEST_TRY(attest_transform_dataset(&c->dataset, &c->instance->dataset, &change));
    fmpq_mul(inverse, c->scale, c->scale);
    fmpq_inv(inverse, inverse);
    for (size_t h = 0; h < c->weights.heads; h++)
        attest_transform_multiply(&c->weights.head[h].wk, inverse);
    return compare(c, "scaling", c->scale);
}

/* Reverses the order of the coordinates. */
static attest_status mirror(comparison *c)
{
    attest_token_change change = {.mirror = true};

    ATTEST_TRY(attest_transform_dataset(&c->dataset, &c->instance->dataset, &change));
    attest_transform_mirror_weights(&c->weights);
    return compare(c, "reversing the coordinates", NULL);
}

/* Returns whether the order of tokens has no effect: no mask, and uniform ties. */
static bool is_symmetric(const attest_weights *weights)
{
    return weights->mask == ATTEST_MASK_NONE &&
           (weights->activation == ATTEST_SOFTMAX || weights->ties == ATTEST_TIES_UNIFORM);
}

/* A change, and the layers for which its effect is known. */
static const struct change {
    attest_status (*make)(comparison *c);
    bool needs_symmetry;
} changes[] = {
    {reverse_sequences, false}, {repeat_sequence, false}, {reverse_tokens, true},
    {repeat_tokens, true},      {mirror, false},          {scale, false},
};
enum { CHANGES = sizeof changes / sizeof changes[0] };

/* Applies every change, or one of them. */
static attest_status compare_all(comparison *c, const struct change *only)
{
    bool symmetric = is_symmetric(&c->instance->weights);

    ATTEST_TRY(certify(&c->before, &c->instance->dataset, &c->instance->weights, c->error));
    if (c->before.verdict == ATTEST_UNDECIDED) {
        attest_trial_open(c->trial, "%s", c->before.reason);
        return ATTEST_OK;
    }
    for (const struct change *a = changes; a < changes + CHANGES; a++) {
        if ((only && a != only) || (a->needs_symmetry && !symmetric))
            continue;
        ATTEST_TRY(attest_transform_copy_weights(&c->weights, &c->instance->weights));
        ATTEST_TRY(a->make(c));
    }
    return ATTEST_OK;
}

static attest_status decide_by(attest_trial *trial, const attest_instance *instance,
                               const struct change *only, attest_error *error)
{
    comparison c = {.instance = instance, .trial = trial, .error = error};
    attest_status status;

    c.scale = attest_instance_get(instance, "scale");
    if (!attest_instance_fits(instance) || !c.scale || fmpq_is_zero(c.scale)) {
        trial->outcome = ATTEST_DISCARDED;
        return ATTEST_OK;
    }
    attest_finding_init(&c.before), attest_finding_init(&c.after);
    attest_dataset_init(&c.dataset);
    attest_weights_init(&c.weights);
    status = compare_all(&c, only);
    attest_trial_label_layer(trial, instance);
    attest_finding_clear(&c.before), attest_finding_clear(&c.after);
    attest_dataset_clear(&c.dataset);
    attest_weights_clear(&c.weights);
    return status;
}

static attest_status decide(attest_trial *trial, const attest_instance *instance,
                            const attest_setting *setting, attest_error *error)
{
    (void)setting;
    return decide_by(trial, instance, NULL, error);
}

/* Applies every change to a sample of the instances, and to each other one a change chosen by
 * its numbers. */
static attest_status decide_many(attest_trial *trial, const attest_instance *instance,
                                 size_t count, void **memory, const attest_setting *setting,
                                 attest_error *error)
{
    (void)memory;
    (void)setting;
    for (size_t i = 0; i < count; i++) {
        uint64_t number = attest_sample_number(&instance[i]);
        bool everything = attest_sample_takes(number);

        if (everything)
            attest_trial_label(&trial[i], ATTEST_SAMPLE_LABEL);
        ATTEST_TRY(decide_by(
            &trial[i], &instance[i],
            everything ? NULL : &changes[attest_sample_choose(number, CHANGES)], error));
    }
    return ATTEST_OK;
}

const attest_property attest_property_contextual_relations = {
    .name = "contextual-relations",
    .title = "permuting, repeating, scaling and relabelling change verdicts as they must",
    .statement = "contextual",
    .definition = "contextual-mapping",
    .gen = gen,
    .decide = decide,
    .decide_many = decide_many,
    .coverage = attest_coverage_layers,
    .trials = 4000,
};
