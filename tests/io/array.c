/* Elements of binary arrays: all 16-bit floats, byte orders, extremes, places. */
#include <math.h>
#include <string.h>

#include <attest/flint.h>

#include "io/array.h"
#include "tests/tap.h"

static attest_array array_of(attest_array_type type, bool big, const void *data, size_t count)
{
    attest_array array = {.type = type, .big_endian = big, .data = data};
    bool ok = attest_array_set_shape(&array, &count, 1);

    if (!ok)
        abort();
    return array;
}

/* From the definition of the format: exponent bits and fraction bits of a
 * sign-exponent-fraction word. NaN and infinity alike give NaN. */
static double by_definition(unsigned bits, int exponent_bits, int fraction_bits)
{
    int bias = (1 << (exponent_bits - 1)) - 1, top = (1 << exponent_bits) - 1;
    int exponent = (int)(bits >> fraction_bits) & top;
    double fraction = (double)(bits & ((1u << fraction_bits) - 1));
    double size = exponent == 0
                      ? ldexp(fraction, 1 - bias - fraction_bits)
                      : ldexp(fraction + (1 << fraction_bits), exponent - bias - fraction_bits);

    if (exponent == top)
        return NAN;
    return bits >> (exponent_bits + fraction_bits) ? -size : size;
}

static double value_of(const attest_dyadic *x)
{
    double size = ldexp((double)x->magnitude, x->exponent);

    return x->negative ? -size : size;
}

/* All 2^16 words of a 16-bit format, in one byte order. */
static void all_words(attest_array_type type, bool big, int exponent_bits, const char *name)
{
    static unsigned char bytes[2 << 16];
    static double value[1 << 16];
    attest_array array = array_of(type, big, bytes, 1 << 16);
    int wrong = 0;

    for (unsigned i = 0; i < 1 << 16; i++) {
        bytes[2 * i + big] = (unsigned char)i;
        bytes[2 * i + !big] = (unsigned char)(i >> 8);
    }
    attest_array_get_doubles(value, &array, 0, 1, 1 << 16);
    for (unsigned i = 0; i < 1 << 16; i++) {
        double wanted = by_definition(i, exponent_bits, 15 - exponent_bits), alone;
        attest_dyadic dyadic;
        attest_error error;
        attest_status status = attest_array_get(&dyadic, &array, i, &error);
        attest_array_get_doubles(&alone, &array, i, 7, 1);
        if (isnan(wanted))
            wrong += isfinite(value[i]) || isfinite(alone) || status != ATTEST_FORMAT;
        else
            wrong += value[i] != wanted || alone != wanted || (wanted == 0 && signbit(alone)) ||
                     status != ATTEST_OK || value_of(&dyadic) != wanted ||
                     (dyadic.magnitude % 2 == 0 && wanted != 0);
    }
    TAP_OK(wrong == 0, "all 65536 words of %s, %s first (%d wrong)", name,
           big ? "high byte" : "low byte", wrong);
}

/* All bytes of an 8-bit float. e4m3 uses the largest exponent for numbers, and its all-ones
 * words for NaN. */
static void all_bytes(attest_array_type type, int exponent_bits, const char *name)
{
    unsigned char bytes[256] = {0};
    double value[256];
    attest_array array = array_of(type, false, bytes, 256);
    int wrong = 0;

    for (unsigned i = 0; i < 256; i++)
        bytes[i] = (unsigned char)i;
    attest_array_get_doubles(value, &array, 0, 1, 256);
    for (unsigned i = 0; i < 256; i++) {
        double wanted = by_definition(i, exponent_bits, 7 - exponent_bits);
        if (type == ATTEST_ARRAY_F8_E4M3 && (i & 127) >= 120 && (i & 127) < 127)
            wanted = (i >> 7 ? -32.0 : 32.0) * (8 + (i & 7));
        wrong += isnan(wanted) ? isfinite(value[i]) : value[i] != wanted;
    }
    TAP_OK(wrong == 0, "all 256 bytes of %s (%d wrong)", name, wrong);
}

