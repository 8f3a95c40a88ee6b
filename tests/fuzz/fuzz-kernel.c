/* Compares the kernels with each other: exponentials have the same bits, outputs of attention
 * agree within the sum of the error bounds, bounds are neither negative nor NaN, and the last
 * entry of a batch has the same bits when it is computed alone. Input: three bytes that choose
 * the function and the shape, then doubles, which are repeated until all arrays are full. */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <attest/kernel.h>

#include "tests/fuzz/fuzz.h"

typedef void attention_function(double *, const double *, const double *, const double *,
                                size_t, size_t, size_t, double *);

static attention_function *const functions[4] = {
    attest_kernel_softmax_attention,
    attest_kernel_softmax_attention_causal,
    attest_kernel_hardmax_attention,
    attest_kernel_hardmax_attention_causal,
};

static void demand(bool condition)
{
    if (!condition)
        abort();
}

/* Returns whether both arrays have the same bits, where all NaN are equal. */
static bool same(const double *a, const double *b, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (memcmp(a + i, b + i, sizeof *a) != 0 && !(isnan(a[i]) && isnan(b[i])))
            return false;
    return true;
}

/* Returns an array of exactly count doubles, so that AddressSanitizer reports an access past
 * its end: bytes of data from *at on, cyclically, or 0 if there are none. */
static double *fill(size_t count, const uint8_t *data, size_t size, size_t *at)
{
    double *x = malloc(count * sizeof *x);

    demand(x != NULL);
    for (size_t i = 0; i < count; i++) {
        uint8_t bytes[sizeof *x];

        for (size_t b = 0; b < sizeof bytes; b++)
            bytes[b] = size ? data[(*at)++ % size] : 0;
        memcpy(x + i, bytes, sizeof *x);
    }
    return x;
}

static void check_exp(const double *x, size_t count)
{
    double *y = malloc(count * sizeof *y), *z = malloc(count * sizeof *z);

    demand(y && z && attest_kernel_select("scalar") == ATTEST_OK);
    attest_kernel_exp(y, x, count);
    for (size_t k = 0; attest_kernel_list(k); k++) {
        demand(attest_kernel_select(attest_kernel_list(k)) == ATTEST_OK);
        attest_kernel_exp(z, x, count);
        demand(same(y, z, count));
    }
    free(y);
    free(z);
}

struct result {
    double *out, *error;
};

/* Checks that outputs of two kernels differ by no more than both bounds; 2^-40 exceeds the
 * rounding errors of the distance. */
static void check_pair(const struct result *a, const struct result *b, size_t rows, size_t d)
{
    for (size_t row = 0; row < rows; row++) {
        double bound = a->error[row] + b->error[row], distance = 0.0;

        demand(a->error[row] >= 0.0 && b->error[row] >= 0.0);
        if (bound == (double)INFINITY)
            continue;
        for (size_t c = row * d; c < (row + 1) * d; c++)
            distance = hypot(distance, a->out[c] - b->out[c]);
        demand(distance <= bound * (1.0 + 0x1p-40));
    }
}

static void check_attention(attention_function *function, const double *q, const double *k,
                            const double *v, size_t batch, size_t n, size_t d)
{
    const size_t rows = batch * n, count = rows * d, last = (batch - 1) * n * d;
    struct result a, b;
    double *alone;
    size_t at = 0;

    a.out = fill(count, NULL, 0, &at);
    a.error = fill(rows, NULL, 0, &at);
    b.out = fill(count, NULL, 0, &at);
    b.error = fill(rows, NULL, 0, &at);
    alone = fill(n * d, NULL, 0, &at);
    demand(attest_kernel_select("scalar") == ATTEST_OK);
    function(a.out, q, k, v, batch, n, d, a.error);
    for (size_t i = 0; attest_kernel_list(i); i++) {
        if (strcmp(attest_kernel_list(i), "scalar") == 0)
            continue;
        demand(attest_kernel_select(attest_kernel_list(i)) == ATTEST_OK);
        function(b.out, q, k, v, batch, n, d, b.error);
        check_pair(&a, &b, rows, d);
        /* The last entry of the batch alone, and without the error bounds. */
        function(alone, q + last, k + last, v + last, 1, n, d, NULL);
        demand(same(alone, b.out + last, n * d));
    }
    free(a.out);
    free(a.error);
    free(b.out);
    free(b.error);
    free(alone);
}

/* Most shapes are small, for many inputs per second; some have rows of several blocks of keys
 * and of queries. */
static void pick_shape(const uint8_t *data, size_t *batch, size_t *n, size_t *d)
{
    *batch = 1 + data[0] / 4 % 12; /* up to 12: more than the 8 lanes of the widest vector */
    *n = data[1] < 250 ? 1u + data[1] % 40u : 100u + 13u * (data[1] - 250u);
    *d = 1 + data[2] % 20;
    while (*batch > 1 && *batch * *n * (*n + 8) > 600)
        --*batch;
    while (*d > 1 && *batch * *n * *n * *d > 2000)
        --*d;
}

FUZZ_TARGET(kernel)
{
    size_t batch, n, d, at = 0;
    double *q, *k, *v;

    if (size < 3)
        return 0;
    pick_shape(data, &batch, &n, &d);
    q = fill(batch * n * d, data + 3, size - 3, &at);
    k = fill(batch * n * d, data + 3, size - 3, &at);
    v = fill(batch * n * d, data + 3, size - 3, &at);
    check_exp(q, batch * n * d);
    check_attention(functions[data[0] % 4], q, k, v, batch, n, d);
    free(q);
    free(k);
    free(v);
    return 0;
}
