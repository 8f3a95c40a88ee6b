/* memorization_gen.c -- labelled data for Corollaries 1 and 2. */

#include "number/scope.h"
#include "theory/contextual.h"
#include "theory/positional.h"

#include "base/memory.h"
#include "campaign/gen.h"
#include "number/rationals.h"
#include "props/memorization.h"

enum { LABEL_LIMIT = 9 };

static attest_status gen_tokens(attest_instance *instance, struct theft *t, bool repeats)
{
    attest_gen_tokens tokens = {
        .dim_max = 4, .count_min = 2, .count_max = 8, .zero = repeats, .decades = 4};
    attest_gen_sequences sequences = {
        .count_min = 1, .count_max = 6, .length_min = 1, .length_max = 6, .repeats = repeats};

    return attest_gen_sequences_of(&instance->dataset, t, &tokens, &sequences);
}

/* (a, b, 0) and (c, d, 0) with a + b = c + d, all positive: 0 sees the mean only. */
static attest_status gen_zero(attest_instance *instance, struct theft *t)
{
    ulong a = attest_gen_size(t, 1, 6), step = attest_gen_size(t, 1, 6),
          inner = attest_gen_size(t, 1, 6);
    ulong value[2][3] = {{a, a + 2 * step + inner, 0}, {a + step, a + step + inner, 0}};
    ATTEST_SCOPED(attest_dataset_builder, builder, 1, ATTEST_TABLE_RATIONAL, NULL);
    FMPQ(token);

    for (size_t i = 0; i < 2; i++) {
        for (size_t k = 0; k < 3; k++) {
            fmpq_set_ui(token, value[i][k], 1);
            ATTEST_TRY(attest_dataset_builder_add_token(&builder, token, NULL));
        }
        ATTEST_TRY(attest_dataset_builder_end_sequence(&builder, NULL));
    }
    return attest_dataset_builder_finish(&instance->dataset, &builder, NULL);
}

/* The contexts of the data as the network will see them. */
static attest_status get_contexts(attest_contexts *contexts, const attest_dataset *dataset,
                                  attest_mask mask, bool positional)
{
    ATTEST_SCOPED(attest_positional, encoding);
    ATTEST_SCOPED(attest_dataset, encoded);

    contexts->keep_positions = true;
    if (positional) {
        ATTEST_TRY(attest_positional_get(&encoding, dataset, NULL));
        ATTEST_TRY(
            attest_positional_encode(&encoded, dataset, dataset->dim, 0, encoding.step, NULL));
    }
    return attest_contexts_get(contexts, positional ? &encoded : dataset, mask,
                               ATTEST_TIES_UNIFORM, NULL);
}

/* One label for each class, or for each position. */
static attest_status gen_labels(attest_dataset *dataset, struct theft *t,
                                const attest_contexts *contexts, bool by_position)
{
    size_t dim = attest_gen_size(t, 1, dataset->dim + 1), total = dataset->total;
    size_t *first ATTEST_FREED = attest_memory_alloc(total, sizeof *first);

    dataset->label = attest_rationals_alloc(total * dim);
    if (!first || !dataset->label)
        return ATTEST_NOMEM;
    dataset->label_dim = dim;
    for (size_t p = 0; p < total; p++) {
        size_t class = contexts->context[contexts->position[p]].group;

        for (size_t c = 0; c < dim; c++) {
            fmpq *label = dataset->label + p * dim + c;
            if (first[class] && !by_position)
                fmpq_set(label, dataset->label + (first[class] - 1) * dim + c);
            else
                attest_gen_rational(label, t, LABEL_LIMIT);
        }
        if (!first[class])
            first[class] = p + 1;
    }
    return ATTEST_OK;
}

attest_status attest_props_memorization_gen(attest_instance *instance, struct theft *t,
                                            const attest_setting *setting, bool positional)
{
    bool zero = attest_setting_drops(setting, "r-min");
    bool causal = !zero && attest_gen_size(t, 0, 1);
    ATTEST_SCOPED(attest_contexts, contexts);

    fmpq_set_ui(attest_instance_set(instance, "mask"), causal, 1);
    if (zero)
        ATTEST_TRY(gen_zero(instance, t));
    else
        ATTEST_TRY(gen_tokens(instance, t,
                              positional || attest_setting_drops(setting, "no-duplicates")));
    ATTEST_TRY(get_contexts(&contexts, &instance->dataset,
                            causal ? ATTEST_MASK_CAUSAL : ATTEST_MASK_NONE, positional));
    return gen_labels(&instance->dataset, t, &contexts,
                      attest_setting_drops(setting, "consistent"));
}
