/* bench_certifier.c -- the methods of certify against full evaluation in balls. */
#include "base/scope.h"
#include "cli/bench.h"
#include "theory/theorem2.h"

enum { SEQUENCES = 48, LENGTH = 8, DIM = 4 };

struct job {
    attest_dataset dataset;
    attest_construction construction;
    const char *method; /* of the fast contestant */
};

static bool certify(const struct job *job, const char *method)
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

static bool run_fast(void *context)
{
    const struct job *job = context;

    return certify(job, job->method);
}

static bool run_ball(void *context)
{
    return certify(context, "ball");
}

/* Random sequences of distinct tokens, and weights that are a contextual mapping on them. */
static attest_status job_init(struct job *job, attest_strategy strategy, attest_error *error)
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

static void job_clear(struct job *job)
{
    attest_construction_clear(&job->construction);
    attest_dataset_clear(&job->dataset);
}

attest_status attest_bench_certifier(double seconds, bench_emit *emit, void *context)
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
                           .run_fast = run_fast,
                           .run_baseline = run_ball};
        struct job job ATTEST_CLEARED_BY(job_clear) = {.method = races[i].method};
        attest_error error;

        ATTEST_TRY(job_init(&job, races[i].strategy, &error));
        if (!job.construction.hypothesis) {
            attest_bench_run(&race, &job, seconds);
            emit(&race, context);
        }
    }
    return ATTEST_OK;
}
