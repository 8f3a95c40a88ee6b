/* json_tree.c -- reads a JSON text as a tree. */
#include "io/json_tree.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <attest/number.h>

#include "base/memory.h"
#include "base/scope.h"
#include "base/text.h"

typedef attest_json_parser parser;

/* Sets the error "line L, column C: what" for the current position. */
static attest_status fail(parser *p, const char *what)
{
    size_t line = 1, column = 1;

    for (const char *c = p->begin; c < p->at; c++) {
        if (*c == '\n') {
            line++;
            column = 1;
        } else if ((*c & 0xC0) != 0x80) {
            column++;
        }
    }
    return attest_error_set(p->error, ATTEST_FORMAT, "line %zu, column %zu: %s", line, column,
                            what);
}

/* A hint for a frequent mistake, to be appended to the error for an unexpected character. */
static const char *hint(const parser *p)
{
    const char *before = p->at;

    while (before > p->begin && strchr(" \t\r\n", before[-1]))
        before--;
    if (*p->at == '\'')
        return ": strings stand in double quotes";
    if (before == p->begin)
        return ": this is not JSON text";
    if (strchr("]}", *p->at) && before[-1] == ',')
        return ": the comma before it is one too many";
    return "";
}

/* Sets the error of an unexpected character at the current position. */
static attest_status fail_at_character(parser *p)
{
    char character[8], what[80];
    size_t length = attest_utf8_length((const unsigned char *)p->at, (size_t)(p->end - p->at));

    if (*p->at == '\0')
        return fail(p, "a zero byte");
    attest_escape_excerpt(character, sizeof character, p->at, length ? length : 1);
    snprintf(what, sizeof what, "unexpected character '%s'%s", character, hint(p));
    return fail(p, what);
}

/* Pushes a new node. Status: FORMAT (no room: the bytes differ from those that were counted,
 * which happens when another program writes to a mapped file in the meantime). */
