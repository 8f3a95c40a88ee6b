/* plot.h -- plots as SVG.
 *
 * A plot has an id, and a title and a description, which become <title> and <desc> for screen
 * readers. Colours come from classes (style.h), so that one drawing suits light and dark
 * schemes; series also differ by shape and dashes. All drawings are 480 units wide, so that
 * their letters stay legible on a phone. */
#ifndef ATTEST_REPORT_PLOT_H
#define ATTEST_REPORT_PLOT_H

#include <stdbool.h>
#include <stddef.h>

#include "report/markup.h"

/* An exponent axis shows 2^e for e of any size: values are given as e, never as 2^e, which may
 * be beyond the range of doubles. */
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
    double from, to;  /* the coordinates of the ends */
    double step;      /* between ticks, in the same unit */
} attest_scale;

/* Sets an axis from low to high that ends at ticks, with about this many of them. Values that
 * are not finite, or not positive on a logarithmic axis, count as 1. */
void attest_scale_set(attest_scale *scale, attest_scale_kind kind, double low, double high,
                      int ticks);

/* The coordinate of the value, clipped to from ... to. */
double attest_scale_get(const attest_scale *scale, double value);

/* value[0..n) = the values at the ticks; returns n <= ATTEST_SCALE_MOST. */
size_t attest_scale_get_ticks(double value[ATTEST_SCALE_MOST], const attest_scale *scale);

/* A label: base, and a superscript (empty if there is none). 32 bytes each. */
void attest_scale_format(char base[32], char exponent[32], const attest_scale *scale,
                         double value);

/* A number for people: digits grouped by thin spaces, a real minus sign, at most digits
 * decimals, trailing zeros dropped. In 64 bytes; the result is text. */
char *attest_scale_format_number(char text[64], double value, int digits);

enum {
    ATTEST_PLOT_WIDTH = 480,
    ATTEST_PLOT_STYLES = 6,  /* classes s0 ... s5, and as many shapes */
    ATTEST_PLOT_SHADES = 9,  /* classes q0 ... q8 of a heat map */
    ATTEST_PLOT_LETTER = 13, /* the height of a letter */
    ATTEST_PLOT_LINE = 20    /* between lines of text */
};

typedef struct attest_plot {
    const char *id; /* unique in its page: letters, digits, '-' */
    const char *title, *description;
} attest_plot;

/* The rectangle of a plot; y grows downward. */
typedef struct attest_plot_area {
    double left, right, top, bottom;
} attest_plot_area;

/* <svg> with title and description; attest_plot_close ends it. */
void attest_plot_open(attest_markup *markup, const attest_plot *plot, double height);
void attest_plot_close(attest_markup *markup);

/* Elements. A tooltip may be NULL. */
void attest_plot_line(attest_markup *markup, const char *class_name, double x1, double y1,
                      double x2, double y2);
void attest_plot_box(attest_markup *markup, const char *class_name, double x, double y,
                     double width, double height, const char *tooltip);
void attest_plot_text(attest_markup *markup, const char *class_name, double x, double y,
                      const char *anchor, const char *text);
void attest_plot_marker(attest_markup *markup, int style, double x, double y,
                        const char *tooltip);

/* The approximate width of a text; the text cut to a width, in size bytes. */
double attest_plot_width(const char *text);
void attest_plot_cut(char *to, size_t size, const char *text, double width);

/* Axes: ticks, their labels, grid lines across the area, and the axis' name. */
void attest_plot_axis_x(attest_markup *markup, const attest_scale *scale,
                        const attest_plot_area *area, const char *label);
void attest_plot_axis_y(attest_markup *markup, const attest_scale *scale,
                        const attest_plot_area *area, const char *label);

/* A legend from the top left; style[i] is the marker of name[i]. Returns its height. */
double attest_plot_legend(attest_markup *markup, double top, const char *const *name,
                          const int *style, size_t count);

/* A value marked by a line across the plot, e.g. the precision of a format. */
typedef struct attest_plot_mark {
    double at;
    const char *name;
} attest_plot_mark;

/* Lines across the area at values of the x axis, with their names above it, written upward.
 * Names that would overlap stand side by side, in the order of the values. */
double attest_plot_marks_height(const attest_plot_mark *mark, size_t count);
void attest_plot_marks(attest_markup *markup, const attest_scale *scale,
                       const attest_plot_area *area, const attest_plot_mark *mark,
                       size_t count);

typedef struct attest_plot_series {
    const char *name;
    size_t count;
    const double *x, *y; /* y = NAN: no point; y = -INFINITY: zero, on a row of its own */
    int style;
    bool line, points;
} attest_plot_series;

/* Lines and points over two axes. */
typedef struct attest_plot_lines {
    attest_plot plot;
    attest_scale_kind x_kind, y_kind;
    const char *x_label, *y_label;
    const char *zero_label; /* the label of the row of zeros */
    bool zero_is_good;      /* decides its colour */
    size_t series;
    const attest_plot_series *serie;
    size_t marks; /* at values of x */
    const attest_plot_mark *mark;
    size_t levels; /* at values of y */
    const attest_plot_mark *level;
} attest_plot_lines;
void attest_plot_write_lines(attest_markup *markup, const attest_plot_lines *lines);

/* Values on a common axis, one row for each item, joined by a line. */
typedef struct attest_plot_row {
    const char *name;
    const double *value; /* one for each kind; NAN: none */
    const bool *beyond;  /* the value is only known to be larger; may be NULL */
} attest_plot_row;

typedef struct attest_plot_dots {
    attest_plot plot;
    attest_scale_kind kind;
    const char *label;
    size_t kinds;
    const char *const *kind_name;
    size_t rows;
    const attest_plot_row *row;
    size_t marks;
    const attest_plot_mark *mark;
} attest_plot_dots;
void attest_plot_write_dots(attest_markup *markup, const attest_plot_dots *dots);

/* Histograms one above the other, over a common axis. Bin i of strip is edge[i] ... edge[i+1].
 */
typedef struct attest_plot_strip {
    const char *name, *remark; /* remark may be NULL */
    size_t bins;
    const double *edge, *count;
    bool open_below, open_above; /* the first and the last bin, drawn with an end, have none */
    int style;
} attest_plot_strip;

typedef struct attest_plot_histogram {
    attest_plot plot;
    attest_scale_kind kind;
    const char *label;
    size_t strips;
    const attest_plot_strip *strip;
} attest_plot_histogram;
void attest_plot_write_histogram(attest_markup *markup, const attest_plot_histogram *histogram);

/* A grid of counts or sizes; shades follow the logarithm. */
typedef struct attest_plot_heatmap {
    attest_plot plot;
    const char *column_label; /* the label of the axis of columns */
    size_t rows, columns;
    const char *const *row_name, *const *column_name;
    const double *count;     /* row after row; NAN: not measured */
    const char *unit;        /* the unit of counts */
    bool is_size;            /* any positive number, not a count from 1 on */
    const char *const *link; /* NULL, or by cell: the id that it leads to, or NULL */
} attest_plot_heatmap;
void attest_plot_write_heatmap(attest_markup *markup, const attest_plot_heatmap *heatmap);

/* Shares of a whole, one bar for each row. */
typedef struct attest_plot_bars {
    attest_plot plot;
    size_t parts;
    const char *const *part_name;
    const int *part_style;
    size_t rows;
    const char *const *row_name;
    const double *count; /* rows times parts */
} attest_plot_bars;
void attest_plot_write_bars(attest_markup *markup, const attest_plot_bars *bars);

#endif
