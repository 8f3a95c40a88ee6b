/* two_layers.c -- which universal pairs survive a second hardmax layer. */
#include "campaign/label.h"
#include "number/scope.h"
#include "props/layer_pairs.h"
#include "props/properties.h"
#include "props/statement.h"
#include "theory/two_layers.h"

static const attest_hypothesis hypotheses[] = {
    {"nearest", "for each sign, the tokens nearest to 0 agree"},
    {"means", "for each sign, the means of the tokens agree"},
    {"multiplicities",
     "the largest positive and the largest negative token occur in the same ratio, and so do "
     "the smallest ones"},
    {"uniform-ties", "keys that attain the maximum share the weight"},
    {"no-mask", "every query sees every key"},
    {0},
};

const attest_statement attest_statement_two_layers = {
    .name = "two_layers",
    .title = "Two hardmax layers: which universal pairs survive",
    .source = "our own",
    .text =
        "Let two sequences of multiples of one vector, none of them 0, have equal largest, "
        "smallest and mean multiple (then one layer merges every token that they share, "
        "whatever its weights: Theorem 1). If all tokens have one sign, every two layers of "
        "hardmax attention merge these tokens, too. If not, every two layers do iff the "
        "hypotheses below hold; where one fails, two layers of one head in two dimensions "
        "tell the pair apart. So u(1, 3, 4, 6) and u(1, 2, 5, 6) survive a second layer, and "
        "u(-3, -2, 2, 3) and u(-3, -1, 1, 3) do not; the least pair that one layer merges and "
        "two tell apart is u(-3, 1) and u(-3, -1, 1). Three layers tell the first one apart.",
    .hypotheses = hypotheses,
    .decided_by = "exact arithmetic: hardmax attention of rational data is rational",
    .note = "proofs-notes/two_layers.md",
    .machine =
        "for multiples of one sign: proofs-notes/coq/two_layers.v, two_layers_one_sign; u(1, "
        "3, 4, "
        "6) and u(1, 2, 5, 6) survive: pair_survives_at_u, pair_survives_at_6u. Not those of "
        "both signs, nor the layers that tell them apart",
};

/* What the criterion lets pass must be merged by the instance's two layers, and what it does
 * not must be told apart by the layers that it names. */

/* Whether the token is ratio times the first token of the dataset, whose entry on axis is not
 * 0.
 */
static bool get_ratio(fmpq_t ratio, const attest_dataset *d, uint32_t token, size_t axis)
{
    uint32_t first = attest_dataset_token(d, 0, 0);
    bool line = true;
    FMPQ(x, y);

    attest_tokens_get_entry(ratio, &d->tokens, token, axis);
    attest_tokens_get_entry(x, &d->tokens, first, axis);
    fmpq_div(ratio, ratio, x);
    for (size_t c = 0; c < d->dim && line; c++) {
        attest_tokens_get_entry(x, &d->tokens, first, c);
        attest_tokens_get_entry(y, &d->tokens, token, c);
        fmpq_mul(x, x, ratio);
        line = fmpq_equal(x, y);
    }
    return line && !fmpq_is_zero(ratio);
}

/* The first axis on which the first token is not 0, or dim. */
static size_t find_axis(const attest_dataset *d)
{
    size_t axis = 0;
    FMPQ(x);

    for (; axis < d->dim; axis++) {
        attest_tokens_get_entry(x, &d->tokens, attest_dataset_token(d, 0, 0), axis);
        if (!fmpq_is_zero(x))
            break;
    }
    return axis;
}

