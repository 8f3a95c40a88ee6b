/* section_approximate.c -- errors of the universal approximator against its grid. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/section.h"
#include "report/table.h"
#include "report/value.h"

enum { CURVES = 4, MOST_POINTS = 64, MOST_FUNCTIONS = 16 };

static const char *const curve_key[CURVES] = {"l1", "l1_bound", "l2", "l2_bound"};
static const char *const curve_name[CURVES] = {"L\xC2\xB9 error", "L\xC2\xB9 bound",
                                               "L\xC2\xB2 error", "L\xC2\xB2 bound"};

/* The errors of one function, for grids in growing order. */
typedef struct errors {
    const char *function;
    double dim, length;
    size_t count;
    struct point {
        double grid, log2[CURVES];
    } point[MOST_POINTS];
} errors;

static bool same(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

/* Whether the object is about the function of all; it becomes that of the first. */
static bool belongs(errors *all, const attest_json_cursor *object)
{
    const char *function = attest_value_text(object, "function");
    double dim = attest_value_number(object, "dim");
    double length = attest_value_number(object, "length");

    if (!all->function) {
        all->function = function;
        all->dim = dim;
        all->length = length;
    }
    return strcmp(all->function, function) == 0 && same(all->dim, dim) &&
           same(all->length, length);
}

static void add(errors *all, const attest_json_cursor *object)
{
    struct point *point = &all->point[all->count];

    point->grid = attest_value_number(object, "grid");
    if (all->count == MOST_POINTS || !(point->grid > 0))
        return;
    for (int i = 0; i < CURVES; i++)
        point->log2[i] = attest_value_log2(object, curve_key[i]);
    all->count++;
}

static int compare(const void *a, const void *b)
{
    const struct point *one = a, *two = b;

    return one->grid < two->grid ? -1 : one->grid > two->grid;
}

static void write_table(attest_markup *body, const errors *all)
{
    static const char *const heading[] = {"Grid G", "#L\xC2\xB9 error", "#L\xC2\xB9 bound",
                                          "#L\xC2\xB2 error", "#L\xC2\xB2 bound"};
    char number[64];

    attest_table_open(body, "Errors and their bounds", heading, 1 + CURVES);
    for (size_t i = 0; i < all->count; i++) {
        attest_table_row(body, attest_scale_format_number(number, all->point[i].grid, 0));
        for (int k = 0; k < CURVES; k++) {
            attest_table_open_cell(body, "number");
            attest_value_write_power(body, all->point[i].log2[k]);
            attest_markup_close(body);
        }
    }
    attest_table_close(body);
}

static void write_function(attest_report *report, errors *all, size_t number)
{
    double grid[MOST_POINTS], log2[CURVES][MOST_POINTS];
    attest_plot_series serie[CURVES];
    attest_markup drawing;
    char id[32], caption[256], shown[64];
    attest_plot_lines lines = {
        .plot = {id, "Approximation error",
                 "Measured errors and proved bounds against the number of grid cells on each "
                 "axis, both axes logarithmic. The table beside it has all values."},
        .x_kind = ATTEST_SCALE_OCTAVES,
        .y_kind = ATTEST_SCALE_EXPONENT,
        .x_label = "grid G (cells on each axis)",
        .y_label = "error",
        .zero_label = "0",
        .zero_is_good = true,
        .series = CURVES,
        .serie = serie};

    qsort(all->point, all->count, sizeof all->point[0], compare);
    for (size_t i = 0; i < all->count; i++) {
        grid[i] = all->point[i].grid;
        for (int k = 0; k < CURVES; k++)
            log2[k][i] = all->point[i].log2[k];
    }
    for (int k = 0; k < CURVES; k++)
        serie[k] =
            (attest_plot_series){curve_name[k], all->count, grid, log2[k], k, true, true};
    snprintf(id, sizeof id, "approximation-%zu", number);
    attest_plot_cut(shown, sizeof shown, all->function, 200);
    snprintf(caption, sizeof caption,
             "Error of the approximation of %s, enclosed, and its bound, against the grid.",
             shown);
    attest_markup_init(&drawing);
    attest_plot_write_lines(&drawing, &lines);
    attest_section_open_plot(report, &drawing, id, caption);
    write_table(&report->body, all);
    attest_section_close_plot(report);
}

/* The objects of all records, one after the other: a record is one, or holds a table. */
typedef struct cursor {
    size_t place, index, count;
    bool inside;
    attest_json_cursor root, list, object;
} cursor;

static bool next(cursor *at, const attest_records *records)
{
    for (;;) {
        if (at->inside && ++at->index < at->count)
            break;
        at->place += at->inside;
        at->inside = false;
        if (!attest_records_find(records, ATTEST_RECORD_APPROXIMATE, at->place, &at->place))
            return false;
        at->inside = true;
        at->index = 0;
        at->root = attest_json_root(&records->record[at->place].document);
        at->object = at->root;
        at->count = attest_value_array(&at->list, &at->root, "errors");
        if (at->count == 0)
            return true;
        break;
    }
    at->object = attest_json_get_element(&at->list, at->index);
    return true;
}

static size_t count_objects(const attest_records *records)
{
    cursor at = {0};
    size_t count = 0;

    while (next(&at, records))
        count++;
    return count;
}

/* All objects of the function that stands first among those not yet written. */
static void gather(errors *all, const attest_report *report, bool *done)
{
    cursor at = {0};

    memset(all, 0, sizeof *all);
    for (size_t i = 0; next(&at, &report->records); i++) {
        if (done[i] || !belongs(all, &at.object))
            continue;
        done[i] = true;
        add(all, &at.object);
    }
}

void attest_section_write_approximations(attest_report *report)
{
    size_t count = count_objects(&report->records), number = 0;
    bool *done = calloc(count + 1, sizeof *done);
    errors *all = malloc(sizeof *all);

    report->body.text.failed |= !done || !all;
    if (count > 0 && done && all) {
        attest_section_open(
            report, "approximation", "Approximation",
            "The universal approximator over finer and finer grids: its errors, "
            "which are enclosed, and the bounds that were proved.");
        for (gather(all, report, done); all->function && number < MOST_FUNCTIONS;
             gather(all, report, done))
            if (all->count > 0)
                write_function(report, all, ++number);
        attest_section_close(report);
    }
    free(done);
    free(all);
}
