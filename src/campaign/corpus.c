/* corpus.c -- stored counterexamples, decided again by every campaign. */
#include "campaign/corpus.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/directory.h"
#include "base/memory.h"
#include "base/scope.h"
#include "campaign/replay.h"
#include "io/counterexample_json.h"

static const char *const expectations[] = {"held", "violated"};

void attest_corpus_clear(attest_corpus *corpus)
{
    for (size_t f = 0; f < corpus->files; f++) {
        free(corpus->file[f].path);
        free(corpus->file[f].property);
        free(corpus->file[f].reason);
    }
    free(corpus->file);
    memset(corpus, 0, sizeof *corpus);
}

static attest_status read_file(attest_counterexample *file, int *expected, const char *path,
                               attest_budget *budget, attest_error *error)
{
    attest_json_document document ATTEST_CLEARED_BY(attest_json_document_clear);
    attest_json_failure failure;
    attest_json_cursor root;

    ATTEST_TRY(attest_json_document_read_file(&document, path, budget, error));
    root = attest_json_begin(&document, &failure, error);
    attest_counterexample_set_json(file, &root);
    *expected = attest_json_has(&root, "expect")
                    ? attest_json_take_choice(&root, "expect", expectations, 2)
                    : 0;
    if (failure.status != ATTEST_OK)
        attest_error_prefix(error, failure.status, path);
    return failure.status;
}

static attest_status add_case(attest_corpus *corpus, const char *path,
                              const attest_counterexample *file, int expected,
                              const attest_replay *replay, attest_error *error)
{
    attest_corpus_case *added;

    if (!attest_memory_grow(&corpus->file, &corpus->room, corpus->files + 1,
                            sizeof *corpus->file))
        return attest_memory_fail(error);
    added = &corpus->file[corpus->files++];
    *added = (attest_corpus_case){.path = attest_memory_copy(path),
                                  .property = attest_memory_copy(file->property),
                                  .reason = attest_memory_copy(replay->reason),
                                  .expected = expected ? ATTEST_VIOLATED : ATTEST_HELD,
                                  .outcome = replay->outcome};
    return added->path && added->property && added->reason ? ATTEST_OK
                                                           : attest_memory_fail(error);
}

static attest_status replay_file(attest_corpus *corpus, const char *path,
                                 attest_property_finder *find, attest_budget budget,
                                 attest_error *error)
{
    attest_status status;
    int expected;

    ATTEST_SCOPED(attest_counterexample, file);
    ATTEST_SCOPED(attest_replay, replay);
    ATTEST_TRY(read_file(&file, &expected, path, &budget, error));
    status = attest_replay_run(&replay, &file, find, error);
    if (status != ATTEST_OK)
        return attest_error_prefix(error, status, path);
    return add_case(corpus, path, &file, expected, &replay, error);
}

static int is_json(const struct dirent *entry)
{
    size_t length = strlen(entry->d_name);

    return length > 5 && strcmp(entry->d_name + length - 5, ".json") == 0;
}

attest_status attest_corpus_replay(attest_corpus *corpus, const char *directory,
                                   attest_property_finder *find, const attest_budget *budget,
                                   attest_error *error)
{
    struct dirent **entries;
    attest_status status = ATTEST_OK;
    int count = scandir(directory, &entries, is_json, alphasort);

    memset(corpus, 0, sizeof *corpus);
    if (count < 0 && errno == ENOMEM)
        return attest_memory_fail(error);
    if (count < 0)
        return attest_error_set(error, ATTEST_IO, "%s: cannot read the directory: %s",
                                directory, strerror(errno));
    for (int i = 0; i < count; i++) {
        char *path = attest_directory_join(directory, entries[i]->d_name);

        if (!path)
            status = attest_memory_fail(error);
        if (status == ATTEST_OK)
            status = replay_file(corpus, path, find, *budget, error);
        free(path);
        free(entries[i]);
    }
    free(entries);
    return status;
}

attest_status attest_witness_check(bool *confirmed, const attest_property *property,
                                   attest_error *error)
{
    ATTEST_SCOPED(attest_counterexample, file);
    ATTEST_SCOPED(attest_replay, replay);
    attest_status status;

    *confirmed = false;
    if (!property->witness)
        return ATTEST_OK;
    status = attest_counterexample_parse_json(&file, property->witness,
                                              strlen(property->witness), NULL, error);
    if (status == ATTEST_OK)
        status = attest_replay_decide(&replay, &file, property, error);
    *confirmed = status == ATTEST_OK && replay.outcome == ATTEST_VIOLATED;
    /* A witness that cannot be read or is not an instance of the property confirms nothing. */
    return status == ATTEST_NOMEM ? status : ATTEST_OK;
}
