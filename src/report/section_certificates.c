/* section_certificates.c -- certificates, verified networks, approximations and
 * counterexamples. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/section.h"

static void write_certificate(attest_markup *body, const attest_record *record)
{
    attest_json_cursor root = attest_json_root(&record->document);
    char label[96];

    attest_table_row(body, attest_record_label(label, sizeof label, record));
    attest_table_verdict(body, attest_value_text(&root, "verdict"));
    attest_table_cell(body, NULL, attest_value_text(&root, "method"));
    attest_table_power(body, attest_value_log2(&root, "min_separation"));
    attest_table_open_cell(body, NULL);
    attest_value_write_pair(body, &root, "pair");
    attest_markup_close(body);
    attest_table_power(body, attest_value_log2(&root, "delta"));
    attest_table_value(body, "number", &root, "max_norm");
    attest_table_number(body, attest_value_number(&root, "precision_bits"), 0);
}

void attest_section_write_certificates(attest_report *report)
{
    static const char *const heading[] = {
        "Certificate", "Verdict",           "Method",        "#Least separation",
        "Attained at", "#Claimed \xCE\xB4", "#Largest norm", "#Working bits"};
    const attest_record *record;

    attest_section_open(report, "certificates", "Certificates",
                        "Contextual mappings (Definition 2), decided exactly, in balls, or "
                        "by doubles with proved error bounds; "
                        "\xE2\x80\x98"
                        "attest check\xE2\x80\x99 verifies each by another route.");
    attest_table_open(&report->body, "Certificates", heading, 8);
    for (size_t place = 0; (record = attest_records_find(
                                &report->records, ATTEST_RECORD_CERTIFICATE, place, &place));
         place++)
        write_certificate(&report->body, record);
    attest_table_close(&report->body);
    attest_section_close(report);
}

void attest_section_write_networks(attest_report *report)
{
    static const char *const heading[] = {"Record",
                                          "Verdict",
                                          "#Classes",
                                          "#Hidden units",
                                          "#Parameters",
                                          "#Parameters, dense",
                                          "#Parameters, paper"};
    static const char *const keys[] = {"classes", "hidden_units", "parameters",
                                       "parameters_dense", "paper_parameters"};
    attest_markup *body = &report->body;
    const attest_record *record;
    char label[96];

    attest_section_open(report, "networks", "Networks that memorize",
                        "One-layer networks that map every token to its label, verified, and "
                        "how many parameters they take.");
    attest_table_open(body, "Networks and their parameters", heading, 7);
    for (size_t place = 0; (record = attest_records_find(
                                &report->records, ATTEST_RECORD_MEMORIZE, place, &place));
         place++) {
        attest_json_cursor root = attest_json_root(&record->document);
        attest_table_row(body, attest_record_label(label, sizeof label, record));
        attest_table_verdict(body, attest_value_text(&root, "verdict"));
        for (int i = 0; i < 5; i++)
            attest_table_number(body, attest_value_number(&root, keys[i]), 0);
    }
    attest_table_close(body);
    attest_section_close(report);
}

enum { CURVES = 4, MOST_POINTS = 64, MOST_FUNCTIONS = 16 };

static const char *const curve_key[CURVES] = {"l1", "l1_bound", "l2", "l2_bound"};
static const char *const curve_name[CURVES] = {"L\xC2\xB9 error", "L\xC2\xB9 bound",
                                               "L\xC2\xB2 error", "L\xC2\xB2 bound"};

/* The errors of one function, for grids in growing order. */
typedef struct errors {
    const char *function;
    double dim, length;
    size_t count;
    struct point {
        double grid, log2[CURVES];
    } point[MOST_POINTS];
} errors;

