/* section_kernels.c -- judged outputs and ranges of kernels. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/section.h"

enum { MOST_BINS = 64, MOST_HEADS = 48, PARTS = 16 };

/* The distribution of wrong rows: heads with wrong rows, and their rows in equal parts. */
typedef struct picture {
    size_t heads;
    char name[MOST_HEADS][64];
    const char *names[MOST_HEADS];
    double rows[MOST_HEADS], layer[MOST_HEADS], batch[MOST_HEADS], head[MOST_HEADS];
    double count[MOST_HEADS * PARTS];
} picture;

static void write_verdicts(attest_report *report)
{
    static const char *const heading[] = {"Record",
                                          "Verdict",
                                          "Kernel model",
                                          "#Elements",
                                          "#Wrong",
                                          "#Uncast",
                                          "#Undecided",
                                          "#Worst error / bound",
                                          "Faults that return it"};
    attest_markup *body = &report->body;
    const attest_record *record;
    char label[96];

    attest_table_open(body, "Judged outputs", heading, 9);
    for (size_t place = 0;
         (record = attest_records_find(&report->records, ATTEST_RECORD_JUDGE, place, &place));
         place++) {
        attest_json_cursor root = attest_json_root(&record->document), worst;

        attest_table_row(body, attest_record_label(label, sizeof label, record));
        attest_table_verdict(body, attest_value_text(&root, "verdict"));
        attest_table_cell(body, NULL, attest_value_text(&root, "kernel"));
        attest_table_number(body, attest_value_number(&root, "elements"), 0);
        attest_table_number(body, attest_value_number(&root, "wrong"), 0);
        attest_table_value(body, "number", &root, "uncast");
        attest_table_number(body, attest_value_number(&root, "undecided"), 0);
        if (attest_json_find_member(&worst, &root, "worst"))
            attest_table_value(body, "number", &worst, "ratio");
        else
            attest_table_cell(body, NULL, "");
        attest_table_value(body, NULL, &root, "returned_by_faults");
    }
    attest_table_close(body);
}

static void write_heads(attest_markup *body, const attest_json_cursor *root)
{
    static const char *const heading[] = {
        "Layer",   "#Batch", "#Head",      "Verdict",
        "#Within", "#Wrong", "#Undecided", "#Largest error / bound"};
    attest_json_cursor heads;
    size_t count = attest_value_array(&heads, root, "heads");
    char number[64];

    attest_table_open(body, "Heads", heading, 8);
    for (size_t i = 0; i < count; i++) {
        attest_json_cursor head = attest_json_get_element(&heads, i);

        attest_table_row(
            body, attest_scale_format_number(number, attest_value_number(&head, "layer"), 0));
        attest_table_number(body, attest_value_number(&head, "batch"), 0);
        attest_table_number(body, attest_value_number(&head, "head"), 0);
        attest_table_verdict(body, attest_value_text(&head, "verdict"));
        attest_table_number(body, attest_value_number(&head, "within"), 0);
        attest_table_number(body, attest_value_number(&head, "wrong"), 0);
        attest_table_number(body, attest_value_number(&head, "undecided"), 0);
        attest_table_value(body, "number", &head, "max_ratio");
    }
    attest_table_close(body);
}

static void write_histogram(attest_report *report, const attest_json_cursor *root,
                            const char *label, size_t number)
{
    double edge[MOST_BINS + 1], count[MOST_BINS];
    attest_plot_strip strip = {"error / bound", NULL, 0, edge, count, false, false, 0};
    attest_markup drawing;
    char id[32], caption[256];
    attest_plot_histogram histogram = {
        {id, "Errors over bounds",
         "A histogram of the distance of every element from its exact value, divided by its "
         "proved bound, on a logarithmic axis. What is beyond 1 is wrong."},
        ATTEST_SCALE_EXPONENT,
        "distance from the exact value / bound",
        1,
        &strip};

    attest_section_read_bins(&strip, edge, count, MOST_BINS, root, "histogram");
    snprintf(id, sizeof id, "judged-%zu", number);
    snprintf(
        caption, sizeof caption,
        "\xE2\x80\x98%.96s\xE2\x80\x99: the errors of the elements, divided by their proved "
        "bounds.",
        label);
    attest_markup_init(&drawing);
    attest_plot_write_histogram(&drawing, &histogram);
    attest_section_open_plot(report, &drawing, id, caption);
    write_heads(&report->body, root);
    attest_section_close_plot(report);
}

