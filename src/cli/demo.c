/* demo.c -- attest demo: a tour of the commands on small files. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "cli/command.h"
#include "cli/terminal.h"
#include "io/json_write.h"

enum { MOST_PATH = 1024 };

static int run(int argc, char **argv);

const attest_command attest_command_demo = {
    .name = "demo",
    .arguments = "[OPTION]...",
    .summary = "take a tour: contexts, rounding, kernels",
    .details = "Runs sixteen commands and explains them, in a few seconds. The last one "
               "makes\nreport.html from the results of the others.",
    .example = "  attest demo -o tour",
    .product = "write the files to the directory FILE (default: attest-demo)",
    .directory = true,
    .run = run,
};

enum { DEMO_FILES = 5, DEMO_STEPS = 16, DEMO_MOST_ARGUMENTS = 12 };

/* An input file of the tour. */
typedef struct demo_file {
    const char *name, *text;
} demo_file;

/* A step of the tour. */
typedef struct demo_step {
    const char *story;
    const attest_command *command;
    /* "@x" is x in the tour's directory, "@" the directory itself */
    const char *arguments[DEMO_MOST_ARGUMENTS];
    int code;         /* the expected exit code */
    int shown;        /* number of lines printed: from the end, -n from the beginning; 0: all */
    const char *into; /* the file that gets its output instead, or NULL */
} demo_step;

/* head.safetensors: q, k and v of a trained head (examples/devil) on a line of text. */
static const unsigned char head_bytes[] = {
#include "cli/demo_head.inc"
};

/* one line of a file per line */
/* clang-format off */
static const demo_file demo_files[DEMO_FILES] = {
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
    {"subsets.json",
     "{\"format\": \"attest/dataset\", \"version\": 1,\n"
     " \"name\": \"all 20 subsets of three of six tokens\",\n"
     " \"sequences\": [\n"
     "  [[2, 1], [-1, 2], [3, -2]], [[2, 1], [-1, 2], [1, 4]],\n"
     "  [[2, 1], [-1, 2], [-3, -1]], [[2, 1], [-1, 2], [0, 5]],\n"
     "  [[2, 1], [3, -2], [1, 4]], [[2, 1], [3, -2], [-3, -1]],\n"
     "  [[2, 1], [3, -2], [0, 5]], [[2, 1], [1, 4], [-3, -1]],\n"
     "  [[2, 1], [1, 4], [0, 5]], [[2, 1], [-3, -1], [0, 5]],\n"
     "  [[-1, 2], [3, -2], [1, 4]], [[-1, 2], [3, -2], [-3, -1]],\n"
     "  [[-1, 2], [3, -2], [0, 5]], [[-1, 2], [1, 4], [-3, -1]],\n"
     "  [[-1, 2], [1, 4], [0, 5]], [[-1, 2], [-3, -1], [0, 5]],\n"
     "  [[3, -2], [1, 4], [-3, -1]], [[3, -2], [1, 4], [0, 5]],\n"
     "  [[3, -2], [-3, -1], [0, 5]], [[1, 4], [-3, -1], [0, 5]]],\n"
     " \"labels\": [\n"
     "  [[0], [0], [0]], [[1], [1], [1]], [[2], [2], [2]], [[3], [3], [3]], [[0], [0], [0]],\n"
     "  [[1], [1], [1]], [[2], [2], [2]], [[3], [3], [3]], [[0], [0], [0]], [[1], [1], [1]],\n"
     "  [[2], [2], [2]], [[3], [3], [3]], [[0], [0], [0]], [[1], [1], [1]], [[2], [2], [2]],\n"
     "  [[3], [3], [3]], [[0], [0], [0]], [[1], [1], [1]], [[2], [2], [2]], [[3], [3], "
     "[3]]]}\n"},
    {"expected.json", "{\"format\": \"attest/expected\", \"version\": 1,\n"
                      " \"verdicts\": {\"hardmax-certificate.json\": \"refuted\",\n"
                      "              \"without-collinear/report.json\": \"violated\",\n"
                      "              \"wrong.json\": \"wrong\"}}\n"},
};
/* clang-format on */

