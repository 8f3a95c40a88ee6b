/* ball.h -- how balls are written: exact hex floats, a logarithm, a text for people. */
#ifndef ATTEST_BALL_H
#define ATTEST_BALL_H

#include <attest/export.h>
#include <attest/flint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Exact C99 hex float of x, e.g. "0x1.8p+1", with an exponent of any size; "0x0p+0" for zero.
 * Domain: x is finite. The caller frees it. NULL: out of memory. */
ATTEST_API char *attest_ball_format_arf(const arf_t x);

/* x = the hex float in text, exactly: an optional sign, 0x, hexadecimal digits with or without
 * a point, p and a decimal exponent of any size, and nothing else. Returns 0, -1 when text is
 * not one, or -2 if memory is exhausted (x is unchanged then). */
ATTEST_API int attest_ball_parse_arf(arf_t x, const char *text);

/* log2 of the ball's midpoint as a decimal with 15 significant digits, right to one unit in the
 * last; "0" for the midpoint 1. Domain: a finite ball of positive numbers; else NULL. The
 * caller frees it. NULL also: out of memory. Cost: that of a logarithm at 80 bits plus the size
 * of the exponent, whatever the midpoint's precision. */
ATTEST_API char *attest_ball_format_log2(const arb_t x);

/* "[3.141592653589793238 +/- 5.52e-19]", up to 20 significant digits, all of them known: the
 * printed interval contains the ball. Balls beyond 2^+-4096 are written "[1.25 +/- 1.01e-3] *
 * 2^-642457", so that exponents are never expanded to digits. The caller frees it. NULL: out of
 * memory. */
ATTEST_API char *attest_ball_format_text(const arb_t x);

#ifdef __cplusplus
}
#endif

#endif
