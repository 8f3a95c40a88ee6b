/* show.c -- attest show: everything the registry says of one statement, or of one property; a
 * kernel model; a word of the glossary. */
#include <stdio.h>
#include <string.h>

#include "cli/names.h"
#include "cli/show.h"
#include "io/json_write.h"
#include "props/properties.h"
#include "props/statement.h"
#include "report/glossary.h"
#include "report/paint.h"

enum { INDENT = 2 };

static int run(int argc, char **argv);

const attest_command attest_command_show = {
    .name = "show",
    .arguments = "NAME | kernels | kernel MODEL [OPTION]...",
    .summary = "show a statement and how far it is proved; explain a word",
    .details = "NAME is a statement or a property ('attest list'), or a word of the glossary:\n"
               "delta, required-pair, separation, ulp and others.\n"
               "'show kernels' lists the kernel models that are shipped; 'show kernel MODEL' "
               "shows one, or the one in a file, with all that it leaves to defaults.",
    .example = "  attest show lemma_f\n  attest show theorem1-search\n  attest show kernel "
               "bf16-flash2",
    .run = run,
};

static void print_heading(const char *heading)
{
    attest_print("\n");
    attest_paint_print(stdout, ATTEST_PAINT_HEADING, heading);
    attest_print("\n");
}

static void print_part(const char *heading, const char *text)
{
    print_heading(heading);
    attest_print("%*s", INDENT, "");
    attest_cli_print_wrapped(text, INDENT);
}

static void print_named(const char *name, const char *text)
{
    enum { COLUMN = 18 };

    attest_print("%*s%-*s ", INDENT, "", COLUMN - INDENT - 1, name);
    if (strlen(name) >= COLUMN - INDENT)
        attest_print("\n%*s", COLUMN, "");
    attest_cli_print_wrapped(text, COLUMN);
}

static void print_property(const attest_property *p)
{
    attest_print("%*s%s\n%*s", INDENT, "", p->name, 2 * INDENT, "");
    attest_cli_print_wrapped(p->title, 2 * INDENT);
    attest_print("%*s%zu trials by default%s%s\n", 2 * INDENT, "", p->trials,
                 p->expect_violation ? "; a violation must be found" : "",
                 p->arithmetic ? "; takes --number" : "");
    for (const attest_droppable *d = p->droppable; d && d->name; d++)
        attest_print("%*s--without %s%s\n", 2 * INDENT, "", d->name,
                     d->carries ? ": a violation is found" : ": it is not needed, and none is");
}

static void print_statement(const attest_statement *s)
{
    bool tested = false;

    attest_print("%s\n", s->title);
    attest_cli_print_wrapped(s->source, 0);
    print_part("Statement", s->text);
    if (s->hypotheses)
        print_heading("Hypotheses");
    for (const attest_hypothesis *h = s->hypotheses; h && h->name; h++)
        print_named(h->name, h->text);
    if (s->constants)
        print_heading("Constants");
    for (const attest_constant *c = s->constants; c && c->name; c++)
        print_named(c->name, c->text);
    print_part("Decided by", s->decided_by);
    print_part("Proved on paper", s->note ? s->note : "no note yet");
    print_part("Checked by machine", s->machine ? s->machine : "no");
    print_heading("Tested by");
    for (size_t p = 0; attest_properties[p]; p++) {
        if (strcmp(attest_properties[p]->statement, s->name) == 0) {
            print_property(attest_properties[p]);
            tested = true;
        }
    }
    if (!tested)
        attest_print("%*sno property\n", INDENT, "");
}

static void write_property(attest_json *json, const attest_property *p)
{
    attest_json_write_string(json, "property", p->name);
    attest_json_write_string(json, "title", p->title);
    attest_json_write_count(json, "trials", p->trials);
    attest_json_write_bool(json, "expect_violation", p->expect_violation);
    attest_json_write_bool(json, "arithmetic", p->arithmetic);
    attest_json_write_bool(json, "targeted", p->targeted);
    attest_json_write_object(json, "without");
    for (const attest_droppable *d = p->droppable; d && d->name; d++)
        attest_json_write_bool(json, d->name, d->carries);
    attest_json_write_close(json);
}

