/* section_collapse.c -- the least separation against the precision. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <attest/format.h>

#include "base/memory.h"
#include "report/section.h"
#include "report/table.h"
#include "report/value.h"

enum { TOGETHER = 4, MOST_MARKS = 12 };

/* One audit's sweep: the points of a curve. */
typedef struct sweep {
    const attest_record *record;
    char label[96];
    size_t count;
    double *bits, *log2, *collisions;
} sweep;

static void clear_sweep(sweep *all)
{
    free(all->bits);
    free(all->log2);
    free(all->collisions);
}

/* The sweep of a record; count is 0 if it has none. A width at which pairs collide, or outputs
 * are not finite, has separation zero. */
static bool read_sweep(sweep *all, const attest_record *record)
{
    attest_json_cursor root = attest_json_root(&record->document), collapse, array;
    size_t count = 0;

    if (attest_json_find_member(&collapse, &root, "collapse"))
        count = attest_value_array(&array, &collapse, "widths");
    memset(all, 0, sizeof *all);
    all->record = record;
    attest_section_label(all->label, sizeof all->label, record);
    all->bits = attest_memory_alloc(count, sizeof(double));
    all->log2 = attest_memory_alloc(count, sizeof(double));
    all->collisions = attest_memory_alloc(count, sizeof(double));
    if (!all->bits || !all->log2 || !all->collisions)
        return false;
    for (size_t i = 0; i < count; i++) {
        attest_json_cursor point = attest_json_get_element(&array, i);
        double bits = attest_value_number(&point, "bits");
        double collisions = attest_value_number(&point, "collisions");
        if (isnan(bits))
            continue;
        all->bits[all->count] = bits;
        all->collisions[all->count] = collisions;
        all->log2[all->count++] =
            collisions > 0 ? -INFINITY : attest_value_number(&point, "log2_separation");
    }
    return true;
}

/* The precisions of the formats that the audit names, as marks; formats of one precision share
 * a mark. */
typedef struct format_marks {
    size_t count;
    attest_plot_mark mark[MOST_MARKS];
    char name[MOST_MARKS][80];
} format_marks;

static void add_mark(format_marks *marks, double at, const char *name)
{
    for (size_t i = 0; i < marks->count; i++) {
        size_t used = strlen(marks->name[i]);
        if (marks->mark[i].at != at)
            continue;
        if (!strstr(marks->name[i], name) && used + strlen(name) + 3 < sizeof marks->name[i])
            snprintf(marks->name[i] + used, sizeof marks->name[i] - used, ", %s", name);
        return;
    }
    if (marks->count == MOST_MARKS)
        return;
    snprintf(marks->name[marks->count], sizeof marks->name[0], "%s", name);
    marks->mark[marks->count] = (attest_plot_mark){at, marks->name[marks->count]};
    marks->count++;
}

static void read_marks(format_marks *marks, const attest_record *record)
{
    attest_json_cursor root = attest_json_root(&record->document), array;
    size_t count = attest_value_array(&array, &root, "formats");

    for (size_t i = 0; i < count; i++) {
        attest_json_cursor entry = attest_json_get_element(&array, i);
        const char *name = attest_value_text(&entry, "name");
        attest_format format;
        /* "p=N" is its own mark on the axis */
        if (attest_format_parse(&format, name, NULL) == ATTEST_OK &&
            strncmp(name, "p=", 2) != 0)
            add_mark(marks, (double)format.precision, name);
    }
}

static void write_table(attest_markup *body, const sweep *all, size_t count)
{
    static const char *const heading[] = {"Record", "#Bits", "#Collisions",
                                          "#Least separation"};

    attest_table_open(body, "Least separation and collisions at each precision", heading, 4);
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < all[i].count; k++) {
            attest_table_row(body, all[i].label);
            attest_table_number(body, all[i].bits[k], 0);
            attest_table_number(body, all[i].collisions[k], 0);
            attest_table_open_cell(body, "number");
            attest_value_write_power(body, all[i].log2[k]);
            attest_markup_close(body);
        }
    }
    attest_table_close(body);
}

