/* The property engine: trials per second, false duplicates among 10^7 inputs, isolated trials
 * in batches and one by one, calls that shrinking takes. Where a genuine libtheft was found,
 * its rates are measured in turn with ours. */
#include <libgen.h>
#include <string.h>

#include "base/workers.h"
#include "bench/theft_rate.h"
#include "theft/theft_extensions.h"

#define TRIALS 1000000
#define MANY 10000000
#define ROUNDS 5

static struct theft_run_report run_report;
static struct theft_extension_report report;

/* The same measurement by the other engine's program, which prints one number; 0 without it. */
static double genuine_rate(const char *self, const char *which)
{
    char path[4096], command[4200];
    double rate = 0;
    snprintf(path, sizeof path, "%s", self);
    snprintf(command, sizeof command, "%s/bench-theft-genuine %s 2>/dev/null", dirname(path),
             which);
    FILE *p = popen(command, "r");
    if (p && fscanf(p, "%lf", &rate) != 1)
        rate = 0;
    if (p)
        pclose(p);
    return rate;
}

static void compare(const char *self, const char *what, const char *which,
                    const struct theft_type_info *info)
{
    double ours = 0, theirs = 0;
    for (int i = 0; i < ROUNDS; i++) {
        double rate = trial_rate(info, TRIALS, &run_report);
        ours = rate > ours ? rate : ours;
        rate = genuine_rate(self, which);
        theirs = rate > theirs ? rate : theirs;
    }
    printf("%-44s %8.2f M trials/s", what, ours / 1e6);
    if (theirs > 0)
        printf("   genuine %6.2f, ratio %.1f", theirs / 1e6, ours / theirs);
    printf("\n");
}

static void many_inputs(void)
{
    double rate = trial_rate(&word_hashed, MANY, &run_report);
    printf("%-44s %8.2f M trials/s   %zu false duplicates\n", "10^7 distinct hashed inputs",
           rate / 1e6, run_report.dup);
    rate = trial_rate(&word_shrinking, MANY, &run_report);
    printf("%-44s %8.2f M trials/s   %zu false duplicates\n", "10^7 distinct choice sequences",
           rate / 1e6, run_report.dup);
}

/* Child processes count: by the clock on the wall. */
static double isolated_rate(size_t batch, size_t trials)
{
    struct theft_extension_config ext = {.batch = batch};
    struct theft_run_config cfg = {.prop1 = trivial,
                                   .type_info = {&word_shrinking},
                                   .trials = trials,
                                   .fork = {.enable = true, .timeout = 1000}};
    quieten(&cfg);
    double start = attest_clock_seconds();
    if (theft_run_extended(&cfg, &ext, &report, NULL) != THEFT_RUN_PASS)
        fprintf(stderr, "isolated trials did not pass\n");
    return (double)trials / (attest_clock_seconds() - start);
}

int main(int argc, char **argv)
{
    const char *self = argc > 0 ? argv[0] : "./bench-theft";
    compare(self, "trivial property, nothing to identify inputs", "plain", &word_plain);
    compare(self, "trivial property, hashed inputs", "hashed", &word_hashed);
    compare(self, "trivial property, autoshrinking inputs", "shrinking", &word_shrinking);
    many_inputs();
    printf("%-44s %8.1f k trials/s\n", "isolated, one process each",
           isolated_rate(1, 3000) / 1e3);
    printf("%-44s %8.1f k trials/s\n", "isolated, batches of 1000",
           isolated_rate(1000, 500000) / 1e3);
    return 0;
}
