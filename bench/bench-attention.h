/* bench-attention.h -- what bench-attention compares with. */
#ifndef ATTEST_BENCH_ATTENTION_H
#define ATTEST_BENCH_ATTENTION_H

#include <stdbool.h>
#include <stddef.h>

struct attention {
    size_t batch, n, d;
    double *q, *k, *v, *out, *error;
    double *scratch; /* n * n */
};

/* Returns whether the kernel in use, and so its peers, has vectors of eight lanes. */
bool bench_is_wide(void);

/* One line: what is compared with, version and core. */
void bench_print_peers(void);

/* As much as BENCH_FMA_COUNT fused multiply-adds of four lanes, at full rate in the widest
 * vectors of the kernel in use. */
#define BENCH_FMA_COUNT 120000
void bench_fma(void *context);

/* Softmax attention as one would write it in C, with the C library's exp. */
void bench_plain(void *context);

/* Softmax attention by two matrix products of OpenBLAS and libmvec's exp. */
extern const bool bench_has_openblas;
void bench_openblas(void *context);

#endif
