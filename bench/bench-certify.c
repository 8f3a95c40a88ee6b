/* CPU time of deciding Definition 2 for general weights, over the number M of context ids: M =
 * 10^3, 10^4, 10^5 (the largest power may be given as an argument), d = 4 and 64, softmax and
 * hardmax, random tokens in sequences of 32, by the method that "auto" ends with and, up to
 * 10^4, by ball and exact; and of Definition 1 on the same tokens. Growth is
 * the factor from one M to the next. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <attest/certify.h>
#include "theory/separated.h"

enum { LENGTH = 32, MOST_SLOW = 10000 };

static uint64_t state = 0x5eed;

static double seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Uniform in (-1, 1), a double with 53 bits. */
static double draw(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (double)((int64_t)state >> 11) * 0x1p-52;
}

static void make_dataset(attest_dataset *dataset, size_t contexts, size_t dim)
{
    attest_dataset_builder builder;
    double *sequence = malloc(LENGTH * dim * sizeof *sequence);

    attest_dataset_builder_init(&builder, dim, ATTEST_TABLE_REAL, NULL);
    for (size_t i = 0; i < contexts; i += LENGTH) {
        for (size_t e = 0; e < LENGTH * dim; e++)
            sequence[e] = draw();
        if (attest_dataset_builder_add_doubles(&builder, sequence, LENGTH, NULL) ||
            attest_dataset_builder_end_sequence(&builder, NULL))
            abort();
    }
    if (attest_dataset_builder_finish(dataset, &builder, NULL))
        abort();
    attest_dataset_builder_clear(&builder);
    free(sequence);
}

/* A dense matrix of multiples of 2^-20. */
static void make_matrix(attest_matrix *matrix, size_t rows, size_t cols)
{
    attest_matrix_resize(matrix, rows, cols);
    fmpz_one_2exp(matrix->denominator, 20);
    for (size_t e = 0; e < rows * cols; e++)
        fmpz_set_si(matrix->entry + e, (slong)(draw() * 0x1p20 / (double)(cols / 4)));
}

static void make_weights(attest_weights *weights, attest_activation activation, size_t dim)
{
    if (attest_weights_resize(weights, 1))
        abort();
    weights->activation = activation;
    weights->dim = dim;
    make_matrix(&weights->head[0].wq, dim, dim);
    make_matrix(&weights->head[0].wk, dim, dim);
    make_matrix(&weights->head[0].wv, dim, dim);
    make_matrix(&weights->head[0].wo, dim, dim);
}

/* Seconds for one claim, and the method that decided it. */
static double certify(const char **method, const attest_dataset *dataset,
                      const attest_weights *weights, const char *wanted)
{
    attest_claim claim;
    attest_finding finding;
    double start = seconds();

    attest_claim_init(&claim);
    attest_finding_init(&finding);
    claim.dataset = dataset;
    claim.weights = weights;
    claim.method = wanted;
    if (attest_certify(&finding, &claim, NULL) || finding.verdict != ATTEST_PROVED)
        abort();
    *method = finding.method;
    attest_finding_clear(&finding);
    attest_claim_clear(&claim);
    return seconds() - start;
}

static double separate(const attest_dataset *dataset)
{
    attest_separated extremes;
    double start = seconds();

    attest_separated_init(&extremes);
    if (attest_separated_get(&extremes, dataset, NULL))
        abort();
    attest_separated_clear(&extremes);
    return seconds() - start;
}

static void show(const char *what, const char *method, size_t dim, size_t contexts, double took,
                 double *before)
{
    printf("%-10s %-8s d=%-3zu M=%-7zu %9.3f s", what, method, dim, contexts, took);
    if (*before > 0)
        printf("  growth %5.1f", took / *before);
    printf("\n");
    fflush(stdout);
    *before = took;
}

static void measure(size_t dim, int powers)
{
    double before[5] = {0};
    size_t contexts = 1000;

    for (int p = 3; p <= powers; p++, contexts *= 10) {
        attest_dataset dataset;
        attest_dataset_init(&dataset);
        make_dataset(&dataset, contexts, dim);
        show("separated", "exact", dim, contexts, separate(&dataset), &before[0]);
        for (int a = 0; a < 2; a++) {
            attest_activation activation = a ? ATTEST_HARDMAX : ATTEST_SOFTMAX;
            attest_weights weights;
            const char *method;
            double took;
            attest_weights_init(&weights);
            make_weights(&weights, activation, dim);
            took = certify(&method, &dataset, &weights, "auto");
            show(attest_activation_name(activation), method, dim, contexts, took,
                 &before[1 + a]);
            if (contexts <= MOST_SLOW) { /* what decides where doubles do not */
                took = certify(&method, &dataset, &weights, a ? "exact" : "ball");
                show(attest_activation_name(activation), method, dim, contexts, took,
                     &before[3 + a]);
            }
            attest_weights_clear(&weights);
        }
        attest_dataset_clear(&dataset);
    }
}

int main(int argc, char **argv)
{
    int powers = argc > 1 ? atoi(argv[1]) : 5;

    measure(4, powers);
    measure(64, powers);
    flint_cleanup();
    return 0;
}
