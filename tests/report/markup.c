/* markup.c -- elements balance, text is escaped, numbers have no locale. */
#include <math.h>
#include <string.h>

#include "report/markup.h"
#include "report/plot.h"
#include "report/style.h"
#include "tests/tap.h"

static void check_elements(void)
{
    attest_markup markup;

    attest_markup_init(&markup);
    attest_markup_open_class(&markup, "p", "a\"b");
    attest_markup_text(&markup, "1 < 2 & 'x'\x01\xFF");
    attest_markup_open(&markup, "b");
    attest_markup_attribute_number(&markup, "x", -1.25);
    attest_markup_empty(&markup);
    attest_markup_element(&markup, "code", NULL, "</p>");
    attest_markup_close(&markup);
    TAP_OK(markup.depth == 0 && !markup.text.failed, "balanced");
    TAP_OK(strcmp(markup.text.data, "<p class=\"a&quot;b\">1 &lt; 2 &amp; &#39;x&#39;"
                                    "\xEF\xBF\xBD\xEF\xBF\xBD<b x=\"-1.25\"/>"
                                    "<code>&lt;/p&gt;</code></p>") == 0,
           "%s", markup.text.data);
    attest_markup_clear(&markup);
}

static void check_number(double value, const char *expected)
{
    char text[32];

    attest_markup_format(text, value);
    TAP_OK(strcmp(text, expected) == 0, "%g is written %s", value, text);
}

static void check_numbers(void)
{
    check_number(0, "0");
    check_number(-0.001, "0");
    check_number(10, "10");
    check_number(100.5, "100.5");
    check_number(-0.019, "-0.02");
    check_number(1e8, "100000000");
    check_number(1e300, "0");
    check_number(NAN, "0");
    check_number(-INFINITY, "0");
}

/* Cutting text leaves whole characters. */
static void check_cuts(void)
{
    const char *text = "\xCE\xB1\xCE\xB2\xCE\xB3\xCE\xB4\xCE\xB5\xCE\xB6\xCE\xB7\xCE\xB8";
    char cut[64];

    attest_plot_cut(cut, sizeof cut, text, 1000);
    TAP_OK(strcmp(cut, text) == 0, "text that fits stays");
    attest_plot_cut(cut, sizeof cut, text, 4.5 * 0.62 * ATTEST_PLOT_LETTER);
    TAP_OK(strcmp(cut, "\xCE\xB1\xCE\xB2\xCE\xB3\xE2\x80\xA6") == 0, "four letters: %s", cut);
    for (size_t size = 12; size < 24; size++) {
        size_t length;
        attest_plot_cut(cut, size, text, 1000);
        length = strlen(cut);
        TAP_OK(length < size && (length == 16 || length % 2 == 1), "%zu bytes: %s", size, cut);
    }
}

static void check_hash(void)
{
    attest_text hash;

    attest_text_init(&hash);
    attest_markup_hash(&hash, "abc", 3);
    /* the digest of FIPS 180-2's first example, in base 64 */
    TAP_OK(strcmp(hash.data, "sha256-ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=") == 0, "%s",
           hash.data);
    attest_text_clear(&hash);
    TAP_OK(!strpbrk(attest_style_plot, "<&") && !strpbrk(attest_style_page, "<&"),
           "the styles need no escaping");
}

TEST(markup)
{
    check_elements();
    check_numbers();
    check_cuts();
    check_hash();
    return 0;
}
