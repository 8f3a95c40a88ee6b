/* list.c -- attest list: the registry, a line each. */
#include <stdio.h>

#include "cli/command.h"
#include "data/json_write.h"
#include "props/statement.h"

static int run(int argc, char **argv);

const attest_command attest_command_list = {
    .name = "list",
    .arguments = "[OPTION]...",
    .summary = "list the statements that attest knows",
    .example = "  attest list\n  attest show theorem2",
    .run = run,
};

static void print_json(void)
{
    attest_json json;

    attest_json_write_begin(&json, stdout);
    attest_json_write_object(&json, NULL);
    attest_json_write_array(&json, "statements");
    for (size_t i = 0; attest_statements[i]; i++) {
        attest_json_write_object(&json, NULL);
        attest_json_write_string(&json, "name", attest_statements[i]->name);
        attest_json_write_string(&json, "title", attest_statements[i]->title);
        attest_json_write_close(&json);
    }
    attest_json_write_close(&json);
    attest_json_write_close(&json);
    attest_json_write_end(&json);
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
    if (common.json) {
        print_json();
        return EXIT_HOLDS;
    }
    for (size_t i = 0; attest_statements[i]; i++)
        printf("%-17s %s\n", attest_statements[i]->name, attest_statements[i]->title);
    return EXIT_HOLDS;
}
