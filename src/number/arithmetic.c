/* arithmetic.c -- the names of what an audit simulates. */
#include "number/arithmetic.h"

void attest_audit_arithmetic_init(attest_audit_arithmetic *arithmetic,
                                  const attest_format *format)
{
    *arithmetic = (attest_audit_arithmetic){.format = *format, .block = 16, .seed = 1};
}

const char *attest_audit_rounding_name(attest_audit_rounding rounding)
{
    static const char *const name[] = {"nearest", "zero", "stochastic"};

    return name[rounding];
}

const char *attest_audit_softmax_name(attest_audit_softmax softmax)
{
    static const char *const name[] = {"shifted", "naive", "online"};

    return name[softmax];
}

const char *attest_audit_stage_name(attest_audit_stage stage)
{
    static const char *const name[] = {"input", "score", "max",      "exp",
                                       "sum",   "mix",   "division", "output"};

    return name[stage];
}

long attest_audit_unit_bits(const attest_format *format, attest_audit_rounding rounding)
{
    return rounding == ATTEST_AUDIT_NEAREST ? format->precision : format->precision - 1;
}
