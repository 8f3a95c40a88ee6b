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

/* What begins, and what ends, text of this kind on the stream: escape sequences, or "" where it
 * is not standard output or that is not painted. */
const char *attest_paint_begin(const FILE *stream, attest_paint kind);
const char *attest_paint_end(const FILE *stream);

#endif
