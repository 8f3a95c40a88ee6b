/* CPU time of exact hardmax attention with 100-digit numerators: 8 heads, d = s = 16, n = 64,
 * against the same sums in fmpq. Goal: under a second. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "tests/ref/attention.h"
#include "tests/ref/cases.h"

static double seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void measure(const char *name, unsigned denominator, bool factored, uint64_t *state)
{
    ref_shape shape = {8, 16, 16, 64, 333, denominator, factored};
    fmpq *out = _fmpq_vec_init(64 * 16), *expected = _fmpq_vec_init(64 * 16);
    double start, ours, plain;
    ref_case test;
    bool equal = true;

    ref_case_init(&test, &shape, state);
    test.weights.activation = ATTEST_HARDMAX;
    start = seconds();
    if (attest_attention_exact(out, &test.weights, &test.sequence, NULL) != ATTEST_OK)
        abort();
    ours = seconds() - start;
    start = seconds();
    ref_hardmax(expected, &test.weights, &test.sequence);
    plain = seconds() - start;
    for (int i = 0; i < 64 * 16; i++)
        equal = equal && fmpq_equal(out + i, expected + i);
    printf("%-36s %.3f s  by fmpq matrices %.3f s  %s\n", name, ours, plain,
           equal ? "equal" : "DIFFERENT");
    ref_case_clear(&test);
    _fmpq_vec_clear(out, 64 * 16);
    _fmpq_vec_clear(expected, 64 * 16);
}

int main(void)
{
    uint64_t state = 0x5eed;

    measure("integers", 1, false, &state);
    measure("denominators up to 10^6", 1000000, false, &state);
    measure("half of the matrices u v^T", 1000000, true, &state);
    flint_cleanup();
    return 0;
}
