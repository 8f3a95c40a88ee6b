/* section_collapse.c -- the precision at which a mapping collapses: measured, certified and
 * promised. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <attest/format.h>

#include "base/memory.h"
#include "report/section.h"

/* "nearest, shifted, sequential, fma, sums in binary32". */
static void write_arithmetic(attest_markup *body, const attest_json_cursor *root)
{
    attest_json_cursor arithmetic, member;
    bool fma = false;

    attest_table_open_cell(body, "long");
    if (!attest_json_find_member(&arithmetic, root, "arithmetic")) {
        attest_markup_text(body, "\xE2\x80\x93");
        attest_markup_close(body);
        return;
    }
    attest_markup_printf(
        body, "%s, %s softmax, %s sums", attest_value_text(&arithmetic, "round"),
        attest_value_text(&arithmetic, "softmax"), attest_value_text(&arithmetic, "sum"));
    if (attest_json_find_member(&member, &arithmetic, "fma") &&
        attest_json_get_bool(&fma, &member, NULL) == ATTEST_OK && fma)
        attest_markup_text(body, ", fused");
    if (*attest_value_text(&arithmetic, "accumulate"))
        attest_markup_printf(body, ", accumulated in %s",
                             attest_value_text(&arithmetic, "accumulate"));
    attest_markup_close(body);
}

static void write_subject(attest_markup *body, const attest_record *record)
{
    static const char *const counts[] = {"sequences", "longest", "dim", "tokens",
                                         "required_pairs"};
    attest_json_cursor root = attest_json_root(&record->document), dataset = {0}, weights = {0};
    char label[96];

    /* A cursor without a value has no members. */
    if (!attest_json_find_member(&dataset, &root, "dataset"))
        dataset.value = NULL;
    if (!attest_json_find_member(&weights, &root, "weights"))
        weights.value = NULL;
    attest_table_row(body, attest_record_label(label, sizeof label, record));
    attest_table_value(body, "long", &dataset,
                       *attest_value_text(&dataset, "name") ? "name" : "path");
    for (int i = 0; i < 5; i++)
        attest_table_number(body, attest_value_number(&dataset, counts[i]), 0);
    attest_table_value(body, NULL, &weights, "activation");
    write_arithmetic(body, &root);
}

/* The data, weights and arithmetic of all audits, as a table. */
static void write_subjects(attest_report *report)
{
    static const char *const heading[] = {"Record",          "Dataset",    "#Sequences",
                                          "#Longest",        "#Dimension", "#Tokens",
                                          "#Required pairs", "Activation", "Arithmetic"};
    attest_markup *body = &report->body;
    const attest_record *record;

    attest_markup_open_class(body, "div", "wide");
    attest_table_open(body, "What was audited", heading, 9);
    for (size_t place = 0;
         (record = attest_records_find(&report->records, ATTEST_RECORD_AUDIT, place, &place));
         place++)
        write_subject(body, record);
    attest_table_close(body);
    attest_markup_close(body);
}

enum { TOGETHER = 4, MOST_MARKS = 12 };

/* The widths of one mapping: the points of its curves. */
typedef struct sweep {
    char label[128];
    size_t count;
    double *bits, *log2, *collisions; /* collisions: -INFINITY for none */
} sweep;

static void clear_sweep(sweep *all)
{
    free(all->bits);
    free(all->log2);
    free(all->collisions);
}

/* The widths of a mapping; count is 0 if it has none. A width at which pairs collide has
 * separation zero. */
static bool read_sweep(sweep *all, const attest_audit_iter *audited)
{
    attest_json_cursor collapse, array;
    size_t count = 0;

    if (attest_json_find_member(&collapse, &audited->object, "collapse"))
        count = attest_value_array(&array, &collapse, "curve");
    memset(all, 0, sizeof *all);
    snprintf(all->label, sizeof all->label, "%s", audited->label);
    all->bits = attest_memory_alloc(count, sizeof(double));
    all->log2 = attest_memory_alloc(count, sizeof(double));
    all->collisions = attest_memory_alloc(count, sizeof(double));
    if (!all->bits || !all->log2 || !all->collisions)
        return false;
    for (size_t i = 0; i < count; i++) {
        attest_json_cursor point = attest_json_get_element(&array, i);
        double bits = attest_value_number(&point, "bits");
        double collisions = attest_value_number(&point, "collisions");
        if (!(bits > 0) || !(collisions >= 0))
            continue;
        all->bits[all->count] = bits;
        all->collisions[all->count] = collisions > 0 ? collisions : -INFINITY;
        all->log2[all->count++] =
            collisions > 0 ? -INFINITY : attest_value_number(&point, "log2_separation");
    }
    return true;
}

