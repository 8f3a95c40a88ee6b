/* section_heads.c -- layers and heads of recorded activations: maps and a table. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "report/section.h"

enum { NAME = 32, MOST_SIDE = 256 };

/* The heads of a record on a grid. */
typedef struct grid {
    attest_json_cursor list;
    size_t count, rows, columns;
    double layer[MOST_SIDE]; /* by row */
    char row_text[MOST_SIDE][NAME], column_text[MOST_SIDE][NAME];
    const char *row_name[MOST_SIDE], *column_name[MOST_SIDE];
    double *error;      /* rows * columns */
    char (*link)[NAME]; /* as many; empty: none */
    const char **link_name;
} grid;

/* Rows are the layers in their order, columns the heads from 0 on. */
static void find_sides(grid *g)
{
    for (size_t i = 0; i < g->count; i++) {
        attest_json_cursor head = attest_json_get_element(&g->list, i);
        double layer = attest_value_number(&head, "layer");
        double index = attest_value_number(&head, "head");

        if ((g->rows == 0 || g->layer[g->rows - 1] != layer) && g->rows < MOST_SIDE)
            g->layer[g->rows++] = layer;
        if (index >= (double)g->columns && index < MOST_SIDE)
            g->columns = (size_t)index + 1;
    }
    for (size_t r = 0; r < g->rows; r++) {
        snprintf(g->row_text[r], NAME, "layer %.0f", g->layer[r]);
        g->row_name[r] = g->row_text[r];
    }
    for (size_t c = 0; c < g->columns; c++) {
        snprintf(g->column_text[c], NAME, "%zu", c);
        g->column_name[c] = g->column_text[c];
    }
}

static bool grid_init(grid *g, const attest_json_cursor *root)
{
    memset(g, 0, sizeof *g);
    g->count = attest_value_array(&g->list, root, "heads");
    find_sides(g);
    g->error = attest_memory_alloc(g->rows * g->columns, sizeof *g->error);
    g->link = attest_memory_alloc(g->rows * g->columns, sizeof *g->link);
    g->link_name = attest_memory_alloc(g->rows * g->columns, sizeof *g->link_name);
    return g->error && g->link && g->link_name;
}

static void grid_clear(grid *g)
{
    free(g->error);
    free(g->link);
    free(g->link_name);
}

static void name_row(char text[NAME], size_t number, size_t head)
{
    snprintf(text, NAME, "head-%zu-%zu", number, head);
}

/* The largest errors of a format, and which row of the table a cell leads to. */
static void fill(grid *g, size_t format, size_t number)
{
    size_t row = 0;

    for (size_t i = 0; i < g->rows * g->columns; i++)
        g->error[i] = NAN;
    for (size_t i = 0; i < g->count; i++) {
        attest_json_cursor head = attest_json_get_element(&g->list, i), formats, part;
        double layer = attest_value_number(&head, "layer");
        double index = attest_value_number(&head, "head");
        size_t cell;

        while (row + 1 < g->rows && g->layer[row] != layer)
            row++;
        if (!(index >= 0 && index < (double)g->columns) || g->layer[row] != layer)
            continue;
        cell = row * g->columns + (size_t)index;
        name_row(g->link[cell], number, i);
        g->link_name[cell] = g->link[cell];
        if (attest_value_array(&formats, &head, "formats") > format) {
            attest_json_cursor entry = attest_json_get_element(&formats, format);
            if (attest_json_find_member(&part, &entry, "relative_error"))
                g->error[cell] = 100 * attest_value_number(&part, "max");
        }
    }
}

static void write_map(attest_report *report, grid *g, size_t format, const char *name,
                      const char *label, size_t number)
{
    attest_markup drawing;
    char id[48], title[128], caption[320];
    attest_plot_heatmap map = {{id, title,
                                "The largest relative error of every head, in percent. "
                                "Each cell leads to the row of the table with its numbers."},
                               "head",
                               g->rows,
                               g->columns,
                               g->row_name,
                               g->column_name,
                               g->error,
                               "%",
                               true,
                               g->link_name};

    fill(g, format, number);
    snprintf(id, sizeof id, "heads-%zu-%zu", number, format + 1);
    snprintf(title, sizeof title, "Errors by layer and head in %.64s", name);
    snprintf(caption, sizeof caption,
             "%.64s, \xE2\x80\x98%.96s\xE2\x80\x99: the largest relative error of each head.",
             name, label);
    attest_markup_init(&drawing);
    attest_plot_write_heatmap(&drawing, &map);
    attest_section_add_plot(report, &drawing, id, caption);
}

/* Every head and format: a row each, which the maps lead to. */
static void write_table(attest_markup *body, const grid *g, size_t number)
{
    static const char *const heading[] = {"Layer",          "#Head",
                                          "Format",         "#Largest error",
                                          "#Mean error",    "#Weights, largest",
                                          "#Weights, mean", "#Strongest key changed",
                                          "#Pairs apart",   "#By rounding only",
                                          "#Merged",        "#Not finite",
                                          "#Saturated"};
    char text[64], id[NAME];

    attest_markup_open_class(body, "div", "wide");
    attest_table_open(body, "Every head in every format", heading, 13);
    for (size_t i = 0; i < g->count; i++) {
        attest_json_cursor head = attest_json_get_element(&g->list, i), formats;
        size_t count = attest_value_array(&formats, &head, "formats");

        for (size_t f = 0; f < count; f++) {
            attest_json_cursor entry = attest_json_get_element(&formats, f);

            name_row(id, number, i);
            snprintf(text, sizeof text, "%.0f", attest_value_number(&head, "layer"));
            attest_table_named_row(body, f == 0 ? id : NULL, text);
            attest_table_number(body, attest_value_number(&head, "head"), 0);
            attest_table_cell(body, NULL, attest_value_text(&entry, "name"));
            attest_section_write_errors_of(body, &entry);
        }
    }
    attest_table_close(body);
    attest_markup_close(body);
}

static void write_record(attest_report *report, grid *g, const attest_audit_iter *audited,
                         size_t number)
{
    attest_json_cursor formats;
    size_t count = attest_value_array(&formats, &audited->root, "formats");

    attest_markup_open_class(&report->body, "div", "maps");
    for (size_t f = 0; f < count; f++) {
        attest_json_cursor entry = attest_json_get_element(&formats, f);
        write_map(report, g, f, attest_value_text(&entry, "name"), audited->label, number);
    }
    attest_markup_close(&report->body);
    write_table(&report->body, g, number);
}

void attest_section_write_heads(attest_report *report)
{
    grid *g = malloc(sizeof *g);
    attest_audit_iter audited;
    size_t number = 0;

    report->body.text.failed |= g == NULL;
    attest_audit_iter_init_heads(&audited);
    while (g && attest_audit_iter_next(&audited, &report->records)) {
        if (!grid_init(g, &audited.root)) {
            report->body.text.failed = true;
        } else if (g->count > 0 && g->rows > 0 && g->columns > 0) {
            if (number++ == 0)
                attest_section_open(report, "heads", "Layers and heads",
                                    "One map for each format shows the error of every head. A "
                                    "cell leads to the numbers of its head.");
            write_record(report, g, &audited, number);
        }
        grid_clear(g);
    }
    if (number > 0)
        attest_section_close(report);
    free(g);
}
