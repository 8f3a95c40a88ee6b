/* show.c -- attest show: lists the statements and properties; prints a statement, a property, a
 * kernel model or a word of the glossary. */
#include <stdio.h>
#include <string.h>

#include <attest/judge.h>

#include "base/text.h"
#include "cli/command.h"
#include "cli/terminal.h"
#include "io/json_write.h"
#include "judge/model_field.h"
#include "props/registry.h"
#include "report/glossary.h"
#include "report/print.h"

enum { INDENT = 2, KERNEL_COLUMN = 11 };

static int run(int argc, char **argv);

const attest_command attest_command_show = {
    .name = "show",
    .arguments = "[NAME | kernels | kernel MODEL] [OPTION]...",
    .summary = "list or show statements, properties, kernel models and words",
    .details =
        "Without NAME: lists the statements and properties. NAME is one of them, or a word of\n"
        "the glossary: delta, required-pair, separation, ulp and others. A statement is shown\n"
        "with its hypotheses, its constants, and how far it is proved. 'show kernels' lists\n"
        "the shipped kernel models; 'show kernel MODEL' shows a shipped one, or that of a "
        "file,\n"
        "with the default values of the members that it leaves out.",
    .example = "  attest show\n  attest show lemma_f\n  attest show theorem1-search\n"
               "  attest show kernel bf16-flash2",
    .run = run,
};

/* The members name and title. */
static void write_title(attest_json *json, const char *name, const char *title)
{
    attest_json_write_string(json, "name", name);
    attest_json_write_string(json, "title", title);
}

static void write_kernels(attest_json *json)
{
    attest_json_write_array(json, "kernels");
    for (const attest_judge_shipped *s = attest_judge_model_shipped; s->name; s++) {
        attest_json_write_object(json, NULL);
        write_title(json, s->name, s->comment);
        attest_json_write_close(json);
    }
    attest_json_write_close(json);
}

static int list_json(void)
{
    attest_json json;

    attest_json_write_begin(&json, stdout);
    attest_json_write_object(&json, NULL);
    attest_json_write_format(&json, "attest/registry");
    attest_json_write_array(&json, "statements");
    for (size_t i = 0; attest_statements[i]; i++) {
        attest_json_write_object(&json, NULL);
        write_title(&json, attest_statements[i]->name, attest_statements[i]->title);
        attest_json_write_close(&json);
    }
    attest_json_write_close(&json);
    attest_json_write_array(&json, "properties");
    for (size_t i = 0; attest_properties[i]; i++) {
        attest_json_write_object(&json, NULL);
        write_title(&json, attest_properties[i]->name, attest_properties[i]->title);
        attest_json_write_string(&json, "statement", attest_properties[i]->statement);
        attest_json_write_close(&json);
    }
    attest_json_write_close(&json);
    write_kernels(&json);
    attest_json_write_array(&json, "glossary");
    for (const attest_term *term = attest_glossary; term->name; term++) {
        attest_json_write_object(&json, NULL);
        attest_json_write_string(&json, "name", term->name);
        attest_json_write_string(&json, "text", term->text);
        attest_json_write_string(&json, "see", term->see);
        attest_json_write_close(&json);
    }
    attest_json_write_close(&json);
    attest_json_write_close(&json);
    return attest_cli_end_json(&json, EXIT_HOLDS);
}

/* Lists every statement and, below it, its properties of other names. */
static void list_text(void)
{
    for (size_t i = 0; attest_statements[i]; i++) {
        const char *name = attest_statements[i]->name;

        attest_print("%-22s %s\n", name, attest_statements[i]->title);
        for (size_t p = 0; attest_properties[p]; p++)
            if (strcmp(attest_properties[p]->statement, name) == 0 &&
                strcmp(attest_properties[p]->name, name) != 0)
                attest_print("%-22s   property: %s\n", attest_properties[p]->name,
                             attest_properties[p]->title);
    }
}

static int list(const attest_common *common)
{
    if (common->json)
        return list_json();
    list_text();
    attest_cli_print_hint(common,
                          "next: 'attest show NAME' prints the statement and its proofs, "
                          "'attest campaign NAME' tests it");
    return EXIT_HOLDS;
}

static int list_kernels_json(void)
{
    attest_json json;

    attest_json_write_begin(&json, stdout);
    attest_json_write_object(&json, NULL);
    attest_json_write_format(&json, "attest/registry");
    write_kernels(&json);
    attest_json_write_close(&json);
    return attest_cli_end_json(&json, EXIT_HOLDS);
}

