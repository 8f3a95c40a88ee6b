/* Any bytes as a safetensors file: refused, or tensors that lie in the file, each of which is
 * then read as a dataset. */
#include <stdlib.h>

#include "data/dataset_array.h"
#include "data/safetensors.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_tensor(const uint8_t *data, size_t size, const char *name)
{
    attest_budget budget = {(size_t)1 << 24};
    attest_dataset dataset;
    attest_error error;

    attest_dataset_init(&dataset);
    if (attest_dataset_set_safetensors(&dataset, data, size, name, &budget, &error) !=
            ATTEST_OK &&
        (budget.left != (size_t)1 << 24 || error.text[0] == '\0'))
        abort();
    attest_dataset_clear(&dataset);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    attest_safetensors file;

    read_tensor(data, size, NULL);
    if (attest_safetensors_parse(&file, data, size, NULL) != ATTEST_OK)
        return 0;
    for (size_t i = 0; i < file.count; i++) {
        if (file.tensor[i].end > (size_t)(data + size - file.data))
            abort();
        if (i < 4)
            read_tensor(data, size, file.tensor[i].name);
    }
    attest_safetensors_clear(&file);
    return 0;
}
