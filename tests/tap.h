/* tap.h -- the Test Anything Protocol, version 12, in a header.
 *
 *     int main(void)
 *     {
 *         TAP_OK(1 + 1 == 2, "addition");
 *         return tap_done();
 *     }
 *
 * The plan is printed at the end, so that a test that dies early is a failure. */
#ifndef ATTEST_TESTS_TAP_H
#define ATTEST_TESTS_TAP_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"

static int tap_count, tap_failures;

#if defined(__GNUC__)
__attribute__((format(printf, 4, 5), unused))
#endif
static bool
tap_ok(bool ok, const char *file, int line, const char *format, ...)
{
    va_list arguments;

    printf("%s %d - ", ok ? "ok" : "not ok", ++tap_count);
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    printf("\n");
    if (!ok) {
        tap_failures++;
        printf("# failed at %s:%d\n", file, line);
    }
    fflush(stdout);
    return ok;
}

/* One test: a condition and a printf-style description. Returns the condition. */
#define TAP_OK(condition, ...) tap_ok((condition), __FILE__, __LINE__, __VA_ARGS__)

/* Prints the plan; the exit code for main. */
__attribute__((unused)) static int tap_done(void)
{
    printf("1..%d\n", tap_count);
    return tap_failures != 0;
}

/* The seed of a randomised test: ATTEST_SEED if it is set, else the given one; printed. */
__attribute__((unused)) static uint64_t tap_seed(uint64_t fixed)
{
    const char *text = getenv("ATTEST_SEED");
    uint64_t seed = text && *text ? strtoull(text, NULL, 0) : fixed;

    printf("# seed 0x%llx (ATTEST_SEED sets it)\n", (unsigned long long)seed);
    return seed;
}

/* The number of random instances to try: all with ATTEST_INSTANCES=all, as .ci sets it, else a
 * third, at least one. */
__attribute__((unused)) static int tap_budget(int all)
{
    const char *text = getenv("ATTEST_INSTANCES");

    return text && strcmp(text, "all") == 0 ? all : (all + 2) / 3;
}

/* A small generator for tests that need no more. */
__attribute__((unused)) static uint64_t tap_random(uint64_t *state)
{
    return attest_random_next(state);
}

#endif
