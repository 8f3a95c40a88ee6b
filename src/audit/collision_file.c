/* collision_file.c -- a colliding pair as a counterexample that can be replayed. */
#include "audit/collision_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "number/scope.h"

/* Appends sequence i to the builder. */
static attest_status copy_sequence(attest_dataset_builder *builder,
                                   const attest_dataset *dataset, size_t i, attest_error *error)
{
    FMPQ_VEC(entry, (slong)dataset->dim);

    for (size_t k = 0; k < attest_dataset_length(dataset, i); k++) {
        attest_tokens_get_entries(entry, &dataset->tokens, attest_dataset_token(dataset, i, k));
        ATTEST_TRY(attest_dataset_builder_add_token(builder, entry, error));
    }
    return attest_dataset_builder_end_sequence(builder, error);
}

static attest_status copy_sequences(attest_dataset *copy, const attest_dataset *dataset,
                                    const attest_place place[2], attest_error *error)
{
    ATTEST_SCOPED(attest_dataset_builder, builder, dataset->dim, ATTEST_TABLE_RATIONAL, NULL);

    ATTEST_TRY(copy_sequence(&builder, dataset, place[0].sequence, error));
    if (place[1].sequence != place[0].sequence)
        ATTEST_TRY(copy_sequence(&builder, dataset, place[1].sequence, error));
    return attest_dataset_builder_finish(copy, &builder, error);
}

