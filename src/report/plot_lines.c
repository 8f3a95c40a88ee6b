/* plot_lines.c -- lines and points over two axes, and values of several things on a common
 * axis. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/scope.h"
#include "report/plot.h"

enum { TOP = 12, LEFT = 88, RIGHT = 12, BELOW = 46, HEIGHT = 230, ZERO_ROW = 26 };

typedef struct range {
    double low, high;
    bool any;
} range;

static void cover(range *all, double value, attest_scale_kind kind)
{
    bool logarithmic = kind == ATTEST_SCALE_OCTAVES || kind == ATTEST_SCALE_DECADES;

    if (!isfinite(value) || (logarithmic && value <= 0))
        return;
    if (!all->any || value < all->low)
        all->low = value;
    if (!all->any || value > all->high)
        all->high = value;
    all->any = true;
}

static bool has_zero(const attest_plot_lines *lines)
{
    for (size_t i = 0; i < lines->series; i++)
        for (size_t k = 0; k < lines->serie[i].count; k++)
            if (lines->serie[i].y[k] == -INFINITY)
                return true;
    return false;
}

/* Both axes, over everything that is drawn. */
static void set_scales(attest_scale *x, attest_scale *y, const attest_plot_lines *lines)
{
    range wide = {0, 1, false}, high = {0, 1, false};

    for (size_t i = 0; i < lines->series; i++) {
        for (size_t k = 0; k < lines->serie[i].count; k++) {
            if (isnan(lines->serie[i].y[k]))
                continue;
            cover(&wide, lines->serie[i].x[k], lines->x_kind);
            cover(&high, lines->serie[i].y[k], lines->y_kind);
        }
    }
    for (size_t i = 0; i < lines->marks; i++)
        cover(&wide, lines->mark[i].at, lines->x_kind);
    for (size_t i = 0; i < lines->levels; i++)
        cover(&high, lines->level[i].at, lines->y_kind);
    attest_scale_set(x, lines->x_kind, wide.low, wide.high, 7);
    attest_scale_set(y, lines->y_kind, high.low, high.high, 5);
}

/* The coordinates of points; zeros are on a row of their own. */
typedef struct canvas {
    attest_plot_area area;
    attest_scale x, y;
    double zero;
} canvas;

static double place_y(const canvas *at, double value)
{
    return value == -INFINITY ? at->zero : attest_scale_get(&at->y, value);
}

/* The polyline through all points; a missing one breaks it, and so does the way to zero. */
static void write_path(attest_markup *markup, const canvas *at, const attest_plot_series *serie)
{
    ATTEST_SCOPED(attest_text, path);
    bool joined = false;

    for (size_t k = 0; k < serie->count; k++) {
        char x[32], y[32];
        bool zero = serie->y[k] == -INFINITY;
        if (isnan(serie->y[k])) {
            joined = false;
            continue;
        }
        if (k > 0 && zero != (serie->y[k - 1] == -INFINITY))
            joined = false;
        attest_markup_format(x, attest_scale_get(&at->x, serie->x[k]));
        attest_markup_format(y, place_y(at, serie->y[k]));
        attest_text_printf(&path, "%s%s,%s", joined ? "L" : "M", x, y);
        joined = true;
    }
    if (path.data) {
        attest_markup_open(markup, "path");
        attest_markup_attribute_printf(markup, "class", "curve s%d",
                                       serie->style % ATTEST_PLOT_STYLES);
        attest_markup_attribute(markup, "d", path.data);
        attest_markup_empty(markup);
    }
    markup->text.failed |= path.failed;
}

static void write_points(attest_markup *markup, const canvas *at,
                         const attest_plot_lines *lines, const attest_plot_series *serie)
{
    char x[64], y[64], tooltip[256];

    for (size_t k = 0; k < serie->count; k++) {
        bool zero = serie->y[k] == -INFINITY;
        if (isnan(serie->y[k]))
            continue;
        attest_scale_format_number(x, serie->x[k], 2);
        attest_scale_format_number(y, serie->y[k], 4);
        snprintf(tooltip, sizeof tooltip, "%.80s: %s%s at %s", serie->name,
                 !zero && lines->y_kind == ATTEST_SCALE_EXPONENT ? "2^" : "", zero ? "0" : y,
                 x);
        attest_plot_marker(markup, serie->style, attest_scale_get(&at->x, serie->x[k]),
                           place_y(at, serie->y[k]), tooltip);
    }
}

static void write_levels(attest_markup *markup, const canvas *at,
                         const attest_plot_lines *lines)
{
    for (size_t i = 0; i < lines->levels; i++) {
        double y = attest_scale_get(&at->y, lines->level[i].at);
        bool low = y - at->area.top > 16;
        attest_plot_line(markup, "level", at->area.left, y, at->area.right, y);
        attest_plot_text(markup, "mark", at->area.right - 2, low ? y - 4 : y + 13, "end",
                         lines->level[i].name);
    }
}

