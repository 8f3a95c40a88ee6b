/* plot_axes.c -- scales, axes, marks, legends and the elements of plots. */
#include "report/plot.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MINUS "\xE2\x88\x92"      /* U+2212 */
#define THIN_SPACE "\xE2\x80\xAF" /* U+202F, which does not break */

static double to_unit(attest_scale_kind kind, double value)
{
    if (kind == ATTEST_SCALE_LINEAR || kind == ATTEST_SCALE_EXPONENT)
        return isfinite(value) ? value : 1;
    if (!(value > 0) || !isfinite(value))
        value = 1;
    return kind == ATTEST_SCALE_OCTAVES ? log2(value) : log10(value);
}

static double from_unit(attest_scale_kind kind, double at)
{
    switch (kind) {
    case ATTEST_SCALE_OCTAVES:
        return exp2(at);
    case ATTEST_SCALE_DECADES:
        return pow(10, at);
    default:
        return at;
    }
}

/* The least 1, 2 or 5 times a power of ten that is at least the width. */
static double nice_step(double width)
{
    static const double step[] = {1, 2, 5, 10};
    double power = pow(10, floor(log10(width)));

    for (int i = 0; i < 4; i++)
        if (step[i] * power >= width * (1 - 1e-9))
            return step[i] * power;
    return 10 * power;
}

void attest_scale_set(attest_scale *scale, attest_scale_kind kind, double low, double high,
                      int ticks)
{
    bool whole = kind != ATTEST_SCALE_LINEAR;

    scale->kind = kind;
    scale->low = to_unit(kind, low);
    scale->high = to_unit(kind, high);
    if (!(scale->high - scale->low > fabs(scale->high) * 1e-12)) {
        scale->low -= whole ? 1 : 0.5;
        scale->high += whole ? 1 : 0.5;
    }
    scale->step = nice_step((scale->high - scale->low) / (ticks > 1 ? ticks : 1));
    if (whole && scale->step < 1)
        scale->step = 1;
    scale->low = floor(scale->low / scale->step + 1e-9) * scale->step;
    scale->high = ceil(scale->high / scale->step - 1e-9) * scale->step;
    scale->from = 0;
    scale->to = 1;
}

double attest_scale_get(const attest_scale *scale, double value)
{
    double at = (to_unit(scale->kind, value) - scale->low) / (scale->high - scale->low);

    at = at < 0 ? 0 : at > 1 ? 1 : at;
    return scale->from + at * (scale->to - scale->from);
}

size_t attest_scale_get_ticks(double value[ATTEST_SCALE_MOST], const attest_scale *scale)
{
    double count = floor((scale->high - scale->low) / scale->step + 0.5);
    size_t n = 0;

    for (; n < ATTEST_SCALE_MOST && (double)n <= count; n++)
        value[n] = from_unit(scale->kind, scale->low + (double)n * scale->step);
    return n;
}

/* Thin spaces between groups of three digits, from five digits on. */
static void group(char *to, size_t room, const char *digits)
{
    size_t length = strspn(digits, "0123456789"), used = 0;

    for (size_t i = 0; digits[i] && used + 8 < room; i++) {
        if (i > 0 && i < length && length > 4 && (length - i) % 3 == 0) {
            memcpy(to + used, THIN_SPACE, 3);
            used += 3;
        }
        to[used++] = digits[i];
    }
    to[used] = '\0';
}

/* 0 ... 999 with three significant digits or so, times a power of ten. */
static void format_scientific(char text[64], double value, int digits)
{
    int power = (int)floor(log10(fabs(value)));
    double mantissa = value / pow(10, power);

    if (fabs(mantissa) >= 10 - 0.5 * pow(10, -digits)) {
        mantissa /= 10;
        power++;
    }
    snprintf(text, 64, "%s%.*fe%s%d", value < 0 ? MINUS : "", digits, fabs(mantissa),
             power < 0 ? MINUS : "", abs(power));
}

