/* observations.c -- trials as lines of JSON, and the file that they are collected in. */
#include "config.h" /* mkstemp */

#include "campaign/observations.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <attest/version.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/scope.h"
#include "io/json_write.h"

static const char *status_of(const attest_trial *found)
{
    if (found && found->outcome == ATTEST_HELD)
        return "passed";
    return found && found->outcome == ATTEST_VIOLATED ? "failed" : "gave_up";
}

static const char *reason_of(const attest_observation *o)
{
    if (o->reason)
        return o->reason;
    if (!o->found || o->found->outcome == ATTEST_DISCARDED)
        return "discarded: the hypotheses are not met";
    return o->found->reason;
}

static void write_features(attest_json *json, const attest_trial *found)
{
    attest_json_write_object(json, "features");
    for (size_t l = 0; found && l < found->labels; l++)
        attest_json_write_bool(json, found->label[l], true);
    if (found && isfinite(found->margin))
        attest_json_write_measure(json, "log2_margin", found->margin);
    attest_json_write_close(json);
}

static void write_members(attest_json *json, const attest_observation *o)
{
    const attest_property *property = o->chunk->property;
    char text[128];

    attest_json_write_string(json, "type", "test_case");
    attest_json_write_integer(json, "run_start", (long long)o->chunk->run_start);
    attest_json_write_string(json, "property", property->name);
    attest_json_write_string(json, "status", status_of(o->found));
    attest_json_write_string(json, "status_reason", reason_of(o));
    snprintf(text, sizeof text, "%.60s: trial %" PRIu64 ", seed 0x%" PRIx64, property->name,
             o->trial, o->seed);
    attest_json_write_string(json, "representation", text);
    if (o->arguments)
        attest_json_write_text(json, "arguments", o->arguments);
    else
        attest_json_write_null(json, "arguments");
    attest_json_write_string(json, "how_generated",
                             o->chunk->search ? "during guided search"
                                              : "during random generation");
    write_features(json, o->found);
    attest_json_write_null(json, "coverage");
    attest_json_write_object(json, "timing");
    attest_json_write_measure(json, "execute:test", o->seconds);
    attest_json_write_close(json);
    attest_json_write_object(json, "metadata");
    attest_json_write_string(json, "attest", attest_version());
    attest_json_write_count(json, "trial", o->trial);
    attest_json_write_close(json);
}

/* Removes line breaks and the indentation after them. They stand between members only: in
 * strings they are escaped. */
static void add_line(attest_text *lines, const char *text)
{
    while (*text) {
        size_t length = strcspn(text, "\n");

        attest_text_append(lines, text, length);
        text += length;
        text += strspn(text, "\n ");
    }
    attest_text_append(lines, "\n", 1);
}

static void write_observation(attest_json *json, const void *observation)
{
    attest_json_write_object(json, NULL);
    write_members(json, observation);
    attest_json_write_close(json);
}

void attest_observation_add(attest_text *lines, const attest_observation *observation)
{
    char *text = attest_json_format(NULL, write_observation, observation);

    if (text)
        add_line(lines, text);
    else
        lines->failed = true;
    free(text);
}

enum { PIECE = 65536 };

/* Opens a temporary file, which is unlinked at once. */
static FILE *open_part(const char *directory)
{
    char *name ATTEST_FREED = attest_directory_join(directory, "observations.XXXXXX");
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

attest_status attest_observations_open(attest_observations *observations, const char *directory,
                                       size_t properties, attest_error *error)
{
    char *path ATTEST_FREED = attest_directory_join(directory, "observations.jsonl");

    if (!path)
        return attest_memory_fail(error);
    ATTEST_TRY(attest_output_open_file(&observations->output, path, error));
    observations->part = attest_memory_alloc(properties, sizeof *observations->part);
    if (!observations->part) {
        attest_observations_abandon(observations);
        return attest_memory_fail(error);
    }
    for (size_t p = 0; p < properties; p++) {
        observations->part[p] = open_part(directory);
        if (!observations->part[p])
            return fail(observations, "create a file beside it", error);
        observations->count++;
    }
    return ATTEST_OK;
}

void attest_observations_use(const attest_observations *observations, attest_join *join)
{
    for (size_t p = 0; p < observations->count; p++)
        join[p].observations = observations->part[p];
}

/* Returns false, with errno set, if part cannot be read; commit notices other failures. */
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
            return true;
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
