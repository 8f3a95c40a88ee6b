/* replay.c -- attest replay: stored counterexamples, decided again. */
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/scope.h"
#include "campaign/replay.h"
#include "cli/campaign.h"
#include "cli/command.h"
#include "cli/terminal.h"
#include "props/registry.h"
#include "report/replay.h"

static int run(int argc, char **argv);

const attest_command attest_command_replay = {
    .name = "replay",
    .arguments = "FILE... [OPTION]...",
    .summary = "decide stored counterexamples again",
    .details = "Decides each file from its values alone, by its property or else by the "
               "definition\nthat it violates, and prints both outputs of its pair in every "
               "number system. Exit\ncode 1: a violation is confirmed (the claim fails); 0: "
               "none is; 3: one is undecided.",
    .example = "  attest counterexample --heads 2 --dim 3 -o c.json && attest replay c.json",
    .works = true,
    .run = run,
};

/* Refuses a file of a loaded property that is not loaded. Prints a note if the property comes
 * from another shared object than the one that found the file, such as a corrected one. */
static int check_object(const char *path, const attest_counterexample *file)
{
    const attest_property *property = attest_property_get(file->property);

    if (!file->object[0])
        return EXIT_HOLDS;
    if (!property || !property->object)
        return attest_cli_refuse("%s: the property '%s' is of a shared object (--load FILE.so)",
                                 path, file->property);
    if (strcmp(property->object->sha256, file->object) != 0)
        attest_cli_complain("%s: found by another object than %s (sha256 %.12s..., not "
                            "%.12s...)",
                            path, property->object->path, file->object,
                            property->object->sha256);
    return EXIT_HOLDS;
}

static attest_status decide(attest_replay *replay, attest_counterexample *file,
                            attest_error *error)
{
    attest_status status;

    attest_cli_work_begin("replaying");
    status = attest_replay_run(replay, file, attest_property_get, error);
    attest_cli_work_end();
    /* A failing hypothesis is not a violation, which exit code 1 reports. */
    return status == ATTEST_DOMAIN ? (error->status = ATTEST_FORMAT) : status;
}

/* Replays a file; json is NULL for text. */
static int replay_file(const char *path, double seconds, attest_common *common,
                       attest_json *json)
{
    ATTEST_SCOPED(attest_counterexample, file);
    ATTEST_SCOPED(attest_replay, replay);
    attest_error error;
    attest_status status;

    replay.seconds = seconds;
    replay.max_work = common->max_work;
    attest_cli_work_begin("reading");
    status = attest_counterexample_read(&file, path, &common->budget, &error);
    attest_cli_work_end();
    if (status)
        return attest_cli_fail_input(&error);
    if (check_object(path, &file) != EXIT_HOLDS)
        return EXIT_USAGE;
    if (decide(&replay, &file, &error)) {
        attest_error_prefix(&error, error.status, attest_input_name(path));
        return attest_cli_fail(&error);
    }
    if (json)
        attest_report_replay_json(json, path, &file, &replay);
    else
        attest_report_replay_text(stdout, path, &replay);
    if (replay.outcome == ATTEST_VIOLATED)
        return EXIT_FAILS;
    return replay.outcome == ATTEST_OPEN ? EXIT_UNDECIDED : EXIT_HOLDS;
}

static int run(int argc, char **argv)
{
    const char *load = NULL, *timeout = "60";
    double seconds;
    attest_common common;
    attest_json json;
    char **paths;
    size_t count;
    const attest_option options[] = {
        {"load", 0, "FILE.so",
         "use the properties of this shared object (default: $ATTEST_LOAD)", OPTION_TEXT, &load,
         NULL},
        {"timeout", 0, "T", "time limit of a loaded property (default: 60 seconds)",
         OPTION_TEXT, &timeout, NULL},
        {0},
    };
    int code = attest_cli_parse(&attest_command_replay, &common, options, argc, argv, 1,
                                1000000, &paths, &count);

    if (code == EXIT_HOLDS)
        code = attest_cli_check_stdin((const char *const *)paths, count);
    if (code == EXIT_HOLDS && !attest_cli_parse_time(&seconds, timeout))
        code =
            attest_cli_refuse("--timeout: '%s' is not a time such as 90, 10m or 2h", timeout);
    if (code == EXIT_HOLDS)
        code = attest_cli_load(load);
    if (code != EXIT_HOLDS)
        return code;
    if (common.json) {
        attest_json_write_begin(&json, stdout);
        attest_json_write_object(&json, NULL);
        attest_json_write_format(&json, "attest/replay");
        attest_json_write_array(&json, "replays");
    }
    for (size_t i = 0; i < count; i++)
        code = attest_cli_worse(
            code, replay_file(paths[i], seconds, &common, common.json ? &json : NULL));
    if (common.json) {
        attest_json_write_close(&json);
        attest_json_write_close(&json);
        code = attest_cli_end_json(&json, code);
    }
    return code;
}
