/* main.c -- the program: the table of commands, old names that still work, lists of names,
 * shell completion, and running a command.
 *
 * The scripts in completion/ run 'attest --complete WORD...', where the last WORD is the one
 * that is being written. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <zlib.h>

#include "base/text.h"
#include "cli/campaign.h"
#include "cli/command.h"
#include "judge/model_field.h"
#include "props/registry.h"
#include "report/glossary.h"

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

static const char *command_names(const void *of, size_t i)
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

static const attest_command *get_command(const char *name)
{
    for (size_t i = 0; i < COMMANDS; i++)
        if (strcmp(name, commands[i]->name) == 0)
            return commands[i];
    return NULL;
}

/* Returns whether --option, or an abbreviation of at least two letters, is among the words
 * before "--". */
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

/* Returns the command that the first words name, NULL if there is none; *words is the number of
 * words of its name: 1, or 2 as in "campaign merge". */
static const attest_command *find_command(int *words, int argc, char *const *argv)
{
    const attest_command *command;
    char pair[64];

    *words = 2;
    if (argc > 1 && snprintf(pair, sizeof pair, "%s %s", argv[0], argv[1]) < (int)sizeof pair &&
        (command = get_command(pair)) != NULL)
        return command;
    *words = 1;
    for (const attest_alias *a = attest_aliases; argc > 0 && a->command; a++)
        if (a->to_command && strcmp(argv[0], a->command) == 0 &&
            (!a->option || has_option(argc, argv, a->option)))
            return get_command(a->to_command);
    return argc > 0 ? get_command(argv[0]) : NULL;
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

static const char *topic_names(const void *of, size_t i)
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

const char *attest_names_choices(const void *of, size_t i)
{
    return ((const char *const *)of)[i];
}

static const char *kernel_names(const void *of, size_t i)
{
    (void)of;
    return attest_judge_model_shipped[i].name; /* the last is NULL */
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
        offer_names(kernel_names, NULL, written);
    else if (strcmp(option->name, "without") == 0)
        offer_names(attest_names_hypotheses, NULL, written);
}

/* "merge" of "campaign merge" */
static void offer_subcommands(const char *command, const char *written)
{
    size_t length = strlen(command);
    const char *name;

    for (size_t i = 0; (name = command_names(NULL, i)) != NULL; i++)
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
        offer_names(kernel_names, NULL, written);
        return;
    }
    offer_names(attest_names_statements, NULL, written);
    offer("kernel", written);
    offer("kernels", written);
}

static const attest_option *find_option(const attest_option *options, size_t count,
                                        const char *word)
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
    const attest_option *option = find_option(options, count, before);

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

/* Prints the completions of the last of the words after "attest", one per line; nothing where a
 * file name is expected. */
static int complete(int argc, char **argv)
{
    const char *written = argc > 0 ? argv[argc - 1] : "", *name;
    const attest_command *command;
    int words;

    if (argc == 2 && strcmp(argv[0], "help") == 0)
        offer_names(topic_names, NULL, written);
    if (argc <= 1) {
        for (size_t i = 0; (name = command_names(NULL, i)) != NULL; i++)
            if (!strchr(name, ' '))
                offer(name, written);
        offer("help", written);
        offer("--help", written);
        offer("--version", written);
    }
    command = find_command(&words, argc - 1, argv);
    if (command) {
        completing = true;
        command->run(argc - words + 1, argv + words - 1);
    }
    return EXIT_HOLDS;
}

static int print_help(void)
{
    attest_print(
        "Usage: attest COMMAND [OPTION]... [FILE]...\n\n"
        "Decides by exact arithmetic what attention can tell apart, and judges kernels.\n\n"
        "Commands:\n");
    for (size_t i = 0; i < COMMANDS; i++)
        attest_print("  %-16s %s\n", commands[i]->name, commands[i]->summary);
    attest_print("\n'attest COMMAND --help' describes a command, 'attest show WORD' a word,\n"
                 "'man attest' everything.\n"
                 "Exit codes: 0 holds or done, 1 fails, 2 usage or bad input, 3 undecided,\n"
                 "4 the environment failed, 5 interrupted, can be resumed.\n\n"
                 "Example:\n  attest demo\n");
    return EXIT_HOLDS;
}

static int print_version(void)
{
    attest_print("attest %s\n", attest_version());
    attest_print("GMP %s, MPFR %s, FLINT %s, zlib %s\n", gmp_version, mpfr_get_version(),
                 FLINT_VERSION, zlibVersion());
    attest_print("kernel: %s\n", attest_kernel_name());
    attest_print("theft: %s\n", ATTEST_THEFT_NAME);
    return EXIT_HOLDS;
}

