/* json_string.c -- a JSON text as a tree: strings. */
#include <string.h>

#include "base/utf8.h"
#include "io/json_parser.h"

typedef attest_json_parser parser;

/* Neither the end of a string nor an escape, a control character or part of a longer one. */
static bool is_plain(char c)
{
    return (unsigned char)c >= 0x20 && (unsigned char)c < 0x80 && c != '"' && c != '\\';
}

/* The value of the four hexadecimal digits at text[0..4); -1: they are not all digits. */
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

/* The value of \uXXXX at the parser's place and offset; -1: there is none. */
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

/* \uXXXX, or two of them that make one character, to p->text. */
static attest_status take_unicode(parser *p)
{
    long value = escape_value(p, 0), low;
    size_t length = 6;

    if (value < 0)
        return attest_json_parser_fail(p, "a bad escape in a string");
    if (value == 0)
        return attest_json_parser_fail(p, "\\u0000 in a string");
    if (is_high_surrogate(value) && is_low_surrogate(low = escape_value(p, 6))) {
        value = 0x10000 + (value - 0xD800) * 0x400 + (low - 0xDC00);
        length = 12;
    } else if (is_high_surrogate(value) || is_low_surrogate(value)) {
        return attest_json_parser_fail(p, "half a surrogate pair in a string");
    }
    p->text += attest_utf8_write(p->text, (uint32_t)value);
    p->at += length;
    return ATTEST_OK;
}

/* The escape at the parser's place, a backslash. */
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

/* One character of more than one byte. */
static attest_status take_character(parser *p)
{
    size_t length = attest_utf8_length((const unsigned char *)p->at, (size_t)(p->end - p->at));

    if ((unsigned char)*p->at < 0x20)
        return attest_json_parser_fail(p, "a control character in a string");
    if (length == 0)
        return attest_json_parser_fail(p, "this is not UTF-8");
    memcpy(p->text, p->at, length);
    p->text += length;
    p->at += length;
    return ATTEST_OK;
}

attest_status attest_json_parser_take_string(parser *p)
{
    char *text = p->text;
    attest_status status = ATTEST_OK;

    p->at++;
    while (status == ATTEST_OK) {
        while (p->at < p->end && is_plain(*p->at))
            *p->text++ = *p->at++;
        if (p->at == p->end)
            return attest_json_parser_fail(p, "the text ends inside a string");
        if (*p->at == '"')
            break;
        status = *p->at == '\\' ? take_escape(p) : take_character(p);
    }
    if (status != ATTEST_OK)
        return status;
    *p->text++ = '\0';
    p->at++;
    return attest_json_parser_add(p, ATTEST_JSON_STRING, text, (size_t)(p->text - 1 - text));
}
