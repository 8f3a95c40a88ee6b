/* safetensors_header.c -- the JSON object at the head of a safetensors file. */
#include "io/safetensors_header.h"

#include <string.h>

static attest_status parse_shape(attest_safetensors_tensor *tensor,
                                 attest_safetensors_reader *in, attest_error *error)
{
    if (!attest_scan_take(&in->scan, '['))
        return attest_scan_refuse(&in->scan, "'['", error);
    tensor->shape = in->length;
    if (attest_scan_take(&in->scan, ']'))
        return ATTEST_OK;
    do {
        attest_status status = attest_scan_size(in->length, &in->scan, error);
        if (status != ATTEST_OK)
            return status;
        in->length++;
        tensor->rank++;
    } while (attest_scan_take(&in->scan, ','));
    if (!attest_scan_take(&in->scan, ']'))
        return attest_scan_refuse(&in->scan, "',' or ']'", error);
    return ATTEST_OK;
}

static attest_status parse_offsets(attest_safetensors_tensor *tensor,
                                   attest_safetensors_reader *in, attest_error *error)
{
    attest_status status;

    if (!attest_scan_take(&in->scan, '['))
        return attest_scan_refuse(&in->scan, "'['", error);
    status = attest_scan_size(&tensor->begin, &in->scan, error);
    if (status == ATTEST_OK && !attest_scan_take(&in->scan, ','))
        return attest_scan_refuse(&in->scan, "','", error);
    if (status == ATTEST_OK)
        status = attest_scan_size(&tensor->end, &in->scan, error);
    if (status == ATTEST_OK && !attest_scan_take(&in->scan, ']'))
        return attest_scan_refuse(&in->scan, "']'", error);
    return status;
}

static attest_status parse_dtype(attest_safetensors_tensor *tensor,
                                 attest_safetensors_reader *in, attest_error *error)
{
    return attest_scan_word(tensor->dtype, sizeof tensor->dtype, &in->scan, error);
}

/* One of the three members of a tensor; *seen has a bit for each. */
static attest_status parse_member(attest_safetensors_tensor *tensor, unsigned *seen,
                                  attest_safetensors_reader *in, attest_error *error)
{
    static const struct {
        const char *name;
        attest_status (*parse)(attest_safetensors_tensor *, attest_safetensors_reader *,
                               attest_error *);
    } member[] = {
        {"dtype", parse_dtype}, {"shape", parse_shape}, {"data_offsets", parse_offsets}};
    char text[16];
    attest_status status = attest_scan_word(text, sizeof text, &in->scan, error);

    if (status != ATTEST_OK)
        return status;
    for (unsigned i = 0; i < 3; i++)
        if (strcmp(text, member[i].name) == 0 && !(*seen & 1u << i)) {
            *seen |= 1u << i;
            if (!attest_scan_take(&in->scan, ':'))
                return attest_scan_refuse(&in->scan, "':'", error);
            return member[i].parse(tensor, in, error);
        }
    return attest_scan_refuse(&in->scan, "dtype, shape and data_offsets, once each", error);
}

static attest_status parse_tensor(attest_safetensors_tensor *tensor,
                                  attest_safetensors_reader *in, attest_error *error)
{
    unsigned seen = 0;

    if (!attest_scan_take(&in->scan, '{'))
        return attest_scan_refuse(&in->scan, "'{'", error);
    do {
        attest_status status = parse_member(tensor, &seen, in, error);
        if (status != ATTEST_OK)
            return status;
    } while (attest_scan_take(&in->scan, ','));
    if (!attest_scan_take(&in->scan, '}'))
        return attest_scan_refuse(&in->scan, "',' or '}'", error);
    if (seen != 7)
        return attest_scan_refuse(&in->scan, "dtype, shape and data_offsets, once each", error);
    return ATTEST_OK;
}

/* A map from strings to strings, read over: attest uses none of it. */
static attest_status parse_metadata(attest_safetensors_reader *in, attest_error *error)
{
    size_t size;

    if (!attest_scan_take(&in->scan, '{'))
        return attest_scan_refuse(&in->scan, "'{'", error);
    if (attest_scan_take(&in->scan, '}'))
        return ATTEST_OK;
    do {
        attest_status status = attest_scan_string(in->name, &size, &in->scan, error);
        if (status == ATTEST_OK && !attest_scan_take(&in->scan, ':'))
            return attest_scan_refuse(&in->scan, "':'", error);
        if (status == ATTEST_OK)
            status = attest_scan_string(in->name, &size, &in->scan, error);
        if (status != ATTEST_OK)
            return status;
    } while (attest_scan_take(&in->scan, ','));
    if (!attest_scan_take(&in->scan, '}'))
        return attest_scan_refuse(&in->scan, "',' or '}'", error);
    return ATTEST_OK;
}

static attest_status parse_entry(attest_safetensors_reader *in, bool *metadata,
                                 attest_error *error)
{
    attest_safetensors_tensor *tensor = &in->file->tensor[in->file->count];
    size_t size;
    attest_status status = attest_scan_string(in->name, &size, &in->scan, error);

    if (status != ATTEST_OK)
        return status;
    if (!attest_scan_take(&in->scan, ':'))
        return attest_scan_refuse(&in->scan, "':'", error);
    if (strcmp(in->name, "__metadata__") == 0) {
        if (*metadata)
            return attest_scan_refuse(&in->scan, "__metadata__ only once", error);
        *metadata = true;
        return parse_metadata(in, error);
    }
    tensor->name = in->name;
    in->name += size + 1;
    status = parse_tensor(tensor, in, error);
    if (status == ATTEST_OK)
        in->file->count++;
    return status;
}

attest_status attest_safetensors_parse_header(attest_safetensors_reader *in,
                                              attest_error *error)
{
    bool metadata = false;

    if (!attest_scan_take(&in->scan, '{'))
        return attest_scan_refuse(&in->scan, "'{'", error);
    if (!attest_scan_take(&in->scan, '}')) {
        do {
            attest_status status = parse_entry(in, &metadata, error);
            if (status != ATTEST_OK)
                return status;
        } while (attest_scan_take(&in->scan, ','));
        if (!attest_scan_take(&in->scan, '}'))
            return attest_scan_refuse(&in->scan, "',' or '}'", error);
    }
    while (in->scan.next < in->scan.end && *in->scan.next == ' ')
        in->scan.next++;
    if (in->scan.next != in->scan.end)
        return attest_scan_refuse(&in->scan, "nothing but spaces after the object", error);
    return ATTEST_OK;
}