static int list_kernels(const attest_common *common)
{
    enum { NAMES = 23 };

    if (common->json)
        return list_kernels_json();
    for (const attest_judge_shipped *s = attest_judge_model_shipped; s->name; s++) {
        attest_print("%-*s", NAMES, s->name);
        attest_cli_print_wrapped(s->comment, NAMES);
    }
    return EXIT_HOLDS;
}

/* Returns whether a variant before this one has the same group of members. */
static bool is_repeated(const attest_judge_model *model, size_t variant, size_t first,
                        size_t count)
{
    for (size_t v = 0; v < variant; v++)
        if (attest_judge_field_equal_group(first, count, model->variant + v,
                                           model->variant + variant))
            return true;
    return false;
}

/* "key value, key value, ..." */
static void print_members(const attest_judge_field *field, size_t count, const void *values)
{
    char line[512] = "";

    for (size_t f = 0; f < count; f++) {
        char buffer[ATTEST_JUDGE_FIELD_SIZE];
        size_t used = strlen(line);
        bool quoted;

        snprintf(line + used, sizeof line - used, "%s%s %s", f ? ", " : "", field[f].key,
                 attest_judge_field_get_text(&quoted, buffer, field + f, values));
    }
    attest_cli_print_wrapped(line, KERNEL_COLUMN);
}

/* A group of members; the alternatives of the variants below each other. */
static void print_group(const attest_judge_model *model, size_t first, size_t count)
{
    for (size_t v = 0; v < model->variants; v++) {
        if (is_repeated(model, v, first, count))
            continue;
        attest_print("%*s%-*s", 2, "", KERNEL_COLUMN - 2,
                     v ? "   or" : attest_judge_fields[first].group);
        print_members(attest_judge_fields + first, count, model->variant + v);
    }
}

static void print_kernel(const attest_judge_model *model)
{
    attest_text comment;

    attest_print("%s", model->name);
    attest_print("\n");
    attest_text_init(&comment);
    if (model->comment)
        attest_escape_terminal(&comment, model->comment, strlen(model->comment));
    if (model->comment)
        attest_cli_print_wrapped(attest_or_exit(comment.failed ? NULL : comment.data), 0);
    attest_text_clear(&comment);
    attest_print("\n");
    for (size_t f = 0; f < ATTEST_JUDGE_FIELDS; f += attest_judge_field_count_group(f))
        print_group(model, f, attest_judge_field_count_group(f));
    for (size_t i = 0; i < model->schedules; i++) {
        attest_print("%*s%-*s", 2, "", KERNEL_COLUMN - 2, "schedule");
        print_members(attest_judge_schedule_fields, ATTEST_JUDGE_SCHEDULE_FIELDS,
                      model->schedule + i);
    }
    if (model->variants > 1)
        attest_print("\n%zu combinations\n", model->variants);
}

static int show_kernel(const char *name, const attest_common *common)
{
    attest_judge_model *model;
    attest_error error;
    attest_json json;
    int code = EXIT_HOLDS;

    if (attest_judge_model_load(&model, name, &error))
        return attest_cli_fail_input(&error);
    if (common->json) {
        attest_json_write_begin(&json, stdout);
        attest_judge_model_write_json(&json, NULL, model);
        code = attest_cli_end_json(&json, code);
    } else {
        print_kernel(model);
    }
    attest_judge_model_free(model);
    return code;
}

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

/* A statement with all its properties, or only one property. */
static int print_json(const attest_statement *s, const attest_property *only)
{
    attest_json json;

    attest_json_write_begin(&json, stdout);
    attest_json_write_object(&json, NULL);
    attest_json_write_format(&json, "attest/statement");
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
                                      "attest show");
    if (!common->json) {
        print_named(term->name, term->text);
        if (term->see)
            attest_print("\nSee %s.\n", term->see);
        return EXIT_HOLDS;
    }
    attest_json_write_begin(&json, stdout);
    attest_json_write_object(&json, NULL);
    attest_json_write_format(&json, "attest/term");
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

    ATTEST_CLI_TRY(attest_cli_parse(&attest_command_show, &common, NULL, argc, argv, 0, 2,
                                    &operands, &count));
    if (count == 2 && strcmp(operands[0], "kernel") == 0)
        return show_kernel(operands[1], &common);
    if (count == 2)
        return attest_cli_refuse("%s: one name is enough, unless the first is kernel",
                                 operands[1]);
    if (count == 0)
        return list(&common);
    if (strcmp(operands[0], "kernels") == 0)
        return list_kernels(&common);
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
    if (term) { /* a statement with the name of a word of the glossary: print the word first */
        print_named(term->name, term->text);
        attest_print("\n");
    }
    print_text(statement, property);
    return EXIT_HOLDS;
}
