/* section_errors.c -- how large rounding errors are, and where they enter. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/section.h"
#include "report/table.h"
#include "report/value.h"

enum { MOST_FORMATS = 24, KINDS = 3, STAGES = 6 };

static const char *const kind_name[KINDS] = {"mean error", "worst error", "a priori bound"};
static const char *const kind_key[KINDS] = {"mean_ulp", "max_ulp", "bound_ulp"};
static const char *const stage_name[STAGES] = {"score", "max", "exp", "sum", "division", "mix"};

/* The errors of an audit's formats. */
typedef struct errors {
    size_t formats;
    bool any, any_stage;
    const char *name[MOST_FORMATS];
    double ulp[MOST_FORMATS][KINDS];
    double stage[MOST_FORMATS * STAGES];
} errors;

static void read_stages(errors *all, size_t row, const attest_json_cursor *entry)
{
    attest_json_cursor stages, stage;
    bool has_stages = attest_json_find_member(&stages, entry, "stages");

    for (size_t k = 0; k < STAGES; k++) {
        double *ulp = &all->stage[row * STAGES + k];
        *ulp = has_stages && attest_json_find_member(&stage, &stages, stage_name[k])
                   ? attest_value_number(&stage, "max_ulp")
                   : NAN;
        all->any_stage = all->any_stage || !isnan(*ulp);
    }
}

static void read_errors(errors *all, const attest_record *record)
{
    attest_json_cursor root = attest_json_root(&record->document), formats;
    size_t count = attest_value_array(&formats, &root, "formats");

    memset(all, 0, sizeof *all);
    all->formats = count < MOST_FORMATS ? count : MOST_FORMATS;
    for (size_t i = 0; i < all->formats; i++) {
        attest_json_cursor entry = attest_json_get_element(&formats, i);
        all->name[i] = attest_value_text(&entry, "name");
        for (size_t k = 0; k < KINDS; k++) {
            all->ulp[i][k] = attest_value_number(&entry, kind_key[k]);
            all->any = all->any || !isnan(all->ulp[i][k]);
        }
        read_stages(all, i, &entry);
    }
}

static void write_errors_table(attest_markup *body, const errors *all)
{
    static const char *const heading[] = {"Format", "#Mean error (ulp)", "#Worst error (ulp)",
                                          "#A priori bound (ulp)"};

    attest_table_open(body, "Errors in units in the last place", heading, 1 + KINDS);
    for (size_t i = 0; i < all->formats; i++) {
        attest_table_row(body, all->name[i]);
        for (size_t k = 0; k < KINDS; k++)
            attest_table_number(body, all->ulp[i][k], 3);
    }
    attest_table_close(body);
}

static void write_errors(attest_report *report, const errors *all, const char *label,
                         size_t number)
{
    attest_plot_row row[MOST_FORMATS];
    attest_markup drawing;
    char id[32], caption[256];
    attest_plot_dots dots = {{id, "Errors by format",
                              "For each format, on a logarithmic axis: the mean and the worst "
                              "error of an output in units in the last place, and a bound that "
                              "holds before anything is computed. The table beside it has all "
                              "values."},
                             ATTEST_SCALE_DECADES,
                             "error in ulp of the format",
                             KINDS,
                             kind_name,
                             all->formats,
                             row,
                             0,
                             NULL};

    snprintf(id, sizeof id, "errors-%zu", number);
    snprintf(caption, sizeof caption,
             "Errors of the outputs of %s against their certified values, and the bound known "
             "beforehand.",
             label);
    for (size_t i = 0; i < all->formats; i++)
        row[i] = (attest_plot_row){all->name[i], all->ulp[i], NULL};
    attest_markup_init(&drawing);
    attest_plot_write_dots(&drawing, &dots);
    attest_section_open_plot(report, &drawing, id, caption);
    write_errors_table(&report->body, all);
    attest_section_close_plot(report);
}

static void write_stages(attest_report *report, const errors *all, const char *label,
                         size_t number)
{
    static const char *const heading[] = {"Format", "#Score",    "#Max", "#Exp",
                                          "#Sum",   "#Division", "#Mix"};
    attest_markup drawing, *body = &report->body;
    char id[32], caption[256];
    attest_plot_heatmap heatmap = {{id, "Where the error enters",
                                    "For each format and each stage of attention, the worst "
                                    "error with only that stage rounded. The table beside it "
                                    "has all values."},
                                   "format",
                                   "stage that is rounded",
                                   all->formats,
                                   STAGES,
                                   all->name,
                                   stage_name,
                                   all->stage,
                                   "ulp"};

    snprintf(id, sizeof id, "stages-%zu", number);
    snprintf(caption, sizeof caption,
             "Where the error of %s enters: the worst error in ulp with one stage rounded and "
             "the others not.",
             label);
    attest_markup_init(&drawing);
    attest_plot_write_heatmap(&drawing, &heatmap);
    attest_section_open_plot(report, &drawing, id, caption);
    attest_table_open(body, "Worst error in ulp with one stage rounded", heading, 1 + STAGES);
    for (size_t i = 0; i < all->formats; i++) {
        attest_table_row(body, all->name[i]);
        for (size_t k = 0; k < STAGES; k++)
            attest_table_number(body, all->stage[i * STAGES + k], 3);
    }
    attest_table_close(body);
    attest_section_close_plot(report);
}

/* Whether an audit has errors to show. */
static bool any_errors(const attest_report *report, errors *all)
{
    for (size_t i = 0; i < report->records.count; i++) {
        if (report->records.record[i].kind != ATTEST_RECORD_AUDIT)
            continue;
        read_errors(all, &report->records.record[i]);
        if (all->any || all->any_stage)
            return true;
    }
    return false;
}

static void write_all(attest_report *report, errors *all)
{
    const attest_record *record;
    size_t number = 0;
    char label[96];

    for (size_t place = 0;
         (record = attest_records_find(&report->records, ATTEST_RECORD_AUDIT, place, &place));
         place++) {
        read_errors(all, record);
        attest_section_label(label, sizeof label, record);
        number++;
        if (all->any)
            write_errors(report, all, label, number);
        if (all->any_stage)
            write_stages(report, all, label, number);
    }
}

void attest_section_write_errors(attest_report *report)
{
    errors *all = malloc(sizeof *all);

    if (!all) {
        report->body.text.failed = true;
        return;
    }
    if (any_errors(report, all)) {
        attest_section_open(report, "errors", "Rounding errors",
                            "Errors are measured against enclosures of the exact outputs, in "
                            "units in the last place of the format.");
        write_all(report, all);
        attest_section_close(report);
    }
    free(all);
}
