/* paint.c -- colour for people. */
#include "report/paint.h"

#include "report/print.h"

static bool painted;

void attest_paint_use(bool on)
{
    painted = on;
}

void attest_paint_print(FILE *stream, attest_paint kind, const char *text)
{
    static const char *const begin[] = {
        [ATTEST_PAINT_GOOD] = "\033[32m",
        [ATTEST_PAINT_BAD] = "\033[1;31m",
        [ATTEST_PAINT_OPEN] = "\033[33m",
        [ATTEST_PAINT_HEADING] = "\033[1m",
    };
    bool on = painted && stream == stdout;

    if (on)
        fputs(begin[kind], stream);
    attest_fprint(stream, "%s", text);
    if (on)
        fputs("\033[m", stream);
}
