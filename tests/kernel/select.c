/* select.c -- the choice of a kernel: by name, the fastest by default, and refused when it
 * cannot be met. That the chosen one really runs is seen by its speed or its arithmetic: plain
 * multiply and add round where fused ones do not. */
#include <string.h>

#include <attest/kernel.h>

#include "tests/tap.h"

/* The low part of (1 + 2^-30)^2 - 1 - 2^-29 survives only a fused multiply-add: the winner of
 * a hardmax of two keys shows which one ran. */
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
        TAP_OK(fuses() == (strcmp(name, "scalar") != 0), "%s runs", name);
    }
    TAP_OK(scalar, "scalar is always there");
    TAP_OK(attest_kernel_select("scalar") == ATTEST_OK &&
               attest_kernel_select("abacus") == ATTEST_USAGE &&
               strcmp(attest_kernel_name(), "scalar") == 0,
           "an unknown name is refused and changes nothing");
}

/* The library itself reads no environment; the program does (tests/cli/help.sh). */
static void test_default(void)
{
    setenv("ATTEST_KERNEL", "scalar", 1);
    TAP_OK(attest_kernel_select(NULL) == ATTEST_OK &&
               strcmp(attest_kernel_name(), attest_kernel_list(0)) == 0,
           "NULL is the fastest, with any environment");
}

TEST(select)
{
    TAP_OK(strcmp(attest_kernel_name(), attest_kernel_list(0)) == 0,
           "without a choice it is the fastest");
    test_names();
    test_default();
    return 0;
}
