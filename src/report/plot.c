/* plot.c -- the kinds of plots: lines and points over two axes, values of several things on a
 * common axis, bars of shares, histograms, and grids of counts or sizes. */
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

/* Draws the line through all points, broken at missing points and between a zero and its
 * neighbours. */
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

void attest_plot_write_lines(attest_markup *markup, const attest_plot_lines *lines)
{
    ATTEST_SCOPED(attest_markup, aside); /* the legend is drawn here to measure it */
    double legend = write_legend(&aside, lines);
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

/* Draws an arrow to the right: the value is larger than shown. */
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
    ATTEST_SCOPED(attest_markup, aside);
    attest_plot_area area = {DOTS_LEFT, ATTEST_PLOT_WIDTH - DOTS_RIGHT, 0, 0};
    attest_scale scale;

    area.top = write_dots_legend(&aside, dots) + DOTS_TOP +
               attest_plot_marks_height(dots->mark, dots->marks);
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

enum {
    BARS_TOP = 10,
    BARS_LEFT = 150,
    BARS_RIGHT = 12,
    BARS_BELOW = 46,
    BARS_ROW = 26,
    BARS_HEIGHT = 16
};

static void write_bars(attest_markup *markup, const attest_plot_bars *bars, size_t row,
                       const attest_scale *scale, double middle)
{
    const double *count = bars->count + row * bars->parts;
    double total = 0, done = 0;
    char name[64], class_name[16], number[64], share[64], tooltip[320];

    for (size_t k = 0; k < bars->parts; k++)
        total += count[k];
    attest_plot_cut(name, sizeof name, bars->row_name[row], BARS_LEFT - 24);
    attest_plot_text(markup, "row", BARS_LEFT - 8, middle + 4.5, "end", name);
    for (size_t k = 0; k < bars->parts && total > 0; k++) {
        double from = attest_scale_get(scale, 100 * done / total);
        double to = attest_scale_get(scale, 100 * (done + count[k]) / total);
        if (!(count[k] > 0))
            continue;
        snprintf(class_name, sizeof class_name, "bar s%d",
                 bars->part_style[k] % ATTEST_PLOT_STYLES);
        snprintf(tooltip, sizeof tooltip, "%.80s: %s %.40s (%s %%)", bars->row_name[row],
                 attest_scale_format_number(number, count[k], 0), bars->part_name[k],
                 attest_scale_format_number(share, 100 * count[k] / total, 2));
        attest_plot_box(markup, class_name, from, middle - BARS_HEIGHT / 2.0,
                        fmax(to - from, 1.2), BARS_HEIGHT, tooltip);
        done += count[k];
    }
}

void attest_plot_write_bars(attest_markup *markup, const attest_plot_bars *bars)
{
    ATTEST_SCOPED(attest_markup, aside);
    attest_plot_area area = {BARS_LEFT, ATTEST_PLOT_WIDTH - BARS_RIGHT, 0, 0};
    attest_scale scale;

    area.top = BARS_TOP +
               attest_plot_legend(&aside, 2, bars->part_name, bars->part_style, bars->parts);
    area.bottom = area.top + BARS_ROW * (double)bars->rows;
    attest_scale_set(&scale, ATTEST_SCALE_LINEAR, 0, 100, 5);
    scale.from = area.left;
    scale.to = area.right - 12;
    attest_plot_open(markup, &bars->plot, area.bottom + BARS_BELOW);
    attest_plot_axis_x(markup, &scale, &area, "share of all trials in %");
    for (size_t i = 0; i < bars->rows; i++)
        write_bars(markup, bars, i, &scale, area.top + BARS_ROW * ((double)i + 0.5));
    attest_plot_legend(markup, 2, bars->part_name, bars->part_style, bars->parts);
    attest_plot_close(markup);
}

enum {
    STRIP_TOP = 6,
    STRIP_LEFT = 136,
    STRIP_RIGHT = 18,
    STRIP_BELOW = 46,
    STRIP = 58,
    STRIP_BAR = 40
};

static void set_histogram_scale(attest_scale *scale, const attest_plot_histogram *histogram)
{
    double low = INFINITY, high = -INFINITY;

    for (size_t i = 0; i < histogram->strips; i++) {
        const attest_plot_strip *strip = &histogram->strip[i];
        for (size_t k = 0; k < strip->bins; k++) {
            if (!(strip->count[k] > 0))
                continue;
            low = fmin(low, strip->edge[k]);
            high = fmax(high, strip->edge[k + 1]);
        }
    }
    if (!(low <= high))
        low = high = 1;
    attest_scale_set(scale, histogram->kind, low, high, 7);
}

static void write_bin(attest_markup *markup, const attest_plot_histogram *histogram,
                      const attest_scale *scale, const attest_plot_strip *strip, size_t k,
                      double bottom, double most)
{
    const char *power = histogram->kind == ATTEST_SCALE_EXPONENT ? "2^" : "";
    double from = attest_scale_get(scale, strip->edge[k]);
    double to = attest_scale_get(scale, strip->edge[k + 1]);
    double height = STRIP_BAR * strip->count[k] / most;
    char class_name[16], low[64], high[64], count[64], tooltip[320];

    snprintf(class_name, sizeof class_name, "bar s%d", strip->style % ATTEST_PLOT_STYLES);
    attest_scale_format_number(count, strip->count[k], 0);
    attest_scale_format_number(low, strip->edge[k], 3);
    attest_scale_format_number(high, strip->edge[k + 1], 3);
    if (k == 0 && strip->open_below)
        snprintf(tooltip, sizeof tooltip, "%.80s: %s below %s%s", strip->name, count, power,
                 high);
    else if (k + 1 == strip->bins && strip->open_above)
        snprintf(tooltip, sizeof tooltip, "%.80s: %s from %s%s on", strip->name, count, power,
                 low);
    else
        snprintf(tooltip, sizeof tooltip, "%.80s: %s from %s%s to %s%s", strip->name, count,
                 power, low, power, high);
    /* A single case among millions is still seen. */
    height = fmax(height, 1);
    attest_plot_box(markup, class_name, from + 0.5, bottom - height, fmax(to - from - 1, 0.8),
                    height, tooltip);
}

static void write_strip(attest_markup *markup, const attest_plot_histogram *histogram,
                        const attest_scale *scale, const attest_plot_strip *strip,
                        double bottom)
{
    double most = 0;
    char name[64];

    for (size_t k = 0; k < strip->bins; k++)
        most = fmax(most, strip->count[k]);
    attest_plot_cut(name, sizeof name, strip->name, STRIP_LEFT - 24);
    attest_plot_text(markup, "row", STRIP_LEFT - 8, bottom - 22, "end", name);
    if (strip->remark) {
        attest_plot_cut(name, sizeof name, strip->remark, STRIP_LEFT - 4);
        attest_plot_text(markup, "remark", STRIP_LEFT - 8, bottom - 7, "end", name);
    }
    attest_plot_line(markup, "axis", STRIP_LEFT, bottom, ATTEST_PLOT_WIDTH - STRIP_RIGHT,
                     bottom);
    for (size_t k = 0; k < strip->bins; k++)
        if (strip->count[k] > 0)
            write_bin(markup, histogram, scale, strip, k, bottom, most);
}

void attest_plot_write_histogram(attest_markup *markup, const attest_plot_histogram *histogram)
{
    attest_plot_area area = {STRIP_LEFT, ATTEST_PLOT_WIDTH - STRIP_RIGHT, STRIP_TOP, 0};
    attest_scale scale;

    area.bottom = STRIP_TOP + STRIP * (double)histogram->strips;
    set_histogram_scale(&scale, histogram);
    scale.from = area.left + 4;
    scale.to = area.right - 4;
    attest_plot_open(markup, &histogram->plot, area.bottom + STRIP_BELOW);
    attest_plot_axis_x(markup, &scale, &area, histogram->label);
    for (size_t i = 0; i < histogram->strips; i++)
        write_strip(markup, histogram, &scale, &histogram->strip[i],
                    STRIP_TOP + STRIP * (double)(i + 1));
    attest_plot_close(markup);
}

enum {
    MAP_TOP = 4,
    MAP_RIGHT = 12,
    CELL_HEIGHT = 28,
    NAMED_CELLS = 8, /* a grid of more columns has no numbers in its cells */
    NAMED_ROWS = 24,
    LONGEST_NAME = 170
};

/* The layout of a heat map. */
typedef struct layout {
    double left, width, height; /* the grid's left edge, and the size of a cell */
    double bottom;              /* of the grid */
    double names;               /* the room of the columns' names */
    bool upright;               /* whether those are written upward */
    double low, high;           /* the values of the lightest and the darkest shade */
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
    at->width = (ATTEST_PLOT_WIDTH - at->left - MAP_RIGHT) / (double)heatmap->columns;
    at->height = CELL_HEIGHT;
    if (heatmap->rows == heatmap->columns && heatmap->rows > NAMED_CELLS)
        at->height = at->width;
    at->bottom = MAP_TOP + at->height * (double)heatmap->rows;
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
            double x = at->left + at->width * (double)k, y = MAP_TOP + at->height * (double)i;
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
                         MAP_TOP + at->height * ((double)i + 0.5) + 4.5, "end", name);
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

static void write_shades(attest_markup *markup, const layout *at, double top, const char *unit)
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
    write_shades(markup, &at, below, heatmap->unit);
    attest_plot_close(markup);
}
