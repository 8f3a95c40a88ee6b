/* The gate: what is worse than a stored record, member by member, format by format and head by
 * head; and which records are refused. */
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "audit/gate.h"
#include "audit/heads.h"
#include "tests/tap.h"

/* A result that is no better or worse than the stored members below. */
static void make_result(attest_audit_result *result, const char *format)
{
    attest_simulated_arithmetic arithmetic = {.softmax = 0};

    if (attest_format_parse(&arithmetic.format, format, NULL) != ATTEST_OK)
        abort();
    attest_audit_result_init(result, &arithmetic);
    result->verdict = ATTEST_AUDIT_FAILS;
    fmpz_set_ui(result->collisions.pairs, 5);
    result->collisions.nonfinite = 2;
    result->saturated = 7;
    result->has_separation = true;
    arb_set_d(result->min_separation, 0.125);
    result->has_errors = true;
    result->errors = (attest_audit_errors){.entries = 1, .max_ulp = {0.75, 2}};
    result->deviation.positions = 1;
    result->deviation.max = 0.5;
    result->weights_error.rows = 1;
    result->weights_error.max = 0.25;
    result->pairs.by_rounding = 1;
    result->pairs.merged = 3;
}

static const struct {
    const char *key, *value;
} stored[] = {{"verdict", "\"fails\""},
              {"collisions", "5"},
              {"nonfinite", "2"},
              {"saturated", "7"},
              {"min_separation", "{\"mid\":\"0x1p-3\",\"rad\":\"0x0p+0\"}"},
              {"max_ulp", "3"},
              {"relative_error", "{\"max\":0.5}"},
              {"weights_error", "{\"max\":0.25}"},
              {"pairs", "{\"by_rounding\":1,\"merged\":3}"}};
enum { MEMBERS = sizeof stored / sizeof *stored, TEXT = 4096, BOOK = 4 * TEXT };

/* Records of heads have no separation. */
static bool has_separation = true;

/* The stored members, with another value for one of them; "" leaves it out. */
static const char *members(const char *key, const char *value)
{
    static char text[TEXT];
    size_t used = 0;

    *text = '\0';
    for (size_t i = 0; i < MEMBERS; i++) {
        const char *own = key && strcmp(key, stored[i].key) == 0 ? value : stored[i].value;
        if (!has_separation && strcmp(stored[i].key, "min_separation") == 0)
            own = "null";
        if (*own)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s\"%s\":%s",
                                     used ? "," : "", stored[i].key, own);
    }
    return text;
}

/* All lines, each followed by ";", or "error: " and its text. */
static void join(char text[TEXT], const attest_audit_gate *gate, attest_status status,
                 const attest_error *error)
{
    size_t used = 0;

    snprintf(text, TEXT, "%s%s",
             status == ATTEST_OK ? "" : "error: ", status == ATTEST_OK ? "" : error->text);
    for (size_t i = 0; i < gate->count && status == ATTEST_OK; i++)
        used += (size_t)snprintf(text + used, TEXT - used, "%s;", gate->line[i]);
}

static bool matches(const char *got, const char *expected)
{
    return strncmp(expected, "error: ", 7) == 0 ? strstr(got, expected + 7) != NULL
                                                : strcmp(got, expected) == 0;
}

/* What a row makes unknown. */
enum { NO_PAIRS = 1, NO_ERRORS, INFINITE, NO_MEASURES };