static bool same(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

/* Returns whether the object has the same function as those collected so far; the first object
 * sets the function. */
static bool belongs(errors *all, const attest_json_cursor *object)
{
    const char *function = attest_value_text(object, "function");
    double dim = attest_value_number(object, "dim");
    double length = attest_value_number(object, "length");

    if (!all->function) {
        all->function = function;
        all->dim = dim;
        all->length = length;
    }
    return strcmp(all->function, function) == 0 && same(all->dim, dim) &&
           same(all->length, length);
}

static void add(errors *all, const attest_json_cursor *object)
{
    struct point *point = &all->point[all->count];

    point->grid = attest_value_number(object, "grid");
    if (all->count == MOST_POINTS || !(point->grid > 0))
        return;
    for (int i = 0; i < CURVES; i++)
        point->log2[i] = attest_value_log2(object, curve_key[i]);
    all->count++;
}

static int compare(const void *a, const void *b)
{
    const struct point *one = a, *two = b;

    return one->grid < two->grid ? -1 : one->grid > two->grid;
}

static void write_table(attest_markup *body, const errors *all)
{
    static const char *const heading[] = {"Grid G", "#L\xC2\xB9 error", "#L\xC2\xB9 bound",
                                          "#L\xC2\xB2 error", "#L\xC2\xB2 bound"};
    char number[64];

    attest_table_open(body, "Errors and their bounds", heading, 1 + CURVES);
    for (size_t i = 0; i < all->count; i++) {
        attest_table_row(body, attest_scale_format_number(number, all->point[i].grid, 0));
        for (int k = 0; k < CURVES; k++) {
            attest_table_power(body, all->point[i].log2[k]);
        }
    }
    attest_table_close(body);
}

static void write_function(attest_report *report, errors *all, size_t number)
{
    double grid[MOST_POINTS], log2[CURVES][MOST_POINTS];
    attest_plot_series serie[CURVES];
    attest_markup drawing;
    char id[32], caption[256], shown[64];
    attest_plot_lines lines = {
        .plot = {id, "Approximation error",
                 "Measured errors and proved bounds against the number of grid cells on each "
                 "axis, both axes logarithmic. The table beside it has all values."},
        .x_kind = ATTEST_SCALE_OCTAVES,
        .y_kind = ATTEST_SCALE_EXPONENT,
        .x_label = "grid G (cells on each axis)",
        .y_label = "error",
        .zero_label = "0",
        .zero_is_good = true,
        .series = CURVES,
        .serie = serie};

    qsort(all->point, all->count, sizeof all->point[0], compare);
    for (size_t i = 0; i < all->count; i++) {
        grid[i] = all->point[i].grid;
        for (int k = 0; k < CURVES; k++)
            log2[k][i] = all->point[i].log2[k];
    }
    for (int k = 0; k < CURVES; k++)
        serie[k] =
            (attest_plot_series){curve_name[k], all->count, grid, log2[k], k, true, true};
    snprintf(id, sizeof id, "approximation-%zu", number);
    attest_plot_cut(shown, sizeof shown, all->function, 200);
    snprintf(caption, sizeof caption,
             "Error of the approximation of %s, enclosed, and its bound, against the grid.",
             shown);
    attest_markup_init(&drawing);
    attest_plot_write_lines(&drawing, &lines);
    attest_section_open_plot(report, &drawing, id, caption);
    write_table(&report->body, all);
    attest_section_close_plot(report);
}

/* An iterator over the objects of all records; a record is one object, or contains a table of
 * them. */
typedef struct cursor {
    size_t place, index, count;
    bool inside;
    attest_json_cursor root, list, object;
} cursor;

static bool next(cursor *at, const attest_records *records)
{
    for (;;) {
        if (at->inside && ++at->index < at->count)
            break;
        at->place += at->inside;
        at->inside = false;
        if (!attest_records_find(records, ATTEST_RECORD_APPROXIMATE, at->place, &at->place))
            return false;
        at->inside = true;
        at->index = 0;
        at->root = attest_json_root(&records->record[at->place].document);
        at->object = at->root;
        at->count = attest_value_array(&at->list, &at->root, "errors");
        if (at->count == 0)
            return true;
        break;
    }
    at->object = attest_json_get_element(&at->list, at->index);
    return true;
}

static size_t count_objects(const attest_records *records)
{
    cursor at = {0};
    size_t count = 0;

    while (next(&at, records))
        count++;
    return count;
}

/* Collects the objects of the first function that is not yet written. */
static void gather(errors *all, const attest_report *report, bool *done)
{
    cursor at = {0};

    memset(all, 0, sizeof *all);
    for (size_t i = 0; next(&at, &report->records); i++) {
        if (done[i] || !belongs(all, &at.object))
            continue;
        done[i] = true;
        add(all, &at.object);
    }
}

void attest_section_write_approximations(attest_report *report)
{
    size_t count = count_objects(&report->records), number = 0;
    bool *done = calloc(count + 1, sizeof *done);
    errors *all = malloc(sizeof *all);

    report->body.text.failed |= !done || !all;
    if (count > 0 && done && all) {
        attest_section_open(
            report, "approximation", "Approximation",
            "The universal approximator over finer and finer grids: its errors, "
            "which are enclosed, and the bounds that were proved.");
        for (gather(all, report, done); all->function && number < MOST_FUNCTIONS;
             gather(all, report, done))
            if (all->count > 0)
                write_function(report, all, ++number);
        attest_section_close(report);
    }
    free(done);
    free(all);
}

enum { MOST_SHOWN = 24, MOST_SEQUENCES = 8, MOST_POSITIONS = 12 };

/* Returns whether [sequence, position] is one of the pair that violates. */
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

/* Writes "name = value" for the parameters of the statement. */
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

/* Writes the violated statement, how it was found, and the command that replays it. */
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
                          attest_record_label(label, sizeof label, record));
    write_story(&report->body, record);
    write_dataset(&report->body, &root);
}

/* Writes the section of the tightest cases, or that of the counterexamples. */
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
        attest_markup_printf(&report->body, "%zu more are in the directory.",
                             number - MOST_SHOWN);
        attest_markup_close(&report->body);
    }
    if (number > 0)
        attest_section_close(report);
}

void attest_section_write_counterexamples(attest_report *report)
{
    write_some(report, false, "counterexamples", "Counterexamples",
               "Instances on which a statement, or one without one of its hypotheses, fails. "
               "Each file contains the values.");
    write_some(report, true, "tightest", "Tightest cases",
               "Instances that came closest to a bound which held.");
}