/* Wider formats on random words: a value must survive the way back to its bytes. */
static void random_words(bool big, uint64_t *seed)
{
    bool ok = true;

    for (int i = 0; i < 200000; i++) {
        uint64_t word = tap_random(seed);
        unsigned char bytes[8];
        float f;
        double d, got[2];
        for (int k = 0; k < 8; k++)
            bytes[k] = (unsigned char)(word >> 8 * (big ? 7 - k : k));
        memcpy(&d, &word, sizeof d);
        uint32_t half[2] = {(uint32_t)(word >> (big ? 32 : 0)), 0};
        memcpy(&f, half, sizeof f);
        attest_array wide = array_of(ATTEST_ARRAY_F64, big, bytes, 1);
        attest_array narrow = array_of(ATTEST_ARRAY_F32, big, bytes, 2);
        attest_array_get_doubles(got, &wide, 0, 1, 1);
        ok = ok && (isnan(d) ? isnan(got[0]) : got[0] == d);
        attest_array_get_doubles(got, &narrow, 0, 1, 2);
        ok = ok && (isnan(f) ? isnan(got[0]) : got[0] == (double)f);
        attest_array_get_doubles(got, &narrow, 1, 1, 1); /* the second alone */
        ok = ok && (isnan(got[1]) ? isnan(got[0]) : got[0] == got[1]);
        attest_dyadic x;
        if (isfinite(d))
            ok = ok && attest_array_get(&x, &wide, 0, NULL) == ATTEST_OK && value_of(&x) == d;
        attest_array signed_one = array_of(ATTEST_ARRAY_I64, big, bytes, 1);
        attest_array plain_one = array_of(ATTEST_ARRAY_U64, big, bytes, 1);
        ok = ok && attest_array_get(&x, &plain_one, 0, NULL) == ATTEST_OK && !x.negative &&
             x.magnitude << x.exponent == word;
        ok = ok && attest_array_get(&x, &signed_one, 0, NULL) == ATTEST_OK &&
             (x.negative ? -(x.magnitude << x.exponent) : x.magnitude << x.exponent) == word &&
             x.negative == ((int64_t)word < 0);
    }
    TAP_OK(ok, "random binary64, binary32 and 64-bit integers, %s first",
           big ? "high byte" : "low byte");
}

static void integers(void)
{
    static const unsigned char bytes[] = {0xff, 0x80, 0x7f, 0x01, 0x00, 0x80, 0xfe, 0xff};
    static const struct {
        attest_array_type type;
        bool big;
        double value;
    } first[] = {{ATTEST_ARRAY_I8, false, -1},          {ATTEST_ARRAY_U8, false, 255},
                 {ATTEST_ARRAY_I16, false, -32513},     {ATTEST_ARRAY_U16, false, 33023},
                 {ATTEST_ARRAY_I16, true, -128},        {ATTEST_ARRAY_U16, true, 65408},
                 {ATTEST_ARRAY_I32, false, 25133311},   {ATTEST_ARRAY_I32, true, -8356095},
                 {ATTEST_ARRAY_U32, true, 4286611201.0}};
    bool ok = true;

    for (size_t i = 0; i < sizeof first / sizeof first[0]; i++) {
        attest_array array = array_of(first[i].type, first[i].big, bytes, 1);
        double got;
        attest_array_get_doubles(&got, &array, 0, 1, 1);
        ok = ok && got == first[i].value;
    }
    TAP_OK(ok, "integers of 8, 16 and 32 bits in both byte orders");

    const uint64_t edge[] = {
        0,          UINT64_C(1) << 53, (UINT64_C(1) << 53) + 1, (UINT64_C(1) << 53) + 2,
        UINT64_MAX, UINT64_C(1) << 63};
    unsigned char word[8 * 6];
    for (int i = 0; i < 48; i++)
        word[i] = (unsigned char)(edge[i / 8] >> 8 * (i % 8));
    attest_array plain = array_of(ATTEST_ARRAY_U64, false, word, 6);
    attest_array with_sign = array_of(ATTEST_ARRAY_I64, false, word, 6);
    int as_u64 = 0, as_i64 = 0;
    for (size_t i = 0; i < 6; i++) {
        as_u64 |= attest_array_integer_is_double(&plain, i) << i;
        as_i64 |= attest_array_integer_is_double(&with_sign, i) << i;
    }
    TAP_OK(as_u64 == 0x2b, "which 64-bit unsigned integers are doubles");
    TAP_OK(as_i64 == 0x3b, "which 64-bit signed integers are doubles (-1 is one)");
}

