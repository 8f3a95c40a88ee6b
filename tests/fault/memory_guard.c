/* GMP and FLINT without memory, or FLINT with an argument on which it aborts: one line, exit
 * code
 * 4. RLIMIT_AS is the limit. */
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gmp.h>
#include <attest/flint.h>

#include "base/memory.h"
#include "cli/command.h"
#include "tests/limit.h"
#include "tests/tap.h"

enum { LIMIT = 1 << 28, LARGE = 1 << 29 };

static void gmp_alloc(void)
{
    mpz_t number;

    mpz_init2(number, 8ul * LARGE);
}

static void gmp_realloc(void)
{
    mpz_t number;

    mpz_init2(number, 64);
    mpz_ui_pow_ui(number, 3, 8ul * LARGE);
}

static void flint_alloc(void)
{
    flint_malloc(LARGE);
}

static void flint_zeroed(void)
{
    flint_calloc(LARGE, 1);
}

static void flint_resize(void)
{
    flint_realloc(flint_malloc(10), LARGE);
}

static void flint_stop(void)
{
    arf_t x;
    fmpq_t rational;

    arf_init(x);
    fmpq_init(rational);
    arf_nan(x);
    arf_get_fmpq(rational, x);
}

/* The exit code of a process that takes too much; said gets its standard error. */
static int end_of(void (*take)(void), char *said, size_t room)
{
    struct rlimit limit = {LIMIT, LIMIT};
    int line[2], ended = 0;
    ssize_t got;
    pid_t child;

    if (pipe(line) != 0)
        return -1;
    fflush(stdout);
    child = fork();
    if (child == 0) {
        dup2(line[1], STDERR_FILENO);
        attest_cli_guard_memory();
        setrlimit(RLIMIT_AS, &limit);
        take();
        _exit(0);
    }
    close(line[1]);
    got = read(line[0], said, room - 1);
    said[got > 0 ? got : 0] = '\0';
    close(line[0]);
    waitpid(child, &ended, 0);
    return WIFEXITED(ended) ? WEXITSTATUS(ended) : -1;
}

TEST(memory_guard)
{
    static const struct {
        void (*take)(void);
        const char *name, *line;
    } all[] = {{gmp_alloc, "GMP", "attest: out of memory\n"},
               {gmp_realloc, "GMP, growing", "attest: out of memory\n"},
               {flint_alloc, "FLINT", "attest: out of memory\n"},
               {flint_zeroed, "FLINT, zeroed", "attest: out of memory\n"},
               {flint_resize, "FLINT, growing", "attest: out of memory\n"},
               {flint_stop, "FLINT, without an answer",
                "attest: FLINT cannot handle a number of this input: a bug in attest; please "
                "report the command and its files\n"}};
    char said[200];

    if (!limit_addresses_works())
        return tap_skip("addresses cannot be limited here");
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        TAP_OK(end_of(all[i].take, said, sizeof said) == 4 && strcmp(said, all[i].line) == 0,
               "%s", all[i].name);
    TAP_OK(attest_memory_alloc(SIZE_MAX, 2) == NULL &&
               attest_memory_alloc(SIZE_MAX / 2, 3) == NULL,
           "sizes that overflow");
    return 0;
}