/* Reads the first MOST_HEADS heads that have wrong elements. */
static void read_heads(picture *all, const attest_json_cursor *root)
{
    attest_json_cursor heads;
    size_t count = attest_value_array(&heads, root, "heads");

    for (size_t i = 0; i < count && all->heads < MOST_HEADS; i++) {
        attest_json_cursor head = attest_json_get_element(&heads, i);
        size_t k = all->heads;

        all->rows[k] = attest_value_number(&head, "rows");
        if (!(attest_value_number(&head, "wrong") > 0) || !(all->rows[k] >= 1))
            continue;
        all->layer[k] = attest_value_number(&head, "layer");
        all->batch[k] = attest_value_number(&head, "batch");
        all->head[k] = attest_value_number(&head, "head");
        snprintf(all->name[k], sizeof all->name[k], "head %.0f, batch %.0f, layer %.0f",
                 all->head[k], all->batch[k], all->layer[k]);
        all->names[k] = all->name[k];
        all->heads++;
    }
}

/* Adds the rows first .. last of a head to the parts that they are in. */
static void add_rows(picture *all, size_t k, double first, double last)
{
    for (size_t p = 0; p < PARTS; p++) {
        double begin = all->rows[k] * (double)p / PARTS;
        double end = all->rows[k] * (double)(p + 1) / PARTS;
        double shared = fmin(end, last + 1) - fmax(begin, first);

        if (shared > 0)
            all->count[k * PARTS + p] += shared;
    }
}

static void read_rows(picture *all, const attest_json_cursor *root)
{
    attest_json_cursor ranges, pair;
    size_t count = attest_value_array(&ranges, root, "wrong_rows");

    for (size_t i = 0; i < count; i++) {
        attest_json_cursor range = attest_json_get_element(&ranges, i), end;
        double row[2];

        if (attest_value_array(&pair, &range, "rows") != 2)
            continue;
        for (size_t e = 0; e < 2; e++) {
            size_t value;
            end = attest_json_get_element(&pair, e);
            row[e] = attest_json_get_size(&value, &end, NULL) == ATTEST_OK ? (double)value
                                                                           : (double)NAN;
        }
        for (size_t k = 0; k < all->heads; k++)
            if (all->layer[k] == attest_value_number(&range, "layer") &&
                all->batch[k] == attest_value_number(&range, "batch") &&
                all->head[k] == attest_value_number(&range, "head"))
                add_rows(all, k, row[0], row[1]);
    }
}

static void write_ranges(attest_markup *body, const attest_json_cursor *root)
{
    static const char *const heading[] = {"Layer", "#Batch",  "#Head",
                                          "Rows",  "Columns", "#Wrong elements"};
    attest_json_cursor ranges;
    size_t count = attest_value_array(&ranges, root, "wrong_rows");
    char number[64];

    attest_table_open(body, "Rows that are wrong", heading, 6);
    for (size_t i = 0; i < count; i++) {
        attest_json_cursor range = attest_json_get_element(&ranges, i);

        attest_table_row(
            body, attest_scale_format_number(number, attest_value_number(&range, "layer"), 0));
        attest_table_number(body, attest_value_number(&range, "batch"), 0);
        attest_table_number(body, attest_value_number(&range, "head"), 0);
        attest_table_value(body, "number", &range, "rows");
        attest_table_value(body, "number", &range, "columns");
        attest_table_number(body, attest_value_number(&range, "wrong"), 0);
    }
    attest_table_close(body);
}

