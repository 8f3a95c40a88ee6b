/* two_layers.c -- which universal pairs survive a second hardmax layer. */
#include <string.h>

#include "campaign/gen.h"
#include "campaign/label.h"
#include "props/multiples.h"
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
};

/* The property: a pair of whole numbers along a random direction, in any order, and two random
 * layers, or, without a hypothesis on the tokens, the two that tell it apart. The heads of both
 * layers stand in one set of weights, "first" of them in the first layer. */

enum { LONGEST = 10, MOST_HEADS = 3, MOST_SIZE = 2 };

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

/* Each fails what it is named after, and nothing else. */
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

typedef struct pair_of_lists {
    long t[2][LONGEST];
    size_t length[2];
} pair_of_lists;

static void add_block(pair_of_lists *lists, const block *b, long sign)
{
    for (size_t side = 0; side < 2; side++)
        for (size_t k = 0; k < b->length[side]; k++)
            lists->t[side][lists->length[side]++] = sign * b->t[side][k];
}

static const struct failing *find_failing(const attest_setting *setting)
{
    for (size_t i = 0; i < FAILING; i++)
        if (attest_setting_drops(setting, failing[i].name))
            return &failing[i];
    return NULL;
}

static void gen_lists(pair_of_lists *lists, struct theft *t, const attest_setting *setting)
{
    const struct failing *fails = find_failing(setting);
    uint64_t kind = theft_random_choice(t, 3);

    *lists = (pair_of_lists){.length = {0, 0}};
    if (fails) {
        for (size_t side = 0; side < 2; side++) {
            memcpy(lists->t[side], fails->t[side], sizeof fails->t[side]);
            lists->length[side] = fails->length[side];
        }
    } else if (kind == 0) {
        add_block(lists, &alone_blocks[theft_random_choice(t, 3)],
                  theft_random_choice(t, 2) ? -1 : 1);
    } else if (kind == 1) {
        add_block(lists, &equal_blocks[3 * theft_random_choice(t, 2)], 1);
        add_block(lists, &equal_blocks[theft_random_choice(t, 4)], -1);
    } else {
        add_block(lists, &unequal_blocks[theft_random_choice(t, 2)], 1);
        add_block(lists, &unequal_blocks[theft_random_choice(t, 2)], -1);
    }
}

/* Appends t u, the tokens in any order. */
static attest_status add_sequence(attest_dataset_builder *builder, long *list, size_t length,
                                  const long *u, size_t dim, struct theft *t)
{
    fmpq *token = _fmpq_vec_init((slong)dim);
    attest_status status = ATTEST_OK;

    for (size_t k = 0; k < length && status == ATTEST_OK; k++) {
        size_t other = k + theft_random_choice(t, length - k);
        long multiple = list[other];

        list[other] = list[k];
        for (size_t c = 0; c < dim; c++)
            fmpq_set_si(token + c, multiple * u[c], 1);
        status = attest_dataset_builder_add_token(builder, token, NULL);
    }
    _fmpq_vec_clear(token, (slong)dim);
    return status == ATTEST_OK ? attest_dataset_builder_end_sequence(builder, NULL) : status;
}

