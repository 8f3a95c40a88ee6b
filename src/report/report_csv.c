/* report_csv.c -- the errors of all audits as one table, for papers and spreadsheets. */
#include <string.h>

#include "base/escape.h"
#include "base/output.h"
#include "report/audited.h"
#include "report/report.h"
#include "report/value.h"

/* A text in quotes, those inside doubled. The table may go to a terminal: control characters
 * are escaped as they are there. */
static void write_text(FILE *stream, const char *text)
{
    fputc('"', stream);
    for (const char *quote; (quote = strchr(text, '"')) != NULL; text = quote + 1) {
        attest_escape_print(stream, text, (size_t)(quote - text));
        fputs("\"\"", stream);
    }
    attest_escape_print(stream, text, strlen(text));
    fputc('"', stream);
}

/* object.part.key as it stands in the record, which keeps six digits; nothing where it is not.
 */
static void write_number(FILE *stream, const attest_json_cursor *object, const char *part,
                         const char *key)
{
    attest_json_cursor inner = *object, member;

    fputc(',', stream);
    if (part && !attest_json_find_member(&inner, object, part))
        return;
    if (attest_json_find_member(&member, &inner, key))
        fprintf(stream, "%.6g", attest_value_number(&inner, key));
}

static void write_line(FILE *stream, const attest_audited *audited,
                       const attest_json_cursor *head, const attest_json_cursor *entry)
{
    static const char *const value[][2] = {
        {"relative_error", "max"}, {"relative_error", "mean"}, {"weights_error", "max"},
        {"weights_error", "mean"}, {NULL, "argmax_changed"},   {"pairs", "apart"},
        {"pairs", "by_rounding"},  {"pairs", "merged"},        {NULL, "collisions"},
        {NULL, "nonfinite"},       {NULL, "saturated"},        {NULL, "max_ulp"},
        {NULL, "mean_ulp"},        {NULL, "bound_ulp"}};

    write_text(stream, audited->label);
    if (head) {
        write_number(stream, head, NULL, "layer");
        write_number(stream, head, NULL, "head");
    } else {
        fputs(",,", stream);
    }
    fputc(',', stream);
    write_text(stream, attest_value_text(entry, "name"));
    fputc(',', stream);
    write_text(stream, attest_value_text(entry, "verdict"));
    for (size_t i = 0; i < sizeof value / sizeof value[0]; i++)
        write_number(stream, entry, value[i][0], value[i][1]);
    fputc('\n', stream);
}

static void write_formats(FILE *stream, const attest_audited *audited,
                          const attest_json_cursor *object, const attest_json_cursor *head)
{
    attest_json_cursor formats;
    size_t count = attest_value_array(&formats, object, "formats");

    for (size_t i = 0; i < count; i++) {
        attest_json_cursor entry = attest_json_get_element(&formats, i);
        write_line(stream, audited, head, &entry);
    }
}

/* All records of a kind. */
static void write_all(FILE *stream, attest_audited *audited, const attest_records *records)
{
    attest_json_cursor heads;

    while (attest_audited_next(audited, records)) {
        size_t count = attest_value_array(&heads, &audited->object, "heads");

        write_formats(stream, audited, &audited->object, NULL);
        for (size_t i = 0; i < count; i++) {
            attest_json_cursor head = attest_json_get_element(&heads, i);
            write_formats(stream, audited, &head, &head);
        }
    }
}

attest_status attest_report_write_csv(const attest_report *report, const char *path,
                                      attest_error *error)
{
    attest_audited audited;
    attest_output output;
    attest_status status = attest_output_open(&output, path, error);

    if (status != ATTEST_OK)
        return status;
    fputs("record,layer,head,format,verdict,relative_error_max,relative_error_mean,"
          "weights_error_max,weights_error_mean,argmax_changed,pairs_apart,pairs_by_rounding,"
          "pairs_merged,collisions,nonfinite,saturated,max_ulp,mean_ulp,bound_ulp\n",
          output.stream);
    attest_audited_init_heads(&audited);
    write_all(output.stream, &audited, &report->records);
    attest_audited_init(&audited);
    write_all(output.stream, &audited, &report->records);
    return attest_output_commit(&output, error);
}
