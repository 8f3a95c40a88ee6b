/* section_theory.c -- what was promised, what is certified, and the bits that each asks for. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/audited.h"
#include "report/section.h"
#include "report/table.h"
#include "report/value.h"

enum { KINDS = 3, MOST_MAPPINGS = 32 };

/* One mapping: the width at which it collapses, and those asked for by its certified separation
 * and by the theorem's delta. */
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

static const char *const kind_name[KINDS] = {"bits it takes",
                                             "bits for the certified separation",
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

/* The mapping of an audit, whose search for the width may have ended at its cap. */
static void add_audit(mappings *all, const attest_audited *audited)
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
    mapping *row = add(all, attest_section_label(label, sizeof label, record));

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
    attest_audited audited;
    const attest_record *record;

    attest_audited_init(&audited);
    while (attest_audited_next(&audited, records))
        add_audit(all, &audited);
    for (size_t place = 0;
         (record = attest_records_find(records, ATTEST_RECORD_CONSTRUCT, place, &place));
         place++)
        add_construct(all, record);
}

static void write_table(attest_markup *body, const mappings *all)
{
    static const char *const heading[] = {
        "Mapping",        "#Promised \xCE\xB4", "#Certified separation", "#Bits, necessary",
        "#Bits it takes", "#Bits, certified",   "#Bits, theorem"};
    char number[64], text[80];

    attest_table_open(body, "Promised, certified and measured", heading, 7);
    for (size_t i = 0; i < all->count; i++) {
        const mapping *row = &all->row[i];
        attest_table_row(body, row->label);
        attest_table_open_cell(body, "number");
        attest_value_write_power(body, row->promised);
        attest_markup_close(body);
        attest_table_open_cell(body, "number");
        attest_value_write_power(body, row->certified);
        attest_markup_close(body);
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
         "stops collapsing, the width that its certified separation asks for, and the width "
         "that the theorem's delta asks for. The table beside it has all values."},
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
        "Theory against truth: how many bits a mapping takes, and how many "
        "its guarantees ask for. An arrow means more than shown.");
    write_table(&report->body, all);
    attest_section_close_plot(report);
}

void attest_section_write_theory(attest_report *report)
{
    mappings all = {0};

    add_all(&all, &report->records);
    if (all.count == 0)
        return;
    attest_section_open(report, "theory", "Theory against truth",
                        "The theorem promises a separation \xCE\xB4 for all data of a kind. "
                        "What is certified for these data is far larger, and what rounding "
                        "tolerates in practice larger still.");
    write_plot(report, &all);
    attest_section_close(report);
}
