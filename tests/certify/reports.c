/* What long work tells about its progress: every stage begins with 0, never goes back or beyond
 * its total, and ends. */
#include <string.h>
#include <unistd.h>

#include <attest/attest.h>

#include "tests/tap.h"
#include "theory/approximate.h"
#include "theory/separated.h"

enum { SEQUENCES = 40, LENGTH = 6, DIM = 2 };

/* What was reported so far. */
typedef struct diary {
    const char *stage; /* NULL: none is under way */
    uint64_t done, total;
    long stages, steps, ends, wrong;
    char all[512]; /* the names of the stages */
} diary;

static void report(void *context, const char *what, uint64_t done, uint64_t total,
                   const char *note)
{
    diary *d = context;

    (void)note;
    if (!what) {
        d->ends++;
        d->stage = NULL;
        return;
    }
    if (!d->stage) {
        d->stages++;
        d->wrong += done != 0;
        if (strlen(d->all) + strlen(what) + 2 < sizeof d->all)
            strcat(strcat(d->all, what), ";");
    } else {
        d->steps += done > d->done;
        d->wrong += strcmp(what, d->stage) != 0 || done < d->done;
    }
    d->wrong += total && done > total;
    d->stage = what;
    d->done = done;
}

static attest_progress begin(diary *d)
{
    memset(d, 0, sizeof *d);
    return (attest_progress){report, d};
}

/* Returns whether all is well with the diary, and the stage is in it. */
static void judge(const diary *d, const char *stage, const char *work)
{
    if (!TAP_OK(d->wrong == 0 && !d->stage && d->ends >= d->stages && d->steps > 10 &&
                    strstr(d->all, stage),
                "%s reports %s", work, stage))
        printf("# %s %ld wrong, %ld stages, %ld ends, %ld steps\n", d->all, d->wrong, d->stages,
               d->ends, d->steps);
}

static void make_dataset(attest_dataset *dataset, uint64_t *state)
{
    double x[SEQUENCES * LENGTH * DIM];
    attest_dataset_builder builder;
    bool ok;

    for (size_t i = 0; i < sizeof x / sizeof *x; i++)
        x[i] = (double)(tap_random(state) % 100000) / 1024;
    attest_dataset_builder_init(&builder, DIM, ATTEST_TABLE_REAL, NULL);
    ok = attest_dataset_builder_add_sequences(&builder, x, SEQUENCES, LENGTH, NULL) ==
             ATTEST_OK &&
         attest_dataset_builder_finish(dataset, &builder, NULL) == ATTEST_OK;
    attest_dataset_builder_clear(&builder);
    if (!ok)
        abort();
}

/* One softmax head of width DIM with small random weights. */
static void make_weights(attest_weights *weights, uint64_t *state)
{
    attest_head *head;

    if (attest_weights_resize(weights, 1) != ATTEST_OK)
        abort();
    weights->activation = ATTEST_SOFTMAX;
    weights->skip = true;
    weights->dim = DIM;
    head = &weights->head[0];
    for (int m = 0; m < 4; m++) {
        attest_matrix *matrix =
            (attest_matrix *[]){&head->wq, &head->wk, &head->wv, &head->wo}[m];
        attest_matrix_resize(matrix, DIM, DIM);
        for (size_t e = 0; e < DIM * DIM; e++)
            fmpz_set_ui(matrix->entry + e, 1 + tap_random(state) % 9);
        fmpz_set_ui(matrix->denominator, 100);
    }
}

/* Certifies, and checks the certificate. */
static void test_certify(attest_dataset *dataset, attest_weights *weights)
{
    char directory[] = "t-reports.XXXXXX";
    attest_certificate certificate;
    attest_check_options options;
    attest_finding finding;
    attest_claim claim;
    bool holds = false;
    diary d;

    if (!mkdtemp(directory) || chdir(directory) != 0 ||
        attest_dataset_write(dataset, "data.json", NULL) != ATTEST_OK ||
        attest_weights_write(weights, "weights.json", NULL) != ATTEST_OK)
        abort();
    attest_claim_init(&claim);
    attest_finding_init(&finding);
    attest_certificate_init(&certificate);
    claim.dataset = dataset;
    claim.weights = weights;
    claim.progress = begin(&d);
    TAP_OK(attest_certify(&finding, &claim, NULL) == ATTEST_OK &&
               attest_certificate_set(&certificate, &claim, &finding, NULL) == ATTEST_OK &&
               attest_certificate_add_dataset(&certificate, "data.json", NULL, false, NULL) ==
                   ATTEST_OK &&
               attest_certificate_add_input(&certificate, "weights", "weights.json", NULL) ==
                   ATTEST_OK,
           "a certificate");
    judge(&d, "contexts;", "certify");
    judge(&d, "pairs;", "certify");
    attest_check_options_init(&options);
    options.progress = begin(&d);
    TAP_OK(attest_check_run(&holds, &certificate, &options, NULL) == ATTEST_OK && holds,
           "it holds");
    judge(&d, "positions;", "check");
    judge(&d, "positions compared with those near them;", "check");
    judge(&d, "norms;", "check");
    attest_certificate_clear(&certificate);
    attest_finding_clear(&finding);
    attest_claim_clear(&claim);
    if (unlink("data.json") || unlink("weights.json") || chdir("..") || rmdir(directory))
        abort();
}

static void test_separated(const attest_dataset *dataset)
{
    attest_separated extremes;
    diary d;

    attest_separated_init(&extremes);
    extremes.progress = begin(&d);
    TAP_OK(attest_separated_get(&extremes, dataset, NULL) == ATTEST_OK, "extremes");
    judge(&d, "pairs;", "separated");
    attest_separated_clear(&extremes);
}

static void test_approximate(void)
{
    attest_approximation a;
    diary d;

    attest_approximation_init(&a);
    a.function = &attest_equivariants[0];
    a.progress = begin(&d);
    TAP_OK(attest_approximation_build(&a, NULL) == ATTEST_OK, "an approximation");
    judge(&d, "contexts;", "approximate");
    judge(&d, "sequences proved;", "approximate");
    judge(&d, "cells;", "approximate");
    attest_approximation_clear(&a);
}

TEST(reports)
{
    uint64_t state = tap_seed(0x9e9);
    attest_dataset dataset;
    attest_weights weights;

    attest_dataset_init(&dataset);
    attest_weights_init(&weights);
    make_dataset(&dataset, &state);
    make_weights(&weights, &state);
    test_certify(&dataset, &weights);
    test_separated(&dataset);
    test_approximate();
    attest_dataset_clear(&dataset);
    attest_weights_clear(&weights);
    flint_cleanup();
    return 0;
}
