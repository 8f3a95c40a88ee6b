/* plot_heatmap.c -- a grid of counts. */
#include <math.h>
#include <stdio.h>

#include "report/plot.h"

enum {
    TOP = 4,
    LEFT = 116,
    RIGHT = 12,
    BELOW = 66,
    LEGEND = 44,
    NAMED_CELLS = 8,
    NAMED_ROWS = 24
};

/* The shade of a count: none for zero, then by its logarithm. */
static void shade(char class_name[16], double count, double most)
{
    int level;

    if (isnan(count)) {
        snprintf(class_name, 16, "cell unknown");
        return;
    }
    if (!(count > 0)) {
        snprintf(class_name, 16, "cell none");
        return;
    }
    level = most > 1 ? (int)(log(count) / log(most) * (ATTEST_PLOT_SHADES - 1) + 0.5)
                     : ATTEST_PLOT_SHADES - 1;
    level = level < 0 ? 0 : level >= ATTEST_PLOT_SHADES ? ATTEST_PLOT_SHADES - 1 : level;
    snprintf(class_name, 16, "cell q%d", level);
}

/* About three digits. */
static char *format_short(char text[64], double count)
{
    if (count >= 99999.5)
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

    if (isnan(count))
        return;
    format_short(text, count);
    attest_plot_text(markup, dark ? "on-dark" : "on-light", x, y + 4.5, "middle", text);
}

static void write_cells(attest_markup *markup, const attest_plot_heatmap *heatmap, double width,
                        double height, double most)
{
    char class_name[16], tooltip[320], number[64];

    for (size_t i = 0; i < heatmap->rows; i++) {
        for (size_t k = 0; k < heatmap->columns; k++) {
            double count = heatmap->count[i * heatmap->columns + k];
            double x = LEFT + width * (double)k, y = TOP + height * (double)i;
            shade(class_name, count, most);
            snprintf(tooltip, sizeof tooltip, "%.80s, %.80s: %s %.40s", heatmap->row_name[i],
                     heatmap->column_name[k],
                     isnan(count) ? "not measured" : format_short(number, count),
                     isnan(count) ? "" : heatmap->unit);
            attest_plot_box(markup, class_name, x, y, width, height, tooltip);
            if (heatmap->columns <= NAMED_CELLS)
                write_count(markup, class_name, x + width / 2, y + height / 2, count);
        }
    }
}

static void write_names(attest_markup *markup, const attest_plot_heatmap *heatmap, double width,
                        double height)
{
    size_t every = 1 + (heatmap->rows - 1) / NAMED_ROWS;
    double bottom = TOP + height * (double)heatmap->rows;
    char name[64];

    for (size_t i = 0; i < heatmap->rows; i += every) {
        attest_plot_cut(name, sizeof name, heatmap->row_name[i], LEFT - 12);
        attest_plot_text(markup, "row", LEFT - 8, TOP + height * ((double)i + 0.5) + 4.5, "end",
                         name);
    }
    every = 1 + (heatmap->columns - 1) / NAMED_CELLS;
    for (size_t k = 0; k < heatmap->columns; k += every) {
        attest_plot_cut(name, sizeof name, heatmap->column_name[k],
                        fmax(width * (double)every - 4, 30));
        attest_plot_text(markup, "tick", LEFT + width * ((double)k + 0.5), bottom + 17,
                         "middle", name);
    }
    attest_plot_text(markup, "name", LEFT + width * (double)heatmap->columns / 2, bottom + 37,
                     "middle", heatmap->column_label);
}

static void write_legend(attest_markup *markup, double top, double most, const char *unit)
{
    double x = LEFT;
    char class_name[16], number[64], text[160];

    attest_plot_box(markup, "cell none", x, top, 16, 12, NULL);
    attest_plot_text(markup, "tick", x + 20, top + 10.5, "start", "0");
    x += 44;
    attest_plot_text(markup, "tick", x - 4, top + 10.5, "end", "1");
    for (int i = 0; i < ATTEST_PLOT_SHADES; i++) {
        snprintf(class_name, sizeof class_name, "cell q%d", i);
        attest_plot_box(markup, class_name, x + 16 * i, top, 16, 12, NULL);
    }
    snprintf(text, sizeof text, "%s %.60s", format_short(number, most), unit);
    attest_plot_text(markup, "tick", x + 16 * ATTEST_PLOT_SHADES + 4, top + 10.5, "start",
                     text);
}

void attest_plot_write_heatmap(attest_markup *markup, const attest_plot_heatmap *heatmap)
{
    double width = (ATTEST_PLOT_WIDTH - LEFT - RIGHT) / (double)heatmap->columns;
    double height =
        heatmap->rows == heatmap->columns && heatmap->rows > NAMED_CELLS ? width : 28;
    double most = 1, bottom;

    for (size_t i = 0; i < heatmap->rows * heatmap->columns; i++)
        if (heatmap->count[i] > most)
            most = heatmap->count[i];
    bottom = TOP + height * (double)heatmap->rows;
    attest_plot_open(markup, &heatmap->plot, bottom + BELOW + LEGEND - 20);
    write_cells(markup, heatmap, width, height, most);
    write_names(markup, heatmap, width, height);
    write_legend(markup, bottom + BELOW - 12, most, heatmap->unit);
    attest_plot_close(markup);
}
