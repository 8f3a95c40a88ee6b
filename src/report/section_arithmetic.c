/* section_arithmetic.c -- rounding errors and collisions by format, stage and algorithm, and
 * the errors of the kernels of the fast path. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "report/section.h"

enum { MOST_FORMATS = 24, MOST_AUDITS = 16 };

/* Collisions of every format in every audit; NAN if it was not tried. */
typedef struct grid {
    size_t rows, columns;
    const char *format[MOST_FORMATS];
    const char *audit[MOST_AUDITS];
    char label[MOST_AUDITS][128];
    double count[MOST_FORMATS][MOST_AUDITS];
} grid;

/* The row of a format; it is added if it is new. MOST_FORMATS: no room. */
static size_t find_row(grid *all, const char *format)
{
    size_t row = 0;

    while (row < all->rows && strcmp(all->format[row], format) != 0)
        row++;
    if (row < all->rows || row == MOST_FORMATS)
        return row;
    all->format[row] = format;
    for (size_t i = 0; i < MOST_AUDITS; i++)
        all->count[row][i] = NAN;
    all->rows++;
    return row;
}

static void add_audit(grid *all, const attest_audit_iter *audited)
{
    attest_json_cursor formats;
    size_t count = attest_value_array(&formats, &audited->object, "formats");
    size_t column = all->columns;

    if (count == 0 || column == MOST_AUDITS)
        return;
    all->columns++;
    snprintf(all->label[column], sizeof all->label[0], "%s", audited->label);
    all->audit[column] = all->label[column];
    for (size_t i = 0; i < count; i++) {
        attest_json_cursor entry = attest_json_get_element(&formats, i);
        size_t row = find_row(all, attest_value_text(&entry, "name"));
        if (row < MOST_FORMATS)
            all->count[row][column] = attest_value_number(&entry, "collisions");
    }
}

static void write_collision_table(attest_markup *body, const grid *all)
{
    char marked[MOST_AUDITS][130];
    const char *heading[MOST_AUDITS + 1] = {"Format"};

    for (size_t k = 0; k < all->columns; k++) {
        snprintf(marked[k], sizeof marked[k], "#%s", all->audit[k]);
        heading[k + 1] = marked[k];
    }
    attest_table_open(body, "Collisions among required pairs", heading, all->columns + 1);
    for (size_t i = 0; i < all->rows; i++) {
        attest_table_row(body, all->format[i]);
        for (size_t k = 0; k < all->columns; k++)
            attest_table_number(body, all->count[i][k], 0);
    }
    attest_table_close(body);
}

static void write_map(attest_report *report, const grid *all)
{
    double count[MOST_FORMATS * MOST_AUDITS];
    attest_markup drawing;
    attest_plot_heatmap heatmap = {{"collision-map", "Collisions",
                                    "For each format and each audited mapping, how many "
                                    "required pairs have equal outputs. "
                                    "The table beside it has all numbers."},
                                   "mapping",
                                   all->rows,
                                   all->columns,
                                   all->format,
                                   all->audit,
                                   count,
                                   "collisions",
                                   false,
                                   NULL};

    for (size_t i = 0; i < all->rows; i++)
        for (size_t k = 0; k < all->columns; k++)
            count[i * all->columns + k] = all->count[i][k];
    attest_markup_init(&drawing);
    attest_plot_write_heatmap(&drawing, &heatmap);
    attest_section_open_plot(report, &drawing, "collision-map",
                             "Collisions: required pairs whose outputs are equal bit for bit. "
                             "An output that is not finite collides with everything.");
    write_collision_table(&report->body, all);
    attest_section_close_plot(report);
}

void attest_section_write_collisions(attest_report *report)
{
    grid *all = calloc(1, sizeof *all);
    attest_audit_iter audited;

    if (!all) {
        report->body.text.failed = true;
        return;
    }
    attest_audit_iter_init(&audited);
    while (attest_audit_iter_next(&audited, &report->records))
        add_audit(all, &audited);
    if (all->rows > 0 && all->columns > 0) {
        attest_section_open(report, "collisions", "Collisions", NULL);
        write_map(report, all);
        attest_section_close(report);
    }
    free(all);
}

