/* campaign_new.c -- attest campaign new: writes the source of a new property. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/text.h"
#include "cli/command.h"

static int run(int argc, char **argv);

const attest_command attest_command_campaign_new = {
    .name = "campaign new",
    .arguments = "NAME [-o FILE]",
    .summary = "write the source of a new property",
    .details = "Writes NAME.c, a commented property that compiles and holds, for\n"
               "'attest campaign --load ./NAME.so'. Its first lines contain the command that\n"
               "compiles it. An existing file is not overwritten.",
    .example = "  attest campaign new mine && cc -shared -fPIC mine.c \\\n"
               "    $(pkg-config --cflags attest attest-engine) -o mine.so\n"
               "  attest campaign --load ./mine.so",
    .product = "write to FILE, '-' for standard output (default: NAME.c)",
    .run = run,
};

/* @NAME@ stands for the name. */
/* clang-format off */
static const char skeleton[] =
    "/* @NAME@.c -- a property of your own.\n"
    " *\n"
    " *     cc -shared -fPIC @NAME@.c $(pkg-config --cflags attest attest-engine) -o @NAME@.so\n"
    " *     attest campaign --load ./@NAME@.so\n"
    " *\n"
    " * Link nothing: the program exports the functions of the headers, and FLINT, MPFR and GMP. */\n"
    "#include <attest/attention.h>\n"
    "#include <campaign/gen.h>\n"
    "#include <campaign/property.h>\n"
    "\n"
    "/* Makes an instance: a dataset, weights or named numbers. Draw only from t, by the functions of\n"
    " * campaign/gen.h or theft_random_choice(t, n), so that instances can be repeated and shrunk.\n"
    " * Draws of zero must make the simplest instance. Return ATTEST_DOMAIN to discard the draw. */\n"
    "static attest_status draw(attest_instance *instance, struct theft *t,\n"
    "                          const attest_setting *setting)\n"
    "{\n"
    "    static const attest_gen_layer layer = {\n"
    "        .tokens = {.dim_max = 3, .count_min = 1, .count_max = 6},\n"
    "        .sequences = {.count_min = 1, .count_max = 3, .length_min = 1, .length_max = 5},\n"
    "        .heads = {.heads_max = 2, .size_max = 2},\n"
    "        .activation = ATTEST_GEN_HARDMAX,\n"
    "    };\n"
    "\n"
    "    (void)setting;\n"
    "    return attest_gen_data_and_weights(instance, t, &layer);\n"
    "}\n"
    "\n"
    "/* Decides the instance, and depends on nothing else. The default outcome is that it held.\n"
    " *\n"
    " *     attest_trial_violated(trial, \"definition\", \"what is wrong, as printf\");\n"
    " *     attest_trial_open(trial, \"why it could not be decided\");\n"
    " *     trial->outcome = ATTEST_DISCARDED;         the hypotheses are not met\n"
    " *     attest_trial_label(trial, \"a kind\");       labels are counted\n"
    " *     trial->margin = log2(actual / promised);   below 0 if and only if violated; with\n"
    " *                                                .targeted a search makes it small\n"
    " *\n"
    " * A crash or a hang ends only this trial; it is shrunk and kept like a violation. */\n"
    "static attest_status decide(attest_trial *trial, const attest_instance *instance,\n"
    "                            const attest_setting *setting, attest_error *error)\n"
    "{\n"
    "    (void)setting;\n"
    "    (void)error;\n"
    "    /* Instances also come from files: check the hypotheses. */\n"
    "    if (instance->dataset.count == 0 || instance->weights.heads == 0) {\n"
    "        trial->outcome = ATTEST_DISCARDED;\n"
    "        return ATTEST_OK;\n"
    "    }\n"
    "    attest_trial_label(trial, instance->weights.heads > 1 ? \"several heads\" : \"one head\");\n"
    "    /* Replace this by your own claim. This one is true: weights fit the data. */\n"
    "    if (instance->weights.dim != instance->dataset.dim)\n"
    "        attest_trial_violated(trial, \"fits\", \"tokens of %zu entries, weights for %zu\",\n"
    "                              instance->dataset.dim, instance->weights.dim);\n"
    "    return ATTEST_OK;\n"
    "}\n"
    "\n"
    "static const attest_property property = {\n"
    "    .name = \"@NAME@\",\n"
    "    .title = \"one line that states what must hold\",\n"
    "    .gen = draw,\n"
    "    .decide = decide,\n"
    "    .trials = 1000, /* if --trials and --time are not given */\n"
    "    /* .expect_violation = true: it looks for a violation, and must find one */\n"
    "};\n"
    "\n"
    "ATTEST_LOAD(&property);\n";
/* clang-format on */

static bool is_name(const char *name)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                  "0123456789_-";

    return *name && *name != '-' && strlen(name) <= 100 && name[strspn(name, letters)] == '\0';
}

static void print_skeleton(FILE *stream, const char *name)
{
    static const char mark[] = "@NAME@";
    const char *at = skeleton, *next;

    for (; (next = strstr(at, mark)) != NULL; at = next + strlen(mark))
        fprintf(stream, "%.*s%s", (int)(next - at), at, name);
    fputs(at, stream);
}

static int write_file(const char *path, const char *name)
{
    attest_output output;
    attest_error error;

    if (access(path, F_OK) == 0)
        return attest_cli_refuse("%s: the file exists already", path);
    if (attest_output_open(&output, path, &error))
        return attest_cli_fail(&error);
    print_skeleton(output.stream, name);
    return attest_output_commit(&output, &error) ? attest_cli_fail(&error) : EXIT_HOLDS;
}

static int run(int argc, char **argv)
{
    attest_common common;
    attest_text path;
    char **names;
    size_t count;
    int code;

    ATTEST_CLI_TRY(attest_cli_parse(&attest_command_campaign_new, &common, NULL, argc, argv, 1,
                                    1, &names, &count));
    if (!is_name(names[0]))
        return attest_cli_refuse("%s: a name has letters, digits, '_' and '-'", names[0]);
    if (common.output && strcmp(common.output, "-") == 0) {
        print_skeleton(stdout, names[0]);
        return EXIT_HOLDS;
    }
    attest_text_init(&path);
    if (common.output)
        attest_text_add(&path, common.output);
    else
        attest_text_printf(&path, "%s.c", names[0]);
    if (path.failed) {
        attest_cli_complain("out of memory");
        return EXIT_ENVIRONMENT;
    }
    code = write_file(path.data, names[0]);
    if (code == EXIT_HOLDS && common.json) {
        attest_json json;

        attest_json_write_begin(&json, stdout);
        attest_json_write_object(&json, NULL);
        attest_json_write_format(&json, "attest/campaign-new");
        attest_json_write_string(&json, "file", path.data);
        attest_json_write_close(&json);
        code = attest_cli_end_json(&json, code);
    } else if (code == EXIT_HOLDS) {
        printf("%s\n", path.data);
        attest_cli_print_hint(&common,
                              "next: compile it as its first lines show; then 'attest "
                              "campaign --load ./%s.so'",
                              names[0]);
    }
    attest_text_clear(&path);
    return code;
}