static const demo_step demo_steps[DEMO_STEPS] = {
    {.story =
         "1. Hardmax attention, two heads with arbitrary weights, evaluated exactly. The\n"
         "   sequences differ (3, 4 against 2, 5 times the first token), yet positions 0 and\n"
         "   3 have equal outputs, fraction for fraction.",
     .command = &attest_command_eval,
     .arguments = {"@universal-pair.json", "--weights", "@hardmax.json"}},
    {.story =
         "2. So this layer is no contextual mapping. No choice of weights can change that\n"
         "   (Theorem 1; 'attest counterexample' defeats your weights, too).",
     .command = &attest_command_certify,
     .arguments = {"@universal-pair.json", "--weights", "@hardmax.json", "-o",
                   "@hardmax-certificate.json"},
     .code = EXIT_FAILS},
    {.story =
         "3. One softmax head of rank 1 on the same data tells all contexts apart, and that\n"
         "   is proved: the least separation lies inside the ball (Theorem 2).",
     .command = &attest_command_certify,
     .arguments = {"@universal-pair.json", "--weights", "@softmax.json", "-o",
                   "@softmax-certificate.json"}},
    {.story =
         "4. The same head with every operation rounded: it survives binary32; in an 8-bit\n"
         "   E4M3 float the sequences collapse again. 'collapse' is the exact limit.",
     .command = &attest_command_audit,
     .arguments = {"@universal-pair.json", "--weights", "@softmax.json", "--formats",
                   "binary32,bfloat16,float8_e4m3fn", "--quick"}},
    {.story =
         "5. Theorem 2 builds such a head for any data; here, for all 20 subsets of six\n"
         "   tokens. With the theorem's own constants it takes more bits than any hardware\n"
         "   has; with constants tuned to the data, eight.",
     .command = &attest_command_audit,
     .arguments = {"@subsets.json", "--construct", "all", "-o", "@audit"},
     .shown = 4},
    {.story = "6. One layer more, and every token of every context gets the label it should\n"
              "   have (Corollary 1): the network is built and verified.",
     .command = &attest_command_memorize,
     .arguments = {"@subsets.json", "--strategy", "tuned", "--json"},
     .into = "memorize.json"},
    {.story =
         "7. A head of a trained model, its queries, keys and values on one line of text in\n"
         "   bfloat16. What do bfloat16 and an 8-bit float make of its attention?",
     .command = &attest_command_heads,
     .arguments = {"@head.safetensors", "--causal", "--formats", "bfloat16,float8_e4m3fn", "-o",
                   "@head-audit.json"}},
    {.story =
         "8. Is an 8-bit cache of its keys and values good enough? The smallest scheme with\n"
         "   which every kernel stays within a tenth of the exact outputs, proved.",
     .command = &attest_command_range,
     .arguments = {"@head.safetensors", "--kernel", "bf16-flash2", "--causal", "--max-error",
                   "0.1"},
     .shown = 2},
    {.story = "9. A kernel for it, on Hopper with its matrix unit, simulated bit for bit.",
     .command = &attest_command_simulate,
     .arguments = {"@head.safetensors", "--kernel", "hopper-bf16-64", "--causal", "-o",
                   "@right.safetensors"}},
    {.story =
         "10. Is that output right? No tolerance is guessed: for every element an interval\n"
         "    holds what any kernel of FlashAttention-2's kind may return here.",
     .command = &attest_command_judge,
     .arguments = {"@head.safetensors", "@right.safetensors", "--kernel", "bf16-flash2",
                   "--causal", "-o", "@right.json"},
     .shown = -1},
    {.story = "11. The same kernel without its scale: a bug.",
     .command = &attest_command_simulate,
     .arguments = {"@head.safetensors", "--kernel", "hopper-bf16-64", "--causal", "--scale",
                   "none", "-o", "@wrong.safetensors"}},
    {.story = "12. The bug is proved, and named.",
     .command = &attest_command_judge,
     .arguments = {"@head.safetensors", "@wrong.safetensors", "--kernel", "bf16-flash2",
                   "--causal", "-o", "@wrong.json"},
     .code = EXIT_FAILS,
     .shown = -7},
    {.story =
         "13. The theorems as properties, tried on random instances, each decided exactly.",
     .command = &attest_command_campaign,
     .arguments = {"theorem1", "lemma_f", "theorem2", "--trials", "200", "--out", "@campaign",
                   "--resume"}},
    {.story =
         "14. Without one of its hypotheses Theorem 1 is false, and the engine finds out:\n"
         "    a counterexample, shrunk, in a file that 'attest replay' decides again.",
     .command = &attest_command_campaign,
     .arguments = {"theorem1", "--without", "collinear", "--trials", "100", "--out",
                   "@without-collinear", "--resume"},
     .code = EXIT_FAILS},
    {.story = "15. The universal approximator over finer grids, errors enclosed and bounded.",
     .command = &attest_command_approximate,
     .arguments = {"--function", "sum", "--grid", "32", "--csv", "@approximate.csv"}},
    {.story = "16. All of it on one page.",
     .command = &attest_command_report,
     .arguments = {"@", "-o", "@report.html"},
     .shown = 1},
};