char *attest_scale_format_number(char text[64], double value, int digits)
{
    char plain[64], grouped[64];
    double size = fabs(value);

    if (!isfinite(value)) {
        snprintf(text, 64, "%s", isnan(value) ? "not a number" : value > 0 ? "∞" : MINUS "∞");
        return text;
    }
    if (size != 0 && (size >= 1e12 || size < 0.5 * pow(10, -digits))) {
        format_scientific(text, value, digits < 2 ? digits : 2);
        return text;
    }
    snprintf(plain, sizeof plain, "%.*f", digits, size);
    if (strchr(plain, '.')) {
        size_t end = strlen(plain);
        while (plain[end - 1] == '0')
            end--;
        plain[plain[end - 1] == '.' ? end - 1 : end] = '\0';
    }
    group(grouped, sizeof grouped, plain);
    snprintf(text, 64, "%s%.56s", value < 0 && strcmp(plain, "0") != 0 ? MINUS : "", grouped);
    return text;
}

void attest_scale_format(char base[32], char exponent[32], const attest_scale *scale,
                         double value)
{
    char text[64];
    int digits = 0;

    exponent[0] = '\0';
    if (scale->kind == ATTEST_SCALE_EXPONENT) {
        strcpy(base, "2");
        snprintf(exponent, 32, "%.31s", attest_scale_format_number(text, value, 0));
        return;
    }
    if (scale->kind == ATTEST_SCALE_DECADES && (value >= 9.99e3 || value < 0.99e-2)) {
        strcpy(base, "10");
        snprintf(exponent, 32, "%.31s",
                 attest_scale_format_number(text, round(log10(value)), 0));
        return;
    }
    if (scale->kind == ATTEST_SCALE_LINEAR && scale->step < 1)
        digits = (int)ceil(-log10(scale->step) - 1e-9);
    else if (scale->kind != ATTEST_SCALE_LINEAR && value < 1)
        digits = 6;
    snprintf(base, 32, "%.31s", attest_scale_format_number(text, value, digits));
}

void attest_plot_open(attest_markup *markup, const attest_plot *plot, double height)
{
    char text[32];

    attest_markup_format(text, height);
    attest_markup_open(markup, "svg");
    attest_markup_attribute(markup, "xmlns", "http://www.w3.org/2000/svg");
    attest_markup_attribute(markup, "class", "plot");
    attest_markup_attribute(markup, "id", plot->id);
    attest_markup_attribute_printf(markup, "viewBox", "0 0 %d %s", ATTEST_PLOT_WIDTH, text);
    attest_markup_attribute_printf(markup, "width", "%d", ATTEST_PLOT_WIDTH);
    attest_markup_attribute(markup, "height", text);
    attest_markup_attribute(markup, "role", "img");
    attest_markup_attribute_printf(markup, "aria-labelledby", "%s-title %s-description",
                                   plot->id, plot->id);
    attest_markup_open(markup, "title");
    attest_markup_attribute_printf(markup, "id", "%s-title", plot->id);
    attest_markup_text(markup, plot->title);
    attest_markup_close(markup);
    attest_markup_open(markup, "desc");
    attest_markup_attribute_printf(markup, "id", "%s-description", plot->id);
    attest_markup_text(markup, plot->description);
    attest_markup_close(markup);
}

void attest_plot_close(attest_markup *markup)
{
    attest_markup_close(markup);
}

void attest_plot_line(attest_markup *markup, const char *class_name, double x1, double y1,
                      double x2, double y2)
{
    attest_markup_open_class(markup, "line", class_name);
    attest_markup_attribute_number(markup, "x1", x1);
    attest_markup_attribute_number(markup, "y1", y1);
    attest_markup_attribute_number(markup, "x2", x2);
    attest_markup_attribute_number(markup, "y2", y2);
    attest_markup_empty(markup);
}

/* Ends an element: with a tooltip, if there is one. */
static void end_shape(attest_markup *markup, const char *tooltip)
{
    if (!tooltip) {
        attest_markup_empty(markup);
        return;
    }
    attest_markup_element(markup, "title", NULL, tooltip);
    attest_markup_close(markup);
}

void attest_plot_box(attest_markup *markup, const char *class_name, double x, double y,
                     double width, double height, const char *tooltip)
{
    attest_markup_open_class(markup, "rect", class_name);
    attest_markup_attribute_number(markup, "x", x);
    attest_markup_attribute_number(markup, "y", y);
    attest_markup_attribute_number(markup, "width", width > 0 ? width : 0);
    attest_markup_attribute_number(markup, "height", height > 0 ? height : 0);
    end_shape(markup, tooltip);
}

