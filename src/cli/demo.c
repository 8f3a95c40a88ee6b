/* demo.c -- attest demo: the tour.
 *
 * Writes small files into a folder and runs commands on them, each shown as a user would type
 * it. */
#include "cli/demo.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/output.h"
#include "io/json_write.h"

enum { MOST_PATH = 1024 };

static int run(int argc, char **argv);

const attest_command attest_command_demo = {
    .name = "demo",
    .arguments = "[OPTION]...",
    .summary = "take the tour: contexts told apart, rounding, kernels judged",
    .details =
        "Sixteen steps, each a command as you would type it, in a few seconds. The last one\n"
        "makes report.html of all that the others have left in the folder.",
    .example = "  attest demo -o tour",
    .product = "leave the files in the folder FILE; attest-demo if not given",
    .folder = true,
    .run = run,
};

static int write_file(const char *folder, const char *name, const char *text, size_t size)
{
    char path[MOST_PATH];
    attest_output output;
    attest_error error;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    if (attest_output_open_file(&output, path, &error))
        return attest_cli_fail(&error);
    fwrite(text, 1, size, output.stream);
    return attest_output_commit(&output, &error) ? attest_cli_fail(&error) : EXIT_HOLDS;
}

static int write_files(const char *folder)
{
    int code = EXIT_HOLDS;

    if (strlen(folder) > MOST_PATH - 64)
        return attest_cli_refuse("%s: the name is too long", folder);
    if (mkdir(folder, 0777) != 0 && errno != EEXIST) {
        attest_cli_complain("%s: cannot create the folder: %s", folder, strerror(errno));
        return EXIT_ENVIRONMENT;
    }
    for (int i = 0; i < DEMO_FILES && code == EXIT_HOLDS; i++)
        code = write_file(folder, attest_demo_file[i].name, attest_demo_file[i].text,
                          strlen(attest_demo_file[i].text));
    if (code == EXIT_HOLDS)
        code = write_file(folder, "head.safetensors", (const char *)attest_demo_head,
                          attest_demo_head_size);
    return code;
}

/* The arguments of a step, with the files in their folder. */
typedef struct demo_line {
    char argument[DEMO_MOST_ARGUMENTS][MOST_PATH];
    char *argv[DEMO_MOST_ARGUMENTS + 2];
    int argc;
} demo_line;

static void make_line(demo_line *line, const demo_step *step, const char *folder)
{
    line->argc = 0;
    line->argv[line->argc++] = (char *)step->command->name;
    for (int k = 0; k < DEMO_MOST_ARGUMENTS && step->arguments[k]; k++) {
        const char *argument = step->arguments[k];
        bool inside = argument[0] == '@' && argument[1];
        if (argument[0] == '@')
            snprintf(line->argument[k], MOST_PATH, "%s%s%s", folder, inside ? "/" : "",
                     argument + 1);
        else
            snprintf(line->argument[k], MOST_PATH, "%s", argument);
        line->argv[line->argc++] = line->argument[k];
    }
    line->argv[line->argc] = NULL;
}

/* What a step printed is lost. */
static int lose(void)
{
    attest_cli_complain("the output of a step cannot be kept aside: %s", strerror(errno));
    return EXIT_ENVIRONMENT;
}

/* Runs the command with standard output going to the stream; its code, or EXIT_ENVIRONMENT. */
static int run_into(FILE *stream, const demo_step *step, demo_line *line)
{
    int code, out;

    fflush(stdout);
    out = dup(STDOUT_FILENO);
    if (out < 0)
        return lose();
    if (dup2(fileno(stream), STDOUT_FILENO) >= 0) {
        code = step->command->run(line->argc, line->argv);
        fflush(stdout);
        dup2(out, STDOUT_FILENO);
    } else {
        code = lose();
    }
    close(out);
    return code;
}

/* The whole stream in memory, the caller's to free; NULL where that fails. */
static char *read_back(FILE *stream, size_t *size)
{
    long length = fseek(stream, 0, SEEK_END) == 0 ? ftell(stream) : -1;
    char *text = length < 0 ? NULL : attest_memory_alloc((size_t)length + 1, 1);

    rewind(stream);
    if (text && fread(text, 1, (size_t)length, stream) != (size_t)length) {
        free(text);
        return NULL;
    }
    *size = (size_t)length;
    return text;
}