/* The tokens as whole multiples of one vector; false: they are not, or 0, or too large. */
static bool get_multiples(attest_layer_pairs *lists, const attest_dataset *d)
{
    size_t axis = find_axis(d);
    bool line = d->longest <= ATTEST_LAYER_PAIRS_LONGEST && axis < d->dim;
    FMPZ(common);

    fmpz_one(common);
    FMPQ(ratio);
    for (size_t i = 0; i < 2 && line; i++)
        for (size_t k = 0; k < attest_dataset_length(d, i) && line; k++) {
            line = get_ratio(ratio, d, attest_dataset_token(d, i, k), axis);
            fmpz_lcm(common, common, fmpq_denref(ratio));
        }
    for (size_t i = 0; i < 2 && line; i++) {
        lists->length[i] = attest_dataset_length(d, i);
        for (size_t k = 0; k < lists->length[i] && line; k++) {
            line = get_ratio(ratio, d, attest_dataset_token(d, i, k), axis);
            fmpq_mul_fmpz(ratio, ratio, common);
            line = line && fmpz_bits(fmpq_numref(ratio)) <= 20;
            lists->t[i][k] = line ? fmpz_get_si(fmpq_numref(ratio)) : 0;
        }
    }
    return line;
}

/* Whether the pair may fail the criterion in this part. */
static bool is_dropped(attest_two_layers_part part, const attest_setting *setting)
{
    static const char *const name[] = {"", "", "nearest", "means", "multiplicities"};

    return attest_setting_drops(setting, name[part]);
}

/* All hypotheses but those on the tokens; lists = the multiples. */
static bool meets_hypotheses(attest_layer_pairs *lists, const attest_instance *instance,
                             const attest_setting *setting)
{
    const attest_weights *w = &instance->weights;
    const attest_dataset *d = &instance->dataset;
    const fmpq *first = attest_instance_get(instance, "first");

    return attest_instance_fits(instance) && w->activation == ATTEST_HARDMAX && w->skip &&
           d->count == 2 && first && fmpz_is_one(fmpq_denref(first)) &&
           fmpq_cmp_si(first, 1) >= 0 && fmpq_cmp_ui(first, w->heads) < 0 &&
           (w->ties == ATTEST_TIES_UNIFORM || attest_setting_drops(setting, "uniform-ties")) &&
           (w->mask == ATTEST_MASK_NONE || attest_setting_drops(setting, "no-mask")) &&
           get_multiples(lists, d);
}

/* layer = heads from .. to of the weights, which keep them. */
static void borrow(attest_weights *layer, const attest_weights *weights, size_t from, size_t to)
{
    *layer = *weights;
    layer->head = weights->head + from;
    layer->heads = to - from;
}

/* The outputs of the layers for both sequences. */
static attest_status evaluate(fmpq *const out[2], const attest_weights layer[2],
                              const attest_dataset *d, attest_error *error)
{
    for (size_t i = 0; i < 2; i++) {
        ATTEST_SCOPED(attest_sequence, sequence);

        ATTEST_TRY(attest_dataset_get_sequence(&sequence, d, i, NULL, error));
        ATTEST_TRY(attest_two_layers_evaluate(out[i], layer, 2, &sequence, error));
    }
    return ATTEST_OK;
}

/* A token that both sequences have, and whose outputs differ. */
static bool find_difference(attest_place pair[2], const attest_dataset *d, fmpq *const out[2])
{
    for (size_t k = 0; k < attest_dataset_length(d, 0); k++)
        for (size_t l = 0; l < attest_dataset_length(d, 1); l++) {
            if (attest_dataset_token(d, 0, k) != attest_dataset_token(d, 1, l))
                continue;
            for (size_t c = 0; c < d->dim; c++)
                if (!fmpq_equal(out[0] + k * d->dim + c, out[1] + l * d->dim + c)) {
                    pair[0] = (attest_place){0, k};
                    pair[1] = (attest_place){1, l};
                    return true;
                }
        }
    return false;
}

static attest_status decide_layers(attest_trial *trial, const attest_dataset *d,
                                   const attest_weights layer[2], bool merges,
                                   attest_error *error)
{
    slong entries = (slong)(d->longest * d->dim);
    attest_place pair[2];
    FMPQ_VEC(first, entries);
    FMPQ_VEC(second, entries);
    fmpq *const out[2] = {first, second};

    ATTEST_TRY(evaluate(out, layer, d, error));
    if (find_difference(pair, d, out) != merges)
        return ATTEST_OK;
    trial->has_pair = merges;
    for (size_t i = 0; i < 2 && merges; i++)
        trial->pair[i] = pair[i];
    if (merges)
        attest_trial_violated(trial, "two_layers", "two layers tell [0,%zu] and [1,%zu] apart",
                              pair[0].position, pair[1].position);
    else
        attest_trial_violated(trial, "two_layers",
                              "the layers that should tell the pair apart do not");
    return ATTEST_OK;
}

