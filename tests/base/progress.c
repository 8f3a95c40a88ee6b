/* The progress line. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/terminal.h"
#include "tests/tap.h"

static void check(uint64_t total, uint64_t done, double seconds, const char *note,
                  const char *expected)
{
    char text[160];

    attest_cli_line_format(text, sizeof text, "pairs", done, total, seconds, note);
    if (!TAP_OK(strcmp(text, expected) == 0, "%s", expected))
        printf("# got %s\n", text);
}

static void check_drawing(void)
{
    attest_cli_line line = {.on_terminal = true};
    attest_progress progress = {attest_cli_line_report, &line};

    progress.report(progress.context, "pairs", 0, 10, NULL);
    TAP_OK(!line.visible, "the first report draws nothing");
    line.last_drawn -= 1;
    progress.report(progress.context, "pairs", 4, 10, NULL);
    TAP_OK(!line.visible, "nothing is drawn in the first second");
    line.work_began -= 1;
    progress.report(progress.context, "pairs", 5, 10, NULL);
    TAP_OK(line.visible, "a report after the first second draws the line");
    progress.report(progress.context, "pairs", 6, 10, NULL);
    progress.report(progress.context, NULL, 0, 0, NULL);
    TAP_OK(!line.visible, "the line is wiped at the end");
    line.on_terminal = false;
    line.last_drawn -= 1;
    progress.report(progress.context, "pairs", 7, 10, NULL);
    TAP_OK(!line.visible, "without a terminal nothing is drawn");
}

/* On a terminal of 20 columns the program writes "\r", at most 19 characters, and the escape
 * sequence that erases the rest of the line. */
static void check_width(void)
{
    attest_cli_line line = {.on_terminal = true, .width = 20};
    char text[100] = "";
    FILE *file = tmpfile();
    int saved = dup(STDERR_FILENO);

    if (!TAP_OK(file && saved >= 0, "standard error can be redirected to a file"))
        return;
    attest_cli_line_report(&line, "pairs", 0, 10, NULL);
    line.work_began -= 2;
    line.last_drawn -= 2;
    dup2(fileno(file), STDERR_FILENO);
    attest_cli_line_report(&line, "pairs", 5, 10, "a note that is too long");
    dup2(saved, STDERR_FILENO);
    close(saved);
    rewind(file);
    TAP_OK(fgets(text, sizeof text, file) && strcmp(text, "\r5 of 10 pairs (50 %\033[K") == 0,
           "the line is cut to the width of the terminal");
    fclose(file);
}

TEST(progress)
{
    check(200, 50, 5, NULL, "50 of 200 pairs (25 %), 10/s, 15 s left");
    check(200, 200, 5, "margin 2^-7", "200 of 200 pairs (100 %), 40/s, margin 2^-7");
    check(1000000, 1000, 1, NULL, "1000 of 1000000 pairs (0 %), 1000/s, 17 min left");
    check(100000000, 1000, 1, NULL, "1000 of 100000000 pairs (0 %), 1000/s, 27.8 h left");
    check(0, 7, 2, NULL, "7 pairs, 3.5/s");
    check(0, 0, 0, "waiting", "0 pairs, waiting");
    check_drawing();
    check_width();
    return 0;
}
