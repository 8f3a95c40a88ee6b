/* section_range.c -- what overflows, saturates or vanishes in the kernels of a model: answers,
 * safe thresholds and offsets, the smallest schemes. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/section.h"
#include "report/table.h"
#include "report/value.h"

/* A member of a member, for people. */
static void write_inner(attest_markup *body, const attest_json_cursor *root, const char *object,
                        const char *key)
{
    attest_json_cursor inner;

    attest_table_open_cell(body, "number");
    if (attest_json_find_member(&inner, root, object))
        attest_value_write(body, &inner, key);
    attest_markup_close(body);
}

static double get_inner(const attest_json_cursor *root, const char *object, const char *key)
{
    attest_json_cursor inner;

    return attest_json_find_member(&inner, root, object) ? attest_value_number(&inner, key)
                                                         : (double)NAN;
}

static void write_verdicts(attest_report *report)
{
    static const char *const heading[] = {
        "Record",         "Verdict",      "Kernel model",         "#Largest weight",
        "#Its limit",     "#Threshold",   "#Largest proved safe", "#Offset",
        "#Smallest safe", "#Largest safe"};
    attest_markup *body = &report->body;
    const attest_record *record;
    char label[96];

    attest_table_open(body, "Ranges", heading, 10);
    for (size_t place = 0;
         (record = attest_records_find(&report->records, ATTEST_RECORD_RANGE, place, &place));
         place++) {
        attest_json_cursor root = attest_json_root(&record->document);

        attest_table_row(body, attest_section_label(label, sizeof label, record));
        attest_table_open_cell(body, NULL);
        attest_value_write_verdict(body, attest_value_text(&root, "verdict"));
        attest_markup_close(body);
        attest_table_cell(body, NULL, attest_value_text(&root, "kernel"));
        write_inner(body, &root, "weights", "most");
        write_inner(body, &root, "threshold", "limit");
        write_inner(body, &root, "threshold", "given");
        write_inner(body, &root, "threshold", "proved");
        write_inner(body, &root, "offset", "given");
        write_inner(body, &root, "offset", "smallest_safe");
        write_inner(body, &root, "offset", "largest_safe");
    }
    attest_table_close(body);
}

/* Where something happens, of those events that do. */
static void write_place(attest_markup *body, const attest_json_cursor *event)
{
    static const char *const key[] = {"layer", "batch", "head", "row", "key", "column"};
    attest_json_cursor witness, member;
    char text[64];
    bool any = false;

    attest_table_open_cell(body, NULL);
    for (size_t i = 0; attest_json_find_member(&witness, event, "witness") && i < 6; i++)
        if (attest_json_find_member(&member, &witness, key[i])) {
            snprintf(text, sizeof text, "%s%s %.0f", any ? ", " : "", key[i],
                     attest_value_number(&witness, key[i]));
            attest_markup_text(body, text);
            any = true;
        }
    attest_markup_close(body);
}

static void write_events(attest_markup *body, const attest_json_cursor *root, const char *label)
{
    static const char *const heading[] = {"Event", "Happens", "#How often", "#First number",
                                          "Where"};
    attest_json_cursor events;
    size_t count = attest_value_array(&events, root, "events");
    char caption[192];

    snprintf(caption, sizeof caption, "Events of \xE2\x80\x98%.96s\xE2\x80\x99", label);
    attest_table_open(body, caption, heading, 5);
    for (size_t i = 0; i < count; i++) {
        attest_json_cursor event = attest_json_get_element(&events, i);

        attest_table_row(body, attest_value_text(&event, "event"));
        attest_table_open_cell(body, NULL);
        attest_value_write_verdict(body, attest_value_text(&event, "answer"));
        attest_markup_close(body);
        attest_table_number(body, get_inner(&event, "witness", "count"), 0);
        write_inner(body, &event, "witness", "value");
        write_place(body, &event);
    }
    attest_table_close(body);
}

/* The smallest scheme of every head, where it was asked for. */
static void write_schemes(attest_markup *body, const attest_json_cursor *root)
{
    static const char *const heading[] = {"Layer", "#Batch", "#Head", "Scheme of K and V",
                                          "#Relative error, proved"};
    attest_json_cursor schemes, heads;
    size_t count;
    char number[64];

    if (!attest_json_find_member(&schemes, root, "schemes"))
        return;
    count = attest_value_array(&heads, &schemes, "heads");
    if (count == 0)
        return;
    attest_table_open(body, "The smallest scheme of every head", heading, 5);
    for (size_t i = 0; i < count; i++) {
        attest_json_cursor head = attest_json_get_element(&heads, i);

        attest_table_row(
            body, attest_scale_format_number(number, attest_value_number(&head, "layer"), 0));
        attest_table_number(body, attest_value_number(&head, "batch"), 0);
        attest_table_number(body, attest_value_number(&head, "head"), 0);
        attest_table_cell(body, NULL, attest_value_text(&head, "scheme"));
        attest_table_open_cell(body, "number");
        attest_value_write(body, &head, "relative_error");
        attest_markup_close(body);
    }
    attest_table_close(body);
}

void attest_section_write_ranges(attest_report *report)
{
    const attest_record *record;
    size_t place = 0;
    char label[96];

    if (!attest_records_find(&report->records, ATTEST_RECORD_RANGE, 0, &place))
        return;
    attest_section_open(report, "ranges", "Ranges of kernels",
                        "What can overflow, be saturated or vanish on these inputs: no is "
                        "proved for every kernel of the model, yes is a kernel that was run. "
                        "Thresholds are in units of log2.");
    write_verdicts(report);
    for (place = 0;
         (record = attest_records_find(&report->records, ATTEST_RECORD_RANGE, place, &place));
         place++) {
        attest_json_cursor root = attest_json_root(&record->document);

        write_events(&report->body, &root, attest_section_label(label, sizeof label, record));
        write_schemes(&report->body, &root);
    }
    attest_section_close(report);
}
