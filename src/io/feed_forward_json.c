/* feed_forward_json.c -- feed-forward layers as JSON objects. */
#include "io/network_json.h"

#include "base/memory.h"
#include "number/rationals.h"

/* numerator[i] / denominator = array[i]. */
static attest_status set_numbers(fmpz *numerator, fmpz_t denominator,
                                 const attest_json_cursor *array, size_t count,
                                 attest_error *error)
{
    fmpq *rational = attest_rationals_alloc(count);
    size_t bytes;
    attest_status status = rational ? attest_json_get_rationals(rational, array, count, error)
                                    : attest_memory_fail(error);

    if (status == ATTEST_OK) {
        status = attest_rationals_bound_common(denominator, &bytes, rational, count,
                                               array->budget, error);
        if (status == ATTEST_OK)
            attest_rationals_get_numerators(numerator, denominator, rational, count);
        else
            status = attest_json_locate(array, error, status);
    }
    attest_rationals_free(rational, count);
    return status;
}

static attest_status check_length(const attest_json_cursor *array, size_t expected,
                                  attest_error *error)
{
    size_t length = 0;
    attest_status status = attest_json_get_length(&length, array, error);

    if (status == ATTEST_OK && length != expected)
        status = attest_json_fail(array, error, ATTEST_FORMAT,
                                  "%zu numbers, but %zu are expected", length, expected);
    return status;
}

/* The columns of W_2, an array of arrays, over one denominator. */
static attest_status set_outputs(attest_units *units, const attest_json_cursor *outputs,
                                 attest_error *error)
{
    size_t total = units->count * units->dim, bytes;
    fmpq *rational = attest_rationals_alloc(total);
    attest_status status = rational ? ATTEST_OK : attest_memory_fail(error);

    for (size_t h = 0; h < units->count && status == ATTEST_OK; h++) {
        attest_json_cursor column = attest_json_get_element(outputs, h);
        status = check_length(&column, units->dim, error);
        if (status == ATTEST_OK)
            status = attest_json_get_rationals(rational + h * units->dim, &column, units->dim,
                                               error);
    }
    if (status == ATTEST_OK) {
        status = attest_rationals_bound_common(units->output_denominator, &bytes, rational,
                                               total, outputs->budget, error);
        if (status == ATTEST_OK)
            attest_rationals_get_numerators(units->output, units->output_denominator, rational,
                                            total);
        else
            status = attest_json_locate(outputs, error, status);
    }
    attest_rationals_free(rational, total);
    return status;
}

static attest_status set_group(attest_units *units, size_t dim, const attest_json_cursor *group,
                               attest_error *error)
{
    attest_json_cursor direction, bias, outputs;
    size_t count = 0;
    attest_status status = attest_json_get_member(&direction, group, "direction", error);

    if (status == ATTEST_OK)
        status = attest_json_get_member(&bias, group, "bias", error);
    if (status == ATTEST_OK)
        status = attest_json_get_member(&outputs, group, "output", error);
    if (status == ATTEST_OK)
        status = check_length(&direction, dim, error);
    if (status == ATTEST_OK)
        status = attest_json_get_length(&count, &bias, error);
    if (status == ATTEST_OK)
        status = check_length(&outputs, count, error);
    if (status == ATTEST_OK && attest_units_resize(units, dim, count) != ATTEST_OK)
        status = attest_memory_fail(error);
    if (status == ATTEST_OK)
        status =
            set_numbers(units->direction, units->direction_denominator, &direction, dim, error);
    if (status == ATTEST_OK)
        status = set_numbers(units->bias, units->bias_denominator, &bias, count, error);
    return status == ATTEST_OK ? set_outputs(units, &outputs, error) : status;
}

attest_status attest_feed_forward_set_json(attest_feed_forward *layer, size_t dim,
                                           const attest_json_cursor *object,
                                           attest_error *error)
{
    attest_json_cursor groups, bias, skip;
    size_t count = 0;
    attest_status status = attest_json_get_member(&groups, object, "groups", error);

    if (status == ATTEST_OK)
        status = attest_json_get_member(&bias, object, "bias", error);
    if (status == ATTEST_OK)
        status = attest_json_get_length(&count, &groups, error);
    if (status == ATTEST_OK)
        status = check_length(&bias, dim, error);
    if (status == ATTEST_OK && attest_feed_forward_resize(layer, dim, count) != ATTEST_OK)
        status = attest_memory_fail(error);
    if (status == ATTEST_OK && attest_json_find_member(&skip, object, "skip"))
        status = attest_json_get_bool(&layer->skip, &skip, error);
    if (status == ATTEST_OK)
        status = attest_json_get_rationals(layer->bias, &bias, dim, error);
    for (size_t g = 0; g < count && status == ATTEST_OK; g++) {
        attest_json_cursor group = attest_json_get_element(&groups, g);
        status = set_group(&layer->group[g], dim, &group, error);
    }
    return status;
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
