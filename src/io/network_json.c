/* network_json.c -- networks and feed-forward layers as JSON objects. */
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/scope.h"
#include "io/array.h"
#include "io/json_write.h"
#include "io/weights_json.h"
#include "number/rationals.h"

static void check_length(const attest_json_cursor *array, size_t expected)
{
    size_t length = attest_json_take_length(array, NULL);

    if (length != expected)
        attest_json_refuse(array, "%zu numbers, but %zu are expected", length, expected);
}

/* The columns of W_2, an array of arrays, over one denominator. */
static void set_outputs(attest_units *units, const attest_json_cursor *outputs)
{
    size_t total = units->count * units->dim;

    ATTEST_RATIONALS(rational, total);
    if (!rational)
        attest_json_note_memory(outputs);
    for (size_t h = 0; h < units->count && !attest_json_failed(outputs); h++) {
        attest_json_cursor column = attest_json_get_element(outputs, h);

        check_length(&column, units->dim);
        attest_json_take_rationals(rational + h * units->dim, &column, units->dim);
    }
    attest_json_take_common(units->output, units->output_denominator, rational, total, outputs);
}

static void set_group(attest_units *units, size_t dim, const attest_json_cursor *group)
{
    attest_json_cursor direction = attest_json_take(group, "direction");
    attest_json_cursor bias = attest_json_take(group, "bias");
    attest_json_cursor outputs = attest_json_take(group, "output");
    size_t count;

    check_length(&direction, dim);
    count = attest_json_take_length(&bias, NULL);
    check_length(&outputs, count);
    if (attest_json_failed(group))
        return;
    if (attest_units_resize(units, dim, count) != ATTEST_OK) {
        attest_json_note_memory(group);
        return;
    }
    attest_json_take_fractions(units->direction, units->direction_denominator, &direction, dim);
    attest_json_take_fractions(units->bias, units->bias_denominator, &bias, count);
    set_outputs(units, &outputs);
}

/* layer = the object of a feed-forward layer. Errors stick: FORMAT, UNABLE, NOMEM. */
static void set_feed_forward(attest_feed_forward *layer, size_t dim,
                             const attest_json_cursor *object)
{
    attest_json_cursor groups = attest_json_take(object, "groups");
    attest_json_cursor bias = attest_json_take(object, "bias");
    size_t count = attest_json_take_length(&groups, NULL);

    check_length(&bias, dim);
    if (attest_json_failed(object))
        return;
    if (attest_feed_forward_resize(layer, dim, count) != ATTEST_OK)
        attest_json_note_memory(object);
    if (attest_json_has(object, "skip"))
        layer->skip = attest_json_take_bool(object, "skip");
    attest_json_take_rationals(layer->bias, &bias, dim);
    for (size_t g = 0; g < count && !attest_json_failed(object); g++) {
        attest_json_cursor group = attest_json_get_element(&groups, g);

        set_group(&layer->group[g], dim, &group);
    }
}

static void write_group(attest_json *json, const attest_units *units)
{
    attest_json_write_object(json, NULL);
    attest_json_write_fractions(json, "direction", units->direction,
                                units->direction_denominator, units->dim);
    attest_json_write_fractions(json, "bias", units->bias, units->bias_denominator,
                                units->count);
    attest_json_write_array(json, "output");
    for (size_t h = 0; h < units->count; h++)
        attest_json_write_fractions(json, NULL, units->output + h * units->dim,
                                    units->output_denominator, units->dim);
    attest_json_write_close(json);
    attest_json_write_close(json);
}

static void write_feed_forward(attest_json *json, const char *key,
                               const attest_feed_forward *layer)
{
    attest_json_write_object(json, key);
    attest_json_write_string(json, "type", "feed-forward");
    attest_json_write_bool(json, "skip", layer->skip);
    attest_json_write_array(json, "groups");
    for (size_t g = 0; g < layer->groups; g++)
        write_group(json, &layer->group[g]);
    attest_json_write_close(json);
    attest_json_write_array(json, "bias");
    for (size_t c = 0; c < layer->dim; c++)
        attest_json_write_rational(json, NULL, layer->bias + c);
    attest_json_write_close(json);
    attest_json_write_close(json);
}

/* Networks. */

static size_t take_size(const attest_json_cursor *object, const char *key)
{
    return (size_t)attest_json_take_count(object, key, "it must not be negative");
}

static void set_tags(attest_network *network, const attest_json_cursor *tags)
{
    size_t count = attest_json_take_length(tags, NULL);

    network->tag = attest_memory_alloc(count, sizeof *network->tag);
    if (!network->tag)
        attest_json_note_memory(tags);
    for (; network->tags < count && !attest_json_failed(tags); network->tags++) {
        attest_json_cursor tag = attest_json_get_element(tags, network->tags);

        network->tag[network->tags] = attest_json_take_copy(&tag, NULL);
    }
}

/* Reads a layer into its place: before the attention layer, the attention layer itself, or
 * after it. */
