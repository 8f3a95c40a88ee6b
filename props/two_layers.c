/* two_layers.c -- which universal pairs survive a second hardmax layer. */
#include <string.h>

#include "campaign/gen.h"
#include "campaign/label.h"
#include "number/scope.h"
#include "props/multiples.h"
#include "props/registry.h"
#include "theory/two_layers.h"

enum { LONGEST = 10 };

/* Two lists of multiples of one vector. */
typedef struct layer_pairs {
    long t[2][LONGEST];
    size_t length[2];
} layer_pairs;

enum { MOST_HEADS = 3, MOST_SIZE = 2, LARGEST = 6 };

typedef struct block {
    size_t length[2];
    long t[2][4];
} block;

/* One sign: extremes, mean, and the multiplicities of the extremes agree, and the lengths have
 * the ratio 1, or 2 : 3. */
static const block equal_blocks[] = {{{4, 4}, {{1, 3, 4, 6}, {1, 2, 5, 6}}},
                                     {{1, 1}, {{2}, {2}}},
                                     {{2, 2}, {{3, 5}, {3, 5}}},
                                     {{4, 4}, {{2, 5, 6, 9}, {2, 4, 7, 9}}}},
                   unequal_blocks[] = {{{2, 3}, {{1, 3}, {1, 2, 3}}},
                                       {{2, 3}, {{2, 6}, {2, 4, 6}}}},
                   alone_blocks[] = {{{4, 4}, {{1, 3, 4, 6}, {1, 2, 5, 6}}},
                                     {{2, 3}, {{1, 3}, {1, 2, 3}}},
                                     {{4, 4}, {{1, 1, 3, 3}, {1, 2, 2, 3}}}};

/* Each fails the condition in its name, and no other. */
static const struct failing {
    const char *name;
    size_t length[2];
    long t[2][6];
} failing[] = {
    {"nearest", {4, 4}, {{-1, 1, 5, 6}, {-1, 2, 4, 6}}},
    {"means", {6, 6}, {{-4, -2, -1, 1, 2, 4}, {-4, -3, -1, 1, 3, 4}}},
    {"multiplicities", {5, 5}, {{-1, 1, 1, 3, 3}, {-1, 1, 2, 2, 3}}},
};

enum { FAILING = sizeof failing / sizeof *failing };

static void add_block(layer_pairs *lists, const block *b, long sign)
{
    for (size_t side = 0; side < 2; side++)
        for (size_t k = 0; k < b->length[side]; k++)
            lists->t[side][lists->length[side]++] = sign * b->t[side][k];
}

/* Draws a multiple that is not 0. */
static long gen_multiple(struct theft *t)
{
    long multiple = 1 + (long)theft_random_choice(t, LARGEST);

    return theft_random_choice(t, 2) ? -multiple : multiple;
}

/* Draws a pair with equal extremes, of both signs, and equal means: B is A with some tokens
 * moved up and as many down. Half of the pairs have tokens -1 and 1 in both. */
static void gen_any(layer_pairs *lists, struct theft *t)
{
    static const long fixed[] = {LARGEST, -LARGEST, 1, -1};
    size_t kept = theft_random_choice(t, 2) ? 2 : 4;
    size_t free = 2 + (size_t)theft_random_choice(t, LONGEST - kept - 1);
    size_t moves = 1 + (size_t)theft_random_choice(t, 3);
    bool one_sign = theft_random_choice(t, 2); /* then the means of each sign agree */

    lists->length[0] = lists->length[1] = kept + free;
    for (size_t k = 0; k < kept + free; k++)
        lists->t[0][k] = lists->t[1][k] = k < kept ? fixed[k] : gen_multiple(t);
    for (size_t i = 0; i < moves; i++) {
        long *up = &lists->t[1][kept + theft_random_choice(t, free)],
             *down = &lists->t[1][kept + theft_random_choice(t, free)];

        if (up == down || *up == LARGEST || *up == -1 || *down == -LARGEST || *down == 1 ||
            (one_sign && *up * *down < 0))
            continue;
        *up += 1;
        *down -= 1;
    }
}

static const struct failing *find_failing(const attest_setting *setting)
{
    for (size_t i = 0; i < FAILING; i++)
        if (attest_setting_drops(setting, failing[i].name))
            return &failing[i];
    return NULL;
}