/* Selects the kernel of ATTEST_KERNEL; one that cannot run here is an error. */
static int choose_kernel(void)
{
    const char *name = getenv("ATTEST_KERNEL");
    char names[128] = "";
    size_t used = 0;

    if (attest_kernel_select(name && *name ? name : NULL) == ATTEST_OK)
        return EXIT_HOLDS;
    for (size_t i = 0; attest_kernel_list(i) && used < sizeof names; i++)
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", i ? ", " : "",
                                 attest_kernel_list(i));
    return attest_cli_refuse("ATTEST_KERNEL=%s: not available here; there is %s", name, names);
}

/* Refuses an invalid SOURCE_DATE_EPOCH. */
static int check_date(void)
{
    const long long most = 253402300799; /* the end of the year 9999 */
    const char *epoch = getenv("SOURCE_DATE_EPOCH");
    long long seconds;
    char *end;

    if (!epoch || !*epoch)
        return EXIT_HOLDS;
    errno = 0;
    seconds = strtoll(epoch, &end, 10);
    if (epoch[0] >= '0' && epoch[0] <= '9' && !*end && !errno && seconds <= most)
        return EXIT_HOLDS;
    return attest_cli_refuse("SOURCE_DATE_EPOCH=%s: not a number of seconds since 1970", epoch);
}

static int run_command(int argc, char **argv)
{
    int words, code;
    const attest_command *command = find_command(&words, argc, argv);

    if (!command && argv[0][0] == '-')
        return attest_cli_refuse_name("option", argv[0], attest_names_choices,
                                      (const char *const[]){"--help", "--version", NULL},
                                      "attest --help");
    if (!command)
        return attest_cli_refuse_name("command", argv[0], command_names, NULL, "attest --help");
    code = command->run(argc - words + 1, argv + words - 1);
    return code == EXIT_HELP ? EXIT_HOLDS : code;
}

/* 'attest help TOPIC': the help of a command, or what 'attest show TOPIC' prints. */
static int print_topic(int count, char **topic)
{
    char help[] = "--help", show[] = "show";
    const char *name;
    int words;

    if (find_command(&words, count, topic)) {
        char *argv[] = {topic[0], words > 1 ? topic[1] : help, words > 1 ? help : NULL, NULL};

        return run_command(words + 1, argv);
    }
    for (size_t i = 0; (name = attest_names_statements(NULL, i)) != NULL; i++)
        if (strcmp(topic[0], name) == 0)
            return run_command(2, (char *[]){show, topic[0], NULL});
    return attest_cli_refuse_name("topic", topic[0], topic_names, NULL, "attest --help");
}

/* 'attest bench' was a command of 0.2.0: replaces this process by bench/bench-baselines of the
 * build directory. Returns only if that program does not exist next to this one; reports it. */
static int run_bench(char **argv)
{
    static const char name[] = "bench/bench-baselines";
    char path[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - sizeof name);

    while (length > 0 && path[length - 1] != '/')
        length--;
    if (length > 0) {
        memcpy(path + length, name, sizeof name);
        execv(path, argv);
    }
    return attest_cli_refuse("bench is no longer a command: run bench/bench-baselines in the "
                             "build directory");
}

static int run(int argc, char **argv)
{
    int failed = choose_kernel();

    if (!failed)
        failed = check_date();
    if (failed)
        return failed;
    if (argc < 2)
        return attest_cli_refuse("no command given (see 'attest --help')");
    if (strcmp(argv[1], "help") == 0 && argc > 2)
        return print_topic(argc - 2, argv + 2);
    if (strcmp(argv[1], "--complete") == 0)
        return complete(argc - 2, argv + 2);
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
        strcmp(argv[1], "help") == 0)
        return print_help();
    if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0)
        return print_version();
    if (strcmp(argv[1], "bench") == 0)
        return run_bench(argv + 1);
    return run_command(argc - 1, argv + 1);
}

/* Occupies closed standard streams, so that no file that is opened later gets their numbers.
 * /dev/null is opened for the opposite direction: reading or writing still fails. */
static void hold_standard_streams(void)
{
    for (int file = STDIN_FILENO; file <= STDERR_FILENO; file++)
        if (fcntl(file, F_GETFD) < 0 &&
            open("/dev/null", file == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0)
            _exit(EXIT_ENVIRONMENT);
}

int main(int argc, char **argv)
{
    int code;

    hold_standard_streams();
    attest_cli_guard_memory();
    signal(SIGXFSZ, SIG_IGN); /* report a file that may not grow like a full disk */
    code = attest_cli_finish(run(argc, argv));
    flint_cleanup();
    mpfr_free_cache();
    return code;
}