enum { KINDS = 3, STAGES = 8 };

static const char *const kind_name[KINDS] = {"mean error", "worst error", "a priori bound"};
static const char *const kind_key[KINDS] = {"mean_ulp", "max_ulp", "bound_ulp"};
static const char *const stage_name[STAGES] = {"input", "score", "max",      "exp",
                                               "sum",   "mix",   "division", "output"};

/* The errors of an audit's formats. */
typedef struct errors {
    size_t formats;
    bool any, any_stage;
    const char *name[MOST_FORMATS];
    double ulp[MOST_FORMATS][KINDS];
    double stage[MOST_FORMATS * STAGES];
} errors;

static void read_stages(errors *all, size_t row, const attest_json_cursor *entry)
{
    attest_json_cursor stages, stage;
    bool has_stages = attest_json_find_member(&stages, entry, "stages");

    for (size_t k = 0; k < STAGES; k++) {
        double *ulp = &all->stage[row * STAGES + k];
        *ulp = has_stages && attest_json_find_member(&stage, &stages, stage_name[k])
                   ? attest_value_number(&stage, "max_ulp")
                   : NAN;
        all->any_stage = all->any_stage || !isnan(*ulp);
    }
}

static void read_errors(errors *all, const attest_json_cursor *object)
{
    attest_json_cursor formats;
    size_t count = attest_value_array(&formats, object, "formats");

    memset(all, 0, sizeof *all);
    all->formats = count < MOST_FORMATS ? count : MOST_FORMATS;
    for (size_t i = 0; i < all->formats; i++) {
        attest_json_cursor entry = attest_json_get_element(&formats, i);
        all->name[i] = attest_value_text(&entry, "name");
        for (size_t k = 0; k < KINDS; k++) {
            all->ulp[i][k] = attest_value_number(&entry, kind_key[k]);
            all->any = all->any || !isnan(all->ulp[i][k]);
        }
        read_stages(all, i, &entry);
    }
}

static void write_errors_table(attest_markup *body, const errors *all)
{
    static const char *const heading[] = {"Format", "#Mean error (ulp)", "#Worst error (ulp)",
                                          "#A priori bound (ulp)"};

    attest_table_open(body, "Errors in units in the last place", heading, 1 + KINDS);
    for (size_t i = 0; i < all->formats; i++) {
        attest_table_row(body, all->name[i]);
        for (size_t k = 0; k < KINDS; k++)
            attest_table_number(body, all->ulp[i][k], 3);
    }
    attest_table_close(body);
}

static void write_errors(attest_report *report, const errors *all, const char *label,
                         size_t number)
{
    attest_plot_row row[MOST_FORMATS];
    attest_markup drawing;
    char id[32], caption[256];
    attest_plot_dots dots = {{id, "Errors by format",
                              "For each format, on a logarithmic axis: the mean and the worst "
                              "error of an output in units in the last place, and a bound that "
                              "holds before anything is computed. The table beside it has all "
                              "values."},
                             ATTEST_SCALE_DECADES,
                             "error in ulp of the format",
                             KINDS,
                             kind_name,
                             all->formats,
                             row,
                             0,
                             NULL};

    snprintf(id, sizeof id, "errors-%zu", number);
    snprintf(caption, sizeof caption,
             "Errors of the outputs of \xE2\x80\x98%s\xE2\x80\x99 against their certified "
             "values, and the bound known "
             "beforehand.",
             label);
    for (size_t i = 0; i < all->formats; i++)
        row[i] = (attest_plot_row){all->name[i], all->ulp[i], NULL};
    attest_markup_init(&drawing);
    attest_plot_write_dots(&drawing, &dots);
    attest_section_open_plot(report, &drawing, id, caption);
    write_errors_table(&report->body, all);
    attest_section_close_plot(report);
}