static attest_status add_parameters(attest_counterexample *c,
                                    const attest_simulated_arithmetic *a)
{
    char block[32], seed[32];
    const char *const parameter[][2] = {
        {"delta", "0"},
        {"format", a->format.name},
        {"rounding", attest_simulated_rounding_name(a->rounding)},
        {"seed", a->rounding == ATTEST_SIMULATED_STOCHASTIC ? seed : NULL},
        {"accumulate", a->accumulates ? a->accumulate.name : NULL},
        {"softmax", attest_simulated_softmax_name(a->softmax)},
        {"block", a->softmax == ATTEST_SIMULATED_ONLINE ? block : NULL},
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
                                         const attest_simulated_arithmetic *arithmetic,
                                         const size_t pair[2], attest_error *error)
{
    const attest_place place[2] = {attest_place_get(audit->dataset, pair[0]),
                                   attest_place_get(audit->dataset, pair[1])};

    ATTEST_TRY(copy_sequences(&counterexample->dataset, audit->dataset, place, error));
    if (attest_weights_set(&counterexample->weights, audit->weights) != ATTEST_OK)
        return attest_memory_fail(error);
    counterexample->has_pair = true;
    counterexample->pair[0][0] = 0;
    counterexample->pair[0][1] = place[0].position;
    counterexample->pair[1][0] = place[1].sequence != place[0].sequence;
    counterexample->pair[1][1] = place[1].position;
    if (attest_counterexample_set_texts(counterexample, "contextual", "contextual-mapping",
                                        "audit") != ATTEST_OK ||
        add_parameters(counterexample, arithmetic) != ATTEST_OK)
        return attest_memory_fail(error);
    return ATTEST_OK;
}

static const char *parameter(const attest_counterexample *file, const char *name)
{
    for (size_t i = 0; i < file->parameters; i++)
        if (strcmp(file->parameter[i].name, name) == 0)
            return file->parameter[i].value;
    return NULL;
}

bool attest_audit_collision_is(const attest_counterexample *counterexample)
{
    return parameter(counterexample, "format") != NULL;
}

/* *value = the index of the parameter's word among the names; unchanged if the parameter is
 * absent. */
static attest_status get_word(int *value, const attest_counterexample *file, const char *name,
                              const char *const *names, attest_error *error)
{
    const char *text = parameter(file, name);

    for (int i = 0; text && names[i]; i++)
        if (strcmp(text, names[i]) == 0) {
            *value = i;
            return ATTEST_OK;
        }
    return text ? attest_error_set(error, ATTEST_FORMAT,
                                   "parameters.%s: \"%.100s\" is not known", name, text)
                : ATTEST_OK;
}

static attest_status get_whole(uint64_t *value, const attest_counterexample *file,
                               const char *name, attest_error *error)
{
    const char *text = parameter(file, name);
    char *end;

    if (!text)
        return ATTEST_OK;
    errno = 0;
    *value = strtoull(text, &end, 10);
    if (errno || end == text || *end || *value == 0)
        return attest_error_set(error, ATTEST_FORMAT,
                                "parameters.%s: \"%.100s\" is not a whole number >= 1", name,
                                text);
    return ATTEST_OK;
}

static attest_status get_formats(attest_simulated_arithmetic *arithmetic,
                                 const attest_counterexample *file, attest_error *error)
{
    const char *accumulate = parameter(file, "accumulate");
    attest_format format;

    ATTEST_TRY(attest_format_parse(&format, parameter(file, "format"), error));
    attest_simulated_arithmetic_init(arithmetic, &format);
    if (accumulate)
        ATTEST_TRY(attest_format_parse(&arithmetic->accumulate, accumulate, error));
    arithmetic->accumulates = accumulate != NULL;
    return ATTEST_OK;
}

attest_status attest_audit_collision_arithmetic(attest_simulated_arithmetic *arithmetic,
                                                const attest_counterexample *file,
                                                attest_error *error)
{
    static const char *const rounding[] = {"nearest", "zero", "stochastic", NULL};
    static const char *const softmax[] = {"shifted", "naive", "online", NULL};
    static const char *const sum[] = {"sequential", "pairwise", NULL};
    static const char *const truth[] = {"false", "true", NULL};
    int word[4] = {0};
    attest_status status = get_formats(arithmetic, file, error);
    uint64_t block = 16, seed = 1;

    if (status == ATTEST_USAGE)
        return attest_error_prefix(error, error->status = ATTEST_FORMAT, "parameters");
    ATTEST_TRY(status);
    ATTEST_TRY(get_word(&word[0], file, "rounding", rounding, error));
    ATTEST_TRY(get_word(&word[1], file, "softmax", softmax, error));
    ATTEST_TRY(get_word(&word[2], file, "sum", sum, error));
    ATTEST_TRY(get_word(&word[3], file, "fma", truth, error));
    ATTEST_TRY(get_whole(&block, file, "block", error));
    ATTEST_TRY(get_whole(&seed, file, "seed", error));
    arithmetic->rounding = (attest_simulated_rounding)word[0];
    arithmetic->softmax = (attest_simulated_softmax)word[1];
    arithmetic->pairwise = word[2] == 1;
    arithmetic->fma = word[3] == 1;
    arithmetic->block = (size_t)block;
    arithmetic->seed = seed;
    return ATTEST_OK;
}

attest_status attest_audit_collision_check(bool *collides, const attest_counterexample *file,
                                           attest_error *error)
{
    const attest_dataset *dataset = &file->dataset;
    attest_simulated_arithmetic arithmetic;
    ATTEST_SCOPED(attest_contexts, classes);
    attest_audit_outputs outputs ATTEST_CLEARED_BY(attest_audit_outputs_clear) = {0};
    attest_audit_request request;
    size_t p, q;

    if (!file->has_pair || dataset->count == 0 || file->weights.dim != dataset->dim)
        return attest_error_set(error, ATTEST_FORMAT,
                                "a collision needs a dataset, weights for it and a pair");
    p = dataset->start[file->pair[0][0]] + file->pair[0][1];
    q = dataset->start[file->pair[1][0]] + file->pair[1][1];
    ATTEST_TRY(attest_weights_check_shapes(&file->weights, error));
    ATTEST_TRY(attest_audit_collision_arithmetic(&arithmetic, file, error));
    ATTEST_TRY(attest_contexts_get_classes(&classes, dataset, file->weights.mask, error));
    attest_audit_request_init(&request, dataset, &file->weights);
    ATTEST_TRY(attest_audit_evaluate(&outputs, &request, &arithmetic, error));
    *collides = classes.position[p] != classes.position[q] &&
                (!attest_audit_outputs_finite(&outputs, p) ||
                 !attest_audit_outputs_finite(&outputs, q) ||
                 attest_audit_outputs_compare(&outputs, p, q) == 0);
    return ATTEST_OK;
}
