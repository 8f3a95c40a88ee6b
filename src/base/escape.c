/* escape.c -- UTF-8, and escaping of untrusted text for terminals, JSON, XML and messages. */
#include "base/escape.h"

#include <stdbool.h>
#include <string.h>

size_t attest_utf8_length(const unsigned char *bytes, size_t count)
{
    unsigned char first = bytes[0], low = 0x80, high = 0xBF;
    size_t length;

    if (first < 0x80)
        return 1;
    if (first < 0xC2 || first > 0xF4)
        return 0;
    length = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
    if (first == 0xE0)
        low = 0xA0;
    else if (first == 0xED)
        high = 0x9F;
    else if (first == 0xF0)
        low = 0x90;
    else if (first == 0xF4)
        high = 0x8F;
    if (length > count || bytes[1] < low || bytes[1] > high)
        return 0;
    for (size_t i = 2; i < length; i++)
        if (bytes[i] < 0x80 || bytes[i] > 0xBF)
            return 0;
    return length;
}

size_t attest_utf8_write(char *text, uint32_t character)
{
    static const unsigned char first[5] = {0, 0x00, 0xC0, 0xE0, 0xF0};
    size_t length = character < 0x80 ? 1 : character < 0x800 ? 2 : character < 0x10000 ? 3 : 4;

    for (size_t i = length - 1; i > 0; i--) {
        text[i] = (char)(0x80 | (character & 0x3F));
        character >>= 6;
    }
    text[0] = (char)(first[length] | character);
    return length;
}

/* Escaping. */

#define REPLACEMENT "\xEF\xBF\xBD" /* U+FFFD */

/* C0 and C1 control characters and DEL, given as a whole UTF-8 character. */
static bool is_control(const unsigned char *bytes, size_t length)
{
    if (length == 1)
        return bytes[0] < 0x20 || bytes[0] == 0x7F;
    return length == 2 && bytes[0] == 0xC2 && bytes[1] < 0xA0;
}

/* The characters with the property Bidi_Control (U+061C, U+200E, U+200F, U+202A ... U+202E,
 * U+2066 ... U+2069) change the direction of the text around them, and U+2028 and U+2029 end a
 * line or a paragraph: a name must not change the sentence that contains it. */
static bool turns_text(const unsigned char *bytes, size_t length)
{
    if (length == 2)
        return bytes[0] == 0xD8 && bytes[1] == 0x9C;
    if (length != 3 || bytes[0] != 0xE2)
        return false;
    return (bytes[1] == 0x80 &&
            (bytes[2] == 0x8E || bytes[2] == 0x8F || (bytes[2] >= 0xA8 && bytes[2] <= 0xAE))) ||
           (bytes[1] == 0x81 && bytes[2] >= 0xA6 && bytes[2] <= 0xA9);
}

/* Returns whether the character is safe in a terminal; length 0: the byte is not UTF-8. */
static bool is_harmless(const unsigned char *bytes, size_t length)
{
    return length > 0 && !is_control(bytes, length) && !turns_text(bytes, length);
}

void attest_escape_terminal(attest_text *text, const char *bytes, size_t count)
{
    const unsigned char *at = (const unsigned char *)bytes;

    for (size_t i = 0; i < count;) {
        size_t length = attest_utf8_length(at + i, count - i);
        if (is_harmless(at + i, length)) {
            attest_text_append(text, bytes + i, length);
        } else {
            length = length ? length : 1;
            for (size_t k = 0; k < length; k++)
                attest_text_printf(text, "\\x%02x", at[i + k]);
        }
        i += length;
    }
}

void attest_escape_print(FILE *stream, const char *bytes, size_t count)
{
    const unsigned char *at = (const unsigned char *)bytes;

    for (size_t i = 0, length; i < count; i += length) {
        length = attest_utf8_length(at + i, count - i);
        if (is_harmless(at + i, length)) {
            fwrite(at + i, 1, length, stream);
            continue;
        }
        length = length ? length : 1;
        for (size_t k = 0; k < length; k++)
            fprintf(stream, "\\x%02x", at[i + k]);
    }
}