static void write_stages(attest_report *report, const errors *all, const char *label,
                         size_t number)
{
    static const char *const heading[] = {"Format", "#Input", "#Score",    "#Max",   "#Exp",
                                          "#Sum",   "#Mix",   "#Division", "#Output"};
    attest_markup drawing, *body = &report->body;
    char id[32], caption[256];
    attest_plot_heatmap heatmap = {{id, "Where the error enters",
                                    "For each format and each stage of attention, the worst "
                                    "error with only that stage rounded. The table beside it "
                                    "has all values."},
                                   "stage that is rounded",
                                   all->formats,
                                   STAGES,
                                   all->name,
                                   stage_name,
                                   all->stage,
                                   "ulp",
                                   true,
                                   NULL};

    snprintf(id, sizeof id, "stages-%zu", number);
    snprintf(caption, sizeof caption,
             "Where the error of \xE2\x80\x98%s\xE2\x80\x99 enters: the worst error in ulp "
             "with one stage rounded and "
             "the others not.",
             label);
    attest_markup_init(&drawing);
    attest_plot_write_heatmap(&drawing, &heatmap);
    attest_section_open_plot(report, &drawing, id, caption);
    attest_table_open(body, "Worst error in ulp with one stage rounded", heading, 1 + STAGES);
    for (size_t i = 0; i < all->formats; i++) {
        attest_table_row(body, all->name[i]);
        for (size_t k = 0; k < STAGES; k++)
            attest_table_number(body, all->stage[i * STAGES + k], 2);
    }
    attest_table_close(body);
    attest_section_close_plot(report);
}

void attest_section_write_errors(attest_report *report)
{
    errors *all = malloc(sizeof *all);
    attest_audit_iter audited;
    size_t number = 0;

    report->body.text.failed |= all == NULL;
    attest_audit_iter_init(&audited);
    while (all && attest_audit_iter_next(&audited, &report->records)) {
        read_errors(all, &audited.object);
        if (!all->any && !all->any_stage)
            continue;
        if (number++ == 0)
            attest_section_open(report, "errors", "Rounding errors",
                                "Errors are measured against enclosures of the exact outputs, "
                                "in units in the last place of the format.");
        if (all->any)
            write_errors(report, all, audited.label, number);
        if (all->any_stage)
            write_stages(report, all, audited.label, number);
    }
    if (number > 0)
        attest_section_close(report);
    free(all);
}

enum { MOST_ALGORITHMS = 16, ALGORITHM_FORMATS = 12 };

/* Worst errors and collisions of every algorithm in every format. */
typedef struct comparison {
    size_t algorithms, formats;
    char label[MOST_ALGORITHMS][64];
    const char *name[MOST_ALGORITHMS], *format[ALGORITHM_FORMATS];
    double ulp[MOST_ALGORITHMS * ALGORITHM_FORMATS],
        collisions[MOST_ALGORITHMS * ALGORITHM_FORMATS];
} comparison;

/* "shifted, pairwise, fma". */
static void set_label(char *label, size_t size, const attest_json_cursor *algorithm)
{
    attest_json_cursor member;
    bool fma = false;

    if (attest_json_find_member(&member, algorithm, "fma") &&
        attest_json_get_bool(&fma, &member, NULL) != ATTEST_OK)
        fma = false;
    snprintf(label, size, "%.20s, %.20s%s", attest_value_text(algorithm, "softmax"),
             attest_value_text(algorithm, "sum"), fma ? ", fma" : "");
}

static void read_comparison(comparison *all, const attest_json_cursor *algorithms, size_t count)
{
    attest_json_cursor first = attest_json_get_element(algorithms, 0), formats;

    all->algorithms = count < MOST_ALGORITHMS ? count : MOST_ALGORITHMS;
    all->formats = attest_value_array(&formats, &first, "formats");
    all->formats = all->formats < ALGORITHM_FORMATS ? all->formats : ALGORITHM_FORMATS;
    for (size_t i = 0; i < all->algorithms; i++) {
        attest_json_cursor algorithm = attest_json_get_element(algorithms, i);
        size_t length = attest_value_array(&formats, &algorithm, "formats");
        set_label(all->label[i], sizeof all->label[i], &algorithm);
        all->name[i] = all->label[i];
        for (size_t k = 0; k < all->formats; k++) {
            size_t at = i * all->formats + k;
            attest_json_cursor entry;
            all->ulp[at] = all->collisions[at] = NAN;
            if (k >= length)
                continue;
            entry = attest_json_get_element(&formats, k);
            all->format[k] = i == 0 ? attest_value_text(&entry, "name") : all->format[k];
            all->ulp[at] = attest_value_number(&entry, "max_ulp");
            all->collisions[at] = attest_value_number(&entry, "collisions");
        }
    }
}

