/* audit_texts.c -- attest audit --tokens: one text for each token of the data. */
#include "base/scope.h"
#include "cli/audit.h"

static attest_status check(const attest_texts *texts, const attest_dataset *dataset,
                           size_t sequences, size_t length, attest_error *error)
{
    if (texts->sequences != sequences)
        return attest_error_set(error, ATTEST_FORMAT,
                                "these are texts of %zu sequences, but the data have %zu",
                                texts->sequences, sequences);
    for (size_t i = 0; i < sequences; i++)
        ATTEST_TRY(attest_texts_check(
            texts, i, dataset ? attest_dataset_length(dataset, i) : length, error));
    return ATTEST_OK;
}

attest_status attest_cli_audit_read_texts(attest_texts *texts, const char *path,
                                          const attest_dataset *dataset, size_t sequences,
                                          size_t length, attest_budget *budget,
                                          attest_error *error)
{
    attest_status status;

    if (!path)
        return ATTEST_OK;
    ATTEST_TRY(attest_texts_read(texts, path, budget, error));
    status = check(texts, dataset, dataset ? dataset->count : sequences, length, error);
    return status ? attest_error_prefix(error, status, path) : ATTEST_OK;
}
