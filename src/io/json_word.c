/* json_word.c -- a JSON text as a tree: numbers, true, false, null, and errors. */
#include <stdio.h>
#include <string.h>

#include <attest/number.h>

#include "base/escape.h"
#include "base/utf8.h"
#include "io/json_parser.h"

typedef attest_json_parser parser;

attest_status attest_json_parser_fail(parser *p, const char *what)
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

/* What one may have meant by a character that JSON has not in this place. */
static const char *advise(const parser *p)
{
    const char *before = p->at;

    while (before > p->begin && strchr(" \t\r\n", before[-1]))
        before--;
    if (*p->at == '\'')
        return ": strings stand in double quotes";
    if (before == p->begin)
        return ": this is no JSON text";
    if (strchr("]}", *p->at) && before[-1] == ',')
        return ": the comma before it is one too many";
    return "";
}

attest_status attest_json_parser_refuse(parser *p)
{
    char character[8], what[80];
    size_t length = attest_utf8_length((const unsigned char *)p->at, (size_t)(p->end - p->at));

    if (*p->at == '\0')
        return attest_json_parser_fail(p, "a zero byte");
    attest_escape_excerpt(character, sizeof character, p->at, length ? length : 1);
    snprintf(what, sizeof what, "unexpected character '%s'%s", character, advise(p));
    return attest_json_parser_fail(p, what);
}

attest_status attest_json_parser_add(parser *p, attest_json_kind kind, const char *text,
                                     size_t count)
{
    if (p->waiting == p->settled)
        return attest_json_parser_fail(p, "the text changes while it is read");
    *--p->waiting = (attest_json_node){{text}, kind, count};
    return ATTEST_OK;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

void attest_json_parser_count_number(parser *p)
{
    const attest_json_node *node = p->waiting;
    char first = node->text[0];
    size_t bytes;

    /* Only what begins like a number can be one: names and comments are not looked at. Sums
     * cannot overflow: no number takes more than 2^20 bytes. */
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

/* What is wrong with -?(0|[1-9][0-9]*)(.[0-9]+)?([eE][+-]?[0-9]+)? at the parser's place; NULL:
 * nothing, and *end is its end. */
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
    attest_status status;
    size_t length;

    if (wrong)
        return attest_json_parser_fail(p, wrong);
    length = (size_t)(end - p->at);
    memcpy(p->text, p->at, length);
    p->text[length] = '\0';
    status = attest_json_parser_add(p, ATTEST_JSON_NUMBER, p->text, length);
    if (status != ATTEST_OK)
        return status;
    attest_json_parser_count_number(p);
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
            return attest_json_parser_add(p, word[i].kind, word[i].text, length);
        }
    }
    if (*p->at && strchr("NnIi", *p->at))
        return attest_json_parser_fail(p, "this is not a finite number");
    return attest_json_parser_refuse(p);
}
