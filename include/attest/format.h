/* format.h -- floating-point formats, and the arithmetic that simulates them.
 *
 * A format has p significand bits (the leading one included) and, unless its exponent is
 * unbounded, exponents emin..emax in the IEEE 754 convention: its largest finite number is
 * (2 - 2^(1-p)) 2^emax, its least normal one 2^emin, its least subnormal one 2^(emin-p+1). For
 * p = 1, where no significand is even, ties between powers of two go away from zero. */
#ifndef ATTEST_FORMAT_H
#define ATTEST_FORMAT_H

#include <stdbool.h>
#include <stddef.h>

#include <mpfr.h>

#include <attest/export.h>
#include <attest/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The widest significand and the largest |emin|, |emax| that a name can ask for. */
#define ATTEST_FORMAT_MAX_PRECISION 1000000000L
#define ATTEST_FORMAT_MAX_EXPONENT 100000000000L

typedef struct attest_format {
    char name[64];
    long precision; /* p >= 1 */
    bool bounded;   /* false: any exponent */
    long emin, emax;
    /* The finite-only format float8_e4m3fn: no infinities, the all-ones significand of the
     * largest exponent is NaN (so the largest number is (2 - 2^(2-p)) 2^emax), and what
     * overflows becomes NaN, or the largest number where the rounding is toward zero. */
    bool finite_only;
} attest_format;

/* format = the one named: binary64 binary32 tfloat32 bfloat16 binary16 float8_e4m3fn
 * float8_e5m2, their aliases fp64 fp32 tf32 bf16 fp16, "p=N" or "p=N:emin=E:emax=E". Status:
 * USAGE. */
ATTEST_API attest_status attest_format_parse(attest_format *format, const char *name,
                                             attest_error *error) ATTEST_WARN_UNUSED;

/* rounding = the mode named: nearest zero up down away (or RNDN RNDZ RNDU RNDD RNDA).
 * Status: USAGE. */
ATTEST_API attest_status attest_rounding_parse(mpfr_rnd_t *rounding, const char *name,
                                               attest_error *error) ATTEST_WARN_UNUSED;

#ifdef __cplusplus
}
#endif

#endif