/* Where the tokens of both lists are equal, or false. */
static bool find_shared(attest_universal_pair *pair, const attest_layer_pairs *lists)
{
    for (size_t k = 0; k < lists->length[0]; k++)
        for (size_t l = 0; l < lists->length[1]; l++)
            if (lists->t[0][k] == lists->t[1][l]) {
                pair->position[0] = k, pair->position[1] = l;
                return true;
            }
    return false;
}

/* The pair fails in this part: the layers that the criterion names tell it apart, as multiples
 * of (1, 0). */
static attest_status decide_failing(attest_trial *trial, const attest_layer_pairs *lists,
                                    const attest_universal_pair *pair,
                                    attest_two_layers_part part, attest_error *error)
{
    attest_weights layer[2] ATTEST_CLEARED_BY(attest_layer_pairs_clear_weights);
    ATTEST_SCOPED(attest_dataset, d);

    for (size_t i = 0; i < 2; i++)
        attest_weights_init(&layer[i]);
    ATTEST_TRY(attest_two_layers_separate(layer, pair, part, error));
    ATTEST_TRY(attest_layer_pairs_build(&d, lists, (const long[]){1, 0}, 2));
    return decide_layers(trial, &d, layer, false, error);
}

static void add_labels(attest_trial *trial, const attest_layer_pairs *lists, bool merges)
{
    bool both = false;

    for (size_t k = 0; k < lists->length[0]; k++)
        both = both || lists->t[0][k] < 0; /* the first is positive */
    attest_trial_label(trial, both ? "both signs" : "one sign");
    attest_trial_label(trial, lists->length[0] == lists->length[1] ? "equal lengths"
                                                                   : "unequal lengths");
    attest_trial_label(trial, merges ? "survives" : "told apart");
}

static attest_status decide(attest_trial *trial, const attest_instance *instance,
                            const attest_setting *setting, attest_error *error)
{
    attest_layer_pairs lists;
    attest_universal_pair pair = {{0, 0}, {lists.t[0], lists.t[1]}, {0, 0}};
    attest_two_layers_part part = ATTEST_TWO_LAYERS_UNIVERSAL;
    attest_weights layer[2];
    size_t first;
    bool merges;

    if (meets_hypotheses(&lists, instance, setting) && find_shared(&pair, &lists)) {
        pair.length[0] = lists.length[0], pair.length[1] = lists.length[1];
        part = attest_two_layers_check(&pair);
    }
    merges = part == ATTEST_TWO_LAYERS_SURVIVES || is_dropped(part, setting);
    if (part == ATTEST_TWO_LAYERS_UNIVERSAL || (!merges && setting->without)) {
        trial->outcome = ATTEST_DISCARDED;
        return ATTEST_OK;
    }
    first = fmpz_get_ui(fmpq_numref(attest_instance_get(instance, "first")));
    borrow(&layer[0], &instance->weights, 0, first);
    borrow(&layer[1], &instance->weights, first, instance->weights.heads);
    if (merges)
        ATTEST_TRY(decide_layers(trial, &instance->dataset, layer, true, error));
    else
        ATTEST_TRY(decide_failing(trial, &lists, &pair, part, error));
    add_labels(trial, &lists, merges);
    return ATTEST_OK;
}

static const attest_droppable droppable[] = {
    {"nearest", true},      {"means", true},   {"multiplicities", true},
    {"uniform-ties", true}, {"no-mask", true}, {0},
};

static const attest_coverage coverage[] = {
    {"both signs", 40, 90},
    {"unequal lengths", 10, 80},
    {"told apart", 10, 60},
    {0},
};

const attest_property attest_property_two_layers = {
    .name = "two_layers",
    .title = "two layers merge the universal pairs that survive, and no others",
    .statement = "two_layers",
    .gen = attest_layer_pairs_gen,
    .decide = decide,
    .droppable = droppable,
    .coverage = coverage,
    .trials = 2000,
};
