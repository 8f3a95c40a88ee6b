/* ball.h -- how balls are written: exact hex floats, a logarithm, a text for people. */
#ifndef ATTEST_BALL_H
#define ATTEST_BALL_H

#include <attest/flint.h>

/* Exact C99 hex float of x, e.g. "0x1.8p+1", with an exponent of any size; "0x0p+0" for zero.
 * Domain: x is finite. The caller frees it. NULL: out of memory. */
char *attest_ball_format_arf(const arf_t x);

/* x = the hex float in text, exactly. Returns 0, or -1 when text is not one. */
int attest_ball_parse_arf(arf_t x, const char *text);

/* log2 of the ball's midpoint to 10 or more significant digits, for a positive ball. The caller
 * frees it. */
char *attest_ball_format_log2(const arb_t x);

/* "[3.00000 +/- 8.7e-19]"; exponents are never expanded to digits. The caller frees it. */
char *attest_ball_format_text(const arb_t x);

#endif
