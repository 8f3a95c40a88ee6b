/* section_provenance.c -- where everything on the page comes from. */
#include <string.h>

#include "report/section.h"
#include "report/table.h"
#include "report/value.h"

static void write_records(attest_report *report)
{
    static const char *const heading[] = {"File", "Kind", "SHA-256"};
    attest_markup *body = &report->body;

    attest_table_open(body, "The records that this page shows", heading, 3);
    for (size_t i = 0; i < report->records.count; i++) {
        const attest_record *record = &report->records.record[i];
        attest_table_row(body, record->path);
        attest_table_cell(body, NULL, attest_record_kind_name(record->kind));
        attest_table_cell(body, "long hash", record->sha256);
    }
    attest_table_close(body);
}

static void write_input(attest_markup *body, const attest_record *record, const char *role,
                        const attest_json_cursor *input)
{
    attest_table_row(body, record->path);
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

/* "name value, name value" of an object, or a text as it is. */
static void write_pairs(attest_markup *body, const attest_json_cursor *root, const char *key)
{
    attest_json_cursor object;
    const char *name;

    attest_table_open_cell(body, "long");
    if (attest_json_find_member(&object, root, key) && attest_json_is_object(&object)) {
        for (size_t i = 0; (name = attest_json_get_key(&object, i)); i++) {
            attest_markup_printf(body, "%s%s ", i ? ", " : "", name);
            attest_value_write(body, &object, name);
        }
    } else {
        attest_value_write(body, root, key);
    }
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
        attest_table_row(body, report->records.record[i].path);
        attest_table_open_cell(body, NULL);
        attest_value_write(body, &root, "seed");
        attest_markup_close(body);
        write_pairs(body, &root, "versions");
        write_pairs(body, &root, "cpu");
        write_pairs(body, &root, "kernel");
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
                        "Every figure on this page comes from one of these files.");
    if (report->records.count > 0) {
        write_records(report);
        write_circumstances(report);
        write_inputs(report);
    }
    write_remarks(report);
    attest_section_close(report);
}