static void write_algorithm_table(attest_markup *body, const comparison *all)
{
    static const char *const heading[] = {"Algorithm", "Format", "#Collisions",
                                          "#Worst error (ulp)"};

    attest_table_open(body, "Every algorithm in every format", heading, 4);
    for (size_t i = 0; i < all->algorithms; i++) {
        for (size_t k = 0; k < all->formats; k++) {
            attest_table_row(body, all->name[i]);
            attest_table_cell(body, NULL, all->format[k]);
            attest_table_number(body, all->collisions[i * all->formats + k], 0);
            attest_table_number(body, all->ulp[i * all->formats + k], 3);
        }
    }
    attest_table_close(body);
}

static void write_algorithm_figure(attest_report *report, const comparison *all,
                                   const char *label, size_t number)
{
    attest_markup drawing;
    char id[32], caption[256];
    attest_plot_heatmap heatmap = {
        {id, "Algorithms side by side",
         "For each way to compute softmax and each format, the worst error in units in the "
         "last "
         "place. The table beside it has all values, and the collisions."},
        "format",
        all->algorithms,
        all->formats,
        all->name,
        all->format,
        all->ulp,
        "ulp",
        true,
        NULL};

    snprintf(id, sizeof id, "algorithms-%zu", number);
    snprintf(caption, sizeof caption,
             "Ways to compute softmax in \xE2\x80\x98%s\xE2\x80\x99: the worst error in ulp of "
             "the format.",
             label);
    attest_markup_init(&drawing);
    attest_plot_write_heatmap(&drawing, &heatmap);
    attest_section_open_plot(report, &drawing, id, caption);
    write_algorithm_table(&report->body, all);
    attest_section_close_plot(report);
}

void attest_section_write_algorithms(attest_report *report)
{
    comparison *all = calloc(1, sizeof *all);
    attest_audit_iter audited;
    size_t number = 0;

    report->body.text.failed |= all == NULL;
    attest_audit_iter_init(&audited);
    while (all && attest_audit_iter_next(&audited, &report->records)) {
        attest_json_cursor algorithms;
        size_t count = attest_value_array(&algorithms, &audited.object, "algorithms");
        if (count == 0)
            continue;
        read_comparison(all, &algorithms, count);
        if (all->formats == 0)
            continue;
        if (number == 0)
            attest_section_open(
                report, "algorithms", "Algorithms side by side",
                "Softmax may be computed naively, shifted by the largest score "
                "or in one pass; sums one after the other or in pairs; products "
                "fused or not.");
        write_algorithm_figure(report, all, audited.label, ++number);
    }
    if (number > 0)
        attest_section_close(report);
    free(all);
}

enum { STRIPS = 2, MOST_BINS = 64 };

/* Two histograms on an axis of log2. */
typedef struct histograms {
    attest_plot_strip strip[STRIPS];
    double edge[STRIPS][MOST_BINS + 1], count[STRIPS][MOST_BINS];
    char remark[STRIPS][64];
} histograms;

static const char *const strip_key[STRIPS] = {"ulp", "pessimism"};
static const char *const strip_name[STRIPS] = {"error in ulp", "bound / error"};

