/* commands.c -- the table of commands, old names that still work, lists of names, and shell
 * completion.
 *
 * The scripts in completion/ run 'attest --complete WORD...', where the last WORD is the one
 * that is being written. */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "cli/campaign.h"
#include "cli/commands.h"
#include "judge/model_field.h"
#include "props/registry.h"
#include "report/glossary.h"

static bool completing; /* a command is run only for its table of options */

static void offer(const char *name, const char *written)
{
    if (strncmp(name, written, strlen(written)) == 0)
        attest_print("%s\n", name);
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

/* clang-format off */
static const attest_command *const commands[] = { /* as help lists them */
    &attest_command_approximate,
    &attest_command_audit,
    &attest_command_campaign,
    &attest_command_campaign_merge,
    &attest_command_campaign_new,
    &attest_command_campaign_status,
    &attest_command_certify,
    &attest_command_check,
    &attest_command_construct,
    &attest_command_counterexample,
    &attest_command_demo,
    &attest_command_dot,
    &attest_command_eval,
    &attest_command_heads,
    &attest_command_import,
    &attest_command_judge,
    &attest_command_memorize,
    &attest_command_range,
    &attest_command_replay,
    &attest_command_report,
    &attest_command_separated,
    &attest_command_show,
    &attest_command_simulate,
    &attest_command_tolerance,
};

const attest_alias attest_aliases[] = {
    {"list",         NULL,     "show",            NULL},
    {"merge",        NULL,     "campaign merge",  NULL},
    {"new-property", NULL,     "campaign new",    NULL},
    {"status",       NULL,     "campaign status", NULL},
    {"audit",        "qkv",    "heads",           NULL},
    {"audit",        "arch",   "heads",           "arch"},
    {"audit",        "model",  "heads",           "model"},
    {"heads",        "quick",  NULL,              ATTEST_ALIAS_IGNORED_FLAG},
    {"heads",        "max-work", NULL,            ATTEST_ALIAS_IGNORED_VALUE},
    {"dot",          "out",    NULL,              "result"},
    {"judge",        "output", NULL,              NULL},
    {"judge",        "record", NULL,              "o"},
    {"range",        "record", NULL,              "output"},
    {"range",        "within", NULL,              "max-error"},
    {"tolerance",    "given",  NULL,              "check"},
    {0},
};
/* clang-format on */

enum { COMMANDS = sizeof commands / sizeof commands[0] };

const attest_command *attest_cli_command_get(size_t i)
{
    return i < COMMANDS ? commands[i] : NULL;
}

const char *attest_names_commands(const void *of, size_t i)
{
    (void)of;
    return i < COMMANDS ? commands[i]->name : NULL;
}

const attest_alias *attest_cli_option_alias(const attest_command *command, size_t i)
{
    for (const attest_alias *a = attest_aliases; a->command; a++)
        if (a->option &&
            strcmp(a->to_command ? a->to_command : a->command, command->name) == 0 && i-- == 0)
            return a;
    return NULL;
}

static const attest_command *get(const char *name)
{
    for (size_t i = 0; i < COMMANDS; i++)
        if (strcmp(name, commands[i]->name) == 0)
            return commands[i];
    return NULL;
}

/* Returns whether --option, or an abbreviation of at least two letters, is among the words
 * before
 * "--". */
static bool has_option(int argc, char *const *argv, const char *option)
{
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        size_t length = strcspn(argv[i], "=");

        if (length >= 4 && strncmp(argv[i], "--", 2) == 0 && length - 2 <= strlen(option) &&
            strncmp(argv[i] + 2, option, length - 2) == 0)
            return true;
    }
    return false;
}

const attest_command *attest_cli_command_find(int *words, int argc, char *const *argv)
{
    const attest_command *command;
    char pair[64];

    *words = 2;
    if (argc > 1 && snprintf(pair, sizeof pair, "%s %s", argv[0], argv[1]) < (int)sizeof pair &&
        (command = get(pair)) != NULL)
        return command;
    *words = 1;
    for (const attest_alias *a = attest_aliases; argc > 0 && a->command; a++)
        if (a->to_command && strcmp(argv[0], a->command) == 0 &&
            (!a->option || has_option(argc, argv, a->option)))
            return get(a->to_command);
    return argc > 0 ? get(argv[0]) : NULL;
}

const char *attest_names_properties(const void *of, size_t i)
{
    const attest_load *load = attest_cli_loaded();
    size_t count = 0;

    (void)of;
    if (i == 0)
        return "all";
    for (i--; attest_properties[count]; count++)
        if (count == i)
            return attest_properties[i]->name;
    return i - count < load->count ? load->property[i - count].name : NULL;
}

const char *attest_names_statements(const void *of, size_t i)
{
    size_t count = 0;

    (void)of;
    for (; attest_statements[count]; count++)
        if (count == i)
            return attest_statements[i]->name;
    i -= count;
    for (count = 0; attest_properties[count]; count++)
        if (count == i)
            return attest_properties[i]->name;
    i -= count;
    for (count = 0; attest_glossary[count].name; count++)
        if (count == i)
            return attest_glossary[i].name;
    return NULL;
}

const char *attest_names_topics(const void *of, size_t i)
{
    return i < COMMANDS ? commands[i]->name : attest_names_statements(of, i - COMMANDS);
}

const char *attest_names_hypotheses(const void *of, size_t i)
{
    (void)of;
    for (size_t p = 0; attest_properties[p]; p++)
        for (const attest_droppable *d = attest_properties[p]->droppable; d && d->name; d++)
            if (i-- == 0)
                return d->name;
    return NULL;
}

const char *attest_names_kernels(const void *of, size_t i)
{
    (void)of;
    return attest_judge_model_shipped[i].name; /* the last is NULL */
}

const char *attest_names_choices(const void *of, size_t i)
{
    return ((const char *const *)of)[i];
}

int attest_cli_refuse_name(const char *what, const char *written, attest_names *names,
                           const void *of, const char *see)
{
    const char *near = attest_spelling_pick(written, names, of);

    if (!near)
        return attest_cli_refuse("unknown %s '%s' (see '%s')", what, written, see);
    return attest_cli_refuse("unknown %s '%s': did you mean '%s'? (see '%s')", what, written,
                             near, see);
}