static void write_statement(attest_json *json, const attest_statement *s)
{
    attest_json_write_string(json, "source", s->source);
    attest_json_write_string(json, "statement", s->text);
    attest_json_write_object(json, "hypotheses");
    for (const attest_hypothesis *h = s->hypotheses; h && h->name; h++)
        attest_json_write_string(json, h->name, h->text);
    attest_json_write_close(json);
    attest_json_write_object(json, "constants");
    for (const attest_constant *c = s->constants; c && c->name; c++)
        attest_json_write_string(json, c->name, c->text);
    attest_json_write_close(json);
    attest_json_write_string(json, "decided_by", s->decided_by);
    attest_json_write_string(json, "note", s->note);
    attest_json_write_string(json, "machine", s->machine);
}

/* Of a statement with all its properties, or of one property. */
static int print_json(const attest_statement *s, const attest_property *only)
{
    attest_json json;

    attest_json_write_begin(&json, stdout);
    attest_json_write_object(&json, NULL);
    attest_json_write_string(&json, "name", only ? only->name : s->name);
    attest_json_write_string(&json, "title", only ? only->title : s->title);
    write_statement(&json, s);
    attest_json_write_array(&json, "tested");
    for (size_t p = 0; attest_properties[p]; p++) {
        if (only ? attest_properties[p] == only
                 : strcmp(attest_properties[p]->statement, s->name) == 0) {
            attest_json_write_object(&json, NULL);
            write_property(&json, attest_properties[p]);
            attest_json_write_close(&json);
        }
    }
    attest_json_write_close(&json);
    attest_json_write_close(&json);
    return attest_cli_end_json(&json, EXIT_HOLDS);
}

static void print_text(const attest_statement *s, const attest_property *only)
{
    if (!only) {
        print_statement(s);
        return;
    }
    attest_print("Property\n");
    print_property(only);
    attest_print("\nIt tests\n");
    print_named(s->name, s->title);
    print_part("Decided by", s->decided_by);
}

/* A word of the glossary. */
static int show_term(const char *name, const attest_common *common)
{
    const attest_term *term = attest_glossary_get(name);
    attest_json json;

    if (!term)
        return attest_cli_refuse_name("name", name, attest_names_statements, NULL,
                                      "attest list");
    if (!common->json) {
        print_named(term->name, term->text);
        if (term->see)
            attest_print("\nSee %s.\n", term->see);
        return EXIT_HOLDS;
    }
    attest_json_write_begin(&json, stdout);
    attest_json_write_object(&json, NULL);
    attest_json_write_string(&json, "name", term->name);
    attest_json_write_string(&json, "text", term->text);
    attest_json_write_string(&json, "see", term->see);
    attest_json_write_close(&json);
    return attest_cli_end_json(&json, EXIT_HOLDS);
}

static int run(int argc, char **argv)
{
    const attest_property *property = NULL;
    const attest_statement *statement;
    const attest_term *term;
    attest_common common;
    char **operands;
    size_t count;
    int code = attest_cli_parse(&attest_command_show, &common, NULL, argc, argv, 1, 2,
                                &operands, &count);

    if (code != EXIT_HOLDS)
        return code;
    if (count == 2 && strcmp(operands[0], "kernel") == 0)
        return attest_cli_show_kernel(operands[1], &common);
    if (count == 2)
        return attest_cli_refuse("%s: one name is enough, unless the first is kernel",
                                 operands[1]);
    if (strcmp(operands[0], "kernels") == 0)
        return attest_cli_show_kernels(&common);
    statement = attest_statement_get(operands[0]);
    if (!statement) {
        property = attest_property_get(operands[0]);
        statement = property ? attest_statement_get(property->statement) : NULL;
    }
    if (!statement)
        return show_term(operands[0], &common);
    if (common.json)
        return print_json(statement, property);
    term = attest_glossary_get(operands[0]);
    if (term) { /* a statement whose name is a word, too: the word first */
        print_named(term->name, term->text);
        attest_print("\n");
    }
    print_text(statement, property);
    return EXIT_HOLDS;
}
