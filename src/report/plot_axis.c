/* plot_axis.c -- axes, and lines at values worth one. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "report/plot.h"

/* 2^e and 10^k with a raised exponent. */
static void write_label(attest_markup *markup, double x, double y, const char *anchor,
                        const attest_scale *scale, double value)
{
    char base[32], exponent[32];

    attest_scale_format(base, exponent, scale, value);
    attest_markup_open_class(markup, "text", "tick");
    attest_markup_attribute_number(markup, "x", x);
    attest_markup_attribute_number(markup, "y", y);
    attest_markup_attribute(markup, "text-anchor", anchor);
    attest_markup_text(markup, base);
    if (exponent[0]) {
        attest_markup_open_class(markup, "tspan", "raised");
        attest_markup_attribute(markup, "dy", "-5");
        attest_markup_text(markup, exponent);
        attest_markup_close(markup);
    }
    attest_markup_close(markup);
}

void attest_plot_axis_x(attest_markup *markup, const attest_scale *scale,
                        const attest_plot_area *area, const char *label)
{
    double tick[ATTEST_SCALE_MOST];
    size_t count = attest_scale_get_ticks(tick, scale);

    for (size_t i = 0; i < count; i++) {
        double x = attest_scale_get(scale, tick[i]);
        attest_plot_line(markup, "grid", x, area->top, x, area->bottom);
        write_label(markup, x, area->bottom + 17, "middle", scale, tick[i]);
    }
    attest_plot_line(markup, "axis", area->left, area->bottom, area->right, area->bottom);
    attest_plot_text(markup, "name", (area->left + area->right) / 2, area->bottom + 37,
                     "middle", label);
}

void attest_plot_axis_y(attest_markup *markup, const attest_scale *scale,
                        const attest_plot_area *area, const char *label)
{
    double tick[ATTEST_SCALE_MOST];
    size_t count = attest_scale_get_ticks(tick, scale);
    char middle[32];

    for (size_t i = 0; i < count; i++) {
        double y = attest_scale_get(scale, tick[i]);
        attest_plot_line(markup, "grid", area->left, y, area->right, y);
        write_label(markup, area->left - 6, y + 4.5, "end", scale, tick[i]);
    }
    attest_markup_format(middle, (area->top + area->bottom) / 2);
    attest_markup_open_class(markup, "text", "name");
    attest_markup_attribute_printf(markup, "transform", "translate(14 %s) rotate(-90)", middle);
    attest_markup_attribute(markup, "text-anchor", "middle");
    attest_markup_text(markup, label);
    attest_markup_close(markup);
}

static int compare_marks(const void *a, const void *b)
{
    const attest_plot_mark *one = *(const attest_plot_mark *const *)a;
    const attest_plot_mark *two = *(const attest_plot_mark *const *)b;

    return one->at < two->at ? -1 : one->at > two->at ? 1 : one < two ? -1 : one > two;
}

enum { MOST_MARKS = 16, NAME_LETTER = 11, NAME_GAP = 13 };

double attest_plot_marks_height(const attest_plot_mark *mark, size_t count)
{
    double height = 0;

    for (size_t i = 0; i < count; i++)
        height = fmax(height, attest_plot_width(mark[i].name));
    /* Names are in smaller letters. */
    return count == 0 ? 0 : height * NAME_LETTER / ATTEST_PLOT_LETTER + 12;
}

/* A name from the area's top upward. */
static void write_name(attest_markup *markup, double x, double y, const char *name)
{
    char at_x[32], at_y[32];

    attest_markup_format(at_x, x);
    attest_markup_format(at_y, y);
    attest_markup_open_class(markup, "text", "mark");
    attest_markup_attribute_printf(markup, "transform", "translate(%s %s) rotate(-90)", at_x,
                                   at_y);
    attest_markup_text(markup, name);
    attest_markup_close(markup);
}

void attest_plot_marks(attest_markup *markup, const attest_scale *scale,
                       const attest_plot_area *area, const attest_plot_mark *mark, size_t count)
{
    const attest_plot_mark *sorted[MOST_MARKS];
    double last = -NAME_GAP;

    count = count < MOST_MARKS ? count : MOST_MARKS;
    for (size_t i = 0; i < count; i++)
        sorted[i] = &mark[i];
    qsort(sorted, count, sizeof sorted[0], compare_marks);
    for (size_t i = 0; i < count; i++) {
        double x = attest_scale_get(scale, sorted[i]->at);
        double beside = fmax(x, last + NAME_GAP);
        attest_plot_line(markup, "mark", x, area->top, x, area->bottom);
        attest_plot_line(markup, "mark", x, area->top, beside, area->top - 6);
        write_name(markup, beside + 4, area->top - 8, sorted[i]->name);
        last = beside;
    }
}
