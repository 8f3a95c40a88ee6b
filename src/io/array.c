/* array.c -- binary arrays: their shapes, elements and matrices made from them. */
#include "io/array.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/scope.h"
#include "number/double.h"

static const unsigned char item_size[] = {2, 2, 4, 8, 1, 2, 4, 8, 1, 2, 4, 8, 1, 1, 1};

attest_array_format attest_array_find_format(const unsigned char *bytes, size_t size)
{
    enum { LENGTH_SIZE = 8 }; /* safetensors: the length of the header, then the header */
    uint64_t length = 0;

    if (size >= 6 && memcmp(bytes, "\x93NUMPY", 6) == 0)
        return ATTEST_ARRAY_NPY;
    if (size >= 4 && memcmp(bytes, "PK\3\4", 4) == 0)
        return ATTEST_ARRAY_ZIP;
    if (size <= LENGTH_SIZE || bytes[LENGTH_SIZE] != '{')
        return ATTEST_ARRAY_OTHER;
    for (int i = 0; i < LENGTH_SIZE; i++)
        length |= (uint64_t)bytes[i] << 8 * i;
    return length <= size - LENGTH_SIZE ? ATTEST_ARRAY_SAFETENSORS : ATTEST_ARRAY_OTHER;
}

size_t attest_array_item_size(attest_array_type type)
{
    return item_size[type];
}

bool attest_array_set_shape(attest_array *array, const size_t *shape, size_t rank)
{
    size_t count = 1;

    if (rank > ATTEST_ARRAY_MAX_RANK)
        return false;
    for (size_t i = 0; i < rank; i++)
        if (shape[i] == 0)
            count = 0;
    for (size_t i = 0; i < rank && count; i++) {
        if (shape[i] > SIZE_MAX / item_size[array->type] / count)
            return false;
        count *= shape[i];
    }
    array->rank = rank;
    array->count = count;
    memmove(array->shape, shape, rank * sizeof *shape);
    return true;
}

size_t attest_array_bytes(const attest_array *array)
{
    return array->count * item_size[array->type];
}

void attest_array_format_shape(char text[ATTEST_ARRAY_TEXT_SIZE], const attest_array *array)
{
    size_t used = 0;

    for (size_t i = 0; i < array->rank && used < ATTEST_ARRAY_TEXT_SIZE; i++)
        used += (size_t)snprintf(text + used, ATTEST_ARRAY_TEXT_SIZE - used, "%s%zu",
                                 i ? ", " : "(", array->shape[i]);
    if (used < ATTEST_ARRAY_TEXT_SIZE)
        snprintf(text + used, ATTEST_ARRAY_TEXT_SIZE - used, "%s",
                 array->rank == 0   ? "()"
                 : array->rank == 1 ? ",)"
                                    : ")");
}

void attest_array_format_index(char text[ATTEST_ARRAY_TEXT_SIZE], const attest_array *array,
                               size_t element)
{
    size_t index[ATTEST_ARRAY_MAX_RANK], used = 0;

    for (size_t i = 0; i < array->rank; i++) {
        size_t axis = array->fortran ? i : array->rank - 1 - i;
        index[axis] = element % array->shape[axis];
        element /= array->shape[axis];
    }
    text[0] = '\0';
    for (size_t i = 0; i < array->rank && used < ATTEST_ARRAY_TEXT_SIZE; i++)
        used += (size_t)snprintf(text + used, ATTEST_ARRAY_TEXT_SIZE - used, "[%zu]", index[i]);
}

bool attest_array_type_is_double(attest_array_type type)
{
    return type != ATTEST_ARRAY_I64 && type != ATTEST_ARRAY_U64;
}

/* Returns the bits of one element as an integer, for any byte order of file and machine. */
static uint64_t load_bits(const attest_array *array, size_t element)
{
    size_t size = item_size[array->type];
    const unsigned char *p = array->data + element * size;
    uint64_t bits = 0;

    for (size_t i = 0; i < size; i++)
        bits |= (uint64_t)p[i] << 8 * (array->big_endian ? size - 1 - i : i);
    return bits;
}

static double double_of_bits(uint64_t bits)
{
    double x;

    memcpy(&x, &bits, sizeof x);
    return x;
}

