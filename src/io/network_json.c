/* network_json.c -- networks as JSON objects. */
#include "io/network_json.h"

#include <stdlib.h>
#include <string.h>

#include "base/input.h"
#include "base/memory.h"
#include "io/json_file.h"
#include "io/json_member.h"
#include "io/weights_json.h"

static attest_status set_size(size_t *value, const attest_json_cursor *object, const char *key,
                              attest_error *error)
{
    attest_json_cursor member;
    int64_t integer = 0;
    attest_status status = attest_json_get_member(&member, object, key, error);

    if (status == ATTEST_OK)
        status = attest_json_get_integer(&integer, &member, error);
    if (status == ATTEST_OK && integer < 0)
        status = attest_json_fail(&member, error, ATTEST_FORMAT, "it must not be negative");
    *value = (size_t)integer;
    return status;
}

static attest_status set_positional(attest_network *network, const attest_json_cursor *object,
                                    attest_error *error)
{
    attest_json_cursor positional, step;
    attest_status status;

    if (!attest_json_find_member(&positional, object, "positional"))
        return ATTEST_OK;
    status = set_size(&network->axis, &positional, "axis", error);
    if (status == ATTEST_OK)
        status = attest_json_get_member(&step, &positional, "step", error);
    if (status == ATTEST_OK)
        status = attest_json_get_rational(network->step, &step, error);
    network->positional = true;
    return status;
}

static attest_status copy_string(char **copy, const attest_json_cursor *cursor,
                                 attest_error *error)
{
    const char *string;
    attest_status status = attest_json_get_string(&string, cursor, error);

    if (status != ATTEST_OK)
        return status;
    *copy = attest_memory_copy(string);
    return *copy ? ATTEST_OK : attest_memory_fail(error);
}

static attest_status set_words(attest_network *network, const attest_json_cursor *object,
                               attest_error *error)
{
    attest_json_cursor embed, tags;
    size_t count = 0;
    attest_status status = ATTEST_OK;

    if (attest_json_find_member(&embed, object, "embed"))
        status = copy_string(&network->embed, &embed, error);
    if (status != ATTEST_OK || !attest_json_find_member(&tags, object, "tags"))
        return status;
    status = attest_json_get_length(&count, &tags, error);
    if (status != ATTEST_OK)
        return status;
    network->tag = attest_memory_alloc(count, sizeof *network->tag);
    if (!network->tag)
        return attest_memory_fail(error);
    for (size_t t = 0; t < count && status == ATTEST_OK; t++) {
        attest_json_cursor tag = attest_json_get_element(&tags, t);
        status = copy_string(&network->tag[t], &tag, error);
        network->tags = t + 1;
    }
    return status;
}

/* Which of the three places a layer takes: before the attention layer, it, after it. */
static attest_status set_layer(attest_network *network, bool *attended,
                               const attest_json_cursor *layer, attest_error *error)
{
    static const char *const type_names[] = {"feed-forward", "attention"};
    attest_json_cursor type, weights;
    attest_feed_forward *place = *attended ? &network->after : &network->before;
    bool *taken = *attended ? &network->has_after : &network->has_before;
    int kind = 0;
    attest_status status = attest_json_get_member(&type, layer, "type", error);

    if (status == ATTEST_OK)
        status = attest_json_get_choice(&kind, &type, type_names, 2, error);
    if (status != ATTEST_OK)
        return status;
    if (kind == 0 ? *taken : *attended)
        return attest_json_fail(layer, error, ATTEST_FORMAT,
                                "a network is one attention layer with at most one "
                                "feed-forward layer on either side");
    if (kind == 0) {
        *taken = true;
        return attest_feed_forward_set_json(place, network->dim, layer, error);
    }
    *attended = true;
    status = attest_json_get_member(&weights, layer, "weights", error);
    return status == ATTEST_OK ? attest_weights_set_json(&network->attention, &weights, error)
                               : status;
}

