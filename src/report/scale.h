/* scale.h -- from values to places on an axis, and where its ticks stand.
 *
 * An exponent axis shows 2^e for e of any size: values are given and kept as e, never as 2^e,
 * so that 2^-642457 needs no number of that size. */
#ifndef ATTEST_REPORT_SCALE_H
#define ATTEST_REPORT_SCALE_H

#include <stdbool.h>
#include <stddef.h>

typedef enum attest_scale_kind {
    ATTEST_SCALE_LINEAR,   /* v */
    ATTEST_SCALE_EXPONENT, /* the value is e; its label 2^e */
    ATTEST_SCALE_OCTAVES,  /* v > 0, evenly by factors of 2 */
    ATTEST_SCALE_DECADES   /* v > 0, evenly by factors of 10 */
} attest_scale_kind;

enum { ATTEST_SCALE_MOST = 24 };

typedef struct attest_scale {
    attest_scale_kind kind;
    double low, high; /* the ends of the axis, in its evenly spaced unit */
    double from, to;  /* where they are drawn */
    double step;      /* between ticks, in the same unit */
} attest_scale;

/* An axis that shows low ... high and ends at whole ticks, with about ticks of them. Values
 * that are not finite, or not positive on a logarithmic axis, are as if they were 1. */
void attest_scale_set(attest_scale *scale, attest_scale_kind kind, double low, double high,
                      int ticks);

/* Where the value is drawn: from ... to, never outside. */
double attest_scale_get(const attest_scale *scale, double value);

/* value[0..n) = the values at the ticks; returns n <= ATTEST_SCALE_MOST. */
size_t attest_scale_get_ticks(double value[ATTEST_SCALE_MOST], const attest_scale *scale);

/* A label: base, and an exponent to be raised (empty if there is none). 32 bytes each. */
void attest_scale_format(char base[32], char exponent[32], const attest_scale *scale,
                         double value);

/* A number for people: digits grouped by thin spaces, a real minus sign, at most digits
 * decimals, trailing zeros dropped. In 64 bytes; the result is text. */
char *attest_scale_format_number(char text[64], double value, int digits);

#endif
