/* json_file.c -- a JSON file that appears whole or not at all. */
#include "io/json_file.h"

#include "base/memory.h"

attest_status attest_json_file_open(attest_json_file *file, const char *path,
                                    attest_error *error)
{
    attest_status status = attest_output_open(&file->output, path, error);

    if (status == ATTEST_OK)
        attest_json_write_begin(&file->json, file->output.stream);
    return status;
}

attest_status attest_json_file_commit(attest_json_file *file, attest_error *error)
{
    /* Writing that failed is noticed, and named, by the commit. */
    if (attest_json_write_end(&file->json) == ATTEST_NOMEM) {
        attest_memory_fail_at(error, file->output.path);
        attest_output_abandon(&file->output);
        return ATTEST_NOMEM;
    }
    return attest_output_commit(&file->output, error);
}