static void write_kernel_table(attest_markup *body, const histograms *all)
{
    static const char *const heading[] = {"Histogram", "#From", "#To", "#Cases"};

    attest_table_open(body, "The fast path\xE2\x80\x99s errors and pessimism", heading, 4);
    for (size_t i = 0; i < STRIPS; i++) {
        for (size_t k = 0; k < all->strip[i].bins; k++) {
            attest_table_row(body, strip_name[i]);
            for (size_t end = 0; end < 2; end++) {
                attest_table_open_cell(body, "number");
                if (end == 0 && k == 0 && all->strip[i].open_below)
                    attest_markup_text(body, "0");
                else if (end == 1 && k + 1 == all->strip[i].bins && all->strip[i].open_above)
                    attest_markup_text(body, "\xE2\x88\x9E");
                else
                    attest_value_write_power(body, all->edge[i][k + end]);
                attest_markup_close(body);
            }
            attest_table_number(body, all->count[i][k], 0);
        }
    }
    attest_table_close(body);
}

/* Formats the caption, with the counts that the histograms do not show: rows without an error,
 * without a bound, or beyond it. */
static void format_caption(char *caption, size_t size, const attest_json_cursor *kernel,
                           const char *label)
{
    static const char *const keys[] = {"rows", "exact_rows", "rows_without_bound",
                                       "bounds_broken"};
    char number[4][64];

    for (int i = 0; i < 4; i++)
        attest_scale_format_number(number[i], attest_value_number(kernel, keys[i]), 0);
    snprintf(caption, size,
             "The %.20s kernel on the data of \xE2\x80\x98%s\xE2\x80\x99: its errors, and how "
             "many times larger its proved bounds are; bars at the ends include what lies "
             "beyond. Of %.20s rows %.20s have no error, "
             "%.20s no bound; "
             "%.20s bounds are broken.",
             attest_value_text(kernel, "name"), label, number[0], number[1], number[2],
             number[3]);
}

static void write_kernel_figure(attest_report *report, const histograms *all,
                                const attest_json_cursor *kernel, const char *label,
                                size_t number)
{
    attest_markup drawing;
    char id[32], caption[640];
    attest_plot_histogram histogram = {
        {id, "The fast path",
         "Histograms of the kernel's errors in ulp and of the ratio of its bounds to its "
         "errors, "
         "on a logarithmic axis. The table beside it has all numbers."},
        ATTEST_SCALE_EXPONENT,
        "error in ulp, and bound divided by error",
        STRIPS,
        all->strip};

    snprintf(id, sizeof id, "fast-path-%zu", number);
    format_caption(caption, sizeof caption, kernel, label);
    attest_markup_init(&drawing);
    attest_plot_write_histogram(&drawing, &histogram);
    attest_section_open_plot(report, &drawing, id, caption);
    write_kernel_table(&report->body, all);
    attest_section_close_plot(report);
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

static void write_mapping(attest_report *report, histograms *all, const char *label,
                          const attest_json_cursor *kernel, size_t number)
{
    char worst[64];

    memset(all, 0, sizeof *all);
    for (size_t i = 0; i < STRIPS; i++) {
        all->strip[i] = (attest_plot_strip){
            .name = strip_name[i], .remark = all->remark[i], .style = (int)i};
        attest_section_read_bins(&all->strip[i], all->edge[i], all->count[i], MOST_BINS, kernel,
                                 strip_key[i]);
    }
    snprintf(all->remark[0], sizeof all->remark[0], "max %.40s",
             attest_scale_format_number(worst, attest_value_number(kernel, "max_ulp"), 3));
    write_kernel_figure(report, all, kernel, label, number);
}

void attest_section_write_fast_path(attest_report *report)
{
    histograms *all = malloc(sizeof *all);
    attest_audit_iter audited;
    size_t number = 0;

    report->body.text.failed |= all == NULL;
    attest_audit_iter_init(&audited);
    while (all && attest_audit_iter_next(&audited, &report->records)) {
        attest_json_cursor kernel;
        if (!attest_json_find_member(&kernel, &audited.object, "kernel") ||
            !attest_json_is_object(&kernel))
            continue;
        if (number == 0)
            attest_section_open(report, "fast-path", "The fast path",
                                "The kernels propose and never decide. This section measures "
                                "their errors, and how far their proved bounds lie above "
                                "them.");
        write_mapping(report, all, audited.label, &kernel, ++number);
    }
    if (number > 0)
        attest_section_close(report);
    free(all);
}
