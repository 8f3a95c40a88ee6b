/* collision_file.c -- a colliding pair as a counterexample that can be replayed. */
#include "audit/collision_file.h"

#include <stdio.h>

/* Appends sequence i to the builder. */
static attest_status copy_sequence(attest_dataset_builder *builder,
                                   const attest_dataset *dataset, size_t i, attest_error *error)
{
    fmpq *entry = _fmpq_vec_init((slong)dataset->dim);
    attest_status status = ATTEST_OK;

    for (size_t k = 0; k < attest_dataset_length(dataset, i) && status == ATTEST_OK; k++) {
        for (size_t c = 0; c < dataset->dim; c++)
            attest_tokens_get_entry(entry + c, &dataset->tokens,
                                    attest_dataset_token(dataset, i, k), c);
        status = attest_dataset_builder_add_token(builder, entry, error);
    }
    _fmpq_vec_clear(entry, (slong)dataset->dim);
    return status == ATTEST_OK ? attest_dataset_builder_end_sequence(builder, error) : status;
}

static attest_status copy_sequences(attest_dataset *copy, const attest_dataset *dataset,
                                    const attest_place place[2], attest_error *error)
{
    attest_dataset_builder builder;
    attest_status status;

    attest_dataset_builder_init(&builder, dataset->dim, ATTEST_TABLE_RATIONAL, NULL);
    status = copy_sequence(&builder, dataset, place[0].sequence, error);
    if (status == ATTEST_OK && place[1].sequence != place[0].sequence)
        status = copy_sequence(&builder, dataset, place[1].sequence, error);
    if (status == ATTEST_OK)
        status = attest_dataset_builder_finish(copy, &builder, error);
    attest_dataset_builder_clear(&builder);
    return status;
}

static attest_status copy_weights(attest_weights *copy, const attest_weights *weights,
                                  attest_error *error)
{
    if (attest_weights_resize(copy, weights->heads) != ATTEST_OK)
        return attest_error_set(error, ATTEST_NOMEM, "out of memory");
    copy->activation = weights->activation;
    copy->ties = weights->ties;
    copy->mask = weights->mask;
    copy->skip = weights->skip;
    copy->dim = weights->dim;
    for (size_t h = 0; h < weights->heads; h++) {
        attest_matrix_set(&copy->head[h].wq, &weights->head[h].wq);
        attest_matrix_set(&copy->head[h].wk, &weights->head[h].wk);
        attest_matrix_set(&copy->head[h].wv, &weights->head[h].wv);
        attest_matrix_set(&copy->head[h].wo, &weights->head[h].wo);
    }
    return ATTEST_OK;
}

static attest_status add_parameters(attest_counterexample *c, const attest_arithmetic *a)
{
    char block[32], seed[32];
    const char *const parameter[][2] = {
        {"delta", "0"},
        {"number", a->format.name},
        {"round", attest_audit_rounding_name(a->rounding)},
        {"seed", a->rounding == ATTEST_AUDIT_STOCHASTIC ? seed : NULL},
        {"accumulate", a->accumulates ? a->accumulate.name : NULL},
        {"softmax", attest_audit_softmax_name(a->softmax)},
        {"block", a->softmax == ATTEST_AUDIT_ONLINE ? block : NULL},
        {"sum", a->pairwise ? "pairwise" : "sequential"},
        {"fma", a->fma ? "true" : "false"},
    };

    snprintf(block, sizeof block, "%zu", a->block);
    snprintf(seed, sizeof seed, "%llu", (unsigned long long)a->seed);
    for (size_t i = 0; i < sizeof parameter / sizeof parameter[0]; i++)
        if (parameter[i][1] && attest_counterexample_add_parameter(
                                   c, parameter[i][0], parameter[i][1]) != ATTEST_OK)
            return ATTEST_NOMEM;
    return ATTEST_OK;
}

attest_status attest_audit_collision_set(attest_counterexample *counterexample,
                                         const attest_audit *audit,
                                         const attest_arithmetic *arithmetic,
                                         const size_t pair[2], attest_error *error)
{
    const attest_place place[2] = {attest_audit_place(audit->dataset, pair[0]),
                                   attest_audit_place(audit->dataset, pair[1])};
    attest_status status =
        copy_sequences(&counterexample->dataset, audit->dataset, place, error);

    if (status == ATTEST_OK)
        status = copy_weights(&counterexample->weights, audit->weights, error);
    if (status != ATTEST_OK)
        return status;
    counterexample->has_pair = true;
    counterexample->pair[0][0] = 0;
    counterexample->pair[0][1] = place[0].position;
    counterexample->pair[1][0] = place[1].sequence != place[0].sequence;
    counterexample->pair[1][1] = place[1].position;
    if (attest_counterexample_set_texts(counterexample, "contextual", "contextual-mapping",
                                        "audit") != ATTEST_OK ||
        add_parameters(counterexample, arithmetic) != ATTEST_OK)
        return attest_error_set(error, ATTEST_NOMEM, "out of memory");
    return ATTEST_OK;
}
