/* dataset_write.c -- datasets as JSON objects: writing. */
#include "io/dataset_json.h"

#include "io/json_file.h"

void attest_dataset_write_sequence_json(attest_json *json, const attest_dataset *dataset,
                                        size_t i)
{
    fmpq_t entry;

    fmpq_init(entry);
    attest_json_write_array(json, NULL);
    for (size_t k = 0; k < attest_dataset_length(dataset, i); k++) {
        attest_json_write_array(json, NULL);
        for (size_t c = 0; c < dataset->dim; c++) {
            attest_tokens_get_entry(entry, &dataset->tokens,
                                    attest_dataset_token(dataset, i, k), c);
            attest_json_write_rational(json, NULL, entry);
        }
        attest_json_write_close(json);
    }
    attest_json_write_close(json);
    fmpq_clear(entry);
}

static void write_labels(attest_json *json, const attest_dataset *dataset, size_t i)
{
    attest_json_write_array(json, NULL);
    for (size_t k = dataset->start[i]; k < dataset->start[i + 1]; k++) {
        attest_json_write_array(json, NULL);
        for (size_t c = 0; c < dataset->label_dim; c++)
            attest_json_write_rational(json, NULL, dataset->label + k * dataset->label_dim + c);
        attest_json_write_close(json);
    }
    attest_json_write_close(json);
}

void attest_dataset_write_json(attest_json *json, const char *key,
                               const attest_dataset *dataset)
{
    attest_json_write_object(json, key);
    attest_json_write_string(json, "format", "attest/dataset");
    attest_json_write_integer(json, "version", 1);
    if (dataset->name)
        attest_json_write_string(json, "name", dataset->name);
    if (dataset->comment)
        attest_json_write_string(json, "comment", dataset->comment);
    attest_json_write_array(json, "sequences");
    for (size_t i = 0; i < dataset->count; i++)
        attest_dataset_write_sequence_json(json, dataset, i);
    attest_json_write_close(json);
    if (dataset->label) {
        attest_json_write_array(json, "labels");
        for (size_t i = 0; i < dataset->count; i++)
            write_labels(json, dataset, i);
        attest_json_write_close(json);
    }
    attest_json_write_close(json);
}

attest_status attest_dataset_write(const attest_dataset *dataset, const char *path,
                                   attest_error *error)
{
    attest_json_file file;
    attest_status status = attest_json_file_open(&file, path, error);

    if (status != ATTEST_OK)
        return status;
    attest_dataset_write_json(&file.json, NULL, dataset);
    return attest_json_file_commit(&file, error);
}
