/* dataset_read.c -- a dataset from a file, in whatever format it is. */
#include <attest/dataset.h>

#include "base/input.h"
#include "data/dataset_json.h"

/* The contents decide, not the name. */
static attest_status parse(attest_dataset *dataset, const attest_input *input,
                           attest_budget *budget, attest_error *error)
{
    return attest_dataset_parse_json(dataset, (const char *)input->data, input->size, budget,
                                     error);
}

attest_status attest_dataset_read(attest_dataset *dataset, const char *path,
                                  attest_budget *budget, attest_error *error)
{
    attest_input input;
    size_t limit = budget ? budget->left : SIZE_MAX;
    attest_status status = attest_input_open(&input, path, limit, error);

    attest_dataset_clear(dataset);
    if (status != ATTEST_OK)
        return status;
    status = parse(dataset, &input, budget, error);
    attest_input_close(&input);
    return status == ATTEST_OK ? ATTEST_OK
                               : attest_error_prefix(error, status, attest_input_name(path));
}
