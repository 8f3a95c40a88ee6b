/* campaign.h -- a finished campaign as JSON, text for people, TAP and JUnit XML. */
#ifndef ATTEST_REPORT_CAMPAIGN_H
#define ATTEST_REPORT_CAMPAIGN_H

#include <stdio.h>

#include "campaign/summary.h"
#include "io/json_write.h"

/* The object of `attest campaign --json`, and of report.json. folder: the files of
 * counterexamples are in it (NULL: there are none, and the names are left out); their names are
 * relative to it. */
void attest_report_campaign_json(attest_json *json, const attest_summary *summary,
                                 const char *folder);

/* The same for people, in lines of at most width columns as far as labels go. The last line
 * counts what became of the properties and names the exit code; where that is not 0, a line for
 * each reason stands before it. */
void attest_report_campaign_text(FILE *stream, const attest_summary *summary,
                                 const char *folder, size_t width);

/* One command that replays the first violation of the property, or NULL when there is none; the
 * caller frees it. Ends the program where memory is out (need.h). */
char *attest_report_command(const attest_summary *summary, size_t p, const char *folder);

/* "held after 100 trials", "violated, as expected, after 3 trials", "not run". */
void attest_report_result(char *line, size_t size, const attest_property_summary *property);

/* "held, as expected", "violated, held is expected": a file of the corpus. */
void attest_report_file_result(char *line, size_t size, const attest_corpus_case *file);

/* What a violation is, in a line; or why nothing was decided. "" for what held. */
void attest_report_reason(char *line, size_t size, const attest_property_summary *property);

/* TAP 12, and JUnit XML: a test for each property and each file of the corpus. Status: NOMEM;
 * errors of the stream stay with it. */
attest_status attest_report_campaign_tap(FILE *stream, const attest_summary *summary,
                                         const char *folder) ATTEST_WARN_UNUSED;
attest_status attest_report_campaign_junit(FILE *stream, const attest_summary *summary,
                                           const char *folder) ATTEST_WARN_UNUSED;

/* All files of a campaign's folder: NAME.1.json, ... (counterexamples), NAME.tightest.json,
 * report.tap, report.xml (JUnit) and, when all others are there, report.json. Status: IO,
 * NOMEM. */
attest_status attest_report_campaign_files(const attest_summary *summary, const char *folder,
                                           attest_error *error) ATTEST_WARN_UNUSED;

#endif
