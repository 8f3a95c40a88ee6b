/* markup.c -- HTML and SVG, written element by element; tables, and values of records in them.
 */
#include "report/markup.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <attest/flint.h>

#include "base/sha256.h"
#include "report/plot.h"

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

static void break_line(attest_markup *markup)
{
    attest_text_printf(&markup->text, "\n%*s", markup->indented ? 2 * markup->depth : 0, "");
}

void attest_markup_open(attest_markup *markup, const char *name)
{
    assert(markup->depth < ATTEST_MARKUP_DEPTH);
    end_tag(markup);
    if (markup->text.size > 0 &&
        !(markup->depth > 0 && is_inline(markup->open[markup->depth - 1])))
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

/* Tables. */

void attest_table_open(attest_markup *markup, const char *caption, const char *const *heading,
                       size_t columns)
{
    attest_markup_open_class(markup, "div", "scroll");
    attest_markup_attribute(markup, "role", "region");
    attest_markup_attribute(markup, "tabindex", "0");
    attest_markup_attribute_printf(markup, "aria-label", "Table: %s", caption);
    attest_markup_open(markup, "table");
    attest_markup_element(markup, "caption", NULL, caption);
    attest_markup_open(markup, "thead");
    attest_markup_open(markup, "tr");
    for (size_t i = 0; i < columns; i++) {
        bool number = heading[i][0] == '#';
        attest_markup_open_class(markup, "th", number ? "number" : NULL);
        attest_markup_attribute(markup, "scope", "col");
        attest_markup_text(markup, heading[i] + number);
        attest_markup_close(markup);
    }
    attest_markup_close(markup);
    attest_markup_close(markup);
    attest_markup_open(markup, "tbody");
}

/* Inside a row until the next one begins. */
static void end_row(attest_markup *markup)
{
    if (strcmp(markup->open[markup->depth - 1], "tr") == 0)
        attest_markup_close(markup);
}

void attest_table_row(attest_markup *markup, const char *heading)
{
    attest_table_named_row(markup, NULL, heading);
}

void attest_table_named_row(attest_markup *markup, const char *id, const char *heading)
{
    end_row(markup);
    attest_markup_open(markup, "tr");
    if (id)
        attest_markup_attribute(markup, "id", id);
    attest_markup_open(markup, "th");
    attest_markup_attribute(markup, "scope", "row");
    attest_markup_text(markup, heading);
    attest_markup_close(markup);
}

void attest_table_open_cell(attest_markup *markup, const char *class_name)
{
    attest_markup_open_class(markup, "td", class_name);
}

void attest_table_cell(attest_markup *markup, const char *class_name, const char *text)
{
    attest_markup_element(markup, "td", class_name, text);
}

void attest_table_number(attest_markup *markup, double value, int digits)
{
    char text[64];

    attest_table_cell(markup, "number",
                      isnan(value) ? "\xE2\x80\x93"
                                   : attest_scale_format_number(text, value, digits));
}

void attest_table_close(attest_markup *markup)
{
    end_row(markup);
    attest_markup_close(markup);
    attest_markup_close(markup);
    attest_markup_close(markup);
}

#define DASH "\xE2\x80\x93"

enum { MOST_TEXT = 160 };

const char *attest_value_text(const attest_json_cursor *object, const char *key)
{
    attest_json_cursor member;
    const char *text = "";

    if (!attest_json_find_member(&member, object, key) ||
        attest_json_get_string(&text, &member, NULL) != ATTEST_OK)
        return "";
    return text;
}

/* log2 of a rational that may lie outside the range of doubles. */
static double log2_rational(const fmpq_t value)
{
    arb_t ball, two;
    double log2;

    if (fmpq_is_zero(value))
        return -INFINITY;
    if (fmpq_sgn(value) < 0)
        return NAN;
    arb_init(ball);
    arb_init(two);
    arb_set_fmpq(ball, value, 96);
    arb_log(ball, ball, 96);
    arb_const_log2(two, 96);
    arb_div(ball, ball, two, 96);
    log2 = arf_get_d(arb_midref(ball), ARF_RND_NEAR);
    arb_clear(ball);
    arb_clear(two);
    return log2;
}

/* Both readings of a number: itself, and its logarithm. */
static double rational(const attest_json_cursor *cursor, bool as_log2)
{
    double value = NAN;
    fmpq_t exact;

    fmpq_init(exact);
    if (attest_json_get_rational(exact, cursor, NULL) == ATTEST_OK)
        value = as_log2 ? log2_rational(exact) : fmpq_get_d(exact);
    fmpq_clear(exact);
    return value;
}

double attest_value_number(const attest_json_cursor *object, const char *key)
{
    attest_json_cursor member;
    const char *text = attest_value_text(object, key);

    /* logarithms may be those of zero */
    if (strcmp(text, "-inf") == 0 || strcmp(text, "inf") == 0)
        return *text == '-' ? -INFINITY : INFINITY;
    if (!attest_json_find_member(&member, object, key))
        return NAN;
    return rational(&member, false);
}

static double ball_log2(const attest_json_cursor *ball)
{
    attest_json_cursor member;
    const char *text;
    char *end;
    double value;

    if (!attest_json_find_member(&member, ball, "log2"))
        return attest_value_number(ball, "mid") == 0 ? -INFINITY : NAN;
    if (attest_json_get_string(&text, &member, NULL) != ATTEST_OK)
        return rational(&member, false);
    value = strtod(text, &end);
    return end != text && *end == '\0' && isfinite(value) ? value : NAN;
}

double attest_value_log2(const attest_json_cursor *object, const char *key)
{
    attest_json_cursor member;

    if (!attest_json_find_member(&member, object, key))
        return NAN;
    if (attest_json_is_object(&member))
        return ball_log2(&member);
    return rational(&member, true);
}

size_t attest_value_array(attest_json_cursor *array, const attest_json_cursor *object,
                          const char *key)
{
    size_t length = 0;

    if (!attest_json_find_member(array, object, key) ||
        attest_json_get_length(&length, array, NULL) != ATTEST_OK)
        return 0;
    return length;
}

void attest_value_write_power(attest_markup *markup, double log2)
{
    char text[64];

    if (isnan(log2)) {
        attest_markup_text(markup, DASH);
        return;
    }
    if (isinf(log2) && log2 < 0) {
        attest_markup_text(markup, "0");
        return;
    }
    attest_markup_text(markup, "2");
    attest_markup_element(markup, "sup", NULL,
                          attest_scale_format_number(text, round(100 * log2) / 100, 2));
}

static void write_array(attest_markup *markup, const attest_json_cursor *array, size_t length)
{
    enum { MOST = 16 };

    attest_markup_text(markup, "[");
    for (size_t i = 0; i < length && i < MOST; i++) {
        attest_json_cursor element = attest_json_get_element(array, i);
        if (i > 0)
            attest_markup_text(markup, ", ");
        attest_value_write_value(markup, &element);
    }
    attest_markup_text(markup, length > MOST ? ", \xE2\x80\xA6]" : "]");
}

/* A text, or the beginning of a long one: numbers may have a million digits. */
static void write_text(attest_markup *markup, const char *text)
{
    char shown[MOST_TEXT];
    size_t length = strlen(text);

    if (length < MOST_TEXT) {
        attest_markup_text(markup, text);
        return;
    }
    attest_escape_excerpt(shown, sizeof shown, text, length);
    attest_markup_printf(markup, "%s (%zu bytes)", shown, length);
}

static void write_number(attest_markup *markup, const attest_json_cursor *cursor)
{
    double value = rational(cursor, false);
    char text[64];

    attest_markup_text(markup, attest_scale_format_number(text, value, 4));
}

void attest_value_write_value(attest_markup *markup, const attest_json_cursor *cursor)
{
    const char *text;
    size_t length;
    bool flag;

    if (attest_json_is_null(cursor))
        attest_markup_text(markup, DASH);
    else if (attest_json_get_string(&text, cursor, NULL) == ATTEST_OK)
        write_text(markup, text);
    else if (attest_json_get_bool(&flag, cursor, NULL) == ATTEST_OK)
        attest_markup_text(markup, flag ? "yes" : "no");
    else if (attest_json_get_length(&length, cursor, NULL) == ATTEST_OK)
        write_array(markup, cursor, length);
    else if (!attest_json_is_object(cursor))
        write_number(markup, cursor);
    else if (attest_value_text(cursor, "text")[0] && !isnan(ball_log2(cursor)))
        attest_value_write_power(markup, ball_log2(cursor));
    else
        attest_markup_text(markup, attest_value_text(cursor, "text")[0]
                                       ? attest_value_text(cursor, "text")
                                       : DASH);
}

void attest_value_write(attest_markup *markup, const attest_json_cursor *object,
                        const char *key)
{
    attest_json_cursor member = {0};

    if (!attest_json_find_member(&member, object, key))
        attest_markup_text(markup, DASH);
    else
        attest_value_write_value(markup, &member);
}

void attest_value_write_pair(attest_markup *markup, const attest_json_cursor *object,
                             const char *key)
{
    attest_json_cursor pair;

    if (attest_value_array(&pair, object, key) != 2) {
        attest_value_write(markup, object, key);
        return;
    }
    for (size_t i = 0; i < 2; i++) {
        attest_json_cursor place = attest_json_get_element(&pair, i);
        attest_value_write_value(markup, &place);
        if (i == 0)
            attest_markup_text(markup, " and ");
    }
}

bool attest_value_is_expected(const attest_json_cursor *object, const char *good)
{
    attest_json_cursor member;
    bool expected;

    if (attest_json_find_member(&member, object, "as_expected") &&
        attest_json_get_bool(&expected, &member, NULL) == ATTEST_OK)
        return expected;
    return strcmp(attest_value_text(object, "verdict"), good) == 0;
}

static bool is_one_of(const char *word, const char *const *words)
{
    for (; *words; words++)
        if (strcmp(word, *words) == 0)
            return true;
    return false;
}

void attest_value_write_verdict(attest_markup *markup, const char *verdict)
{
    static const char *const good[] = {"proved", "held", "holds", "survives",
                                       "within", "safe", "no",    NULL};
    static const char *const bad[] = {"refuted", "violated", "flaky", "fails", "collapses",
                                      "wrong",   "unsafe",   "yes",   NULL};

    attest_markup_open(markup, "span");
    if (!*verdict)
        attest_markup_text(markup, DASH);
    else if (is_one_of(verdict, good)) {
        attest_markup_attribute(markup, "class", "badge good");
        attest_markup_printf(markup, "\xE2\x9C\x93 %s", verdict);
    } else if (is_one_of(verdict, bad)) {
        attest_markup_attribute(markup, "class", "badge bad");
        attest_markup_printf(markup, "\xE2\x9C\x97 %s", verdict);
    } else {
        attest_markup_attribute(markup, "class", "badge open");
        attest_markup_printf(markup, "? %s", verdict);
    }
    attest_markup_close(markup);
}

void attest_table_power(attest_markup *markup, double log2)
{
    attest_table_open_cell(markup, "number");
    attest_value_write_power(markup, log2);
    attest_markup_close(markup);
}

void attest_table_value(attest_markup *markup, const char *class_name,
                        const attest_json_cursor *object, const char *key)
{
    attest_table_open_cell(markup, class_name);
    attest_value_write(markup, object, key);
    attest_markup_close(markup);
}

void attest_table_verdict(attest_markup *markup, const char *verdict)
{
    attest_table_open_cell(markup, NULL);
    attest_value_write_verdict(markup, verdict);
    attest_markup_close(markup);
}
