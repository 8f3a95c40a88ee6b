/* tap_main.c -- the program of a room's tests:
 *
 *     t-ROOM                 runs all tests of the room
 *     t-ROOM TEST...         runs these
 *     t-ROOM --list          prints their names
 *
 * Each runs in a process of its own, so that a test that crashes, sets a limit or leaves memory
 * in disorder changes no other; a single one that is named runs without, as debuggers want it.
 */
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/tap.h"

static tap_test *tests; /* sorted by name */

void tap_register(tap_test *test)
{
    tap_test **place = &tests;

    while (*place && strcmp((*place)->name, test->name) < 0)
        place = &(*place)->next;
    test->next = *place;
    *place = test;
}

static const tap_test *find(const char *name)
{
    const tap_test *test = tests;

    while (test && strcmp(test->name, name) != 0)
        test = test->next;
    return test;
}

/* A test that returned an error or that checked nothing fails. */
static int run(const tap_test *test)
{
    int before = tap_counted->count;
    int status = test->run();

    if (status != 0)
        TAP_OK(false, "%s: the test ended early (%d)", test->name, status);
    else if (tap_counted->count == before)
        TAP_OK(false, "%s: the test checks nothing", test->name);
    return status != 0;
}

static void run_apart(const tap_test *test)
{
    int failures = tap_counted->failures, status = 0;
    pid_t child;

    fflush(NULL);
    child = fork();
    if (child == 0)
        exit(run(test));
    if (child < 0 || waitpid(child, &status, 0) != child)
        TAP_OK(false, "%s: no process for the test", test->name);
    else if (WIFSIGNALED(status))
        TAP_OK(false, "%s: ended by signal %d (%s)", test->name, WTERMSIG(status),
               strsignal(WTERMSIG(status)));
    else if (WEXITSTATUS(status) != 0 && tap_counted->failures == failures)
        TAP_OK(false, "%s: exit code %d", test->name, WEXITSTATUS(status));
}

int main(int argc, char **argv)
{
    tap_counted = mmap(NULL, sizeof *tap_counted, PROT_READ | PROT_WRITE,
                       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (tap_counted == MAP_FAILED) {
        perror("mmap");
        return 99;
    }
    if (argc == 2 && strcmp(argv[1], "--list") == 0) {
        for (const tap_test *test = tests; test; test = test->next)
            puts(test->name);
        return 0;
    }
    for (int i = 1; i < argc; i++)
        if (!find(argv[i])) {
            fprintf(stderr, "%s: no test %s; --list prints their names\n", argv[0], argv[i]);
            return 99;
        }
    if (argc == 2)
        run(find(argv[1]));
    for (int i = 1; argc > 2 && i < argc; i++)
        run_apart(find(argv[i]));
    for (const tap_test *test = tests; argc == 1 && test; test = test->next)
        run_apart(test);
    return tap_done();
}
