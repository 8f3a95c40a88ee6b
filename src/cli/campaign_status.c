/* campaign_status.c -- attest campaign status: the progress of campaigns. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "campaign/status.h"
#include "cli/command.h"

static int run(int argc, char **argv);

const attest_command attest_command_campaign_status = {
    .name = "campaign status",
    .arguments = "DIR... [OPTION]...",
    .summary = "show the progress of running or finished campaigns",
    .details =
        "Reads the journals of campaigns or of their shards, running or not, and prints\n"
        "host and process, trials done, rate, time left and violations. Violations that\n"
        "were shrunk to the same instance are counted as one. The exit code is 0, even if\n"
        "violations were found.",
    .example = "  attest campaign status night\n  attest campaign status cluster/shard.*",
    .run = run,
};

/* Totals of all directories. */
typedef struct overview {
    size_t directories, running, finished;
    attest_campaign_status_total total;
    double left; /* seconds until the last one is done; NAN: unknown */
} overview;

static double time_left(const attest_campaign_status *directory,
                        const attest_campaign_status_total *total)
{
    if (directory->finished)
        return 0;
    if (!total->known || total->trials == 0)
        return NAN;
    return (double)total->left * total->seconds / (double)total->trials;
}

static void add(overview *all, const attest_campaign_status *directory,
                const attest_campaign_status_total *total)
{
    double left = time_left(directory, total);

    all->directories++;
    all->running += directory->running != 0;
    all->finished += directory->finished;
    all->total.trials += total->trials;
    all->total.failed += total->failed;
    all->total.undecided += total->undecided;
    all->total.left += total->left;
    all->total.seconds += total->seconds;
    all->total.known = all->total.known && total->known;
    all->left = isnan(left) || isnan(all->left) ? NAN : fmax(all->left, left);
}

static const char *state_of(const attest_campaign_status *directory)
{
    return directory->running ? "running" : directory->finished ? "finished" : "stopped";
}

static void print_time(const char *what, double seconds)
{
    if (isnan(seconds))
        return;
    if (seconds < 100)
        attest_print(", %.0f s %s", seconds, what);
    else if (seconds < 6000)
        attest_print(", %.0f min %s", seconds / 60, what);
    else
        attest_print(", %.1f h %s", seconds / 3600, what);
}

static void print_totals(const attest_campaign_status_total *total, double left)
{
    attest_print("%" PRIu64 " trials", total->trials);
    if (total->known && total->left)
        attest_print(" of %" PRIu64, total->trials + total->left);
    if (total->seconds > 0)
        attest_print(", %.4g/s", (double)total->trials / total->seconds);
    attest_print(", %" PRIu64 " failed, %" PRIu64 " undecided", total->failed,
                 total->undecided);
    if (total->left || !total->known)
        print_time("left", left);
    putchar('\n');
}

static void print_directory(const attest_campaign_status *directory,
                            const attest_campaign_status_total *total)
{
    attest_print("%s", directory->path);
    attest_print(": %s", state_of(directory));
    if (directory->running > 0)
        attest_print(" (process %ld)", (long)directory->running);
    if (directory->shards > 1)
        attest_print(", shard %zu/%zu", directory->shard, directory->shards);
    if (!directory->finished)
        print_time("since the last record", directory->silence);
    attest_print(", ");
    print_totals(total, time_left(directory, total));
}

static void print_properties(const attest_campaign_status *directory)
{
    for (size_t p = 0; p < directory->properties; p++) {
        const attest_campaign_status_property *property = &directory->property[p];

        attest_print("  %s: %" PRIu64, property->name, property->trials);
        if (!property->timed)
            attest_print(" of %" PRIu64, property->planned);
        attest_print(" trials");
        if (property->failed)
            attest_print(", %" PRIu64 " failed", property->failed);
        if (property->undecided)
            attest_print(", %" PRIu64 " undecided", property->undecided);
        if (property->seconds > 0)
            attest_print(" (%.3g/s)", (double)property->trials / property->seconds);
        putchar('\n');
    }
}

static void write_totals(attest_json *json, const attest_campaign_status_total *total,
                         double left)
{
    attest_json_write_count(json, "trials", total->trials);
    if (total->known)
        attest_json_write_count(json, "planned", total->trials + total->left);
    else
        attest_json_write_null(json, "planned");
    attest_json_write_count(json, "failed", total->failed);
    attest_json_write_count(json, "undecided", total->undecided);
    attest_json_write_measure(json, "trials_per_second",
                              total->seconds > 0 ? (double)total->trials / total->seconds
                                                 : NAN);
    attest_json_write_measure(json, "seconds_left", left);
}

