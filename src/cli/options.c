/* options.c -- table-driven option parsing on getopt_long. */
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/workers.h"
#include "cli/command.h"
#include "cli/terminal.h"
#include "report/print.h"

enum {
    MOST_OPTIONS = 64,
    MOST_ALIASES = 16,
    FIRST_LONG = 256,
    OPERAND = FIRST_LONG - 1,
    IGNORED = FIRST_LONG - 2
};

static int complain_usage(const attest_command *command, const char *what, const char *quoted)
{
    return attest_cli_refuse("%s%s%s%s (see 'attest %s --help')", what, quoted ? " '" : "",
                             quoted ? quoted : "", quoted ? "'" : "", command->name);
}

/* Parses a whole number; a leading 0 does not make it octal. Returns NULL, or what is expected.
 */
static const char *parse_count(unsigned long *value, const char *text, unsigned long least)
{
    bool hexadecimal = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    char *end;

    errno = 0;
    *value = strtoul(text, &end, hexadecimal ? 16 : 10);
    if (text[0] < '0' || text[0] > '9' || *end != '\0')
        return "a whole number";
    if (errno != 0)
        return "below 2^64";
    return *value < least ? "1 or more" : NULL;
}

static bool parse_size(size_t *value, const char *text)
{
    static const char units[] = "KMGT";
    unsigned long long count;
    const char *unit;
    char *end;
    int shift = 0;

    if (text[0] < '0' || text[0] > '9')
        return false;
    errno = 0;
    count = strtoull(text, &end, 10);
    if (errno != 0)
        return false;
    if (*end && (unit = strchr(units, *end)) != NULL) {
        shift = 10 * (int)(unit - units + 1);
        end++;
    }
    if (*end || count > SIZE_MAX >> shift)
        return false;
    *value = (size_t)count << shift;
    return true;
}

bool attest_cli_parse_time(double *seconds, const char *text)
{
    static const char units[] = "smhd";
    static const double factor[] = {1, 60, 3600, 86400};
    const char *unit;
    char *end;

    if (text[0] < '0' || text[0] > '9')
        return false;
    *seconds = strtod(text, &end);
    if (*end && (unit = strchr(units, *end)) != NULL) {
        *seconds *= factor[unit - units];
        end++;
    }
    return *end == '\0' && isfinite(*seconds) && *seconds > 0;
}

static bool parse_choice(int *value, const char *const *choices, const char *text)
{
    for (int i = 0; choices[i]; i++) {
        if (strcmp(text, choices[i]) == 0) {
            *value = i;
            return true;
        }
    }
    return false;
}

/* "a, b or c" */
static void list_choices(char *line, size_t size, const char *const *choices)
{
    size_t used = 0;

    line[0] = '\0';
    for (int i = 0; choices[i] && used < size; i++)
        used += (size_t)snprintf(line + used, size - used, "%s%s",
                                 i == 0           ? ""
                                 : choices[i + 1] ? ", "
                                                  : " or ",
                                 choices[i]);
}

static int bad_argument(const attest_command *command, const attest_option *option,
                        const char *text, const char *expected)
{
    const char *near = option->choices
                           ? attest_spelling_pick(text, attest_names_choices, option->choices)
                           : NULL;

    if (near)
        return attest_cli_refuse("--%s: '%s' is not %s: did you mean '%s'?", option->name, text,
                                 expected, near);
    return attest_cli_refuse("--%s: '%s' is not %s (see 'attest %s --help')", option->name,
                             text, expected, command->name);
}

static int store_number(const attest_option *option, const char *text)
{
    attest_number_option *number = option->target;
    char shown[ATTEST_CLI_TEXT_SIZE];
    attest_error error;

    if (attest_number_parse(number->value, text, strlen(text), NULL, &error) != ATTEST_OK)
        return attest_cli_refuse("--%s: %s", option->name,
                                 attest_cli_name_options(shown, error.text));
    if (option->type == OPTION_NUMBER && fmpq_sgn(number->value) < 0)
        return attest_cli_refuse("--%s: '%s' is negative", option->name, text);
    number->given = true;
    return EXIT_HOLDS;
}

static int store_work(const attest_option *option, const char *text)
{
    attest_number_option number = {.given = false};
    attest_option same = *option;
    int code;

    same.type = OPTION_NUMBER;
    same.target = &number;
    fmpq_init(number.value);
    code = store_number(&same, text);
    if (code == EXIT_HOLDS)
        *(double *)option->target = fmpq_get_d(number.value);
    fmpq_clear(number.value);
    return code;
}