static int write_file(const char *directory, const char *name, const char *text, size_t size)
{
    char path[MOST_PATH];
    attest_output output;
    attest_error error;

    snprintf(path, sizeof path, "%s/%s", directory, name);
    if (attest_output_open_file(&output, path, &error))
        return attest_cli_fail(&error);
    fwrite(text, 1, size, output.stream);
    return attest_output_commit(&output, &error) ? attest_cli_fail(&error) : EXIT_HOLDS;
}

static int write_files(const char *directory)
{
    int code = EXIT_HOLDS;

    if (strlen(directory) > MOST_PATH - 64)
        return attest_cli_refuse("%s: the name is too long", directory);
    if (mkdir(directory, 0777) != 0 && errno != EEXIST) {
        attest_cli_complain("%s: cannot create the directory: %s", directory, strerror(errno));
        return EXIT_ENVIRONMENT;
    }
    for (int i = 0; i < DEMO_FILES && code == EXIT_HOLDS; i++)
        code = write_file(directory, demo_files[i].name, demo_files[i].text,
                          strlen(demo_files[i].text));
    if (code == EXIT_HOLDS)
        code = write_file(directory, "head.safetensors", (const char *)head_bytes,
                          sizeof head_bytes);
    return code;
}

/* The arguments of a step, with the paths of its files. */
typedef struct demo_line {
    char argument[DEMO_MOST_ARGUMENTS][MOST_PATH];
    char *argv[DEMO_MOST_ARGUMENTS + 2];
    int argc;
} demo_line;

static void make_line(demo_line *line, const demo_step *step, const char *directory)
{
    line->argc = 0;
    line->argv[line->argc++] = (char *)step->command->name;
    for (int k = 0; k < DEMO_MOST_ARGUMENTS && step->arguments[k]; k++) {
        const char *argument = step->arguments[k];
        bool inside = argument[0] == '@' && argument[1];
        if (argument[0] == '@')
            snprintf(line->argument[k], MOST_PATH, "%s%s%s", directory, inside ? "/" : "",
                     argument + 1);
        else
            snprintf(line->argument[k], MOST_PATH, "%s", argument);
        line->argv[line->argc++] = line->argument[k];
    }
    line->argv[line->argc] = NULL;
}

/* Reports that the output of a step was lost. */
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