/* The precisions of the formats that the audit names, as marks; formats of one precision share
 * a mark. */
typedef struct format_marks {
    size_t count;
    attest_plot_mark mark[MOST_MARKS];
    char name[MOST_MARKS][80];
} format_marks;

static void add_mark(format_marks *marks, double at, const char *name)
{
    for (size_t i = 0; i < marks->count; i++) {
        size_t used = strlen(marks->name[i]);
        if (marks->mark[i].at != at)
            continue;
        if (!strstr(marks->name[i], name) && used + strlen(name) + 3 < sizeof marks->name[i])
            snprintf(marks->name[i] + used, sizeof marks->name[i] - used, ", %s", name);
        return;
    }
    if (marks->count == MOST_MARKS)
        return;
    snprintf(marks->name[marks->count], sizeof marks->name[0], "%s", name);
    marks->mark[marks->count] = (attest_plot_mark){at, marks->name[marks->count]};
    marks->count++;
}

static void read_marks(format_marks *marks, const attest_json_cursor *object)
{
    attest_json_cursor array;
    size_t count = attest_value_array(&array, object, "formats");

    for (size_t i = 0; i < count; i++) {
        attest_json_cursor entry = attest_json_get_element(&array, i);
        const char *name = attest_value_text(&entry, "name");
        attest_format format;
        /* "p=N" is its own mark on the axis */
        if (attest_format_parse(&format, name, NULL) == ATTEST_OK &&
            strncmp(name, "p=", 2) != 0)
            add_mark(marks, (double)format.precision, name);
    }
}

static void write_table(attest_markup *body, const sweep *all, size_t count)
{
    static const char *const heading[] = {"Mapping", "#Bits", "#Collisions",
                                          "#Least separation"};

    attest_table_open(body, "Least separation and collisions at each width", heading, 4);
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < all[i].count; k++) {
            double collisions = all[i].collisions[k];
            attest_table_row(body, all[i].label);
            attest_table_number(body, all[i].bits[k], 0);
            attest_table_number(body, collisions > 0 ? collisions : 0, 0);
            attest_table_power(body, all[i].log2[k]);
        }
    }
    attest_table_close(body);
}

/* Separations or collisions of some mappings against the width. */
static void draw(attest_markup *drawing, attest_plot_lines *lines, const sweep *all,
                 size_t count, bool collisions)
{
    attest_plot_series serie[TOGETHER];

    for (size_t i = 0; i < count; i++)
        serie[i] =
            (attest_plot_series){all[i].label,     all[i].count,
                                 all[i].bits,      collisions ? all[i].collisions : all[i].log2,
                                 (int)i,           true,
                                 all[i].count < 80};
    lines->series = count;
    lines->serie = serie;
    attest_markup_init(drawing);
    attest_plot_write_lines(drawing, lines);
}

static void write_separations(attest_report *report, const sweep *all, size_t count,
                              const format_marks *marks, size_t number)
{
    attest_markup drawing;
    char id[32];
    attest_plot_lines lines = {
        .plot =
            {id, "Collapse curve",
             "The least separation of required pairs against the significand width in bits. "
             "Points on the lowest row are widths at which outputs collide. The table "
             "beside it has all values."},
        .x_kind = ATTEST_SCALE_OCTAVES,
        .y_kind = ATTEST_SCALE_EXPONENT,
        .x_label = "significand width p in bits",
        .y_label = "least separation",
        .zero_label = "collapsed",
        .marks = marks->count,
        .mark = marks->mark};

    snprintf(id, sizeof id, "collapse-curve-%zu", number);
    draw(&drawing, &lines, all, count, false);
    attest_section_open_plot(report, &drawing, id,
                             "Collapse curve: every operation rounded to p bits, exponents "
                             "unbounded. Dotted lines are the precisions of named formats.");
}

static void write_collisions(attest_report *report, const sweep *all, size_t count,
                             const format_marks *marks, size_t number)
{
    attest_markup drawing;
    char id[32];
    attest_plot_lines lines = {
        .plot =
            {id, "Collisions against precision",
             "How many required pairs collide against the significand width in bits, both "
             "axes logarithmic. Points on the lowest row are widths at which none does. The "
             "table beside it has all values."},
        .x_kind = ATTEST_SCALE_OCTAVES,
        .y_kind = ATTEST_SCALE_DECADES,
        .x_label = "significand width p in bits",
        .y_label = "required pairs that collide",
        .zero_label = "none",
        .zero_is_good = true,
        .marks = marks->count,
        .mark = marks->mark};

    snprintf(id, sizeof id, "collision-curve-%zu", number);
    draw(&drawing, &lines, all, count, true);
    attest_section_add_plot(report, &drawing, id,
                            "The same widths: how many required pairs have equal outputs, "
                            "until none has.");
}

