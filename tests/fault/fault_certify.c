/* Deciding and checking while memory runs out: the 1st, 2nd, 3rd ... allocation fails, once or
 * from then on, until the work succeeds. A failed call returns an error; a call that succeeds
 * gives the right result. */
#include <string.h>
#include <unistd.h>

#include <attest/certificate.h>
#include <attest/check.h>
#include <attest/certify.h>
#include "theory/separated.h"

#include "base/fault.h"
#include "io/dataset.h"
#include "io/weights_json.h"
#include "tests/tap.h"

enum { MOST = 20000 };

static char directory[] = "t-fault-certify.XXXXXX", data_file[64], weights_file[64];
static attest_dataset dataset;
static attest_weights weights;
static attest_certificate certificate;
static const char *method;

/* count sequences of length tokens with dim entries, all different. */
static void make_dataset(size_t count, size_t length, size_t dim)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    unsigned x = 1;

    fprintf(out, "{\"format\":\"attest/dataset\",\"version\":1,\"sequences\":[");
    for (size_t i = 0; i < count * length; i++) {
        fprintf(out, "%s%s[", i ? "," : "", i % length ? "" : "[");
        for (size_t c = 0; c < dim; c++)
            fprintf(out, "%s\"%u/97\"", c ? "," : "", (x = x * 1103515245u + 12345u) >> 22);
        fprintf(out, "]%s", i % length == length - 1 ? "]" : "");
    }
    fprintf(out, "]}");
    fclose(out);
    attest_dataset_clear(&dataset);
    if (attest_dataset_parse_json(&dataset, text, size, NULL, NULL) != ATTEST_OK)
        abort();
    free(text);
}

/* One head, of rank 1 as u v^T or dense. */
static void make_weights(const char *activation, size_t dim, bool factored)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    fprintf(out,
            "{\"format\":\"attest/weights\",\"version\":1,\"activation\":\"%s\",\"heads\":[{",
            activation);
    for (int m = 0; m < 4; m++) {
        fprintf(out, "%s\"%s\":", m ? "," : "", &"WQ\0WK\0WV\0WO"[3 * m]);
        if (factored && m < 3)
            fprintf(out, "{\"u\":[1],\"v\":[");
        else
            fprintf(out, "[%s", m < 3 ? "[" : "");
        for (size_t c = 0; c < dim; c++)
            fprintf(out, m < 3 ? "%s\"%zu/11\"" : "%s[\"%zu/7\"]", c ? "," : "", c + 1);
        fprintf(out, factored && m < 3 ? "]}" : m < 3 ? "]]" : "]");
    }
    fprintf(out, "}]}");
    fclose(out);
    attest_weights_clear(&weights);
    if (attest_weights_parse_json(&weights, text, size, NULL, NULL) != ATTEST_OK)
        abort();
    free(text);
}

/* Decides the claim; the certificate keeps what was found. */
static attest_status certify(attest_error *error)
{
    attest_claim claim;
    attest_finding finding;
    attest_status status;

    attest_claim_init(&claim);
    attest_finding_init(&finding);
    claim.dataset = &dataset;
    claim.weights = &weights;
    claim.method = method;
    status = attest_certify(&finding, &claim, error);
    if (status == ATTEST_OK && finding.verdict == ATTEST_UNDECIDED &&
        strcmp(method, "first-difference") != 0) /* which may leave a bound open */
        status = ATTEST_USAGE;                   /* no fault may end like this */
    attest_certificate_clear(&certificate);
    attest_certificate_init(&certificate);
    if (status == ATTEST_OK)
        status = attest_certificate_set(&certificate, &claim, &finding, error);
    if (status == ATTEST_OK)
        status = attest_certificate_add_input(&certificate, "dataset", data_file, error);
    if (status == ATTEST_OK)
        status = attest_certificate_add_input(&certificate, "weights", weights_file, error);
    attest_finding_clear(&finding);
    attest_claim_clear(&claim);
    return status;
}

static attest_status check(attest_error *error)
{
    bool holds = true;
    attest_status status =
        attest_check_certificate(&holds, &certificate, NULL, 4096, NULL, error);

    return status == ATTEST_OK && !holds ? ATTEST_USAGE : status;
}

static attest_status separate(attest_error *error)
{
    attest_separated extremes;
    attest_status status;

    attest_separated_init(&extremes);
    status = attest_separated_get(&extremes, &dataset, error);
    if (status == ATTEST_OK && (!extremes.has_pair || fmpq_is_zero(extremes.eps_square)))
        status = ATTEST_USAGE;
    attest_separated_clear(&extremes);
    return status;
}

static void try_faults(const char *what, attest_status (*work)(attest_error *error))
{
    unsigned long failures = 0, wrong = 0;

    for (int once = 0; once < 2; once++) {
        for (unsigned long k = 1; k < MOST; k++) {
            attest_error error = {ATTEST_OK, ""};
            attest_status status;
            unsigned long count;
            attest_fault_arm("alloc", k, once);
            status = work(&error);
            count = attest_fault_count();
            attest_fault_arm("alloc", 0, false);
            failures += count > 0;
            if (count == 0) {
                wrong += status != ATTEST_OK;
                break;
            }
            wrong += status != ATTEST_NOMEM && status != ATTEST_OK;
            wrong += status == ATTEST_NOMEM && !error.text[0];
        }
    }
    TAP_OK(wrong == 0, "%s: %lu failures, %lu of them wrong", what, failures, wrong);
    TAP_OK(failures > 10 && failures < 2 * MOST - 2, "%s: ends, after some", what);
}

TEST(fault_certify)
{
    if (!mkdtemp(directory))
        return 1;
    snprintf(data_file, sizeof data_file, "%s/data.json", directory);
    snprintf(weights_file, sizeof weights_file, "%s/weights.json", directory);
    attest_dataset_init(&dataset);
    attest_weights_init(&weights);
    attest_certificate_init(&certificate);
    for (int high = 0; high < 2; high++) {
        static const char *const methods[] = {"exact", "ball", "filter", "first-difference"};
        make_dataset(4, 4 + 16 * (size_t)high, high ? 10 : 2);
        try_faults(high ? "separated, 10 entries" : "separated, 2 entries", separate);
        for (size_t m = 0; m < sizeof methods / sizeof methods[0]; m++) {
            make_weights(m ? "softmax" : "hardmax", dataset.dim, m == 3);
            method = methods[m];
            if (attest_dataset_write(&dataset, data_file, NULL) != ATTEST_OK ||
                attest_weights_write(&weights, weights_file, NULL) != ATTEST_OK)
                return 1;
            try_faults(method, certify);
            if (m < 2 && certify(NULL) == ATTEST_OK)
                try_faults("check", check);
        }
    }
    attest_certificate_clear(&certificate);
    attest_weights_clear(&weights);
    attest_dataset_clear(&dataset);
    unlink(data_file);
    unlink(weights_file);
    rmdir(directory);
    flint_cleanup();
    return 0;
}
