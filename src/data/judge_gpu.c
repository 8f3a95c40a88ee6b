/* judge_gpu.c -- the matrix units of GPUs, as published test vectors show them. */
#include "data/judge_gpu.h"

#include <stdbool.h>
#include <string.h>

/* Blackwell's 8-bit products are formed in another way, which no block and fraction describe;
 * Hopper's are those of wgmma. */
static const struct {
    const char *unit, *format;
    size_t block, fraction;
} units[] = {
    {"tc:volta", "binary16", 4, 23},        {"tc:ampere", "binary16", 8, 24},
    {"tc:ampere", "bfloat16", 8, 24},       {"tc:ampere", "tfloat32", 4, 24},
    {"tc:ada", "binary16", 8, 24},          {"tc:ada", "bfloat16", 8, 24},
    {"tc:ada", "tfloat32", 4, 24},          {"tc:ada", "float8_e4m3fn", 16, 13},
    {"tc:ada", "float8_e5m2", 16, 13},      {"tc:hopper", "binary16", 16, 25},
    {"tc:hopper", "bfloat16", 16, 25},      {"tc:hopper", "tfloat32", 8, 25},
    {"tc:hopper", "float8_e4m3fn", 32, 13}, {"tc:hopper", "float8_e5m2", 32, 13},
    {"tc:blackwell", "binary16", 16, 25},   {"tc:blackwell", "bfloat16", 16, 25},
    {"tc:blackwell", "tfloat32", 8, 25},
};

/* Whether the format has the numbers of the one of this name; what it does with others is
 * nothing to a unit. */
static bool has_numbers_of(const attest_format *format, const char *name)
{
    size_t length = strlen(name);

    return strncmp(format->name, name, length) == 0 &&
           (format->name[length] == '\0' || strcmp(format->name + length, ":saturating") == 0);
}

/* A unit multiplies numbers of one format; the two of 8 bits may be mixed. */
static bool go_together(const attest_format *a, const attest_format *b)
{
    return has_numbers_of(a, b->name) || has_numbers_of(b, a->name) ||
           (strncmp(a->name, "float8_", 7) == 0 && strncmp(b->name, "float8_", 7) == 0);
}

attest_status attest_judge_gpu_get(size_t *block, size_t *fraction, const char *unit,
                                   const attest_format *a, const attest_format *b,
                                   attest_error *error)
{
    bool known = false;

    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        if (strcmp(unit, units[i].unit) != 0)
            continue;
        known = true;
        if (has_numbers_of(a, units[i].format) && go_together(a, b)) {
            *block = units[i].block;
            *fraction = units[i].fraction;
            return ATTEST_OK;
        }
    }
    if (!known)
        return attest_error_set(error, ATTEST_FORMAT,
                                "tc:volta, tc:ampere, tc:ada, tc:hopper or tc:blackwell is "
                                "expected, this is \"%s\"",
                                unit);
    return attest_error_set(error, ATTEST_FORMAT,
                            "%s is not known to multiply %s by %s in blocks", unit, a->name,
                            b->name);
}
