/* certify-head.c -- can this head tell all contexts apart? A proof, and its certificate.
 *
 *     cc certify-head.c $(pkg-config --cflags --libs attest) -o certify-head
 *     ./certify-head DATA WEIGHTS CERTIFICATE
 *
 * Reads a dataset and weights (doc/files.md), decides Definition 2, writes the certificate and
 * verifies it by another route. Exit code: 0 proved, 1 refuted, 3 undecided, 2 for errors. */
#include <stdio.h>

#include <attest/attest.h>

/* Everything that main must free. */
typedef struct work {
    attest_input data, layer;
    attest_dataset dataset;
    attest_weights weights;
    attest_claim claim;
    attest_finding finding;
    attest_certificate certificate;
} work;

/* Opens both files once, so that the certificate contains the hashes of the parsed bytes. */
static attest_status read_all(work *w, char **path, attest_error *error)
{
    attest_budget budget; /* limits the memory for numbers such as 1e99999 */
    attest_status status;

    attest_budget_init(&budget);
    status = attest_input_open(&w->data, path[1], budget.left, error);
    if (status == ATTEST_OK)
        status = attest_dataset_read_input(&w->dataset, &w->data, NULL, &budget, error);
    if (status == ATTEST_OK)
        status = attest_input_open(&w->layer, path[2], budget.left, error);
    if (status == ATTEST_OK)
        status = attest_weights_read_input(&w->weights, &w->layer, &budget, error);
    return status;
}

static attest_status write_certificate(work *w, const char *path, attest_error *error)
{
    attest_status status =
        attest_certificate_set(&w->certificate, &w->claim, &w->finding, error);

    if (status == ATTEST_OK)
        status =
            attest_certificate_add_open_dataset(&w->certificate, &w->data, NULL, false, error);
    if (status == ATTEST_OK)
        status =
            attest_certificate_add_open_input(&w->certificate, "weights", &w->layer, error);
    if (status == ATTEST_OK)
        status = attest_certificate_write(&w->certificate, path, error);
    return status;
}

static attest_status run(work *w, char **path, attest_error *error)
{
    bool holds = false;
    attest_status status = read_all(w, path, error);

    w->claim.dataset = &w->dataset;
    w->claim.weights = &w->weights; /* delta = 0: required pairs must differ */
    if (status == ATTEST_OK)
        status = attest_certify(&w->finding, &w->claim, error);
    if (status == ATTEST_OK)
        status = write_certificate(w, path[3], error);
    if (status != ATTEST_OK || w->finding.verdict == ATTEST_UNDECIDED)
        return status;
    status = attest_check_certificate(&holds, &w->certificate, NULL, ATTEST_CERTIFY_MAX_BITS,
                                      NULL, error);
    if (status == ATTEST_OK && !holds)
        status = ATTEST_DOMAIN; /* the certificate is wrong: a bug of attest */
    return status;
}

int main(int argc, char **argv)
{
    static const int code[] = {0, 1, 3}; /* by verdict */
    work w = {0};
    attest_error error;
    attest_status status;

    if (argc != 4) {
        fprintf(stderr, "usage: certify-head DATA WEIGHTS CERTIFICATE\n");
        return 2;
    }
    attest_dataset_init(&w.dataset);
    attest_weights_init(&w.weights);
    attest_claim_init(&w.claim);
    attest_finding_init(&w.finding);
    attest_certificate_init(&w.certificate);
    status = run(&w, argv, &error);
    if (status == ATTEST_OK)
        printf("%s, by the method %s\n", attest_verdict_name(w.finding.verdict),
               w.finding.method);
    else
        fprintf(stderr, "certify-head: %s\n", error.text);
    int result = status == ATTEST_OK ? code[w.finding.verdict] : 2;
    attest_certificate_clear(&w.certificate);
    attest_finding_clear(&w.finding);
    attest_claim_clear(&w.claim);
    attest_weights_clear(&w.weights);
    attest_dataset_clear(&w.dataset);
    attest_input_close(&w.layer);
    attest_input_close(&w.data);
    flint_cleanup_master();
    return result;
}
