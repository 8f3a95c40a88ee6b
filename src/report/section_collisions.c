/* section_collisions.c -- how many required pairs collide, by format and mapping. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "report/audited.h"
#include "report/section.h"
#include "report/table.h"
#include "report/value.h"

enum { MOST_FORMATS = 24, MOST_AUDITS = 16 };

/* Collisions of every format in every audit; NAN where it was not tried. */
typedef struct grid {
    size_t rows, columns;
    const char *format[MOST_FORMATS];
    const char *audit[MOST_AUDITS];
    char label[MOST_AUDITS][128];
    double count[MOST_FORMATS][MOST_AUDITS];
} grid;

/* The row of a format; it is added if it is new. MOST_FORMATS: no room. */
static size_t find_row(grid *all, const char *format)
{
    size_t row = 0;

    while (row < all->rows && strcmp(all->format[row], format) != 0)
        row++;
    if (row < all->rows || row == MOST_FORMATS)
        return row;
    all->format[row] = format;
    for (size_t i = 0; i < MOST_AUDITS; i++)
        all->count[row][i] = NAN;
    all->rows++;
    return row;
}

static void add_audit(grid *all, const attest_audited *audited)
{
    attest_json_cursor formats;
    size_t count = attest_value_array(&formats, &audited->object, "formats");
    size_t column = all->columns;

    if (count == 0 || column == MOST_AUDITS)
        return;
    all->columns++;
    snprintf(all->label[column], sizeof all->label[0], "%s", audited->label);
    all->audit[column] = all->label[column];
    for (size_t i = 0; i < count; i++) {
        attest_json_cursor entry = attest_json_get_element(&formats, i);
        size_t row = find_row(all, attest_value_text(&entry, "name"));
        if (row < MOST_FORMATS)
            all->count[row][column] = attest_value_number(&entry, "collisions");
    }
}

static void write_table(attest_markup *body, const grid *all)
{
    char marked[MOST_AUDITS][130];
    const char *heading[MOST_AUDITS + 1] = {"Format"};

    for (size_t k = 0; k < all->columns; k++) {
        snprintf(marked[k], sizeof marked[k], "#%s", all->audit[k]);
        heading[k + 1] = marked[k];
    }
    attest_table_open(body, "Collisions among required pairs", heading, all->columns + 1);
    for (size_t i = 0; i < all->rows; i++) {
        attest_table_row(body, all->format[i]);
        for (size_t k = 0; k < all->columns; k++)
            attest_table_number(body, all->count[i][k], 0);
    }
    attest_table_close(body);
}

static void write_map(attest_report *report, const grid *all)
{
    double count[MOST_FORMATS * MOST_AUDITS];
    attest_markup drawing;
    attest_plot_heatmap heatmap = {{"collision-map", "Collisions",
                                    "For each format and each audited mapping, how many "
                                    "required pairs have equal outputs. "
                                    "The table beside it has all numbers."},
                                   "mapping",
                                   all->rows,
                                   all->columns,
                                   all->format,
                                   all->audit,
                                   count,
                                   "collisions",
                                   false,
                                   NULL};

    for (size_t i = 0; i < all->rows; i++)
        for (size_t k = 0; k < all->columns; k++)
            count[i * all->columns + k] = all->count[i][k];
    attest_markup_init(&drawing);
    attest_plot_write_heatmap(&drawing, &heatmap);
    attest_section_open_plot(report, &drawing, "collision-map",
                             "Collisions: required pairs whose outputs are equal bit for bit. "
                             "An output that is not finite collides with everything.");
    write_table(&report->body, all);
    attest_section_close_plot(report);
}

void attest_section_write_collisions(attest_report *report)
{
    grid *all = calloc(1, sizeof *all);
    attest_audited audited;

    if (!all) {
        report->body.text.failed = true;
        return;
    }
    attest_audited_init(&audited);
    while (attest_audited_next(&audited, &report->records))
        add_audit(all, &audited);
    if (all->rows > 0 && all->columns > 0) {
        attest_section_open(report, "collisions", "Collisions", NULL);
        write_map(report, all);
        attest_section_close(report);
    }
    free(all);
}