static attest_status set_layers(attest_network *network, const attest_json_cursor *object,
                                attest_error *error)
{
    attest_json_cursor layers;
    size_t count = 0;
    bool attended = false;
    attest_status status = attest_json_get_member(&layers, object, "layers", error);

    if (status == ATTEST_OK)
        status = attest_json_get_length(&count, &layers, error);
    for (size_t l = 0; l < count && status == ATTEST_OK; l++) {
        attest_json_cursor layer = attest_json_get_element(&layers, l);
        status = set_layer(network, &attended, &layer, error);
    }
    if (status == ATTEST_OK && !attended)
        status = attest_json_fail(&layers, error, ATTEST_FORMAT, "there is no attention layer");
    return status;
}

attest_status attest_network_set_json(attest_network *network, const attest_json_cursor *object,
                                      attest_error *error)
{
    attest_status status = attest_json_check_format(object, "attest/network", error);

    attest_network_clear(network);
    attest_network_init(network);
    if (status == ATTEST_OK)
        status = set_size(&network->dim, object, "dim", error);
    if (status == ATTEST_OK)
        status = set_size(&network->input_dim, object, "input_dim", error);
    if (status == ATTEST_OK)
        status = set_size(&network->output_dim, object, "output_dim", error);
    if (status == ATTEST_OK)
        status = set_positional(network, object, error);
    if (status == ATTEST_OK)
        status = set_words(network, object, error);
    if (status == ATTEST_OK)
        status = set_layers(network, object, error);
    if (status == ATTEST_OK)
        status = attest_network_check_shapes(network, error);
    if (status != ATTEST_OK) {
        attest_network_clear(network);
        attest_network_init(network);
    }
    return status;
}

/* A network is told from weights by its "format". */
static attest_status set_any(void *value, const attest_json_cursor *object, attest_error *error)
{
    attest_network *network = value;
    attest_json_cursor format;
    const char *name = "";

    if (attest_json_find_member(&format, object, "format") &&
        attest_json_get_string(&name, &format, NULL) == ATTEST_OK &&
        strcmp(name, "attest/network") == 0)
        return attest_network_set_json(network, object, error);
    return attest_weights_set_json(&network->attention, object, error);
}

static attest_status parse_any(attest_network *network, const attest_input *input,
                               attest_budget *budget, attest_error *error)
{
    if (attest_weights_is_binary(input->data, input->size))
        return attest_weights_parse_binary(&network->attention, input->data, input->size,
                                           budget, error);
    return attest_json_parse_value(network, set_any, (const char *)input->data, input->size,
                                   budget, error);
}

attest_status attest_network_read_any(attest_network *network, const char *path,
                                      attest_budget *budget, attest_error *error)
{
    attest_input input;
    attest_status status = attest_input_open(&input, path, attest_budget_left(budget), error);

    attest_network_clear(network);
    attest_network_init(network);
    if (status != ATTEST_OK)
        return status;
    status = attest_input_end(&input, parse_any(network, &input, budget, error), error);
    if (status == ATTEST_OK && network->dim == 0)
        network->dim = network->input_dim = network->output_dim = network->attention.dim;
    return status;
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
    attest_json_write_string(json, "format", "attest/network");
    attest_json_write_integer(json, "version", 1);
    attest_json_write_count(json, "dim", network->dim);
    attest_json_write_count(json, "input_dim", network->input_dim);
    attest_json_write_count(json, "output_dim", network->output_dim);
    write_encoding(json, network);
    attest_json_write_array(json, "layers");
    if (network->has_before)
        attest_feed_forward_write_json(json, NULL, &network->before);
    attest_json_write_object(json, NULL);
    attest_json_write_string(json, "type", "attention");
    attest_weights_write_json(json, "weights", &network->attention);
    attest_json_write_close(json);
    if (network->has_after)
        attest_feed_forward_write_json(json, NULL, &network->after);
    attest_json_write_close(json);
    attest_json_write_close(json);
}

attest_status attest_network_write(const attest_network *network, const char *path,
                                   attest_error *error)
{
    attest_json_file file;
    attest_status status = attest_json_file_open(&file, path, error);

    if (status != ATTEST_OK)
        return status;
    attest_network_write_json(&file.json, NULL, network);
    return attest_json_file_commit(&file, error);
}
