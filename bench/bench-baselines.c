/* The fast path and the certifier against plain ways, as ratios: bench-baselines [--time T]
 * [--json].
 *
 * Every line is one race in this process, on one core: contestants take turns, as a shared
 * machine drifts between a fast and a slow state, and the best time of each counts. The ratio
 * is how many times faster the first one is; for the error bound, its cost (below 1). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <attest/attest.h>

#include "audit/record.h"
#include "base/scope.h"
#include "base/workers.h"
#include "io/json_write.h"
#include "theory/theorem2.h"

enum {
    BENCH_KERNEL_RACES = 10,
    BENCH_CERTIFIER_RACES = 2,
    RACES = BENCH_KERNEL_RACES + BENCH_CERTIFIER_RACES,
    LEAST_ROUNDS = 3
};

/* One contestant: does the work once; false when it could not. */
typedef bool bench_work(void *context);

typedef struct bench_race {
    const char *work;            /* "exp, 1024 doubles" */
    const char *fast, *baseline; /* their names */
    bench_work *run_fast, *run_baseline;
    double seconds, baseline_seconds; /* the best of many; 0 if a run failed */
} bench_race;

/* Returns the least of `best` and the time of one run; 0 if the run failed. */
static double better(bench_work *work, void *context, double best)
{
    double start = attest_clock_seconds();

    if (!work(context))
        return 0.0;
    return fmin(best, attest_clock_seconds() - start);
}

/* Runs both in turn for about `seconds`, at least three times each. */
static void run_race(bench_race *race, void *context, double seconds)
{
    double end = attest_clock_seconds() + seconds;

    race->seconds = race->baseline_seconds = INFINITY;
    for (int round = 0; round < LEAST_ROUNDS || attest_clock_seconds() < end; round++) {
        race->seconds = better(race->run_fast, context, race->seconds);
        race->baseline_seconds = better(race->run_baseline, context, race->baseline_seconds);
        if (race->seconds == 0.0 || race->baseline_seconds == 0.0)
            break;
    }
}

/* The kernels: exp, softmax and hardmax attention, and what the error bound costs. emit gets
 * every race when it has been run. NOMEM. */
typedef void bench_emit(const bench_race *race, void *context);
static attest_status race_kernels(double seconds, bench_emit *emit, void *context);

enum { EXPONENTIALS = 1024, WORK = 1 << 17 };

struct kernel_job {
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
    struct kernel_job *job = context;

    attest_kernel_exp(job->y, job->x, EXPONENTIALS);
    return true;
}

static bool exp_library(void *context)
{
    struct kernel_job *job = context;

    for (size_t i = 0; i < EXPONENTIALS; i++)
        job->y[i] = exp(job->x[i]);
    return true;
}

static bool softmax_kernel(void *context)
{
    struct kernel_job *job = context;

    attest_kernel_softmax_attention(job->out, job->q, job->k, job->v, job->batch, job->n,
                                    job->d, NULL);
    return true;
}

static bool softmax_bound(void *context)
{
    struct kernel_job *job = context;

    attest_kernel_softmax_attention(job->out, job->q, job->k, job->v, job->batch, job->n,
                                    job->d, job->error);
    return true;
}

static bool hardmax_kernel(void *context)
{
    struct kernel_job *job = context;

    attest_kernel_hardmax_attention(job->out, job->q, job->k, job->v, job->batch, job->n,
                                    job->d, NULL);
    return true;
}

/* The scores of a row; returns the largest. */
static double plain_scores(struct kernel_job *job, const double *q, const double *k)
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

static void plain_row(struct kernel_job *job, size_t row, size_t first, bool hardmax)
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
    struct kernel_job *job = context;

    for (size_t row = 0; row < job->batch * job->n; row++)
        plain_row(job, row, row / job->n * job->n, false);
    return true;
}