/* The lines of the gate when one member is stored with another value. */
static const struct {
    const char *key, *value, *lines;
    int unknown;
} member_rows[] = {
    {NULL, "", "", 0},
    {"verdict", "\"survives\"", "f: fails, was survives;", 0},
    {"verdict", "\"collapses\"", "", 0},
    {"verdict", "\"holds\"", "error: verdict", 0},
    {"verdict", "null", "error: verdict", 0},
    {"collisions", "4", "f: collisions 5, was 4;", 0},
    {"collisions", "\"4\"", "f: collisions 5, was 4;", 0},
    {"collisions", "6", "", 0},
    {"collisions", "\"100000000000000000000000\"", "", 0},
    {"collisions", "-1", "error: expected a count", 0},
    {"collisions", "4.5", "error: expected a count", 0},
    {"collisions", "null", "error: collisions", 0},
    {"collisions", "", "error: collisions", 0},
    {"nonfinite", "1", "f: nonfinite 2, was 1;", 0},
    {"nonfinite", "3", "", 0},
    {"nonfinite", "", "error: nonfinite", 0},
    {"saturated", "6", "f: saturated 7, was 6;", 0},
    {"saturated", "8", "", 0},
    {"saturated", "", "", 0},
    {"min_separation", "{\"mid\":\"0x1p-2\",\"rad\":\"0x0p+0\"}",
     "f: least separation 2^-3.00000000000000, was 2^-2.00000000000000;", 0},
    {"min_separation", "{\"mid\":\"0x1p-2\",\"rad\":\"0x1p-4\"}",
     "f: least separation 2^-3.00000000000000, was 2^-2.00000000000000;", 0},
    {"min_separation", "{\"mid\":\"0x1p-2\",\"rad\":\"0x1p-3\"}", "", 0},
    {"min_separation", "{\"mid\":\"0x1p-4\",\"rad\":\"0x0p+0\"}", "", 0},
    {"min_separation", "null", "", 0},
    {"min_separation", "null", "", NO_PAIRS},
    {"min_separation", "{\"mid\":\"0x1p-4\",\"rad\":\"0x0p+0\"}",
     "f: least separation unknown, was 2^-4.00000000000000;", NO_PAIRS},
    {"min_separation", "{\"mid\":\"nan\",\"rad\":\"0x0p+0\"}", "error: hex float", 0},
    {"min_separation", "{\"mid\":\"0x1p-4\"}", "error: rad", 0},
    {"max_ulp", "2.9999", "f: max_ulp 3, was 2.9999;", 0},
    {"max_ulp", "2.99998", "", 0},
    {"max_ulp", "3.1", "", 0},
    {"max_ulp", "\"nan\"", "error: max_ulp", 0},
    {"max_ulp", "null", "", NO_ERRORS},
    {"max_ulp", "1e9", "f: max_ulp unknown, was 1e+09;", NO_ERRORS},
    {"max_ulp", "1e9", "f: max_ulp unknown, was 1e+09;", INFINITE},
    {"relative_error", "{\"max\":0.49}", "f: relative_error 0.5, was 0.49;", 0},
    {"relative_error", "{\"max\":0.51}", "", 0},
    {"relative_error", "null", "", 0},
    {"relative_error", "{\"max\":null}", "", 0},
    {"weights_error", "{\"max\":0.24}", "f: weights_error 0.25, was 0.24;", 0},
    {"weights_error", "{\"max\":0.26}", "", 0},
    {"pairs", "{\"by_rounding\":1,\"merged\":2}", "f: 4 pairs not apart for certain, were 3;",
     0},
    {"pairs", "{\"by_rounding\":0,\"merged\":3}", "f: 4 pairs not apart for certain, were 3;",
     0},
    {"pairs", "{\"by_rounding\":4,\"merged\":0}", "", 0},
    {"pairs", "{\"by_rounding\":0,\"merged\":4}", "", 0},
    {"pairs", "{\"by_rounding\":4}", "error: merged", 0},
    {"pairs", "null", "", 0},
    {NULL, "", "f: relative_error unknown, was 0.5;f: weights_error unknown, was 0.25;",
     NO_MEASURES},
};

static void write_members(attest_json *json, const void *result)
{
    attest_json_write_object(json, NULL);
    attest_audit_write_result(json, result, (attest_place){0}, NULL, NULL);
    attest_json_write_close(json);
}

static void parse(attest_json_document *document, const char *text)
{
    if (!text || attest_json_document_parse(document, text, strlen(text), NULL, NULL))
        abort();
}

static void test_members(void)
{
    for (size_t i = 0; i < sizeof member_rows / sizeof *member_rows; i++) {
        const int unknown = member_rows[i].unknown;
        char text[TEXT], lines[TEXT], *now;
        attest_json_document document[2];
        attest_json_cursor root[2];
        attest_audit_result result;
        attest_audit_gate gate;
        attest_status status;
        attest_error error;

        make_result(&result, "bfloat16");
        result.has_separation = unknown != NO_PAIRS;
        result.has_errors = unknown != NO_ERRORS;
        if (unknown == INFINITE)
            result.errors.max_ulp.part = INFINITY;
        if (unknown == NO_MEASURES) {
            result.deviation.positions = 0;
            result.weights_error.max = NAN;
        }
        snprintf(text, sizeof text, "{%s}", members(member_rows[i].key, member_rows[i].value));
        now = attest_json_format(NULL, write_members, &result);
        parse(&document[0], now);
        parse(&document[1], text);
        for (int k = 0; k < 2; k++)
            root[k] = attest_json_root(&document[k]);
        gate = (attest_audit_gate){0};
        status = attest_audit_gate_format(&gate, &root[0], &root[1], "f", &error);
        join(lines, &gate, status, &error);
        TAP_OK(matches(lines, member_rows[i].lines), "%s %s: \"%s\"",
               member_rows[i].key ? member_rows[i].key : "all members", member_rows[i].value,
               lines);
        attest_audit_gate_clear(&gate);
        for (int k = 0; k < 2; k++)
            attest_json_document_clear(&document[k]);
        attest_audit_result_clear(&result);
        free(now);
    }
}

