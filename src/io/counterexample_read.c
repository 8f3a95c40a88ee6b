/* counterexample_read.c -- reading counterexamples. */
#include <stdio.h>
#include <stdlib.h>

#include "io/counterexample_json.h"
#include "io/dataset_json.h"
#include "io/weights_json.h"

static const char *take_text(const attest_json_cursor *object, const char *key)
{
    return attest_json_has(object, key) ? attest_json_take_string(object, key) : "";
}

static void read_texts(attest_counterexample *counterexample, const attest_json_cursor *object)
{
    const char *property = attest_json_take_string(object, "property");
    attest_json_cursor violates = attest_json_take(object, "violates");
    const char *definition = take_text(&violates, "definition");
    const char *found_by = take_text(object, "found_by");
    const char *hash = take_text(object, "object");

    snprintf(counterexample->object, sizeof counterexample->object, "%s", hash);
    if (attest_counterexample_set_texts(counterexample, property, definition, found_by))
        attest_json_note_memory(object);
}

static void read_values(attest_counterexample *counterexample, const attest_json_cursor *object)
{
    const attest_dataset *dataset = &counterexample->dataset;
    const attest_weights *weights = &counterexample->weights;
    attest_json_cursor member;

    if (attest_json_find_member(&member, object, "dataset"))
        attest_dataset_set_json(&counterexample->dataset, &member);
    if (attest_json_find_member(&member, object, "weights"))
        attest_weights_set_json(&counterexample->weights, &member);
    if (dataset->count > 0 && weights->heads > 0 && dataset->dim != weights->dim)
        attest_json_refuse(object, "tokens have %zu entries, but the weights take %zu",
                           dataset->dim, weights->dim);
}

/* A parameter is a string, or a JSON number, whose text is kept. */
static void read_parameters(attest_counterexample *counterexample,
                            const attest_json_cursor *object)
{
    attest_json_cursor all, member;

    if (!attest_json_find_member(&all, object, "parameters"))
        return;
    if (!attest_json_is_object(&all))
        attest_json_refuse(&all, "is not an object");
    for (size_t i = 0; attest_json_get_member_at(&member, &all, i); i++) {
        const char *text = attest_json_take_text(&member, NULL);

        if (!attest_json_failed(&all) &&
            attest_counterexample_add_parameter(counterexample, member.key, text))
            attest_json_note_memory(&all);
    }
}

/* A whole number below limit. */
static size_t take_index(const attest_json_cursor *element, size_t limit, const char *what)
{
    int64_t value = attest_json_take_integer(element, NULL);

    if (value < 0 || (uint64_t)value >= limit)
        attest_json_refuse(element, "there is no such %s", what);
    return attest_json_failed(element) ? 0 : (size_t)value;
}

static bool take_two(attest_json_cursor element[2], const attest_json_cursor *array)
{
    if (attest_json_take_length(array, NULL) != 2)
        attest_json_refuse(array, "has not two elements");
    for (size_t e = 0; e < 2 && !attest_json_failed(array); e++)
        element[e] = attest_json_get_element(array, e);
    return !attest_json_failed(array);
}

static void read_pair(attest_counterexample *counterexample, const attest_json_cursor *object)
{
    const attest_dataset *dataset = &counterexample->dataset;
    attest_json_cursor violates, pair, place[2], element[2];

    if (!attest_json_find_member(&violates, object, "violates") ||
        !attest_json_find_member(&pair, &violates, "pair") || !take_two(place, &pair))
        return;
    for (size_t side = 0; side < 2 && take_two(element, &place[side]); side++) {
        size_t *index = counterexample->pair[side];

        index[0] = take_index(&element[0], dataset->count, "sequence");
        if (!attest_json_failed(object))
            index[1] =
                take_index(&element[1], attest_dataset_length(dataset, index[0]), "position");
    }
    counterexample->has_pair = true;
}

/* Seeds are strings "0x...": a JSON number cannot hold 64 bits everywhere. */
static void read_origin(attest_counterexample *counterexample, const attest_json_cursor *object)
{
    attest_json_cursor member;

    counterexample->has_seed = attest_json_find_member(&member, object, "seed");
    if (counterexample->has_seed) {
        const char *text = attest_json_take_string(&member, NULL);
        char *end;

        counterexample->seed = strtoull(text, &end, 0);
        if (end == text || *end)
            attest_json_refuse(&member, "is not a seed");
    }
    if (attest_json_has(object, "shrink_steps"))
        counterexample->shrink_steps =
            (size_t)attest_json_take_count(object, "shrink_steps", "is negative");
}

void attest_counterexample_set_json(attest_counterexample *counterexample,
                                    const attest_json_cursor *object)
{
    attest_json_take_format(object, "attest/counterexample");
    read_texts(counterexample, object);
    read_values(counterexample, object);
    read_parameters(counterexample, object);
    read_pair(counterexample, object);
    read_origin(counterexample, object);
    if (attest_json_failed(object)) {
        attest_counterexample_clear(counterexample);
        attest_counterexample_init(counterexample);
    }
}

static void set(void *counterexample, const attest_json_cursor *object)
{
    attest_counterexample_set_json(counterexample, object);
}

attest_status attest_counterexample_parse_json(attest_counterexample *counterexample,
                                               const char *text, size_t size,
                                               attest_budget *budget, attest_error *error)
{
    attest_counterexample_clear(counterexample);
    attest_counterexample_init(counterexample);
    return attest_json_parse_value(counterexample, set, text, size, budget, error);
}

attest_status attest_counterexample_read(attest_counterexample *counterexample,
                                         const char *path, attest_budget *budget,
                                         attest_error *error)
{
    return attest_json_read_value(counterexample, set, path, budget, error);
}
