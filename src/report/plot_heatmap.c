/* plot_heatmap.c -- a grid of counts or sizes. */
#include <math.h>
#include <stdio.h>

#include "report/plot.h"

enum {
    TOP = 4,
    RIGHT = 12,
    CELL_HEIGHT = 28,
    NAMED_CELLS = 8, /* a grid of more columns has no numbers in its cells */
    NAMED_ROWS = 24,
    LONGEST_NAME = 170
};

/* Where everything stands. */
typedef struct layout {
    double left, width, height; /* the grid's left edge, and the size of a cell */
    double bottom;              /* of the grid */
    double names;               /* the room of the columns' names */
    bool upright;               /* whether those are written upward */
    double low, high;           /* what the least and the darkest shade stand for */
} layout;

static double widest(const char *const *name, size_t count)
{
    double width = 0;

    for (size_t i = 0; i < count; i++)
        width = fmax(width, attest_plot_width(name[i]));
    return fmin(width, LONGEST_NAME);
}

/* Counts begin at 1; sizes at their least, but not more than four decades below the largest. */
static void set_range(layout *at, const attest_plot_heatmap *heatmap)
{
    double least = INFINITY;

    at->high = 0;
    for (size_t i = 0; i < heatmap->rows * heatmap->columns; i++) {
        if (!(heatmap->count[i] > 0) || !isfinite(heatmap->count[i]))
            continue;
        least = fmin(least, heatmap->count[i]);
        at->high = fmax(at->high, heatmap->count[i]);
    }
    if (!(at->high > 0))
        at->high = least = 1;
    at->low = heatmap->is_size ? fmax(least, at->high * 1e-4) : 1;
}

static void set_layout(layout *at, const attest_plot_heatmap *heatmap)
{
    double name = widest(heatmap->column_name, heatmap->columns);

    at->left = fmax(60, widest(heatmap->row_name, heatmap->rows) + 18);
    at->width = (ATTEST_PLOT_WIDTH - at->left - RIGHT) / (double)heatmap->columns;
    at->height = CELL_HEIGHT;
    if (heatmap->rows == heatmap->columns && heatmap->rows > NAMED_CELLS)
        at->height = at->width;
    at->bottom = TOP + at->height * (double)heatmap->rows;
    at->upright = heatmap->columns <= NAMED_CELLS && name > at->width - 4;
    at->names = at->upright ? name + 8 : 18;
    set_range(at, heatmap);
}

/* The shade of a count: none for zero, then by its logarithm. */
static void shade(char class_name[24], double count, const layout *at)
{
    double place = 1; /* from 0 to 1; differences of logarithms, since quotients may overflow */

    if (isnan(count)) {
        snprintf(class_name, 24, "cell unknown");
        return;
    }
    if (!(count > 0)) {
        snprintf(class_name, 24, "cell none");
        return;
    }
    if (at->high > at->low)
        place = (log(fmax(count, at->low)) - log(at->low)) / (log(at->high) - log(at->low));
    if (!(place < 1))
        place = 1;
    snprintf(class_name, 24, "cell q%d", (int)(place * (ATTEST_PLOT_SHADES - 1) + 0.5));
}

/* About three digits. */
static char *format_short(char text[64], double count)
{
    if (count >= 99999.5)
        snprintf(text, 64, "%.0e", count);
    else if (count > 0 && count < 0.005)
        snprintf(text, 64, "%.0e", count);
    else
        attest_scale_format_number(text, count, count < 10 ? 2 : count < 100 ? 1 : 0);
    return text;
}

/* Counts inside cells that are wide enough for them. */
static void write_count(attest_markup *markup, const char *class_name, double x, double y,
                        double count)
{
    char text[64];
    bool dark = class_name[5] == 'q' && class_name[6] >= '5';

    if (!isnan(count))
        attest_plot_text(markup, dark ? "on-dark" : "on-light", x, y + 4.5, "middle",
                         format_short(text, count));
}

static bool leads(const attest_plot_heatmap *heatmap, size_t cell)
{
    return heatmap->link && heatmap->link[cell];
}

