/* plot_dots.c -- values of several things on a common axis. */
#include <math.h>
#include <stdio.h>

#include "report/plot.h"

enum { TOP = 12, LEFT = 132, RIGHT = 18, BELOW = 46, ROW = 34 };

static bool usable(const attest_plot_dots *dots, double value)
{
    return isfinite(value) && (value > 0 || dots->kind == ATTEST_SCALE_LINEAR ||
                               dots->kind == ATTEST_SCALE_EXPONENT);
}

static void set_scale(attest_scale *scale, const attest_plot_dots *dots)
{
    double low = INFINITY, high = -INFINITY;

    for (size_t i = 0; i < dots->rows; i++) {
        for (size_t k = 0; k < dots->kinds; k++) {
            double value = dots->row[i].value[k];
            if (!usable(dots, value))
                continue;
            low = fmin(low, value);
            high = fmax(high, value);
        }
    }
    for (size_t i = 0; i < dots->marks; i++) {
        low = fmin(low, dots->mark[i].at);
        high = fmax(high, dots->mark[i].at);
    }
    if (!(low <= high))
        low = high = 1;
    attest_scale_set(scale, dots->kind, low, high, 7);
}

/* An arrow to the right: the value lies beyond. */
static void write_arrow(attest_markup *markup, double x, double y, int style)
{
    char at_x[32], at_y[32];

    attest_markup_format(at_x, x);
    attest_markup_format(at_y, y);
    attest_markup_open(markup, "path");
    attest_markup_attribute_printf(markup, "class", "curve s%d", style % ATTEST_PLOT_STYLES);
    attest_markup_attribute(markup, "d", "M7,0h14M16,-4l5,4l-5,4");
    attest_markup_attribute_printf(markup, "transform", "translate(%s %s)", at_x, at_y);
    attest_markup_empty(markup);
}

static void write_row(attest_markup *markup, const attest_plot_dots *dots,
                      const attest_scale *scale, double y, const attest_plot_row *row)
{
    double first = INFINITY, last = -INFINITY;
    char name[64], number[64], tooltip[256];

    attest_plot_cut(name, sizeof name, row->name, LEFT - 24);
    attest_plot_text(markup, "row", LEFT - 8, y + 4.5, "end", name);
    for (size_t k = 0; k < dots->kinds; k++) {
        if (!usable(dots, row->value[k]))
            continue;
        first = fmin(first, attest_scale_get(scale, row->value[k]));
        last = fmax(last, attest_scale_get(scale, row->value[k]));
    }
    if (first < last)
        attest_plot_line(markup, "joint", first, y, last, y);
    for (size_t k = dots->kinds; k-- > 0;) {
        bool beyond = row->beyond && row->beyond[k];
        double x;
        if (!usable(dots, row->value[k]))
            continue;
        x = attest_scale_get(scale, row->value[k]);
        snprintf(tooltip, sizeof tooltip, "%.60s, %.60s: %s%s%s", row->name, dots->kind_name[k],
                 beyond ? "more than " : "", dots->kind == ATTEST_SCALE_EXPONENT ? "2^" : "",
                 attest_scale_format_number(number, row->value[k], 2));
        if (beyond)
            write_arrow(markup, x, y, (int)k);
        attest_plot_marker(markup, (int)k, x, y, tooltip);
    }
}

static double write_legend(attest_markup *markup, const attest_plot_dots *dots)
{
    int style[ATTEST_PLOT_STYLES] = {0, 1, 2, 3, 4, 5};

    return attest_plot_legend(markup, 2, dots->kind_name, style,
                              dots->kinds < ATTEST_PLOT_STYLES ? dots->kinds
                                                               : ATTEST_PLOT_STYLES);
}

void attest_plot_write_dots(attest_markup *markup, const attest_plot_dots *dots)
{
    attest_markup aside;
    attest_plot_area area = {LEFT, ATTEST_PLOT_WIDTH - RIGHT, 0, 0};
    attest_scale scale;

    attest_markup_init(&aside);
    area.top =
        write_legend(&aside, dots) + TOP + attest_plot_marks_height(dots->mark, dots->marks);
    attest_markup_clear(&aside);
    area.bottom = area.top + ROW * (double)dots->rows;
    set_scale(&scale, dots);
    scale.from = area.left + 6;
    scale.to = area.right - 6;
    attest_plot_open(markup, &dots->plot, area.bottom + BELOW);
    attest_plot_axis_x(markup, &scale, &area, dots->label);
    attest_plot_marks(markup, &scale, &area, dots->mark, dots->marks);
    for (size_t i = 0; i < dots->rows; i++)
        write_row(markup, dots, &scale, area.bottom - ROW * ((double)(dots->rows - i) - 0.5),
                  &dots->row[i]);
    write_legend(markup, dots);
    attest_plot_close(markup);
}
