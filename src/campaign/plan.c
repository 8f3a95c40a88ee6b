/* plan.c -- chunks by number, and the plan as text. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>

#include <attest/version.h>

#include "campaign/load.h"
#include "campaign/plan.h"
#include "campaign/setting.h"
#include "io/json_write.h"

/* One chunk of so many is a search; it begins with so many hundredths of random trials. */
enum { DEFAULT_CHUNK = 64, SEARCH_EVERY = 4, SEARCH_LEAD = 25 };

static size_t chunk_size(const attest_property *property)
{
    return property->chunk ? property->chunk : DEFAULT_CHUNK;
}

/* 0: no limit. */
static uint64_t trials_of(const attest_plan *plan, size_t p)
{
    if (plan->trials || plan->time > 0)
        return plan->trials;
    return plan->property[p]->trials;
}

uint64_t attest_plan_chunks(const attest_plan *plan, size_t p)
{
    uint64_t trials = trials_of(plan, p), size = chunk_size(plan->property[p]);

    return trials ? trials / size + (trials % size > 0) : UINT64_MAX;
}

void attest_plan_get_chunk(attest_chunk *chunk, const attest_plan *plan, size_t p,
                           uint64_t number)
{
    const attest_property *property = plan->property[p];
    uint64_t trials = trials_of(plan, p), size = chunk_size(property), first = number * size;

    *chunk = (attest_chunk){
        .property = property,
        .setting = &plan->setting,
        .seed = plan->seed,
        .first = first,
        .count = trials && trials - first < size ? (size_t)(trials - first) : (size_t)size,
        .lead = (size_t)(size * SEARCH_LEAD / 100),
        .search = property->targeted && number % SEARCH_EVERY == SEARCH_EVERY - 1,
        .keep_going = plan->keep_going,
        .observe = plan->observe,
        .run_start = plan->run_start,
        .timeout = plan->timeout,
    };
}

uint64_t attest_plan_end(const attest_plan *plan, size_t p, uint64_t t)
{
    attest_chunk chunk;

    attest_plan_get_chunk(&chunk, plan, p, t / chunk_size(plan->property[p]));
    return chunk.first + chunk.count;
}

static void write_plan(attest_json *json, const attest_plan *plan, bool shard_too)
{
    char seed[32];

    snprintf(seed, sizeof seed, "0x%llx", (unsigned long long)plan->seed);
    attest_json_write_object(json, NULL);
    attest_json_write_string(json, "format", "attest/campaign");
    attest_json_write_integer(json, "version", 1);
    attest_json_write_string(json, "attest", attest_version());
    attest_json_write_string(json, "theft", ATTEST_THEFT_NAME);
    attest_json_write_string(json, "seed", seed);
    attest_setting_write(json, &plan->setting);
    attest_json_write_bool(json, "named", plan->named);
    attest_json_write_bool(json, "keep_going", plan->keep_going);
    attest_json_write_bool(json, "observe", plan->observe);
    attest_json_write_count(json, "shards", plan->shards);
    if (shard_too)
        attest_json_write_count(json, "shard", plan->shard);
    attest_json_write_array(json, "properties");
    for (size_t p = 0; p < plan->properties; p++) {
        attest_json_write_object(json, NULL);
        attest_json_write_string(json, "name", plan->property[p]->name);
        attest_json_write_count(json, "trials", trials_of(plan, p));
        attest_json_write_count(json, "chunk", chunk_size(plan->property[p]));
        attest_json_write_bool(json, "targeted", plan->property[p]->targeted);
        if (plan->property[p]->object)
            attest_json_write_string(json, "object", plan->property[p]->object->sha256);
        attest_json_write_close(json);
    }
    attest_json_write_close(json);
    attest_json_write_close(json);
}

static void write_shard(attest_json *json, const void *plan)
{
    write_plan(json, plan, true);
}

static void write_whole(attest_json *json, const void *plan)
{
    write_plan(json, plan, false);
}

char *attest_plan_format(const attest_plan *plan, bool shard_too)
{
    return attest_json_format(NULL, shard_too ? write_shard : write_whole, plan);
}
