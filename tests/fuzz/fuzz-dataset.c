/* Datasets in JSON: whatever is read is written, read again and the same. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/dataset_json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The dataset as text, which the caller frees. */
static char *written(const attest_dataset *dataset, size_t *size)
{
    attest_json json;
    char *text = NULL;
    FILE *stream = open_memstream(&text, size);

    attest_json_write_begin(&json, stream);
    attest_dataset_write_json(&json, NULL, dataset);
    if (attest_json_write_end(&json) != ATTEST_OK)
        abort();
    fclose(stream);
    return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const size_t whole = (size_t)1 << 20;
    attest_budget budget = {whole};
    attest_dataset dataset;
    attest_error error;
    char *text = malloc(size ? size : 1), *first, *second;
    size_t first_size, second_size;
    attest_status status;

    memcpy(text, data, size);
    attest_dataset_init(&dataset);
    status = attest_dataset_parse_json(&dataset, text, size, &budget, &error);
    if (budget.left > whole)
        abort();
    if (status == ATTEST_OK) {
        first = written(&dataset, &first_size);
        if (attest_dataset_parse_json(&dataset, first, first_size, NULL, &error) != ATTEST_OK)
            abort();
        second = written(&dataset, &second_size);
        if (first_size != second_size || memcmp(first, second, first_size) != 0)
            abort();
        free(first);
        free(second);
    } else if (error.status != status || error.text[0] == '\0' || strchr(error.text, '\n') ||
               dataset.start) {
        abort();
    }
    attest_dataset_clear(&dataset);
    free(text);
    return 0;
}
