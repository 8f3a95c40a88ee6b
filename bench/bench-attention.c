/* bench-attention.c -- attention in doubles: with and without the error bound, hardmax, and
 * against OpenBLAS with libmvec and against plain C.
 *
 *     bench-attention [BATCH N D]...      of these sizes; of a table of them without arguments
 *
 * ATTEST_KERNEL names the kernel, else the fastest is taken. OPENBLAS_CORETYPE names the kernel
 * of OpenBLAS (SKYLAKEX, HASWELL): on a processor that it does not know it takes a slow one.
 * The port limit is what the fused multiply-adds alone cost at the rate measured in the same
 * run: 2 d per (query, key), and 13 per four exponentials. */
#include "config.h"

#include <attest/kernel.h>

#include "bench/bench-attention.h"
#include "bench/timing.h"

static void run_softmax(void *context)
{
    struct attention *a = context;

    attest_kernel_softmax_attention(a->out, a->q, a->k, a->v, a->batch, a->n, a->d, NULL);
}

static void run_softmax_bound(void *context)
{
    struct attention *a = context;

    attest_kernel_softmax_attention(a->out, a->q, a->k, a->v, a->batch, a->n, a->d, a->error);
}

static void run_causal(void *context)
{
    struct attention *a = context;

    attest_kernel_softmax_attention_causal(a->out, a->q, a->k, a->v, a->batch, a->n, a->d,
                                           NULL);
}

static void run_hardmax(void *context)
{
    struct attention *a = context;

    attest_kernel_hardmax_attention(a->out, a->q, a->k, a->v, a->batch, a->n, a->d, NULL);
}

static void run_hardmax_bound(void *context)
{
    struct attention *a = context;

    attest_kernel_hardmax_attention(a->out, a->q, a->k, a->v, a->batch, a->n, a->d, a->error);
}

static double *array(size_t count, uint64_t *state)
{
    double *x = calloc(count, sizeof *x);

    if (!x) {
        fprintf(stderr, "bench-attention: out of memory\n");
        exit(4);
    }
    for (size_t i = 0; i < count; i++)
        x[i] = timing_random(state);
    return x;
}

static void race(size_t batch, size_t n, size_t d)
{
    uint64_t state = 11;
    size_t size = batch * n * d;
    struct attention a = {batch,
                          n,
                          d,
                          array(size, &state),
                          array(size, &state),
                          array(size, &state),
                          array(size, &state),
                          array(batch * n, &state),
                          array(n * n, &state)};
    struct contestant all[] = {
        {"fma", bench_fma, 0},           {"softmax", run_softmax, 0},
        {"bound", run_softmax_bound, 0}, {"causal", run_causal, 0},
        {"hardmax", run_hardmax, 0},     {"hardmax bound", run_hardmax_bound, 0},
        {"plain C", bench_plain, 0},     {"OpenBLAS", bench_openblas, 0},
    };
    double pairs = (double)(batch * n * n), fma, limit;
    size_t count = sizeof all / sizeof all[0] - (bench_has_openblas ? 0 : 1);

    timing_race(all, count, &a, 1.5);
    fma = all[0].best / BENCH_FMA_COUNT; /* seconds per four-lane fused multiply-add */
    limit = (2.0 * (double)d + 13.0) / 4.0 * fma;
    printf("%5zu %5zu %3zu  %6.2f %6.2f %4.0f%% %6.1f%% %6.2f  %6.2f %6.0f%% %6.1f%%  %5.1fx",
           batch, n, d, all[1].best / pairs * 1e9, limit * 1e9,
           limit * pairs / all[1].best * 100.0, (all[2].best / all[1].best - 1.0) * 100.0,
           all[3].best / pairs * 1e9, all[4].best / pairs * 1e9,
           (double)d / 4.0 * fma * pairs / all[4].best * 100.0,
           (all[5].best / all[4].best - 1.0) * 100.0, all[6].best / all[1].best);
    if (bench_has_openblas)
        printf(" %5.1fx (%.2f)", all[7].best / all[1].best, all[7].best / pairs * 1e9);
    printf("\n");
    free(a.q);
    free(a.k);
    free(a.v);
    free(a.out);
    free(a.error);
    free(a.scratch);
}

int main(int argc, char **argv)
{
    static const size_t sizes[][3] = {{4096, 4, 1},  {4096, 4, 4},  {2048, 8, 4},
                                      {1024, 16, 8}, {256, 64, 16}, {16, 256, 64},
                                      {1, 2048, 64}, {1, 2048, 128}};
    static double fma_best = INFINITY;
    const char *kernel = getenv("ATTEST_KERNEL");

    if (kernel && attest_kernel_select(kernel) != ATTEST_OK) {
        fprintf(stderr, "bench-attention: no kernel %s here\n", kernel);
        return 2;
    }
    for (int i = 0; i < 20; i++) {
        double start = attest_clock_seconds(), took;

        bench_fma(NULL);
        took = attest_clock_seconds() - start;
        fma_best = took < fma_best ? took : fma_best;
    }
    printf("kernel %s; %.1f GFLOP/s in fused multiply-adds of %d lanes; ns per (query, key)\n",
           attest_kernel_name(), 8.0 * BENCH_FMA_COUNT / fma_best * 1e-9,
           bench_is_wide() ? 8 : 4);
    bench_print_peers();
    printf(
        "batch     n   d  softmax  limit   of   bound causal  hardmax  of    bound  plain C  "
        "OpenBLAS+libmvec (reading)\n");
    for (int i = 1; i + 2 < argc; i += 3)
        race(strtoul(argv[i], NULL, 10), strtoul(argv[i + 1], NULL, 10),
             strtoul(argv[i + 2], NULL, 10));
    for (size_t i = 0; argc == 1 && i < sizeof sizes / sizeof sizes[0]; i++)
        race(sizes[i][0], sizes[i][1], sizes[i][2]);
    return 0;
}