static attest_status push(parser *p, attest_json_kind kind, const char *text, size_t count)
{
    if (p->waiting == p->settled)
        return fail(p, "the text changes while it is read");
    *--p->waiting = (attest_json_node){{text}, kind, count};
    return ATTEST_OK;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Adds the size of the last node to p->numbers if number.h can read it, in quotes or not;
 * other text is rejected where it is used. Domain: a string or number. */
static void count_number(parser *p)
{
    const attest_json_node *node = p->waiting;
    char first = node->text[0];
    size_t bytes;

    /* Only text that begins like a number can be one. The sum cannot overflow: no number takes
     * more than 2^20 bytes. */
    if ((is_digit(first) || first == '-' || first == '.') &&
        attest_number_bound_size(&bytes, node->text, node->count, NULL) == ATTEST_OK)
        p->numbers += bytes;
}

static const char *skip_digits(const parser *p, const char *at)
{
    while (at < p->end && is_digit(*at))
        at++;
    return at;
}

/* Matches -?(0|[1-9][0-9]*)(.[0-9]+)?([eE][+-]?[0-9]+)? at the current position and sets *end;
 * returns NULL, or what is wrong. */
static const char *find_number(const char **end, const parser *p)
{
    const char *first = p->at + (*p->at == '-'), *at = skip_digits(p, first), *digits;

    if (at == first && at < p->end && *at && strchr("NnIi", *at))
        return "this is not a finite number";
    if (at == first || (*first == '0' && at > first + 1))
        return "this is not a JSON number (write other numbers as strings)";
    if (at < p->end && *at == '.') {
        digits = at + 1;
        at = skip_digits(p, digits);
        if (at == digits)
            return "this is not a JSON number (digits must follow the point)";
    }
    if (at < p->end && (*at == 'e' || *at == 'E')) {
        digits = at + 1;
        if (digits < p->end && (*digits == '+' || *digits == '-'))
            digits++;
        at = skip_digits(p, digits);
        if (at == digits)
            return "this is not a JSON number (its exponent has no digits)";
    }
    *end = at;
    return NULL;
}

attest_status attest_json_parser_take_number(parser *p)
{
    const char *end = NULL, *wrong = find_number(&end, p);
    size_t length;

    if (wrong)
        return fail(p, wrong);
    length = (size_t)(end - p->at);
    memcpy(p->text, p->at, length);
    p->text[length] = '\0';
    ATTEST_TRY(push(p, ATTEST_JSON_NUMBER, p->text, length));
    count_number(p);
    p->text += length + 1;
    p->at = end;
    return ATTEST_OK;
}

attest_status attest_json_parser_take_word(parser *p)
{
    static const struct {
        const char *text;
        attest_json_kind kind;
    } word[] = {
        {"null", ATTEST_JSON_NULL}, {"false", ATTEST_JSON_FALSE}, {"true", ATTEST_JSON_TRUE}};

    for (size_t i = 0; i < sizeof word / sizeof word[0]; i++) {
        size_t length = strlen(word[i].text);
        if ((size_t)(p->end - p->at) >= length && memcmp(p->at, word[i].text, length) == 0) {
            p->at += length;
            return push(p, word[i].kind, word[i].text, length);
        }
    }
    if (*p->at && strchr("NnIi", *p->at))
        return fail(p, "this is not a finite number");
    return fail_at_character(p);
}

/* Strings. */

/* Returns whether the byte is copied as it is: printable ASCII except for quote and backslash.
 */
static bool is_plain(char c)
{
    return (unsigned char)c >= 0x20 && (unsigned char)c < 0x80 && c != '"' && c != '\\';
}

/* The value of the four hexadecimal digits at text[0..4), or -1. */
static long hex_value(const char *text)
{
    long value = 0;

    for (int i = 0; i < 4; i++) {
        char c = text[i];
        long digit = c >= '0' && c <= '9'   ? c - '0'
                     : c >= 'a' && c <= 'f' ? c - 'a' + 10
                     : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                            : -1;
        if (digit < 0)
            return -1;
        value = 16 * value + digit;
    }
    return value;
}

/* The value of \uXXXX at an offset from the current position, or -1. */
static long escape_value(const parser *p, size_t offset)
{
    const char *at = p->at + offset;

    if ((size_t)(p->end - p->at) < offset + 6 || at[0] != '\\' || at[1] != 'u')
        return -1;
    return hex_value(at + 2);
}

static bool is_high_surrogate(long value)
{
    return value >= 0xD800 && value < 0xDC00;
}

static bool is_low_surrogate(long value)
{
    return value >= 0xDC00 && value < 0xE000;
}

/* Decodes \uXXXX, or a surrogate pair of them, to p->text. */
static attest_status take_unicode(parser *p)
{
    long value = escape_value(p, 0), low;
    size_t length = 6;

    if (value < 0)
        return fail(p, "a bad escape in a string");
    if (value == 0)
        return fail(p, "\\u0000 in a string");
    if (is_high_surrogate(value) && is_low_surrogate(low = escape_value(p, 6))) {
        value = 0x10000 + (value - 0xD800) * 0x400 + (low - 0xDC00);
        length = 12;
    } else if (is_high_surrogate(value) || is_low_surrogate(value)) {
        return fail(p, "half a surrogate pair in a string");
    }
    p->text += attest_utf8_write(p->text, (uint32_t)value);
    p->at += length;
    return ATTEST_OK;
}

/* Decodes the escape sequence at the current position. */
static attest_status take_escape(parser *p)
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    char letter = p->end - p->at >= 2 ? p->at[1] : '\0';
    const char *found = letter ? strchr(from, letter) : NULL;

    if (!found)
        return take_unicode(p);
    *p->text++ = to[found - from];
    p->at += 2;
    return ATTEST_OK;
}

/* Copies a character of more than one byte. */
static attest_status take_character(parser *p)
{
    size_t length = attest_utf8_length((const unsigned char *)p->at, (size_t)(p->end - p->at));

    if ((unsigned char)*p->at < 0x20)
        return fail(p, "a control character in a string");
    if (length == 0)
        return fail(p, "this is not UTF-8");
    memcpy(p->text, p->at, length);
    p->text += length;
    p->at += length;
    return ATTEST_OK;
}

attest_status attest_json_parser_take_string(parser *p)
{
    char *text = p->text;

    p->at++;
    for (;;) {
        while (p->at < p->end && is_plain(*p->at))
            *p->text++ = *p->at++;
        if (p->at == p->end)
            return fail(p, "the text ends inside a string");
        if (*p->at == '"')
            break;
        ATTEST_TRY(*p->at == '\\' ? take_escape(p) : take_character(p));
    }
    *p->text++ = '\0';
    p->at++;
    return push(p, ATTEST_JSON_STRING, text, (size_t)(p->text - 1 - text));
}

/* Arrays and objects. */

/* Returns an upper bound of the number of nodes: every value or key but the outermost value
 * follows a comma, a colon or an opening bracket of its own. Those in strings are counted too.
 */
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

