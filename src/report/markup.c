/* markup.c -- HTML and SVG, written element by element. */
#include "report/markup.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sha256.h"
#include "base/text.h"

void attest_markup_init(attest_markup *markup)
{
    memset(markup, 0, sizeof *markup);
    attest_text_init(&markup->text);
}

void attest_markup_clear(attest_markup *markup)
{
    attest_text_clear(&markup->text);
}

static void end_tag(attest_markup *markup)
{
    if (markup->in_tag)
        attest_text_add(&markup->text, ">");
    markup->in_tag = false;
}

/* Returns whether the element contains running text, where a line break would be a space. */
static bool is_inline(const char *name)
{
    static const char *const names[] = {"a",  "abbr",    "b",      "code",  "dd",    "dt",
                                        "em", "h1",      "h2",     "h3",    "li",    "span",
                                        "td", "th",      "text",   "tspan", "title", "desc",
                                        "p",  "summary", "strong", "sup",   "time",  NULL};

    for (int i = 0; names[i]; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

static bool inside_inline(const attest_markup *markup)
{
    return markup->depth > 0 && is_inline(markup->open[markup->depth - 1]);
}

static void break_line(attest_markup *markup)
{
    attest_text_printf(&markup->text, "\n%*s", markup->indented ? 2 * markup->depth : 0, "");
}

void attest_markup_open(attest_markup *markup, const char *name)
{
    assert(markup->depth < ATTEST_MARKUP_DEPTH);
    end_tag(markup);
    if (!inside_inline(markup) && markup->text.size > 0)
        break_line(markup);
    markup->was_element = false;
    attest_text_printf(&markup->text, "<%s", name);
    markup->open[markup->depth++] = name;
    markup->in_tag = true;
}

void attest_markup_close(attest_markup *markup)
{
    const char *name;

    assert(markup->depth > 0);
    end_tag(markup);
    name = markup->open[--markup->depth];
    if (markup->indented && markup->was_element)
        break_line(markup);
    markup->was_element = true;
    attest_text_printf(&markup->text, "</%s>", name);
}

void attest_markup_empty(attest_markup *markup)
{
    assert(markup->depth > 0 && markup->in_tag);
    markup->depth--;
    markup->was_element = true;
    attest_text_add(&markup->text, "/>");
    markup->in_tag = false;
}

void attest_markup_attribute(attest_markup *markup, const char *name, const char *value)
{
    assert(markup->in_tag);
    attest_text_printf(&markup->text, " %s=\"", name);
    attest_escape_attribute(&markup->text, value, strlen(value));
    attest_text_add(&markup->text, "\"");
}

void attest_markup_format(char text[32], double value)
{
    long long hundredths;
    size_t length;

    if (!(fabs(value) < 1e9))
        value = 0;
    hundredths = llround(value * 100);
    snprintf(text, 32, "%s%lld.%02lld", hundredths < 0 ? "-" : "", llabs(hundredths) / 100,
             llabs(hundredths) % 100);
    for (length = strlen(text); text[length - 1] == '0'; length--)
        ;
    text[text[length - 1] == '.' ? length - 1 : length] = '\0';
}

void attest_markup_attribute_number(attest_markup *markup, const char *name, double value)
{
    char text[32];

    attest_markup_format(text, value);
    attest_markup_attribute(markup, name, text);
}

/* Returns the formatted text, which the caller frees, or NULL. */
ATTEST_PRINTF(1, 0)
static char *format_text(const char *format, va_list arguments)
{
    va_list again;
    char *text;
    int length;

    va_copy(again, arguments);
    length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    text = length < 0 ? NULL : malloc((size_t)length + 1);
    if (text)
        vsnprintf(text, (size_t)length + 1, format, arguments);
    return text;
}

void attest_markup_attribute_printf(attest_markup *markup, const char *name, const char *format,
                                    ...)
{
    va_list arguments;
    char *text;

    va_start(arguments, format);
    text = format_text(format, arguments);
    va_end(arguments);
    markup->text.failed |= text == NULL;
    attest_markup_attribute(markup, name, text ? text : "");
    free(text);
}

void attest_markup_text(attest_markup *markup, const char *text)
{
    end_tag(markup);
    attest_escape_markup(&markup->text, text, strlen(text));
}

void attest_markup_line(attest_markup *markup, const char *text)
{
    end_tag(markup);
    attest_escape_attribute(&markup->text, text, strlen(text));
}

void attest_markup_printf(attest_markup *markup, const char *format, ...)
{
    va_list arguments;
    char *text;

    va_start(arguments, format);
    text = format_text(format, arguments);
    va_end(arguments);
    markup->text.failed |= text == NULL;
    attest_markup_text(markup, text ? text : "");
    free(text);
}

void attest_markup_raw(attest_markup *markup, const char *bytes, size_t count)
{
    end_tag(markup);
    attest_text_append(&markup->text, bytes, count);
}

void attest_markup_open_class(attest_markup *markup, const char *name, const char *class_name)
{
    attest_markup_open(markup, name);
    if (class_name)
        attest_markup_attribute(markup, "class", class_name);
}

void attest_markup_element(attest_markup *markup, const char *name, const char *class_name,
                           const char *text)
{
    attest_markup_open_class(markup, name, class_name);
    attest_markup_text(markup, text);
    attest_markup_close(markup);
}

void attest_markup_hash(attest_text *hash, const char *text, size_t size)
{
    static const char digits[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    unsigned char digest[ATTEST_SHA256_SIZE + 1] = {0};
    attest_sha256 state;

    attest_sha256_init(&state);
    attest_sha256_add(&state, text, size);
    attest_sha256_get(digest, &state);
    attest_text_add(hash, "sha256-");
    /* 32 bytes are ten groups of three, and two bytes more. */
    for (int i = 0; i < ATTEST_SHA256_SIZE; i += 3) {
        unsigned group = (unsigned)digest[i] << 16 | (unsigned)digest[i + 1] << 8;
        bool last = i + 2 >= ATTEST_SHA256_SIZE;
        group |= last ? 0 : digest[i + 2];
        attest_text_printf(hash, "%c%c%c%c", digits[group >> 18], digits[group >> 12 & 63],
                           digits[group >> 6 & 63], last ? '=' : digits[group & 63]);
    }
}
