/* simulated.c -- defaults and names of simulated arithmetics. */
#include "format/simulated.h"

void attest_simulated_arithmetic_init(attest_simulated_arithmetic *arithmetic,
                                      const attest_format *format)
{
    *arithmetic = (attest_simulated_arithmetic){.format = *format, .block = 16, .seed = 1};
}

const char *attest_simulated_rounding_name(attest_simulated_rounding rounding)
{
    static const char *const name[] = {"nearest", "zero", "stochastic"};

    return name[rounding];
}

const char *attest_simulated_softmax_name(attest_simulated_softmax softmax)
{
    static const char *const name[] = {"shifted", "naive", "online"};

    return name[softmax];
}

const char *attest_simulated_stage_name(attest_simulated_stage stage)
{
    static const char *const name[] = {"input", "score", "max",      "exp",
                                       "sum",   "mix",   "division", "output"};

    return name[stage];
}

long attest_simulated_unit_bits(const attest_format *format, attest_simulated_rounding rounding)
{
    return rounding == ATTEST_SIMULATED_NEAREST ? format->precision : format->precision - 1;
}
