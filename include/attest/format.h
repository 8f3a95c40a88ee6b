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

/* The limits of p, |emin| and |emax| in names. */
#define ATTEST_FORMAT_MAX_PRECISION 1000000000L
#define ATTEST_FORMAT_MAX_EXPONENT 100000000000L

typedef struct attest_format {
    char name[64];
    long precision; /* p >= 1 */
    bool bounded;   /* false: any exponent */
    long emin, emax;
    int width; /* bits of a code; 0: the format has no codes */
    /* Differences from IEEE 754, which has none of these. */
    bool finite_only;   /* no infinities: an infinity, or what overflows, becomes NaN */
    bool saturates;     /* an infinity, or what overflows, becomes the largest number */
    bool top_is_nan;    /* the significand of ones with the largest exponent is NaN: the largest
                           number is (2 - 2^(2-p)) 2^emax */
    bool no_nan;        /* NaN becomes -0 */
    bool no_minus_zero; /* -0 becomes 0 */
    bool positive;      /* no sign and no 0: those become NaN; numbers that are too small become
                           2^emin */
} attest_format;

/* Parses the name of a format; doc/formats.md has the table of names and aliases. "p=N" and
 * "p=N:emin=E:emax=E" define one; ":saturating" after a name with bounded exponents makes
 * overflows saturate. Status: USAGE. */
ATTEST_API attest_status attest_format_parse(attest_format *format, const char *name,
                                             attest_error *error) ATTEST_WARN_UNUSED;

/* Parses the name of a rounding mode: nearest zero up down away (or RNDN RNDZ RNDU RNDD RNDA).
 * Status: USAGE. */
ATTEST_API attest_status attest_rounding_parse(mpfr_rnd_t *rounding, const char *name,
                                               attest_error *error) ATTEST_WARN_UNUSED;

#ifdef __cplusplus
}
#endif

#endif