static void gen_lists(layer_pairs *lists, struct theft *t, const attest_setting *setting)
{
    const struct failing *fails = find_failing(setting);
    uint64_t kind = theft_random_choice(t, 3);

    *lists = (layer_pairs){.length = {0, 0}};
    if (fails) {
        for (size_t side = 0; side < 2; side++) {
            memcpy(lists->t[side], fails->t[side], sizeof fails->t[side]);
            lists->length[side] = fails->length[side];
        }
    } else if (kind == 0) {
        long sign = theft_random_choice(t, 2) ? -1 : 1;

        add_block(lists, &alone_blocks[theft_random_choice(t, 3)], sign);
        if (theft_random_choice(t, 6) == 0)
            lists->t[1][1] += sign; /* another mean: no universal pair */
    } else if (kind == 1) {
        add_block(lists, &equal_blocks[3 * theft_random_choice(t, 2)], 1);
        add_block(lists, &equal_blocks[theft_random_choice(t, 4)], -1);
    } else {
        add_block(lists, &unequal_blocks[theft_random_choice(t, 2)], 1);
        add_block(lists, &unequal_blocks[theft_random_choice(t, 2)], -1);
    }
}

/* Appends a sequence of the tokens t u, t in the list. */
static attest_status add_sequence(attest_dataset_builder *builder, const long *list,
                                  size_t length, const long *u, size_t dim)
{
    FMPQ_VEC(token, (slong)dim);

    for (size_t k = 0; k < length; k++) {
        for (size_t c = 0; c < dim; c++)
            fmpq_set_si(token + c, list[k] * u[c], 1);
        ATTEST_TRY(attest_dataset_builder_add_token(builder, token, NULL));
    }
    return attest_dataset_builder_end_sequence(builder, NULL);
}

/* dataset = both lists times u. Status: NOMEM. */
static attest_status build_pair(attest_dataset *dataset, const layer_pairs *lists,
                                const long *u, size_t dim)
{
    ATTEST_SCOPED(attest_dataset_builder, builder, dim, ATTEST_TABLE_RATIONAL, NULL);

    for (size_t side = 0; side < 2; side++)
        ATTEST_TRY(add_sequence(&builder, lists->t[side], lists->length[side], u, dim));
    return attest_dataset_builder_finish(dataset, &builder, NULL);
}

static void shuffle(long *list, size_t length, struct theft *t)
{
    for (size_t k = 0; k < length; k++) {
        size_t other = k + theft_random_choice(t, length - k);
        long keep = list[other];

        list[other] = list[k];
        list[k] = keep;
    }
}

static void gen_matrix(attest_matrix *matrix, size_t rows, size_t cols, struct theft *t)
{
    attest_matrix_resize(matrix, rows, cols);
    for (size_t e = 0; e < rows * cols; e++)
        fmpz_set_si(matrix->entry + e, attest_multiples_gen_small(t, 5));
}

static attest_status gen_weights(attest_instance *instance, struct theft *t, size_t dim,
                                 const attest_setting *setting)
{
    attest_weights *weights = &instance->weights;
    size_t first = attest_gen_size(t, 1, MOST_HEADS),
           second = attest_gen_size(t, 1, MOST_HEADS);

    if (attest_weights_resize(weights, first + second) != ATTEST_OK)
        return ATTEST_NOMEM;
    weights->activation = ATTEST_HARDMAX;
    weights->dim = dim;
    if (attest_setting_drops(setting, "uniform-ties"))
        weights->ties = ATTEST_TIES_LEFTMOST;
    if (attest_setting_drops(setting, "no-mask"))
        weights->mask = ATTEST_MASK_CAUSAL;
    for (size_t h = 0; h < first + second; h++) {
        size_t s = attest_gen_size(t, 1, MOST_SIZE);

        gen_matrix(&weights->head[h].wq, s, dim, t);
        gen_matrix(&weights->head[h].wk, s, dim, t);
        gen_matrix(&weights->head[h].wv, s, dim, t);
        gen_matrix(&weights->head[h].wo, dim, s, t);
    }
    fmpq_set_ui(attest_instance_set(instance, "first"), first, 1);
    return ATTEST_OK;
}

static void move_head(attest_head *to, attest_head *from)
{
    attest_head swap = *to;

    *to = *from;
    *from = swap;
}

/* Clears both layers. */
static void clear_layers(attest_weights (*layer)[2])
{
    attest_weights_clear(&(*layer)[0]);
    attest_weights_clear(&(*layer)[1]);
}

