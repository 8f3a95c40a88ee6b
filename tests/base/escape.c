/* escape.c -- escaping of untrusted text. */
#include <string.h>

#include "base/text.h"
#include "tests/tap.h"

typedef void escape_function(attest_text *, const char *, size_t);

static void check(escape_function *escape, const char *in, size_t size, const char *out,
                  const char *what)
{
    attest_text text;
    char *got;

    attest_text_init(&text);
    escape(&text, in, size);
    got = attest_text_take(&text);
    if (!TAP_OK(got && strcmp(got, out) == 0, "%s", what))
        printf("# got %s, expected %s\n", got, out);
    free(got);
}

#define CHECK(escape, in, out, what) check(attest_escape_##escape, in, sizeof in - 1, out, what)

TEST(escape)
{
    CHECK(terminal, "plain \xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80",
          "plain \xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80", "terminal: UTF-8 is kept");
    CHECK(terminal, "a\x1b[31m\n\x7f", "a\\x1b[31m\\x0a\\x7f", "terminal: controls");
    CHECK(terminal, "\xC2\x9B", "\\xc2\\x9b", "terminal: C1 controls");
    CHECK(terminal, "\xC0\x80\xED\xA0\x80\xF5\x80", "\\xc0\\x80\\xed\\xa0\\x80\\xf5\\x80",
          "terminal: overlong forms, surrogates, beyond U+10FFFF");
    CHECK(terminal, "\xE0\x9F\xBF\xF0\x8F\xBF\xBF\xF4\x90\x80\x80",
          "\\xe0\\x9f\\xbf\\xf0\\x8f\\xbf\\xbf\\xf4\\x90\\x80\\x80",
          "terminal: just outside the valid ranges");
    CHECK(terminal, "\xE2\x82", "\\xe2\\x82", "terminal: an incomplete character at the end");
    CHECK(terminal, "\xE2\x82x", "\\xe2\\x82x",
          "terminal: an incomplete character before a letter");
    CHECK(terminal, "a\xE2\x80\xAE", "a\\xe2\\x80\\xae", "terminal: right-to-left override");
    CHECK(terminal, "\xD8\x9C\xE2\x80\x8E\xE2\x80\x8F\xE2\x80\xA8\xE2\x80\xA9",
          "\\xd8\\x9c\\xe2\\x80\\x8e\\xe2\\x80\\x8f\\xe2\\x80\\xa8\\xe2\\x80\\xa9",
          "terminal: direction marks, line and paragraph separators");
    CHECK(terminal, "\xD8\x9B\xE2\x80\x8D\xE2\x80\xAF\xE2\x81\xA5\xE2\x81\xAA",
          "\xD8\x9B\xE2\x80\x8D\xE2\x80\xAF\xE2\x81\xA5\xE2\x81\xAA",
          "terminal: characters with neighbouring codes are kept");
    CHECK(json, "\xD8\x9C\xE2\x80\xA8", "\\u061c\\u2028",
          "json: a direction mark and a line separator");
    CHECK(json, "\"\\/\n\x01", "\\\"\\\\/\\u000a\\u0001", "json: quotes and controls");
    CHECK(json, "a\0b", "a\\u0000b", "json: a zero byte");
    CHECK(json, "\xFFx\xC3\xA9", "\xEF\xBF\xBDx\xC3\xA9", "json: not UTF-8");
    CHECK(json, "\x7f\xC2\x9B\xE2\x80\xAE\xE2\x81\xA6", "\\u007f\\u009b\\u202e\\u2066",
          "json: characters that are unsafe in a terminal");
    CHECK(json_text, "{\"a\\n\": \"\x1b\xC2\x9B\"}\n", "{\"a\\n\": \"\\u001b\\u009b\"}\n",
          "json_text: quotes and newlines of a whole text are kept");
    CHECK(markup, "<a href=\"x\">&'</a>", "&lt;a href=&quot;x&quot;&gt;&amp;&#39;&lt;/a&gt;",
          "markup: < > & and both quotes");
    CHECK(markup, "a\tb\n\x01\xEF\xBF\xBF\xFF", "a\tb\n\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD",
          "markup: characters that XML does not allow");
    CHECK(markup, "a\x7F\r\n\t<", "a\xEF\xBF\xBD&#13;\n\t&lt;", "markup: DEL and line ends");
    CHECK(attribute, "a\x7F\r\n\t<", "a\xEF\xBF\xBD&#13;&#10;&#9;&lt;",
          "attribute: DEL, tabs and line ends");
    CHECK(markup,
          "\xE2\x80\xAE"
          "a\xE2\x81\xA7"
          "b\xE2\x80\xAF\xE2\x81\xAA\xC2\x9B",
          "\xEF\xBF\xBD"
          "a\xEF\xBF\xBD"
          "b\xE2\x80\xAF\xE2\x81\xAA\xEF\xBF\xBD",
          "markup: direction controls and a C1 control");
    return 0;
}
