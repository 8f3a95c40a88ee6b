/* bench_kernels.c -- the double kernels against plain C and the C library. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/bench.h"

enum { EXPONENTIALS = 1024, WORK = 1 << 17 };

struct job {
    size_t batch, n, d;
    double *q, *k, *v, *out, *error, *weight;
    double x[EXPONENTIALS], y[EXPONENTIALS];
};

/* A double in [-1, 1), from a generator whose quality does not matter. */
static double next(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(int64_t)*state * 0x1p-63;
}

static bool exp_kernel(void *context)
{
    struct job *job = context;

    attest_kernel_exp(job->y, job->x, EXPONENTIALS);
    return true;
}

static bool exp_library(void *context)
{
    struct job *job = context;

    for (size_t i = 0; i < EXPONENTIALS; i++)
        job->y[i] = exp(job->x[i]);
    return true;
}

static bool softmax_kernel(void *context)
{
    struct job *job = context;

    attest_kernel_softmax_attention(job->out, job->q, job->k, job->v, job->batch, job->n,
                                    job->d, NULL);
    return true;
}

static bool softmax_bound(void *context)
{
    struct job *job = context;

    attest_kernel_softmax_attention(job->out, job->q, job->k, job->v, job->batch, job->n,
                                    job->d, job->error);
    return true;
}

static bool hardmax_kernel(void *context)
{
    struct job *job = context;

    attest_kernel_hardmax_attention(job->out, job->q, job->k, job->v, job->batch, job->n,
                                    job->d, NULL);
    return true;
}

/* The scores of a row; returns the largest. */
static double plain_scores(struct job *job, const double *q, const double *k)
{
    double top = -INFINITY;

    for (size_t j = 0; j < job->n; j++) {
        double sum = 0.0;

        for (size_t c = 0; c < job->d; c++)
            sum += q[c] * k[j * job->d + c];
        job->weight[j] = sum;
        top = sum > top ? sum : top;
    }
    return top;
}

static void plain_row(struct job *job, size_t row, size_t first, bool hardmax)
{
    const size_t n = job->n, d = job->d;
    const double *v = job->v + first * d;
    double *out = job->out + row * d, sum = 0.0;
    double top = plain_scores(job, job->q + row * d, job->k + first * d);

    for (size_t c = 0; c < d; c++)
        out[c] = 0.0;
    for (size_t j = 0; j < n; j++) {
        double weight = hardmax ? job->weight[j] == top : exp(job->weight[j] - top);

        sum += weight;
        for (size_t c = 0; c < d; c++)
            out[c] += weight * v[j * d + c];
    }
    for (size_t c = 0; c < d; c++)
        out[c] /= sum;
}

static bool softmax_plain(void *context)
{
    struct job *job = context;

    for (size_t row = 0; row < job->batch * job->n; row++)
        plain_row(job, row, row / job->n * job->n, false);
    return true;
}

static bool hardmax_plain(void *context)
{
    struct job *job = context;

    for (size_t row = 0; row < job->batch * job->n; row++)
        plain_row(job, row, row / job->n * job->n, true);
    return true;
}

static double *array(size_t count, uint64_t *state)
{
    double *x = malloc(count * sizeof *x);

    for (size_t i = 0; x && i < count; i++)
        x[i] = next(state);
    return x;
}

static void job_clear(struct job *job)
{
    free(job->q);
    free(job->k);
    free(job->v);
    free(job->out);
    free(job->error);
    free(job->weight);
}

static bool job_init(struct job *job, size_t n, size_t d)
{
    uint64_t state = 1;

    job->n = n;
    job->d = d;
    job->batch = WORK / (n * n * (d + 8)) + 1;
    job->q = array(job->batch * n * d, &state);
    job->k = array(job->batch * n * d, &state);
    job->v = array(job->batch * n * d, &state);
    job->out = array(job->batch * n * d, &state);
    job->error = array(job->batch * n, &state);
    job->weight = array(n, &state);
    for (size_t i = 0; i < EXPONENTIALS; i++)
        job->x[i] = 20.0 * next(&state) - 20.0;
    return job->q && job->k && job->v && job->out && job->error && job->weight;
}

static const struct {
    const char *work;
    size_t n, d;
    const char *fast, *baseline; /* NULL: the kernel in use */
    bench_work *run_fast, *run_baseline;
} races[BENCH_KERNEL_RACES] = {
    {"exp, 1024 doubles", 1, 1, NULL, "C library", exp_kernel, exp_library},
    {"softmax, n=4 d=4", 4, 4, NULL, "plain C", softmax_kernel, softmax_plain},
    {"softmax, n=16 d=8", 16, 8, NULL, "plain C", softmax_kernel, softmax_plain},
    {"softmax, n=64 d=16", 64, 16, NULL, "plain C", softmax_kernel, softmax_plain},
    {"softmax, n=256 d=64", 256, 64, NULL, "plain C", softmax_kernel, softmax_plain},
    {"softmax, n=4 d=4", 4, 4, "with bound", "without", softmax_bound, softmax_kernel},
    {"softmax, n=16 d=8", 16, 8, "with bound", "without", softmax_bound, softmax_kernel},
    {"softmax, n=64 d=16", 64, 16, "with bound", "without", softmax_bound, softmax_kernel},
    {"hardmax, n=16 d=8", 16, 8, NULL, "plain C", hardmax_kernel, hardmax_plain},
    {"hardmax, n=64 d=16", 64, 16, NULL, "plain C", hardmax_kernel, hardmax_plain},
};

attest_status attest_bench_kernels(double seconds, bench_emit *emit, void *context)
{
    for (size_t i = 0; i < BENCH_KERNEL_RACES; i++) {
        bench_race race = {.work = races[i].work,
                           .fast = races[i].fast ? races[i].fast : attest_kernel_name(),
                           .baseline = races[i].baseline,
                           .run_fast = races[i].run_fast,
                           .run_baseline = races[i].run_baseline};
        struct job *job = calloc(1, sizeof *job);

        if (!job || !job_init(job, races[i].n, races[i].d)) {
            if (job)
                job_clear(job);
            free(job);
            return ATTEST_NOMEM;
        }
        attest_bench_run(&race, job, seconds);
        emit(&race, context);
        job_clear(job);
        free(job);
    }
    return ATTEST_OK;
}
