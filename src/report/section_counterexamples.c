/* section_counterexamples.c -- instances on which a statement fails, with their tokens. */
#include <stdio.h>
#include <string.h>

#include "report/section.h"
#include "report/table.h"
#include "report/value.h"

enum { MOST_SHOWN = 24, MOST_SEQUENCES = 8, MOST_POSITIONS = 12 };

/* Whether [sequence, position] is one of the pair that violates. */
static bool is_of_pair(const attest_json_cursor *root, size_t sequence, size_t position)
{
    attest_json_cursor violates, pair;

    if (!attest_json_find_member(&violates, root, "violates"))
        return false;
    for (size_t i = 0; i < attest_value_array(&pair, &violates, "pair"); i++) {
        attest_json_cursor place = attest_json_get_element(&pair, i), index;
        int64_t at[2] = {-1, -1};
        size_t length;
        if (attest_json_get_length(&length, &place, NULL) != ATTEST_OK || length != 2)
            continue;
        for (size_t k = 0; k < 2; k++) {
            index = attest_json_get_element(&place, k);
            if (attest_json_get_integer(&at[k], &index, NULL) != ATTEST_OK)
                at[k] = -1;
        }
        if (at[0] == (int64_t)sequence && at[1] == (int64_t)position)
            return true;
    }
    return false;
}

static void write_token(attest_markup *body, const attest_json_cursor *token, bool marked)
{
    attest_table_open_cell(body, "token");
    if (marked)
        attest_markup_open_class(body, "strong", "bad");
    attest_value_write_value(body, token);
    if (marked) {
        attest_markup_text(body, " \xE2\x97\x84");
        attest_markup_close(body);
    }
    attest_markup_close(body);
}

/* The longest of the sequences that are shown. */
static size_t widest(const attest_json_cursor *sequences, size_t count)
{
    size_t most = 1, length;

    for (size_t i = 0; i < count; i++) {
        attest_json_cursor sequence = attest_json_get_element(sequences, i);
        if (attest_json_get_length(&length, &sequence, NULL) == ATTEST_OK && length > most)
            most = length;
    }
    return most < MOST_POSITIONS ? most : MOST_POSITIONS;
}

static void write_sequence(attest_markup *body, const attest_json_cursor *root,
                           const attest_json_cursor *sequences, size_t i, size_t columns)
{
    attest_json_cursor sequence = attest_json_get_element(sequences, i);
    size_t length = 0;
    char label[32];

    snprintf(label, sizeof label, "sequence %zu", i);
    attest_table_row(body, label);
    if (attest_json_get_length(&length, &sequence, NULL) != ATTEST_OK)
        length = 0;
    for (size_t k = 0; k < columns; k++) {
        attest_json_cursor token;
        if (k >= length) {
            attest_table_cell(body, NULL, "");
            continue;
        }
        token = attest_json_get_element(&sequence, k);
        write_token(body, &token, is_of_pair(root, i, k));
    }
}

static void write_dataset(attest_markup *body, const attest_json_cursor *root)
{
    char position[MOST_POSITIONS][24], caption[160];
    const char *heading[MOST_POSITIONS + 1] = {"Sequence"};
    attest_json_cursor dataset, sequences, violates, pair;
    size_t count, shown, columns;

    if (!attest_json_find_member(&dataset, root, "dataset"))
        return;
    count = attest_value_array(&sequences, &dataset, "sequences");
    if (count == 0)
        return;
    shown = count < MOST_SEQUENCES ? count : MOST_SEQUENCES;
    columns = widest(&sequences, shown);
    for (size_t k = 0; k < columns; k++) {
        snprintf(position[k], sizeof position[k], "token %zu", k);
        heading[k + 1] = position[k];
    }
    snprintf(caption, sizeof caption, "The tokens%s%s",
             attest_json_find_member(&violates, root, "violates") &&
                     attest_value_array(&pair, &violates, "pair") > 0
                 ? "; \xE2\x97\x84 marks the pair"
                 : "",
             shown < count ? " (the first sequences only)" : "");
    attest_table_open(body, caption, heading, columns + 1);
    for (size_t i = 0; i < shown; i++)
        write_sequence(body, root, &sequences, i, columns);
    attest_table_close(body);
}