/* Reads the whole stream into memory, which the caller frees; NULL if that fails. */
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

/* Prints the last lines of a text. */
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

/* Prints the first lines of a text. */
static void print_head(const char *text, size_t size, int lines)
{
    const char *at = text;

    while (at < text + size && lines > 0)
        lines -= *at++ == '\n';
    fwrite(text, 1, (size_t)(at - text), stdout);
    if (at < text + size)
        attest_print("...\n");
}

/* Runs the command with its output in a temporary file, and prints a part of it. */
static int run_captured(const demo_step *step, demo_line *line, const char *directory,
                        bool quiet)
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
        return code == EXIT_ENVIRONMENT ? code : lose(); /* its message has been printed */
    if (step->into)
        written = write_file(directory, step->into, text, size);
    else if (!quiet && step->shown < 0)
        print_head(text, size, -step->shown);
    else if (!quiet)
        print_tail(text, size, step->shown);
    free(text);
    return written ? written : code;
}

static int run_aloud(const demo_step *step, demo_line *line, const char *directory)
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
        attest_print("%s", directory);
        attest_print("/%s", step->into);
    }
    putchar('\n');
    if (step->into || step->shown)
        code = run_captured(step, line, directory, false);
    else
        code = step->command->run(line->argc, line->argv);
    attest_print("\n");
    return code;
}

/* Runs the command without its output, and writes its exit code to the record. */
static int run_recorded(const demo_step *step, demo_line *line, const char *directory,
                        attest_json *json)
{
    int code;

    attest_json_write_object(json, NULL);
    attest_json_write_array(json, "command");
    attest_json_write_string(json, NULL, "attest");
    for (int k = 0; k < line->argc; k++)
        attest_json_write_string(json, NULL, line->argv[k]);
    attest_json_write_close(json);
    code = run_captured(step, line, directory, true);
    attest_json_write_integer(json, "exit", code);
    attest_json_write_close(json);
    return code;
}

/* Runs all steps; stops at the first with an unexpected exit code. */
static int tour(const char *directory, attest_json *json)
{
    static demo_line line;

    for (int i = 0; i < DEMO_STEPS; i++) {
        const demo_step *step = &demo_steps[i];
        int code;
        make_line(&line, step, directory);
        code = json ? run_recorded(step, &line, directory, json)
                    : run_aloud(step, &line, directory);
        if (code != step->code)
            return code ? code : EXIT_FAILS;
    }
    return EXIT_HOLDS;
}

static int tour_json(const char *directory)
{
    char report[MOST_PATH + 16];
    attest_json json;
    int code;

    snprintf(report, sizeof report, "%s/report.html", directory);
    attest_json_write_begin(&json, stdout);
    attest_json_write_object(&json, NULL);
    attest_json_write_format(&json, "attest/demo");
    attest_json_write_string(&json, "folder", directory);
    attest_json_write_string(&json, "report", report);
    attest_json_write_array(&json, "steps");
    code = tour(directory, &json);
    attest_json_write_close(&json);
    attest_json_write_close(&json);
    return attest_cli_end_json(&json, code);
}

static int run(int argc, char **argv)
{
    attest_common common;
    char **operands;
    size_t count;
    const char *directory;

    ATTEST_CLI_TRY(attest_cli_parse(&attest_command_demo, &common, NULL, argc, argv, 0, 0,
                                    &operands, &count));
    attest_cli_disable_hints();
    directory = common.output ? common.output : "attest-demo";
    ATTEST_CLI_TRY(write_files(directory));
    if (common.json)
        return tour_json(directory);
    ATTEST_CLI_TRY(tour(directory, NULL));
    attest_print("The files are in ");
    attest_print("%s", directory);
    attest_print("/; open ");
    attest_print("%s", directory);
    attest_print("/report.html in a browser. Try your own data:\n"
                 "'attest certify --help', 'attest audit --help'.\n");
    return EXIT_HOLDS;
}
