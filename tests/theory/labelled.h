/* labelled.h -- random labelled datasets for tests. */
#ifndef ATTEST_TESTS_LABELLED_H
#define ATTEST_TESTS_LABELLED_H

#include <string.h>

#include "theory/contextual.h"

#include "tests/tap.h"

/* What to draw. */
typedef struct labelled_shape {
    size_t dim, longest, count, label_dim;
    bool repeat;      /* tokens may stand twice in a sequence, and be zero */
    attest_mask mask; /* labels are consistent under it */
} labelled_shape;

static void labelled_token(fmpq *token, size_t dim, uint64_t *state)
{
    for (size_t c = 0; c < dim; c++)
        fmpq_set_si(token + c, (slong)(tap_random(state) % 13) - 6, 1 + tap_random(state) % 2);
}

static bool labelled_usable(const fmpq *sequence, size_t k, size_t dim)
{
    bool zero = true;

    for (size_t c = 0; c < dim; c++)
        zero = zero && fmpq_is_zero(sequence + k * dim + c);
    for (size_t l = 0; l < k; l++) {
        bool equal = true;
        for (size_t c = 0; c < dim; c++)
            equal = equal && fmpq_equal(sequence + k * dim + c, sequence + l * dim + c);
        if (equal)
            return false;
    }
    return !zero;
}

static void labelled_sequences(attest_dataset *data, const labelled_shape *shape,
                               uint64_t *state)
{
    fmpq *sequence = _fmpq_vec_init((slong)(shape->longest * shape->dim));
    attest_dataset_builder builder;

    attest_dataset_builder_init(&builder, shape->dim, ATTEST_TABLE_RATIONAL, NULL);
    for (size_t i = 0; i < shape->count; i++) {
        size_t length = 1 + tap_random(state) % shape->longest;
        for (size_t k = 0; k < length; k++) {
            fmpq *token = sequence + k * shape->dim;
            do
                labelled_token(token, shape->dim, state);
            while (!shape->repeat && !labelled_usable(sequence, k, shape->dim));
            if (attest_dataset_builder_add_token(&builder, token, NULL) != ATTEST_OK)
                abort();
        }
        if (attest_dataset_builder_end_sequence(&builder, NULL) != ATTEST_OK)
            abort();
    }
    if (attest_dataset_builder_finish(data, &builder, NULL) != ATTEST_OK)
        abort();
    attest_dataset_builder_clear(&builder);
    _fmpq_vec_clear(sequence, (slong)(shape->longest * shape->dim));
}

/* Equal classes get equal labels, p/q with |p| <= 20, q <= 7. */
__attribute__((unused)) static void labelled_gen(attest_dataset *data,
                                                 const labelled_shape *shape, uint64_t *state)
{
    attest_contexts contexts;
    uint64_t seed;

    labelled_sequences(data, shape, state);
    seed = tap_random(state);
    attest_contexts_init(&contexts);
    contexts.keep_positions = true;
    if (attest_contexts_get(&contexts, data, shape->mask, ATTEST_TIES_UNIFORM, NULL))
        abort();
    data->label_dim = shape->label_dim;
    data->label = calloc(data->total * shape->label_dim, sizeof *data->label);
    for (size_t p = 0; p < data->total; p++) {
        uint64_t own = seed + contexts.context[contexts.position[p]].group * 7919u;
        for (size_t c = 0; c < shape->label_dim; c++) {
            fmpq *label = data->label + p * shape->label_dim + c;
            uint64_t x = tap_random(&own);
            fmpq_init(label);
            fmpq_set_si(label, (slong)(x % 41) - 20, 1 + (x >> 32) % 7);
        }
    }
    attest_contexts_clear(&contexts);
}

#endif
