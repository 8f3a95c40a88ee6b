/* json_scan.c -- the words of a JSON text, looked at before json-c builds anything. */
#include "io/json_scan.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <attest/number.h>

#include "base/escape.h"
#include "base/memory.h"
#include "base/utf8.h"

/* What json-c 0.13 to 0.17 takes at most on a 64-bit system, heap overhead included; measured
 * by tests/unit/t-json-scan.c, rounded up. */
enum {
    MEMORY_PARSER = 65536, /* once, with open arrays of 32 places at every depth */
    MEMORY_OBJECT = 832,
    MEMORY_MEMBER = 256, /* the table grows twofold while the old one is still there */
    MEMORY_ARRAY = 192,
    MEMORY_ELEMENT = 24,
    MEMORY_SCALAR = 112
};

typedef struct scanner {
    attest_json_scan *scan;
    const char *text;
    size_t size, at;
    int depth;
    bool ended;                               /* the outermost value has been closed */
    size_t object[ATTEST_JSON_MAX_DEPTH + 1]; /* which object is open at this depth, or none */
} scanner;

#define NO_OBJECT SIZE_MAX

attest_status attest_json_scan_fail(attest_error *error, const char *text, size_t size,
                                    size_t at, const char *what)
{
    size_t line = 1, column = 1;

    for (size_t i = 0; i < at && i < size; i++) {
        if (text[i] == '\n') {
            line++;
            column = 1;
        } else if ((text[i] & 0xC0) != 0x80) {
            column++;
        }
    }
    return attest_error_set(error, ATTEST_FORMAT, "line %zu, column %zu: %s", line, column,
                            what);
}

static attest_status fail(const scanner *s, attest_error *error, const char *what)
{
    return attest_json_scan_fail(error, s->text, s->size, s->at, what);
}

