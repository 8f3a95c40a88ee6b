/* bound_powers.c -- powers and exponentials from above; proofs-notes/audit.md, "Doubles". */
#include <stdint.h>

#include <attest/kernel.h>

#include "audit/bound_setup.h"

/* By squaring, on what exceeds 1: all terms are positive, and each rounding is as good as one
 * of u. */
double attest_audit_bound_power(double u, double k)
{
    double result = 0, power = u * (1 + 0x1p-44);

    for (uint64_t left = (uint64_t)k; left; left >>= 1) {
        if (left & 1)
            result += power * (1 + result);
        power *= 2 + power;
    }
    return result;
}

/* x + x^2/2! + ... + x^14/14!, and what follows is below 2^-40 of it. */
double attest_audit_bound_expm1(double x)
{
    double sum = 1;

    for (int i = 14; i > 1; i--)
        sum = 1 + sum * x / i;
    return sum * x * OUTWARD;
}

double attest_audit_bound_exp(double x)
{
    double y;

    attest_kernel_exp(&y, &x, 1);
    return y;
}
