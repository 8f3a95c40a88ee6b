/* style.h -- the CSS of pages and plots, and the script of a page.
 *
 * Colours are variables with one set for light, one for dark and one for paper. The six
 * colours of series are distinguishable with all common kinds of colour blindness, and have a
 * contrast of at least 3:1 to the background. The texts contain neither '<' nor '&', so that
 * they are valid in HTML and SVG. */
#ifndef ATTEST_REPORT_STYLE_H
#define ATTEST_REPORT_STYLE_H

/* Colours and plots: the style of a drawing. */
extern const char attest_style_plot[];

/* The rest of the style of a page. */
extern const char attest_style_page[];

/* The script of a page. */
extern const char attest_script_page[];

#endif
