/* bench.c -- attest bench: the fast path and the certifier against plain ways, as ratios.
 *
 * A shared machine drifts between a fast and a slow state, so contestants take turns, and the
 * best time of each counts. */
#include "cli/bench.h"

#include <math.h>
#include <stdio.h>

#include "audit/record.h"
#include "base/clock.h"
#include "base/progress.h"
#include "cli/command.h"
#include "cli/progress.h"
#include "io/json_write.h"

static int run(int argc, char **argv);

const attest_command attest_command_bench = {
    .name = "bench",
    .arguments = "[OPTION]...",
    .summary = "measure the fast path and the certifier against plain ways",
    .details =
        "Every line is one race in this process, on one core: contestants take turns, and the\n"
        "best time of each counts. The ratio says how many times faster the first one is; for\n"
        "the error bound, below 1, what it costs. Comparisons with other libraries: make "
        "bench.",
    .example = "  attest bench\n  ATTEST_KERNEL=scalar attest bench --time 20 --json",
    .run = run,
};

enum { RACES = BENCH_KERNEL_RACES + BENCH_CERTIFIER_RACES, LEAST_ROUNDS = 3 };

/* The time of one run, if it is better than the best so far; 0 if it could not be done. */
static double better(bench_work *work, void *context, double best)
{
    double start = attest_clock_seconds();

    if (!work(context))
        return 0.0;
    return fmin(best, attest_clock_seconds() - start);
}

void attest_bench_run(bench_race *race, void *context, double seconds)
{
    double end = attest_clock_seconds() + seconds;

    race->seconds = race->baseline_seconds = INFINITY;
    for (int round = 0; round < LEAST_ROUNDS || attest_clock_seconds() < end; round++) {
        race->seconds = better(race->run_fast, context, race->seconds);
        race->baseline_seconds = better(race->run_baseline, context, race->baseline_seconds);
        if (race->seconds == 0.0 || race->baseline_seconds == 0.0)
            break;
    }
}

static double ratio(const bench_race *race)
{
    return race->seconds > 0.0 && race->baseline_seconds > 0.0
               ? race->baseline_seconds / race->seconds
               : NAN;
}

static void print_race(const bench_race *race, void *context)
{
    (void)context;
    attest_print("%-39s %-16s %10.3f us %-10s %10.3f us %7.2fx\n", race->work, race->fast,
                 race->seconds * 1e6, race->baseline, race->baseline_seconds * 1e6,
                 ratio(race));
    fflush(stdout);
}

static void write_race(const bench_race *race, void *context)
{
    attest_json *json = context;

    attest_json_write_object(json, NULL);
    attest_json_write_string(json, "work", race->work);
    attest_json_write_string(json, "fast", race->fast);
    attest_json_write_measure(json, "seconds", race->seconds);
    attest_json_write_string(json, "baseline", race->baseline);
    attest_json_write_measure(json, "baseline_seconds", race->baseline_seconds);
    attest_json_write_measure(json, "ratio", ratio(race));
    attest_json_write_close(json);
}

/* Where a race goes when it is over. */
typedef struct bench_finish {
    bench_emit *emit;
    void *context;
    attest_progress progress;
    uint64_t done;
} bench_finish;

/* The line of progress makes room for the result. */
static void finish_race(const bench_race *race, void *context)
{
    bench_finish *finish = context;

    attest_progress_end(&finish->progress);
    finish->emit(race, finish->context);
    attest_progress_report(&finish->progress, "races", ++finish->done, RACES, NULL);
}

static attest_status race_all(double seconds, bench_emit *emit, void *context)
{
    bench_finish finish = {emit, context, attest_cli_progress(), 0};
    attest_status status;

    attest_cli_work_begin("racing");
    attest_progress_report(&finish.progress, "races", 0, RACES, NULL);
    status = attest_bench_kernels(seconds / RACES, finish_race, &finish);
    if (!status)
        status = attest_bench_certifier(seconds / RACES, finish_race, &finish);
    attest_cli_work_end();
    return status;
}

static attest_status bench_json(double seconds)
{
    attest_status status, written;
    attest_json json;

    attest_json_write_begin(&json, stdout);
    attest_json_write_object(&json, NULL);
    attest_json_write_string(&json, "kernel", attest_kernel_name());
    attest_audit_write_maker(&json);
    attest_json_write_array(&json, "races");
    status = race_all(seconds, write_race, &json);
    attest_json_write_close(&json);
    attest_json_write_close(&json);
    written = attest_json_write_end(&json);
    return status ? status : written;
}

static int run(int argc, char **argv)
{
    unsigned long seconds = 6;
    attest_common common;
    attest_status status;
    char **operands;
    size_t count;
    const attest_option options[] = {
        {"time", 0, "T", "measure for about T seconds; 6 if not given", OPTION_COUNT, &seconds,
         NULL},
        {0},
    };
    int code = attest_cli_parse(&attest_command_bench, &common, options, argc, argv, 0, 0,
                                &operands, &count);

    if (code != EXIT_HOLDS)
        return code;
    if (common.json) {
        status = bench_json((double)seconds);
    } else {
        attest_print("kernel %s; best times of one run of the work\n", attest_kernel_name());
        status = race_all((double)seconds, print_race, NULL);
    }
    if (status) {
        attest_cli_complain("the measurement failed: %s",
                            status == ATTEST_NOMEM ? "out of memory" : "cannot write");
        return EXIT_ENVIRONMENT;
    }
    return EXIT_HOLDS;
}