/* Draws where rows are wrong, head by head: a tile that was left out is a bar. */
static void write_picture(attest_report *report, const attest_json_cursor *root,
                          const char *label, size_t number)
{
    picture *all = calloc(1, sizeof *all);
    char id[40], caption[256], part[PARTS][8];
    const char *parts[PARTS];
    attest_markup drawing;

    report->body.text.failed |= all == NULL;
    if (!all)
        return;
    read_heads(all, root);
    read_rows(all, root);
    for (size_t p = 0; p < PARTS; p++) {
        snprintf(part[p], sizeof part[p], "%zu%%", 100 * p / PARTS);
        parts[p] = p % 4 == 0 ? part[p] : "";
    }
    if (all->heads > 0) {
        attest_plot_heatmap heatmap = {
            {id, "Rows that are wrong",
             "For each head with wrong elements, how many of its rows are wrong in each "
             "sixteenth of its length. The table beside it has the rows."},
            "rows of the head, in sixteenths",
            all->heads,
            PARTS,
            all->names,
            parts,
            all->count,
            "wrong rows",
            true,
            NULL};

        snprintf(id, sizeof id, "judged-rows-%zu", number);
        snprintf(caption, sizeof caption,
                 "\xE2\x80\x98%.96s\xE2\x80\x99: where its rows are wrong. A tile that was "
                 "left out is a bar.",
                 label);
        attest_markup_init(&drawing);
        attest_plot_write_heatmap(&drawing, &heatmap);
        attest_section_open_plot(report, &drawing, id, caption);
        write_ranges(&report->body, root);
        attest_section_close_plot(report);
    }
    free(all);
}

void attest_section_write_judgements(attest_report *report)
{
    const attest_record *record;
    size_t number = 0;
    char label[96];

    attest_section_open(report, "judged", "Kernels\xE2\x80\x99 outputs",
                        "Every element is compared with a proved interval, outside of which no "
                        "kernel of the model returns a number. Within describes these outputs "
                        "on these inputs; it does not certify the kernel.");
    write_verdicts(report);
    for (size_t place = 0;
         (record = attest_records_find(&report->records, ATTEST_RECORD_JUDGE, place, &place));
         place++) {
        attest_json_cursor root = attest_json_root(&record->document);

        attest_record_label(label, sizeof label, record);
        write_histogram(report, &root, label, ++number);
        write_picture(report, &root, label, number);
    }
    attest_section_close(report);
}

/* A member of a member, for people. */
static void write_inner(attest_markup *body, const attest_json_cursor *root, const char *object,
                        const char *key)
{
    attest_json_cursor inner;

    attest_table_open_cell(body, "number");
    if (attest_json_find_member(&inner, root, object))
        attest_value_write(body, &inner, key);
    attest_markup_close(body);
}

static double get_inner(const attest_json_cursor *root, const char *object, const char *key)
{
    attest_json_cursor inner;

    return attest_json_find_member(&inner, root, object) ? attest_value_number(&inner, key)
                                                         : (double)NAN;
}

static void write_range_verdicts(attest_report *report)
{
    static const char *const heading[] = {
        "Record",         "Verdict",      "Kernel model",         "#Largest weight",
        "#Its limit",     "#Threshold",   "#Largest proved safe", "#Offset",
        "#Smallest safe", "#Largest safe"};
    attest_markup *body = &report->body;
    const attest_record *record;
    char label[96];

    attest_table_open(body, "Ranges", heading, 10);
    for (size_t place = 0;
         (record = attest_records_find(&report->records, ATTEST_RECORD_RANGE, place, &place));
         place++) {
        attest_json_cursor root = attest_json_root(&record->document);

        attest_table_row(body, attest_record_label(label, sizeof label, record));
        attest_table_verdict(body, attest_value_text(&root, "verdict"));
        attest_table_cell(body, NULL, attest_value_text(&root, "kernel"));
        write_inner(body, &root, "weights", "most");
        write_inner(body, &root, "threshold", "limit");
        write_inner(body, &root, "threshold", "given");
        write_inner(body, &root, "threshold", "proved");
        write_inner(body, &root, "offset", "given");
        write_inner(body, &root, "offset", "smallest_safe");
        write_inner(body, &root, "offset", "largest_safe");
    }
    attest_table_close(body);
}

