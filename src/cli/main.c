/* main.c -- the program: finds the command and runs it. */
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

#include "cli/command.h"
#include "cli/memory.h"
#include "cli/commands.h"

static int print_help(void)
{
    const attest_command *command;

    attest_print(
        "Usage: attest COMMAND [OPTION]... [FILE]...\n\n"
        "Decides by exact arithmetic what attention can tell apart, and judges kernels.\n\n"
        "Commands:\n");
    for (size_t i = 0; (command = attest_cli_command_get(i)) != NULL; i++)
        attest_print("  %-16s %s\n", command->name, command->summary);
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
    const attest_command *command = attest_cli_command_find(&words, argc, argv);

    if (!command && argv[0][0] == '-')
        return attest_cli_refuse_name("option", argv[0], attest_names_choices,
                                      (const char *const[]){"--help", "--version", NULL},
                                      "attest --help");
    if (!command)
        return attest_cli_refuse_name("command", argv[0], attest_names_commands, NULL,
                                      "attest --help");
    code = command->run(argc - words + 1, argv + words - 1);
    return code == EXIT_HELP ? EXIT_HOLDS : code;
}

/* 'attest help TOPIC': the help of a command, or what 'attest show TOPIC' prints. */
static int print_topic(int count, char **topic)
{
    char help[] = "--help", show[] = "show";
    const char *name;
    int words;

    if (attest_cli_command_find(&words, count, topic)) {
        char *argv[] = {topic[0], words > 1 ? topic[1] : help, words > 1 ? help : NULL, NULL};

        return run_command(words + 1, argv);
    }
    for (size_t i = 0; (name = attest_names_statements(NULL, i)) != NULL; i++)
        if (strcmp(topic[0], name) == 0)
            return run_command(2, (char *[]){show, topic[0], NULL});
    return attest_cli_refuse_name("topic", topic[0], attest_names_topics, NULL,
                                  "attest --help");
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
        return attest_cli_complete(argc - 2, argv + 2);
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