/* The last lines of a text. */
static void print_tail(const char *text, size_t size, int lines)
{
    const char *at = text + size;

    while (at > text && lines >= 0) {
        at--;
        lines -= *at == '\n';
    }
    if (at > text)
        attest_print("...\n");
    fputs(lines < 0 ? at + 1 : at, stdout);
}

/* The first lines of a text. */
static void print_head(const char *text, size_t size, int lines)
{
    const char *at = text;

    while (at < text + size && lines > 0)
        lines -= *at++ == '\n';
    fwrite(text, 1, (size_t)(at - text), stdout);
    if (at < text + size)
        attest_print("...\n");
}

/* Runs the command; what is not shown in full is kept aside. */
static int run_captured(const demo_step *step, demo_line *line, const char *folder, bool quiet)
{
    FILE *aside = tmpfile();
    size_t size = 0;
    char *text;
    int code, written = EXIT_HOLDS;

    if (!aside)
        return lose();
    code = run_into(aside, step, line);
    text = read_back(aside, &size);
    fclose(aside);
    if (!text)
        return code == EXIT_ENVIRONMENT ? code : lose(); /* one line says it */
    if (step->into)
        written = write_file(folder, step->into, text, size);
    else if (!quiet && step->shown < 0)
        print_head(text, size, -step->shown);
    else if (!quiet)
        print_tail(text, size, step->shown);
    free(text);
    return written ? written : code;
}

static int run_aloud(const demo_step *step, demo_line *line, const char *folder)
{
    int code;

    attest_print_lines(stdout, step->story, strlen(step->story));
    attest_print("\n\n$ attest");
    for (int k = 0; k < line->argc; k++) {
        putchar(' ');
        attest_print("%s", line->argv[k]);
    }
    if (step->into) {
        attest_print(" >");
        attest_print("%s", folder);
        attest_print("/%s", step->into);
    }
    putchar('\n');
    if (step->into || step->shown)
        code = run_captured(step, line, folder, false);
    else
        code = step->command->run(line->argc, line->argv);
    attest_print("\n");
    return code;
}

/* Runs the command with its output thrown away, and records what came of it. */
static int run_recorded(const demo_step *step, demo_line *line, const char *folder,
                        attest_json *json)
{
    int code;

    attest_json_write_object(json, NULL);
    attest_json_write_array(json, "command");
    attest_json_write_string(json, NULL, "attest");
    for (int k = 0; k < line->argc; k++)
        attest_json_write_string(json, NULL, line->argv[k]);
    attest_json_write_close(json);
    code = run_captured(step, line, folder, true);
    attest_json_write_integer(json, "exit", code);
    attest_json_write_close(json);
    return code;
}

/* All steps; stops at the first that does not end as it should. */
static int tour(const char *folder, attest_json *json)
{
    static demo_line line;

    for (int i = 0; i < DEMO_STEPS; i++) {
        const demo_step *step = &attest_demo_step[i];
        int code;
        make_line(&line, step, folder);
        code = json ? run_recorded(step, &line, folder, json) : run_aloud(step, &line, folder);
        if (code != step->code)
            return code ? code : EXIT_FAILS;
    }
    return EXIT_HOLDS;
}

static int tour_json(const char *folder)
{
    char report[MOST_PATH + 16];
    attest_json json;
    int code;

    snprintf(report, sizeof report, "%s/report.html", folder);
    attest_json_write_begin(&json, stdout);
    attest_json_write_object(&json, NULL);
    attest_json_write_string(&json, "folder", folder);
    attest_json_write_string(&json, "report", report);
    attest_json_write_array(&json, "steps");
    code = tour(folder, &json);
    attest_json_write_close(&json);
    attest_json_write_close(&json);
    return attest_cli_end_json(&json, code);
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
    attest_cli_leave_open();
    folder = common.output ? common.output : "attest-demo";
    code = write_files(folder);
    if (code != EXIT_HOLDS)
        return code;
    if (common.json)
        return tour_json(folder);
    code = tour(folder, NULL);
    if (code != EXIT_HOLDS)
        return code;
    attest_print("The files are in ");
    attest_print("%s", folder);
    attest_print("/; open ");
    attest_print("%s", folder);
    attest_print("/report.html in a browser. Try your own data:\n"
                 "'attest certify --help', 'attest audit --help'.\n");
    return EXIT_HOLDS;
}