size_t attest_escape_width(const char *bytes, size_t count)
{
    const unsigned char *at = (const unsigned char *)bytes;
    size_t width = 0;

    for (size_t i = 0, length; i < count; i += length) {
        length = attest_utf8_length(at + i, count - i);
        width += is_harmless(at + i, length) ? length : 4 * (length ? length : 1);
        length = length ? length : 1;
    }
    return width;
}

void attest_escape_excerpt(char *to, size_t room, const char *bytes, size_t count)
{
    const unsigned char *at = (const unsigned char *)bytes;
    size_t used = 0, i = 0;

    while (i < count) {
        size_t length = attest_utf8_length(at + i, count - i);
        bool shown = is_harmless(at + i, length);
        size_t width = shown ? length : 1;
        if (used + width + sizeof "..." > room)
            break;
        if (shown)
            memcpy(to + used, bytes + i, length);
        else
            to[used] = '?';
        used += width;
        i += length ? length : 1;
    }
    strcpy(to + used, i < count ? "..." : "");
}

/* Appends \uXXXX: every character that is not harmless is below U+10000. */
static void add_code(attest_text *text, const unsigned char *at, size_t length)
{
    unsigned code = at[0];

    if (length > 1)
        code = length == 2 ? at[0] & 0x1Fu : at[0] & 0x0Fu;
    for (size_t k = 1; k < length; k++)
        code = code << 6 | (at[k] & 0x3Fu);
    attest_text_printf(text, "\\u%04x", code);
}

static void escape_json(attest_text *text, const char *bytes, size_t count, bool whole)
{
    const unsigned char *at = (const unsigned char *)bytes;

    for (size_t i = 0; i < count;) {
        size_t length = attest_utf8_length(at + i, count - i);
        if (length == 0) {
            attest_text_add(text, REPLACEMENT);
            length = 1;
        } else if (!whole && (at[i] == '"' || at[i] == '\\')) {
            attest_text_printf(text, "\\%c", at[i]);
        } else if (is_harmless(at + i, length) || (whole && at[i] == '\n')) {
            attest_text_append(text, bytes + i, length);
        } else {
            add_code(text, at + i, length);
        }
        i += length;
    }
}

void attest_escape_json(attest_text *text, const char *bytes, size_t count)
{
    escape_json(text, bytes, count, false);
}

void attest_escape_json_text(attest_text *text, const char *bytes, size_t count)
{
    escape_json(text, bytes, count, true);
}

/* In attributes a parser would replace tabs and line ends by spaces. */
static const char *entity(unsigned char c, bool attribute)
{
    switch (c) {
    case '\t':
        return attribute ? "&#9;" : NULL;
    case '\n':
        return attribute ? "&#10;" : NULL;
    case '\r':
        return "&#13;";
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    default:
        return NULL;
    }
}

/* Returns whether XML 1.0 allows the character: not control characters other than tab and line
 * ends, nor U+FFFE and U+FFFF. */
static bool fits_xml(const unsigned char *bytes, size_t length)
{
    if (length == 1 && bytes[0] && strchr("\t\n\r", bytes[0]))
        return true;
    return is_harmless(bytes, length) &&
           !(length == 3 && bytes[0] == 0xEF && bytes[1] == 0xBF && bytes[2] >= 0xBE);
}

static void escape_markup(attest_text *text, const char *bytes, size_t count, bool attribute)
{
    const unsigned char *at = (const unsigned char *)bytes;

    for (size_t i = 0; i < count;) {
        size_t length = attest_utf8_length(at + i, count - i);
        if (!fits_xml(at + i, length)) {
            attest_text_add(text, REPLACEMENT);
            length = length ? length : 1;
        } else if (length == 1 && entity(at[i], attribute)) {
            attest_text_add(text, entity(at[i], attribute));
        } else {
            attest_text_append(text, bytes + i, length);
        }
        i += length;
    }
}

void attest_escape_markup(attest_text *text, const char *bytes, size_t count)
{
    escape_markup(text, bytes, count, false);
}

void attest_escape_attribute(attest_text *text, const char *bytes, size_t count)
{
    escape_markup(text, bytes, count, true);
}
