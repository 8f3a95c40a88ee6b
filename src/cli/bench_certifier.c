/* bench_certifier.c -- the methods of certify against full evaluation in balls. */
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
    attest_finding finding;
    attest_claim claim;
    attest_error error;
    bool proved;

    attest_claim_init(&claim);
    attest_finding_init(&finding);
    claim.dataset = &job->dataset;
    claim.weights = &job->construction.weights;
    claim.method = method;
    proved = attest_certify(&finding, &claim, &error) == ATTEST_OK &&
             finding.verdict == ATTEST_PROVED;
    attest_finding_clear(&finding);
    attest_claim_clear(&claim);
    return proved;
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
    attest_dataset_builder builder;
    attest_status status;
    uint64_t state = 1;

    attest_dataset_init(&job->dataset);
    attest_construction_init(&job->construction);
    job->construction.strategy = strategy;
    for (size_t i = 0; i < SEQUENCES * LENGTH * DIM; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        value[i] = (double)(state >> 44) * 0x1p-18; /* 20 bits */
    }
    attest_dataset_builder_init(&builder, DIM, ATTEST_TABLE_REAL, NULL);
    status = attest_dataset_builder_add_sequences(&builder, value, SEQUENCES, LENGTH, error);
    if (!status)
        status = attest_dataset_builder_finish(&job->dataset, &builder, error);
    attest_dataset_builder_clear(&builder);
    if (!status)
        status = attest_construction_build(&job->construction, &job->dataset, error);
    return status;
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
        struct job job = {.method = races[i].method};
        attest_error error;
        attest_status status = job_init(&job, races[i].strategy, &error);

        if (!status && !job.construction.hypothesis) {
            attest_bench_run(&race, &job, seconds);
            emit(&race, context);
        }
        job_clear(&job);
        if (status)
            return status;
    }
    return ATTEST_OK;
}
