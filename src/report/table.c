/* table.c -- tables. */
#include "report/table.h"

#include <math.h>
#include <string.h>

#include "report/scale.h"

void attest_table_open(attest_markup *markup, const char *caption, const char *const *heading,
                       size_t columns)
{
    attest_markup_open_class(markup, "div", "scroll");
    attest_markup_attribute(markup, "role", "region");
    attest_markup_attribute(markup, "tabindex", "0");
    attest_markup_attribute_printf(markup, "aria-label", "Table: %s", caption);
    attest_markup_open(markup, "table");
    attest_markup_element(markup, "caption", NULL, caption);
    attest_markup_open(markup, "thead");
    attest_markup_open(markup, "tr");
    for (size_t i = 0; i < columns; i++) {
        bool number = heading[i][0] == '#';
        attest_markup_open_class(markup, "th", number ? "number" : NULL);
        attest_markup_attribute(markup, "scope", "col");
        attest_markup_text(markup, heading[i] + number);
        attest_markup_close(markup);
    }
    attest_markup_close(markup);
    attest_markup_close(markup);
    attest_markup_open(markup, "tbody");
}

/* Inside a row until the next one begins. */
static void end_row(attest_markup *markup)
{
    if (strcmp(markup->open[markup->depth - 1], "tr") == 0)
        attest_markup_close(markup);
}

void attest_table_row(attest_markup *markup, const char *heading)
{
    attest_table_named_row(markup, NULL, heading);
}

void attest_table_named_row(attest_markup *markup, const char *id, const char *heading)
{
    end_row(markup);
    attest_markup_open(markup, "tr");
    if (id)
        attest_markup_attribute(markup, "id", id);
    attest_markup_open(markup, "th");
    attest_markup_attribute(markup, "scope", "row");
    attest_markup_text(markup, heading);
    attest_markup_close(markup);
}

void attest_table_open_cell(attest_markup *markup, const char *class_name)
{
    attest_markup_open_class(markup, "td", class_name);
}

void attest_table_cell(attest_markup *markup, const char *class_name, const char *text)
{
    attest_markup_element(markup, "td", class_name, text);
}

void attest_table_number(attest_markup *markup, double value, int digits)
{
    char text[64];

    attest_table_cell(markup, "number",
                      isnan(value) ? "\xE2\x80\x93"
                                   : attest_scale_format_number(text, value, digits));
}

void attest_table_close(attest_markup *markup)
{
    end_row(markup);
    attest_markup_close(markup);
    attest_markup_close(markup);
    attest_markup_close(markup);
}
