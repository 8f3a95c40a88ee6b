/* section_algorithms.c -- ways to compute softmax, side by side. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/audited.h"
#include "report/section.h"
#include "report/table.h"
#include "report/value.h"

enum { MOST_ALGORITHMS = 16, MOST_FORMATS = 12 };

/* Worst errors and collisions of every algorithm in every format. */
typedef struct comparison {
    size_t algorithms, formats;
    char label[MOST_ALGORITHMS][64];
    const char *name[MOST_ALGORITHMS], *format[MOST_FORMATS];
    double ulp[MOST_ALGORITHMS * MOST_FORMATS], collisions[MOST_ALGORITHMS * MOST_FORMATS];
} comparison;

/* "shifted, pairwise, fma". */
static void set_label(char *label, size_t size, const attest_json_cursor *algorithm)
{
    attest_json_cursor member;
    bool fma = false;

    if (attest_json_find_member(&member, algorithm, "fma") &&
        attest_json_get_bool(&fma, &member, NULL) != ATTEST_OK)
        fma = false;
    snprintf(label, size, "%.20s, %.20s%s", attest_value_text(algorithm, "softmax"),
             attest_value_text(algorithm, "sum"), fma ? ", fma" : "");
}

static void read_comparison(comparison *all, const attest_json_cursor *algorithms, size_t count)
{
    attest_json_cursor first = attest_json_get_element(algorithms, 0), formats;

    all->algorithms = count < MOST_ALGORITHMS ? count : MOST_ALGORITHMS;
    all->formats = attest_value_array(&formats, &first, "formats");
    all->formats = all->formats < MOST_FORMATS ? all->formats : MOST_FORMATS;
    for (size_t i = 0; i < all->algorithms; i++) {
        attest_json_cursor algorithm = attest_json_get_element(algorithms, i);
        size_t length = attest_value_array(&formats, &algorithm, "formats");
        set_label(all->label[i], sizeof all->label[i], &algorithm);
        all->name[i] = all->label[i];
        for (size_t k = 0; k < all->formats; k++) {
            size_t at = i * all->formats + k;
            attest_json_cursor entry;
            all->ulp[at] = all->collisions[at] = NAN;
            if (k >= length)
                continue;
            entry = attest_json_get_element(&formats, k);
            all->format[k] = i == 0 ? attest_value_text(&entry, "name") : all->format[k];
            all->ulp[at] = attest_value_number(&entry, "max_ulp");
            all->collisions[at] = attest_value_number(&entry, "collisions");
        }
    }
}

static void write_table(attest_markup *body, const comparison *all)
{
    static const char *const heading[] = {"Algorithm", "Format", "#Collisions",
                                          "#Worst error (ulp)"};

    attest_table_open(body, "Every algorithm in every format", heading, 4);
    for (size_t i = 0; i < all->algorithms; i++) {
        for (size_t k = 0; k < all->formats; k++) {
            attest_table_row(body, all->name[i]);
            attest_table_cell(body, NULL, all->format[k]);
            attest_table_number(body, all->collisions[i * all->formats + k], 0);
            attest_table_number(body, all->ulp[i * all->formats + k], 3);
        }
    }
    attest_table_close(body);
}

static void write_figure(attest_report *report, const comparison *all, const char *label,
                         size_t number)
{
    attest_markup drawing;
    char id[32], caption[256];
    attest_plot_heatmap heatmap = {
        {id, "Algorithms side by side",
         "For each way to compute softmax and each format, the worst error in units in the "
         "last "
         "place. The table beside it has all values, and the collisions."},
        "format",
        all->algorithms,
        all->formats,
        all->name,
        all->format,
        all->ulp,
        "ulp",
        true,
        NULL};

    snprintf(id, sizeof id, "algorithms-%zu", number);
    snprintf(caption, sizeof caption,
             "Ways to compute softmax in \xE2\x80\x98%s\xE2\x80\x99: the worst error in ulp of "
             "the format.",
             label);
    attest_markup_init(&drawing);
    attest_plot_write_heatmap(&drawing, &heatmap);
    attest_section_open_plot(report, &drawing, id, caption);
    write_table(&report->body, all);
    attest_section_close_plot(report);
}

void attest_section_write_algorithms(attest_report *report)
{
    comparison *all = calloc(1, sizeof *all);
    attest_audited audited;
    size_t number = 0;

    report->body.text.failed |= all == NULL;
    attest_audited_init(&audited);
    while (all && attest_audited_next(&audited, &report->records)) {
        attest_json_cursor algorithms;
        size_t count = attest_value_array(&algorithms, &audited.object, "algorithms");
        if (count == 0)
            continue;
        read_comparison(all, &algorithms, count);
        if (all->formats == 0)
            continue;
        if (number == 0)
            attest_section_open(
                report, "algorithms", "Algorithms side by side",
                "Softmax may be computed naively, shifted by the largest score "
                "or in one pass; sums one after the other or in pairs; products "
                "fused or not.");
        write_figure(report, all, audited.label, ++number);
    }
    if (number > 0)
        attest_section_close(report);
    free(all);
}
