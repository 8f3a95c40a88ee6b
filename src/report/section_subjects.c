/* section_subjects.c -- what was audited: data, weights, arithmetic. */
#include <string.h>

#include "report/section.h"
#include "report/table.h"
#include "report/value.h"

static void write_member(attest_markup *body, const attest_json_cursor *object,
                         const char *class_name, const char *key)
{
    attest_table_open_cell(body, class_name);
    attest_value_write(body, object, key);
    attest_markup_close(body);
}

/* "nearest, shifted, sequential, fma, sums in binary32". */
static void write_arithmetic(attest_markup *body, const attest_json_cursor *root)
{
    attest_json_cursor arithmetic, member;
    bool fma = false;

    attest_table_open_cell(body, "long");
    if (!attest_json_find_member(&arithmetic, root, "arithmetic")) {
        attest_markup_text(body, "\xE2\x80\x93");
        attest_markup_close(body);
        return;
    }
    attest_markup_printf(
        body, "%s, %s softmax, %s sums", attest_value_text(&arithmetic, "round"),
        attest_value_text(&arithmetic, "softmax"), attest_value_text(&arithmetic, "sum"));
    if (attest_json_find_member(&member, &arithmetic, "fma") &&
        attest_json_get_bool(&fma, &member, NULL) == ATTEST_OK && fma)
        attest_markup_text(body, ", fused");
    if (*attest_value_text(&arithmetic, "accumulate"))
        attest_markup_printf(body, ", accumulated in %s",
                             attest_value_text(&arithmetic, "accumulate"));
    attest_markup_close(body);
}

static void write_subject(attest_markup *body, const attest_record *record)
{
    static const char *const counts[] = {"sequences", "longest", "dim", "tokens",
                                         "required_pairs"};
    attest_json_cursor root = attest_json_root(&record->document), dataset = {0}, weights = {0};
    char label[96];

    /* A cursor without a value has no members. */
    if (!attest_json_find_member(&dataset, &root, "dataset"))
        dataset.value = NULL;
    if (!attest_json_find_member(&weights, &root, "weights"))
        weights.value = NULL;
    attest_table_row(body, attest_section_label(label, sizeof label, record));
    write_member(body, &dataset, "long",
                 *attest_value_text(&dataset, "name") ? "name" : "path");
    for (int i = 0; i < 5; i++)
        attest_table_number(body, attest_value_number(&dataset, counts[i]), 0);
    write_member(body, &weights, NULL, "activation");
    write_arithmetic(body, &root);
}

void attest_section_write_subjects(attest_report *report)
{
    static const char *const heading[] = {"Record",          "Dataset",    "#Sequences",
                                          "#Longest",        "#Dimension", "#Tokens",
                                          "#Required pairs", "Activation", "Arithmetic"};
    attest_markup *body = &report->body;
    const attest_record *record;

    attest_markup_open_class(body, "div", "wide");
    attest_table_open(body, "What was audited", heading, 9);
    for (size_t place = 0;
         (record = attest_records_find(&report->records, ATTEST_RECORD_AUDIT, place, &place));
         place++)
        write_subject(body, record);
    attest_table_close(body);
    attest_markup_close(body);
}
