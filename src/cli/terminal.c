/* terminal.c -- how wide the lines of standard output may be, and whether they have colours. */
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/command.h"

enum { USUAL_WIDTH = 80, LEAST_WIDTH = 20, MOST_WIDTH = 1000 };

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
