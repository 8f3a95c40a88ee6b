/* section_provenance.c -- where everything on the page comes from. */
#include <string.h>

#include "report/section.h"
#include "report/table.h"
#include "report/value.h"

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

/* The first of members that holds something: "seed", or "seed" of "arithmetic". */
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
    attest_markup_printf(body, "%zu other file%s in the folder", report->records.remarks,
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
