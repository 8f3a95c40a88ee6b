/* fuzz.h -- fuzz targets.
 *
 *     FUZZ_TARGET(npy)
 *     {
 *         ... data, size ...
 *         return 0;
 *     }
 *
 * With ATTEST_FUZZER the target is the entry point of libFuzzer. Without, it is a test that
 * runs over its seeds: the files of tests/fuzz/seeds/NAME/ and those of tests/data that end in
 * .NAME. */
#ifndef ATTEST_TESTS_FUZZ_H
#define ATTEST_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>

#include "tests/tap.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Runs the target over its seeds. */
int fuzz_replay(const char *target, int (*run)(const uint8_t *, size_t));

#ifdef ATTEST_FUZZER
#define FUZZ_TARGET_(name) int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
#else
#define FUZZ_TARGET_(name)                                                                     \
    static int fuzz_##name(const uint8_t *data, size_t size);                                  \
    TEST(name)                                                                                 \
    {                                                                                          \
        return fuzz_replay(#name, fuzz_##name);                                                \
    }                                                                                          \
    static int fuzz_##name(const uint8_t *data, size_t size)
#endif
#define FUZZ_TARGET(name) FUZZ_TARGET_(name)

#endif
