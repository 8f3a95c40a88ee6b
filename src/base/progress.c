/* progress.c -- the line on standard error that shows how long work goes on. */
#include "base/progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"

#define SECONDS_BETWEEN_LINES 0.2

void attest_progress_begin(attest_progress *progress, const char *what, uint64_t total)
{
    progress->what = what;
    progress->total = total;
    progress->began = attest_clock_seconds();
    progress->drawn = progress->began;
    progress->shown = isatty(STDERR_FILENO);
    progress->dirty = false;
}

static void format_time(char *text, size_t size, double seconds)
{
    if (seconds < 100)
        snprintf(text, size, "%.0f s", seconds);
    else if (seconds < 6000)
        snprintf(text, size, "%.0f min", seconds / 60);
    else
        snprintf(text, size, "%.1f h", seconds / 3600);
}

void attest_progress_format(char *line, int size, const attest_progress *progress,
                            uint64_t done, double seconds, const char *note)
{
    double rate = seconds > 0 ? (double)done / seconds : 0;
    char left[32] = "";

    if (progress->total && rate > 0 && done < progress->total)
        format_time(left, sizeof left, (double)(progress->total - done) / rate);
    if (progress->total)
        snprintf(line, (size_t)size,
                 "%" PRIu64 " of %" PRIu64 " %s (%.0f %%), %.4g/s%s%s%s%s%s", done,
                 progress->total, progress->what,
                 100.0 * (double)done / (double)progress->total, rate, left[0] ? ", " : "",
                 left, left[0] ? " left" : "", note ? ", " : "", note ? note : "");
    else
        snprintf(line, (size_t)size, "%" PRIu64 " %s, %.4g/s%s%s", done, progress->what, rate,
                 note ? ", " : "", note ? note : "");
}

void attest_progress_update(attest_progress *progress, uint64_t done, const char *note)
{
    char line[160];
    double time;

    if (!progress->shown)
        return;
    time = attest_clock_seconds();
    if (time - progress->drawn < SECONDS_BETWEEN_LINES)
        return;
    progress->drawn = time;
    progress->dirty = true;
    attest_progress_format(line, sizeof line, progress, done, time - progress->began, note);
    fprintf(stderr, "\r%s\033[K", line);
    fflush(stderr);
}

void attest_progress_end(attest_progress *progress)
{
    if (progress->dirty)
        fputs("\r\033[K", stderr);
    progress->dirty = false;
}