static void places(void)
{
    attest_array array = {.type = ATTEST_ARRAY_F64};
    const size_t shape[3] = {2, 3, 4}, huge[3] = {(size_t)1 << 31, (size_t)1 << 31, 4};
    const size_t fits[2] = {(size_t)1 << 30, (size_t)1 << 30},
                 zero[3] = {SIZE_MAX, SIZE_MAX, 0};
    char text[ATTEST_ARRAY_TEXT_SIZE];

    TAP_OK(attest_array_set_shape(&array, shape, 3) && array.count == 24, "24 elements");
    attest_array_format_shape(text, &array);
    TAP_OK(strcmp(text, "(2, 3, 4)") == 0, "shape %s", text);
    attest_array_format_index(text, &array, 1 * 12 + 2 * 4 + 3);
    TAP_OK(strcmp(text, "[1][2][3]") == 0, "index in C order %s", text);
    TAP_OK(attest_array_step(&array, 0) == 12 && attest_array_step(&array, 1) == 4 &&
               attest_array_step(&array, 2) == 1,
           "steps in C order");
    array.fortran = true;
    attest_array_format_index(text, &array, 1 + 0 * 2 + 2 * 6);
    TAP_OK(strcmp(text, "[1][0][2]") == 0, "index in Fortran order %s", text);
    TAP_OK(attest_array_step(&array, 0) == 1 && attest_array_step(&array, 1) == 2 &&
               attest_array_step(&array, 2) == 6,
           "steps in Fortran order");
    TAP_OK(!attest_array_set_shape(&array, huge, 3) && array.count == 24,
           "2^64 elements are refused");
    TAP_OK(!attest_array_set_shape(&array, huge, 2) && array.count == 24,
           "nor 2^62 of 8 bytes each");
    TAP_OK(attest_array_set_shape(&array, fits, 2) && array.count == (size_t)1 << 60,
           "2^63 bytes are not");
    TAP_OK(attest_array_set_shape(&array, zero, 3) && array.count == 0, "zero times anything");
    TAP_OK(attest_array_set_shape(&array, shape, 0) && array.count == 1, "a scalar");
    attest_array_format_shape(text, &array);
    TAP_OK(strcmp(text, "()") == 0, "shape %s", text);
    TAP_OK(attest_array_set_shape(&array, shape, 1), "a vector");
    attest_array_format_shape(text, &array);
    TAP_OK(strcmp(text, "(2,)") == 0, "shape %s", text);
    TAP_OK(!attest_array_set_shape(&array, shape, ATTEST_ARRAY_MAX_RANK + 1), "33 dimensions");
    size_t long_shape[ATTEST_ARRAY_MAX_RANK];
    for (int i = 0; i < ATTEST_ARRAY_MAX_RANK; i++)
        long_shape[i] = i ? 1 : (size_t)1 << 60;
    array.type = ATTEST_ARRAY_U8;
    TAP_OK(attest_array_set_shape(&array, long_shape, ATTEST_ARRAY_MAX_RANK), "32 dimensions");
    attest_array_format_shape(text, &array);
    TAP_OK(strlen(text) < ATTEST_ARRAY_TEXT_SIZE, "a long shape is cut");
}

/* A slice against entries picked by hand: the transpose of rows 1, 2 of a Fortran matrix. */
static void slices(void)
{
    const double storage[] = {0, 1, 0x1p-1074, 3, 0x1.8p1023, -5, 6, -0.0, 8, 9, 0.5, 11};
    const size_t shape[2] = {4, 3};
    attest_array array = {
        .type = ATTEST_ARRAY_F64, .fortran = true, .data = (const unsigned char *)storage};
    bool shaped = attest_array_set_shape(&array, shape, 2), ok = shaped;
    attest_array_slice slice = {1, 3, 2, attest_array_step(&array, 1),
                                attest_array_step(&array, 0)};
    attest_budget small = {100}, enough = {10000};
    attest_matrix matrix;
    attest_error error;
    fmpq_t got, wanted;

    attest_matrix_init(&matrix);
    fmpq_init(got);
    fmpq_init(wanted);
    TAP_OK(attest_matrix_set_slice(&matrix, &array, &slice, &small, &error) == ATTEST_UNABLE &&
               matrix.rows == 0,
           "numbers beyond the budget: %s", error.text);
    ok = ok && attest_matrix_set_slice(&matrix, &array, &slice, &enough, &error) == ATTEST_OK;
    for (size_t r = 0; ok && r < 3; r++)
        for (size_t c = 0; c < 2; c++) {
            attest_matrix_get_entry(got, &matrix, r, c);
            attest_number_set_double(wanted, storage[(c + 1) + 4 * r]);
            ok = ok && fmpq_equal(got, wanted);
        }
    TAP_OK(ok && matrix.rows == 3 && matrix.cols == 2, "a transposed slice is exact");
    fmpq_clear(got);
    fmpq_clear(wanted);
    attest_matrix_clear(&matrix);
}

