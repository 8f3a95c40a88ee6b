/* campaign_plan.c -- the plan that a command line asks for. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/memory.h"
#include "base/workers.h"
#include "campaign/counterexample.h"
#include "cli/campaign.h"
#include "cli/slurm.h"
#include "cli/load.h"
#include "cli/commands.h"
#include "props/properties.h"

enum { MOST_JOBS = 1024, MOST_BITS = 10000000 };

bool attest_cli_parse_time(double *seconds, const char *text)
{
    static const char units[] = "smhd";
    static const double factor[] = {1, 60, 3600, 86400};
    const char *unit;
    char *end;

    if (text[0] < '0' || text[0] > '9')
        return false;
    *seconds = strtod(text, &end);
    if (*end && (unit = strchr(units, *end)) != NULL) {
        *seconds *= factor[unit - units];
        end++;
    }
    return *end == '\0' && isfinite(*seconds) && *seconds > 0;
}

static int set_arithmetic(attest_setting *setting, const campaign_request *request)
{
    attest_error error;

    setting->round = MPFR_RNDN;
    if (!request->number) {
        if (request->bits || request->round)
            return attest_cli_refuse("--bits and --round are for --number mpfr");
        return EXIT_HOLDS;
    }
    if (attest_arithmetic_parse(&setting->number, request->number, &error))
        return attest_cli_refuse("--number: %s", error.text);
    if (setting->number != ATTEST_ARITHMETIC_MPFR) {
        if (request->bits || request->round)
            return attest_cli_refuse("--bits and --round are for --number mpfr, not '%s'",
                                     request->number);
        return EXIT_HOLDS;
    }
    if (request->bits < 2 || request->bits > MOST_BITS)
        return attest_cli_refuse("--number mpfr needs --bits, from 2 to %d", MOST_BITS);
    setting->bits = (long)request->bits;
    if (request->round && attest_rounding_parse(&setting->round, request->round, &error))
        return attest_cli_refuse("--round: %s", error.text);
    return EXIT_HOLDS;
}

/* Whether the property can be asked this. */
static bool fits(const attest_property *property, const attest_setting *setting)
{
    bool found = !setting->without;

    for (const attest_droppable *d = property->droppable; d && d->name && !found; d++)
        found = strcmp(d->name, setting->without) == 0;
    return found && (property->arithmetic || setting->number == ATTEST_ARITHMETIC_NONE);
}

static int refuse_setting(const attest_property *property, const attest_setting *setting)
{
    char list[512] = "";
    size_t used = 0;

    if (setting->number != ATTEST_ARITHMETIC_NONE && !property->arithmetic)
        return attest_cli_refuse("%s: is not about an arithmetic (--number)", property->name);
    for (const attest_droppable *d = property->droppable; d && d->name; d++)
        if (used < sizeof list)
            used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", used ? ", " : "",
                                     d->name);
    return attest_cli_refuse("%s: has no hypothesis '%s' to drop; there is %s", property->name,
                             setting->without, used ? list : "none");
}

/* All of them; where an object was loaded and nothing is said, those of the object. */
static int choose_all(attest_plan *plan, const attest_property **list, bool said)
{
    const attest_load *load = attest_cli_loaded();

    for (size_t i = 0; attest_properties[i] && (said || load->count == 0); i++)
        if (fits(attest_properties[i], &plan->setting))
            list[plan->properties++] = attest_properties[i];
    for (size_t i = 0; i < load->count; i++)
        if (fits(&load->property[i], &plan->setting))
            list[plan->properties++] = &load->property[i];
    if (plan->properties == 0 && plan->setting.without)
        return attest_cli_refuse_name("hypothesis", plan->setting.without,
                                      attest_names_hypotheses, NULL, "attest show");
    return EXIT_HOLDS;
}

static int choose_named(attest_plan *plan, const attest_property **list,
                        const campaign_request *request)
{
    for (size_t i = 0; i < request->count; i++) {
        const attest_property *property = attest_property_get(request->names[i]);

        if (!property)
            return attest_cli_refuse_name("property", request->names[i],
                                          attest_names_properties, NULL, "attest show");
        for (size_t p = 0; p < plan->properties; p++)
            if (list[p] == property)
                return attest_cli_refuse("%s: is named twice", property->name);
        if (!fits(property, &plan->setting))
            return refuse_setting(property, &plan->setting);
        list[plan->properties++] = property;
    }
    return EXIT_HOLDS;
}

static int choose_properties(attest_plan *plan, const campaign_request *request)
{
    const attest_property **list;
    size_t room = attest_cli_loaded()->count + 1;

    for (size_t i = 0; attest_properties[i]; i++)
        room++;
    list = attest_memory_alloc(room, sizeof *list);
    if (!list) {
        attest_cli_complain("out of memory");
        return EXIT_ENVIRONMENT;
    }
    plan->property = list;
    plan->named =
        request->count > 1 || (request->count == 1 && strcmp(request->names[0], "all") != 0);
    return plan->named ? choose_named(plan, list, request)
                       : choose_all(plan, list, request->count > 0);
}

static size_t processors(void)
{
    size_t count = attest_workers_default();

    return count > MOST_JOBS ? MOST_JOBS : count;
}

/* SOURCE_DATE_EPOCH, or now. */
static int64_t start_time(void)
{
    const char *epoch = getenv("SOURCE_DATE_EPOCH");

    return epoch && *epoch ? (int64_t)strtoll(epoch, NULL, 10) : (int64_t)time(NULL);
}

int campaign_make_plan(attest_plan *plan, const campaign_request *request)
{
    int code;

    *plan = (attest_plan){.seed = request->seed,
                          .trials = request->trials,
                          .shard = 1,
                          .shards = 1,
                          .keep_going = request->keep_going,
                          .observe = request->observe,
                          .run_start = start_time(),
                          .memory = request->worker_memory,
                          .jobs = request->jobs ? request->jobs : processors()};
    if (plan->jobs > MOST_JOBS)
        return attest_cli_refuse("--jobs: at most %d", MOST_JOBS);
    if (request->time && !attest_cli_parse_time(&plan->time, request->time))
        return attest_cli_refuse("--time: '%s' is not a time such as 90, 10m or 2h",
                                 request->time);
    if (request->timeout && !attest_cli_parse_time(&plan->timeout, request->timeout))
        return attest_cli_refuse("--timeout: '%s' is not a time such as 90, 10m or 2h",
                                 request->timeout);
    if (request->shard && !attest_cli_parse_shard(&plan->shard, &plan->shards, request->shard))
        return attest_cli_refuse("--shard: '%s' is not K/N with 1 <= K <= N", request->shard);
    plan->setting.without = request->without;
    code = set_arithmetic(&plan->setting, request);
    return code == EXIT_HOLDS ? choose_properties(plan, request) : code;
}
