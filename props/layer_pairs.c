/* layer_pairs.c -- pairs of sequences along a line, and two hardmax layers. */
#include "props/layer_pairs.h"

#include <string.h>

#include "campaign/gen.h"
#include "number/scope.h"
#include "props/multiples.h"
#include "theory/two_layers.h"

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

static void add_block(attest_layer_pairs *lists, const block *b, long sign)
{
    for (size_t side = 0; side < 2; side++)
        for (size_t k = 0; k < b->length[side]; k++)
            lists->t[side][lists->length[side]++] = sign * b->t[side][k];
}

/* A nonzero multiple. */
static long gen_multiple(struct theft *t)
{
    long multiple = 1 + (long)theft_random_choice(t, LARGEST);

    return theft_random_choice(t, 2) ? -multiple : multiple;
}

/* Any pair with equal extremes, of both signs, and equal means: B is A, some tokens of which
 * are moved up, and as many down; half of them keep tokens at -1 and 1, too. */
static void gen_any(attest_layer_pairs *lists, struct theft *t)
{
    static const long fixed[] = {LARGEST, -LARGEST, 1, -1};
    size_t kept = theft_random_choice(t, 2) ? 2 : 4;
    size_t free = 2 + (size_t)theft_random_choice(t, ATTEST_LAYER_PAIRS_LONGEST - kept - 1);
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

static void gen_lists(attest_layer_pairs *lists, struct theft *t, const attest_setting *setting)
{
    const struct failing *fails = find_failing(setting);
    uint64_t kind = theft_random_choice(t, 3);

    *lists = (attest_layer_pairs){.length = {0, 0}};
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

/* Appends t u. */
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

attest_status attest_layer_pairs_build(attest_dataset *dataset, const attest_layer_pairs *lists,
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

void attest_layer_pairs_clear_weights(attest_weights (*layer)[2])
{
    attest_weights_clear(&(*layer)[0]);
    attest_weights_clear(&(*layer)[1]);
}

/* The layers that tell apart a pair that fails in this part, as one set of weights. */
static attest_status build_weights(attest_instance *instance, const attest_layer_pairs *lists,
                                   attest_two_layers_part part)
{
    attest_universal_pair pair = {
        {lists->length[0], lists->length[1]}, {lists->t[0], lists->t[1]}, {0, 0}};
    attest_weights layer[2] ATTEST_CLEARED_BY(attest_layer_pairs_clear_weights);
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

attest_status attest_layer_pairs_gen(attest_instance *instance, struct theft *t,
                                     const attest_setting *setting)
{
    const struct failing *fails = find_failing(setting);
    bool any = setting->without == NULL && theft_random_choice(t, 2);
    size_t dim = fails || any ? 2 : attest_gen_size(t, 1, 3);
    attest_two_layers_part part = ATTEST_TWO_LAYERS_NEAREST;
    long u[3] = {1, 0, 0};
    attest_layer_pairs lists = {.length = {0, 0}};

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
    return attest_layer_pairs_build(&instance->dataset, &lists, u, dim);
}
