/* terminal.c -- how wide the lines of standard output may be, and whether they have colours. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/text.h"
#include "cli/command.h"

enum { USUAL_WIDTH = 80, LEAST_WIDTH = 20, MOST_WIDTH = 1000, MARGIN = 2 };

size_t attest_cli_width(void)
{
    const char *columns = getenv("COLUMNS");
    struct winsize size;
    long width = columns ? strtol(columns, NULL, 10) : 0;

    if (width <= 0 && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0)
        width = size.ws_col;
    if (width <= 0)
        width = USUAL_WIDTH;
    return (size_t)(width < LEAST_WIDTH  ? LEAST_WIDTH
                    : width > MOST_WIDTH ? MOST_WIDTH
                                         : width);
}

/* Prints a line unchanged. */
static const char *print_line(const char *text)
{
    size_t length = strcspn(text, "\n");

    attest_print("%.*s\n", (int)length, text);
    return text + length + (text[length] != '\0');
}

const char *attest_cli_print_wrapped(const char *text, int indent)
{
    size_t wide = attest_cli_width();
    int width = (int)(wide < USUAL_WIDTH ? wide : USUAL_WIDTH) - MARGIN, column = indent;

    if (*text == ' ' || *text == '\n')
        return print_line(text);
    while (*text && !(*text == '\n' && (text[1] == ' ' || text[1] == '\n'))) {
        int word = (int)strcspn(text += strspn(text, " \n"), " \n");

        if (column > indent && column + 1 + word > width) {
            attest_print("\n%*s", indent, "");
            column = indent;
        } else if (column > indent) {
            putchar(' ');
            column++;
        }
        attest_print("%.*s", word, text);
        column += word;
        text += word;
        if (*text == ' ')
            text += strspn(text, " ");
    }
    putchar('\n');
    return *text ? text + 1 : text;
}

static bool hints_disabled;

void attest_cli_disable_hints(void)
{
    hints_disabled = true;
}

void attest_cli_print_hint(const attest_common *common, const char *format, ...)
{
    char text[1024];
    attest_text shown;
    va_list arguments;

    if (hints_disabled || common->json || common->stdout_by || !isatty(STDOUT_FILENO))
        return;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    attest_text_init(&shown);
    attest_escape_terminal(&shown, text, strlen(text));
    if (!shown.failed) {
        putchar('\n');
        attest_cli_print_wrapped(shown.data, 0);
    }
    attest_text_clear(&shown);
}

const char *const attest_color_names[] = {"auto", "always", "never", NULL};

bool attest_cli_paints(int color)
{
    const char *none = getenv("NO_COLOR"), *terminal = getenv("TERM");

    if (color != 0)
        return color == 1;
    if ((none && *none) || !terminal || strcmp(terminal, "dumb") == 0)
        return false;
    return isatty(STDOUT_FILENO);
}
