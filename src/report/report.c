/* report.c -- a report from the records of a folder. */
#include "report/report.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "base/output.h"
#include "base/scope.h"
#include "report/listing.h"
#include "report/section.h"
#include "report/style.h"

void attest_report_init(attest_report *report)
{
    memset(report, 0, sizeof *report);
    attest_records_init(&report->records);
    attest_markup_init(&report->body);
}

void attest_report_clear(attest_report *report)
{
    for (size_t i = 0; i < report->figures; i++) {
        free(report->figure[i].id);
        free(report->figure[i].svg);
    }
    free(report->figure);
    attest_markup_clear(&report->body);
    attest_records_clear(&report->records);
    attest_report_init(report);
}

attest_status attest_report_set(attest_report *report, attest_error *error)
{
    static void (*const write[])(attest_report *) = {
        attest_section_write_summary,         attest_section_write_meaning,
        attest_section_write_heads,           attest_section_write_collapse,
        attest_section_write_theory,          attest_section_write_collisions,
        attest_section_write_errors,          attest_section_write_algorithms,
        attest_section_write_fast_path,       attest_section_write_campaigns,
        attest_section_write_counterexamples, attest_section_write_certificates,
        attest_section_write_judgements,      attest_section_write_ranges,
        attest_section_write_approximations,  attest_section_write_words,
        attest_section_write_provenance,
    };

    for (size_t i = 0; i < sizeof write / sizeof write[0]; i++)
        write[i](report);
    if (report->body.text.failed)
        return attest_memory_fail(error);
    return ATTEST_OK;
}

attest_status attest_report_read(attest_report *report, const char *folder,
                                 const char *const *except, attest_budget *budget,
                                 attest_error *error)
{
    ATTEST_TRY(attest_records_read(&report->records, folder, except, budget, error));
    return attest_report_set(report, error);
}

/* Writes a drawing as a file of its own: its style follows the start tag of <svg>, whose
 * attributes contain no '>'. light leaves out the line of the style for dark colour schemes. */
static void write_svg(FILE *stream, const char *svg, bool light)
{
    const char *content = strchr(svg, '>') + 1;
    const char *dark = strstr(attest_style_plot, "@media (prefers-color-scheme:dark)");
    const char *after = strchr(dark, '\n') + 1;

    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n", stream);
    fwrite(svg, 1, (size_t)(content - svg), stream);
    fputs("\n<style>", stream);
    if (light) {
        fwrite(attest_style_plot, 1, (size_t)(dark - attest_style_plot), stream);
        fprintf(stream, ":root{color-scheme:light}\n%s", after);
    } else {
        fputs(attest_style_plot, stream);
    }
    fprintf(stream, "</style>%s\n", content);
}

static attest_status write_figure(const attest_report_figure *figure, const char *folder,
                                  bool light, attest_error *error)
{
    attest_output output;
    char *name ATTEST_FREED = malloc(strlen(figure->id) + sizeof ".svg");
    char *path ATTEST_FREED = NULL;

    if (name) {
        sprintf(name, "%s.svg", figure->id);
        path = attest_listing_join(folder, name);
    }
    if (!path)
        return attest_memory_fail_at(error, folder);
    ATTEST_TRY(attest_output_open_file(&output, path, error));
    write_svg(output.stream, figure->svg, light);
    return attest_output_commit(&output, error);
}

attest_status attest_report_write_figures(const attest_report *report, const char *folder,
                                          bool light, attest_error *error)
{
    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        return attest_error_set(error, ATTEST_IO, "%s: cannot create the folder: %s", folder,
                                strerror(errno));
    for (size_t i = 0; i < report->figures; i++)
        ATTEST_TRY(write_figure(&report->figure[i], folder, light, error));
    return ATTEST_OK;
}