static int store(const attest_command *command, const attest_option *option, const char *text)
{
    const char *expected;
    char line[256];

    switch (option->type) {
    case OPTION_FLAG:
        *(bool *)option->target = true;
        return EXIT_HOLDS;
    case OPTION_TEXT:
        *(const char **)option->target = text;
        return EXIT_HOLDS;
    case OPTION_COUNT:
    case OPTION_POSITIVE:
        expected = parse_count(option->target, text, option->type == OPTION_POSITIVE);
        return expected ? bad_argument(command, option, text, expected) : EXIT_HOLDS;
    case OPTION_SIZE:
        if (!parse_size(option->target, text))
            return bad_argument(command, option, text, "a size such as 500M or 4G");
        return EXIT_HOLDS;
    case OPTION_WORK:
        return store_work(option, text);
    case OPTION_MAYBE:
        text = text ? text : option->choices[1];
        /* fall through */
    case OPTION_CHOICE:
        if (parse_choice(option->target, option->choices, text))
            return EXIT_HOLDS;
        list_choices(line, sizeof line, option->choices);
        return bad_argument(command, option, text, line);
    case OPTION_NUMBER:
    case OPTION_SIGNED:
        break;
    }
    return store_number(option, text);
}

/* Returns whether the name, a letter or a word, belongs to the option. */
static bool is_named(const attest_option *option, const char *name)
{
    return name[1] ? strcmp(option->name, name) == 0 : option->letter == name[0];
}

/* The command's options, the shared ones, and their getopt tables. */
typedef struct table {
    attest_option option[MOST_OPTIONS];
    struct option getopt[MOST_OPTIONS + MOST_ALIASES + 1];
    char letters[2 * MOST_OPTIONS + 3];
    size_t count, long_names;
    bool help;
} table;

static void add_name(table *all, const char *name, const attest_option *option, int code)
{
    if (all->long_names == MOST_OPTIONS + MOST_ALIASES)
        abort();
    all->getopt[all->long_names++] =
        (struct option){name,
                        option->type == OPTION_MAYBE ? optional_argument
                        : option->argument           ? required_argument
                                                     : no_argument,
                        NULL, code};
}

static void add(table *all, attest_option option)
{
    size_t i = all->count++;
    char *letters = all->letters + strlen(all->letters);

    if (i == MOST_OPTIONS) /* found by every test of such a command */
        abort();
    all->option[i] = option;
    if (option.name[0])
        add_name(all, option.name, &all->option[i], FIRST_LONG + (int)i);
    if (option.letter) {
        *letters++ = option.letter;
        if (option.argument)
            *letters++ = ':';
        *letters = '\0';
    }
}

const char *attest_cli_output_name(const attest_command *command)
{
    const attest_alias *alias;

    for (size_t i = 0; (alias = attest_cli_option_alias(command, i)) != NULL; i++)
        if (strcmp(alias->option, "output") == 0)
            return "";
    return "output";
}

/* The old names of options: further long names of the new ones, or of an operand. */
static void add_aliases(table *all, const attest_command *command)
{
    static const attest_option flag = {.type = OPTION_FLAG};
    static const attest_option text = {.argument = "VALUE", .type = OPTION_TEXT};
    const attest_alias *alias;

    for (size_t i = 0; (alias = attest_cli_option_alias(command, i)) != NULL; i++) {
        size_t to = 0;

        if (!alias->to_option) {
            add_name(all, alias->option, &text, OPERAND);
            continue;
        }
        if (strcmp(alias->to_option, ATTEST_ALIAS_IGNORED_FLAG) == 0 ||
            strcmp(alias->to_option, ATTEST_ALIAS_IGNORED_VALUE) == 0) {
            add_name(all, alias->option, *alias->to_option == '-' ? &flag : &text, IGNORED);
            continue;
        }
        while (to < all->count && !is_named(&all->option[to], alias->to_option))
            to++;
        if (to == all->count)
            abort();
        if (strcmp(alias->option, alias->to_option) != 0)
            add_name(all, alias->option, &all->option[to], FIRST_LONG + (int)to);
    }
}

static void make_table(table *all, const attest_command *command, attest_common *common,
                       const attest_option *options)
{
    memset(all, 0, sizeof *all);
    strcpy(all->letters, ":"); /* report a missing argument as ':' */
    for (; options && options->name; options++)
        add(all, *options);
    if (command->product)
        add(all, (attest_option){attest_cli_output_name(command), 'o', "FILE", "", OPTION_TEXT,
                                 &common->output, NULL});
    if (command->data)
        add(all, (attest_option){"tensor", 0, "NAME", "", OPTION_TEXT, &common->tensor, NULL});
    if (command->data)
        add(all, (attest_option){"homogeneous", 0, NULL, "", OPTION_FLAG, &common->homogeneous,
                                 NULL});
    add(all, (attest_option){"color", 0, "WHEN", "", OPTION_CHOICE, &common->color,
                             attest_color_names});
    add(all, (attest_option){"json", 0, NULL, "", OPTION_FLAG, &common->json, NULL});
    add(all,
        (attest_option){"max-memory", 0, "SIZE", "", OPTION_SIZE, &common->max_memory, NULL});
    if (command->works)
        add(all,
            (attest_option){"max-work", 0, "WORK", "", OPTION_WORK, &common->max_work, NULL});
    add(all, (attest_option){"help", 'h', NULL, "", OPTION_FLAG, &all->help, NULL});
    add_aliases(all, command);
}

