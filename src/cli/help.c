/* help.c -- what --help prints, from the same tables that parse the options. */
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "cli/terminal.h"

enum { HELP_COLUMN = 26 };

static void print_option(char letter, const char *name, const char *argument, const char *help)
{
    char left[80];

    snprintf(left, sizeof left, "  %c%c%s%s%s%s", letter ? '-' : ' ', letter ? letter : ' ',
             !*name   ? ""
             : letter ? ", --"
                      : "  --",
             name, argument && *argument != '[' ? " " : "", argument ? argument : "");
    if (strlen(left) < HELP_COLUMN - 1)
        attest_print("%-*s", HELP_COLUMN, left);
    else
        attest_print("%s\n%*s", left, HELP_COLUMN, "");
    attest_cli_print_wrapped(help, HELP_COLUMN);
}

/* Returns the length of the next piece of a synopsis that must not be broken: an option with
 * its argument, or a bracket. */
static size_t find_piece(const char *text)
{
    size_t length = 0;
    int depth = 0;

    for (; text[length] && text[length] != '\n'; length++) {
        depth += strchr("[(", text[length]) != NULL;
        depth -= strchr("])", text[length]) != NULL;
        if (depth == 0 && text[length] == ' ' && strchr("[(-", text[length + 1]))
            break;
    }
    return length;
}

/* Prints one synopsis of the command; returns the next one. */
static const char *print_synopsis(const char *name, const char *text)
{
    size_t indent = strlen("Usage: attest ") + strlen(name) + 1, column = indent;
    size_t width = attest_cli_width();

    attest_print("attest %s", name);
    while (*text && *text != '\n') {
        size_t length = find_piece(text);

        if (column > indent && column + length > width) {
            attest_print("\n%*s", (int)indent - 1, "");
            column = indent;
        }
        attest_print(" %.*s", (int)length, text);
        column += length + 1;
        text += length + (text[length] == ' ');
    }
    putchar('\n');
    return *text ? text + 1 : text;
}

static void print_usage(const attest_command *command)
{
    const char *text = command->arguments;

    attest_print("Usage: ");
    text = print_synopsis(command->name, text);
    while (*text) {
        attest_print("       ");
        text = print_synopsis(command->name, text);
    }
}

void attest_cli_help(const attest_command *command, const attest_option *options)
{
    print_usage(command);
    attest_print("\n%s\n", command->summary);
    if (command->details)
        attest_print("\n");
    for (const char *text = command->details; text && *text;)
        text = attest_cli_print_wrapped(text, 0);
    attest_print("\nOptions:\n");
    for (const attest_option *option = options; option && option->name; option++)
        print_option(option->letter, option->name, option->argument, option->help);
    if (command->product)
        print_option('o', attest_cli_output_name(command), "FILE", command->product);
    if (command->data)
        print_option(0, "tensor", "NAME",
                     "read DATA from this tensor of a safetensors file, of\n"
                     "shape (N, n, d), or (n, d) for one sequence");
    if (command->data)
        print_option(0, "homogeneous", NULL,
                     "append the coordinate 1 to every token, as imported\n"
                     "weights with biases need it");
    print_option(0, "color", "WHEN", "auto, always or never (default: auto, on a terminal)");
    print_option(0, "json", NULL, "print one JSON object");
    print_option(0, "max-memory", "SIZE",
                 "memory for numbers read from files, e.g. 4G (default: half\n"
                 "of the machine's memory)");
    if (command->works)
        print_option(0, "max-work", "WORK",
                     "limit of exact and ball evaluation in bit operations, about\n"
                     "10^10 per second (default: 1e13)");
    print_option('h', "help", NULL, "print this text");
    attest_print("\nExample:\n");
    attest_print_lines(stdout, command->example, strlen(command->example));
    attest_print("\n");
}
