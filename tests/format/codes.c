/* codes.c -- the codes of quantised elements, the largest numbers of formats, casts to powers
 * of two: values from the definitions of the formats. */
#include <math.h>

#include "format/simulate_in_double.h"
#include <attest/block.h>
#include "tests/tap.h"

/* The codes of -1, 0.5, 1 under a scheme; 1 is the largest. */
static void check_codes(const char *name, uint32_t first, uint32_t second, uint32_t third)
{
    static const double x[32] = {-1, 0.5, 1};
    attest_block_format format;
    attest_quantised q;
    attest_error error;

    if (attest_block_parse(&format, name, &error) != ATTEST_OK ||
        attest_quantised_init(&q, x, 1, 1, 32, &format, &error) != ATTEST_OK) {
        TAP_OK(false, "%s: %s", name, error.text);
        return;
    }
    TAP_OK(attest_quantised_get_code(&q, 0) == first &&
               attest_quantised_get_code(&q, 1) == second &&
               attest_quantised_get_code(&q, 2) == third,
           "%s: codes 0x%x 0x%x 0x%x", name, (unsigned)attest_quantised_get_code(&q, 0),
           (unsigned)attest_quantised_get_code(&q, 1),
           (unsigned)attest_quantised_get_code(&q, 2));
    attest_quantised_clear(&q);
}

static void check_empty(void)
{
    static const size_t size[][3] = {{0, 1, 1}, {1, 0, 1}, {1, 1, 0}, {0, 0, 0}};
    attest_block_format format;
    attest_quantised q;
    attest_error error;
    size_t refused = 0;

    if (attest_block_parse(&format, "int8:per-token", &error) != ATTEST_OK)
        abort();
    for (size_t i = 0; i < 4; i++)
        refused += attest_quantised_init(&q, NULL, size[i][0], size[i][1], size[i][2], &format,
                                         &error) == ATTEST_FORMAT;
    TAP_OK(refused == 4, "%zu of 4 empty arrays are refused", refused);
}

static void check_most(const char *name, double most)
{
    attest_format format;

    TAP_OK(attest_format_parse(&format, name, NULL) == ATTEST_OK &&
               attest_format_get_most(&format) == most,
           "the largest number of %s is %g", name, most);
}

static void check_powers(void)
{
    static const double pair[][2] = {{1, 1},
                                     {1.49, 1},
                                     {1.5, 2},
                                     {1.51, 2},
                                     {0x1p-127, 0x1p-127},
                                     {0x1p-130, 0x1p-127},
                                     {3, 4},
                                     {0x1p127, 0x1p127},
                                     {0.75, 1},
                                     {0.7, 0.5}};
    attest_format format;
    size_t wrong = 0;

    if (attest_format_parse(&format, "float8_e8m0fnu", NULL) != ATTEST_OK)
        abort();
    for (size_t i = 0; i < sizeof pair / sizeof pair[0]; i++)
        wrong += attest_format_cast(pair[i][0], &format) != pair[i][1];
    TAP_OK(wrong == 0, "%zu casts to powers of two are wrong", wrong);
    TAP_OK(isnan(attest_format_cast(0, &format)) && isnan(attest_format_cast(-1, &format)) &&
               isnan(attest_format_cast(0x1.8p127, &format)) &&
               isnan(attest_format_cast((double)INFINITY, &format)),
           "casts of zero, negative and too large numbers are NaN");
}

TEST(codes)
{
    check_codes("int8:per-token", 0x81, 0x40, 0x7f); /* -127, 63.5 to even, 127 */
    check_codes("q8_0", 0x81, 0x40, 0x7f);           /* 63.5 away from zero */
    check_codes("q4_0", 0, 12, 15);                  /* of scale 1/8, plus 8; 16 saturates */
    check_codes("int16:ct2", 0xfc00, 0x200, 0x400);  /* the largest is 2^10 */
    check_codes("float8_e4m3fn", 0xb8, 0x30, 0x38);
    check_codes("bfloat16", 0xbf80, 0x3f00, 0x3f80);
    check_codes("binary64", 0, 0, 0); /* codes of more than 32 bits are 0 */
    check_codes("p=20", 0, 0, 0);     /* this format has no codes */
    check_empty();
    check_most("binary32", 0x1.fffffep127);
    check_most("float8_e4m3fn", 448);
    check_most("float8_e5m2", 57344);
    check_most("float4_e2m1fn", 6);
    check_powers();
    return 0;
}
