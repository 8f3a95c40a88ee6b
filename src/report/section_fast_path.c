/* section_fast_path.c -- the kernels' errors and their bounds' pessimism, as histograms. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/audited.h"
#include "report/section.h"
#include "report/table.h"
#include "report/value.h"

enum { STRIPS = 2, MOST_BINS = 64 };

/* Two histograms: edges are log2. */
typedef struct histograms {
    size_t bins[STRIPS];
    double edge[STRIPS][MOST_BINS + 1], count[STRIPS][MOST_BINS];
    bool open_below[STRIPS], open_above[STRIPS]; /* the first and the last bin have no end */
    char remark[STRIPS][64];
} histograms;

static const char *const strip_key[STRIPS] = {"ulp", "pessimism"};
static const char *const strip_name[STRIPS] = {"error in ulp", "bound / error"};

/* Bins [{"from", "to", "count"} ...] that follow one another. The first may begin at zero and
 * the last have no end: both are drawn one octave wide. */
static void read_histogram(histograms *all, size_t strip, const attest_json_cursor *kernel)
{
    attest_json_cursor array;
    size_t count = attest_value_array(&array, kernel, strip_key[strip]), used = 0;

    for (size_t i = 0; i < count && used < MOST_BINS; i++) {
        attest_json_cursor bin = attest_json_get_element(&array, i);
        double from = log2(attest_value_number(&bin, "from"));
        double to = log2(attest_value_number(&bin, "to"));
        bool below = !isfinite(from), above = !isfinite(to);
        from = below ? to - 1 : from;
        to = above ? from + 1 : to;
        if (!(from < to) || (used > 0 && from != all->edge[strip][used]))
            continue;
        all->open_below[strip] |= used == 0 && below;
        all->open_above[strip] = above;
        all->edge[strip][used] = from;
        all->count[strip][used] = attest_value_number(&bin, "count");
        all->edge[strip][++used] = to;
    }
    all->bins[strip] = used;
}

static void write_table(attest_markup *body, const histograms *all)
{
    static const char *const heading[] = {"Histogram", "#From", "#To", "#Cases"};

    attest_table_open(body, "The fast path\xE2\x80\x99s errors and pessimism", heading, 4);
    for (size_t i = 0; i < STRIPS; i++) {
        for (size_t k = 0; k < all->bins[i]; k++) {
            attest_table_row(body, strip_name[i]);
            for (size_t end = 0; end < 2; end++) {
                attest_table_open_cell(body, "number");
                if (end == 0 && k == 0 && all->open_below[i])
                    attest_markup_text(body, "0");
                else if (end == 1 && k + 1 == all->bins[i] && all->open_above[i])
                    attest_markup_text(body, "\xE2\x88\x9E");
                else
                    attest_value_write_power(body, all->edge[i][k + end]);
                attest_markup_close(body);
            }
            attest_table_number(body, all->count[i][k], 0);
        }
    }
    attest_table_close(body);
}

/* With what histograms cannot tell: rows without error, without a bound, or beyond it. */
static void format_caption(char *caption, size_t size, const attest_json_cursor *kernel,
                           const char *label)
{
    static const char *const keys[] = {"rows", "exact_rows", "rows_without_bound",
                                       "bounds_broken"};
    char number[4][64];

    for (int i = 0; i < 4; i++)
        attest_scale_format_number(number[i], attest_value_number(kernel, keys[i]), 0);
    snprintf(caption, size,
             "The %.20s kernel on the data of \xE2\x80\x98%s\xE2\x80\x99: its errors, and how "
             "many times larger its proved bounds are; bars at the ends may hold what lies "
             "beyond. Of %.20s rows %.20s have no error, "
             "%.20s no bound; "
             "%.20s bounds are broken.",
             attest_value_text(kernel, "name"), label, number[0], number[1], number[2],
             number[3]);
}

static void write_figure(attest_report *report, const histograms *all,
                         const attest_json_cursor *kernel, const char *label, size_t number)
{
    attest_plot_strip strip[STRIPS];
    attest_markup drawing;
    char id[32], caption[640];
    attest_plot_histogram histogram = {
        {id, "The fast path",
         "Histograms of the kernel's errors in ulp and of the ratio of its bounds to its "
         "errors, "
         "on a logarithmic axis. The table beside it has all numbers."},
        ATTEST_SCALE_EXPONENT,
        "error in ulp, and bound divided by error",
        STRIPS,
        strip};

    snprintf(id, sizeof id, "fast-path-%zu", number);
    format_caption(caption, sizeof caption, kernel, label);
    for (size_t i = 0; i < STRIPS; i++)
        strip[i] = (attest_plot_strip){.name = strip_name[i],
                                       .remark = all->remark[i],
                                       .bins = all->bins[i],
                                       .edge = all->edge[i],
                                       .count = all->count[i],
                                       .open_below = all->open_below[i],
                                       .open_above = all->open_above[i],
                                       .style = (int)i};
    attest_markup_init(&drawing);
    attest_plot_write_histogram(&drawing, &histogram);
    attest_section_open_plot(report, &drawing, id, caption);
    write_table(&report->body, all);
    attest_section_close_plot(report);
}

static void write_mapping(attest_report *report, histograms *all, const char *label,
                          const attest_json_cursor *kernel, size_t number)
{
    char worst[64];

    memset(all, 0, sizeof *all);
    for (size_t i = 0; i < STRIPS; i++)
        read_histogram(all, i, kernel);
    snprintf(all->remark[0], sizeof all->remark[0], "max %.40s",
             attest_scale_format_number(worst, attest_value_number(kernel, "max_ulp"), 3));
    write_figure(report, all, kernel, label, number);
}

void attest_section_write_fast_path(attest_report *report)
{
    histograms *all = malloc(sizeof *all);
    attest_audited audited;
    size_t number = 0;

    report->body.text.failed |= all == NULL;
    attest_audited_init(&audited);
    while (all && attest_audited_next(&audited, &report->records)) {
        attest_json_cursor kernel;
        if (!attest_json_find_member(&kernel, &audited.object, "kernel") ||
            !attest_json_is_object(&kernel))
            continue;
        if (number == 0)
            attest_section_open(report, "fast-path", "The fast path",
                                "The kernels propose and never decide. Here they are checked "
                                "themselves: their errors, and how far their proved bounds "
                                "lie above them.");
        write_mapping(report, all, audited.label, &kernel, ++number);
    }
    if (number > 0)
        attest_section_close(report);
    free(all);
}