static void write_cells(attest_markup *markup, const attest_plot_heatmap *heatmap,
                        const layout *at)
{
    char class_name[24], tooltip[320], number[64];

    for (size_t i = 0; i < heatmap->rows; i++) {
        for (size_t k = 0; k < heatmap->columns; k++) {
            double count = heatmap->count[i * heatmap->columns + k];
            double x = at->left + at->width * (double)k, y = TOP + at->height * (double)i;
            shade(class_name, count, at);
            snprintf(tooltip, sizeof tooltip, "%.80s, %.80s: %s %.40s", heatmap->row_name[i],
                     heatmap->column_name[k],
                     isnan(count) ? "not measured" : format_short(number, count),
                     isnan(count) ? "" : heatmap->unit);
            if (leads(heatmap, i * heatmap->columns + k)) {
                attest_markup_open(markup, "a");
                attest_markup_attribute_printf(markup, "href", "#%s",
                                               heatmap->link[i * heatmap->columns + k]);
            }
            attest_plot_box(markup, class_name, x, y, at->width, at->height, tooltip);
            if (heatmap->columns <= NAMED_CELLS)
                write_count(markup, class_name, x + at->width / 2, y + at->height / 2, count);
            if (leads(heatmap, i * heatmap->columns + k))
                attest_markup_close(markup);
        }
    }
}

/* A name that ends below the grid, written upward. */
static void write_upright(attest_markup *markup, double x, double y, const char *name)
{
    char at_x[32], at_y[32];

    attest_markup_format(at_x, x + 4);
    attest_markup_format(at_y, y);
    attest_markup_open_class(markup, "text", "tick");
    attest_markup_attribute_printf(markup, "transform", "translate(%s %s) rotate(-90)", at_x,
                                   at_y);
    attest_markup_attribute(markup, "text-anchor", "end");
    attest_markup_text(markup, name);
    attest_markup_close(markup);
}

static void write_names(attest_markup *markup, const attest_plot_heatmap *heatmap,
                        const layout *at)
{
    size_t every = 1 + (heatmap->rows - 1) / NAMED_ROWS;
    char name[128];

    for (size_t i = 0; i < heatmap->rows; i += every) {
        attest_plot_cut(name, sizeof name, heatmap->row_name[i], LONGEST_NAME);
        attest_plot_text(markup, "row", at->left - 8,
                         TOP + at->height * ((double)i + 0.5) + 4.5, "end", name);
    }
    every = 1 + (heatmap->columns - 1) / NAMED_CELLS;
    for (size_t k = 0; k < heatmap->columns; k += every) {
        double x = at->left + at->width * ((double)k + 0.5);
        attest_plot_cut(name, sizeof name, heatmap->column_name[k],
                        at->upright ? LONGEST_NAME : fmax(at->width * (double)every - 4, 30));
        if (at->upright)
            write_upright(markup, x, at->bottom + 5, name);
        else
            attest_plot_text(markup, "tick", x, at->bottom + 16, "middle", name);
    }
    attest_plot_text(markup, "name", at->left + at->width * (double)heatmap->columns / 2,
                     at->bottom + at->names + 18, "middle", heatmap->column_label);
}

static void write_legend(attest_markup *markup, const layout *at, double top, const char *unit)
{
    double x = at->left;
    char class_name[24], number[64], text[160];

    attest_plot_box(markup, "cell none", x, top, 16, 12, NULL);
    attest_plot_text(markup, "tick", x + 20, top + 10.5, "start", "0");
    format_short(number, at->low);
    x += 44 + attest_plot_width(number);
    attest_plot_text(markup, "tick", x - 4, top + 10.5, "end", number);
    for (int i = 0; i < ATTEST_PLOT_SHADES; i++) {
        snprintf(class_name, sizeof class_name, "cell q%d", i);
        attest_plot_box(markup, class_name, x + 16 * i, top, 16, 12, NULL);
    }
    snprintf(text, sizeof text, "%s %.60s", format_short(number, at->high), unit);
    attest_plot_text(markup, "tick", x + 16 * ATTEST_PLOT_SHADES + 4, top + 10.5, "start",
                     text);
}

void attest_plot_write_heatmap(attest_markup *markup, const attest_plot_heatmap *heatmap)
{
    layout at;
    double below;

    set_layout(&at, heatmap);
    below = at.bottom + at.names + 32;
    attest_plot_open(markup, &heatmap->plot, below + 20);
    write_cells(markup, heatmap, &at);
    write_names(markup, heatmap, &at);
    write_legend(markup, &at, below, heatmap->unit);
    attest_plot_close(markup);
}
