/* observe.c -- one trial as a line of JSON. */
#include "campaign/observe.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <attest/version.h>

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

/* Line breaks stand between members only, for in strings they are escaped; with the
 * indentation behind them they go. */
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
