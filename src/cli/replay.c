/* replay.c -- attest replay: stored counterexamples, decided again. */
#include <stdio.h>

#include "base/input.h"
#include "campaign/replay.h"
#include "cli/command.h"
#include "props/properties.h"
#include "report/replay.h"

static int run(int argc, char **argv);

const attest_command attest_command_replay = {
    .name = "replay",
    .arguments = "FILE... [OPTION]...",
    .summary = "decide stored counterexamples again",
    .details =
        "Decides each file from its values alone, by the property that a campaign found it "
        "for,\n"
        "or else by the definition that it violates, and shows both outputs at its pair in "
        "every\n"
        "number system side by side. Exit code 1: a violation is confirmed (the claim fails);\n"
        "0: none is, and 3: one could not be decided.",
    .example = "  attest counterexample --heads 2 --dim 3 -o c.json && attest replay c.json",
    .run = run,
};

/* Replays a file; json is NULL for text. */
static int replay_file(const char *path, attest_common *common, attest_json *json)
{
    attest_counterexample file;
    attest_replay replay;
    attest_error error;
    int code = EXIT_HOLDS;

    attest_counterexample_init(&file);
    attest_replay_init(&replay);
    if (attest_counterexample_read(&file, path, &common->budget, &error)) {
        code = attest_cli_fail_input(&error);
    } else if (attest_replay_run(&replay, &file, attest_property_get, &error)) {
        attest_error_prefix(&error, error.status, attest_input_name(path));
        code = attest_cli_fail(&error);
    } else {
        if (json)
            attest_report_replay_json(json, path, &file, &replay);
        else
            attest_report_replay_text(stdout, path, &replay);
        if (replay.outcome == ATTEST_VIOLATED)
            code = EXIT_FAILS;
        else if (replay.outcome == ATTEST_OPEN)
            code = EXIT_UNDECIDED;
    }
    attest_replay_clear(&replay);
    attest_counterexample_clear(&file);
    return code;
}

static int run(int argc, char **argv)
{
    attest_common common;
    attest_json json;
    char **paths;
    size_t count;
    int code = attest_cli_parse(&attest_command_replay, &common, NULL, argc, argv, 1, 1000000,
                                &paths, &count);

    if (code == EXIT_HOLDS)
        code = attest_cli_check_stdin((const char *const *)paths, count);
    if (code != EXIT_HOLDS)
        return code;
    if (common.json) {
        attest_json_write_begin(&json, stdout);
        attest_json_write_object(&json, NULL);
        attest_json_write_array(&json, "replays");
    }
    for (size_t i = 0; i < count; i++)
        code =
            attest_cli_worse(code, replay_file(paths[i], &common, common.json ? &json : NULL));
    if (common.json) {
        attest_json_write_close(&json);
        attest_json_write_close(&json);
        code = attest_cli_end_json(&json, code);
    }
    return code;
}
