/* tap.h -- tests in the Test Anything Protocol, version 12.
 *
 *     TEST(sums)
 *     {
 *         TAP_OK(1 + 1 == 2, "addition");
 *         return 0;
 *     }
 *
 * A file of tests/ROOM/ contains one test, named as the file. All tests of a room are one
 * program, tests/ROOM/t-ROOM (tap_main.c): it runs those that are named on its command line, or
 * all. A test returns 0, or another value where it cannot go on. */
#ifndef ATTEST_TESTS_TAP_H
#define ATTEST_TESTS_TAP_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"

#define TEST(name)                                                                             \
    static int tap_run_##name(void);                                                           \
    __attribute__((constructor)) static void tap_register_##name(void)                         \
    {                                                                                          \
        static tap_test tap_entry = {#name, tap_run_##name, NULL};                             \
        tap_register(&tap_entry);                                                              \
    }                                                                                          \
    static int tap_run_##name(void)

typedef struct tap_test {
    const char *name;
    int (*run)(void);
    struct tap_test *next;
} tap_test;

/* Adds a test to those of the program. */
void tap_register(tap_test *test);

/* What has been counted; the processes of a program share it. */
typedef struct {
    int count;
    int failures;
} tap_counts;

extern tap_counts *tap_counted;

#if defined(__GNUC__)
__attribute__((format(printf, 4, 5)))
#endif
bool tap_ok(bool ok, const char *file, int line, const char *format, ...);

/* One check: a condition and a printf-style description. Returns the condition. */
#define TAP_OK(condition, ...) tap_ok((condition), __FILE__, __LINE__, __VA_ARGS__)

/* Prints that a test is skipped; returns 0. */
int tap_skip(const char *reason);

/* Prints the plan; the exit code of a program that has a main of its own. The plan is printed
 * at the end, so that a program that dies early fails. */
int tap_done(void);

/* The seed of a randomised test: ATTEST_SEED if it is set, else the given one; printed. */
uint64_t tap_seed(uint64_t fixed);

/* The number of random instances to try: all with ATTEST_INSTANCES=all, as .ci sets it, else a
 * third, at least one. */
int tap_budget(int all);

/* A small generator for tests that need no more. */
static inline uint64_t tap_random(uint64_t *state)
{
    return attest_random_next(state);
}

#endif
