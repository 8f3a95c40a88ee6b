/* The progress line. */
#include <string.h>

#include "base/progress.h"
#include "tests/tap.h"

static void check(uint64_t total, uint64_t done, double seconds, const char *note,
                  const char *expected)
{
    attest_progress progress = {.what = "pairs", .total = total};
    char line[160];

    attest_progress_format(line, sizeof line, &progress, done, seconds, note);
    if (!TAP_OK(strcmp(line, expected) == 0, "%s", expected))
        printf("# got %s\n", line);
}

int main(void)
{
    attest_progress progress;

    check(200, 50, 5, NULL, "50 of 200 pairs (25 %), 10/s, 15 s left");
    check(200, 200, 5, "margin 2^-7", "200 of 200 pairs (100 %), 40/s, margin 2^-7");
    check(1000000, 1000, 1, NULL, "1000 of 1000000 pairs (0 %), 1000/s, 17 min left");
    check(100000000, 1000, 1, NULL, "1000 of 100000000 pairs (0 %), 1000/s, 27.8 h left");
    check(0, 7, 2, NULL, "7 pairs, 3.5/s");
    check(0, 0, 0, "waiting", "0 pairs, 0/s, waiting");
    attest_progress_begin(&progress, "pairs", 10);
    progress.shown = true;
    progress.drawn -= 1;
    attest_progress_update(&progress, 5, NULL);
    TAP_OK(progress.dirty, "a line is drawn after a while");
    attest_progress_update(&progress, 6, NULL);
    attest_progress_end(&progress);
    TAP_OK(!progress.dirty, "and wiped at the end");
    return tap_done();
}
