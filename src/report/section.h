/* section.h -- the sections of a report, and their helpers. */
#ifndef ATTEST_REPORT_SECTION_H
#define ATTEST_REPORT_SECTION_H

#include "io/json_read.h"
#include "report/plot.h"
#include "report/record.h"
#include "report/report.h"

/* Begin and end a section. */
void attest_section_open(attest_report *report, const char *id, const char *title,
                         const char *introduction);
void attest_section_close(attest_report *report);

/* A plot and the table beside it: open_plot adds the drawing, which it clears; the caller
 * writes the table to report->body, and close_plot ends both. add_plot adds further plots that
 * share the table, before open_plot. */
void attest_section_open_plot(attest_report *report, attest_markup *drawing, const char *id,
                              const char *caption);
void attest_section_add_plot(attest_report *report, attest_markup *drawing, const char *id,
                             const char *caption);
void attest_section_close_plot(attest_report *report);

/* Returns whether a counterexample file is the tightest case of a property that held. */
bool attest_section_is_tightest(const attest_record *record);

/* Writes cells of a table: the errors and counts of a format, under the headings of
 * section_meaning.c. */
void attest_section_write_errors_of(attest_markup *body, const attest_json_cursor *entry);

/* Appends the bins [{"from", "to", "count"} ...] of object.key, on the axis of log2, to the
 * strip; edge and count have room for most + 1 and most numbers. Bins that do not continue the
 * last one are skipped. The first bin may begin at 0 and the last have no end: both are drawn
 * one octave wide. */
void attest_section_read_bins(attest_plot_strip *strip, double *edge, double *count,
                              size_t most, const attest_json_cursor *object, const char *key);

/* The sections. Each is written if the directory contains a record of its kinds (report.c). */
void attest_section_write_summary(attest_report *report);
void attest_section_write_meaning(attest_report *report);
void attest_section_write_heads(attest_report *report);
void attest_section_write_collapse(attest_report *report);
void attest_section_write_theory(attest_report *report);
void attest_section_write_collisions(attest_report *report);
void attest_section_write_errors(attest_report *report);
void attest_section_write_algorithms(attest_report *report);
void attest_section_write_fast_path(attest_report *report);
void attest_section_write_campaigns(attest_report *report);
void attest_section_write_counterexamples(attest_report *report);
void attest_section_write_certificates(attest_report *report);
void attest_section_write_networks(attest_report *report);
void attest_section_write_judgements(attest_report *report);
void attest_section_write_ranges(attest_report *report);
void attest_section_write_approximations(attest_report *report);
void attest_section_write_words(attest_report *report);
void attest_section_write_provenance(attest_report *report);

#endif
