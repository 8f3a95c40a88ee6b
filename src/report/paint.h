/* paint.h -- colour for people: only where a terminal shows it, and never in a file. */
#ifndef ATTEST_REPORT_PAINT_H
#define ATTEST_REPORT_PAINT_H

#include <stdbool.h>
#include <stdio.h>

typedef enum attest_paint {
    ATTEST_PAINT_GOOD,   /* holds, proved */
    ATTEST_PAINT_BAD,    /* fails, refuted, the worst number */
    ATTEST_PAINT_OPEN,   /* undecided, not run */
    ATTEST_PAINT_HEADING /* what stands above */
} attest_paint;

/* Whether standard output is painted. Nothing is, until this says so. */
void attest_paint_use(bool on);

/* Prints the text, in the colour of its kind where the stream is standard output and that is
 * painted. */
void attest_paint_print(FILE *stream, attest_paint kind, const char *text);

#endif
