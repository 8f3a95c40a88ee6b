/* section.h -- the sections of a report, one file each, and what they share. */
#ifndef ATTEST_REPORT_SECTION_H
#define ATTEST_REPORT_SECTION_H

#include "io/json_read.h"
#include "report/plot.h"
#include "report/report.h"

/* Begins and ends a section; id is the program's own. */
void attest_section_open(attest_report *report, const char *id, const char *title,
                         const char *introduction);
void attest_section_close(attest_report *report);

/* A plot and the table beside it: begin with the plot that was drawn, whose id and markup are
 * given (the markup is cleared), write the table into report->body, and close. Further plots
 * that share the table come before it. */
void attest_section_open_plot(attest_report *report, attest_markup *drawing, const char *id,
                              const char *caption);
void attest_section_add_plot(attest_report *report, attest_markup *drawing, const char *id,
                             const char *caption);
void attest_section_close_plot(attest_report *report);

/* What a record is called on the page: its path without ".json". Cut to size bytes. */
char *attest_section_label(char *label, size_t size, const attest_record *record);

/* Whether a counterexample is none: the tightest case of a property that held. */
bool attest_section_is_tightest(const attest_record *record);

/* Cells of a table: the errors and counts of a format, as section_meaning.c heads them. */
void attest_section_write_errors_of(attest_markup *body, const attest_json_cursor *entry);

/* A table of where errors are largest and which pairs are lost, with the tokens if the record
 * has them. */
void attest_section_write_places(attest_markup *body, const attest_json_cursor *root,
                                 const attest_json_cursor *formats, size_t count);

/* The data, weights and arithmetic of all audits, as a table. */
void attest_section_write_subjects(attest_report *report);

/* The sections. Each writes nothing where there is no record for it. */
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
void attest_section_write_judgements(attest_report *report);
void attest_section_write_ranges(attest_report *report);
void attest_section_write_approximations(attest_report *report);
void attest_section_write_words(attest_report *report);
void attest_section_write_provenance(attest_report *report);

#endif
