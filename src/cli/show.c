/* show.c -- attest show: everything the registry says of one statement. */
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "data/json_write.h"
#include "props/statement.h"

enum { WIDTH = 78, INDENT = 2 };

static int run(int argc, char **argv);

const attest_command attest_command_show = {
    .name = "show",
    .arguments = "NAME [OPTION]...",
    .summary = "show a statement, its hypotheses, and how far it is proved",
    .example = "  attest show lemma_f",
    .run = run,
};

/* Prints the text in lines of WIDTH, broken at spaces, each behind indent spaces; the cursor
 * already stands in that column. */
static void print_wrapped(const char *text, int indent)
{
    int column = indent;

    while (*text) {
        int word = (int)strcspn(text, " ");
        if (column > indent && column + 1 + word > WIDTH) {
            printf("\n%*s", indent, "");
            column = indent;
        } else if (column > indent) {
            putchar(' ');
            column++;
        }
        printf("%.*s", word, text);
        column += word;
        text += word;
        text += strspn(text, " ");
    }
    putchar('\n');
}

static void print_part(const char *heading, const char *text)
{
    printf("\n%s\n%*s", heading, INDENT, "");
    print_wrapped(text, INDENT);
}

static void print_named(const char *name, const char *text)
{
    enum { COLUMN = 18 };

    printf("%*s%-*s ", INDENT, "", COLUMN - INDENT - 1, name);
    if (strlen(name) >= COLUMN - INDENT)
        printf("\n%*s", COLUMN, "");
    print_wrapped(text, COLUMN);
}

static void print_text(const attest_statement *s)
{
    printf("%s\n", s->title);
    print_wrapped(s->source, 0);
    print_part("Statement", s->text);
    if (s->hypotheses)
        printf("\nHypotheses\n");
    for (const attest_hypothesis *h = s->hypotheses; h && h->name; h++)
        print_named(h->name, h->text);
    if (s->constants)
        printf("\nConstants\n");
    for (const attest_constant *c = s->constants; c && c->name; c++)
        print_named(c->name, c->text);
    print_part("Decided by", s->decided_by);
    print_part("Proved on paper", s->note ? s->note : "no note yet");
    print_part("Checked by machine", s->machine ? s->machine : "no");
}

static void print_json(const attest_statement *s)
{
    attest_json json;

    attest_json_write_begin(&json, stdout);
    attest_json_write_object(&json, NULL);
    attest_json_write_string(&json, "name", s->name);
    attest_json_write_string(&json, "title", s->title);
    attest_json_write_string(&json, "source", s->source);
    attest_json_write_string(&json, "statement", s->text);
    attest_json_write_object(&json, "hypotheses");
    for (const attest_hypothesis *h = s->hypotheses; h && h->name; h++)
        attest_json_write_string(&json, h->name, h->text);
    attest_json_write_close(&json);
    attest_json_write_object(&json, "constants");
    for (const attest_constant *c = s->constants; c && c->name; c++)
        attest_json_write_string(&json, c->name, c->text);
    attest_json_write_close(&json);
    attest_json_write_string(&json, "decided_by", s->decided_by);
    attest_json_write_string(&json, "note", s->note);
    attest_json_write_string(&json, "machine", s->machine);
    attest_json_write_close(&json);
    attest_json_write_end(&json);
}

static int run(int argc, char **argv)
{
    const attest_statement *statement;
    attest_common common;
    char **operands;
    size_t count;
    int code = attest_cli_parse(&attest_command_show, &common, NULL, argc, argv, 1, 1,
                                &operands, &count);

    if (code != EXIT_HOLDS)
        return code;
    statement = attest_statement_get(operands[0]);
    if (!statement)
        return attest_cli_refuse("%s: no such statement ('attest list' lists them)",
                                 operands[0]);
    if (common.json)
        print_json(statement);
    else
        print_text(statement);
    return EXIT_HOLDS;
}
