/* input.c -- opens and reads the files that a certificate names. */
#include "recheck/recheck.h"

#include <attest/pairing.h>

#include "base/memory.h"
#include "model/import.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/scope.h"
#include "base/text.h"

/* An input of the certificate. It is opened once, so the bytes that are hashed are the bytes
 * that are parsed. */
typedef struct found_input {
    const attest_certificate_input *named;
    attest_input input;
    char *beside; /* its path in the directory for inputs, or NULL */
} found_input;

/* Returns the input with this role, or NULL. */
static const attest_certificate_input *find_role(const attest_certificate *certificate,
                                                 const char *role)
{
    for (size_t i = 0; i < certificate->inputs; i++)
        if (strcmp(certificate->input[i].role, role) == 0)
            return &certificate->input[i];
    return NULL;
}

/* Opens the file under its path or, if there is none, in the directory. */
static attest_status open_file(found_input *found, const char *directory, size_t limit,
                               attest_error *error)
{
    const char *name = found->named->path;
    attest_status status = attest_input_open_file(&found->input, name, limit, error);
    attest_text text;

    if (status == ATTEST_IO && directory && name[0] != '/') {
        attest_text_init(&text);
        attest_text_printf(&text, "%s/%s", directory, name);
        found->beside = attest_text_take(&text);
        if (!found->beside)
            return attest_memory_fail(error);
        status = attest_input_open_file(&found->input, found->beside, limit, error);
    }
    /* Certificates come from others and may name an endless device or a pipe. */
    if (status == ATTEST_USAGE)
        return attest_error_set(error, ATTEST_FORMAT,
                                "names an input that is not a regular file");
    return status;
}

/* Opens the input and compares its size and hash with the certificate. A file that is too
 * long is not read. */
static attest_status open_certified(found_input *found, bool *holds, const char *directory,
                                    const attest_budget *budget, attest_error *error)
{
    const attest_certificate_input *named = found->named;
    size_t left = attest_budget_left(budget);
    bool fits = named->has_size && named->size < left;
    attest_status status = open_file(found, directory, fits ? named->size : left, error);

    if (status == ATTEST_UNABLE && fits) {
        *holds = false;
    } else {
        ATTEST_TRY(status);
        *holds = (!named->has_size || found->input.size == named->size) &&
                 strcmp(attest_input_sha256(&found->input), named->sha256) == 0;
    }
    if (!*holds)
        attest_error_set(error, ATTEST_DOMAIN, "%s is not the file that was certified",
                         found->input.path);
    return ATTEST_OK;
}

static attest_status found_open(found_input *found, bool *holds,
                                const attest_certificate *certificate, const char *role,
                                const char *directory, const attest_budget *budget,
                                attest_error *error)
{
    *holds = true;
    *found = (found_input){.named = find_role(certificate, role)};
    if (!found->named)
        return attest_error_set(error, ATTEST_FORMAT, "no entry of \"inputs\" has the role %s",
                                role);
    return open_certified(found, holds, directory, budget, error);
}

static void found_close(found_input *found)
{
    attest_input_close(&found->input);
    free(found->beside);
}

static attest_status read_weights(attest_weights *weights, bool *holds,
                                  const attest_certificate *certificate, const char *directory,
                                  attest_budget *budget, attest_error *error)
{
    found_input found ATTEST_CLEARED_BY(found_close) = {0};

    ATTEST_TRY(found_open(&found, holds, certificate, "weights", directory, budget, error));
    return *holds ? attest_weights_read_input(weights, &found.input, budget, error) : ATTEST_OK;
}

static attest_status read_inputs(attest_dataset *dataset, attest_weights *weights, bool *holds,
                                 const attest_certificate *certificate, const char *directory,
                                 attest_budget *budget, attest_error *error)
{
    found_input found ATTEST_CLEARED_BY(found_close) = {0};
    attest_status status;

    ATTEST_TRY(found_open(&found, holds, certificate, "dataset", directory, budget, error));
    if (!*holds)
        return ATTEST_OK;
    status =
        attest_dataset_read_input(dataset, &found.input, found.named->tensor, budget, error);
    if (status == ATTEST_USAGE && !found.named->tensor)
        return attest_error_set(error, ATTEST_FORMAT,
                                "%s has several tensors; the dataset's entry in \"inputs\" "
                                "needs a \"tensor\" that names one",
                                found.input.path);
    ATTEST_TRY(status);
    if (found.named->homogeneous)
        ATTEST_TRY(attest_dataset_set_homogeneous(dataset, budget, error));
    ATTEST_TRY(read_weights(weights, holds, certificate, directory, budget, error));
    return *holds ? attest_pairing_set(dataset, weights, &found.input, budget, error)
                  : ATTEST_OK;
}

attest_status attest_check_read(attest_dataset *dataset, attest_weights *weights, bool *holds,
                                const attest_certificate *certificate, const char *directory,
                                attest_budget *budget, attest_error *error)
{
    attest_status status =
        read_inputs(dataset, weights, holds, certificate, directory, budget, error);

    if (status == ATTEST_DOMAIN)
        return attest_error_set(error, ATTEST_FORMAT,
                                "dataset and weights have different dimensions");
    return status;
}