/* All curves, a few to a figure. */
static void write_figures(attest_report *report)
{
    sweep all[TOGETHER];
    format_marks marks = {0};
    attest_audit_iter audited;
    size_t count = 0, number = 0;
    bool more;

    attest_audit_iter_init(&audited);
    do {
        more = attest_audit_iter_next(&audited, &report->records);
        if (more) {
            report->body.text.failed |= !read_sweep(&all[count], &audited);
            read_marks(&marks, &audited.object);
            if (all[count].count > 0)
                count++;
            else
                clear_sweep(&all[count]);
        }
        if (count == TOGETHER || (!more && count > 0)) {
            write_separations(report, all, count, &marks, ++number);
            write_collisions(report, all, count, &marks, number);
            write_table(&report->body, all, count);
            attest_section_close_plot(report);
            while (count > 0)
                clear_sweep(&all[--count]);
        }
    } while (more);
}

static void write_format(attest_markup *body, const char *label,
                         const attest_json_cursor *entry)
{
    bool collides = attest_value_number(entry, "collisions") > 0;

    attest_table_row(body, label);
    attest_table_cell(body, NULL, attest_value_text(entry, "name"));
    attest_table_verdict(body, attest_value_text(entry, "verdict"));
    attest_table_number(body, attest_value_number(entry, "collisions"), 0);
    attest_table_number(body, attest_value_number(entry, "nonfinite"), 0);
    attest_table_power(body, attest_value_log2(entry, "min_separation"));
    attest_table_open_cell(body, NULL);
    attest_value_write_pair(body, entry, collides ? "pair" : "closest");
    attest_markup_close(body);
    attest_table_cell(body, "long", attest_value_text(entry, "file"));
}

/* What each format did to each mapping. */
static void write_formats(attest_report *report)
{
    static const char *const heading[] = {"Mapping",     "Format",         "Verdict",
                                          "#Collisions", "#Not finite",    "#Least separation",
                                          "Which pair",  "Replayable file"};
    attest_markup *body = &report->body;
    attest_audit_iter audited;

    attest_markup_open_class(body, "div", "wide");
    attest_table_open(body, "What each format does to the mapping", heading, 8);
    attest_audit_iter_init(&audited);
    while (attest_audit_iter_next(&audited, &report->records)) {
        attest_json_cursor array;
        size_t count = attest_value_array(&array, &audited.object, "formats");
        for (size_t i = 0; i < count; i++) {
            attest_json_cursor entry = attest_json_get_element(&array, i);
            write_format(body, audited.label, &entry);
        }
    }
    attest_table_close(body);
    attest_markup_close(body);
}

void attest_section_write_collapse(attest_report *report)
{
    attest_section_open(report, "collapse", "Where precision runs out",
                        "Below some significand width, outputs that must differ become equal "
                        "bit for bit. The collapse width is the least one such that it and all "
                        "larger widths keep every required pair apart.");
    write_subjects(report);
    write_figures(report);
    write_formats(report);
    attest_section_close(report);
}

enum { KINDS = 3, MOST_MAPPINGS = 32 };

/* One mapping: the width at which it collapses, and those that follow from its certified
 * separation and from the theorem's delta. */
typedef struct mapping {
    char label[128];
    double bits[KINDS];
    bool beyond[KINDS];
    double necessary;           /* by counting, of any code; no dot of the plot */
    double promised, certified; /* log2 */
} mapping;

typedef struct mappings {
    size_t count;
    mapping row[MOST_MAPPINGS];
} mappings;

static const char *const kind_name[KINDS] = {"bits needed", "bits for the certified separation",
                                             "bits for the theorem\xE2\x80\x99s \xCE\xB4"};

static mapping *add(mappings *all, const char *label)
{
    mapping *row;

    if (all->count == MOST_MAPPINGS)
        return NULL;
    row = &all->row[all->count++];
    snprintf(row->label, sizeof row->label, "%s", label);
    return row;
}

/* A member of a member; NAN if either is missing. */
static double inner(const attest_json_cursor *object, const char *outer, const char *key,
                    double get(const attest_json_cursor *, const char *))
{
    attest_json_cursor member;

    return attest_json_find_member(&member, object, outer) ? get(&member, key) : NAN;
}

