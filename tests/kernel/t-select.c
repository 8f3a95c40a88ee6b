/* t-select.c -- the choice of a kernel: by name, by environment, and refused when it cannot be
 * met. That the chosen one really runs is seen by its speed or its arithmetic: plain multiply
 * and add round where fused ones do not. */
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <attest/kernel.h>

#include "tests/tap.h"

/* The low part of (1 + 2^-30)^2 - 1 - 2^-29 survives only a fused multiply-add: hardmax of two
 * keys tells which one ran. */
static bool fuses(void)
{
    /* q . k0 = (1 + 2^-30)^2 - (1 + 2^-29) is 2^-60 if fused, else 0; q . k1 = 2^-61. */
    const double q[] = {1.0, 1.0 + 0x1p-30, 0.0, 0.0}, v[] = {5.0, 0.0, 9.0, 0.0};
    const double k[] = {-(1.0 + 0x1p-29), 1.0 + 0x1p-30, 0x1p-61, 0.0};
    double out[4];

    attest_kernel_hardmax_attention(out, q, k, v, 1, 2, 2, NULL);
    return out[0] == 5.0;
}

static void test_names(void)
{
    bool scalar = false;

    for (size_t i = 0; attest_kernel_list(i); i++) {
        const char *name = attest_kernel_list(i);

        scalar = scalar || strcmp(name, "scalar") == 0;
        TAP_OK(attest_kernel_select(name) == ATTEST_OK &&
                   strcmp(attest_kernel_name(), name) == 0,
               "%s can be chosen", name);
        TAP_OK(fuses() == (strcmp(name, "scalar") != 0), "%s is what runs", name);
    }
    TAP_OK(scalar, "scalar is always there");
    TAP_OK(attest_kernel_select("scalar") == ATTEST_OK &&
               attest_kernel_select("abacus") == ATTEST_USAGE &&
               strcmp(attest_kernel_name(), "scalar") == 0,
           "an unknown name is refused and changes nothing");
}

static void test_environment(void)
{
    setenv("ATTEST_KERNEL", "scalar", 1);
    TAP_OK(attest_kernel_select(NULL) == ATTEST_OK &&
               strcmp(attest_kernel_name(), "scalar") == 0,
           "ATTEST_KERNEL=scalar");
    setenv("ATTEST_KERNEL", "abacus", 1);
    TAP_OK(attest_kernel_select(NULL) == ATTEST_USAGE, "ATTEST_KERNEL=abacus is refused");
    setenv("ATTEST_KERNEL", "", 1);
    TAP_OK(attest_kernel_select(NULL) == ATTEST_OK &&
               strcmp(attest_kernel_name(), attest_kernel_list(0)) == 0,
           "ATTEST_KERNEL= is the fastest");
}

/* A process that does not select and has a bad environment is ended by its first kernel call;
 * this one is such a process when called with an argument. */
static void test_abort(const char *program)
{
    int status = 0;
    pid_t child;

    fflush(stdout);
    child = fork();
    if (child == 0) {
        setenv("ATTEST_KERNEL", "abacus", 1);
        if (!freopen("/dev/null", "w", stderr))
            _exit(1);
        execl(program, program, "child", (char *)NULL);
        _exit(1);
    }
    TAP_OK(child > 0 && waitpid(child, &status, 0) == child && WIFSIGNALED(status) &&
               WTERMSIG(status) == SIGABRT,
           "a kernel call under ATTEST_KERNEL=abacus aborts");
}

int main(int argc, char **argv)
{
    double x = 1.0, y;

    if (argc > 1) {
        attest_kernel_exp(&y, &x, 1);
        return 0;
    }
    test_names();
    test_environment();
    test_abort(argv[0]);
    return tap_done();
}