/* Appends the list of stored formats; the result of "NAME*" is better. */
static void append_formats(char text[BOOK], const char *names)
{
    char copy[TEXT], *at = NULL;
    size_t used = strlen(text);

    snprintf(copy, sizeof copy, "%s", names);
    for (char *name = strtok_r(copy, " ", &at); name; name = strtok_r(NULL, " ", &at)) {
        bool better = name[strlen(name) - 1] == '*';
        name[strlen(name) - better] = '\0';
        used += (size_t)snprintf(text + used, BOOK - used, "%s{\"name\":\"%s\",%s}",
                                 text[used - 1] == '[' ? "" : ",", name,
                                 members(better ? "saturated" : NULL, "6"));
    }
    snprintf(text + used, BOOK - used, "]");
}

/* Puts a record into a file. */
static void write_record(const char *path, const char *kind, const char *formats,
                         const char *rest)
{
    FILE *file = fopen(path, "w");
    char text[BOOK];

    snprintf(text, sizeof text, "{\"format\":\"attest/%s\",\"version\":1,\"formats\":[", kind);
    append_formats(text, formats);
    if (!file || fprintf(file, "%s%s}", text, rest) < 0 || fclose(file) != 0)
        abort();
}

/* The first is a record of another kind. */
static const struct {
    const char *formats, *rest;
    long bits; /* of the collapse now; 0: unknown */
    const char *lines;
} format_rows[] = {
    {"bfloat16", "", 10, "error: \"attest/audit\" is expected"},
    {"bfloat16", "", 10, ""},
    {"bfloat16* bfloat16", "", 10, "bfloat16: saturated 7, was 6;"},
    {"bfloat16 binary16*", "", 10, "binary16: saturated 9, was 6;"},
    {"binary16* bfloat16*", "", 10,
     "binary16: saturated 9, was 6;bfloat16: saturated 7, was 6;"},
    {"binary16", "", 10, "binary16: saturated 9, was 7;"},
    {"bfloat16 binary32", "", 10, "binary32: not audited any more;"},
    {"", "", 10, ""},
    {"bfloat16", ",\"collapse_bits\":10", 10, ""},
    {"bfloat16", ",\"collapse_bits\":11", 10, ""},
    {"bfloat16", ",\"collapse_bits\":9", 10, "collapse_bits: 10, was 9;"},
    {"bfloat16", ",\"collapse_bits\":null", 10, ""},
    {"bfloat16", ",\"collapse_bits\":9", 0, "collapse_bits: null, was 9;"},
    {"bfloat16", ",\"collapse_bits\":null", 0, ""},
    {"bfloat16", ",\"collapse_bits\":\"nan\"", 10, "error: collapse_bits"},
};

static void write_audit(attest_json *json, const void *audit)
{
    attest_json_write_object(json, NULL);
    attest_audit_write_members(json, audit, &(attest_audit_origin){.data = "data.json"});
    attest_json_write_close(json);
}

static void test_formats(const char *path)
{
    attest_audit_result result[2];
    attest_audit audit;
    attest_weights weights = {.heads = 0};

    attest_audit_init(&audit);
    make_result(&result[0], "bfloat16");
    make_result(&result[1], "binary16");
    result[1].saturated = 9;
    audit.formats = 2;
    audit.result = result;
    audit.weights = &weights;
    for (size_t i = 0; i < sizeof format_rows / sizeof *format_rows; i++) {
        char lines[TEXT];
        attest_audit_gate gate;
        attest_status status;
        attest_error error;

        write_record(path, i ? "audit" : "judgement", format_rows[i].formats,
                     format_rows[i].rest);
        audit.collapse.bits = format_rows[i].bits;
        gate = (attest_audit_gate){0};
        status = attest_audit_gate_check(&gate, write_audit, &audit, path, NULL, &error);
        join(lines, &gate, status, &error);
        TAP_OK(matches(lines, format_rows[i].lines) &&
                   (status == ATTEST_OK || strstr(lines, path)),
               "formats %s%s, %ld bits now: \"%s\"", format_rows[i].formats,
               format_rows[i].rest, format_rows[i].bits, lines);
        attest_audit_gate_clear(&gate);
    }
    audit.formats = 0;
    audit.result = NULL;
    attest_audit_clear(&audit);
    attest_audit_result_clear(&result[0]);
    attest_audit_result_clear(&result[1]);
}

