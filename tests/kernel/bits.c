/* bits.c -- the scalar kernel computes the same bits on every machine: its results on fixed
 * inputs, hashed, are these constants whatever the processor, the compiler and its
 * optimisation. A contracted product, a wider register or another fma() would change them. */
#include <attest/kernel.h>

#include "base/sha256.h"
#include "tests/kernel/exp-error.h"
#include "tests/kernel/oracle.h"

#define POINTS 200000
#define BLOCK 1000

static const char exp_bits[] =
    "7b05f53303d13eb8287bfeb0e63eac67747e7bac0dc4d384e78badbeec7347b7";
static const char *const attention_bits[4] = {
    "1b58dbb00475fadc9edc1cb21d362aa5f5960fcf4cbbd092f92bd07ff0d57f52",
    "a84c40ed7a782c04d4d361d1b811273f312fc666e7f32cfbcc2ad6905873349f",
    "9ffa6aedeb32ced954b48c4d9efd9829b5e1f7f8f32165e204b64cde46fab6de",
    "2d953373fbc800dd970cf5e6f0b0b50be0a746efd9c35a138e47dc00bf1905f2",
};

/* Least significant byte first; processors differ in the sign and the payload of a NaN. */
static void add(attest_sha256 *hash, const double *x, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        unsigned char byte[8];
        uint64_t bits = 0x7ff8000000000000;

        if (!isnan(x[i]))
            memcpy(&bits, x + i, sizeof bits);
        for (int b = 0; b < 8; b++)
            byte[b] = (unsigned char)(bits >> 8 * b);
        attest_sha256_add(hash, byte, sizeof byte);
    }
}

static void compare(attest_sha256 *hash, const char *expected, const char *what)
{
    unsigned char digest[ATTEST_SHA256_SIZE];
    char hex[2 * ATTEST_SHA256_SIZE + 1];

    attest_sha256_get(digest, hash);
    attest_sha256_format(hex, digest);
    if (!TAP_OK(strcmp(hex, expected) == 0, "%s: the bits of every machine", what))
        printf("# hash %s\n", hex);
}

static void test_exp(void)
{
    static double x[BLOCK], y[BLOCK];
    uint64_t state = 0x5eed0004;
    attest_sha256 hash;

    attest_sha256_init(&hash);
    for (size_t done = 0; done < POINTS; done += BLOCK) {
        for (size_t i = 0; i < BLOCK; i++)
            x[i] = exp_error_sample(&state);
        attest_kernel_exp(y, x, BLOCK);
        add(&hash, y, BLOCK);
    }
    compare(&hash, exp_bits, "exp");
}

/* Outputs and error bounds, on every kind of data. */
static void test_attention(bool hardmax, bool causal)
{
    static const size_t shapes[][2] = {{1, 1}, {4, 4}, {7, 16}, {17, 10}, {33, 3}, {64, 16}};
    uint64_t state = 0x5eed0005;
    attest_sha256 hash;
    char what[64];

    attest_sha256_init(&hash);
    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++)
        for (unsigned kind = 0; kind < PROBLEM_KINDS; kind++) {
            struct problem problem;

            problem_init(&problem, 2, shapes[s][0], shapes[s][1]);
            problem.hardmax = hardmax;
            problem.causal = causal;
            problem_fill(&problem, kind, &state);
            problem_run(&problem);
            add(&hash, problem.out, problem.batch * problem.n * problem.d);
            add(&hash, problem.error, problem.batch * problem.n);
            problem_clear(&problem);
        }
    snprintf(what, sizeof what, "%s%s", hardmax ? "hardmax" : "softmax",
             causal ? " causal" : "");
    compare(&hash, attention_bits[2 * causal + hardmax], what);
}

TEST(bits)
{
    if (!TAP_OK(attest_kernel_select("scalar") == ATTEST_OK, "select scalar"))
        return 0;
    test_exp();
    for (int variant = 0; variant < 4; variant++)
        test_attention(variant & 1, variant & 2);
    return 0;
}
