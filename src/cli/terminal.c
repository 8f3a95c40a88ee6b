/* terminal.c -- how wide the lines of standard output may be. */
#include <stdlib.h>
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
