/* tap.c -- TAP 12. */
#include "report/tap.h"

#include <string.h>

#include "base/escape.h"
#include "base/scope.h"

void attest_tap_add_test(attest_text *text, bool passed, size_t number)
{
    attest_text_printf(text, "%sok %zu - ", passed ? "" : "not ", number);
}

void attest_tap_add_name(attest_text *text, const char *name)
{
    ATTEST_SCOPED(attest_text, harmless);

    attest_escape_terminal(&harmless, name, strlen(name));
    for (size_t i = 0; i < harmless.size; i++)
        attest_text_printf(text, harmless.data[i] == '#' ? "\\%c" : "%c", harmless.data[i]);
    text->failed |= harmless.failed;
}

void attest_tap_add_comment(attest_text *text, const char *what, const char *line)
{
    attest_text_printf(text, "# %s", what);
    attest_escape_terminal(text, line, strlen(line));
    attest_text_add(text, "\n");
}

void attest_tap_add_plan(attest_text *text, size_t count)
{
    attest_text_printf(text, "1..%zu\n", count);
}

attest_status attest_tap_print(attest_text *text, FILE *stream)
{
    attest_status status = text->failed ? ATTEST_NOMEM : ATTEST_OK;

    if (status == ATTEST_OK && text->data)
        fputs(text->data, stream);
    attest_text_clear(text);
    return status;
}