/* Returns the operands, followed by those that were given as options. argv is not changed,
 * because some commands print it. */
static char **append_operands(char **operands, size_t count, char *const *last, size_t lasts)
{
    static char *joined[2 * MOST_ALIASES + 1];

    if (lasts == 0 || count + lasts > 2 * MOST_ALIASES)
        return operands;
    memcpy(joined, operands, count * sizeof *operands);
    memcpy(joined + count, last, lasts * sizeof *last);
    joined[count + lasts] = NULL;
    return joined;
}

static const attest_option *find(const table *all, int code)
{
    if (code >= FIRST_LONG)
        return &all->option[code - FIRST_LONG];
    for (size_t i = 0; i < all->count; i++)
        if (all->option[i].letter == code)
            return &all->option[i];
    return NULL;
}

static const char *option_name(const void *of, size_t i)
{
    const table *all = of;

    if (i >= all->count)
        return NULL;
    return all->option[i].name[0] ? all->option[i].name : "help";
}

/* Refuses an unknown option, and suggests the nearest name. */
static int refuse_long(const attest_command *command, const table *all, const char *written)
{
    char name[64] = "", see[64];
    const char *near = NULL;

    if (written[0] == '-' && written[1] == '-') {
        snprintf(name, sizeof name, "%.*s", (int)strcspn(written + 2, "="), written + 2);
        near = attest_spelling_pick(name, option_name, all);
    }
    snprintf(see, sizeof see, "attest %s --help", command->name);
    if (!near)
        return attest_cli_refuse("unknown option '%s' (see '%s')", written, see);
    return attest_cli_refuse("unknown option '%s': did you mean '--%s'? (see '%s')", written,
                             near, see);
}

/* Prints the error that getopt found, in the form of our messages. */
static int complain_option(const attest_command *command, const table *all, int code,
                           int letter, char **argv)
{
    char name[3] = {'-', (char)letter, '\0'};
    bool is_letter = letter > 0 && letter < FIRST_LONG;

    if (code == ':')
        return complain_usage(command, "an argument is missing after", argv[optind - 1]);
    if (letter >= FIRST_LONG) /* a flag, --json=1 */
        return complain_usage(command, "an option that takes no argument:", argv[optind - 1]);
    return refuse_long(command, all, is_letter ? name : argv[optind - 1]);
}

int attest_cli_check_stdin(const char *const *paths, size_t count)
{
    size_t found = 0;

    for (size_t i = 0; i < count; i++)
        found += paths[i] && strcmp(paths[i], "-") == 0;
    return found < 2 ? EXIT_HOLDS
                     : attest_cli_refuse("standard input can be only one of the files");
}

int attest_cli_take_stdout(attest_common *common, const char *option)
{
    if (common->stdout_by)
        return attest_cli_refuse("%s and %s both write to standard output: choose one",
                                 common->stdout_by, option);
    common->stdout_by = option;
    return EXIT_HOLDS;
}

int attest_cli_check_output(const char *path)
{
    attest_error error;

    return path && attest_output_check(path, false, &error) ? attest_cli_fail(&error)
                                                            : EXIT_HOLDS;
}

static int check_output(const attest_command *command, attest_common *common)
{
    bool product = common->output && strcmp(common->output, "-") == 0;
    int code = common->json ? attest_cli_take_stdout(common, "--json") : EXIT_HOLDS;

    if (product && command->directory)
        return complain_usage(command, "-o: a directory is needed, not standard output", NULL);
    if (code == EXIT_HOLDS && product)
        code = attest_cli_take_stdout(common, "-o -");
    return code == EXIT_HOLDS && !command->directory ? attest_cli_check_output(common->output)
                                                     : code;
}

/* about = the status of FILE, or of the file in FILE:NAME; false if it does not exist. */
static bool find_file(struct stat *about, const char *text)
{
    const char *colon = strrchr(text, ':');
    char path[PATH_MAX];

    if (stat(text, about) == 0)
        return true;
    if (!colon || colon - text >= PATH_MAX)
        return false;
    snprintf(path, sizeof path, "%.*s", (int)(colon - text), text);
    return stat(path, about) == 0;
}