static double double_of_half(uint64_t bits)
{
    uint64_t sign = bits >> 15 << 63, exponent = bits >> 10 & 31, fraction = bits & 1023;

    if (exponent == 31)
        return double_of_bits(sign | UINT64_C(0x7ff) << 52 | fraction << 42);
    if (exponent == 0) /* zero or subnormal: fraction * 2^-24 */
        return sign ? -(double)fraction * 0x1p-24 : (double)fraction * 0x1p-24;
    return double_of_bits(sign | (exponent + 1023 - 15) << 52 | fraction << 42);
}

static double double_of_float(uint32_t bits)
{
    float x;

    memcpy(&x, &bits, sizeof x);
    return x;
}

/* The format without infinities: its largest exponent has numbers, too, and one NaN. */
static double double_of_e4m3(uint64_t bits)
{
    double fraction = (double)(bits & 7), size;
    int exponent = (int)(bits >> 3 & 15);

    if ((bits & 127) == 127)
        return (double)NAN;
    size = exponent ? ldexp(8 + fraction, exponent - 10) : ldexp(fraction, -9);
    return bits >> 7 ? -size : size;
}

static double double_of(attest_array_type type, uint64_t bits)
{
    switch (type) {
    case ATTEST_ARRAY_F16:
        return double_of_half(bits);
    case ATTEST_ARRAY_BF16:
        return double_of_float((uint32_t)bits << 16);
    case ATTEST_ARRAY_F32:
        return double_of_float((uint32_t)bits);
    case ATTEST_ARRAY_F64:
        return double_of_bits(bits);
    case ATTEST_ARRAY_I8:
        return (int8_t)bits;
    case ATTEST_ARRAY_I16:
        return (int16_t)bits;
    case ATTEST_ARRAY_I32:
        return (int32_t)bits;
    case ATTEST_ARRAY_I64:
        return (double)(int64_t)bits;
    case ATTEST_ARRAY_F8_E4M3:
        return double_of_e4m3(bits);
    case ATTEST_ARRAY_F8_E5M2:
        return double_of_half(bits << 8);
    case ATTEST_ARRAY_BOOL:
        return bits != 0;
    default: /* U8, U16, U32, U64 */
        return (double)bits;
    }
}

/* The loops over the elements of large files, which the compiler vectorises. Domain: contiguous
 * elements in the machine's byte order. */
static void copy_f64(double *to, const unsigned char *from, size_t count)
{
    memcpy(to, from, count * sizeof *to);
    for (size_t i = 0; i < count; i++)
        to[i] += 0.0; /* -0 + 0 = +0 in round-to-nearest; nothing else changes */
}

static void copy_f32(double *to, const unsigned char *from, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        float x;
        memcpy(&x, from + i * sizeof x, sizeof x);
        to[i] = (double)x + 0.0;
    }
}

static bool big_endian_machine(void)
{
    const uint16_t one = 1;
    unsigned char first;

    memcpy(&first, &one, 1);
    return first == 0;
}

void attest_array_get_doubles(double *to, const attest_array *array, size_t first, size_t step,
                              size_t count)
{
    if (step == 1 && array->big_endian == big_endian_machine()) {
        const unsigned char *from = array->data + first * item_size[array->type];
        if (array->type == ATTEST_ARRAY_F64) {
            copy_f64(to, from, count);
            return;
        }
        if (array->type == ATTEST_ARRAY_F32) {
            copy_f32(to, from, count);
            return;
        }
    }
    for (size_t i = 0; i < count; i++)
        to[i] = double_of(array->type, load_bits(array, first + i * step)) + 0.0;
}

static attest_dyadic dyadic_of_integer(attest_array_type type, uint64_t bits)
{
    attest_dyadic value = {0, 0, false};

    if (bits) {
        value.negative = type == ATTEST_ARRAY_I64 && bits >> 63;
        value.magnitude = value.negative ? -bits : bits;
        value.exponent = __builtin_ctzll(value.magnitude);
        value.magnitude >>= value.exponent;
    }
    return value;
}

bool attest_array_integer_is_double(const attest_array *array, size_t element)
{
    return dyadic_of_integer(array->type, load_bits(array, element)).magnitude >> 53 == 0;
}

