/* section_places.c -- where errors are largest and which pairs are lost, in the tokens of the
 * data. */
#include <string.h>

#include "report/section.h"
#include "report/table.h"
#include "report/value.h"

/* So many tokens before one are shown with it. */
enum { MOST_BEFORE = 24 };

/* What people see of a token: ends of lines have a sign. */
static void write_text(attest_markup *body, const char *text)
{
    for (;;) {
        size_t length = strcspn(text, "\n");

        attest_markup_printf(body, "%.*s", (int)length, text);
        if (!text[length])
            return;
        attest_markup_text(body, "\xE2\x86\xB5");
        text += length + 1;
    }
}

/* The token at a place, marked, behind those before it. */
static void write_token(attest_markup *body, const attest_json_cursor *tokens,
                        const size_t at[2])
{
    size_t sequences = 0, length = 0, first, last = at[1];
    attest_json_cursor list;

    if (attest_json_get_length(&sequences, tokens, NULL) != ATTEST_OK || at[0] >= sequences)
        return;
    list = attest_json_get_element(tokens, at[0]);
    if (attest_json_get_length(&length, &list, NULL) != ATTEST_OK || at[1] >= length)
        return;
    first = last > MOST_BEFORE ? last - MOST_BEFORE : 0;
    attest_markup_open_class(body, "code", "tokens");
    if (first > 0)
        attest_markup_text(body, "\xE2\x80\xA6");
    for (size_t k = first; k <= last; k++) {
        attest_json_cursor token = attest_json_get_element(&list, k);
        const char *text = "";

        if (attest_json_get_string(&text, &token, NULL) != ATTEST_OK)
            text = "?";
        if (k == last)
            attest_markup_open(body, "mark");
        write_text(body, text);
    }
    attest_markup_close(body);
    attest_markup_close(body);
}

/* "[3, 14] acities of the " */
static void write_place(attest_markup *body, const attest_json_cursor *place,
                        const attest_json_cursor *tokens)
{
    size_t at[2] = {0, 0}, count = 0;

    attest_value_write_value(body, place);
    if (!tokens || attest_json_get_length(&count, place, NULL) != ATTEST_OK || count != 2)
        return;
    for (size_t i = 0; i < 2; i++) {
        attest_json_cursor index = attest_json_get_element(place, i);

        if (attest_json_get_size(&at[i], &index, NULL) != ATTEST_OK)
            return;
    }
    attest_markup_text(body, " ");
    write_token(body, tokens, at);
}

/* "layer 2, head 1: " where the record has heads. */
static void write_head(attest_markup *body, const attest_json_cursor *entry, const char *key)
{
    attest_json_cursor head;

    if (attest_json_find_member(&head, entry, key))
        attest_markup_printf(body,
                             "layer %.0f, head %.0f: ", attest_value_number(&head, "layer"),
                             attest_value_number(&head, "head"));
}

static void write_error(attest_markup *body, const attest_json_cursor *entry,
                        const attest_json_cursor *tokens)
{
    attest_json_cursor part, place;

    attest_table_open_cell(body, NULL);
    if (attest_json_find_member(&part, entry, "relative_error") &&
        attest_json_find_member(&place, &part, "at")) {
        write_head(body, entry, "worst_head");
        write_place(body, &place, tokens);
    } else {
        attest_markup_text(body, "\xE2\x80\x93");
    }
    attest_markup_close(body);
}

static void write_pair(attest_markup *body, const attest_json_cursor *entry,
                       const attest_json_cursor *tokens)
{
    attest_json_cursor pairs, pair;

    attest_table_open_cell(body, NULL);
    if (attest_json_find_member(&pairs, entry, "pairs") &&
        attest_value_array(&pair, &pairs, "pair") == 2) {
        write_head(body, entry, "pair_head");
        for (size_t i = 0; i < 2; i++) {
            attest_json_cursor place = attest_json_get_element(&pair, i);

            write_place(body, &place, tokens);
            if (i == 0)
                attest_markup_text(body, " and ");
        }
        if (attest_value_number(&pairs, "merged") > 0)
            attest_markup_text(body, ", merged");
    } else {
        attest_markup_text(body, "none");
    }
    attest_markup_close(body);
}

void attest_section_write_places(attest_markup *body, const attest_json_cursor *root,
                                 const attest_json_cursor *formats, size_t count)
{
    static const char *const heading[] = {"Format", "Largest error",
                                          "First pair no longer told apart for certain"};
    attest_json_cursor list;
    const attest_json_cursor *tokens =
        attest_json_find_member(&list, root, "tokens") ? &list : NULL;

    attest_markup_open_class(body, "div", "wide");
    attest_table_open(body, "Where: sequence and position, from 0", heading, 3);
    for (size_t i = 0; i < count; i++) {
        attest_json_cursor entry = attest_json_get_element(formats, i);

        attest_table_row(body, attest_value_text(&entry, "name"));
        write_error(body, &entry, tokens);
        write_pair(body, &entry, tokens);
    }
    attest_table_close(body);
    attest_markup_close(body);
}
