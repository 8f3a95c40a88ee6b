/* section_certificates.c -- what is certified, and networks that are verified. */
#include <stdio.h>

#include "report/section.h"
#include "report/table.h"
#include "report/value.h"

static void write_certificate(attest_markup *body, const attest_record *record)
{
    attest_json_cursor root = attest_json_root(&record->document);
    char label[96];

    attest_table_row(body, attest_section_label(label, sizeof label, record));
    attest_table_open_cell(body, NULL);
    attest_value_write_verdict(body, attest_value_text(&root, "verdict"));
    attest_markup_close(body);
    attest_table_cell(body, NULL, attest_value_text(&root, "method"));
    attest_table_open_cell(body, "number");
    attest_value_write_power(body, attest_value_log2(&root, "min_separation"));
    attest_markup_close(body);
    attest_table_open_cell(body, NULL);
    attest_value_write_pair(body, &root, "pair");
    attest_markup_close(body);
    attest_table_open_cell(body, "number");
    attest_value_write_power(body, attest_value_log2(&root, "delta"));
    attest_markup_close(body);
    attest_table_open_cell(body, "number");
    attest_value_write(body, &root, "max_norm");
    attest_markup_close(body);
    attest_table_number(body, attest_value_number(&root, "precision_bits"), 0);
}

static void write_certificates(attest_report *report)
{
    static const char *const heading[] = {
        "Certificate", "Verdict",           "Method",        "#Least separation",
        "Attained at", "#Claimed \xCE\xB4", "#Largest norm", "#Working bits"};
    const attest_record *record;
    size_t place = 0;

    if (!attest_records_find(&report->records, ATTEST_RECORD_CERTIFICATE, 0, &place))
        return;
    attest_section_open(report, "certificates", "Certificates",
                        "Contextual mappings (Definition 2), decided exactly, in balls, or "
                        "by doubles with proved error bounds; "
                        "\xE2\x80\x98"
                        "attest check\xE2\x80\x99 verifies each by another route.");
    attest_table_open(&report->body, "Certificates", heading, 8);
    for (place = 0; (record = attest_records_find(&report->records, ATTEST_RECORD_CERTIFICATE,
                                                  place, &place));
         place++)
        write_certificate(&report->body, record);
    attest_table_close(&report->body);
    attest_section_close(report);
}

static void write_networks(attest_report *report)
{
    static const char *const heading[] = {"Record",
                                          "Verdict",
                                          "#Classes",
                                          "#Hidden units",
                                          "#Parameters",
                                          "#Parameters, dense",
                                          "#Parameters, paper"};
    static const char *const keys[] = {"classes", "hidden_units", "parameters",
                                       "parameters_dense", "paper_parameters"};
    attest_markup *body = &report->body;
    const attest_record *record;
    size_t place = 0;
    char label[96];

    if (!attest_records_find(&report->records, ATTEST_RECORD_MEMORIZE, 0, &place))
        return;
    attest_section_open(report, "networks", "Networks that memorize",
                        "One-layer networks that map every token to its label, verified, and "
                        "how many parameters they take.");
    attest_table_open(body, "Networks and their parameters", heading, 7);
    for (place = 0; (record = attest_records_find(&report->records, ATTEST_RECORD_MEMORIZE,
                                                  place, &place));
         place++) {
        attest_json_cursor root = attest_json_root(&record->document);
        attest_table_row(body, attest_section_label(label, sizeof label, record));
        attest_table_open_cell(body, NULL);
        attest_value_write_verdict(body, attest_value_text(&root, "verdict"));
        attest_markup_close(body);
        for (int i = 0; i < 5; i++)
            attest_table_number(body, attest_value_number(&root, keys[i]), 0);
    }
    attest_table_close(body);
    attest_section_close(report);
}

void attest_section_write_certificates(attest_report *report)
{
    write_certificates(report);
    write_networks(report);
}