attest_status attest_array_check_numbers(const attest_array *array, attest_error *error)
{
    if (array->type != ATTEST_ARRAY_BOOL)
        return ATTEST_OK;
    return attest_error_set(error, ATTEST_FORMAT,
                            "these are truth values, not numbers; write them as 8-bit "
                            "integers");
}

attest_status attest_array_refuse(const attest_array *array, size_t element,
                                  attest_error *error)
{
    char index[ATTEST_ARRAY_TEXT_SIZE];
    double x = double_of(array->type, load_bits(array, element));

    attest_array_format_index(index, array, element);
    return attest_error_set(error, ATTEST_FORMAT, "%s is %s; only finite numbers are allowed",
                            index, isnan(x) ? "NaN" : "infinite");
}

attest_status attest_array_get(attest_dyadic *value, const attest_array *array, size_t element,
                               attest_error *error)
{
    uint64_t bits = load_bits(array, element);
    int64_t significand;

    if (!attest_array_type_is_double(array->type)) {
        *value = dyadic_of_integer(array->type, bits);
        return ATTEST_OK;
    }
    double x = double_of(array->type, bits);
    if (!isfinite(x))
        return attest_array_refuse(array, element, error);
    attest_double_split(&significand, &value->exponent, x);
    value->negative = significand < 0;
    value->magnitude = (uint64_t)(significand < 0 ? -significand : significand);
    return ATTEST_OK;
}

size_t attest_array_step(const attest_array *array, size_t axis)
{
    size_t step = 1;

    if (array->fortran)
        for (size_t i = 0; i < axis; i++)
            step *= array->shape[i];
    else
        for (size_t i = axis + 1; i < array->rank; i++)
            step *= array->shape[i];
    return step;
}

static size_t place(const attest_array_slice *slice, size_t r, size_t c)
{
    return slice->start + r * slice->row_step + c * slice->col_step;
}

static int bit_length(uint64_t x)
{
    return x ? 64 - __builtin_clzll(x) : 0;
}

/* All entries are multiples of 2^*least and below 2^*top in absolute value; *least <= 0. */
static attest_status find_range(int *least, int *top, const attest_array *array,
                                const attest_array_slice *slice, attest_error *error)
{
    *least = *top = 0;
    for (size_t r = 0; r < slice->rows; r++)
        for (size_t c = 0; c < slice->cols; c++) {
            attest_dyadic value;
            ATTEST_TRY(attest_array_get(&value, array, place(slice, r, c), error));
            int end = value.exponent + bit_length(value.magnitude);
            *least = value.exponent < *least ? value.exponent : *least;
            *top = end > *top ? end : *top;
        }
    return ATTEST_OK;
}

/* Returns the bytes of rows*cols numerators below 2^bits; SIZE_MAX if that overflows. */
static size_t bytes_of(const attest_array_slice *slice, int bits)
{
    size_t each = sizeof(fmpz);

    if (bits > FLINT_BITS - 2)
        each += sizeof(__mpz_struct) + ((size_t)bits / FLINT_BITS + 1) * sizeof(mp_limb_t);
    return slice->cols > SIZE_MAX / each / slice->rows ? SIZE_MAX
                                                       : slice->rows * slice->cols * each;
}

attest_status attest_matrix_set_slice(attest_matrix *matrix, const attest_array *array,
                                      const attest_array_slice *slice, attest_budget *budget,
                                      attest_error *error)
{
    int least, top;

    ATTEST_TRY(attest_array_check_numbers(array, error));
    ATTEST_TRY(find_range(&least, &top, array, slice, error));
    ATTEST_TRY(attest_budget_charge(budget, bytes_of(slice, top - least), error));
    attest_matrix_resize(matrix, slice->rows, slice->cols);
    fmpz_one_2exp(matrix->denominator, (ulong)-least);
    for (size_t r = 0; r < slice->rows; r++)
        for (size_t c = 0; c < slice->cols; c++) {
            attest_dyadic value;
            fmpz *entry = matrix->entry + r * slice->cols + c;
            ATTEST_TRY(attest_array_get(&value, array, place(slice, r, c), error));
            fmpz_set_ui(entry, value.magnitude);
            fmpz_mul_2exp(entry, entry, (ulong)(value.exponent - least));
            if (value.negative)
                fmpz_neg(entry, entry);
        }
    return ATTEST_OK;
}
