/* Threads that certify different data at the same time, and use the kernels for the first time.
 * In a build with --enable-tsan a race is an error. */
#include <pthread.h>
#include <string.h>

#include <attest/attest.h>

#include "tests/tap.h"

enum { THREADS = 2, ROUNDS = 20, SEQUENCES = 6, LENGTH = 3, DIM = 2 };

/* What a thread found in its last round. */
typedef struct worker {
    unsigned number;
    bool failed;
    attest_verdict exact, ball;
    char kernel[32];
} worker;

static bool set_identity(attest_weights *weights)
{
    if (attest_weights_resize(weights, 1) != ATTEST_OK)
        return false;
    weights->dim = DIM;
    for (int m = 0; m < 4; m++) {
        attest_head *head = &weights->head[0];
        attest_matrix *matrix = m == 0   ? &head->wq
                                : m == 1 ? &head->wk
                                : m == 2 ? &head->wv
                                         : &head->wo;
        attest_matrix_resize(matrix, DIM, DIM);
        for (size_t i = 0; i < DIM; i++)
            fmpz_one(matrix->entry + i * DIM + i);
    }
    return true;
}

static bool make_dataset(attest_dataset *dataset, unsigned number)
{
    uint64_t state = 17 + number;
    attest_dataset_builder builder;
    attest_status status = ATTEST_OK;

    attest_dataset_builder_init(&builder, DIM, ATTEST_TABLE_REAL, NULL);
    for (int i = 0; i < SEQUENCES && status == ATTEST_OK; i++) {
        double value[LENGTH * DIM];

        for (int e = 0; e < LENGTH * DIM; e++)
            value[e] = (double)(tap_random(&state) % 1000) / 64;
        status = attest_dataset_builder_add_sequences(&builder, value, 1, LENGTH, NULL);
    }
    if (status == ATTEST_OK)
        status = attest_dataset_builder_finish(dataset, &builder, NULL);
    attest_dataset_builder_clear(&builder);
    return status == ATTEST_OK;
}

static bool decide(attest_verdict *verdict, const attest_dataset *dataset,
                   attest_weights *weights, attest_activation activation)
{
    attest_finding finding;
    attest_claim claim;
    attest_status status;

    weights->activation = activation;
    attest_claim_init(&claim);
    attest_finding_init(&finding);
    claim.dataset = dataset;
    claim.weights = weights;
    status = attest_certify(&finding, &claim, NULL);
    *verdict = finding.verdict;
    attest_finding_clear(&finding);
    attest_claim_clear(&claim);
    return status == ATTEST_OK;
}

static void *work(void *context)
{
    worker *w = context;

    snprintf(w->kernel, sizeof w->kernel, "%s", attest_kernel_name());
    for (int round = 0; round < ROUNDS && !w->failed; round++) {
        attest_dataset dataset;
        attest_weights weights;

        attest_dataset_init(&dataset);
        attest_weights_init(&weights);
        w->failed = !make_dataset(&dataset, w->number) || !set_identity(&weights) ||
                    !decide(&w->exact, &dataset, &weights, ATTEST_HARDMAX) ||
                    !decide(&w->ball, &dataset, &weights, ATTEST_SOFTMAX);
        attest_weights_clear(&weights);
        attest_dataset_clear(&dataset);
    }
    flint_cleanup();
    mpfr_free_cache();
    return NULL;
}

TEST(threads)
{
    worker with[THREADS] = {{0}}, alone[THREADS] = {{0}};
    pthread_t thread[THREADS];
    int started = 0;

    for (; started < THREADS; started++) {
        with[started].number = (unsigned)started;
        if (pthread_create(&thread[started], NULL, work, &with[started]) != 0)
            break;
    }
    TAP_OK(started == THREADS, "%d threads began", started);
    for (int i = 0; i < started; i++)
        pthread_join(thread[i], NULL);
    for (int i = 0; i < started; i++) {
        alone[i].number = (unsigned)i;
        work(&alone[i]);
        TAP_OK(!with[i].failed && !alone[i].failed, "thread %d decided", i);
        TAP_OK(with[i].exact == alone[i].exact && with[i].ball == alone[i].ball &&
                   strcmp(with[i].kernel, alone[i].kernel) == 0,
               "thread %d found the same as alone: %s, %s", i,
               attest_verdict_name(alone[i].exact), attest_verdict_name(alone[i].ball));
    }
    flint_cleanup_master();
    return 0;
}
