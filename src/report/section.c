/* section.c -- helpers of the sections of a report. */
#include "report/section.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "report/table.h"

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

char *attest_section_label(char *label, size_t size, const attest_record *record)
{
    size_t length = strlen(record->path);

    length -= length > 5 ? 5 : 0; /* ".json" */
    snprintf(label, size, "%.*s", (int)(length < size ? length : size - 1), record->path);
    return label;
}

void attest_audit_iter_init(attest_audit_iter *audited)
{
    memset(audited, 0, sizeof *audited);
    audited->kind = ATTEST_RECORD_AUDIT;
}

void attest_audit_iter_init_heads(attest_audit_iter *audited)
{
    memset(audited, 0, sizeof *audited);
    audited->kind = ATTEST_RECORD_HEADS;
}

static bool ends_with(const char *text, size_t length, const char *end)
{
    size_t tail = strlen(end);

    return length >= tail && memcmp(text + length - tail, end, tail) == 0;
}

/* The path without ".json", and the strategy unless the path contains it: "gap" for audit.json
 * and for audit/audit.json, "night gap" for night/audit.json. */
static void set_label(attest_audit_iter *audited)
{
    attest_json_cursor weights;
    const char *path = audited->record->path;
    const char *strategy = attest_value_text(&audited->object, "strategy");
    size_t length = strlen(path);

    if (!*strategy && attest_json_find_member(&weights, &audited->object, "weights"))
        strategy = attest_value_text(&weights, "strategy");
    length -= ends_with(path, length, ".json") ? 5 : 0;
    while (*strategy && ends_with(path, length, "audit") &&
           (length == 5 || path[length - 6] == '/'))
        length -= length == 5 ? 5 : 6;
    snprintf(audited->label, sizeof audited->label, "%.*s", (int)(length < 96 ? length : 96),
             path);
    if (*strategy && !strstr(audited->label, strategy)) {
        size_t used = strlen(audited->label);
        snprintf(audited->label + used, sizeof audited->label - used, "%s%s", used ? " " : "",
                 strategy);
    }
}

/* The first mapping of the record at place. */
static void enter(attest_audit_iter *audited, const attest_records *records)
{
    audited->record = &records->record[audited->place];
    audited->root = attest_json_root(&audited->record->document);
    audited->count = attest_value_array(&audited->list, &audited->root, "constructions");
    audited->index = 0;
}

bool attest_audit_iter_next(attest_audit_iter *audited, const attest_records *records)
{
    if (audited->record && ++audited->index >= audited->count) {
        audited->record = NULL;
        audited->place++;
    }
    if (!audited->record) {
        if (!attest_records_find(records, audited->kind, audited->place, &audited->place))
            return false;
        enter(audited, records);
    }
    audited->object = audited->count > 0
                          ? attest_json_get_element(&audited->list, audited->index)
                          : audited->root;
    set_label(audited);
    return true;
}

void attest_section_read_bins(attest_plot_strip *strip, double *edge, double *count,
                              size_t most, const attest_json_cursor *object, const char *key)
{
    attest_json_cursor array;
    size_t bins = attest_value_array(&array, object, key);

    strip->edge = edge;
    strip->count = count;
    for (size_t i = 0; i < bins && strip->bins < most; i++) {
        attest_json_cursor bin = attest_json_get_element(&array, i);
        double from = log2(attest_value_number(&bin, "from"));
        double to = log2(attest_value_number(&bin, "to"));
        bool below = !isfinite(from), above = !isfinite(to);

        from = below ? to - 1 : from;
        to = above ? from + 1 : to;
        if (!(from < to) || (strip->bins > 0 && from != edge[strip->bins]))
            continue;
        strip->open_below |= strip->bins == 0 && below;
        strip->open_above = above;
        edge[strip->bins] = from;
        count[strip->bins] = attest_value_number(&bin, "count");
        edge[++strip->bins] = to;
    }
}