/* Stored heads: layer, head and the formats of each. */
static const struct {
    const char *total, *heads, *lines;
} head_rows[] = {
    {"bfloat16 binary16", "", ""},
    {"bfloat16 binary16*", "", "binary16: saturated 7, was 6;"},
    {"binary32", "", "binary32: not audited any more;"},
    {"bfloat16", "0 1 bfloat16,3 0 bfloat16 binary16", ""},
    {"bfloat16", "3 0 bfloat16* binary16", "layer 3, head 0, bfloat16: saturated 7, was 6;"},
    {"bfloat16", "0 1 bfloat16 binary16*", "layer 0, head 1, binary16: saturated 9, was 6;"},
    {"bfloat16", "0 1 binary16", "layer 0, head 1, binary16: saturated 9, was 7;"},
    {"bfloat16", "3 0 binary32", "layer 3, head 0, binary32: not audited any more;"},
    {"bfloat16", "3 1 bfloat16", "layer 3, head 1: not audited any more;"},
    {"bfloat16", "1 0 bfloat16", "layer 1, head 0: not audited any more;"},
};

/* The cell of make_result. */
static void make_cell(attest_audit_cell *cell)
{
    attest_audit_result result;

    make_result(&result, "bfloat16");
    *cell = (attest_audit_cell){.nonfinite = 2,
                                .saturated = 7,
                                .deviation = result.deviation,
                                .weights_error = result.weights_error,
                                .pairs = {.by_rounding = 4}, /* merged ones are collisions */
                                .errors = result.errors};
    attest_audit_result_clear(&result);
}

/* Heads "LAYER HEAD FORMAT ..., ..." in a record. */
static void write_heads(const char *path, const char *total, const char *heads)
{
    char text[BOOK] = ",\"heads\":[", copy[TEXT], *at = NULL;

    snprintf(copy, sizeof copy, "%s", heads);
    for (char *one = strtok_r(copy, ",", &at); one; one = strtok_r(NULL, ",", &at)) {
        size_t used = strlen(text);
        int layer, head, skip;

        if (sscanf(one, "%d %d %n", &layer, &head, &skip) != 2)
            abort();
        snprintf(text + used, BOOK - used, "%s{\"layer\":%d,\"head\":%d,\"formats\":[",
                 text[used - 1] == '[' ? "" : ",", layer, head);
        append_formats(text, one + skip);
        used = strlen(text);
        snprintf(text + used, BOOK - used, "}");
    }
    strcat(text, "]");
    write_record(path, "audit", total, text);
}

static void write_audited_heads(attest_json *json, const void *heads)
{
    attest_json_write_object(json, NULL);
    attest_audit_heads_write(json, heads, &(attest_audit_origin){.data = "qkv.npz"});
    attest_json_write_close(json);
}

/* Two heads in two formats, and all together; the cell of layer 0, head 1 in binary16 has nine
 * saturated entries. */
static void test_heads(const char *path)
{
    attest_audit_head_place place[2] = {{0, 0, 1}, {1, 3, 0}};
    attest_simulated_arithmetic arithmetic[2] = {{.softmax = 0}};
    attest_audit_cell cell[4];
    attest_audit_heads_total total[2] = {{.worst = 0}};
    attest_qkv_source source = {.layers = 0};
    attest_audit_heads heads = {.source = &source,
                                .formats = 2,
                                .count = 2,
                                .place = place,
                                .arithmetic = arithmetic,
                                .cell = cell,
                                .total = total};

    if (attest_format_parse(&arithmetic[0].format, "bfloat16", NULL) != ATTEST_OK ||
        attest_format_parse(&arithmetic[1].format, "binary16", NULL) != ATTEST_OK)
        abort();
    has_separation = false;
    for (size_t i = 0; i < 4; i++)
        make_cell(&cell[i]);
    cell[1].saturated = 9;
    make_cell(&total[0].cell);
    make_cell(&total[1].cell);
    for (size_t i = 0; i < sizeof head_rows / sizeof *head_rows; i++) {
        char lines[TEXT];
        attest_audit_gate gate;
        attest_status status;
        attest_error error;

        write_heads(path, head_rows[i].total, head_rows[i].heads);
        gate = (attest_audit_gate){0};
        status =
            attest_audit_gate_check(&gate, write_audited_heads, &heads, path, NULL, &error);
        join(lines, &gate, status, &error);
        TAP_OK(matches(lines, head_rows[i].lines), "formats %s, heads %s: \"%s\"",
               head_rows[i].total, head_rows[i].heads, lines);
        attest_audit_gate_clear(&gate);
    }
    {
        attest_audit_gate gate;
        attest_error error;

        write_record(path, "audit", "bfloat16", "");
        gate = (attest_audit_gate){0};
        TAP_OK(attest_audit_gate_check(&gate, write_audited_heads, &heads, path, NULL,
                                       &error) == ATTEST_FORMAT &&
                   strstr(error.text, path) && strstr(error.text, "heads"),
               "a record without heads: %s", error.text);
        attest_audit_gate_clear(&gate);
    }
}

TEST(gate)
{
    char path[] = "t-audit-gate-XXXXXX";
    int file = mkstemp(path);

    if (file < 0)
        abort();
    close(file);
    test_members();
    test_formats(path);
    test_heads(path);
    unlink(path);
    flint_cleanup();
    return 0;
}
