/* section_campaign.c -- the results of campaigns. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "report/section.h"

enum { PARTS = 4, MOST_BARS = 40, MOST_LABELS = 12 };

static void write_tightest(attest_markup *body, const attest_json_cursor *property)
{
    attest_json_cursor tightest;
    double margin = NAN;

    if (attest_json_find_member(&tightest, property, "tightest"))
        margin = attest_value_number(&tightest, "log2_margin");
    attest_table_open_cell(body, "number");
    attest_value_write_power(body, margin);
    attest_markup_close(body);
}

/* The labels with their counts: "label: 12; label: 3". */
static void write_labels(attest_markup *body, const attest_json_cursor *property)
{
    attest_json_cursor labels, label;
    bool any = false;

    attest_table_open_cell(body, "long");
    for (size_t i = 0; attest_json_find_member(&labels, property, "labels") &&
                       attest_json_get_member_at(&label, &labels, i);
         i++) {
        char number[64];
        if (i == MOST_LABELS) {
            attest_markup_text(body, "; \xE2\x80\xA6");
            break;
        }
        attest_markup_printf(
            body, "%s%s: %s", any ? "; " : "", label.key,
            attest_scale_format_number(number, attest_value_number(&labels, label.key), 4));
        any = true;
    }
    if (!any)
        attest_markup_text(body, "\xE2\x80\x93");
    attest_markup_close(body);
}

/* The files of counterexamples, in one cell. */
static void write_files(attest_markup *body, const attest_json_cursor *property)
{
    attest_json_cursor files;
    size_t count = attest_value_array(&files, property, "counterexamples");

    attest_table_open_cell(body, "long");
    for (size_t i = 0; i < count; i++) {
        attest_json_cursor file = attest_json_get_element(&files, i);
        if (i > 0)
            attest_markup_text(body, ", ");
        attest_value_write_value(body, &file);
    }
    if (count == 0)
        attest_markup_text(body, "none");
    attest_markup_close(body);
}

static void write_property(attest_markup *body, const attest_json_cursor *property)
{
    attest_table_row(body, attest_value_text(property, "name"));
    attest_table_open_cell(body, NULL);
    if (attest_value_is_expected(property, "held") &&
        strcmp(attest_value_text(property, "verdict"), "violated") == 0)
        attest_markup_element(body, "span", "badge good", "\xE2\x9C\x93 violated, as expected");
    else
        attest_value_write_verdict(body, attest_value_text(property, "verdict"));
    attest_markup_close(body);
    attest_table_number(body, attest_value_number(property, "trials"), 0);
    attest_table_number(body, attest_value_number(property, "trials_per_second"), 0);
    write_tightest(body, property);
    write_labels(body, property);
    write_files(body, property);
}

static void write_table(attest_markup *body, const attest_json_cursor *properties, size_t count)
{
    static const char *const heading[] = {"Property",         "Verdict",       "#Trials",
                                          "#Trials a second", "#Least margin", "Labels",
                                          "Counterexamples"};

    attest_markup_open_class(body, "div", "wide");
    attest_table_open(body, "Properties, rates and margins", heading, 7);
    for (size_t i = 0; i < count; i++) {
        attest_json_cursor property = attest_json_get_element(properties, i);
        write_property(body, &property);
    }
    attest_table_close(body);
    attest_markup_close(body);
}

/* The shares of a property's trials, and its least margin. */
typedef struct campaign_rows {
    size_t count;
    const char **name;
    double *share, *margin;
} campaign_rows;

static bool read_rows(campaign_rows *rows, const attest_json_cursor *properties, size_t count)
{
    static const char *const part[PARTS] = {"passed", "discarded", "undecided", "failed"};

    rows->count = count < MOST_BARS ? count : MOST_BARS;
    rows->name = attest_memory_alloc(rows->count, sizeof *rows->name);
    rows->share = attest_memory_alloc(rows->count * PARTS, sizeof(double));
    rows->margin = attest_memory_alloc(rows->count, sizeof(double));
    if (!rows->name || !rows->share || !rows->margin)
        return false;
    for (size_t i = 0; i < rows->count; i++) {
        attest_json_cursor property = attest_json_get_element(properties, i), tightest;
        rows->name[i] = attest_value_text(&property, "name");
        for (size_t k = 0; k < PARTS; k++) {
            double value = attest_value_number(&property, part[k]);
            rows->share[i * PARTS + k] = value > 0 ? value : 0;
        }
        rows->margin[i] = attest_json_find_member(&tightest, &property, "tightest")
                              ? attest_value_number(&tightest, "log2_margin")
                              : NAN;
    }
    return true;
}

static void clear_rows(campaign_rows *rows)
{
    free(rows->name);
    free(rows->share);
    free(rows->margin);
}

