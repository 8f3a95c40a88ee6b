/* print.c -- attest_fprint is fprintf, except for the contents of strings. */
#include <inttypes.h>
#include <string.h>

#include "report/print.h"
#include "tests/tap.h"

static char got[512];

/* The stream to print to; the output is in got after the next call. */
static FILE *begin(void)
{
    FILE *stream;

    memset(got, 0, sizeof got);
    stream = fmemopen(got, sizeof got, "w");
    if (!stream)
        abort();
    return stream;
}

#define SAME(...)                                                                              \
    do {                                                                                       \
        char expected[512];                                                                    \
        int length = snprintf(expected, sizeof expected, __VA_ARGS__);                         \
        FILE *opened = begin();                                                                \
        int count = attest_fprint(opened, __VA_ARGS__);                                        \
        fclose(opened);                                                                        \
        if (!TAP_OK(strcmp(got, expected) == 0 && count == length, "%s", #__VA_ARGS__))        \
            printf("# got '%s' (%d), expected '%s' (%d)\n", got, count, expected, length);     \
    } while (0)

#define ESCAPED(expected, ...)                                                                 \
    do {                                                                                       \
        FILE *opened = begin();                                                                \
        int count = attest_fprint(opened, __VA_ARGS__);                                        \
        fclose(opened);                                                                        \
        if (!TAP_OK(strcmp(got, expected) == 0 && count == (int)strlen(expected), "%s",        \
                    #__VA_ARGS__))                                                             \
            printf("# got '%s' (%d)\n", got, count);                                           \
    } while (0)

TEST(print)
{
    static const char text[] = "one\n\x1b[2Jtwo\n";
    FILE *stream;

    SAME("plain, 100 %%\n");
    SAME("%s|%10s|%-10s|%.2s|%*s|%-*s|%.*s|%*.*s|", "abc", "abc", "abc", "abc", 6, "abc", 6,
         "abc", 2, "abc", 5, 1, "abc");
    SAME("%-5s|%*s|%s", "longer", -6, "abc", "");
    SAME("\xC3\xA9 %s|%6s|", "\xC3\xA9\xE2\x82\xAC", "\xC3\xA9");
    SAME("%d %5d %-5d| %05d %+d %i %u %x %08x %X %o %c", -1, 2, 3, 4, 5, 6, 7U, 255U, 255U,
         255U, 8U, 'c');
    SAME("%ld %lu %lld %llu %zu %hd", -1L, 2UL, -3LL, 4ULL, (size_t)5, (short)6);
    SAME("%" PRIu64 " %" PRIx64 " %10" PRIu64 " %" PRId64, UINT64_MAX, UINT64_MAX, (uint64_t)1,
         INT64_MIN);
    SAME("%g %.3g %10.4f|%-10.2e|%a %.0f %.*g %Lg", 0.1, 1e-7, 3.14159, 2e10, 0.5, 2.5, 3,
         1.0 / 3, 1.5L);
    ESCAPED("a\\x1b[31m\\x0ab", "%s", "a\x1b[31m\nb");
    ESCAPED("\\xc2\\x9b|\\xe2\\x80\\xae|\\xff\n", "%s|%s|%s\n", "\xC2\x9B", "\xE2\x80\xAE",
            "\xFF");
    ESCAPED("  \\x0a|\\x0a  |\\x0a|", "%6s|%-6s|%.1s|", "\n", "\n", "\n\n");
    ESCAPED("\\x1b", "%c", '\x1b');
    stream = begin();
    attest_print_lines(stream, text, strlen(text));
    fclose(stream);
    TAP_OK(strcmp(got, "one\n\\x1b[2Jtwo\n") == 0,
           "lines keep their newlines, and nothing else");
    return 0;
}