/* The memory that a matrix of 2^low and 2^high is charged for. FLINT keeps numbers below 2^62
 * in a word; others have a header and their limbs, and at most one limb more is charged. */
static void charges(void)
{
    static const struct {
        int low, high;
    } range[] = {{0, 60}, {0, 61}, {0, 62}, {-30, 31}, {-31, 31}, {-1000, 1000}, {-62, -62}};
    const size_t shape[2] = {2, 3};
    attest_matrix matrix;

    attest_matrix_init(&matrix);
    for (size_t i = 0; i < sizeof range / sizeof range[0]; i++) {
        const double low = ldexp(1, range[i].low), high = ldexp(1, range[i].high);
        const double storage[] = {low, -high, 0, high, high, low};
        attest_array array = {.type = ATTEST_ARRAY_F64, .data = (const unsigned char *)storage};
        attest_array_slice slice = {0, 2, 3, 3, 1};
        attest_budget budget = {100000};
        int bits = (range[i].high > -1 ? range[i].high + 1 : 0) - range[i].low;
        size_t limbs = (size_t)(bits + 63) / 64, least = 6 * sizeof(fmpz), most = least;

        if (bits > 62) {
            least += 6 * (sizeof(__mpz_struct) + limbs * sizeof(mp_limb_t));
            most = least + 6 * sizeof(mp_limb_t);
        }
        bool ok = attest_array_set_shape(&array, shape, 2) &&
                  attest_matrix_set_slice(&matrix, &array, &slice, &budget, NULL) == ATTEST_OK;
        TAP_OK(ok && 100000 - budget.left >= least && 100000 - budget.left <= most,
               "2^%d and 2^%d: %zu bytes", range[i].low, range[i].high, 100000 - budget.left);
    }
    attest_matrix_clear(&matrix);
}

/* Elements that are not finite numbers are refused, and the matrix is unchanged. */
static void refusals(void)
{
    const double storage[] = {1, 2, 3, INFINITY};
    const unsigned char truth[] = {0, 1, 1, 0};
    const size_t shape[2] = {2, 2};
    attest_array array = {.type = ATTEST_ARRAY_F64, .data = (const unsigned char *)storage};
    attest_array yes = {.type = ATTEST_ARRAY_BOOL, .data = truth};
    attest_array_slice slice = {0, 2, 2, 2, 1}, part = {0, 1, 2, 2, 1};
    attest_matrix matrix;
    attest_error error = {0};
    bool ok =
        attest_array_set_shape(&array, shape, 2) && attest_array_set_shape(&yes, shape, 2);

    attest_matrix_init(&matrix);
    TAP_OK(
        ok && attest_matrix_set_slice(&matrix, &array, &slice, NULL, &error) == ATTEST_FORMAT &&
            strstr(error.text, "[1][1]") && matrix.rows == 0,
        "infinity: %s", error.text);
    TAP_OK(attest_matrix_set_slice(&matrix, &yes, &slice, NULL, &error) == ATTEST_FORMAT &&
               matrix.rows == 0,
           "truth values: %s", error.text);
    TAP_OK(attest_matrix_set_slice(&matrix, &array, &part, NULL, &error) == ATTEST_OK &&
               matrix.rows == 1 && matrix.cols == 2,
           "what is outside of the slice is not looked at");
    attest_matrix_clear(&matrix);
}

TEST(array)
{
    uint64_t seed = tap_seed(0xa22a7);

    for (int big = 0; big < 2; big++) {
        all_words(ATTEST_ARRAY_F16, big, 5, "binary16");
        all_words(ATTEST_ARRAY_BF16, big, 8, "bfloat16");
        random_words(big, &seed);
    }
    all_bytes(ATTEST_ARRAY_F8_E4M3, 4, "float8_e4m3fn");
    all_bytes(ATTEST_ARRAY_F8_E5M2, 5, "float8_e5m2");
    integers();
    places();
    slices();
    charges();
    refusals();
    flint_cleanup();
    return 0;
}