void attest_plot_text(attest_markup *markup, const char *class_name, double x, double y,
                      const char *anchor, const char *text)
{
    attest_markup_open_class(markup, "text", class_name);
    attest_markup_attribute_number(markup, "x", x);
    attest_markup_attribute_number(markup, "y", y);
    if (strcmp(anchor, "start") != 0)
        attest_markup_attribute(markup, "text-anchor", anchor);
    attest_markup_text(markup, text);
    attest_markup_close(markup);
}

/* Outlines around (0, 0), so that series differ without their colours. */
static const char *const shapes[ATTEST_PLOT_STYLES] = {
    "M-4,0a4,4 0 1,0 8,0a4,4 0 1,0 -8,0z",                    /* a disc */
    "M-3.6,-3.6h7.2v7.2h-7.2z",                               /* a square */
    "M0,-5l5,5l-5,5l-5,-5z",                                  /* a diamond */
    "M0,-4.8l4.8,8.2h-9.6z",                                  /* a triangle */
    "M0,4.8l4.8,-8.2h-9.6z",                                  /* one on its head */
    "M-4.4,-1.5h2.9v-2.9h3v2.9h2.9v3h-2.9v2.9h-3v-2.9h-2.9z", /* a cross */
};

void attest_plot_marker(attest_markup *markup, int style, double x, double y,
                        const char *tooltip)
{
    char at_x[32], at_y[32];

    style = style < 0 ? 0 : style % ATTEST_PLOT_STYLES;
    attest_markup_format(at_x, x);
    attest_markup_format(at_y, y);
    attest_markup_open(markup, "path");
    attest_markup_attribute_printf(markup, "class", "marker s%d", style);
    attest_markup_attribute(markup, "d", shapes[style]);
    attest_markup_attribute_printf(markup, "transform", "translate(%s %s)", at_x, at_y);
    end_shape(markup, tooltip);
}

/* The number of characters: bytes that begin one. */
static size_t characters(const char *text)
{
    size_t count = 0;

    for (; *text; text++)
        count += ((unsigned char)*text & 0xC0) != 0x80;
    return count;
}

/* Letters of a sans-serif face are about 0.56 of its height wide, and a little higher on narrow
 * screens (style.c). */
#define LETTER_WIDTH (0.62 * ATTEST_PLOT_LETTER)

double attest_plot_width(const char *text)
{
    return (double)characters(text) * LETTER_WIDTH;
}

void attest_plot_cut(char *to, size_t size, const char *text, double width)
{
    size_t most = width > 2 * LETTER_WIDTH ? (size_t)(width / LETTER_WIDTH) : 2, used = 0;
    bool cut = characters(text) > most;

    for (size_t count = 0; text[used] && used + 8 < size; used++) {
        count += ((unsigned char)text[used] & 0xC0) != 0x80;
        if (cut && count == most)
            break;
    }
    while (text[used] && ((unsigned char)text[used] & 0xC0) == 0x80)
        used--;
    memcpy(to, text, used);
    strcpy(to + used, text[used] ? "\xE2\x80\xA6" : "");
}

double attest_plot_legend(attest_markup *markup, double top, const char *const *name,
                          const int *style, size_t count)
{
    double x = 10, y = top + ATTEST_PLOT_LINE / 2.0;
    char shown[64];

    for (size_t i = 0; i < count; i++) {
        double width;
        attest_plot_cut(shown, sizeof shown, name[i], ATTEST_PLOT_WIDTH - 60);
        width = 26 + attest_plot_width(shown);
        if (x > 10 && x + width > ATTEST_PLOT_WIDTH) {
            x = 10;
            y += ATTEST_PLOT_LINE;
        }
        attest_plot_marker(markup, style[i], x, y, NULL);
        attest_plot_text(markup, NULL, x + 10, y + 4.5, "start", shown);
        x += width;
    }
    return count == 0 ? 0 : y - top + ATTEST_PLOT_LINE / 2.0;
}

