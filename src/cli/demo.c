/* demo.c -- attest demo: the tour.
 *
 * Writes small files into a folder and runs commands on them, each shown as a user would type
 * it. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/output.h"
#include "cli/command.h"
#include "data/json_write.h"

static int run(int argc, char **argv);

const attest_command attest_command_demo = {
    .name = "demo",
    .arguments = "[OPTION]...",
    .summary = "take the tour: hardmax defeated, softmax not, and what rounding does to it",
    .example = "  attest demo -o tour",
    .product = "leave the files in the folder FILE; attest-demo if not given",
    .run = run,
};

static const struct {
    const char *name, *text;
} files[] = {
    {"universal-pair.json", "{\"format\": \"attest/dataset\", \"version\": 1,\n"
                            " \"name\": \"the universal pair along (1, 2)\",\n"
                            " \"sequences\": [[[1, 2], [3, 6], [4, 8], [6, 12]],\n"
                            "               [[1, 2], [2, 4], [5, 10], [6, 12]]]}\n"},
    {"hardmax.json",
     "{\"format\": \"attest/weights\", \"version\": 1,\n"
     " \"activation\": \"hardmax\",\n"
     " \"heads\": [{\"WQ\": [[\"3/7\", -1], [2, \"0.1\"]], \"WK\": [[1, \"-5/3\"], [0, 4]],\n"
     "            \"WV\": [[1, \"1/9\"], [-2, 7]], \"WO\": [[\"2/3\", 1], [0, -1]]},\n"
     "           {\"WQ\": [[-1, 1]], \"WK\": [[\"1/2\", 3]], \"WV\": [[5, -1]], \"WO\": [[1], "
     "[\"1/3\"]]}]}\n"},
    {"softmax.json", "{\"format\": \"attest/weights\", \"version\": 1,\n"
                     " \"activation\": \"softmax\",\n"
                     " \"heads\": [{\"WQ\": {\"u\": [1], \"v\": [\"1/10\", \"1/10\"]}, \"WK\": "
                     "{\"u\": [1], \"v\": [\"1/10\", \"1/10\"]},\n"
                     "            \"WV\": {\"u\": [1], \"v\": [\"1/10\", \"1/10\"]}, \"WO\": "
                     "{\"u\": [\"1/2\", \"-1/4\"], \"v\": [1]}}]}\n"},
};

enum { FILES = sizeof files / sizeof files[0], MOST_ARGUMENTS = 12, MOST_PATH = 1024 };

/* A command of the tour; the arguments that name one of the files above stand in the folder. */
static const struct {
    const char *story;
    const attest_command *command;
    const char *arguments[MOST_ARGUMENTS];
    int code; /* what it must end with */
} steps[] = {
    {"1. Hardmax attention, two heads with arbitrary weights, evaluated exactly. The "
     "sequences\n"
     "   differ (3, 4 against 2, 5 times the first token), yet positions 0 and 3 have equal\n"
     "   outputs, fraction for fraction.",
     &attest_command_eval,
     {"universal-pair.json", "--weights", "hardmax.json"},
     EXIT_HOLDS},
    {"2. So this layer is no contextual mapping. No choice of weights can change that\n"
     "   (Theorem 1; 'attest counterexample' defeats your weights, too).",
     &attest_command_certify,
     {"universal-pair.json", "--weights", "hardmax.json"},
     EXIT_FAILS},
    {"3. One softmax head of rank 1 on the same data tells all contexts apart, and that is\n"
     "   proved: the least separation lies inside the ball (Theorem 2).",
     &attest_command_certify,
     {"universal-pair.json", "--weights", "softmax.json"},
     EXIT_HOLDS},
    {"4. The same head with every operation rounded to an 8-bit E4M3 float: at position 3\n"
     "   the two sequences have collapsed again.",
     &attest_command_eval,
     {"universal-pair.json", "--weights", "softmax.json", "--number", "float8_e4m3fn"},
     EXIT_HOLDS},
};

enum { STEPS = sizeof steps / sizeof steps[0] };

