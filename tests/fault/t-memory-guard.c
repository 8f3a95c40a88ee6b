/* GMP and FLINT without memory: one line, exit code 4. RLIMIT_AS is the limit. */
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gmp.h>
#include <flint/flint.h>

#include "base/memory.h"
#include "cli/memory.h"
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

int main(void)
{
    static const struct {
        void (*take)(void);
        const char *name;
    } all[] = {{gmp_alloc, "GMP"},
               {gmp_realloc, "GMP, growing"},
               {flint_alloc, "FLINT"},
               {flint_zeroed, "FLINT, zeroed"},
               {flint_resize, "FLINT, growing"}};
    char said[200];

    if (!limit_addresses_works()) {
        printf("1..0 # SKIP addresses cannot be limited here\n");
        return 0;
    }
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        TAP_OK(end_of(all[i].take, said, sizeof said) == 4 &&
                   strcmp(said, "attest: out of memory\n") == 0,
               "%s", all[i].name);
    TAP_OK(attest_memory_alloc(SIZE_MAX, 2) == NULL &&
               attest_memory_alloc(SIZE_MAX / 2, 3) == NULL,
           "sizes that overflow");
    return tap_done();
}
