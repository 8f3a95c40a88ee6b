/* main.c -- the program: finds the command and runs it. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <zlib.h>

#include "cli/command.h"
#include "cli/memory.h"

/* one command a line */
/* clang-format off */
static const attest_command *const commands[] = {
    &attest_command_approximate,
    &attest_command_audit,
    &attest_command_bench,
    &attest_command_campaign,
    &attest_command_certify,
    &attest_command_check,
    &attest_command_construct,
    &attest_command_counterexample,
    &attest_command_demo,
    &attest_command_dot,
    &attest_command_eval,
    &attest_command_import,
    &attest_command_judge,
    &attest_command_list,
    &attest_command_memorize,
    &attest_command_merge,
    &attest_command_new_property,
    &attest_command_range,
    &attest_command_replay,
    &attest_command_report,
    &attest_command_separated,
    &attest_command_show,
    &attest_command_simulate,
    &attest_command_status,
    &attest_command_tolerance,
};
/* clang-format on */

enum { COMMANDS = sizeof commands / sizeof commands[0] };

static int print_help(void)
{
    printf(
        "Usage: attest COMMAND [OPTION]... [FILE]...\n\n"
        "Decides, by exact arithmetic, what hardmax and softmax attention can tell apart.\n\n"
        "Commands:\n");
    for (int i = 0; i < COMMANDS; i++)
        printf("  %-15s %s\n", commands[i]->name, commands[i]->summary);
    printf("\n'attest COMMAND --help' describes a command, 'man attest' everything.\n"
           "Exit codes: 0 holds or done, 1 fails, 2 usage or bad input, 3 undecided,\n"
           "4 the environment failed, 5 interrupted, can be resumed.\n\n"
           "Example:\n  attest demo\n");
    return EXIT_HOLDS;
}

static int print_version(void)
{
    printf("attest %s\n", attest_version());
    printf("GMP %s, MPFR %s, FLINT %s, zlib %s\n", gmp_version, mpfr_get_version(),
           FLINT_VERSION, zlibVersion());
    printf("kernel: %s\n", attest_kernel_name());
    printf("theft: %s\n", ATTEST_THEFT_NAME);
    return EXIT_HOLDS;
}

/* A kernel that ATTEST_KERNEL asks for and that cannot run is an error, not a preference. */
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

/* A date that cannot be read must not become another one. */
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
    for (int i = 0; i < COMMANDS; i++) {
        if (strcmp(argv[0], commands[i]->name) == 0) {
            int code = commands[i]->run(argc, argv);
            return code == EXIT_HELP ? EXIT_HOLDS : code;
        }
    }
    return attest_cli_refuse("unknown %s '%s' (see 'attest --help')",
                             argv[0][0] == '-' ? "option" : "command", argv[0]);
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
        return run_command(2, (char *[]){argv[2], (char[]){"--help"}, NULL});
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
        strcmp(argv[1], "help") == 0)
        return print_help();
    if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0)
        return print_version();
    return run_command(argc - 1, argv + 1);
}

/* A standard stream that is closed must not become one of our files: what is printed would go
 * into it. /dev/null, opened the wrong way round, keeps its place and refuses all the same. */
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
    signal(SIGXFSZ, SIG_IGN); /* a file that may not grow is an error like a full disk */
    code = attest_cli_finish(run(argc, argv));
    flint_cleanup();
    mpfr_free_cache();
    return code;
}
