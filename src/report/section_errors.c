/* section_errors.c -- how large rounding errors are, and where they enter. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/section.h"
#include "report/table.h"

enum { MOST_FORMATS = 24, KINDS = 3, STAGES = 8 };

static const char *const kind_name[KINDS] = {"mean error", "worst error", "a priori bound"};
static const char *const kind_key[KINDS] = {"mean_ulp", "max_ulp", "bound_ulp"};
static const char *const stage_name[STAGES] = {"input", "score", "max",      "exp",
                                               "sum",   "mix",   "division", "output"};

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

static void read_errors(errors *all, const attest_json_cursor *object)
{
    attest_json_cursor formats;
    size_t count = attest_value_array(&formats, object, "formats");

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
             "Errors of the outputs of \xE2\x80\x98%s\xE2\x80\x99 against their certified "
             "values, and the bound known "
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
    static const char *const heading[] = {"Format", "#Input", "#Score",    "#Max",   "#Exp",
                                          "#Sum",   "#Mix",   "#Division", "#Output"};
    attest_markup drawing, *body = &report->body;
    char id[32], caption[256];
    attest_plot_heatmap heatmap = {{id, "Where the error enters",
                                    "For each format and each stage of attention, the worst "
                                    "error with only that stage rounded. The table beside it "
                                    "has all values."},
                                   "stage that is rounded",
                                   all->formats,
                                   STAGES,
                                   all->name,
                                   stage_name,
                                   all->stage,
                                   "ulp",
                                   true,
                                   NULL};

    snprintf(id, sizeof id, "stages-%zu", number);
    snprintf(caption, sizeof caption,
             "Where the error of \xE2\x80\x98%s\xE2\x80\x99 enters: the worst error in ulp "
             "with one stage rounded and "
             "the others not.",
             label);
    attest_markup_init(&drawing);
    attest_plot_write_heatmap(&drawing, &heatmap);
    attest_section_open_plot(report, &drawing, id, caption);
    attest_table_open(body, "Worst error in ulp with one stage rounded", heading, 1 + STAGES);
    for (size_t i = 0; i < all->formats; i++) {
        attest_table_row(body, all->name[i]);
        for (size_t k = 0; k < STAGES; k++)
            attest_table_number(body, all->stage[i * STAGES + k], 2);
    }
    attest_table_close(body);
    attest_section_close_plot(report);
}

void attest_section_write_errors(attest_report *report)
{
    errors *all = malloc(sizeof *all);
    attest_audit_iter audited;
    size_t number = 0;

    report->body.text.failed |= all == NULL;
    attest_audit_iter_init(&audited);
    while (all && attest_audit_iter_next(&audited, &report->records)) {
        read_errors(all, &audited.object);
        if (!all->any && !all->any_stage)
            continue;
        if (number++ == 0)
            attest_section_open(report, "errors", "Rounding errors",
                                "Errors are measured against enclosures of the exact outputs, "
                                "in units in the last place of the format.");
        if (all->any)
            write_errors(report, all, audited.label, number);
        if (all->any_stage)
            write_stages(report, all, audited.label, number);
    }
    if (number > 0)
        attest_section_close(report);
    free(all);
}
