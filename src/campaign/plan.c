/* plan.c -- the chunks of a plan, and the plan as text and back. */
#include "config.h"

#include "campaign/plan.h"

#include <stdlib.h>
#include <string.h>

#include <attest/format.h>
#include <attest/version.h>

#include "base/memory.h"
#include "base/scope.h"
#include "campaign/counterexample.h"
#include "campaign/load.h"
#include "io/json_read.h"
#include "io/json_write.h"

/* Every SEARCH_EVERY-th chunk is a search, SEARCH_LEAD percent of which are random trials. */
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

bool attest_plan_has(const attest_plan *plan, uint64_t number)
{
    return number % plan->shards == plan->shard - 1;
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
    attest_json_write_object(json, NULL);
    attest_json_write_format(json, "attest/campaign");
    attest_json_write_string(json, "attest", attest_version());
    attest_json_write_string(json, "theft", ATTEST_THEFT_NAME);
    attest_json_write_seed(json, "seed", plan->seed);
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

void attest_saved_plan_clear(attest_saved_plan *saved)
{
    free(saved->list);
    free(saved->without);
    memset(saved, 0, sizeof *saved);
}

static uint64_t take_count(const attest_json_cursor *object, const char *key)
{
    return attest_json_take_count(object, key, "is negative");
}

static void read_setting(attest_saved_plan *saved, const attest_json_cursor *root)
{
    attest_setting *setting = &saved->plan.setting;
    attest_error *error = root->failure->error;
    const char *text;

    setting->round = MPFR_RNDN;
    setting->without = saved->without = attest_json_take_optional(root, "without");
    if (!attest_json_has(root, "number"))
        return;
    text = attest_json_take_string(root, "number");
    ATTEST_JSON_NOTE(root, attest_arithmetic_parse(&setting->number, text, error));
    if (setting->number != ATTEST_ARITHMETIC_MPFR)
        return;
    setting->bits = (long)take_count(root, "bits");
    text = attest_json_take_string(root, "round");
    ATTEST_JSON_NOTE(root, attest_rounding_parse(&setting->round, text, error));
}

static void read_property(attest_saved_plan *saved, const attest_json_cursor *root,
                          const attest_json_cursor *object, attest_property_finder *find)
{
    attest_plan *plan = &saved->plan;
    const char *name = attest_json_take_string(object, "name");
    uint64_t trials = take_count(object, "trials");
    const attest_property *property;

    property = attest_json_failed(root) ? NULL : find(name);
    if (!property) {
        attest_json_refuse(root, "there is no property %.100s", name);
        return;
    }
    saved->list[plan->properties++] = property;
    if (trials == 0)
        plan->time = 1;
    else if (trials != property->trials)
        plan->trials = trials;
}

static void read_properties(attest_saved_plan *saved, const attest_json_cursor *root,
                            attest_property_finder *find)
{
    attest_json_cursor array = attest_json_take(root, "properties");
    size_t length = attest_json_take_length(&array, "properties");

    if (attest_json_failed(root))
        return;
    saved->list = attest_memory_alloc(length, sizeof *saved->list);
    if (!saved->list)
        attest_json_note_memory(root);
    saved->plan.property = saved->list;
    for (size_t p = 0; p < length && !attest_json_failed(root); p++) {
        attest_json_cursor object = attest_json_get_element(&array, p);

        read_property(saved, root, &object, find);
    }
}

static void read_plan(attest_saved_plan *saved, const attest_json_cursor *root,
                      attest_property_finder *find)
{
    attest_plan *plan = &saved->plan;
    const char *seed;

    attest_json_take_format(root, "attest/campaign");
    seed = attest_json_take_string(root, "seed");
    plan->named = attest_json_take_bool(root, "named");
    plan->keep_going = attest_json_take_bool(root, "keep_going");
    plan->observe = attest_json_take_bool(root, "observe");
    plan->shard = (size_t)take_count(root, "shard");
    plan->shards = (size_t)take_count(root, "shards");
    if (plan->shard < 1 || plan->shard > plan->shards)
        attest_json_refuse(root, "there is no such shard");
    plan->seed = strtoull(seed, NULL, 0);
    read_setting(saved, root);
    read_properties(saved, root, find);
}

/* Results can be joined only if this program would find the same ones. */
static attest_status check_same(const attest_plan *plan, const char *text, size_t size,
                                attest_error *error)
{
    char *ours = attest_plan_format(plan, true);
    attest_status status = ATTEST_OK;

    if (!ours)
        return attest_memory_fail(error);
    if (strlen(ours) != size || memcmp(ours, text, size) != 0)
        status = attest_error_set(error, ATTEST_FORMAT,
                                  "the campaign was run by another version of the program");
    free(ours);
    return status;
}

attest_status attest_saved_plan_parse(attest_saved_plan *saved, const char *text, size_t size,
                                      attest_property_finder *find, attest_budget *budget,
                                      attest_error *error)
{
    attest_json_document document ATTEST_CLEARED_BY(attest_json_document_clear);
    attest_json_failure failure;
    attest_json_cursor root;

    memset(saved, 0, sizeof *saved);
    saved->plan.jobs = 1;
    ATTEST_TRY(attest_json_document_parse(&document, text, size, budget, error));
    root = attest_json_begin(&document, &failure, error);
    read_plan(saved, &root, find);
    ATTEST_JSON_NOTE(&root, check_same(&saved->plan, text, size, error));
    ATTEST_TRY_OR(failure.status, attest_saved_plan_clear(saved));
    return ATTEST_OK;
}