static double write_legend(attest_markup *markup, const attest_plot_lines *lines)
{
    const char *name[ATTEST_PLOT_STYLES];
    int style[ATTEST_PLOT_STYLES];
    size_t count = lines->series < ATTEST_PLOT_STYLES ? lines->series : ATTEST_PLOT_STYLES;

    for (size_t i = 0; i < count; i++) {
        name[i] = lines->serie[i].name;
        style[i] = lines->serie[i].style;
    }
    return attest_plot_legend(markup, 2, name, style, count);
}

/* The room that the legend will take, measured by drawing it aside. */
static double legend_height(const attest_plot_lines *lines)
{
    ATTEST_SCOPED(attest_markup, aside);

    return write_legend(&aside, lines);
}

void attest_plot_write_lines(attest_markup *markup, const attest_plot_lines *lines)
{
    double legend = legend_height(lines);
    double zero_row = has_zero(lines) ? ZERO_ROW : 0;
    double top = legend + TOP + attest_plot_marks_height(lines->mark, lines->marks);
    canvas at = {{LEFT, ATTEST_PLOT_WIDTH - RIGHT, top, top + HEIGHT}, {0}, {0}, 0};
    attest_plot_area whole = at.area;

    whole.bottom += zero_row;
    at.zero = at.area.bottom + zero_row / 2;
    set_scales(&at.x, &at.y, lines);
    at.x.from = at.area.left + 6;
    at.x.to = at.area.right - 6;
    at.y.from = at.area.bottom;
    at.y.to = at.area.top;
    attest_plot_open(markup, &lines->plot, whole.bottom + BELOW);
    if (zero_row > 0) {
        attest_plot_box(markup, lines->zero_is_good ? "zero fine" : "zero", at.area.left,
                        at.area.bottom, at.area.right - at.area.left, zero_row, NULL);
        attest_plot_text(markup, "tick", LEFT - 6, at.zero + 4.5, "end", lines->zero_label);
    }
    attest_plot_axis_x(markup, &at.x, &whole, lines->x_label);
    attest_plot_axis_y(markup, &at.y, &at.area, lines->y_label);
    attest_plot_marks(markup, &at.x, &whole, lines->mark, lines->marks);
    write_levels(markup, &at, lines);
    for (size_t i = 0; i < lines->series; i++) {
        if (lines->serie[i].line)
            write_path(markup, &at, &lines->serie[i]);
        if (lines->serie[i].points)
            write_points(markup, &at, lines, &lines->serie[i]);
    }
    write_legend(markup, lines);
    attest_plot_close(markup);
}

enum { DOTS_TOP = 12, DOTS_LEFT = 132, DOTS_RIGHT = 18, DOTS_BELOW = 46, DOTS_ROW = 34 };

static bool usable(const attest_plot_dots *dots, double value)
{
    return isfinite(value) && (value > 0 || dots->kind == ATTEST_SCALE_LINEAR ||
                               dots->kind == ATTEST_SCALE_EXPONENT);
}

static void set_dots_scale(attest_scale *scale, const attest_plot_dots *dots)
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

/* An arrow to the right: the value is beyond the axis. */
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

static void write_dots(attest_markup *markup, const attest_plot_dots *dots,
                       const attest_scale *scale, double y, const attest_plot_row *row)
{
    double first = INFINITY, last = -INFINITY;
    char name[64], number[64], tooltip[256];

    attest_plot_cut(name, sizeof name, row->name, DOTS_LEFT - 24);
    attest_plot_text(markup, "row", DOTS_LEFT - 8, y + 4.5, "end", name);
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

static double write_dots_legend(attest_markup *markup, const attest_plot_dots *dots)
{
    int style[ATTEST_PLOT_STYLES] = {0, 1, 2, 3, 4, 5};

    return attest_plot_legend(markup, 2, dots->kind_name, style,
                              dots->kinds < ATTEST_PLOT_STYLES ? dots->kinds
                                                               : ATTEST_PLOT_STYLES);
}

void attest_plot_write_dots(attest_markup *markup, const attest_plot_dots *dots)
{
    attest_markup aside;
    attest_plot_area area = {DOTS_LEFT, ATTEST_PLOT_WIDTH - DOTS_RIGHT, 0, 0};
    attest_scale scale;

    attest_markup_init(&aside);
    area.top = write_dots_legend(&aside, dots) + DOTS_TOP +
               attest_plot_marks_height(dots->mark, dots->marks);
    attest_markup_clear(&aside);
    area.bottom = area.top + DOTS_ROW * (double)dots->rows;
    set_dots_scale(&scale, dots);
    scale.from = area.left + 6;
    scale.to = area.right - 6;
    attest_plot_open(markup, &dots->plot, area.bottom + DOTS_BELOW);
    attest_plot_axis_x(markup, &scale, &area, dots->label);
    attest_plot_marks(markup, &scale, &area, dots->mark, dots->marks);
    for (size_t i = 0; i < dots->rows; i++)
        write_dots(markup, dots, &scale,
                   area.bottom - DOTS_ROW * ((double)(dots->rows - i) - 0.5), &dots->row[i]);
    write_dots_legend(markup, dots);
    attest_plot_close(markup);
}