static attest_status unexpected(const scanner *s, attest_error *error)
{
    char character[8], what[40];
    size_t length = attest_utf8_length((const unsigned char *)s->text + s->at, s->size - s->at);

    attest_escape_excerpt(character, sizeof character, s->text + s->at, length ? length : 1);
    snprintf(what, sizeof what, "unexpected character '%s'", character);
    return fail(s, error, what);
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* The number's size as a rational; what is no number takes nothing, and is refused where it is
 * used. Sums cannot overflow: no number takes more than 2^20 bytes. */
static void count_number(attest_json_scan *scan, const char *text, size_t length)
{
    size_t bytes;

    if (attest_number_bound_size(&bytes, text, length, NULL) == ATTEST_OK)
        scan->numbers += bytes;
}

static size_t count_digits(const scanner *s, size_t from)
{
    size_t end = from;

    while (end < s->size && is_digit(s->text[end]))
        end++;
    return end - from;
}

/* json-c keeps -2^63 ... 2^64 - 1. */
static bool fits_64_bits(const char *digits, size_t count, bool negative)
{
    const char *most = negative ? "9223372036854775808" : "18446744073709551615";
    size_t length = strlen(most);

    return count < length || (count == length && memcmp(digits, most, length) <= 0);
}

/* -?(0|[1-9][0-9]*)(.[0-9]+)?([eE][+-]?[0-9]+)? */
static attest_status scan_number(scanner *s, attest_error *error)
{
    const char *text = s->text;
    bool negative = text[s->at] == '-', real = false;
    size_t end = s->at + negative, digits = count_digits(s, end), more;

    if (digits == 0 && end < s->size && strchr("NnIi", text[end]))
        return fail(s, error, "this is not a finite number");
    if (digits == 0 || (digits > 1 && text[end] == '0'))
        return fail(s, error, "this is not a JSON number (write other numbers as strings)");
    if (!fits_64_bits(text + end, digits, negative))
        real = true; /* an error, unless a point or an exponent follows */
    bool large = real;
    end += digits;
    if (end < s->size && text[end] == '.') {
        more = count_digits(s, end + 1);
        large = false;
        real = true;
        end += 1 + more;
        if (more == 0)
            return fail(s, error, "this is not a JSON number (digits must follow the point)");
    }
    if (end < s->size && (text[end] == 'e' || text[end] == 'E')) {
        end++;
        if (end < s->size && (text[end] == '+' || text[end] == '-'))
            end++;
        more = count_digits(s, end);
        large = false;
        real = true;
        end += more;
        if (more == 0)
            return fail(s, error, "this is not a JSON number (its exponent has no digits)");
    }
    if (large)
        return fail(s, error, "an integer beyond 64 bits (write large integers as strings)");
    s->scan->memory += MEMORY_SCALAR + (real ? end - s->at : 0);
    count_number(s->scan, text + s->at, end - s->at);
    s->at = end;
    return ATTEST_OK;
}

static bool is_hex(char c)
{
    return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/* The escape at s->at, a backslash. */
static attest_status scan_escape(scanner *s, attest_error *error)
{
    const char *text = s->text + s->at;
    size_t left = s->size - s->at;

    if (left >= 2 && text[1] && strchr("\"\\/bfnrt", text[1])) {
        s->at += 2;
        return ATTEST_OK;
    }
    if (left < 6 || text[1] != 'u' || !is_hex(text[2]) || !is_hex(text[3]) ||
        !is_hex(text[4]) || !is_hex(text[5]))
        return fail(s, error, "a bad escape in a string");
    if (memcmp(text + 2, "0000", 4) == 0)
        return fail(s, error, "\\u0000 in a string");
    s->at += 6;
    return ATTEST_OK;
}

static attest_status scan_string(scanner *s, attest_error *error)
{
    size_t begin = ++s->at;

    while (s->at < s->size && s->text[s->at] != '"') {
        unsigned char c = (unsigned char)s->text[s->at];
        size_t length = 1;
        if (c == '\\') {
            attest_status status = scan_escape(s, error);
            if (status != ATTEST_OK)
                return status;
            continue;
        }
        if (c < 0x20)
            return fail(s, error, "a control character in a string");
        if (c >= 0x80)
            length =
                attest_utf8_length((const unsigned char *)s->text + s->at, s->size - s->at);
        if (length == 0)
            return fail(s, error, "this is not UTF-8");
        s->at += length;
    }
    if (s->at == s->size)
        return fail(s, error, "the text ends inside a string");
    s->scan->memory += MEMORY_SCALAR + 2 * (s->at - begin);
    /* Only what begins like a number can be one: names and comments are not looked at. */
    if (begin < s->at && (is_digit(s->text[begin]) || strchr("-.", s->text[begin])))
        count_number(s->scan, s->text + begin, s->at - begin);
    s->at++;
    return ATTEST_OK;
}

static attest_status scan_word(scanner *s, attest_error *error)
{
    static const char *const word[] = {"true", "false", "null"};

    for (size_t i = 0; i < 3; i++) {
        size_t length = strlen(word[i]);
        if (s->size - s->at >= length && memcmp(s->text + s->at, word[i], length) == 0) {
            s->scan->memory += MEMORY_SCALAR;
            s->at += length;
            return ATTEST_OK;
        }
    }
    if (strchr("NnIi", s->text[s->at]))
        return fail(s, error, "this is not a finite number");
    return unexpected(s, error);
}

/* A new object's count of members. */
static attest_status open_object(scanner *s, attest_error *error)
{
    attest_json_scan *scan = s->scan;

    if (scan->memory == MEMORY_PARSER)
        scan->begins_object = true;
    if (scan->objects == scan->room) {
        size_t room = scan->room ? 2 * scan->room : 16;
        uint32_t *member = attest_memory_resize(scan->member, room, sizeof *member);
        if (!member)
            return attest_memory_fail(error);
        scan->member = member;
        scan->room = room;
    }
    s->object[s->depth] = scan->objects;
    scan->member[scan->objects++] = 0;
    scan->memory += MEMORY_OBJECT;
    return ATTEST_OK;
}

static attest_status scan_bracket(scanner *s, attest_error *error)
{
    char c = s->text[s->at];
    attest_status status = ATTEST_OK;

    if (c == '{' || c == '[') {
        if (s->depth == ATTEST_JSON_MAX_DEPTH)
            return fail(s, error, "nested more than 32 deep");
        s->depth++;
        s->object[s->depth] = NO_OBJECT;
        if (c == '{')
            status = open_object(s, error);
        else
            s->scan->memory += MEMORY_ARRAY;
    } else {
        if (s->depth == 0)
            return unexpected(s, error);
        s->ended = --s->depth == 0;
    }
    s->at++;
    return status;
}

static attest_status scan_separator(scanner *s, attest_error *error)
{
    size_t object = s->object[s->depth];

    if (s->text[s->at] == ',') {
        s->scan->memory += MEMORY_ELEMENT;
    } else if (object == NO_OBJECT || s->scan->member[object] == UINT32_MAX) {
        return unexpected(s, error);
    } else {
        s->scan->member[object]++;
        s->scan->memory += MEMORY_MEMBER;
    }
    s->at++;
    return ATTEST_OK;
}

static attest_status scan_next(scanner *s, attest_error *error)
{
    char c = s->text[s->at];

    if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
        s->at++;
        return ATTEST_OK;
    }
    if (s->ended)
        return fail(s, error, "there is text after the end of the object");
    s->scan->words += c != '}' && c != ']' && c != ',' && c != ':';
    switch (c) {
    case '{':
    case '}':
    case '[':
    case ']':
        return scan_bracket(s, error);
    case ',':
    case ':':
        return scan_separator(s, error);
    case '"':
        return scan_string(s, error);
    case '\0':
        return fail(s, error, "a zero byte");
    default:
        return c == '-' || is_digit(c) ? scan_number(s, error) : scan_word(s, error);
    }
}

attest_status attest_json_scan_text(attest_json_scan *scan, const char *text, size_t size,
                                    attest_error *error)
{
    scanner s = {.scan = scan, .text = text, .size = size, .object = {NO_OBJECT}};
    attest_status status = ATTEST_OK;

    memset(scan, 0, sizeof *scan);
    scan->memory = MEMORY_PARSER;
    if (size >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0)
        status = fail(&s, error, "a byte order mark (save the file without it)");
    while (status == ATTEST_OK && s.at < size)
        status = scan_next(&s, error);
    if (status == ATTEST_OK && scan->memory == MEMORY_PARSER)
        status = fail(&s, error, "there is no JSON text");
    if (status == ATTEST_OK && s.depth > 0)
        status = fail(&s, error, "the text ends too early");
    return status;
}

void attest_json_scan_clear(attest_json_scan *scan)
{
    free(scan->member);
    memset(scan, 0, sizeof *scan);
}
