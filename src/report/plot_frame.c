/* plot_frame.c -- what all plots are made of: the frame, lines, letters, markers. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/plot.h"

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