/* Refuses if the text names the file that -o would replace. */
static int refuse_replaced(const struct stat *product, const char *output, const char *text)
{
    struct stat about;

    if (!text || !find_file(&about, text) || about.st_dev != product->st_dev ||
        about.st_ino != product->st_ino)
        return EXIT_HOLDS;
    return attest_cli_refuse("-o %s would replace a file that is read: choose another name",
                             output);
}

/* Refuses -o FILE if FILE is an input. Only the record of --gate may be replaced, to update it.
 */
static int check_replaced(const table *all, const attest_common *common, char **operands,
                          size_t count)
{
    struct stat product;
    int code = EXIT_HOLDS;

    if (!common->output || stat(common->output, &product) != 0 || !S_ISREG(product.st_mode))
        return EXIT_HOLDS;
    for (size_t i = 0; i < count && code == EXIT_HOLDS; i++)
        code = refuse_replaced(&product, common->output, operands[i]);
    for (size_t i = 0; i < all->count && code == EXIT_HOLDS; i++) {
        const attest_option *option = &all->option[i];

        if (option->type == OPTION_TEXT && option->target != (void *)&common->output &&
            strcmp(option->name, "gate") != 0)
            code =
                refuse_replaced(&product, common->output, *(const char *const *)option->target);
    }
    return code;
}

/* Names the missing operand number i: the i-th word of the usage that is no option, no argument
 * of one, and not in brackets. */
static int refuse_missing(const attest_command *command, size_t i)
{
    const char *word = command->arguments;
    bool argument = false;

    for (size_t length; *word; word += length + strspn(word + length, " \n")) {
        bool option = word[0] == '-', operand = word[0] >= 'A' && word[0] <= 'Z';

        length = strcspn(word, " \n");
        if (operand && !argument && i-- == 0) {
            size_t name = strcspn(word, " .\n");

            return attest_cli_refuse("%.*s is missing: attest %s %.*s", (int)name, word,
                                     command->name, (int)strcspn(command->arguments, "\n"),
                                     command->arguments);
        }
        argument = option;
    }
    return complain_usage(command, "an operand is missing", NULL);
}

/* Refuses an operand too many; suggests --OPTION=OPERAND if it is the argument of an option
 * that needs '='. */
static int refuse_surplus(const attest_command *command, const attest_option *options,
                          const char *operand)
{
    for (const attest_option *option = options; option && option->name; option++)
        for (size_t i = 0; option->type == OPTION_MAYBE && option->choices[i]; i++)
            if (strcmp(operand, option->choices[i]) == 0)
                return attest_cli_refuse("unexpected operand '%s': write --%s=%s", operand,
                                         option->name, operand);
    return attest_cli_refuse("unexpected operand '%s': attest %s %.*s", operand, command->name,
                             (int)strcspn(command->arguments, "\n"), command->arguments);
}

int attest_cli_parse(const attest_command *command, attest_common *common,
                     const attest_option *options, int argc, char **argv, size_t least,
                     size_t most, char ***operands, size_t *count)
{
    table all;
    char *last[MOST_ALIASES]; /* operands that were written as options */
    size_t lasts = 0;
    int code, failed;

    memset(common, 0, sizeof *common);
    common->max_memory = attest_memory_total() / 2;
    common->max_work = ATTEST_CERTIFY_MAX_WORK;
    make_table(&all, command, common, options);
    if (attest_cli_complete_options(all.option, all.count, argc, argv))
        return EXIT_HELP;
    opterr = 0;
    optind = 0; /* glibc: start afresh, attest demo parses several command lines */
    while ((code = getopt_long(argc, argv, all.letters, all.getopt, NULL)) != -1) {
        const attest_option *option = code == '?' || code == ':' ? NULL : find(&all, code);

        if (code == OPERAND && lasts < MOST_ALIASES)
            last[lasts++] = optarg;
        if (code == OPERAND || code == IGNORED)
            continue;
        if (!option)
            return complain_option(command, &all, code, optopt, argv);
        failed = store(command, option, optarg);
        if (failed)
            return failed;
        if (all.help) {
            attest_cli_help(command, options);
            return EXIT_HELP;
        }
    }
    *count = (size_t)(argc - optind);
    *operands = append_operands(argv + optind, *count, last, lasts);
    *count += lasts;
    if (*count < least)
        return refuse_missing(command, *count);
    if (*count > most)
        return refuse_surplus(command, options, (*operands)[most]);
    common->budget.left = common->max_memory;
    attest_paint_use(attest_cli_paints(common->color));
    code = check_output(command, common);
    return code == EXIT_HOLDS ? check_replaced(&all, common, *operands, *count) : code;
}

size_t attest_cli_jobs(unsigned long given)
{
    return given ? given : attest_workers_default();
}