static void set_layer(attest_network *network, bool *attended, const attest_json_cursor *layer)
{
    static const char *const type_names[] = {"feed-forward", "attention"};
    attest_feed_forward *place = *attended ? &network->after : &network->before;
    bool *taken = *attended ? &network->has_after : &network->has_before;
    bool attention = attest_json_take_choice(layer, "type", type_names, 2) == 1;
    attest_json_cursor weights;

    if (attention ? *attended : *taken)
        attest_json_refuse(layer, "a network is one attention layer with at most one "
                                  "feed-forward layer on either side");
    if (!attention) {
        *taken = true;
        set_feed_forward(place, network->dim, layer);
        return;
    }
    *attended = true;
    weights = attest_json_take(layer, "weights");
    attest_weights_set_json(&network->attention, &weights);
}

static void set_layers(attest_network *network, const attest_json_cursor *layers)
{
    size_t count = attest_json_take_length(layers, NULL);
    bool attended = false;

    for (size_t l = 0; l < count && !attest_json_failed(layers); l++) {
        attest_json_cursor layer = attest_json_get_element(layers, l);

        set_layer(network, &attended, &layer);
    }
    if (!attended)
        attest_json_refuse(layers, "there is no attention layer");
}

void attest_network_set_json(attest_network *network, const attest_json_cursor *object)
{
    attest_json_cursor positional, tags, layers;

    attest_network_clear(network);
    attest_network_init(network);
    attest_json_take_format(object, "attest/network");
    network->dim = take_size(object, "dim");
    network->input_dim = take_size(object, "input_dim");
    network->output_dim = take_size(object, "output_dim");
    network->positional = attest_json_find_member(&positional, object, "positional");
    if (network->positional) {
        network->axis = take_size(&positional, "axis");
        attest_json_take_rational(network->step, &positional, "step");
    }
    network->embed = attest_json_take_optional(object, "embed");
    if (attest_json_find_member(&tags, object, "tags"))
        set_tags(network, &tags);
    layers = attest_json_take(object, "layers");
    set_layers(network, &layers);
    ATTEST_JSON_NOTE(object, attest_network_check_shapes(network, object->failure->error));
    if (attest_json_failed(object)) {
        attest_network_clear(network);
        attest_network_init(network);
    }
}

/* A network differs from weights by its "format". */
static void set_any(void *value, const attest_json_cursor *object)
{
    attest_network *network = value;
    attest_json_cursor format;
    const char *name = "";

    if (attest_json_find_member(&format, object, "format") &&
        attest_json_get_string(&name, &format, NULL) == ATTEST_OK &&
        strcmp(name, "attest/network") == 0)
        attest_network_set_json(network, object);
    else
        attest_weights_set_json(&network->attention, object);
}

static attest_status parse_any(attest_network *network, const attest_input *input,
                               attest_budget *budget, attest_error *error)
{
    if (attest_array_find_format(input->data, input->size) != ATTEST_ARRAY_OTHER)
        return attest_weights_parse_binary(&network->attention, input->data, input->size,
                                           budget, error);
    return attest_json_parse_value(network, set_any, (const char *)input->data, input->size,
                                   budget, error);
}

attest_status attest_network_read_any(attest_network *network, const char *path,
                                      attest_budget *budget, attest_error *error)
{
    attest_input input ATTEST_CLEARED_BY(attest_input_close) = {0};

    attest_network_clear(network);
    attest_network_init(network);
    ATTEST_TRY(attest_input_open(&input, path, attest_budget_left(budget), error));
    ATTEST_TRY(attest_input_locate(&input, parse_any(network, &input, budget, error), error));
    if (network->dim == 0)
        network->dim = network->input_dim = network->output_dim = network->attention.dim;
    return ATTEST_OK;
}

static void write_encoding(attest_json *json, const attest_network *network)
{
    if (network->positional) {
        attest_json_write_object(json, "positional");
        attest_json_write_count(json, "axis", network->axis);
        attest_json_write_rational(json, "step", network->step);
        attest_json_write_close(json);
    }
    if (network->embed)
        attest_json_write_string(json, "embed", network->embed);
    if (network->tags) {
        attest_json_write_array(json, "tags");
        for (size_t t = 0; t < network->tags; t++)
            attest_json_write_string(json, NULL, network->tag[t]);
        attest_json_write_close(json);
    }
}

void attest_network_write_json(attest_json *json, const char *key,
                               const attest_network *network)
{
    attest_json_write_object(json, key);
    attest_json_write_format(json, "attest/network");
    attest_json_write_count(json, "dim", network->dim);
    attest_json_write_count(json, "input_dim", network->input_dim);
    attest_json_write_count(json, "output_dim", network->output_dim);
    write_encoding(json, network);
    attest_json_write_array(json, "layers");
    if (network->has_before)
        write_feed_forward(json, NULL, &network->before);
    attest_json_write_object(json, NULL);
    attest_json_write_string(json, "type", "attention");
    attest_weights_write_json(json, "weights", &network->attention);
    attest_json_write_close(json);
    if (network->has_after)
        write_feed_forward(json, NULL, &network->after);
    attest_json_write_close(json);
    attest_json_write_close(json);
}

attest_status attest_network_write(const attest_network *network, const char *path,
                                   attest_error *error)
{
    attest_json_file file;

    ATTEST_TRY(attest_json_file_open(&file, path, error));
    attest_network_write_json(&file.json, NULL, network);
    return attest_json_file_commit(&file, error);
}
