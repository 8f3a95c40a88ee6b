/* kernels.c -- a kernel's error of a row, compared with its bound. */
#include "audit/kernels.c"

#include "tests/tap.h"

/* One token: its value is the exact output. */
static size_t count_broken(double off, double bound)
{
    attest_audit_kernels kernels = {0};
    kernel_work w;

    if (!work_init(&w, 1, 1, 1))
        abort();
    w.q[0] = w.k[0] = w.v[0] = 1;
    w.out[0] = 1 + off;
    w.error[0] = bound;
    measure_row(&kernels, &w, 0);
    work_clear(&w);
    return kernels.broken;
}

TEST(kernels)
{
    TAP_OK(count_broken(0x1p-20, 0x1p-20) == 0, "an error that reaches its bound");
    TAP_OK(count_broken(0x1p-20, 0x1p-20 * (1 - 0x1p-30)) == 1, "an error beyond its bound");
    TAP_OK(count_broken(0x1p-20, (double)INFINITY) == 0, "a row without a bound");
    flint_cleanup_master();
    return 0;
}
