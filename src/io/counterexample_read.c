/* counterexample_read.c -- reading counterexamples. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/input.h"
#include "io/counterexample_json.h"
#include "io/dataset_json.h"
#include "io/json_member.h"
#include "io/weights_json.h"

static attest_status get_text(const char **text, const attest_json_cursor *object,
                              const char *key, const char *otherwise, attest_error *error)
{
    attest_json_cursor member;

    *text = otherwise;
    if (!attest_json_find_member(&member, object, key))
        return ATTEST_OK;
    return attest_json_get_string(text, &member, error);
}

static attest_status read_texts(attest_counterexample *counterexample,
                                const attest_json_cursor *object, attest_error *error)
{
    const char *property, *definition, *found_by, *hash;
    attest_json_cursor member, violates;
    attest_status status = attest_json_get_member(&member, object, "property", error);

    if (status == ATTEST_OK)
        status = attest_json_get_string(&property, &member, error);
    if (status == ATTEST_OK)
        status = attest_json_get_member(&violates, object, "violates", error);
    if (status == ATTEST_OK)
        status = get_text(&definition, &violates, "definition", "", error);
    if (status == ATTEST_OK)
        status = get_text(&found_by, object, "found_by", "", error);
    if (status == ATTEST_OK)
        status = get_text(&hash, object, "object", "", error);
    if (status != ATTEST_OK)
        return status;
    snprintf(counterexample->object, sizeof counterexample->object, "%s", hash);
    if (attest_counterexample_set_texts(counterexample, property, definition, found_by))
        return attest_memory_fail(error);
    return ATTEST_OK;
}

static attest_status read_values(attest_counterexample *counterexample,
                                 const attest_json_cursor *object, attest_error *error)
{
    attest_json_cursor member;
    attest_status status = ATTEST_OK;

    if (attest_json_find_member(&member, object, "dataset"))
        status = attest_dataset_set_json(&counterexample->dataset, &member, error);
    if (status == ATTEST_OK && attest_json_find_member(&member, object, "weights"))
        status = attest_weights_set_json(&counterexample->weights, &member, error);
    if (status == ATTEST_OK && counterexample->dataset.count > 0 &&
        counterexample->weights.heads > 0 &&
        counterexample->dataset.dim != counterexample->weights.dim)
        return attest_json_fail(object, error, ATTEST_FORMAT,
                                "tokens have %zu entries, but the weights take %zu",
                                counterexample->dataset.dim, counterexample->weights.dim);
    return status;
}

/* A parameter is a string, or a JSON number, whose text is kept. */
static attest_status read_parameters(attest_counterexample *counterexample,
                                     const attest_json_cursor *object, attest_error *error)
{
    attest_json_cursor all, member;

    if (!attest_json_find_member(&all, object, "parameters"))
        return ATTEST_OK;
    if (!attest_json_is_object(&all))
        return attest_json_fail(&all, error, ATTEST_FORMAT, "is not an object");
    for (size_t i = 0; attest_json_get_member_at(&member, &all, i); i++) {
        const char *text;
        attest_status status = attest_json_get_text(&text, &member, error);
        if (status != ATTEST_OK)
            return status;
        if (attest_counterexample_add_parameter(counterexample, member.key, text))
            return attest_memory_fail(error);
    }
    return ATTEST_OK;
}

/* index = element e of array, a whole number below limit (0: no limit known). */
static attest_status read_index(size_t *index, const attest_json_cursor *array, size_t e,
                                size_t limit, const char *what, attest_error *error)
{
    attest_json_cursor element = attest_json_get_element(array, e);
    int64_t value;
    attest_status status = attest_json_get_integer(&value, &element, error);

    if (status != ATTEST_OK)
        return status;
    if (value < 0 || (uint64_t)value >= limit)
        return attest_json_fail(&element, error, ATTEST_FORMAT, "there is no such %s", what);
    *index = (size_t)value;
    return ATTEST_OK;
}

static attest_status check_length(const attest_json_cursor *array, attest_error *error)
{
    size_t length;
    attest_status status = attest_json_get_length(&length, array, error);

    if (status == ATTEST_OK && length != 2)
        return attest_json_fail(array, error, ATTEST_FORMAT, "has not two elements");
    return status;
}

static attest_status read_pair(attest_counterexample *counterexample,
                               const attest_json_cursor *object, attest_error *error)
{
    const attest_dataset *dataset = &counterexample->dataset;
    attest_json_cursor violates, pair;
    attest_status status;

    if (!attest_json_find_member(&violates, object, "violates") ||
        !attest_json_find_member(&pair, &violates, "pair"))
        return ATTEST_OK;
    status = check_length(&pair, error);
    for (size_t side = 0; side < 2 && status == ATTEST_OK; side++) {
        attest_json_cursor place = attest_json_get_element(&pair, side);
        size_t *index = counterexample->pair[side];

        status = check_length(&place, error);
        if (status == ATTEST_OK)
            status = read_index(&index[0], &place, 0, dataset->count, "sequence", error);
        if (status == ATTEST_OK)
            status = read_index(&index[1], &place, 1, attest_dataset_length(dataset, index[0]),
                                "position", error);
    }
    counterexample->has_pair = status == ATTEST_OK;
    return status;
}

/* Seeds are strings "0x...": a JSON number cannot hold 64 bits everywhere. */
static attest_status read_origin(attest_counterexample *counterexample,
                                 const attest_json_cursor *object, attest_error *error)
{
    attest_json_cursor member;
    attest_status status = ATTEST_OK;
    const char *text;
    int64_t steps;
    char *end;

    if (attest_json_find_member(&member, object, "seed")) {
        status = attest_json_get_string(&text, &member, error);
        if (status != ATTEST_OK)
            return status;
        counterexample->seed = strtoull(text, &end, 0);
        if (end == text || *end)
            return attest_json_fail(&member, error, ATTEST_FORMAT, "is not a seed");
        counterexample->has_seed = true;
    }
    if (attest_json_find_member(&member, object, "shrink_steps")) {
        status = attest_json_get_integer(&steps, &member, error);
        if (status == ATTEST_OK && steps < 0)
            return attest_json_fail(&member, error, ATTEST_FORMAT, "is negative");
        if (status == ATTEST_OK)
            counterexample->shrink_steps = (size_t)steps;
    }
    return status;
}

attest_status attest_counterexample_set_json(attest_counterexample *counterexample,
                                             const attest_json_cursor *object,
                                             attest_error *error)
{
    static attest_status (*const steps[])(attest_counterexample *, const attest_json_cursor *,
                                          attest_error *) = {
        read_texts, read_values, read_parameters, read_pair, read_origin,
    };
    attest_status status = attest_json_check_format(object, "attest/counterexample", error);

    for (size_t s = 0; s < sizeof steps / sizeof *steps && status == ATTEST_OK; s++)
        status = steps[s](counterexample, object, error);
    if (status != ATTEST_OK) {
        attest_counterexample_clear(counterexample);
        attest_counterexample_init(counterexample);
    }
    return status;
}

static attest_status set(void *counterexample, const attest_json_cursor *object,
                         attest_error *error)
{
    return attest_counterexample_set_json(counterexample, object, error);
}

attest_status attest_counterexample_read(attest_counterexample *counterexample,
                                         const char *path, attest_budget *budget,
                                         attest_error *error)
{
    return attest_json_read_value(counterexample, set, path, budget, error);
}
