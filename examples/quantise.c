/* quantise.c -- numbers in block formats: codes, scales, exact values.
 *
 *     cc quantise.c $(pkg-config --cflags --libs attest) -o quantise && ./quantise
 *
 * 32 numbers, i/8 - 2 for i = 0 ... 31, by the MXFP4 of microxcaling, the q8_0 of llama.cpp
 * and float8_e4m3fn with one scale. The largest magnitude is 2. MXFP4's elements reach 6, and
 * its scale is 2^(1-2): 2 becomes 4 * 1/2. The program fails otherwise. */
#include <stdio.h>

#include <attest/attest.h>

enum { COUNT = 32 };

/* The largest error, as a part of the largest number; negative after a failure. */
static double show(const char *name, const double *x)
{
    attest_block_format format;
    attest_quantised q;
    attest_error error;
    double most = 0;

    if (attest_block_parse(&format, name, &error) != ATTEST_OK ||
        attest_quantised_init(&q, x, 1, 1, COUNT, &format, &error) != ATTEST_OK) {
        fprintf(stderr, "%s: %s\n", name, error.text);
        return -1;
    }
    for (size_t i = 0; i < COUNT; i++) {
        double off = attest_quantised_get(&q, i) - x[i];

        off = off < 0 ? -off : off;
        most = off > most ? off : most;
    }
    printf("%-24s scale %.9g, -2 is code 0x%02x, the largest error %.9g\n", name,
           attest_quantised_get_scale(&q, 0)->factor,
           (unsigned)attest_quantised_get_code(&q, 0), most);
    attest_quantised_clear(&q);
    return most / 2;
}

int main(void)
{
    double x[COUNT];

    for (int i = 0; i < COUNT; i++)
        x[i] = i / 8.0 - 2;
    /* between 1 and 2 the elements of MXFP4 are 1, 3/2 and 2: errors up to 1/4 */
    if (show("mxfp4:mx", x) != 0.125)
        return 1;
    return !(show("q8_0", x) < 0.005 && show("float8_e4m3fn:per-tensor", x) < 0.04);
}
