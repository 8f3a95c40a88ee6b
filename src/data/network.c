/* network.c -- networks: memory and shapes. */
#include "data/network.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/scope.h"
#include "number/rationals.h"

void attest_units_init(attest_units *units)
{
    memset(units, 0, sizeof *units);
    fmpz_init_set_ui(units->direction_denominator, 1);
    fmpz_init_set_ui(units->bias_denominator, 1);
    fmpz_init_set_ui(units->output_denominator, 1);
}

static void clear_integers(fmpz *integer, size_t count)
{
    for (size_t i = 0; integer && i < count; i++)
        fmpz_clear(integer + i);
    free(integer);
}

void attest_units_clear(attest_units *units)
{
    clear_integers(units->direction, units->dim);
    clear_integers(units->bias, units->count);
    clear_integers(units->output, units->count * units->dim);
    fmpz_clear(units->direction_denominator);
    fmpz_clear(units->bias_denominator);
    fmpz_clear(units->output_denominator);
}

attest_status attest_units_resize(attest_units *units, size_t dim, size_t count)
{
    attest_units_clear(units);
    attest_units_init(units);
    if (dim && count > SIZE_MAX / dim)
        return ATTEST_NOMEM;
    /* zeroed memory is a vector of the integer 0 */
    units->direction = attest_memory_alloc(dim, sizeof *units->direction);
    units->bias = attest_memory_alloc(count, sizeof *units->bias);
    units->output = attest_memory_alloc(count * dim, sizeof *units->output);
    units->dim = dim;
    units->count = count;
    return units->direction && units->bias && units->output ? ATTEST_OK : ATTEST_NOMEM;
}

void attest_feed_forward_init(attest_feed_forward *layer)
{
    memset(layer, 0, sizeof *layer);
    layer->skip = true;
}

void attest_feed_forward_clear(attest_feed_forward *layer)
{
    for (size_t g = 0; g < layer->groups; g++)
        attest_units_clear(&layer->group[g]);
    free(layer->group);
    attest_rationals_free(layer->bias, layer->dim);
    attest_feed_forward_init(layer);
}

attest_status attest_feed_forward_resize(attest_feed_forward *layer, size_t dim, size_t groups)
{
    attest_feed_forward_clear(layer);
    layer->bias = attest_rationals_alloc(dim);
    layer->dim = layer->bias ? dim : 0;
    layer->group = attest_memory_alloc(groups, sizeof *layer->group);
    if (!layer->bias || !layer->group)
        return ATTEST_NOMEM;
    for (size_t g = 0; g < groups; g++)
        attest_units_init(&layer->group[g]);
    layer->groups = groups;
    return ATTEST_OK;
}

size_t attest_feed_forward_units(const attest_feed_forward *layer)
{
    size_t count = 0;

    for (size_t g = 0; g < layer->groups; g++)
        count += layer->group[g].count;
    return count;
}

void attest_network_init(attest_network *network)
{
    memset(network, 0, sizeof *network);
    fmpq_init(network->step);
    attest_feed_forward_init(&network->before);
    attest_feed_forward_init(&network->after);
    attest_weights_init(&network->attention);
}

void attest_network_clear(attest_network *network)
{
    fmpq_clear(network->step);
    free(network->embed);
    for (size_t t = 0; t < network->tags; t++)
        free(network->tag[t]);
    free(network->tag);
    attest_feed_forward_clear(&network->before);
    attest_feed_forward_clear(&network->after);
    attest_weights_clear(&network->attention);
}

static attest_status check_layer(const attest_feed_forward *layer, size_t dim,
                                 attest_error *error)
{
    if (layer->dim != dim)
        return attest_error_set(error, ATTEST_FORMAT,
                                "a feed-forward layer has dimension %zu, the network %zu",
                                layer->dim, dim);
    for (size_t g = 0; g < layer->groups; g++)
        if (layer->group[g].dim != dim)
            return attest_error_set(error, ATTEST_FORMAT,
                                    "a group of units has dimension %zu, the network %zu",
                                    layer->group[g].dim, dim);
    return ATTEST_OK;
}

attest_status attest_network_check_shapes(const attest_network *network, attest_error *error)
{
    size_t dim = network->dim;

    ATTEST_TRY(attest_weights_check_shapes(&network->attention, error));
    if (network->attention.dim != dim)
        return attest_error_set(error, ATTEST_FORMAT,
                                "the attention layer has dimension %zu, the network %zu",
                                network->attention.dim, dim);
    if (network->has_before)
        ATTEST_TRY(check_layer(&network->before, dim, error));
    if (network->has_after)
        ATTEST_TRY(check_layer(&network->after, dim, error));
    if (network->input_dim < 1 || network->input_dim > dim || network->output_dim < 1 ||
        network->output_dim > dim)
        return attest_error_set(error, ATTEST_FORMAT,
                                "input_dim and output_dim must be from 1 to dim, which is %zu",
                                dim);
    if (network->positional && network->axis >= dim)
        return attest_error_set(error, ATTEST_FORMAT,
                                "positional.axis is %zu, but must be below %zu", network->axis,
                                dim);
    return ATTEST_OK;
}