/* Consumes the character if it is next, after white space. */
static bool take(parser *p, char wanted)
{
    skip_space(p);
    if (p->at == p->end || *p->at != wanted)
        return false;
    p->at++;
    return true;
}

/* Sets the error for a token other than the expected one. */
static attest_status expect(parser *p, const char *what)
{
    if (p->at == p->end)
        return fail(p, "the text ends too early");
    if (*p->at && strchr("{}[],\"-0123456789", *p->at))
        return fail(p, what);
    return fail_at_character(p);
}

/* Pops the last nodes, whose order on the stack is reversed, and pushes a new node with them
 * as children. */
static attest_status close_node(parser *p, attest_json_kind kind, size_t count, size_t children)
{
    attest_json_node *child = p->settled;

    memmove(child, p->waiting, children * sizeof *child);
    p->settled += children;
    p->waiting += children;
    for (size_t i = 0; i < children / 2; i++) {
        attest_json_node node = child[i];
        child[i] = child[children - 1 - i];
        child[children - 1 - i] = node;
    }
    ATTEST_TRY(push(p, kind, NULL, count));
    p->waiting->child = child;
    return ATTEST_OK;
}

static attest_status take_value(parser *p);

static attest_status take_array(parser *p)
{
    size_t count = 0;

    p->at++;
    if (!take(p, ']')) {
        do {
            ATTEST_TRY(take_value(p));
            count++;
        } while (take(p, ','));
        if (!take(p, ']'))
            return expect(p, "',' or ']' is expected");
    }
    return close_node(p, ATTEST_JSON_ARRAY, count, count);
}

static attest_status take_member(parser *p)
{
    skip_space(p);
    if (p->at == p->end || *p->at != '"')
        return expect(p, "a key in double quotes is expected");
    ATTEST_TRY(attest_json_parser_take_string(p));
    if (!take(p, ':'))
        return expect(p, "':' is expected");
    return take_value(p);
}

static attest_status take_object(parser *p)
{
    size_t count = 0;

    p->at++;
    if (!take(p, '}')) {
        do {
            ATTEST_TRY(take_member(p));
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
        return fail(p, "nested more than 32 deep");
    p->depth++;
    status = *p->at == '[' ? take_array(p) : take_object(p);
    p->depth--;
    return status;
}

static attest_status take_value(parser *p)
{
    skip_space(p);
    if (p->at == p->end)
        return fail(p, p->depth ? "the text ends too early" : "there is no JSON text");
    switch (*p->at) {
    case '{':
    case '[':
        return take_inner(p);
    case '"':
        ATTEST_TRY(attest_json_parser_take_string(p));
        count_number(p);
        return ATTEST_OK;
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
    if (p->end - p->at >= 3 && memcmp(p->at, "\xEF\xBB\xBF", 3) == 0)
        return fail(p, "a byte order mark (save the file without it)");
    ATTEST_TRY(take_value(p));
    skip_space(p);
    if (p->at == p->end)
        return ATTEST_OK;
    if (p->waiting->kind != ATTEST_JSON_OBJECT)
        return fail_at_character(p);
    return fail(p, "there is text after the end of the object");
}

attest_status attest_json_tree_parse(attest_json_tree *tree, const char *text, size_t size,
                                     attest_budget *budget, attest_error *error)
{
    parser p = {.begin = text, .at = text, .end = text + size, .error = error};
    size_t nodes = bound_nodes(text, size);
    /* The text in the block: a string loses two quotes and gets a zero byte, and escapes
     * shrink. A number gets a zero byte, too, in place of the character after it, except at
     * the end of the text. */
    size_t bytes = nodes * sizeof(attest_json_node) + size + 1;

    memset(tree, 0, sizeof *tree);
    ATTEST_TRY(attest_budget_charge(budget, bytes, error));
    tree->bytes = bytes;
    tree->block = p.settled = attest_memory_alloc(bytes, 1);
    if (!tree->block) {
        attest_json_tree_clear(tree, budget);
        return attest_memory_fail(error);
    }
    p.waiting = p.settled + nodes;
    p.text = (char *)(p.settled + nodes);
    ATTEST_TRY_OR(take_text(&p), attest_json_tree_clear(tree, budget));
    tree->root = p.waiting;
    tree->numbers = p.numbers;
    return ATTEST_OK;
}

void attest_json_tree_clear(attest_json_tree *tree, attest_budget *budget)
{
    free(tree->block);
    attest_budget_give_back(budget, tree->bytes);
    memset(tree, 0, sizeof *tree);
}
