/* list.c -- attest list: the registry, a line each. A property stands below its statement,
 * unless it has the same name. Every name is one that 'attest show' takes; kernel models, which
 * are called 'kernel NAME' there, are in the JSON alone. */
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "io/json_write.h"
#include "judge/model_json.h"
#include "props/properties.h"
#include "props/statement.h"
#include "report/glossary.h"

static int run(int argc, char **argv);

const attest_command attest_command_list = {
    .name = "list",
    .arguments = "[OPTION]...",
    .summary = "list the statements and properties that attest knows",
    .details =
        "Kernel models are listed by 'attest show kernels', and under --json. 'attest show'\n"
        "explains each name, and the words of the glossary.",
    .example = "  attest list\n  attest show theorem2",
    .run = run,
};

static void write_names(attest_json *json, const char *name, const char *title)
{
    attest_json_write_string(json, "name", name);
    attest_json_write_string(json, "title", title);
}

static int print_json(void)
{
    attest_json json;

    attest_json_write_begin(&json, stdout);
    attest_json_write_object(&json, NULL);
    attest_json_write_array(&json, "statements");
    for (size_t i = 0; attest_statements[i]; i++) {
        attest_json_write_object(&json, NULL);
        write_names(&json, attest_statements[i]->name, attest_statements[i]->title);
        attest_json_write_close(&json);
    }
    attest_json_write_close(&json);
    attest_json_write_array(&json, "properties");
    for (size_t i = 0; attest_properties[i]; i++) {
        attest_json_write_object(&json, NULL);
        write_names(&json, attest_properties[i]->name, attest_properties[i]->title);
        attest_json_write_string(&json, "statement", attest_properties[i]->statement);
        attest_json_write_close(&json);
    }
    attest_json_write_close(&json);
    attest_json_write_array(&json, "kernels");
    for (const attest_judge_shipped *s = attest_judge_model_shipped; s->name; s++) {
        attest_json_write_object(&json, NULL);
        write_names(&json, s->name, s->comment);
        attest_json_write_close(&json);
    }
    attest_json_write_close(&json);
    attest_json_write_array(&json, "glossary");
    for (const attest_term *term = attest_glossary; term->name; term++) {
        attest_json_write_object(&json, NULL);
        attest_json_write_string(&json, "name", term->name);
        attest_json_write_string(&json, "text", term->text);
        attest_json_write_string(&json, "see", term->see);
        attest_json_write_close(&json);
    }
    attest_json_write_close(&json);
    attest_json_write_close(&json);
    return attest_cli_end_json(&json, EXIT_HOLDS);
}

static void print_text(void)
{
    for (size_t i = 0; attest_statements[i]; i++) {
        const char *name = attest_statements[i]->name;

        attest_print("%-22s %s\n", name, attest_statements[i]->title);
        for (size_t p = 0; attest_properties[p]; p++)
            if (strcmp(attest_properties[p]->statement, name) == 0 &&
                strcmp(attest_properties[p]->name, name) != 0)
                attest_print("%-22s   property: %s\n", attest_properties[p]->name,
                             attest_properties[p]->title);
    }
}

static int run(int argc, char **argv)
{
    attest_common common;
    char **operands;
    size_t count;
    int code = attest_cli_parse(&attest_command_list, &common, NULL, argc, argv, 0, 0,
                                &operands, &count);

    if (code != EXIT_HOLDS)
        return code;
    if (common.json)
        return print_json();
    print_text();
    attest_cli_close(&common, "next: 'attest show NAME' has the statement and its proofs, "
                              "'attest campaign NAME' tries it");
    return EXIT_HOLDS;
}
