/* plot_histogram.c -- histograms one above the other. */
#include <math.h>
#include <stdio.h>

#include "report/plot.h"

enum { TOP = 6, LEFT = 136, RIGHT = 18, BELOW = 46, STRIP = 58, BAR = 40 };

static void set_scale(attest_scale *scale, const attest_plot_histogram *histogram)
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
    double height = BAR * strip->count[k] / most;
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
    attest_plot_cut(name, sizeof name, strip->name, LEFT - 24);
    attest_plot_text(markup, "row", LEFT - 8, bottom - 22, "end", name);
    if (strip->remark) {
        attest_plot_cut(name, sizeof name, strip->remark, LEFT - 4);
        attest_plot_text(markup, "remark", LEFT - 8, bottom - 7, "end", name);
    }
    attest_plot_line(markup, "axis", LEFT, bottom, ATTEST_PLOT_WIDTH - RIGHT, bottom);
    for (size_t k = 0; k < strip->bins; k++)
        if (strip->count[k] > 0)
            write_bin(markup, histogram, scale, strip, k, bottom, most);
}

void attest_plot_write_histogram(attest_markup *markup, const attest_plot_histogram *histogram)
{
    attest_plot_area area = {LEFT, ATTEST_PLOT_WIDTH - RIGHT, TOP, 0};
    attest_scale scale;

    area.bottom = TOP + STRIP * (double)histogram->strips;
    set_scale(&scale, histogram);
    scale.from = area.left + 4;
    scale.to = area.right - 4;
    attest_plot_open(markup, &histogram->plot, area.bottom + BELOW);
    attest_plot_axis_x(markup, &scale, &area, histogram->label);
    for (size_t i = 0; i < histogram->strips; i++)
        write_strip(markup, histogram, &scale, &histogram->strip[i],
                    TOP + STRIP * (double)(i + 1));
    attest_plot_close(markup);
}