static void write_bars(attest_report *report, const campaign_rows *rows, size_t number)
{
    static const char *const part_name[PARTS] = {"passed", "discarded", "undecided", "failed"};
    static const int part_style[PARTS] = {0, 5, 4, 1};
    static const char *const heading[] = {"Property", "#Passed", "#Discarded", "#Undecided",
                                          "#Failed"};
    attest_markup drawing, *body = &report->body;
    char id[32];
    attest_plot_bars bars = {{id, "Trials",
                              "For each property, the shares of trials that passed, were "
                              "discarded, stayed undecided or failed. The table beside it has "
                              "all numbers."},
                             PARTS,
                             part_name,
                             part_style,
                             rows->count,
                             rows->name,
                             rows->share};

    snprintf(id, sizeof id, "campaign-trials-%zu", number);
    attest_markup_init(&drawing);
    attest_plot_write_bars(&drawing, &bars);
    attest_section_open_plot(report, &drawing, id,
                             "How the trials of each property ended. Undecided trials never "
                             "count as passed.");
    attest_table_open(body, "How the trials ended", heading, 5);
    for (size_t i = 0; i < rows->count; i++) {
        attest_table_row(body, rows->name[i]);
        for (size_t k = 0; k < PARTS; k++)
            attest_table_number(body, rows->share[i * PARTS + k], 0);
    }
    attest_table_close(body);
    attest_section_close_plot(report);
}

static void write_margins(attest_report *report, const campaign_rows *rows, size_t number)
{
    static const char *const kind[] = {"least margin of all trials"};
    static const char *const heading[] = {"Property", "#Least margin"};
    attest_plot_row row[MOST_BARS];
    attest_markup drawing, *body = &report->body;
    size_t count = 0;
    char id[32];
    attest_plot_dots dots = {{id, "Margins",
                              "For each property, how close its tightest trial came to the "
                              "bound, as a power of two. The table beside it has all numbers."},
                             ATTEST_SCALE_EXPONENT,
                             "margin of the tightest trial",
                             1,
                             kind,
                             0,
                             row,
                             0,
                             NULL};

    for (size_t i = 0; i < rows->count; i++)
        if (isfinite(rows->margin[i]))
            row[count++] = (attest_plot_row){rows->name[i], &rows->margin[i], NULL};
    if (count == 0)
        return;
    dots.rows = count;
    snprintf(id, sizeof id, "campaign-margins-%zu", number);
    attest_markup_init(&drawing);
    attest_plot_write_dots(&drawing, &dots);
    attest_section_open_plot(report, &drawing, id,
                             "The tightest trial of each property that measures a margin.");
    attest_table_open(body, "Least margins", heading, 2);
    for (size_t i = 0; i < count; i++) {
        attest_table_row(body, row[i].name);
        attest_table_open_cell(body, "number");
        attest_value_write_power(body, row[i].value[0]);
        attest_markup_close(body);
    }
    attest_table_close(body);
    attest_section_close_plot(report);
}

static void write_corpus(attest_markup *body, const attest_json_cursor *root)
{
    static const char *const heading[] = {"File", "Property", "Expected", "Verdict"};
    attest_json_cursor files;
    size_t count = attest_value_array(&files, root, "corpus");

    if (count == 0)
        return;
    attest_markup_open_class(body, "div", "wide");
    attest_table_open(body, "Files of the corpus, decided again", heading, 4);
    for (size_t i = 0; i < count; i++) {
        attest_json_cursor file = attest_json_get_element(&files, i);
        bool good = attest_value_is_expected(&file, "held");

        attest_table_row(body, attest_value_text(&file, "name"));
        attest_table_cell(body, NULL, attest_value_text(&file, "property"));
        attest_table_cell(body, NULL, attest_value_text(&file, "expect"));
        attest_table_open_cell(body, NULL);
        attest_markup_open_class(body, "span", good ? "badge good" : "badge bad");
        attest_markup_printf(body, "%s %s", good ? "\xE2\x9C\x93" : "\xE2\x9C\x97",
                             attest_value_text(&file, "verdict"));
        attest_markup_close(body);
        attest_markup_close(body);
    }
    attest_table_close(body);
    attest_markup_close(body);
}

static void write_campaign(attest_report *report, const attest_record *record, size_t number)
{
    attest_json_cursor root = attest_json_root(&record->document), properties;
    size_t count = attest_value_array(&properties, &root, "properties");
    campaign_rows rows;
    char label[96];

    attest_markup_open(&report->body, "h3");
    attest_markup_printf(&report->body, "%s, seed ",
                         attest_record_label(label, sizeof label, record));
    attest_value_write(&report->body, &root, "seed");
    if (*attest_value_text(&root, "without"))
        attest_markup_printf(&report->body, ", without the hypothesis %s",
                             attest_value_text(&root, "without"));
    attest_markup_close(&report->body);
    write_corpus(&report->body, &root);
    if (count == 0) {
        attest_markup_element(&report->body, "p", NULL, "No property was tried.");
        return;
    }
    write_table(&report->body, &properties, count);
    if (read_rows(&rows, &properties, count)) {
        write_bars(report, &rows, number);
        write_margins(report, &rows, number);
    } else {
        report->body.text.failed = true;
    }
    clear_rows(&rows);
}

void attest_section_write_campaigns(attest_report *report)
{
    const attest_record *record;
    size_t number = 0;

    attest_section_open(
        report, "campaigns", "Property campaigns",
        "Statements tested on generated inputs; every trial is decided exactly.");
    for (size_t place = 0; (record = attest_records_find(
                                &report->records, ATTEST_RECORD_CAMPAIGN, place, &place));
         place++)
        write_campaign(report, record, ++number);
    attest_section_close(report);
}
