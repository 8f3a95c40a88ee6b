/* safetensors.c -- files that are written and read again: every word of the small types; a
 * value that a type does not have is rejected before a file is written. */
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "io/safetensors.h"
#include "io/tensor_file.h"
#include "tests/tap.h"

static char path[] = "/tmp/attest-write-XXXXXX";

/* Writes the values, reads them; how many are not the same. */
static size_t go_around(double *value, size_t count, attest_tensor_type type,
                        attest_array_type read_type, attest_status expected)
{
    static double back[1 << 16];
    attest_safetensors_item item[2] = {
        {(char[]){"a\"\xc3\xa9\n"}, type, 2, {count / 2, 2}, value},
        {(char[]){"b"}, ATTEST_TENSOR_F64, 1, {1}, value}};
    attest_tensor_file file;
    attest_array array;
    attest_error error = {0};
    size_t wrong = 0;

    unlink(path);
    if (attest_safetensors_write(path, item, 2, &error) != expected)
        return count;
    if (expected != ATTEST_OK)
        return access(path, F_OK) == 0; /* nothing half-written */
    if (attest_tensor_file_open(&file, path, NULL, &error) != ATTEST_OK)
        return count;
    if (attest_tensor_file_get(&array, &file, "a\"\xc3\xa9\n", &error) == ATTEST_OK &&
        array.type == read_type && array.rank == 2 && array.shape[0] == count / 2 &&
        ((uintptr_t)array.data - (uintptr_t)file.input.data) % 8 == 0) {
        attest_array_get_doubles(back, &array, 0, 1, count);
        for (size_t i = 0; i < count; i++)
            wrong += back[i] != value[i] && !(isnan(back[i]) && isnan(value[i]));
    } else {
        wrong = count;
    }
    attest_tensor_file_close(&file);
    return wrong;
}

/* All words of a type of 8 or 16 bits. */
static void all_words(attest_tensor_type type, attest_array_type read_type, size_t bytes,
                      const char *name)
{
    static unsigned char word[2 << 16];
    static double value[1 << 16];
    size_t count = bytes == 1 ? 256 : 65536, wrong;
    attest_array array = {.type = read_type, .data = word};

    for (size_t i = 0; i < count; i++) {
        word[bytes * i] = (unsigned char)i;
        word[bytes * i + (bytes - 1)] = (unsigned char)(bytes == 1 ? i : i >> 8);
    }
    if (!attest_array_set_shape(&array, &count, 1))
        abort();
    attest_array_get_doubles(value, &array, 0, 1, count);
    wrong = go_around(value, count, type, read_type, ATTEST_OK);
    TAP_OK(wrong == 0, "all words of %s (%zu wrong)", name, wrong);
}

TEST(safetensors)
{
    double wide[6] = {0x1.fffffffffffffp1023, -0x1p-1074,  0.1,
                      (double)INFINITY,       (double)NAN, 0};
    double single[6] = {0x1.fffffep127, -0x1p-149, 0x1p-126, (double)-INFINITY, (double)NAN, 1};
    static const struct {
        double value;
        attest_tensor_type type;
    } bad[] = {{0.1, ATTEST_TENSOR_F32},       {0x1p128, ATTEST_TENSOR_F32},
               {0x1p-150, ATTEST_TENSOR_F32},  {65536, ATTEST_TENSOR_F16},
               {0x1.8p-25, ATTEST_TENSOR_F16}, {0x1.01p0, ATTEST_TENSOR_BF16},
               {480, ATTEST_TENSOR_F8_E4M3},   {(double)INFINITY, ATTEST_TENSOR_F8_E4M3},
               {65536, ATTEST_TENSOR_F8_E5M2}, {1.125, ATTEST_TENSOR_F8_E5M2}};
    int descriptor = mkstemp(path);

    if (descriptor < 0)
        return 1;
    close(descriptor);
    all_words(ATTEST_TENSOR_F8_E4M3, ATTEST_ARRAY_F8_E4M3, 1, "F8_E4M3");
    all_words(ATTEST_TENSOR_F8_E5M2, ATTEST_ARRAY_F8_E5M2, 1, "F8_E5M2");
    all_words(ATTEST_TENSOR_F16, ATTEST_ARRAY_F16, 2, "F16");
    all_words(ATTEST_TENSOR_BF16, ATTEST_ARRAY_BF16, 2, "BF16");
    TAP_OK(go_around(wide, 6, ATTEST_TENSOR_F64, ATTEST_ARRAY_F64, ATTEST_OK) == 0, "F64");
    TAP_OK(go_around(single, 6, ATTEST_TENSOR_F32, ATTEST_ARRAY_F32, ATTEST_OK) == 0, "F32");
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        double pair[2] = {0, bad[i].value};
        TAP_OK(go_around(pair, 2, bad[i].type, ATTEST_ARRAY_F64, ATTEST_DOMAIN) == 0,
               "%a is no number of type %d", bad[i].value, (int)bad[i].type);
    }
    unlink(path);
    return 0;
}