static bool hardmax_plain(void *context)
{
    struct kernel_job *job = context;

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

static void kernel_job_clear(struct kernel_job *job)
{
    free(job->q);
    free(job->k);
    free(job->v);
    free(job->out);
    free(job->error);
    free(job->weight);
}

static bool kernel_job_init(struct kernel_job *job, size_t n, size_t d)
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
} kernel_races[BENCH_KERNEL_RACES] = {
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

attest_status race_kernels(double seconds, bench_emit *emit, void *context)
{
    for (size_t i = 0; i < BENCH_KERNEL_RACES; i++) {
        bench_race race = {.work = kernel_races[i].work,
                           .fast = kernel_races[i].fast ? kernel_races[i].fast
                                                        : attest_kernel_name(),
                           .baseline = kernel_races[i].baseline,
                           .run_fast = kernel_races[i].run_fast,
                           .run_baseline = kernel_races[i].run_baseline};
        struct kernel_job *job = calloc(1, sizeof *job);

        if (!job || !kernel_job_init(job, kernel_races[i].n, kernel_races[i].d)) {
            if (job)
                kernel_job_clear(job);
            free(job);
            return ATTEST_NOMEM;
        }
        run_race(&race, job, seconds);
        emit(&race, context);
        kernel_job_clear(job);
        free(job);
    }
    return ATTEST_OK;
}

enum { SEQUENCES = 48, LENGTH = 8, DIM = 4 };

struct certifier_job {
    attest_dataset dataset;
    attest_construction construction;
    const char *method; /* of the fast contestant */
};

static bool certify(const struct certifier_job *job, const char *method)
{
    ATTEST_SCOPED(attest_claim, claim);
    ATTEST_SCOPED(attest_finding, finding);
    attest_error error;

    claim.dataset = &job->dataset;
    claim.weights = &job->construction.weights;
    claim.method = method;
    return attest_certify(&finding, &claim, &error) == ATTEST_OK &&
           finding.verdict == ATTEST_PROVED;
}

static bool run_method(void *context)
{
    const struct certifier_job *job = context;

    return certify(job, job->method);
}

static bool run_ball(void *context)
{
    return certify(context, "ball");
}

/* Random sequences of distinct tokens, and weights that are a contextual mapping on them. */
static attest_status certifier_job_init(struct certifier_job *job, attest_strategy strategy,
                                        attest_error *error)
{
    double value[SEQUENCES * LENGTH * DIM];
    ATTEST_SCOPED(attest_dataset_builder, builder, DIM, ATTEST_TABLE_REAL, NULL);
    uint64_t state = 1;

    attest_dataset_init(&job->dataset);
    attest_construction_init(&job->construction);
    job->construction.strategy = strategy;
    for (size_t i = 0; i < SEQUENCES * LENGTH * DIM; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        value[i] = (double)(state >> 44) * 0x1p-18; /* 20 bits */
    }
    ATTEST_TRY(attest_dataset_builder_add_sequences(&builder, value, SEQUENCES, LENGTH, error));
    ATTEST_TRY(attest_dataset_builder_finish(&job->dataset, &builder, error));
    return attest_construction_build(&job->construction, &job->dataset, error);
}

static void certifier_job_clear(struct certifier_job *job)
{
    attest_construction_clear(&job->construction);
    attest_dataset_clear(&job->dataset);
}

/* The certifier: the methods first-difference and filter against full evaluation in balls. */
static attest_status race_certifier(double seconds, bench_emit *emit, void *context)
{
    static const struct {
        const char *work, *method;
        attest_strategy strategy;
    } races[BENCH_CERTIFIER_RACES] = {
        {"certify, N=48 n=8 d=4, weights by gap", "first-difference", ATTEST_STRATEGY_GAP},
        {"certify, N=48 n=8 d=4, weights tuned", "filter", ATTEST_STRATEGY_TUNED},
    };

    for (size_t i = 0; i < BENCH_CERTIFIER_RACES; i++) {
        bench_race race = {.work = races[i].work,
                           .fast = races[i].method,
                           .baseline = "ball",
                           .run_fast = run_method,
                           .run_baseline = run_ball};
        struct certifier_job job ATTEST_CLEARED_BY(certifier_job_clear) = {.method =
                                                                               races[i].method};
        attest_error error;

        ATTEST_TRY(certifier_job_init(&job, races[i].strategy, &error));
        if (!job.construction.hypothesis) {
            run_race(&race, &job, seconds);
            emit(&race, context);
        }
    }
    return ATTEST_OK;
}

static double ratio(const bench_race *race)
{
    return race->seconds > 0.0 && race->baseline_seconds > 0.0
               ? race->baseline_seconds / race->seconds
               : NAN;
}

static void print_race(const bench_race *race, void *context)
{
    (void)context;
    printf("%-39s %-16s %10.3f us %-10s %10.3f us %7.2fx\n", race->work, race->fast,
           race->seconds * 1e6, race->baseline, race->baseline_seconds * 1e6, ratio(race));
    fflush(stdout);
}

static void write_race(const bench_race *race, void *context)
{
    attest_json *json = context;

    attest_json_write_object(json, NULL);
    attest_json_write_string(json, "work", race->work);
    attest_json_write_string(json, "fast", race->fast);
    attest_json_write_measure(json, "seconds", race->seconds);
    attest_json_write_string(json, "baseline", race->baseline);
    attest_json_write_measure(json, "baseline_seconds", race->baseline_seconds);
    attest_json_write_measure(json, "ratio", ratio(race));
    attest_json_write_close(json);
}

static attest_status race_all(double seconds, bench_emit *emit, void *context)
{
    ATTEST_TRY(race_kernels(seconds / RACES, emit, context));
    return race_certifier(seconds / RACES, emit, context);
}

static attest_status bench_json(double seconds)
{
    attest_status status, written;
    attest_json json;

    attest_json_write_begin(&json, stdout);
    attest_json_write_object(&json, NULL);
    attest_json_write_format(&json, "attest/bench");
    attest_json_write_string(&json, "kernel", attest_kernel_name());
    attest_audit_write_maker(&json);
    attest_json_write_array(&json, "races");
    status = race_all(seconds, write_race, &json);
    attest_json_write_close(&json);
    attest_json_write_close(&json);
    written = attest_json_write_end(&json);
    return status ? status : written;
}

static int usage(const char *name)
{
    fprintf(stderr, "usage: %s [--time SECONDS] [--json]\n", name);
    return 2;
}

int main(int argc, char **argv)
{
    const char *kernel = getenv("ATTEST_KERNEL");
    double seconds = 6.0;
    bool json = false;
    attest_status status;

    for (int i = 1; i < argc; i++) {
        char *end = NULL;

        if (strcmp(argv[i], "--json") == 0)
            json = true;
        else if (strcmp(argv[i], "--time") == 0 && i + 1 < argc)
            seconds = strtod(argv[++i], &end);
        else
            return usage(argv[0]);
        if (end && (end == argv[i] || *end || !(seconds >= 0.0)))
            return usage(argv[0]);
    }
    if (attest_kernel_select(kernel && *kernel ? kernel : NULL)) {
        fprintf(stderr, "%s: there is no kernel %s here\n", argv[0], kernel);
        return 2;
    }
    if (json) {
        status = bench_json(seconds);
    } else {
        printf("kernel %s; best times of one run of the work\n", attest_kernel_name());
        status = race_all(seconds, print_race, NULL);
    }
    if (status || fflush(stdout) != 0) {
        fprintf(stderr, "%s: the measurement failed\n", argv[0]);
        return 4;
    }
    return 0;
}