/* Writes where an event occurs first. */
static void write_place(attest_markup *body, const attest_json_cursor *event)
{
    static const char *const key[] = {"layer", "batch", "head", "row", "key", "column"};
    attest_json_cursor witness, member;
    char text[64];
    bool any = false;

    attest_table_open_cell(body, NULL);
    for (size_t i = 0; attest_json_find_member(&witness, event, "witness") && i < 6; i++)
        if (attest_json_find_member(&member, &witness, key[i])) {
            snprintf(text, sizeof text, "%s%s %.0f", any ? ", " : "", key[i],
                     attest_value_number(&witness, key[i]));
            attest_markup_text(body, text);
            any = true;
        }
    attest_markup_close(body);
}

static void write_events(attest_markup *body, const attest_json_cursor *root, const char *label)
{
    static const char *const heading[] = {"Event", "Happens", "#How often", "#First number",
                                          "Where"};
    attest_json_cursor events;
    size_t count = attest_value_array(&events, root, "events");
    char caption[192];

    snprintf(caption, sizeof caption, "Events of \xE2\x80\x98%.96s\xE2\x80\x99", label);
    attest_table_open(body, caption, heading, 5);
    for (size_t i = 0; i < count; i++) {
        attest_json_cursor event = attest_json_get_element(&events, i);

        attest_table_row(body, attest_value_text(&event, "event"));
        attest_table_verdict(body, attest_value_text(&event, "answer"));
        attest_table_number(body, get_inner(&event, "witness", "count"), 0);
        write_inner(body, &event, "witness", "value");
        write_place(body, &event);
    }
    attest_table_close(body);
}

/* The smallest scheme of every head, if the record has them. */
static void write_schemes(attest_markup *body, const attest_json_cursor *root)
{
    static const char *const heading[] = {"Layer", "#Batch", "#Head", "Scheme of K and V",
                                          "#Relative error, proved"};
    attest_json_cursor schemes, heads;
    size_t count;
    char number[64];

    if (!attest_json_find_member(&schemes, root, "schemes"))
        return;
    count = attest_value_array(&heads, &schemes, "heads");
    if (count == 0)
        return;
    attest_table_open(body, "The smallest scheme of every head", heading, 5);
    for (size_t i = 0; i < count; i++) {
        attest_json_cursor head = attest_json_get_element(&heads, i);

        attest_table_row(
            body, attest_scale_format_number(number, attest_value_number(&head, "layer"), 0));
        attest_table_number(body, attest_value_number(&head, "batch"), 0);
        attest_table_number(body, attest_value_number(&head, "head"), 0);
        attest_table_cell(body, NULL, attest_value_text(&head, "scheme"));
        attest_table_value(body, "number", &head, "relative_error");
    }
    attest_table_close(body);
}

void attest_section_write_ranges(attest_report *report)
{
    const attest_record *record;
    char label[96];

    attest_section_open(
        report, "ranges", "Ranges of kernels",
        "Whether anything overflows, saturates or becomes 0 on these inputs. No "
        "is proved for every kernel of the model; yes was found by simulating "
        "one. Thresholds are in units of log2.");
    write_range_verdicts(report);
    for (size_t place = 0;
         (record = attest_records_find(&report->records, ATTEST_RECORD_RANGE, place, &place));
         place++) {
        attest_json_cursor root = attest_json_root(&record->document);

        write_events(&report->body, &root, attest_record_label(label, sizeof label, record));
        write_schemes(&report->body, &root);
    }
    attest_section_close(report);
}
