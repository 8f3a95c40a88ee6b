/* section_meaning.c -- the effect of formats on outputs, and where errors are largest. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/section.h"

/* The number of tokens that are shown before the token in question. */
enum { MOST_BEFORE = 24 };

/* Writes the text of a token; line ends are shown as a symbol. */
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

/* The token at a place, marked, after those before it. */
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

/* "layer 2, head 1: " if the record has heads. */
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

/* A table of the places of the largest errors and of the lost pairs, with tokens if the record
 * has them. */
static void write_places(attest_markup *body, const attest_json_cursor *root,
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

enum { MOST_WIDTHS = 64 };

/* "Data: text.npy. Weights: head.json." */
static void write_names(attest_markup *body, const attest_json_cursor *root)
{
    static const char *const key[] = {"dataset", "weights", "qkv"};
    static const char *const what[] = {"Data", "Weights", "Recorded activations"};

    attest_markup_open_class(body, "p", "lead");
    for (int i = 0; i < 3; i++) {
        attest_json_cursor part, model;
        const char *path, *name;

        if (!attest_json_find_member(&part, root, key[i]))
            continue;
        path = attest_value_text(&part, "path");
        name = attest_value_text(&part, "name");
        if (i == 1 && !*path)
            path = *attest_value_text(&part, "strategy") ? "built from the data" : "";
        if (*path && *name)
            attest_markup_printf(body, "%s: %s (%s). ", what[i], path, name);
        else if (*path || *name)
            attest_markup_printf(body, "%s: %s. ", what[i], *path ? path : name);
        if (attest_json_find_member(&model, &part, "model"))
            attest_markup_printf(body, "Model: %s (%s). ", attest_value_text(&model, "path"),
                                 attest_value_text(&model, "arch"));
    }
    attest_markup_close(body);
}

static bool has_meaning(attest_json_cursor *formats, size_t *count,
                        const attest_json_cursor *object)
{
    attest_json_cursor entry;

    *count = attest_value_array(formats, object, "formats");
    if (*count == 0)
        return false;
    entry = attest_json_get_element(formats, 0);
    return *attest_value_text(&entry, "conclusion") != '\0';
}

static void write_conclusions(attest_markup *body, const attest_json_cursor *formats,
                              size_t count)
{
    attest_markup_open(body, "ul");
    for (size_t i = 0; i < count; i++) {
        attest_json_cursor entry = attest_json_get_element(formats, i);
        attest_markup_element(body, "li", NULL, attest_value_text(&entry, "conclusion"));
    }
    attest_markup_close(body);
}

/* Writes which formats break the laws of exact attention (audit/invariance.h) on these data. */
static void write_invariance(attest_markup *body, const attest_json_cursor *formats,
                             size_t count)
{
    bool any = false;

    for (size_t i = 0; i < count; i++) {
        attest_json_cursor entry = attest_json_get_element(formats, i), laws;
        const char *words = attest_json_find_member(&laws, &entry, "laws")
                                ? attest_value_text(&laws, "words")
                                : "";

        if (!*words)
            continue;
        if (!any) {
            attest_markup_element(
                body, "p", NULL,
                "The output of exact softmax attention does not depend on the order of "
                "the keys, and changes when a token is added. On these data rounding "
                "breaks one or both of these laws:");
            attest_markup_open(body, "ul");
        }
        attest_markup_element(body, "li", NULL, words);
        any = true;
    }
    if (any)
        attest_markup_close(body);
}

/* A cell with a relative error: in percent, or a number if it is small. */
static void add_relative(attest_markup *body, double error)
{
    bool small = error != 0 && fabs(error) < 1e-4;
    char text[64];

    if (isnan(error))
        snprintf(text, sizeof text, "\xE2\x80\x93");
    else
        snprintf(text, sizeof text, small ? "%.2e" : "%.3g %%", small ? error : 100 * error);
    attest_table_cell(body, "number", text);
}

static void write_relative(attest_markup *body, const attest_json_cursor *object,
                           const char *key)
{
    add_relative(body, attest_value_number(object, key));
}

void attest_section_write_errors_of(attest_markup *body, const attest_json_cursor *entry)
{
    static const char *const pair[] = {"apart", "by_rounding", "merged"};
    attest_json_cursor part, pairs;

    if (attest_json_find_member(&part, entry, "relative_error")) {
        write_relative(body, &part, "max");
        write_relative(body, &part, "mean");
    }
    if (attest_json_find_member(&part, entry, "weights_error")) {
        write_relative(body, &part, "max");
        write_relative(body, &part, "mean");
    }
    attest_table_number(body, attest_value_number(entry, "argmax_changed"), 0);
    for (int i = 0; i < 3; i++)
        attest_table_number(body,
                            attest_json_find_member(&pairs, entry, "pairs")
                                ? attest_value_number(&pairs, pair[i])
                                : NAN,
                            0);
    attest_table_number(body, attest_value_number(entry, "nonfinite"), 0);
    attest_table_number(body, attest_value_number(entry, "saturated"), 0);
}

static void write_table(attest_markup *body, const attest_json_cursor *formats, size_t count)
{
    static const char *const heading[] = {"Format",         "#Largest error",
                                          "#Mean error",    "#Weights, largest",
                                          "#Weights, mean", "#Strongest key changed",
                                          "#Pairs apart",   "#By rounding only",
                                          "#Merged",        "#Not finite",
                                          "#Saturated"};

    attest_markup_open_class(body, "div", "wide");
    attest_table_open(body, "What each format does", heading, 11);
    for (size_t i = 0; i < count; i++) {
        attest_json_cursor entry = attest_json_get_element(formats, i);

        attest_table_row(body, attest_value_text(&entry, "name"));
        attest_section_write_errors_of(body, &entry);
    }
    attest_table_close(body);
    attest_markup_close(body);
}

/* The numbers of the curve. */
static void write_widths(attest_markup *body, const attest_plot_series *max,
                         const attest_plot_series *mean)
{
    static const char *const heading[] = {"Bits", "#Largest error", "#Mean error"};
    char text[64];

    attest_table_open(body, "Relative error at each width", heading, 3);
    for (size_t i = 0; i < max->count; i++) {
        snprintf(text, sizeof text, "%.0f", max->x[i]);
        attest_table_row(body, text);
        add_relative(body, isinf(max->y[i]) ? 0 : max->y[i]);
        add_relative(body, isinf(mean->y[i]) ? 0 : mean->y[i]);
    }
    attest_table_close(body);
}

/* The curve of errors by width, if the record has one. */
static void write_error_by_width(attest_report *report, const attest_json_cursor *object,
                                 const char *label, size_t number)
{
    double bits[MOST_WIDTHS], max[MOST_WIDTHS], mean[MOST_WIDTHS];
    static const attest_plot_mark mark[] = {{3, "float8_e5m2"},
                                            {4, "float8_e4m3fn"},
                                            {8, "bfloat16"},
                                            {11, "binary16"},
                                            {24, "binary32"}};
    attest_plot_series series[2] = {{"largest", 0, bits, max, 0, true, true},
                                    {"mean", 0, bits, mean, 1, true, true}};
    attest_json_cursor by_width, widths;
    size_t count = 0;
    attest_markup drawing;
    char id[32], caption[256];
    attest_plot_lines lines = {{id, "Error by width",
                                "The relative error of outputs, largest and mean, against the "
                                "width of the significand."},
                               ATTEST_SCALE_LINEAR,
                               ATTEST_SCALE_DECADES,
                               "bits of the significand",
                               "relative error",
                               "0",
                               true,
                               2,
                               series,
                               5,
                               mark,
                               0,
                               NULL};

    if (attest_json_find_member(&by_width, object, "graded"))
        count = attest_value_array(&widths, &by_width, "widths");
    if (count < 2)
        return;
    for (size_t i = 0; i < count && i < MOST_WIDTHS; i++) {
        attest_json_cursor width = attest_json_get_element(&widths, i);

        bits[i] = attest_value_number(&width, "bits");
        max[i] = attest_value_number(&width, "max");
        mean[i] = attest_value_number(&width, "mean");
        max[i] = max[i] == 0 ? -(double)INFINITY : max[i];
        mean[i] = mean[i] == 0 ? -(double)INFINITY : mean[i];
        series[0].count = series[1].count = i + 1;
    }
    snprintf(id, sizeof id, "graded-%zu", number);
    snprintf(caption, sizeof caption,
             "\xE2\x80\x98%.96s\xE2\x80\x99: the error of outputs at every width, exponents "
             "unbounded, as it was measured.",
             label);
    attest_markup_init(&drawing);
    attest_plot_write_lines(&drawing, &lines);
    attest_section_open_plot(report, &drawing, id, caption);
    write_widths(&report->body, &series[0], &series[1]);
    attest_section_close_plot(report);
}

/* The mappings of one kind of audit; *number counts them. */
static void write_all(attest_report *report, attest_audit_iter *audited, size_t *number)
{
    attest_markup *body = &report->body;
    attest_json_cursor formats;
    size_t count;

    while (attest_audit_iter_next(audited, &report->records)) {
        if (!has_meaning(&formats, &count, &audited->object))
            continue;
        if ((*number)++ == 0)
            attest_section_open(
                report, "meaning", "What rounding does to the outputs",
                "The error of an output is its distance from the exact one, divided by the "
                "length of the exact one. The error of attention weights is half the sum of "
                "the "
                "differences of all weights of a row: 1 (100 %) if two rows that each add up "
                "to "
                "1 have no key in common; above 1 where the computed weights add up to more "
                "than 1. Two outputs are "
                "told apart for certain if the exact ones are farther apart than both errors "
                "together; by rounding only, if they differ but errors of that size may make "
                "them equal; merged, if they are equal.");
        attest_markup_element(body, "h3", NULL, audited->label);
        write_names(body, &audited->root);
        write_conclusions(body, &formats, count);
        write_invariance(body, &formats, count);
        write_table(body, &formats, count);
        write_places(body, &audited->root, &formats, count);
        write_error_by_width(report, &audited->object, audited->label, *number);
    }
}

void attest_section_write_meaning(attest_report *report)
{
    attest_audit_iter audited;
    size_t number = 0;

    attest_audit_iter_init_heads(&audited);
    write_all(report, &audited, &number);
    attest_audit_iter_init(&audited);
    write_all(report, &audited, &number);
    if (number > 0)
        attest_section_close(report);
}
