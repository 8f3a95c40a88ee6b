/* style.h -- how pages and plots look, as CSS.
 *
 * Colours are variables with one set for light, one for dark and one for paper. The series' six
 * colours keep apart for all common kinds of colour blindness, with at least 3:1 against their
 * ground. The texts hold neither '<' nor '&', so that they stand in HTML and SVG alike. */
#ifndef ATTEST_REPORT_STYLE_H
#define ATTEST_REPORT_STYLE_H

#include "base/text.h"

/* Colours and plots: all that a drawing on its own needs. */
extern const char attest_style_plot[];

/* Everything else of a page. */
extern const char attest_style_page[];

/* Appends "sha256-" and the hash of the text in base 64, as a content security policy names a
 * style that it allows. */
void attest_style_hash(attest_text *hash, const char *style, size_t size);

/* The script of a page (script.c). */
extern const char attest_script_page[];

#endif
