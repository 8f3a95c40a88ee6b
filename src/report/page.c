/* page.c -- the page around the sections of a report. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <attest/version.h>

#include "base/memory.h"
#include "base/output.h"
#include "base/scope.h"
#include "report/report.h"
#include "report/style.h"

/* The day of the report: that of SOURCE_DATE_EPOCH, if it is set, else today; "" if it cannot
 * be told. */
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
    attest_style_hash(&policy, style, strlen(style));
    attest_text_add(&policy, "'; script-src '");
    attest_style_hash(&policy, attest_script_page, strlen(attest_script_page));
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
