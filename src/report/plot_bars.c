/* plot_bars.c -- shares of a whole, one bar for each row. */
#include <math.h>
#include <stdio.h>

#include "report/plot.h"

enum { TOP = 10, LEFT = 150, RIGHT = 12, BELOW = 46, ROW = 26, BAR = 16 };

static void write_row(attest_markup *markup, const attest_plot_bars *bars, size_t row,
                      const attest_scale *scale, double middle)
{
    const double *count = bars->count + row * bars->parts;
    double total = 0, done = 0;
    char name[64], class_name[16], number[64], share[64], tooltip[320];

    for (size_t k = 0; k < bars->parts; k++)
        total += count[k];
    attest_plot_cut(name, sizeof name, bars->row_name[row], LEFT - 24);
    attest_plot_text(markup, "row", LEFT - 8, middle + 4.5, "end", name);
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
        attest_plot_box(markup, class_name, from, middle - BAR / 2.0, fmax(to - from, 1.2), BAR,
                        tooltip);
        done += count[k];
    }
}

void attest_plot_write_bars(attest_markup *markup, const attest_plot_bars *bars)
{
    attest_markup aside;
    attest_plot_area area = {LEFT, ATTEST_PLOT_WIDTH - RIGHT, 0, 0};
    attest_scale scale;

    attest_markup_init(&aside);
    area.top =
        TOP + attest_plot_legend(&aside, 2, bars->part_name, bars->part_style, bars->parts);
    attest_markup_clear(&aside);
    area.bottom = area.top + ROW * (double)bars->rows;
    attest_scale_set(&scale, ATTEST_SCALE_LINEAR, 0, 100, 5);
    scale.from = area.left;
    scale.to = area.right - 12;
    attest_plot_open(markup, &bars->plot, area.bottom + BELOW);
    attest_plot_axis_x(markup, &scale, &area, "share of all trials in %");
    for (size_t i = 0; i < bars->rows; i++)
        write_row(markup, bars, i, &scale, area.top + ROW * ((double)i + 0.5));
    attest_plot_legend(markup, 2, bars->part_name, bars->part_style, bars->parts);
    attest_plot_close(markup);
}
