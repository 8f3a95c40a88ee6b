/* paint.c -- colour for people. */
#include "report/paint.h"

static bool painted;

void attest_paint_use(bool on)
{
    painted = on;
}

const char *attest_paint_begin(const FILE *stream, attest_paint kind)
{
    static const char *const begin[] = {
        [ATTEST_PAINT_GOOD] = "\033[32m",
        [ATTEST_PAINT_BAD] = "\033[1;31m",
        [ATTEST_PAINT_OPEN] = "\033[33m",
        [ATTEST_PAINT_HEADING] = "\033[1m",
    };

    return painted && stream == stdout ? begin[kind] : "";
}

const char *attest_paint_end(const FILE *stream)
{
    return painted && stream == stdout ? "\033[m" : "";
}
