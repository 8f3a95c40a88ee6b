/* safetensors_write.c -- tensors of doubles as a safetensors file. */
#include "io/safetensors_write.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/memory.h"
#include "base/output.h"
#include "base/scope.h"

enum { ALIGNMENT = 8, LARGEST_ITEM = 8 };

/* The types by their numbers: sign, exponent and fraction bits make the size. */
static const struct {
    const char *name;
    unsigned exponent_bits, fraction_bits;
} kind[] = {
    [ATTEST_TENSOR_F64] = {"F64", 11, 52},       [ATTEST_TENSOR_F32] = {"F32", 8, 23},
    [ATTEST_TENSOR_F16] = {"F16", 5, 10},        [ATTEST_TENSOR_BF16] = {"BF16", 8, 7},
    [ATTEST_TENSOR_F8_E4M3] = {"F8_E4M3", 4, 3}, [ATTEST_TENSOR_F8_E5M2] = {"F8_E5M2", 5, 2}};

static size_t item_size(attest_tensor_type type)
{
    return (1 + kind[type].exponent_bits + kind[type].fraction_bits) / 8;
}

/* bits = the word of |x| in the type, x finite; false: the type does not have it. */
static bool encode_finite(uint64_t *bits, double x, attest_tensor_type type)
{
    int fraction_bits = (int)kind[type].fraction_bits;
    uint64_t top = ((uint64_t)1 << kind[type].exponent_bits) - 1;
    uint64_t ones = ((uint64_t)1 << fraction_bits) - 1;
    int bias = (int)(top >> 1), exponent;
    double fraction;

    frexp(x, &exponent);
    exponent += bias - 1;
    if (x == 0 || exponent < 1) /* zero and subnormal numbers share an exponent */
        exponent = 1;
    fraction = ldexp(fabs(x), bias + fraction_bits - exponent);
    if (fraction != floor(fraction))
        return false;
    *bits = (uint64_t)fraction; /* a leading one adds 1 to an exponent of 0 */
    *bits += (uint64_t)(exponent - 1) << fraction_bits;
    return type == ATTEST_TENSOR_F8_E4M3 ? *bits < (top << fraction_bits | ones)
                                         : *bits < top << fraction_bits;
}

/* The word of x in the type; false: the type does not have it. */
static bool encode(uint64_t *bits, double x, attest_tensor_type type)
{
    unsigned fraction_bits = kind[type].fraction_bits;
    uint64_t top = ((uint64_t)1 << kind[type].exponent_bits) - 1;
    bool ok = true;

    *bits = top << fraction_bits;
    if (isnan(x))
        *bits |= ((uint64_t)1 << fraction_bits) - 1;
    else if (isinf(x))
        ok = type != ATTEST_TENSOR_F8_E4M3;
    else
        ok = encode_finite(bits, x, type);
    if (signbit(x))
        *bits |= (uint64_t)1 << (kind[type].exponent_bits + fraction_bits);
    return ok;
}

static size_t count_values(const attest_safetensors_item *item)
{
    size_t count = 1;

    for (size_t i = 0; i < item->rank; i++)
        count *= item->shape[i];
    return count;
}

/* The object, with spaces at its end up to the alignment. */
static void format_header(attest_text *text, const attest_safetensors_item *item, size_t count)
{
    size_t begin = 0;

    attest_text_add(text, "{");
    for (size_t k = 0; k < count; k++) {
        size_t end = begin + count_values(&item[k]) * item_size(item[k].type);

        attest_text_add(text, k ? ",\"" : "\"");
        attest_escape_json(text, item[k].name, strlen(item[k].name));
        attest_text_printf(text, "\":{\"dtype\":\"%s\",\"shape\":[", kind[item[k].type].name);
        for (size_t i = 0; i < item[k].rank; i++)
            attest_text_printf(text, "%s%zu", i ? "," : "", item[k].shape[i]);
        attest_text_printf(text, "],\"data_offsets\":[%zu,%zu]}", begin, end);
        begin = end;
    }
    attest_text_add(text, "}");
    while (text->size % ALIGNMENT != 0 && !text->failed)
        attest_text_add(text, " ");
}

static void write_word(FILE *stream, uint64_t word, size_t size)
{
    unsigned char bytes[LARGEST_ITEM];

    for (size_t i = 0; i < size; i++)
        bytes[i] = (unsigned char)(word >> 8 * i);
    fwrite(bytes, 1, size, stream);
}

static attest_status write_values(FILE *stream, const attest_safetensors_item *item,
                                  attest_error *error)
{
    size_t count = count_values(item), size = item_size(item->type);
    uint64_t bits = 0;

    for (size_t i = 0; i < count; i++) {
        if (!encode(&bits, item->value[i], item->type))
            return attest_error_set(error, ATTEST_DOMAIN,
                                    "value %zu of tensor '%.80s', %a, is no number of %s", i,
                                    item->name, item->value[i], kind[item->type].name);
        write_word(stream, bits, size);
    }
    return ATTEST_OK;
}

attest_status attest_safetensors_write(const char *path, const attest_safetensors_item *item,
                                       size_t count, attest_error *error)
{
    attest_output output;
    attest_text header;
    attest_status status = ATTEST_OK;

    ATTEST_TRY(attest_output_open(&output, path, error));
    attest_text_init(&header);
    format_header(&header, item, count);
    if (header.failed) {
        status = attest_memory_fail_at(error, path);
    } else {
        write_word(output.stream, header.size, sizeof(uint64_t));
        fwrite(header.data, 1, header.size, output.stream);
    }
    for (size_t k = 0; k < count && status == ATTEST_OK; k++)
        status = write_values(output.stream, &item[k], error);
    attest_text_clear(&header);
    if (status == ATTEST_OK)
        return attest_output_commit(&output, error);
    attest_output_abandon(&output);
    return status;
}
