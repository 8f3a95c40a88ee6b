/* Near pairs: every kernel keeps the error of its products, so that hits are certain outside a
 * margin of that error around the thresholds. */
#include <math.h>

#include <attest/kernel.h>

#include "geometry/near.h"
#include "tests/tap.h"

enum { DIM = 300 };

static uint64_t state;
static float a[DIM * ATTEST_NEAR], b[DIM * ATTEST_NEAR], alpha[ATTEST_NEAR], beta[ATTEST_NEAR];

/* In (-1, 1), with all the bits of a float, of any of several sizes. */
static float entry(int smallest)
{
    float x = (float)((double)(int64_t)tap_random(&state) * 0x1p-63);

    return ldexpf(x, -(int)(tap_random(&state) % (uint64_t)smallest));
}

/* The product and the sum of absolute values, nearly without error. */
static double product(int i, int j, size_t dim, double *size)
{
    double p = 0;

    *size = 0;
    for (size_t c = 0; c < dim; c++) {
        double term = (double)a[c * ATTEST_NEAR + i] * b[c * ATTEST_NEAR + j];
        p += term;
        *size += fabs(term);
    }
    return p;
}

/* One pair of blocks; the number of pairs that a kernel answers wrongly. *close counts those
 * for which either answer is right. */
static size_t try_blocks(size_t dim, int smallest, size_t *close)
{
    uint64_t hit[ATTEST_NEAR];
    size_t wrong = 0;

    for (size_t e = 0; e < dim * ATTEST_NEAR; e++) {
        a[e] = entry(smallest);
        b[e] = entry(smallest);
    }
    /* Thresholds beside the products on a diagonal: sharp there, anything elsewhere. */
    for (int i = 0; i < ATTEST_NEAR; i++) {
        double size, p = product(i, (i * 7 + 3) % ATTEST_NEAR, dim, &size);
        beta[i] = 0;
        alpha[i] = (float)(p + ((double)dim + 4) * 0x1p-24 * size * (i % 2 ? 1.3 : -1.3));
    }
    attest_near_block(hit, a, b, dim, alpha, beta);
    for (int i = 0; i < ATTEST_NEAR; i++) {
        for (int j = 0; j < ATTEST_NEAR; j++) {
            double size, p = product(i, j, dim, &size), threshold = (double)alpha[i] + beta[j];
            double error = ((double)dim + 1) * 0x1p-24 * (1 + 0x1p-10) * size +
                           (double)dim * 0x1p-148 + fabs(threshold) * 0x1p-23;
            bool set = hit[i] >> j & 1;
            if (fabs(p - threshold) <= error)
                ++*close;
            else
                wrong += set != (p > threshold);
        }
    }
    return wrong;
}

TEST(near)
{
    const char *name;

    state = tap_seed(0x9ea5);
    for (size_t k = 0; (name = attest_kernel_list(k)); k++) {
        size_t wrong = 0, close = 0, pairs = 0;
        if (attest_kernel_select(name) != ATTEST_OK)
            return 1;
        for (int round = 0; round < 40; round++, pairs += ATTEST_NEAR * ATTEST_NEAR)
            wrong += try_blocks(1 + (size_t)(tap_random(&state) % (round % 4 ? 20 : DIM)),
                                round % 3 ? 1 : 60, &close);
        TAP_OK(wrong == 0, "%s: %zu pairs, %zu wrong", name, pairs, wrong);
        TAP_OK(close < pairs / 10, "%s: %zu within the error", name, close);
    }
    return 0;
}
