/* feed_forward_json.c -- feed-forward layers as JSON objects. */
#include "io/network_json.h"

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

void attest_feed_forward_set_json(attest_feed_forward *layer, size_t dim,
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

void attest_feed_forward_write_json(attest_json *json, const char *key,
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