static void write_directory(attest_json *json, const attest_campaign_status *directory,
                            const attest_campaign_status_total *total)
{
    attest_json_write_object(json, NULL);
    attest_json_write_string(json, "folder", directory->path);
    attest_json_write_string(json, "state", state_of(directory));
    if (directory->running > 0)
        attest_json_write_integer(json, "process", directory->running);
    attest_json_write_string(json, "seed", directory->seed);
    attest_json_write_count(json, "shard", directory->shard);
    attest_json_write_count(json, "shards", directory->shards);
    attest_json_write_measure(json, "seconds_since_record", directory->silence);
    write_totals(json, total, time_left(directory, total));
    attest_json_write_array(json, "properties");
    for (size_t p = 0; p < directory->properties; p++) {
        const attest_campaign_status_property *property = &directory->property[p];

        attest_json_write_object(json, NULL);
        attest_json_write_string(json, "name", property->name);
        attest_json_write_count(json, "trials", property->trials);
        if (!property->timed)
            attest_json_write_count(json, "planned", property->planned);
        attest_json_write_count(json, "failed", property->failed);
        attest_json_write_count(json, "undecided", property->undecided);
        attest_json_write_close(json);
    }
    attest_json_write_close(json);
    attest_json_write_close(json);
}

static void print_end(const overview *all, const attest_chunk_result *findings)
{
    if (all->directories > 1) {
        attest_print("%zu directories: %zu running, %zu finished, ", all->directories,
                     all->running, all->finished);
        print_totals(&all->total, all->left);
    }
    for (size_t v = 0; v < findings->violations; v++) {
        attest_print("found, %" PRIu64 " times%s: ", findings->violation[v].more + 1,
                     findings->violation[v].flaky ? ", flaky" : "");
        attest_print("%s", findings->violation[v].reason);
        putchar('\n');
    }
}

static void write_end(attest_json *json, const overview *all,
                      const attest_chunk_result *findings)
{
    attest_json_write_close(json);
    attest_json_write_object(json, "total");
    attest_json_write_count(json, "folders", all->directories);
    attest_json_write_count(json, "running", all->running);
    attest_json_write_count(json, "finished", all->finished);
    write_totals(json, &all->total, all->left);
    attest_json_write_close(json);
    attest_json_write_array(json, "findings");
    for (size_t v = 0; v < findings->violations; v++) {
        attest_json_write_object(json, NULL);
        attest_json_write_string(json, "reason", findings->violation[v].reason);
        attest_json_write_count(json, "trials", findings->violation[v].more + 1);
        if (findings->violation[v].flaky)
            attest_json_write_bool(json, "flaky", true);
        attest_json_write_text(json, "counterexample", findings->violation[v].text);
        attest_json_write_close(json);
    }
    attest_json_write_close(json);
    attest_json_write_close(json);
}

static int show(char *const *paths, size_t count, attest_json *json, overview *all,
                attest_chunk_result *findings, attest_budget *budget)
{
    for (size_t i = 0; i < count; i++) {
        attest_campaign_status directory;
        attest_campaign_status_total total;
        attest_error error;

        if (attest_campaign_status_read(&directory, paths[i], findings, budget, &error))
            return attest_cli_fail_journal(&error);
        total = attest_campaign_status_sum(&directory);
        add(all, &directory, &total);
        if (json)
            write_directory(json, &directory, &total);
        else
            print_directory(&directory, &total);
        if (!json && count == 1)
            print_properties(&directory);
        attest_campaign_status_clear(&directory);
    }
    return EXIT_HOLDS;
}

static int run(int argc, char **argv)
{
    overview all = {.total = {.known = true}};
    attest_chunk_result findings;
    attest_common common;
    attest_json json;
    char **paths;
    size_t count;
    int code;

    ATTEST_CLI_TRY(attest_cli_parse(&attest_command_campaign_status, &common, NULL, argc, argv,
                                    1, 1000000, &paths, &count));
    attest_chunk_result_init(&findings);
    if (common.json) {
        attest_json_write_begin(&json, stdout);
        attest_json_write_object(&json, NULL);
        attest_json_write_format(&json, "attest/campaign-status");
        attest_json_write_array(&json, "campaigns");
    }
    code = show(paths, count, common.json ? &json : NULL, &all, &findings, &common.budget);
    if (code == EXIT_HOLDS && !common.json)
        print_end(&all, &findings);
    if (code == EXIT_HOLDS && common.json) {
        write_end(&json, &all, &findings);
        code = attest_cli_end_json(&json, code);
    }
    attest_chunk_result_clear(&findings);
    return code;
}
