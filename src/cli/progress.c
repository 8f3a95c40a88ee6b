/* progress.c -- the line on standard error that shows how long work goes on. */
#include "cli/progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"

#define SECONDS_BEFORE_LINES 1.0
#define SECONDS_BETWEEN_LINES 0.2

static void format_time(char *text, size_t size, double seconds)
{
    if (seconds < 100)
        snprintf(text, size, "%.0f s", seconds);
    else if (seconds < 6000)
        snprintf(text, size, "%.0f min", seconds / 60);
    else
        snprintf(text, size, "%.1f h", seconds / 3600);
}

void attest_cli_line_format(char *text, int size, const char *what, uint64_t done,
                            uint64_t total, double seconds, const char *note)
{
    double rate = seconds > 0 ? (double)done / seconds : 0;
    char left[32] = "";

    if (total && rate > 0 && done < total)
        format_time(left, sizeof left, (double)(total - done) / rate);
    if (total)
        snprintf(text, (size_t)size,
                 "%" PRIu64 " of %" PRIu64 " %s (%.0f %%), %.4g/s%s%s%s%s%s", done, total, what,
                 100.0 * (double)done / (double)total, rate, left[0] ? ", " : "", left,
                 left[0] ? " left" : "", note ? ", " : "", note ? note : "");
    else
        snprintf(text, (size_t)size, "%" PRIu64 " %s, %.4g/s%s%s", done, what, rate,
                 note ? ", " : "", note ? note : "");
}

static void wipe(attest_cli_line *line)
{
    if (line->dirty)
        fputs("\r\033[K", stderr);
    line->dirty = false;
}

void attest_cli_line_report(void *context, const char *what, uint64_t done, uint64_t total,
                            const char *note)
{
    attest_cli_line *line = context;
    char text[160];
    double time;

    if (!line->shown)
        return;
    if (!what) {
        wipe(line);
        return;
    }
    time = attest_clock_seconds();
    if (line->since == 0)
        line->since = time;
    if (done == 0)
        line->began = line->drawn = time;
    if (time - line->since < SECONDS_BEFORE_LINES || time - line->drawn < SECONDS_BETWEEN_LINES)
        return;
    line->drawn = time;
    line->dirty = true;
    attest_cli_line_format(text, sizeof text, what, done, total, time - line->began, note);
    fprintf(stderr, "\r%s\033[K", text);
    fflush(stderr);
}

attest_progress attest_cli_progress(void)
{
    static attest_cli_line line;

    line = (attest_cli_line){.shown = isatty(STDERR_FILENO)};
    return (attest_progress){attest_cli_line_report, &line};
}
