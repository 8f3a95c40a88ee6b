/* format.h -- floating-point formats, and the arithmetic that simulates them.
 *
 * A format has p significand bits (the leading one included) and, unless its exponent is
 * unbounded, exponents emin..emax in the IEEE 754 convention: its largest finite number is
 * (2 - 2^(1-p)) 2^emax, its least normal one 2^emin, its least subnormal one 2^(emin-p+1). */
#ifndef ATTEST_FORMAT_H
#define ATTEST_FORMAT_H

#include <stdbool.h>
#include <stddef.h>

#include <mpfr.h>

#include <attest/error.h>

typedef struct attest_format {
    char name[64];
    long precision; /* p >= 1 */
    bool bounded;   /* false: any exponent */
    long emin, emax;
    /* The finite-only format float8_e4m3fn: no infinities, the all-ones significand of the
     * largest exponent is NaN, and what overflows becomes NaN. */
    bool finite_only;
} attest_format;

/* format = the one named: binary64 binary32 tfloat32 bfloat16 binary16 float8_e4m3fn
 * float8_e5m2, "p=N" or "p=N:emin=E:emax=E". Status: USAGE. */
attest_status attest_format_parse(attest_format *format, const char *name,
                                  attest_error *error) ATTEST_WARN_UNUSED;

/* rounding = the mode named: nearest zero up down away (or RNDN RNDZ RNDU RNDD RNDA).
 * Status: USAGE. */
attest_status attest_rounding_parse(mpfr_rnd_t *rounding, const char *name,
                                    attest_error *error) ATTEST_WARN_UNUSED;

#endif
