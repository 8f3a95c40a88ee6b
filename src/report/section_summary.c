/* section_summary.c -- the summary, the glossary and the provenance of a report. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/glossary.h"
#include "report/section.h"

enum { MOST_CARDS = 24 };

static void open_card(attest_markup *body)
{
    attest_markup_open(body, "li");
    attest_markup_open_class(body, "span", "big");
}

/* Ends the large figure and writes its label. */
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

/* Writes the collapse bits: this width and all larger ones keep all contexts apart. */
static void write_collapse(attest_markup *body, const attest_audit_iter *audited, double bits)
{
    attest_json_cursor collapse;
    double cap = attest_json_find_member(&collapse, &audited->object, "collapse")
                     ? attest_value_number(&collapse, "cap")
                     : NAN;
    char number[64];

    open_card(body);
    if (!isnan(bits))
        attest_markup_printf(body, "%s bit%s", attest_scale_format_number(number, bits, 0),
                             bits == 1 ? "" : "s");
    else if (!isnan(cap))
        attest_markup_printf(body, "> %s bits", attest_scale_format_number(number, cap, 0));
    else
        attest_markup_text(body, "not known");
    close_card(body, "until all contexts stay apart", audited->label);
}

/* Writes the format with the largest error; returns false if there is none. */
static bool write_largest(attest_markup *body, const attest_audit_iter *audited)
{
    attest_json_cursor formats, worst = {0}, part;
    size_t count = attest_value_array(&formats, &audited->object, "formats");
    double most = -1;
    char text[160];

    for (size_t i = 0; i < count; i++) {
        attest_json_cursor entry = attest_json_get_element(&formats, i);
        double error = attest_json_find_member(&part, &entry, "relative_error")
                           ? attest_value_number(&part, "max")
                           : NAN;
        if (error > most) {
            most = error;
            worst = entry;
        }
    }
    if (most < 0)
        return false;
    open_card(body);
    attest_markup_printf(body,
                         most >= 0.1    ? "%.0f %%"
                         : most >= 1e-4 ? "%.2g %%"
                                        : "%.1e",
                         most >= 1e-4 ? 100 * most : most);
    snprintf(text, sizeof text, "largest error of an output, in %.64s",
             attest_value_text(&worst, "name"));
    close_card(body, text, audited->label);
    return true;
}

/* Cards for the first mappings of all audits: the collapse for weights that were built to tell
 * contexts apart, else the largest error, since outputs of trained weights hardly ever
 * coincide. */
static void write_audits(attest_markup *body, const attest_records *records)
{
    attest_audit_iter audited;

    attest_audit_iter_init_heads(&audited);
    for (int i = 0; i < MOST_CARDS && attest_audit_iter_next(&audited, records); i++)
        write_largest(body, &audited);
    attest_audit_iter_init(&audited);
    for (int i = 0; i < MOST_CARDS && attest_audit_iter_next(&audited, records); i++) {
        double bits = attest_value_number(&audited.object, "collapse_bits");
        attest_json_cursor weights;
        bool built = *attest_value_text(&audited.object, "strategy") ||
                     (attest_json_find_member(&weights, &audited.object, "weights") &&
                      *attest_value_text(&weights, "strategy"));

        if (built || !write_largest(body, &audited))
            write_collapse(body, &audited, bits);
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
               : record->kind == ATTEST_RECORD_RANGE
                   ? "the range of a kernel\xE2\x80\x99s numbers"
                   : "all required pairs differ",
               attest_record_label(label, sizeof label, record));
}

/* "5 of 6": the tests that held or were violated as expected, as the record's summary counts
 * them. A record of attest 0.2.0 has no such counts: the card shows the number of properties.
 */
