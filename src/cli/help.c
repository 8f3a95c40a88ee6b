/* help.c -- what --help prints, from the same tables that parse the options. */
#include <stdio.h>
#include <string.h>

#include "cli/command.h"

enum { HELP_COLUMN = 26 };

static void print_option(char letter, const char *name, const char *argument, const char *help)
{
    char left[80];

    snprintf(left, sizeof left, "  %c%c%c --%s%s%s", letter ? '-' : ' ', letter ? letter : ' ',
             letter ? ',' : ' ', name, argument && *argument != '[' ? " " : "",
             argument ? argument : "");
    if (strlen(left) < HELP_COLUMN - 1)
        printf("%-*s", HELP_COLUMN, left);
    else
        printf("%s\n%*s", left, HELP_COLUMN, "");
    for (const char *newline; (newline = strchr(help, '\n')); help = newline + 1)
        printf("%.*s\n%*s", (int)(newline - help), help, HELP_COLUMN, "");
    printf("%s\n", help);
}

void attest_cli_help(const attest_command *command, const attest_option *options)
{
    printf("Usage: attest %s %s\n\n%s\n", command->name, command->arguments, command->summary);
    if (command->details)
        printf("\n%s\n", command->details);
    printf("\nOptions:\n");
    for (const attest_option *option = options; option && option->name; option++)
        print_option(option->letter, option->name, option->argument, option->help);
    if (command->product)
        print_option('o', command->product_name ? command->product_name : "output", "FILE",
                     command->product);
    if (command->data)
        print_option(0, "tensor", "NAME",
                     "read DATA from this tensor of a safetensors file, of\n"
                     "shape (N, n, d), or (n, d) for one sequence");
    if (command->data)
        print_option(0, "homogeneous", NULL,
                     "append the coordinate 1 to every token, as imported\n"
                     "weights with biases need it");
    print_option(0, "color", "WHEN", "auto, always or never; auto if not given: on a terminal");
    print_option(0, "json", NULL, "print one JSON object");
    print_option(0, "max-memory", "SIZE",
                 "what numbers read from files may take, e.g. 4G;\n"
                 "half of the machine's memory if not given");
    if (command->works)
        print_option(0, "max-work", "WORK",
                     "what exact and ball evaluation may take: operations on\n"
                     "bits, about 10^10 a second; 1e13 if not given");
    print_option('h', "help", NULL, "print this text");
    printf("\nExample:\n%s\n", command->example);
}