/* "name = value" for whatever the statement takes besides. */
static void write_parameters(attest_markup *body, const attest_json_cursor *root)
{
    attest_json_cursor parameters, parameter;
    size_t i = 0;

    if (!attest_json_find_member(&parameters, root, "parameters"))
        return;
    for (; attest_json_get_member_at(&parameter, &parameters, i); i++) {
        attest_markup_printf(body, "%s%s = ", i == 0 ? " With " : ", ", parameter.key);
        attest_value_write_value(body, &parameter);
    }
    attest_markup_text(body, i > 0 ? "." : "");
}

bool attest_section_is_tightest(const attest_record *record)
{
    attest_json_cursor root = attest_json_root(&record->document), violates;

    return record->kind == ATTEST_RECORD_COUNTEREXAMPLE &&
           attest_json_find_member(&violates, &root, "violates") &&
           strcmp(attest_value_text(&violates, "definition"), "none") == 0;
}

/* What fails, where it was found, and how to see it again. */
static void write_story(attest_markup *body, const attest_record *record)
{
    attest_json_cursor root = attest_json_root(&record->document), violates, pair;

    attest_markup_open(body, "p");
    attest_markup_text(body, "An instance of ");
    attest_markup_element(body, "code", NULL, attest_value_text(&root, "property"));
    if (!attest_section_is_tightest(record) &&
        attest_json_find_member(&violates, &root, "violates")) {
        attest_markup_text(body, " that violates ");
        attest_markup_element(body, "code", NULL, attest_value_text(&violates, "definition"));
        if (attest_value_array(&pair, &violates, "pair") > 0) {
            attest_markup_text(body, " at ");
            attest_value_write_pair(body, &violates, "pair");
        }
    }
    attest_markup_text(body, ", found by ");
    attest_value_write(body, &root, "found_by");
    if (*attest_value_text(&root, "seed")) {
        attest_markup_text(body, " (seed ");
        attest_value_write(body, &root, "seed");
        attest_markup_text(body, ", ");
        attest_value_write(body, &root, "shrink_steps");
        attest_markup_text(body, " steps of shrinking)");
    }
    attest_markup_text(body, ".");
    write_parameters(body, &root);
    attest_markup_text(body, " Decide it again: ");
    attest_markup_open(body, "code");
    attest_markup_printf(body, "attest replay %s", record->path);
    attest_markup_close(body);
    attest_markup_close(body);
}

static void write_counterexample(attest_report *report, const attest_record *record)
{
    attest_json_cursor root = attest_json_root(&record->document);
    char label[96];

    attest_markup_element(&report->body, "h3", NULL,
                          attest_section_label(label, sizeof label, record));
    write_story(&report->body, record);
    write_dataset(&report->body, &root);
}

/* A section of those that are tightest cases, or of those that are not. */
static void write_some(attest_report *report, bool tightest, const char *id, const char *title,
                       const char *introduction)
{
    const attest_record *record;
    size_t place = 0, number = 0;

    for (; (record = attest_records_find(&report->records, ATTEST_RECORD_COUNTEREXAMPLE, place,
                                         &place));
         place++) {
        if (attest_section_is_tightest(record) != tightest)
            continue;
        if (number == 0)
            attest_section_open(report, id, title, introduction);
        if (number++ < MOST_SHOWN)
            write_counterexample(report, record);
    }
    if (number > MOST_SHOWN) {
        attest_markup_open(&report->body, "p");
        attest_markup_printf(&report->body, "%zu more are in the folder.", number - MOST_SHOWN);
        attest_markup_close(&report->body);
    }
    if (number > 0)
        attest_section_close(report);
}

void attest_section_write_counterexamples(attest_report *report)
{
    write_some(report, false, "counterexamples", "Counterexamples",
               "Instances on which a statement, or one without one of its hypotheses, fails. "
               "Each file holds the values themselves.");
    write_some(report, true, "tightest", "Tightest cases",
               "Instances that came closest to a bound which held.");
}
