/* dataset_read.c -- a dataset from a file, in whatever format it is. */
#include <attest/dataset.h>

#include <string.h>

#include "base/input.h"
#include "io/dataset_array.h"
#include "io/dataset_json.h"
#include "io/npy.h"
#include "io/safetensors.h"
#include "io/zip.h"

/* The contents decide; the name only where they are cut short. */
static bool is_safetensors(const attest_input *input)
{
    static const char end[] = ".safetensors";
    size_t length = strlen(input->path), tail = sizeof end - 1;

    return attest_safetensors_is(input->data, input->size) ||
           (length >= tail && strcmp(input->path + length - tail, end) == 0);
}

static attest_status parse(attest_dataset *dataset, const attest_input *input,
                           const char *tensor, attest_budget *budget, attest_error *error)
{
    if (attest_npy_is(input->data, input->size)) {
        if (tensor)
            return attest_error_set(error, ATTEST_USAGE,
                                    "an .npy file has no tensors to choose from");
        return attest_dataset_set_npy(dataset, input->data, input->size, budget, error);
    }
    if (attest_zip_is(input->data, input->size))
        return attest_error_set(error, ATTEST_FORMAT,
                                "this is a zip archive; a dataset is an .npy, safetensors or "
                                "JSON file, and .npz archives hold weights");
    if (is_safetensors(input))
        return attest_dataset_set_safetensors(dataset, input->data, input->size, tensor, budget,
                                              error);
    if (tensor)
        return attest_dataset_parse_json_beside(dataset, tensor, (const char *)input->data,
                                                input->size, budget, error);
    return attest_dataset_parse_json(dataset, (const char *)input->data, input->size, budget,
                                     error);
}

attest_status attest_dataset_read_input(attest_dataset *dataset, const attest_input *input,
                                        const char *tensor, attest_budget *budget,
                                        attest_error *error)
{
    attest_dataset_clear(dataset);
    return attest_input_locate(input, parse(dataset, input, tensor, budget, error), error);
}

attest_status attest_dataset_read_tensor(attest_dataset *dataset, const char *path,
                                         const char *tensor, attest_budget *budget,
                                         attest_error *error)
{
    attest_input input;
    attest_status status = attest_input_open(&input, path, attest_budget_left(budget), error);

    attest_dataset_clear(dataset);
    if (status == ATTEST_OK)
        status = attest_dataset_read_input(dataset, &input, tensor, budget, error);
    attest_input_close(&input);
    return status;
}

attest_status attest_dataset_read(attest_dataset *dataset, const char *path,
                                  attest_budget *budget, attest_error *error)
{
    return attest_dataset_read_tensor(dataset, path, NULL, budget, error);
}
