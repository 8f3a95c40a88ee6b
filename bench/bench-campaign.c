/* bench-campaign.c -- trials per second of processor time of every property, end to end: drawn,
 * decided, labelled, sent by a worker and joined. Where a property decides many instances
 * together, the rate of deciding them one by one stands beside it. Searches go on after they
 * have found what they look for, so their rates are mostly those of shrinking.
 *
 *     bench-campaign [PROPERTY...]           # all of them
 *     bench-campaign --here PROPERTY TRIALS  # in this process, for a profiler */
#include <string.h>
#include <sys/resource.h>

#include "campaign/campaign.h"
#include "campaign/chunk.h"
#include "props/registry.h"
#include "timing.h"

/* Processor time of a measurement, at least. */
#define ENOUGH 0.5

static void fail(const char *name, const attest_error *error)
{
    fprintf(stderr, "bench-campaign: %s: %s\n", name, error->text);
    exit(1);
}

/* Of this process and of all children that have ended. */
static double processor_time(void)
{
    static const int who[] = {RUSAGE_SELF, RUSAGE_CHILDREN};
    double sum = 0;

    for (int i = 0; i < 2; i++) {
        struct rusage used;
        getrusage(who[i], &used);
        sum += (double)used.ru_utime.tv_sec + 1e-6 * (double)used.ru_utime.tv_usec;
        sum += (double)used.ru_stime.tv_sec + 1e-6 * (double)used.ru_stime.tv_usec;
    }
    return sum;
}

static attest_plan plan_of(const attest_property *const *property, uint64_t trials)
{
    return (attest_plan){.seed = 1,
                         .trials = trials,
                         .properties = 1,
                         .property = property,
                         .shard = 1,
                         .shards = 1,
                         .keep_going = true,
                         .jobs = 1};
}

/* Runs a campaign of so many trials; returns the processor time. *labelled: how many trials
 * doubles decided. */
static double run(const attest_property *property, uint64_t trials, uint64_t *by_doubles)
{
    const attest_property *list[1] = {property};
    attest_plan plan = plan_of(list, trials);
    double start = processor_time();
    attest_campaign campaign;
    attest_error error;

    if (attest_campaign_init(&campaign, &plan, NULL, &error) != ATTEST_OK ||
        attest_campaign_run(&campaign, &error) != ATTEST_OK)
        fail(property->name, &error);
    *by_doubles = 0;
    for (size_t l = 0; l < campaign.join[0].result.labels; l++)
        if (strcmp(campaign.join[0].result.label[l].name, "decided by doubles") == 0)
            *by_doubles = campaign.join[0].result.label[l].count;
    attest_campaign_clear(&campaign);
    return processor_time() - start;
}

/* Enough trials to be worth timing, and no more than the budget: a few cost more than all
 * others together. */
static uint64_t choose_trials(const attest_property *property)
{
    uint64_t trials = property->chunk ? property->chunk : 64, decided;

    while (trials < property->trials && run(property, trials, &decided) < ENOUGH / 8)
        trials = 8 * trials < property->trials ? 8 * trials : property->trials;
    return trials;
}

/* The same trials again and again. */
static double rate(const attest_property *property, uint64_t trials, double *by_doubles)
{
    uint64_t decided = 0, total = 0;
    double took = 0;

    for (; took < ENOUGH; total += trials)
        took += run(property, trials, &decided);
    *by_doubles = (double)decided / (double)trials;
    return (double)total / took;
}

static void measure(const attest_property *property)
{
    uint64_t trials = choose_trials(property);
    double by_doubles, per_second = rate(property, trials, &by_doubles);

    printf("%-24s %9.0f", property->name, per_second);
    if (by_doubles > 0)
        printf(" %9.2f %%", 100 * by_doubles);
    if (property->decide_many) {
        attest_property alone = *property;
        alone.decide_many = NULL;
        double slow = rate(&alone, trials, &by_doubles);
        printf(" %11.0f %6.1fx", slow, per_second / slow);
    }
    printf("\n");
    fflush(stdout);
}

static void run_here(const attest_property *property, uint64_t trials)
{
    const attest_property *list[1] = {property};
    attest_plan plan = plan_of(list, trials);
    attest_chunk_result result;
    attest_chunk chunk;
    attest_error error;

    for (uint64_t number = 0; number < attest_plan_chunks(&plan, 0); number++) {
        attest_plan_get_chunk(&chunk, &plan, 0, number);
        attest_chunk_result_init(&result);
        if (attest_chunk_run(&result, &chunk, &error) != ATTEST_OK)
            fail(property->name, &error);
        attest_chunk_result_clear(&result);
    }
}

static const attest_property *get(const char *name)
{
    const attest_property *property = attest_property_get(name);

    if (property)
        return property;
    fprintf(stderr, "bench-campaign: there is no property \"%s\"\n", name);
    exit(2);
}

int main(int argc, char **argv)
{
    if (argc == 4 && strcmp(argv[1], "--here") == 0) {
        run_here(get(argv[2]), strtoull(argv[3], NULL, 10));
        return 0;
    }
    printf("%-24s %9s %11s %11s\n", "", "trials/s", "by doubles", "one by one");
    for (int a = 1; a < argc; a++)
        measure(get(argv[a]));
    for (size_t p = 0; argc == 1 && attest_properties[p]; p++)
        measure(attest_properties[p]);
    return 0;
}
