/* tap.c -- prints what tests check, and counts it. */
#include "tests/tap.h"

#include <stdarg.h>

static tap_counts own_counts;
tap_counts *tap_counted = &own_counts;

bool tap_ok(bool ok, const char *file, int line, const char *format, ...)
{
    va_list arguments;

    printf("%s %d - ", ok ? "ok" : "not ok", ++tap_counted->count);
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    printf("\n");
    if (!ok) {
        tap_counted->failures++;
        printf("# failed at %s:%d\n", file, line);
    }
    fflush(stdout);
    return ok;
}

int tap_skip(const char *reason)
{
    printf("ok %d # SKIP %s\n", ++tap_counted->count, reason);
    fflush(stdout);
    return 0;
}

int tap_done(void)
{
    printf("1..%d\n", tap_counted->count);
    return tap_counted->failures != 0;
}

uint64_t tap_seed(uint64_t fixed)
{
    const char *text = getenv("ATTEST_SEED");
    uint64_t seed = text && *text ? strtoull(text, NULL, 0) : fixed;

    printf("# seed 0x%llx (ATTEST_SEED sets it)\n", (unsigned long long)seed);
    return seed;
}

int tap_budget(int all)
{
    const char *text = getenv("ATTEST_INSTANCES");

    return text && strcmp(text, "all") == 0 ? all : (all + 2) / 3;
}
