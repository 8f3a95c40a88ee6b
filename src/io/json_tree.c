/* json_tree.c -- a JSON text as a tree: values inside one another. */
#include "io/json_tree.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "io/json_parser.h"

typedef attest_json_parser parser;

/* Every value or key but the outermost value follows a comma, a colon or an opening bracket of
 * its own. Those in strings are counted too, which does no harm. */
static size_t bound_nodes(const char *text, size_t size)
{
    static const unsigned char leads[256] = {[','] = 1, [':'] = 1, ['['] = 1, ['{'] = 1};
    size_t nodes = 1;

    for (size_t i = 0; i < size; i++)
        nodes += leads[(unsigned char)text[i]];
    return nodes;
}

static void skip_space(parser *p)
{
    while (p->at < p->end &&
           (*p->at == ' ' || *p->at == '\n' || *p->at == '\r' || *p->at == '\t'))
        p->at++;
}

/* Takes the character if it comes next, after white space. */
static bool take(parser *p, char wanted)
{
    skip_space(p);
    if (p->at == p->end || *p->at != wanted)
        return false;
    p->at++;
    return true;
}

/* Something else stands here: part of another value, the end, or a stray character. */
static attest_status expect(parser *p, const char *what)
{
    if (p->at == p->end)
        return attest_json_parser_fail(p, "the text ends too early");
    if (*p->at && strchr("{}[],\"-0123456789", *p->at))
        return attest_json_parser_fail(p, what);
    return attest_json_parser_refuse(p);
}

/* The nodes that came last become the children of a new one. They wait in the order of a pile,
 * the last one first. */
static attest_status close_node(parser *p, attest_json_kind kind, size_t count, size_t children)
{
    attest_json_node *child = p->settled;
    attest_status status;

    memmove(child, p->waiting, children * sizeof *child);
    p->settled += children;
    p->waiting += children;
    for (size_t i = 0; i < children / 2; i++) {
        attest_json_node node = child[i];
        child[i] = child[children - 1 - i];
        child[children - 1 - i] = node;
    }
    status = attest_json_parser_add(p, kind, NULL, count);
    if (status == ATTEST_OK)
        p->waiting->child = child;
    return status;
}

static attest_status take_value(parser *p);

static attest_status take_array(parser *p)
{
    size_t count = 0;

    p->at++;
    if (!take(p, ']')) {
        do {
            attest_status status = take_value(p);
            if (status != ATTEST_OK)
                return status;
            count++;
        } while (take(p, ','));
        if (!take(p, ']'))
            return expect(p, "',' or ']' is expected");
    }
    return close_node(p, ATTEST_JSON_ARRAY, count, count);
}

static attest_status take_member(parser *p)
{
    attest_status status;

    skip_space(p);
    if (p->at == p->end || *p->at != '"')
        return expect(p, "a key in double quotes is expected");
    status = attest_json_parser_take_string(p);
    if (status == ATTEST_OK && !take(p, ':'))
        return expect(p, "':' is expected");
    return status == ATTEST_OK ? take_value(p) : status;
}

static attest_status take_object(parser *p)
{
    size_t count = 0;

    p->at++;
    if (!take(p, '}')) {
        do {
            attest_status status = take_member(p);
            if (status != ATTEST_OK)
                return status;
            count++;
        } while (take(p, ','));
        if (!take(p, '}'))
            return expect(p, "',' or '}' is expected");
    }
    return close_node(p, ATTEST_JSON_OBJECT, count, 2 * count);
}

/* An array or object. The depth bounds the recursion. */
static attest_status take_inner(parser *p)
{
    attest_status status;

    if (p->depth == ATTEST_JSON_MAX_DEPTH)
        return attest_json_parser_fail(p, "nested more than 32 deep");
    p->depth++;
    status = *p->at == '[' ? take_array(p) : take_object(p);
    p->depth--;
    return status;
}

static attest_status take_value(parser *p)
{
    attest_status status;

    skip_space(p);
    if (p->at == p->end)
        return attest_json_parser_fail(p, p->depth ? "the text ends too early"
                                                   : "there is no JSON text");
    switch (*p->at) {
    case '{':
    case '[':
        return take_inner(p);
    case '"':
        status = attest_json_parser_take_string(p);
        if (status == ATTEST_OK)
            attest_json_parser_count_number(p);
        return status;
    case '-':
    case '0':
    case '1':
    case '2':
    case '3':
    case '4':
    case '5':
    case '6':
    case '7':
    case '8':
    case '9':
        return attest_json_parser_take_number(p);
    default:
        return attest_json_parser_take_word(p);
    }
}

static attest_status take_text(parser *p)
{
    attest_status status;

    if (p->end - p->at >= 3 && memcmp(p->at, "\xEF\xBB\xBF", 3) == 0)
        return attest_json_parser_fail(p, "a byte order mark (save the file without it)");
    status = take_value(p);
    skip_space(p);
    if (status != ATTEST_OK || p->at == p->end)
        return status;
    if (p->waiting->kind != ATTEST_JSON_OBJECT)
        return attest_json_parser_refuse(p);
    return attest_json_parser_fail(p, "there is text after the end of the object");
}

attest_status attest_json_tree_parse(attest_json_tree *tree, const char *text, size_t size,
                                     attest_budget *budget, attest_error *error)
{
    parser p = {.begin = text, .at = text, .end = text + size, .error = error};
    size_t nodes = bound_nodes(text, size);
    /* A string loses two quotes and gets a zero byte, and escapes are longer than what they
     * stand for. A number gets one too; so does not what follows it, but for the text's end. */
    size_t bytes = nodes * sizeof(attest_json_node) + size + 1;
    attest_status status = attest_budget_charge(budget, bytes, error);

    memset(tree, 0, sizeof *tree);
    if (status != ATTEST_OK)
        return status;
    tree->bytes = bytes;
    tree->block = p.settled = attest_memory_alloc(bytes, 1);
    if (tree->block) {
        p.waiting = p.settled + nodes;
        p.text = (char *)(p.settled + nodes);
        status = take_text(&p);
    } else {
        status = attest_memory_fail(error);
    }
    tree->root = p.waiting;
    tree->numbers = p.numbers;
    if (status != ATTEST_OK)
        attest_json_tree_clear(tree, budget);
    return status;
}

void attest_json_tree_clear(attest_json_tree *tree, attest_budget *budget)
{
    free(tree->block);
    attest_budget_give_back(budget, tree->bytes);
    memset(tree, 0, sizeof *tree);
}
