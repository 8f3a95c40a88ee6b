/* section_summary.c -- the page in a few numbers. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/audited.h"
#include "report/section.h"
#include "report/value.h"

enum { MOST_CARDS = 24 };

static void open_card(attest_markup *body)
{
    attest_markup_open(body, "li");
    attest_markup_open_class(body, "span", "big");
}

/* Ends the large figure; what it is follows. */
static void close_card(attest_markup *body, const char *what, const char *label)
{
    attest_markup_close(body);
    attest_markup_open_class(body, "span", "what");
    attest_markup_text(body, what);
    if (label) {
        attest_markup_text(body, " \xE2\x80\x94 ");
        attest_markup_text(body, label);
    }
    attest_markup_close(body);
    attest_markup_close(body);
}

/* The mappings of all audits, or the first of them. */
static void write_audits(attest_markup *body, const attest_records *records)
{
    attest_audited audited;
    char number[64];

    attest_audited_init(&audited);
    for (int i = 0; i < MOST_CARDS && attest_audited_next(&audited, records); i++) {
        attest_json_cursor collapse;
        double bits = attest_value_number(&audited.object, "collapse_bits");
        double cap = attest_json_find_member(&collapse, &audited.object, "collapse")
                         ? attest_value_number(&collapse, "cap")
                         : NAN;
        open_card(body);
        if (!isnan(bits))
            attest_markup_printf(body, "%s bits", attest_scale_format_number(number, bits, 0));
        else if (!isnan(cap))
            attest_markup_printf(body, "> %s bits", attest_scale_format_number(number, cap, 0));
        else
            attest_markup_text(body, "not known");
        close_card(body, "until all contexts stay apart", audited.label);
    }
}

static void write_certificate(attest_markup *body, const attest_record *record)
{
    attest_json_cursor root = attest_json_root(&record->document);
    char label[96];

    open_card(body);
    attest_value_write_verdict(body, attest_value_text(&root, "verdict"));
    close_card(body,
               record->kind == ATTEST_RECORD_MEMORIZE ? "every token gets its label"
               : record->kind == ATTEST_RECORD_JUDGE  ? "the output of a kernel"
                                                      : "all required pairs differ",
               attest_section_label(label, sizeof label, record));
}

/* Without a hypothesis, a violation is what one looks for. */
static void write_campaign(attest_markup *body, const attest_record *record)
{
    attest_json_cursor root = attest_json_root(&record->document), array;
    size_t count = attest_value_array(&array, &root, "properties"), held = 0, violated = 0;
    const char *without = attest_value_text(&root, "without");
    double trials = 0;
    char number[64], text[192], label[96];

    for (size_t i = 0; i < count; i++) {
        attest_json_cursor property = attest_json_get_element(&array, i);
        double tried = attest_value_number(&property, "trials");
        held += attest_value_is_expected(&property, "held");
        violated += strcmp(attest_value_text(&property, "verdict"), "violated") == 0;
        trials += tried > 0 ? tried : 0;
    }
    attest_scale_format_number(number, trials, 0);
    if (*without)
        snprintf(text, sizeof text, "violated without %.64s, in %.40s trials", without, number);
    else
        snprintf(text, sizeof text, "properties as stated, in %.40s trials", number);
    open_card(body);
    attest_markup_printf(body, "%zu of %zu", *without ? violated : held, count);
    close_card(body, text, attest_section_label(label, sizeof label, record));
}

static void write_count(attest_markup *body, const attest_report *report,
                        attest_record_kind kind, const char *what)
{
    size_t count = 0;

    for (size_t i = 0; i < report->records.count; i++)
        count += report->records.record[i].kind == kind &&
                 !attest_section_is_tightest(&report->records.record[i]);
    if (count == 0)
        return;
    open_card(body);
    attest_markup_printf(body, "%zu", count);
    close_card(body, what, NULL);
}

/* A card for each record with a verdict, or for the first of them. */
static void write_verdicts(attest_markup *body, const attest_records *records)
{
    int cards = 0;

    for (size_t i = 0; i < records->count && cards < MOST_CARDS; i++) {
        const attest_record *record = &records->record[i];
        bool has_verdict = record->kind == ATTEST_RECORD_CERTIFICATE ||
                           record->kind == ATTEST_RECORD_JUDGE ||
                           record->kind == ATTEST_RECORD_MEMORIZE;
        if (record->kind == ATTEST_RECORD_CAMPAIGN)
            write_campaign(body, record);
        else if (has_verdict)
            write_certificate(body, record);
        cards += has_verdict || record->kind == ATTEST_RECORD_CAMPAIGN;
    }
}

void attest_section_write_summary(attest_report *report)
{
    attest_markup *body = &report->body;

    attest_section_open(report, "summary", "At a glance",
                        report->records.count ? NULL : "The folder holds no records.");
    if (report->records.count > 0) {
        attest_markup_open_class(body, "ul", "cards");
        write_audits(body, &report->records);
        write_verdicts(body, &report->records);
        write_count(body, report, ATTEST_RECORD_COUNTEREXAMPLE,
                    "counterexamples, all replayable");
        attest_markup_close(body);
    }
    attest_section_close(report);
}