static void write_campaign(attest_markup *body, const attest_record *record)
{
    attest_json_cursor root = attest_json_root(&record->document), summary, list;
    size_t properties = attest_value_array(&list, &root, "properties");
    const char *files = attest_value_array(&list, &root, "corpus") > 0 ? " and files" : "";
    const char *without = attest_value_text(&root, "without");
    char number[64], text[192], label[96];

    open_card(body);
    if (attest_json_find_member(&summary, &root, "summary") &&
        !isnan(attest_value_number(&summary, "tests"))) {
        attest_scale_format_number(number, attest_value_number(&summary, "trials"), 0);
        snprintf(text, sizeof text, "properties%s %s%.64s, in %.40s trials", files,
                 *without ? "that hold without " : "as stated", without, number);
        attest_markup_printf(body, "%.0f of %.0f", attest_value_number(&summary, "confirmed"),
                             attest_value_number(&summary, "tests"));
    } else {
        snprintf(text, sizeof text, "properties%s were tested%s%.64s", files,
                 *without ? " without " : "", without);
        attest_markup_printf(body, "%zu", properties);
    }
    close_card(body, text, attest_record_label(label, sizeof label, record));
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

/* Writes a card for each of the first MOST_CARDS records that have a verdict. */
static void write_verdicts(attest_markup *body, const attest_records *records)
{
    int cards = 0;

    for (size_t i = 0; i < records->count && cards < MOST_CARDS; i++) {
        const attest_record *record = &records->record[i];
        bool has_verdict =
            record->kind == ATTEST_RECORD_CERTIFICATE || record->kind == ATTEST_RECORD_JUDGE ||
            record->kind == ATTEST_RECORD_RANGE || record->kind == ATTEST_RECORD_MEMORIZE;
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
                        report->records.count ? NULL : "The directory contains no records.");
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

void attest_section_write_words(attest_report *report)
{
    static const char *const heading[] = {"Word", "What it means"};
    attest_markup *body = &report->body;

    attest_section_open(
        report, "words", "Words",
        "What the words of this page mean; 'attest show WORD' prints the same.");
    attest_markup_open(body, "details");
    attest_markup_open(body, "summary");
    attest_markup_text(body, "Glossary");
    attest_markup_close(body);
    attest_table_open(body, "Glossary", heading, 2);
    for (const attest_term *term = attest_glossary; term->name; term++) {
        attest_table_row(body, term->name);
        attest_table_cell(body, NULL, term->text);
    }
    attest_table_close(body);
    attest_markup_close(body);
    attest_section_close(report);
}

/* The file of a record, if there is one. */
static const char *name_of(const attest_record *record)
{
    return record->unsaved ? "not saved (-o saves it)" : record->path;
}

static void write_records(attest_report *report)
{
    static const char *const heading[] = {"File", "Kind", "SHA-256"};
    attest_markup *body = &report->body;

    attest_table_open(body, "The records that this page shows", heading, 3);
    for (size_t i = 0; i < report->records.count; i++) {
        const attest_record *record = &report->records.record[i];
        attest_table_row(body, name_of(record));
        attest_table_cell(body, NULL, attest_record_kind_name(record->kind));
        attest_table_cell(body, "long hash", record->sha256);
    }
    attest_table_close(body);
}

static void write_input(attest_markup *body, const attest_record *record, const char *role,
                        const attest_json_cursor *input)
{
    attest_table_row(body, name_of(record));
    attest_table_cell(body, NULL, role);
    attest_table_cell(body, "long", attest_value_text(input, "path"));
    attest_table_cell(body, "long hash", attest_value_text(input, "sha256"));
}

/* The files that a record was computed from: an array "inputs", or a member for each role.
 * Returns their number; body NULL: counts only. */
static size_t write_inputs_of(attest_markup *body, const attest_record *record)
{
    static const char *const roles[] = {"dataset", "weights"};
    attest_json_cursor root = attest_json_root(&record->document), inputs, input;
    size_t count = attest_value_array(&inputs, &root, "inputs"), found = count;

    for (size_t i = 0; body && i < count; i++) {
        input = attest_json_get_element(&inputs, i);
        write_input(body, record, attest_value_text(&input, "role"), &input);
    }
    for (size_t i = 0; i < 2; i++) {
        if (!attest_json_find_member(&input, &root, roles[i]) ||
            !*attest_value_text(&input, "sha256"))
            continue;
        found++;
        if (body)
            write_input(body, record, roles[i], &input);
    }
    return found;
}

static void write_inputs(attest_report *report)
{
    static const char *const heading[] = {"Record", "Role", "Path", "SHA-256"};
    size_t count = 0;

    for (size_t i = 0; i < report->records.count; i++)
        count += write_inputs_of(NULL, &report->records.record[i]);
    if (count == 0)
        return;
    attest_markup_open_class(&report->body, "div", "wide");
    attest_table_open(&report->body, "The inputs of those records", heading, 4);
    for (size_t i = 0; i < report->records.count; i++)
        write_inputs_of(&report->body, &report->records.record[i]);
    attest_table_close(&report->body);
    attest_markup_close(&report->body);
}

/* "attest 0.2.0, mpfr 4.2.0". */
static void write_versions(attest_markup *body, const attest_json_cursor *root)
{
    attest_json_cursor versions, version;

    attest_table_open_cell(body, "long");
    if (attest_json_find_member(&versions, root, "versions")) {
        for (size_t i = 0; attest_json_get_member_at(&version, &versions, i); i++) {
            attest_markup_printf(body, "%s%s ", i ? ", " : "", version.key);
            attest_value_write_value(body, &version);
        }
    } else if (*attest_value_text(root, "attest")) {
        attest_markup_printf(body, "attest %s", attest_value_text(root, "attest"));
    } else {
        attest_markup_text(body, "\xE2\x80\x93");
    }
    attest_markup_close(body);
}

/* The first of two members with a value: "seed", or "seed" of "arithmetic". */
static void write_one_of(attest_markup *body, const attest_json_cursor *root, const char *key,
                         const char *outer, const char *inner)
{
    attest_json_cursor member;

    attest_table_open_cell(body, "long");
    if (attest_json_find_member(&member, root, key) && !attest_json_is_object(&member))
        attest_value_write_value(body, &member);
    else if (attest_json_find_member(&member, root, outer))
        attest_value_write(body, &member, inner);
    else
        attest_markup_text(body, "\xE2\x80\x93");
    attest_markup_close(body);
}

static void write_circumstances(attest_report *report)
{
    static const char *const heading[] = {"Record", "Seed", "Versions", "CPU", "Kernel"};
    attest_markup *body = &report->body;

    attest_markup_open_class(body, "div", "wide");
    attest_table_open(body, "How they were computed", heading, 5);
    for (size_t i = 0; i < report->records.count; i++) {
        attest_json_cursor root = attest_json_root(&report->records.record[i].document);
        attest_table_row(body, name_of(&report->records.record[i]));
        write_one_of(body, &root, "seed", "arithmetic", "seed");
        write_versions(body, &root);
        write_one_of(body, &root, "cpu", "versions", "cpu");
        write_one_of(body, &root, "kernel", "kernel", "name");
    }
    attest_table_close(body);
    attest_markup_close(body);
}

static void write_remarks(attest_report *report)
{
    static const char *const heading[] = {"File", "Why"};
    attest_markup *body = &report->body;

    if (report->records.remarks == 0)
        return;
    attest_markup_open(body, "details");
    attest_markup_open(body, "summary");
    attest_markup_printf(body, "%zu other file%s in the directory", report->records.remarks,
                         report->records.remarks == 1 ? "" : "s");
    attest_markup_close(body);
    attest_table_open(body, "Files that are not shown", heading, 2);
    for (size_t i = 0; i < report->records.remarks; i++) {
        attest_table_row(body, report->records.remark[i].path);
        attest_table_cell(body, NULL, report->records.remark[i].why);
    }
    attest_table_close(body);
    attest_markup_close(body);
}

void attest_section_write_provenance(attest_report *report)
{
    attest_section_open(report, "provenance", "Provenance",
                        "Every figure on this page comes from one of these records.");
    if (report->records.count > 0) {
        write_records(report);
        write_circumstances(report);
        write_inputs(report);
    }
    write_remarks(report);
    attest_section_close(report);
}
