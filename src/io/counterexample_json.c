/* counterexample_json.c -- reads and writes counterexamples. */
#include "io/counterexample_json.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/scope.h"
#include "io/dataset.h"
#include "io/json_write.h"
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

/* A parameter is a string, or a JSON number, which is stored as text. */
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

/* A whole number below the limit. */
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

/* Seeds are strings "0x...": not every JSON reader has numbers of 64 bits. */
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

static void write_place(attest_json *json, const char *key, attest_place place)
{
    attest_json_write_array(json, key);
    attest_json_write_count(json, NULL, place.sequence);
    attest_json_write_count(json, NULL, place.position);
    attest_json_write_close(json);
}

static void write_labels(attest_json *json, const attest_dataset *dataset,
                         const attest_place place[2])
{
    size_t dim = dataset->label_dim;

    attest_json_write_array(json, "labels");
    for (int side = 0; side < 2; side++) {
        size_t at = dataset->start[place[side].sequence] + place[side].position;

        attest_json_write_array(json, NULL);
        for (size_t c = 0; c < dim; c++)
            attest_json_write_rational(json, NULL, dataset->label + at * dim + c);
        attest_json_write_close(json);
    }
    attest_json_write_close(json);
}

/* place: in the dataset that is written. */
static void write_violation(attest_json *json, const attest_counterexample_excerpt *excerpt,
                            const attest_place place[2])
{
    attest_json_write_object(json, "violates");
    attest_json_write_string(json, "definition", excerpt->definition);
    if (excerpt->bound)
        attest_json_write_string(json, "bound", excerpt->bound);
    if (excerpt->hypothesis)
        attest_json_write_string(json, "hypothesis", excerpt->hypothesis);
    if (excerpt->places == 1) {
        write_place(json, "token", place[0]);
    } else if (excerpt->places == 2) {
        attest_json_write_array(json, "pair");
        write_place(json, NULL, place[0]);
        write_place(json, NULL, place[1]);
        attest_json_write_close(json);
        if (excerpt->labels)
            write_labels(json, excerpt->dataset, excerpt->place);
    }
    attest_json_write_close(json);
}

static void write_beginning(attest_json *json, const char *property)
{
    attest_json_write_format(json, "attest/counterexample");
    attest_json_write_string(json, "property", property);
}

static void write_outputs(attest_json *json, const attest_counterexample *counterexample)
{
    size_t dim = counterexample->dataset.dim;
    bool equal = true;

    for (size_t c = 0; c < dim; c++)
        equal =
            equal && fmpq_equal(counterexample->output[0] + c, counterexample->output[1] + c);
    attest_json_write_bool(json, "outputs_equal", equal);
    attest_json_write_array(json, "outputs");
    for (int side = 0; side < 2; side++) {
        attest_json_write_array(json, NULL);
        for (size_t c = 0; c < dim; c++)
            attest_json_write_rational(json, NULL, counterexample->output[side] + c);
        attest_json_write_close(json);
    }
    attest_json_write_close(json);
}

void attest_counterexample_write_members(attest_json *json,
                                         const attest_counterexample *counterexample)
{
    const size_t(*pair)[2] = counterexample->pair;
    const attest_place place[2] = {{pair[0][0], pair[0][1]}, {pair[1][0], pair[1][1]}};
    const attest_counterexample_excerpt violation = {
        .definition = counterexample->definition, .places = counterexample->has_pair ? 2 : 0};

    write_beginning(json, counterexample->property);
    if (counterexample->dataset.count > 0)
        attest_dataset_write_json(json, "dataset", &counterexample->dataset);
    if (counterexample->weights.heads > 0)
        attest_weights_write_json(json, "weights", &counterexample->weights);
    attest_json_write_object(json, "parameters");
    for (size_t p = 0; p < counterexample->parameters; p++)
        attest_json_write_string(json, counterexample->parameter[p].name,
                                 counterexample->parameter[p].value);
    attest_json_write_close(json);
    write_violation(json, &violation, place);
    if (counterexample->has_seed)
        attest_json_write_seed(json, "seed", counterexample->seed);
    else
        attest_json_write_null(json, "seed");
    if (counterexample->object[0])
        attest_json_write_string(json, "object", counterexample->object);
    attest_json_write_string(json, "found_by", counterexample->found_by);
    attest_json_write_count(json, "shrink_steps", counterexample->shrink_steps);
    if (counterexample->has_outputs)
        write_outputs(json, counterexample);
}

void attest_counterexample_write_json(attest_json *json, const char *key,
                                      const attest_counterexample *counterexample)
{
    attest_json_write_object(json, key);
    attest_counterexample_write_members(json, counterexample);
    attest_json_write_close(json);
}

/* Writes the sequences of the places; if both are in one sequence, it is written once. */
static void write_sequences(attest_json *json, const attest_counterexample_excerpt *excerpt)
{
    const attest_place *place = excerpt->place;

    attest_json_write_object(json, "dataset");
    attest_json_write_format(json, "attest/dataset");
    attest_json_write_array(json, "sequences");
    for (size_t p = 0; p < excerpt->places; p++)
        if (p == 0 || place[p].sequence != place[0].sequence)
            attest_dataset_write_sequence_json(json, excerpt->dataset, place[p].sequence);
    attest_json_write_close(json);
    attest_json_write_close(json);
}

void attest_counterexample_write_excerpt(attest_json *json,
                                         const attest_counterexample_excerpt *excerpt)
{
    const attest_place *place = excerpt->place;
    const attest_place written[2] = {
        {0, place[0].position}, {place[1].sequence != place[0].sequence, place[1].position}};

    attest_json_write_object(json, "counterexample");
    write_beginning(json, excerpt->property);
    if (excerpt->places > 0)
        write_sequences(json, excerpt);
    if (excerpt->weights)
        attest_weights_write_json(json, "weights", excerpt->weights);
    attest_json_write_object(json, "parameters");
    for (size_t p = 0; p < excerpt->parameters; p++) {
        const attest_excerpt_parameter *parameter = &excerpt->parameter[p];

        if (parameter->number)
            attest_json_write_rational(json, parameter->name, parameter->number);
        else
            attest_json_write_string(json, parameter->name, parameter->text);
    }
    attest_json_write_close(json);
    write_violation(json, excerpt, written);
    attest_json_write_null(json, "seed");
    attest_json_write_string(json, "found_by", excerpt->found_by);
    attest_json_write_integer(json, "shrink_steps", 0);
    attest_json_write_close(json);
}

attest_status attest_counterexample_write(const attest_counterexample *counterexample,
                                          const char *path, attest_error *error)
{
    attest_json_file file;

    ATTEST_TRY(attest_json_file_open(&file, path, error));
    attest_counterexample_write_json(&file.json, NULL, counterexample);
    return attest_json_file_commit(&file, error);
}
