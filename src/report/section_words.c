/* section_words.c -- the words that the page is told in, from the glossary. */
#include "report/glossary.h"
#include "report/section.h"
#include "report/table.h"

void attest_section_write_words(attest_report *report)
{
    static const char *const heading[] = {"Word", "What it means"};
    attest_markup *body = &report->body;

    if (report->records.count == 0)
        return;
    attest_section_open(report, "words", "Words",
                        "What the words of this page mean, as 'attest show WORD' says.");
    attest_markup_open(body, "details");
    attest_markup_open(body, "summary");
    attest_markup_text(body, "Glossary");
    attest_markup_close(body);
    attest_table_open(body, "Glossary", heading, 2);
    for (const attest_term *term = attest_glossary; term->name; term++) {
        attest_table_row(body, term->name);
        attest_table_cell(body, NULL, term->text);
    }
    attest_table_close(body);
    attest_markup_close(body);
    attest_section_close(report);
}
