/* report.c -- a report on the records of a directory: page, CSV and figures. */
#include "report/report.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include <attest/version.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/scope.h"
#include "base/text.h"
#include "report/record.h"
#include "report/section.h"
#include "report/style.h"

/* A quoted CSV field, with quotes doubled. Control characters are escaped as in print.h, since
 * the table may go to a terminal. */
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

/* object.part.key with the six digits of the record; empty if it is missing. */
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

static void write_line(FILE *stream, const attest_audit_iter *audited,
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

static void write_formats(FILE *stream, const attest_audit_iter *audited,
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
static void write_all(FILE *stream, attest_audit_iter *audited, const attest_records *records)
{
    attest_json_cursor heads;

    while (attest_audit_iter_next(audited, records)) {
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
    attest_audit_iter audited;
    attest_output output;

    ATTEST_TRY(attest_output_open(&output, path, error));
    fputs("record,layer,head,format,verdict,relative_error_max,relative_error_mean,"
          "weights_error_max,weights_error_mean,argmax_changed,pairs_apart,pairs_by_rounding,"
          "pairs_merged,collisions,nonfinite,saturated,max_ulp,mean_ulp,bound_ulp\n",
          output.stream);
    attest_audit_iter_init_heads(&audited);
    write_all(output.stream, &audited, &report->records);
    attest_audit_iter_init(&audited);
    write_all(output.stream, &audited, &report->records);
    return attest_output_commit(&output, error);
}

/* The date of the report: that of SOURCE_DATE_EPOCH, if it is set, else today; "" if it is
 * unknown. */
static void format_date(char date[32])
{
    const char *epoch = getenv("SOURCE_DATE_EPOCH");
    time_t seconds = epoch && *epoch ? (time_t)strtoll(epoch, NULL, 10) : time(NULL);
    struct tm day;

    date[0] = '\0';
    if (gmtime_r(&seconds, &day))
        strftime(date, 32, "%Y-%m-%d", &day);
}

/* Nothing may be fetched, framed or sent; the one style and the one script are named by their
 * hashes. */
static void write_policy(attest_markup *page, const char *style)
{
    attest_text policy;

    attest_text_init(&policy);
    attest_text_add(&policy, "default-src 'none'; style-src '");
    attest_markup_hash(&policy, style, strlen(style));
    attest_text_add(&policy, "'; script-src '");
    attest_markup_hash(&policy, attest_script_page, strlen(attest_script_page));
    attest_text_add(&policy, "'; base-uri 'none'; form-action 'none'");
    attest_markup_open(page, "meta");
    attest_markup_attribute(page, "http-equiv", "Content-Security-Policy");
    attest_markup_attribute(page, "content", policy.data ? policy.data : "");
    attest_markup_empty(page);
    page->text.failed |= policy.failed;
    attest_text_clear(&policy);
}

static void write_meta(attest_markup *page, const char *name, const char *content)
{
    attest_markup_open(page, "meta");
    attest_markup_attribute(page, "name", name);
    attest_markup_attribute(page, "content", content);
    attest_markup_empty(page);
}

static void write_head(attest_markup *page, const char *title)
{
    attest_text style;

    attest_text_init(&style);
    attest_text_add(&style, attest_style_plot);
    attest_text_add(&style, attest_style_page);
    attest_markup_open(page, "head");
    attest_markup_open(page, "meta");
    attest_markup_attribute(page, "charset", "utf-8");
    attest_markup_empty(page);
    write_policy(page, style.data ? style.data : "");
    write_meta(page, "viewport", "width=device-width, initial-scale=1");
    write_meta(page, "color-scheme", "light dark");
    write_meta(page, "generator", "attest");
    attest_markup_element(page, "title", NULL, title);
    attest_markup_open(page, "style");
    if (style.data)
        attest_markup_raw(page, style.data, style.size);
    page->text.failed |= style.failed;
    attest_markup_close(page);
    attest_markup_close(page);
    attest_text_clear(&style);
}

static void write_contents(attest_markup *page, const attest_report *report)
{
    attest_markup_open(page, "nav");
    attest_markup_attribute(page, "aria-label", "Contents");
    attest_markup_open(page, "ul");
    for (size_t i = 0; i < report->sections; i++) {
        attest_markup_open(page, "li");
        attest_markup_open(page, "a");
        attest_markup_attribute_printf(page, "href", "#%s", report->section[i].id);
        attest_markup_text(page, report->section[i].title);
        attest_markup_close(page);
        attest_markup_close(page);
    }
    attest_markup_close(page);
    attest_markup_close(page);
}

static void write_header(attest_markup *page, const attest_report *report)
{
    char date[32];
    size_t count = report->records.count;

    format_date(date);
    attest_markup_open(page, "header");
    attest_markup_element(page, "h1", NULL, "What attention can tell apart");
    attest_markup_open_class(page, "p", "lead");
    attest_markup_printf(page, "A report by attest %s on %zu record%s, ", attest_version(),
                         count, count == 1 ? "" : "s");
    attest_markup_element(page, "time", NULL, date);
    attest_markup_text(page, ". Every verdict was reached by exact arithmetic or proved error "
                             "bounds; this page only shows them.");
    attest_markup_close(page);
    attest_markup_close(page);
}

static void write_body(attest_markup *page, const attest_report *report)
{
    attest_markup_open(page, "body");
    attest_markup_open_class(page, "a", "skip");
    attest_markup_attribute(page, "href", "#main");
    attest_markup_text(page, "Skip to the results");
    attest_markup_close(page);
    write_header(page, report);
    write_contents(page, report);
    attest_markup_open(page, "main");
    attest_markup_attribute(page, "id", "main");
    attest_markup_attribute(page, "tabindex", "-1");
    if (report->body.text.data)
        attest_markup_raw(page, report->body.text.data, report->body.text.size);
    attest_markup_close(page);
    attest_markup_open(page, "footer");
    attest_markup_element(
        page, "p", NULL,
        "attest decides by exact rationals and balls with proved error bounds "
        "what one layer of hardmax or softmax attention can tell apart. "
        "Undecided is never a pass.");
    attest_markup_close(page);
    attest_markup_open(page, "script");
    attest_markup_raw(page, attest_script_page, strlen(attest_script_page));
    attest_markup_close(page);
    attest_markup_close(page);
}

attest_status attest_report_write_page(const attest_report *report, const char *path,
                                       attest_error *error)
{
    ATTEST_SCOPED(attest_markup, page);
    attest_output output;

    attest_text_add(&page.text, "<!DOCTYPE html>");
    attest_markup_open(&page, "html");
    attest_markup_attribute(&page, "lang", "en");
    write_head(&page, "attest report");
    write_body(&page, report);
    attest_markup_close(&page);
    attest_text_add(&page.text, "\n");
    if (page.text.failed)
        return attest_memory_fail_at(error, path);
    ATTEST_TRY(attest_output_open(&output, path, error));
    fwrite(page.text.data, 1, page.text.size, output.stream);
    return attest_output_commit(&output, error);
}

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

void attest_section_open(attest_report *report, const char *id, const char *title,
                         const char *introduction)
{
    attest_markup *body = &report->body;

    if (report->sections < ATTEST_REPORT_SECTIONS) {
        report->section[report->sections].id = id;
        report->section[report->sections++].title = title;
    }
    attest_markup_open(body, "section");
    attest_markup_attribute(body, "id", id);
    attest_markup_attribute_printf(body, "aria-labelledby", "%s-heading", id);
    attest_markup_open(body, "h2");
    attest_markup_attribute_printf(body, "id", "%s-heading", id);
    attest_markup_text(body, title);
    attest_markup_close(body);
    if (introduction)
        attest_markup_element(body, "p", NULL, introduction);
}

void attest_section_close(attest_report *report)
{
    attest_markup_close(&report->body);
}

/* Keeps the drawing for a file of its own. */
static bool keep(attest_report *report, const attest_markup *drawing, const char *id)
{
    char *name, *svg;

    if (!attest_memory_grow(&report->figure, &report->room, report->figures + 1,
                            sizeof *report->figure))
        return false;
    name = attest_memory_copy(id);
    svg = drawing->text.data ? attest_memory_copy(drawing->text.data) : NULL;
    if (!name || !svg) {
        free(name);
        free(svg);
        return false;
    }
    report->figure[report->figures++] = (attest_report_figure){name, svg};
    return true;
}

void attest_section_add_plot(attest_report *report, attest_markup *drawing, const char *id,
                             const char *caption)
{
    attest_markup *body = &report->body;

    attest_markup_open(body, "figure");
    if (drawing->text.failed || !keep(report, drawing, id))
        body->text.failed = true;
    else
        attest_markup_raw(body, drawing->text.data, drawing->text.size);
    attest_markup_element(body, "figcaption", NULL, caption);
    attest_markup_close(body);
    attest_markup_clear(drawing);
}

void attest_section_open_plot(attest_report *report, attest_markup *drawing, const char *id,
                              const char *caption)
{
    attest_markup_open_class(&report->body, "div", "pair");
    attest_section_add_plot(report, drawing, id, caption);
}

void attest_section_close_plot(attest_report *report)
{
    attest_markup_close(&report->body);
}

/* Records of any of these kinds. */
#define KIND(kind) (1u << ATTEST_RECORD_##kind)
#define ANY ((1u << ATTEST_RECORD_KINDS) - 1)

attest_status attest_report_set(attest_report *report, attest_error *error)
{
    /* The sections in their order, and the kinds of records that each is about. */
    static const struct {
        void (*write)(attest_report *);
        unsigned kinds;
    } section[] = {
        {attest_section_write_summary, 0},
        {attest_section_write_meaning, KIND(AUDIT) | KIND(HEADS)},
        {attest_section_write_heads, KIND(HEADS)},
        {attest_section_write_collapse, KIND(AUDIT)},
        {attest_section_write_theory, KIND(AUDIT) | KIND(CONSTRUCT)},
        {attest_section_write_collisions, KIND(AUDIT)},
        {attest_section_write_errors, KIND(AUDIT)},
        {attest_section_write_algorithms, KIND(AUDIT)},
        {attest_section_write_fast_path, KIND(AUDIT)},
        {attest_section_write_campaigns, KIND(CAMPAIGN)},
        {attest_section_write_counterexamples, KIND(COUNTEREXAMPLE)},
        {attest_section_write_certificates, KIND(CERTIFICATE)},
        {attest_section_write_networks, KIND(MEMORIZE)},
        {attest_section_write_judgements, KIND(JUDGE)},
        {attest_section_write_ranges, KIND(RANGE)},
        {attest_section_write_approximations, KIND(APPROXIMATE)},
        {attest_section_write_words, ANY},
        {attest_section_write_provenance, 0},
    };
    unsigned present = 0;

    for (size_t i = 0; i < report->records.count; i++)
        present |= 1u << report->records.record[i].kind;
    for (size_t i = 0; i < sizeof section / sizeof section[0]; i++)
        if (section[i].kinds == 0 || section[i].kinds & present)
            section[i].write(report);
    if (report->body.text.failed)
        return attest_memory_fail(error);
    return ATTEST_OK;
}

attest_status attest_report_read(attest_report *report, const char *directory,
                                 const char *const *except, attest_budget *budget,
                                 attest_error *error)
{
    ATTEST_TRY(attest_records_read(&report->records, directory, except, budget, error));
    return attest_report_set(report, error);
}

/* Writes a drawing as a file: its style follows the start tag of <svg>, whose attributes
 * contain no '>'. light omits the line of the style for dark colour schemes. */
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

static attest_status write_figure(const attest_report_figure *figure, const char *directory,
                                  bool light, attest_error *error)
{
    attest_output output;
    char *name ATTEST_FREED = malloc(strlen(figure->id) + sizeof ".svg");
    char *path ATTEST_FREED = NULL;

    if (name) {
        sprintf(name, "%s.svg", figure->id);
        path = attest_records_join(directory, name);
    }
    if (!path)
        return attest_memory_fail_at(error, directory);
    ATTEST_TRY(attest_output_open_file(&output, path, error));
    write_svg(output.stream, figure->svg, light);
    return attest_output_commit(&output, error);
}

attest_status attest_report_write_figures(const attest_report *report, const char *directory,
                                          bool light, attest_error *error)
{
    if (mkdir(directory, 0777) != 0 && errno != EEXIST)
        return attest_error_set(error, ATTEST_IO, "%s: cannot create the directory: %s",
                                directory, strerror(errno));
    for (size_t i = 0; i < report->figures; i++)
        ATTEST_TRY(write_figure(&report->figure[i], directory, light, error));
    return ATTEST_OK;
}