/* The layers that tell apart a pair that fails in this part, as one set of weights. */
static attest_status build_weights(attest_instance *instance, const layer_pairs *lists,
                                   attest_two_layers_part part)
{
    attest_universal_pair pair = {
        {lists->length[0], lists->length[1]}, {lists->t[0], lists->t[1]}, {0, 0}};
    attest_weights layer[2] ATTEST_CLEARED_BY(clear_layers);
    attest_error error;

    attest_weights_init(&layer[0]);
    attest_weights_init(&layer[1]);
    ATTEST_TRY(attest_two_layers_separate(layer, &pair, part, &error));
    ATTEST_TRY(attest_weights_resize(&instance->weights, 2));
    instance->weights.activation = ATTEST_HARDMAX;
    instance->weights.dim = 2;
    move_head(&instance->weights.head[0], &layer[0].head[0]);
    move_head(&instance->weights.head[1], &layer[1].head[0]);
    fmpq_one(attest_instance_set(instance, "first"));
    return ATTEST_OK;
}

/* Generates a pair along a random direction, in any order, and two random layers; or, for any
 * pair and without a hypothesis on the tokens, two layers that tell pairs apart that miss a
 * part of the criterion. The heads of both layers are in one set of weights, "first" of them in
 * the first layer. Status: NOMEM. */
static attest_status gen_pairs(attest_instance *instance, struct theft *t,
                               const attest_setting *setting)
{
    const struct failing *fails = find_failing(setting);
    bool any = setting->without == NULL && theft_random_choice(t, 2);
    size_t dim = fails || any ? 2 : attest_gen_size(t, 1, 3);
    attest_two_layers_part part = ATTEST_TWO_LAYERS_NEAREST;
    long u[3] = {1, 0, 0};
    layer_pairs lists = {.length = {0, 0}};

    if (any)
        gen_any(&lists, t);
    else
        gen_lists(&lists, t, setting);
    part += fails ? (attest_two_layers_part)(fails - failing) : theft_random_choice(t, FAILING);
    for (size_t c = 0; c < dim && !fails && !any; c++)
        u[c] = attest_multiples_gen_small(t, 4);
    u[0] += u[0] == 0;
    if (fails || any)
        ATTEST_TRY(build_weights(instance, &lists, part));
    else
        ATTEST_TRY(gen_weights(instance, t, dim, setting));
    for (size_t side = 0; side < 2; side++)
        shuffle(lists.t[side], lists.length[side], t);
    return build_pair(&instance->dataset, &lists, u, dim);
}

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

/* Pairs that meet the criterion must be merged by the two layers of the instance; others must
 * be told apart by the layers that the criterion names. */

/* Returns whether the token is ratio times the first token of the dataset, whose entry on axis
 * is not 0.
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

/* Writes the tokens as whole multiples of one vector; returns false if they are not, or 0, or
 * too large. */
static bool get_multiples(layer_pairs *lists, const attest_dataset *d)
{
    size_t axis = find_axis(d);
    bool line = d->longest <= LONGEST && axis < d->dim;
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

/* Returns whether the pair may fail the criterion in this part. */
static bool is_dropped(attest_two_layers_part part, const attest_setting *setting)
{
    static const char *const name[] = {"", "", "nearest", "means", "multiplicities"};

    return attest_setting_drops(setting, name[part]);
}

/* Checks all hypotheses except those on the tokens; lists = the multiples. */
static bool meets_hypotheses(layer_pairs *lists, const attest_instance *instance,
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

/* layer = heads from .. to of the weights, which keep their ownership. */
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

/* Finds positions at which both lists have the same token; returns false if there are none. */
static bool find_shared(attest_universal_pair *pair, const layer_pairs *lists)
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
static attest_status decide_failing(attest_trial *trial, const layer_pairs *lists,
                                    const attest_universal_pair *pair,
                                    attest_two_layers_part part, attest_error *error)
{
    attest_weights layer[2] ATTEST_CLEARED_BY(clear_layers);
    ATTEST_SCOPED(attest_dataset, d);

    for (size_t i = 0; i < 2; i++)
        attest_weights_init(&layer[i]);
    ATTEST_TRY(attest_two_layers_separate(layer, pair, part, error));
    ATTEST_TRY(build_pair(&d, lists, (const long[]){1, 0}, 2));
    return decide_layers(trial, &d, layer, false, error);
}

static void add_labels(attest_trial *trial, const layer_pairs *lists, bool merges)
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
    layer_pairs lists;
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
    .gen = gen_pairs,
    .decide = decide,
    .droppable = droppable,
    .coverage = coverage,
    .trials = 2000,
};
