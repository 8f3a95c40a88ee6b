/* text.c -- a string that grows, UTF-8 and its escapes, and suggestions for misspelt names. */
#include "config.h" /* fopencookie is an extension */

#include "base/text.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/scope.h"

void attest_text_init(attest_text *text)
{
    memset(text, 0, sizeof *text);
}

void attest_text_clear(attest_text *text)
{
    free(text->data);
    attest_text_init(text);
}

/* Makes room for count more bytes and the final zero. */
static bool reserve(attest_text *text, size_t count)
{
    if (count >= SIZE_MAX / 4 - text->size ||
        (!text->failed &&
         !attest_memory_grow(&text->data, &text->room, text->size + count + 1, 1)))
        text->failed = true;
    return !text->failed;
}

void attest_text_append(attest_text *text, const char *bytes, size_t count)
{
    if (!reserve(text, count))
        return;
    memcpy(text->data + text->size, bytes, count);
    text->size += count;
    text->data[text->size] = '\0';
}

void attest_text_add(attest_text *text, const char *string)
{
    attest_text_append(text, string, strlen(string));
}

void attest_text_printf(attest_text *text, const char *format, ...)
{
    va_list arguments;
    int count;

    va_start(arguments, format);
    count = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (count < 0 || !reserve(text, (size_t)count)) {
        text->failed = true;
        return;
    }
    va_start(arguments, format);
    vsnprintf(text->data + text->size, (size_t)count + 1, format, arguments);
    va_end(arguments);
    text->size += (size_t)count;
}

/* fopencookie (Linux) and funopen (BSD, macOS) open a stream with a write function of the
 * program; its types differ. */
#ifdef HAVE_FOPENCOOKIE
typedef ssize_t written;
typedef size_t amount;
#else /* BSD, macOS */
typedef int written, amount;
#endif

static written write_to(void *text, const char *bytes, amount count)
{
    attest_text_append(text, bytes, (size_t)count);
    return ((attest_text *)text)->failed ? 0 : (written)count;
}

FILE *attest_text_open(attest_text *text)
{
#ifdef HAVE_FOPENCOOKIE
    return fopencookie(text, "w", (cookie_io_functions_t){.write = write_to});
#else
    return funopen(text, NULL, write_to, NULL, NULL);
#endif
}

void attest_text_add_quoted(attest_text *text, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "-_./=,:@%+";

    if (*word && word[strspn(word, plain)] == '\0') {
        attest_text_add(text, word);
        return;
    }
    attest_text_add(text, "'");
    for (; *word; word++) {
        if (*word == '\'')
            attest_text_add(text, "'\\''");
        else
            attest_text_append(text, word, 1);
    }
    attest_text_add(text, "'");
}

void attest_text_add_word(attest_text *text, const char *word)
{
    if (text->size > 0)
        attest_text_add(text, " ");
    attest_text_add_quoted(text, word);
}

char *attest_text_take(attest_text *text)
{
    char *data;

    attest_text_append(text, "", 0);
    if (text->failed) {
        attest_text_clear(text);
        return NULL;
    }
    data = text->data;
    attest_text_init(text);
    return data;
}

/* UTF-8. */

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

/* Escapes. */

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

/* Misspelt names. */

enum { LONGEST = 127, FAR = 1 << 20 };

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

size_t attest_spelling_distance(const char *a, const char *b)
{
    size_t n = strlen(a), m = strlen(b), row[3][LONGEST + 1];

    if (n > LONGEST || m > LONGEST)
        return FAR;
    /* row[i % 3][j] = the distance of the first i letters of a and the first j of b */
    for (size_t i = 0; i <= n; i++) {
        size_t *now = row[i % 3], *above = row[(i + 2) % 3], *before = row[(i + 1) % 3];
        for (size_t j = 0; j <= m; j++) {
            if (i == 0 || j == 0) {
                now[j] = i + j;
                continue;
            }
            now[j] =
                least(least(above[j], now[j - 1]) + 1, above[j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                now[j] = least(now[j], before[j - 2] + 1);
        }
    }
    return row[n % 3][m];
}

int attest_spelling_is_close(const char *a, const char *b)
{
    size_t length = strlen(a);

    if (length >= 3 && strstr(b, a))
        return 1;
    return length > 2 &&
           attest_spelling_distance(a, b) <= (length < 6 ? length / 2 : length / 3);
}

/* The distance of the closest name, or SIZE_MAX if none is close. */
static size_t least_distance(const char *name, const char *(*at)(const void *, size_t),
                             const void *names, size_t count)
{
    size_t found = SIZE_MAX;

    for (size_t i = 0; i < count; i++)
        if (attest_spelling_is_close(name, at(names, i)))
            found = least(found, attest_spelling_distance(name, at(names, i)));
    return found;
}

attest_status attest_spelling_refuse(const char *name, const char *(*at)(const void *, size_t),
                                     const void *names, size_t count, attest_error *error)
{
    size_t nearest = least_distance(name, at, names, count), found = 0;
    size_t most = nearest < SIZE_MAX ? 3 : 8;
    char *list ATTEST_FREED = NULL;
    attest_text text;

    attest_text_init(&text);
    attest_text_printf(&text, "there is no tensor '%.80s'", name);
    for (size_t i = 0; i < count && found < most; i++) {
        if (nearest < SIZE_MAX && attest_spelling_distance(name, at(names, i)) > nearest + 1)
            continue;
        attest_text_printf(&text, "%s'%.60s'",
                           found                ? ", "
                           : nearest < SIZE_MAX ? "; is it "
                                                : "; there are ",
                           at(names, i));
        found++;
    }
    if (count > found && nearest == SIZE_MAX)
        attest_text_printf(&text, ", ... (%zu in all)", count);
    list = attest_text_take(&text);
    if (!list)
        return attest_memory_fail(error);
    return attest_error_set(error, ATTEST_USAGE, "%s%s", list, nearest < SIZE_MAX ? "?" : "");
}

const char *attest_spelling_pick(const char *word,
                                 const char *(*name)(const void *of, size_t i), const void *of)
{
    const char *best = NULL, *other;
    size_t best_distance = FAR;

    for (size_t i = 0; (other = name(of, i)) != NULL; i++) {
        size_t distance = attest_spelling_distance(word, other);

        if (distance < best_distance && attest_spelling_is_close(word, other)) {
            best = other;
            best_distance = distance;
        }
    }
    return best;
}
