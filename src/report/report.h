/* report.h -- one self-contained page about the records in a directory.
 *
 * A report displays records and decides nothing: every verdict on the page is that of a
 * record. The page needs no network, and its script only sorts tables; its bytes depend on the
 * records and SOURCE_DATE_EPOCH alone. */
#ifndef ATTEST_REPORT_REPORT_H
#define ATTEST_REPORT_REPORT_H

#include "report/markup.h"
#include "report/record.h"

enum { ATTEST_REPORT_SECTIONS = 24 };

typedef struct attest_report_figure {
    char *id, *svg;
} attest_report_figure;

typedef struct attest_report {
    attest_records records;
    attest_markup body; /* the sections written so far */
    size_t sections;
    struct {
        const char *id, *title;
    } section[ATTEST_REPORT_SECTIONS];
    size_t figures, room;
    attest_report_figure *figure;
} attest_report;

void attest_report_init(attest_report *report);
void attest_report_clear(attest_report *report);

/* Writes all sections about report->records, once. Status: NOMEM. */
attest_status attest_report_set(attest_report *report, attest_error *error) ATTEST_WARN_UNUSED;

/* Reads the records of a directory and writes all sections. except: as for attest_records_read.
 * Status: as attest_records_read, and NOMEM. */
attest_status attest_report_read(attest_report *report, const char *directory,
                                 const char *const *except, attest_budget *budget,
                                 attest_error *error) ATTEST_WARN_UNUSED;

/* Writes the page, whole or not at all. Status: IO, NOMEM. */
attest_status attest_report_write_page(const attest_report *report, const char *path,
                                       attest_error *error) ATTEST_WARN_UNUSED;

/* Writes the errors of all audits as CSV: a line for each record, head and format. Status: IO,
 * NOMEM. */
attest_status attest_report_write_csv(const attest_report *report, const char *path,
                                      attest_error *error) ATTEST_WARN_UNUSED;

/* Writes every plot as directory/ID.svg and creates the directory if it does not exist. light:
 * without colours for dark schemes. Status: IO, NOMEM. */
attest_status attest_report_write_figures(const attest_report *report, const char *directory,
                                          bool light, attest_error *error) ATTEST_WARN_UNUSED;

#endif
