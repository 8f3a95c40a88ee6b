/* campaign.h -- the record of a finished campaign as JSON, text and files. */
#ifndef ATTEST_REPORT_CAMPAIGN_H
#define ATTEST_REPORT_CAMPAIGN_H

#include <stdio.h>

#include "campaign/summary.h"
#include "io/json_write.h"

/* Writes the object attest/campaign-report. The names of files are relative to
 * summary->directory; without it they are left out. */
void attest_report_campaign_json(attest_json *json, const attest_summary *summary);

/* Prints the campaign as text; labels are wrapped at width columns. The last line has the
 * number of tests in each standing and the exit code; if that is not 0, a line for each reason
 * precedes it. */
void attest_report_campaign_text(FILE *stream, const attest_summary *summary, size_t width);

/* Writes all files of the directory: NAME.1.json, ... (counterexamples), NAME.tightest.json,
 * report.tap, report.xml (JUnit) and, last, report.json. Domain: summary->directory is set.
 * Status: IO, NOMEM. */
attest_status attest_report_campaign_files(const attest_summary *summary,
                                           attest_error *error) ATTEST_WARN_UNUSED;

#endif
