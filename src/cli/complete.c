/* complete.c -- shell completion, from the tables that parse the command line.
 *
 * The scripts in completion/ run 'attest --complete WORD...', where the last WORD is the one
 * that is being written. */
#include <stdio.h>
#include <string.h>

#include "cli/commands.h"

static bool completing; /* a command is run only for its table of options */

static void offer(const char *name, const char *written)
{
    if (strncmp(name, written, strlen(written)) == 0)
        printf("%s\n", name);
}

static void offer_names(attest_names *names, const void *of, const char *written)
{
    const char *name;

    for (size_t i = 0; (name = names(of, i)) != NULL; i++)
        offer(name, written);
}

/* The shell completes file names itself. */
static void offer_argument(const attest_option *option, const char *written)
{
    if (option->choices)
        offer_names(attest_names_choices, option->choices, written);
    else if (strcmp(option->name, "kernel") == 0)
        offer_names(attest_names_kernels, NULL, written);
    else if (strcmp(option->name, "without") == 0)
        offer_names(attest_names_hypotheses, NULL, written);
}

/* "merge" of "campaign merge" */
static void offer_subcommands(const char *command, const char *written)
{
    size_t length = strlen(command);
    const char *name;

    for (size_t i = 0; (name = attest_names_commands(NULL, i)) != NULL; i++)
        if (strncmp(name, command, length) == 0 && name[length] == ' ')
            offer(name + length + 1, written);
}

static void offer_operand(const char *command, const char *before, const char *written)
{
    if (strcmp(command, "campaign") == 0) {
        offer_names(attest_names_properties, NULL, written);
        offer_subcommands(command, written);
    }
    if (strcmp(command, "show") != 0)
        return;
    if (strcmp(before, "kernel") == 0) {
        offer_names(attest_names_kernels, NULL, written);
        return;
    }
    offer_names(attest_names_statements, NULL, written);
    offer("kernel", written);
    offer("kernels", written);
}

static const attest_option *find(const attest_option *options, size_t count, const char *word)
{
    for (size_t i = 0; i < count; i++) {
        const attest_option *o = &options[i];

        if (!o->argument || o->type == OPTION_MAYBE)
            continue;
        if (o->name[0] && word[0] == '-' && word[1] == '-' && strcmp(word + 2, o->name) == 0)
            return o;
        if (o->letter && word[0] == '-' && word[1] == o->letter && !word[2])
            return o;
    }
    return NULL;
}

bool attest_cli_complete_options(const attest_option *options, size_t count, int argc,
                                 char **argv)
{
    const char *written = argv[argc - 1], *before = argc > 2 ? argv[argc - 2] : "";
    const attest_option *option = find(options, count, before);

    if (!completing)
        return false;
    if (option) {
        offer_argument(option, written);
    } else if (written[0] == '-') {
        for (size_t i = 0; i < count; i++) {
            char name[80];

            snprintf(name, sizeof name, "--%s", options[i].name);
            if (options[i].name[0])
                offer(name, written);
        }
    } else {
        offer_operand(argv[0], before, written);
    }
    return true;
}

int attest_cli_complete(int argc, char **argv)
{
    const char *written = argc > 0 ? argv[argc - 1] : "", *name;
    const attest_command *command;
    int words;

    if (argc == 2 && strcmp(argv[0], "help") == 0)
        offer_names(attest_names_topics, NULL, written);
    if (argc <= 1) {
        for (size_t i = 0; (name = attest_names_commands(NULL, i)) != NULL; i++)
            if (!strchr(name, ' '))
                offer(name, written);
        offer("help", written);
        offer("--help", written);
        offer("--version", written);
    }
    command = attest_cli_command_find(&words, argc - 1, argv);
    if (command) {
        completing = true;
        command->run(argc - words + 1, argv + words - 1);
    }
    return EXIT_HOLDS;
}
