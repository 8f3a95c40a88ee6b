/* observations.c -- the file observations.jsonl in the folder of a campaign. */
#include "config.h" /* mkstemp */

#include "campaign/observations.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/folder.h"
#include "base/memory.h"
#include "base/scope.h"

enum { PIECE = 65536 };

/* A file for reading what was written; its name is gone at once. */
static FILE *open_part(const char *folder)
{
    char *name ATTEST_FREED = attest_folder_join(folder, "observations.XXXXXX");
    int file = name ? mkstemp(name) : (errno = ENOMEM, -1);
    FILE *part = NULL;

    if (file >= 0) {
        unlink(name);
        part = fdopen(file, "w+");
        if (!part)
            close(file);
    }
    return part;
}

static attest_status fail(attest_observations *observations, const char *what,
                          attest_error *error)
{
    attest_status status =
        errno == ENOMEM
            ? attest_memory_fail(error)
            : attest_error_set(error, ATTEST_IO, "%s: cannot %s: %s", observations->output.path,
                               what, strerror(errno ? errno : EIO));

    attest_observations_abandon(observations);
    return status;
}

attest_status attest_observations_open(attest_observations *observations, const char *folder,
                                       size_t properties, attest_error *error)
{
    char *path ATTEST_FREED = attest_folder_join(folder, "observations.jsonl");

    if (!path)
        return attest_memory_fail(error);
    ATTEST_TRY(attest_output_open_file(&observations->output, path, error));
    observations->part = attest_memory_alloc(properties, sizeof *observations->part);
    if (!observations->part) {
        attest_observations_abandon(observations);
        return attest_memory_fail(error);
    }
    for (size_t p = 0; p < properties; p++) {
        observations->part[p] = open_part(folder);
        if (!observations->part[p])
            return fail(observations, "create a file beside it", error);
        observations->count++;
    }
    return ATTEST_OK;
}

void attest_observations_use(const attest_observations *observations, attest_tally *tally)
{
    for (size_t p = 0; p < observations->count; p++)
        tally[p].observations = observations->part[p];
}

/* False: what errno says. */
static bool append(FILE *to, FILE *part)
{
    char piece[PIECE];
    size_t got;

    errno = 0;
    if (ferror(part) || fflush(part) != 0) {
        errno = attest_output_reason(part);
        return false;
    }
    rewind(part);
    while ((got = fread(piece, 1, sizeof piece, part)) > 0)
        if (fwrite(piece, 1, got, to) != got)
            return true; /* commit tells */
    return !ferror(part);
}

attest_status attest_observations_commit(attest_observations *observations, attest_error *error)
{
    attest_status status;

    for (size_t p = 0; p < observations->count; p++)
        if (!append(observations->output.stream, observations->part[p]))
            return fail(observations, "write a file beside it", error);
    status = attest_output_commit(&observations->output, error);
    attest_observations_abandon(observations);
    return status;
}

void attest_observations_abandon(attest_observations *observations)
{
    for (size_t p = 0; p < observations->count; p++)
        fclose(observations->part[p]);
    free(observations->part);
    attest_output_abandon(&observations->output);
    memset(observations, 0, sizeof *observations);
}