static attest_status gen_dataset(attest_dataset *dataset, struct theft *t, pair_of_lists *lists,
                                 const long *u, size_t dim)
{
    attest_dataset_builder builder;
    attest_status status = ATTEST_OK;

    attest_dataset_builder_init(&builder, dim, ATTEST_TABLE_RATIONAL, NULL);
    for (size_t side = 0; side < 2 && status == ATTEST_OK; side++)
        status = add_sequence(&builder, lists->t[side], lists->length[side], u, dim, t);
    if (status == ATTEST_OK)
        status = attest_dataset_builder_finish(dataset, &builder, NULL);
    attest_dataset_builder_clear(&builder);
    return status;
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

/* The layers that tell a failing pair apart, as one set of weights. */
static attest_status build_weights(attest_instance *instance, const pair_of_lists *lists)
{
    attest_universal_pair pair = {
        {lists->length[0], lists->length[1]}, {lists->t[0], lists->t[1]}, {0, 0}};
    attest_two_layers_part part = attest_two_layers_check(&pair);
    attest_weights layer[2];
    attest_error error;
    attest_status status;

    attest_weights_init(&layer[0]);
    attest_weights_init(&layer[1]);
    status = attest_two_layers_separate(layer, &pair, part, &error);
    if (status == ATTEST_OK)
        status = attest_weights_resize(&instance->weights, 2);
    if (status == ATTEST_OK) {
        instance->weights.activation = ATTEST_HARDMAX;
        instance->weights.dim = 2;
        move_head(&instance->weights.head[0], &layer[0].head[0]);
        move_head(&instance->weights.head[1], &layer[1].head[0]);
        fmpq_one(attest_instance_set(instance, "first"));
    }
    attest_weights_clear(&layer[0]);
    attest_weights_clear(&layer[1]);
    return status;
}

static attest_status gen(attest_instance *instance, struct theft *t,
                         const attest_setting *setting)
{
    bool fails = find_failing(setting) != NULL;
    size_t dim = fails ? 2 : attest_gen_size(t, 1, 3);
    long u[3] = {1, 0, 0};
    pair_of_lists lists;
    attest_status status;

    gen_lists(&lists, t, setting);
    for (size_t c = 0; c < dim && !fails; c++)
        u[c] = attest_multiples_gen_small(t, 4);
    u[0] += u[0] == 0;
    status = fails ? build_weights(instance, &lists) : gen_weights(instance, t, dim, setting);
    return status == ATTEST_OK ? gen_dataset(&instance->dataset, t, &lists, u, dim) : status;
}

/* Whether the token is ratio times the first token of the dataset, whose entry on axis is not
 * 0.
 */
static bool get_ratio(fmpq_t ratio, const attest_dataset *d, uint32_t token, size_t axis)
{
    uint32_t first = attest_dataset_token(d, 0, 0);
    bool line = true;
    fmpq_t x, y;

    fmpq_init(x);
    fmpq_init(y);
    attest_tokens_get_entry(ratio, &d->tokens, token, axis);
    attest_tokens_get_entry(x, &d->tokens, first, axis);
    fmpq_div(ratio, ratio, x);
    for (size_t c = 0; c < d->dim && line; c++) {
        attest_tokens_get_entry(x, &d->tokens, first, c);
        attest_tokens_get_entry(y, &d->tokens, token, c);
        fmpq_mul(x, x, ratio);
        line = fmpq_equal(x, y);
    }
    fmpq_clear(x);
    fmpq_clear(y);
    return line && !fmpq_is_zero(ratio);
}

/* The first axis on which the first token is not 0, or dim. */
static size_t find_axis(const attest_dataset *d)
{
    size_t axis = 0;
    fmpq_t x;

    fmpq_init(x);
    for (; axis < d->dim; axis++) {
        attest_tokens_get_entry(x, &d->tokens, attest_dataset_token(d, 0, 0), axis);
        if (!fmpq_is_zero(x))
            break;
    }
    fmpq_clear(x);
    return axis;
}

/* The tokens as whole multiples of one vector; false: they are not, or 0, or too large. */
static bool get_multiples(pair_of_lists *lists, const attest_dataset *d)
{
    size_t axis = find_axis(d);
    bool line = d->longest <= LONGEST && axis < d->dim;
    fmpz_t common;
    fmpq_t ratio;

    fmpz_init_set_ui(common, 1);
    fmpq_init(ratio);
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
    fmpz_clear(common);
    fmpq_clear(ratio);
    return line;
}

/* Whether the pair may fail the criterion in this part. */
static bool is_dropped(attest_two_layers_part part, const attest_setting *setting)
{
    static const char *const name[] = {"", "", "nearest", "means", "multiplicities"};

    return attest_setting_drops(setting, name[part]);
}

static bool meets_hypotheses(const attest_instance *instance, const attest_setting *setting)
{
    const attest_weights *w = &instance->weights;
    const attest_dataset *d = &instance->dataset;
    const fmpq *first = attest_instance_get(instance, "first");
    attest_universal_pair pair = {{0, 0}, {NULL, NULL}, {0, 0}};
    attest_two_layers_part part;
    pair_of_lists lists;

    if (!attest_instance_fits(instance) || w->activation != ATTEST_HARDMAX || !w->skip ||
        d->count != 2 || !first || !fmpz_is_one(fmpq_denref(first)) ||
        fmpq_cmp_si(first, 1) < 0 || fmpq_cmp_ui(first, w->heads) >= 0 ||
        (w->ties != ATTEST_TIES_UNIFORM && !attest_setting_drops(setting, "uniform-ties")) ||
        (w->mask != ATTEST_MASK_NONE && !attest_setting_drops(setting, "no-mask")) ||
        !get_multiples(&lists, d))
        return false;
    for (size_t side = 0; side < 2; side++) {
        pair.length[side] = lists.length[side];
        pair.t[side] = lists.t[side];
    }
    part = attest_two_layers_check(&pair);
    return part == ATTEST_TWO_LAYERS_SURVIVES || is_dropped(part, setting);
}

/* layer = heads from .. to of the weights, which keep them. */
static void borrow(attest_weights *layer, const attest_weights *weights, size_t from, size_t to)
{
    *layer = *weights;
    layer->head = weights->head + from;
    layer->heads = to - from;
}

/* Compares the outputs at every token that both sequences have. */
static void compare(attest_trial *trial, const attest_instance *instance, fmpq *const out[2])
{
    const attest_dataset *d = &instance->dataset;

    for (size_t k = 0; k < attest_dataset_length(d, 0); k++)
        for (size_t l = 0; l < attest_dataset_length(d, 1); l++) {
            bool equal = true;

            if (attest_dataset_token(d, 0, k) != attest_dataset_token(d, 1, l))
                continue;
            for (size_t c = 0; c < d->dim; c++)
                equal = equal && fmpq_equal(out[0] + k * d->dim + c, out[1] + l * d->dim + c);
            if (equal || trial->outcome == ATTEST_VIOLATED)
                continue;
            trial->has_pair = true;
            trial->pair[0] = (attest_place){0, k};
            trial->pair[1] = (attest_place){1, l};
            attest_trial_violated(trial, "two_layers",
                                  "two layers tell [0,%zu] and [1,%zu] apart", k, l);
        }
}

static void add_labels(attest_trial *trial, const attest_instance *instance)
{
    const attest_dataset *d = &instance->dataset;
    pair_of_lists lists;
    bool both = false;

    if (get_multiples(&lists, d))
        for (size_t k = 0; k < lists.length[0]; k++)
            both = both || lists.t[0][k] < 0; /* the first is positive */
    attest_trial_label(trial, both ? "both signs" : "one sign");
    attest_trial_label(trial, attest_dataset_length(d, 0) == attest_dataset_length(d, 1)
                                  ? "equal lengths"
                                  : "unequal lengths");
}

static attest_status decide(attest_trial *trial, const attest_instance *instance,
                            const attest_setting *setting, attest_error *error)
{
    const attest_dataset *d = &instance->dataset;
    attest_status status = ATTEST_OK;
    attest_weights layer[2];
    size_t first;
    fmpq *out[2];

    if (!meets_hypotheses(instance, setting)) {
        trial->outcome = ATTEST_DISCARDED;
        return ATTEST_OK;
    }
    first = fmpz_get_ui(fmpq_numref(attest_instance_get(instance, "first")));
    borrow(&layer[0], &instance->weights, 0, first);
    borrow(&layer[1], &instance->weights, first, instance->weights.heads);
    for (size_t i = 0; i < 2; i++)
        out[i] = _fmpq_vec_init((slong)(d->longest * d->dim));
    for (size_t i = 0; i < 2 && status == ATTEST_OK; i++) {
        attest_sequence sequence;

        attest_sequence_init(&sequence);
        status = attest_dataset_get_sequence(&sequence, d, i, NULL, error);
        if (status == ATTEST_OK)
            status = attest_two_layers_evaluate(out[i], layer, 2, &sequence, error);
        attest_sequence_clear(&sequence);
    }
    if (status == ATTEST_OK)
        compare(trial, instance, out);
    for (size_t i = 0; i < 2; i++)
        _fmpq_vec_clear(out[i], (slong)(d->longest * d->dim));
    add_labels(trial, instance);
    return status;
}

static const attest_droppable droppable[] = {
    {"nearest", true},      {"means", true},   {"multiplicities", true},
    {"uniform-ties", true}, {"no-mask", true}, {0},
};

static const attest_coverage coverage[] = {
    {"both signs", 40, 90},
    {"unequal lengths", 20, 80},
    {0},
};

const attest_property attest_property_two_layers = {
    .name = "two_layers",
    .title = "two random layers merge the universal pairs that survive",
    .statement = "two_layers",
    .gen = gen,
    .decide = decide,
    .droppable = droppable,
    .coverage = coverage,
    .trials = 2000,
};
