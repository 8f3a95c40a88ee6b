/* section.c -- what the sections of a report share. */
#include "report/section.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

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