/* Adds the mapping of an audit; the search for its width may have ended at the cap. */
static void add_audit(mappings *all, const attest_audit_iter *audited)
{
    const attest_json_cursor *object = &audited->object;
    double collapse = attest_value_number(object, "collapse_bits");
    double cap = inner(object, "collapse", "cap", attest_value_number);
    mapping *row = add(all, audited->label);

    if (!row)
        return;
    row->beyond[0] = isnan(collapse) && !isnan(cap);
    row->bits[0] = row->beyond[0] ? cap : collapse;
    row->bits[1] = attest_value_number(object, "certified_bits");
    row->bits[2] = attest_value_number(object, "theory_bits");
    row->necessary = attest_value_number(object, "necessary_bits");
    row->promised = inner(object, "theory", "delta", attest_value_log2);
    row->certified = inner(object, "certified", "min_separation", attest_value_log2);
}

static void add_construct(mappings *all, const attest_record *record)
{
    attest_json_cursor root = attest_json_root(&record->document);
    char label[96];
    mapping *row = add(all, attest_record_label(label, sizeof label, record));

    if (!row)
        return;
    row->bits[0] = row->necessary = NAN;
    row->bits[1] = attest_value_number(&root, "bits_certified");
    row->bits[2] = attest_value_number(&root, "bits_promised");
    row->promised = attest_value_log2(&root, "delta");
    row->certified = inner(&root, "certificate", "min_separation", attest_value_log2);
}

static void add_all(mappings *all, const attest_records *records)
{
    attest_audit_iter audited;
    const attest_record *record;

    attest_audit_iter_init(&audited);
    while (attest_audit_iter_next(&audited, records))
        add_audit(all, &audited);
    for (size_t place = 0;
         (record = attest_records_find(records, ATTEST_RECORD_CONSTRUCT, place, &place));
         place++)
        add_construct(all, record);
}

static void write_theory_table(attest_markup *body, const mappings *all)
{
    static const char *const heading[] = {
        "Mapping",       "#Promised \xCE\xB4", "#Certified separation", "#Bits, necessary",
        "#Bits, needed", "#Bits, certified",   "#Bits, theorem"};
    char number[64], text[80];

    attest_table_open(body, "Promised, certified and measured", heading, 7);
    for (size_t i = 0; i < all->count; i++) {
        const mapping *row = &all->row[i];
        attest_table_row(body, row->label);
        attest_table_power(body, row->promised);
        attest_table_power(body, row->certified);
        attest_table_number(body, row->necessary, 0);
        snprintf(text, sizeof text, "> %s",
                 attest_scale_format_number(number, row->bits[0], 0));
        if (row->beyond[0])
            attest_table_cell(body, "number", text);
        else
            attest_table_number(body, row->bits[0], 0);
        attest_table_number(body, row->bits[1], 0);
        attest_table_number(body, row->bits[2], 0);
    }
    attest_table_close(body);
}

static void write_plot(attest_report *report, const mappings *all)
{
    static const attest_plot_mark mark[] = {
        {8, "bfloat16"}, {11, "binary16"}, {24, "binary32"}, {53, "binary64"}};
    attest_plot_row row[MOST_MAPPINGS];
    attest_markup drawing;
    attest_plot_dots dots = {
        {"theory-bits", "Theory against truth",
         "For each mapping, on a logarithmic axis of bits: the significand width at which it "
         "stops collapsing, the width that its certified separation requires, and the width "
         "that the theorem's delta requires. The table beside it has all values."},
        ATTEST_SCALE_DECADES,
        "significand width in bits",
        KINDS,
        kind_name,
        all->count,
        row,
        4,
        mark};

    for (size_t i = 0; i < all->count; i++)
        row[i] = (attest_plot_row){all->row[i].label, all->row[i].bits, all->row[i].beyond};
    attest_markup_init(&drawing);
    attest_plot_write_dots(&drawing, &dots);
    attest_section_open_plot(
        report, &drawing, "theory-bits",
        "Theory against truth: how many bits a mapping needs, and how many "
        "its guarantees require. An arrow means more than shown.");
    write_theory_table(&report->body, all);
    attest_section_close_plot(report);
}

void attest_section_write_theory(attest_report *report)
{
    mappings all = {0};

    add_all(&all, &report->records);
    if (all.count == 0)
        return;
    attest_section_open(
        report, "theory", "Theory against truth",
        "The theorem promises a separation \xCE\xB4 for all data of a kind. "
        "The separation that is certified for these data is usually far larger, "
        "and fewer bits than it requires are usually enough.");
    write_plot(report, &all);
    attest_section_close(report);
}