static int write_files(const char *folder)
{
    char path[MOST_PATH];
    attest_output output;
    attest_error error;

    if (strlen(folder) > MOST_PATH - 64)
        return attest_cli_refuse("%s: the name is too long", folder);
    if (mkdir(folder, 0777) != 0 && errno != EEXIST) {
        attest_cli_complain("%s: cannot create the folder: %s", folder, strerror(errno));
        return EXIT_ENVIRONMENT;
    }
    for (int i = 0; i < FILES; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, files[i].name);
        if (attest_output_open(&output, path, &error))
            return attest_cli_fail(&error);
        fputs(files[i].text, output.stream);
        if (attest_output_commit(&output, &error))
            return attest_cli_fail(&error);
    }
    return EXIT_HOLDS;
}

static bool is_file(const char *name)
{
    for (int i = 0; i < FILES; i++)
        if (strcmp(name, files[i].name) == 0)
            return true;
    return false;
}

/* The arguments of a step, with the files in their folder. */
typedef struct demo_line {
    char argument[MOST_ARGUMENTS][MOST_PATH];
    char *argv[MOST_ARGUMENTS + 2];
    int argc;
} demo_line;

static void make_line(demo_line *line, int step, const char *folder)
{
    line->argc = 0;
    line->argv[line->argc++] = (char *)steps[step].command->name;
    for (int k = 0; k < MOST_ARGUMENTS && steps[step].arguments[k]; k++) {
        const char *argument = steps[step].arguments[k];
        if (is_file(argument))
            snprintf(line->argument[k], MOST_PATH, "%s/%s", folder, argument);
        else
            snprintf(line->argument[k], MOST_PATH, "%s", argument);
        line->argv[line->argc++] = line->argument[k];
    }
    line->argv[line->argc] = NULL;
}

static int run_aloud(int step, demo_line *line)
{
    int code;

    printf("%s\n\n$ attest", steps[step].story);
    for (int k = 0; k < line->argc; k++)
        printf(" %s", line->argv[k]);
    printf("\n");
    code = steps[step].command->run(line->argc, line->argv);
    printf("\n");
    return code;
}

/* Runs the command with its output thrown away, and records what came of it. */
static int run_recorded(int step, demo_line *line, attest_json *json)
{
    int out, code = EXIT_ENVIRONMENT;

    attest_json_write_object(json, NULL);
    attest_json_write_array(json, "command");
    attest_json_write_string(json, NULL, "attest");
    for (int k = 0; k < line->argc; k++)
        attest_json_write_string(json, NULL, line->argv[k]);
    attest_json_write_close(json);
    fflush(stdout);
    out = dup(STDOUT_FILENO);
    if (out >= 0 && freopen("/dev/null", "w", stdout)) {
        code = steps[step].command->run(line->argc, line->argv);
        fflush(stdout);
        dup2(out, STDOUT_FILENO);
        close(out);
    }
    attest_json_write_integer(json, "exit", code);
    attest_json_write_close(json);
    return code;
}

/* All steps; stops at the first that does not end as it should. */
static int tour(const char *folder, attest_json *json)
{
    static demo_line line;

    for (int i = 0; i < STEPS; i++) {
        int code;
        make_line(&line, i, folder);
        code = json ? run_recorded(i, &line, json) : run_aloud(i, &line);
        if (code != steps[i].code)
            return code ? code : EXIT_FAILS;
    }
    return EXIT_HOLDS;
}

static int tour_json(const char *folder)
{
    attest_json json;
    int code;

    attest_json_write_begin(&json, stdout);
    attest_json_write_object(&json, NULL);
    attest_json_write_string(&json, "folder", folder);
    attest_json_write_array(&json, "steps");
    code = tour(folder, &json);
    attest_json_write_close(&json);
    attest_json_write_close(&json);
    return attest_json_write_end(&json) == ATTEST_OK ? code : EXIT_ENVIRONMENT;
}

static int run(int argc, char **argv)
{
    attest_common common;
    char **operands;
    size_t count;
    const char *folder;
    int code = attest_cli_parse(&attest_command_demo, &common, NULL, argc, argv, 0, 0,
                                &operands, &count);

    if (code != EXIT_HOLDS)
        return code;
    folder = common.output ? common.output : "attest-demo";
    code = write_files(folder);
    if (code != EXIT_HOLDS)
        return code;
    if (common.json)
        return tour_json(folder);
    code = tour(folder, NULL);
    if (code == EXIT_HOLDS)
        printf("The files are in %s/. Try your own: 'attest certify --help'.\n", folder);
    return code;
}