/* 2^e and 10^k with a raised exponent. */
static void write_label(attest_markup *markup, double x, double y, const char *anchor,
                        const attest_scale *scale, double value)
{
    char base[32], exponent[32];

    attest_scale_format(base, exponent, scale, value);
    attest_markup_open_class(markup, "text", "tick");
    attest_markup_attribute_number(markup, "x", x);
    attest_markup_attribute_number(markup, "y", y);
    attest_markup_attribute(markup, "text-anchor", anchor);
    attest_markup_text(markup, base);
    if (exponent[0]) {
        attest_markup_open_class(markup, "tspan", "raised");
        attest_markup_attribute(markup, "dy", "-5");
        attest_markup_text(markup, exponent);
        attest_markup_close(markup);
    }
    attest_markup_close(markup);
}

void attest_plot_axis_x(attest_markup *markup, const attest_scale *scale,
                        const attest_plot_area *area, const char *label)
{
    double tick[ATTEST_SCALE_MOST];
    size_t count = attest_scale_get_ticks(tick, scale);

    for (size_t i = 0; i < count; i++) {
        double x = attest_scale_get(scale, tick[i]);
        attest_plot_line(markup, "grid", x, area->top, x, area->bottom);
        write_label(markup, x, area->bottom + 17, "middle", scale, tick[i]);
    }
    attest_plot_line(markup, "axis", area->left, area->bottom, area->right, area->bottom);
    attest_plot_text(markup, "name", (area->left + area->right) / 2, area->bottom + 37,
                     "middle", label);
}

void attest_plot_axis_y(attest_markup *markup, const attest_scale *scale,
                        const attest_plot_area *area, const char *label)
{
    double tick[ATTEST_SCALE_MOST];
    size_t count = attest_scale_get_ticks(tick, scale);
    char middle[32];

    for (size_t i = 0; i < count; i++) {
        double y = attest_scale_get(scale, tick[i]);
        attest_plot_line(markup, "grid", area->left, y, area->right, y);
        write_label(markup, area->left - 6, y + 4.5, "end", scale, tick[i]);
    }
    attest_markup_format(middle, (area->top + area->bottom) / 2);
    attest_markup_open_class(markup, "text", "name");
    attest_markup_attribute_printf(markup, "transform", "translate(14 %s) rotate(-90)", middle);
    attest_markup_attribute(markup, "text-anchor", "middle");
    attest_markup_text(markup, label);
    attest_markup_close(markup);
}

static int compare_marks(const void *a, const void *b)
{
    const attest_plot_mark *one = *(const attest_plot_mark *const *)a;
    const attest_plot_mark *two = *(const attest_plot_mark *const *)b;

    return one->at < two->at ? -1 : one->at > two->at ? 1 : one < two ? -1 : one > two;
}

enum { MOST_MARKS = 16, NAME_LETTER = 11, NAME_GAP = 13 };

double attest_plot_marks_height(const attest_plot_mark *mark, size_t count)
{
    double height = 0;

    for (size_t i = 0; i < count; i++)
        height = fmax(height, attest_plot_width(mark[i].name));
    /* Names are in smaller letters. */
    return count == 0 ? 0 : height * NAME_LETTER / ATTEST_PLOT_LETTER + 12;
}

/* A name from the area's top upward. */
static void write_name(attest_markup *markup, double x, double y, const char *name)
{
    char at_x[32], at_y[32];

    attest_markup_format(at_x, x);
    attest_markup_format(at_y, y);
    attest_markup_open_class(markup, "text", "mark");
    attest_markup_attribute_printf(markup, "transform", "translate(%s %s) rotate(-90)", at_x,
                                   at_y);
    attest_markup_text(markup, name);
    attest_markup_close(markup);
}

void attest_plot_marks(attest_markup *markup, const attest_scale *scale,
                       const attest_plot_area *area, const attest_plot_mark *mark, size_t count)
{
    const attest_plot_mark *sorted[MOST_MARKS];
    double last = -NAME_GAP;

    count = count < MOST_MARKS ? count : MOST_MARKS;
    for (size_t i = 0; i < count; i++)
        sorted[i] = &mark[i];
    qsort(sorted, count, sizeof sorted[0], compare_marks);
    for (size_t i = 0; i < count; i++) {
        double x = attest_scale_get(scale, sorted[i]->at);
        double beside = fmax(x, last + NAME_GAP);
        attest_plot_line(markup, "mark", x, area->top, x, area->bottom);
        attest_plot_line(markup, "mark", x, area->top, beside, area->top - 6);
        write_name(markup, beside + 4, area->top - 8, sorted[i]->name);
        last = beside;
    }
}
