/* Counting values of formats: against enumeration by rounding, and closed forms. */
#include "audit/collapse.h"
#include "tests/tap.h"

/* Counts the finite values of a small format: all multiples of its quantum up to twice its
 * largest number that have a p-bit significand and do not exceed the largest. */
static size_t enumerate(long p, long emin, long emax, bool top_is_nan)
{
    long quantum = emin - p + 1; /* 2^quantum */
    unsigned long most = ((1ul << p) - 1 - top_is_nan) << (emax - p + 1 - quantum);
    size_t count = 1; /* 0 */

    for (unsigned long k = 1; k <= most; k++) {
        unsigned long odd = k;

        while (odd % 2 == 0)
            odd /= 2;
        if (odd < 1ul << p)
            count += 2; /* and its negative */
    }
    return count;
}

static bool has_values(const char *name, ulong expected)
{
    attest_format format;
    attest_error error;
    fmpz_t values;
    bool ok;

    fmpz_init(values);
    ok = attest_format_parse(&format, name, &error) == ATTEST_OK &&
         attest_pigeonhole_values(values, &format) && fmpz_equal_ui(values, expected);
    fmpz_clear(values);
    return ok;
}

static size_t least_bits(size_t classes, size_t dim)
{
    for (size_t b = 0;; b++) {
        double told = 1;

        for (size_t k = 0; k < b * dim; k++)
            told *= 2;
        if (told >= (double)classes)
            return b;
    }
}

TEST(collapse)
{
    attest_format format;
    attest_error error;
    bool ok = true;

    for (long p = 1; p <= 5; p++)
        for (long emax = 1; emax <= 4; emax++) {
            char name[96];

            snprintf(name, sizeof name, "p=%ld:emin=-%ld:emax=%ld", p, emax, emax);
            ok = ok && has_values(name, enumerate(p, -emax, emax, false));
        }
    TAP_OK(ok, "values of small formats, enumerated");
    TAP_OK(has_values("float8_e4m3fn", 253) &&
               has_values("float8_e4m3fn", enumerate(4, -6, 8, true)),
           "float8_e4m3fn has 253");
    TAP_OK(has_values("float8_e5m2", 247), "float8_e5m2 has 247");
    TAP_OK(has_values("binary16", 63487), "binary16 has 63487"); /* 65536 - 2048 - 1 */
    TAP_OK(has_values("bfloat16", 65279), "bfloat16 has 65279"); /* 65536 - 256 - 1 */
    ok = true;
    for (size_t classes = 1; classes <= 300; classes++)
        for (size_t dim = 1; dim <= 9; dim++)
            ok = ok && attest_pigeonhole_bits(classes, dim) == least_bits(classes, dim);
    TAP_OK(ok, "the least bits for up to 300 classes");
    TAP_OK(attest_pigeonhole_bits(SIZE_MAX, 1) == 8 * sizeof(size_t),
           "the least bits for the largest number of classes");
    ok = attest_format_parse(&format, "p=1:emin=-1:emax=1", &error) == ATTEST_OK &&
         !attest_pigeonhole_collapses(&format, 7, 1) &&
         attest_pigeonhole_collapses(&format, 8, 1) &&
         !attest_pigeonhole_collapses(&format, 49, 2) &&
         attest_pigeonhole_collapses(&format, 50, 2);
    TAP_OK(ok, "seven values tell 7 and 49 classes apart, and no more");
    ok = attest_format_parse(&format, "p=1", &error) == ATTEST_OK &&
         !attest_pigeonhole_collapses(&format, SIZE_MAX, 1);
    TAP_OK(ok, "unbounded exponents: no bound");
    flint_cleanup();
    return 0;
}