static void write_curves(attest_report *report, const sweep *all, size_t count, size_t number)
{
    attest_plot_series serie[TOGETHER];
    format_marks marks = {0};
    attest_markup drawing;
    attest_plot_lines lines = {
        {NULL, "Collapse curve",
         "The least separation of required pairs against the significand width in bits. Points "
         "on the lowest row are widths at which outputs collide. The table beside it has all "
         "values."},
        ATTEST_SCALE_OCTAVES,
        ATTEST_SCALE_EXPONENT,
        "significand width p in bits",
        "least separation",
        "collapsed",
        count,
        serie,
        0,
        marks.mark,
        0,
        NULL};
    char id[32];

    snprintf(id, sizeof id, "collapse-curve-%zu", number);
    lines.plot.id = id;
    for (size_t i = 0; i < count; i++) {
        serie[i] =
            (attest_plot_series){all[i].label, all[i].count, all[i].bits,      all[i].log2,
                                 (int)i,       true,         all[i].count < 80};
        read_marks(&marks, all[i].record);
    }
    lines.marks = marks.count;
    attest_markup_init(&drawing);
    attest_plot_write_lines(&drawing, &lines);
    attest_section_open_plot(report, &drawing, id,
                             "Collapse curve: every operation rounded to p bits. Dotted lines "
                             "are the precisions of named formats.");
    write_table(&report->body, all, count);
    attest_section_close_plot(report);
}

/* All curves, a few to a figure. */
static void write_figures(attest_report *report)
{
    sweep all[TOGETHER];
    size_t count = 0, number = 0, place = 0;
    const attest_record *record =
        attest_records_find(&report->records, ATTEST_RECORD_AUDIT, 0, &place);

    while (record) {
        if (!read_sweep(&all[count], record))
            report->body.text.failed = true;
        if (all[count].count > 0)
            count++;
        else
            clear_sweep(&all[count]);
        record = attest_records_find(&report->records, ATTEST_RECORD_AUDIT, place + 1, &place);
        if (count == TOGETHER || (!record && count > 0)) {
            write_curves(report, all, count, ++number);
            while (count > 0)
                clear_sweep(&all[--count]);
        }
    }
}

static void write_format(attest_markup *body, const char *label,
                         const attest_json_cursor *entry)
{
    bool collides = attest_value_number(entry, "collisions") > 0;

    attest_table_row(body, label);
    attest_table_cell(body, NULL, attest_value_text(entry, "name"));
    attest_table_open_cell(body, NULL);
    attest_value_write_verdict(body, attest_value_text(entry, "verdict"));
    attest_markup_close(body);
    attest_table_number(body, attest_value_number(entry, "collisions"), 0);
    attest_table_number(body, attest_value_number(entry, "nonfinite"), 0);
    attest_table_open_cell(body, "number");
    attest_value_write_power(body, attest_value_log2(entry, "min_separation"));
    attest_markup_close(body);
    attest_table_open_cell(body, NULL);
    attest_value_write_pair(body, entry, collides ? "pair" : "closest");
    attest_markup_close(body);
    attest_table_cell(body, "long", attest_value_text(entry, "file"));
}

/* What each format did to each mapping. */
static void write_formats(attest_report *report)
{
    static const char *const heading[] = {"Record",      "Format",         "Verdict",
                                          "#Collisions", "#Not finite",    "#Least separation",
                                          "Which pair",  "Replayable file"};
    attest_markup *body = &report->body;
    const attest_record *record;
    char label[96];

    attest_markup_open_class(body, "div", "wide");
    attest_table_open(body, "What each format does to the mapping", heading, 8);
    for (size_t place = 0;
         (record = attest_records_find(&report->records, ATTEST_RECORD_AUDIT, place, &place));
         place++) {
        attest_json_cursor root = attest_json_root(&record->document), array;
        size_t count = attest_value_array(&array, &root, "formats");
        attest_section_label(label, sizeof label, record);
        for (size_t i = 0; i < count; i++) {
            attest_json_cursor entry = attest_json_get_element(&array, i);
            write_format(body, label, &entry);
        }
    }
    attest_table_close(body);
    attest_markup_close(body);
}

void attest_section_write_collapse(attest_report *report)
{
    size_t place;

    if (!attest_records_find(&report->records, ATTEST_RECORD_AUDIT, 0, &place))
        return;
    attest_section_open(report, "collapse", "Where precision runs out",
                        "Below some significand width, outputs that must differ become equal "
                        "bit for bit. The collapse width is the least one from which on all "
                        "widths keep every required pair apart.");
    write_figures(report);
    write_formats(report);
    attest_section_close(report);
}
