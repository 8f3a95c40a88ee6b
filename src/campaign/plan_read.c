/* plan_read.c -- a plan from its text. */
#include "campaign/plan_read.h"

#include <stdlib.h>
#include <string.h>

#include <attest/format.h>

#include "base/memory.h"
#include "campaign/setting.h"
#include "io/json_read.h"

void attest_saved_plan_clear(attest_saved_plan *saved)
{
    free(saved->list);
    free(saved->without);
    memset(saved, 0, sizeof *saved);
}

static attest_status get_count(uint64_t *count, const attest_json_cursor *object,
                               const char *key, attest_error *error)
{
    attest_json_cursor member;
    attest_status status = attest_json_get_member(&member, object, key, error);
    int64_t value = 0;

    if (status == ATTEST_OK)
        status = attest_json_get_integer(&value, &member, error);
    if (status == ATTEST_OK && value < 0)
        return attest_json_fail(&member, error, ATTEST_FORMAT, "is negative");
    *count = (uint64_t)value;
    return status;
}

static attest_status get_bool(bool *value, const attest_json_cursor *object, const char *key,
                              attest_error *error)
{
    attest_json_cursor member;
    attest_status status = attest_json_get_member(&member, object, key, error);

    return status == ATTEST_OK ? attest_json_get_bool(value, &member, error) : status;
}

static attest_status get_string(const char **value, const attest_json_cursor *object,
                                const char *key, attest_error *error)
{
    attest_json_cursor member;
    attest_status status = attest_json_get_member(&member, object, key, error);

    return status == ATTEST_OK ? attest_json_get_string(value, &member, error) : status;
}

static attest_status read_setting(attest_saved_plan *saved, const attest_json_cursor *root,
                                  attest_error *error)
{
    attest_setting *setting = &saved->plan.setting;
    attest_json_cursor member;
    attest_status status = ATTEST_OK;
    const char *text;
    uint64_t bits;

    setting->round = MPFR_RNDN;
    if (attest_json_find_member(&member, root, "without")) {
        status = attest_json_get_string(&text, &member, error);
        if (status == ATTEST_OK && !(saved->without = attest_memory_copy(text)))
            status = attest_memory_fail(error);
        setting->without = saved->without;
    }
    if (status != ATTEST_OK || !attest_json_find_member(&member, root, "number"))
        return status;
    status = attest_json_get_string(&text, &member, error);
    if (status == ATTEST_OK)
        status = attest_arithmetic_parse(&setting->number, text, error);
    if (status != ATTEST_OK || setting->number != ATTEST_ARITHMETIC_MPFR)
        return status;
    status = get_count(&bits, root, "bits", error);
    if (status == ATTEST_OK)
        status = get_string(&text, root, "round", error);
    if (status == ATTEST_OK)
        status = attest_rounding_parse(&setting->round, text, error);
    setting->bits = (long)bits;
    return status;
}

static attest_status read_properties(attest_saved_plan *saved, const attest_json_cursor *root,
                                     attest_property_finder *find, attest_error *error)
{
    attest_plan *plan = &saved->plan;
    attest_json_cursor array;
    size_t length = 0;
    uint64_t trials;
    const char *name;
    attest_status status = attest_json_get_member(&array, root, "properties", error);

    if (status == ATTEST_OK)
        status = attest_json_get_filled(&length, &array, "properties", error);
    if (status == ATTEST_OK &&
        !(saved->list = attest_memory_alloc(length, sizeof *saved->list)))
        status = attest_memory_fail(error);
    plan->property = saved->list;
    for (size_t p = 0; p < length && status == ATTEST_OK; p++) {
        attest_json_cursor object = attest_json_get_element(&array, p);

        status = get_string(&name, &object, "name", error);
        if (status == ATTEST_OK)
            status = get_count(&trials, &object, "trials", error);
        if (status != ATTEST_OK)
            return status;
        saved->list[plan->properties++] = find(name);
        if (!saved->list[p])
            return attest_error_set(error, ATTEST_FORMAT, "there is no property %.100s", name);
        if (trials == 0)
            plan->time = 1;
        else if (trials != saved->list[p]->trials)
            plan->trials = trials;
    }
    return status;
}

static attest_status read_plan(attest_saved_plan *saved, const attest_json_cursor *root,
                               attest_property_finder *find, attest_error *error)
{
    attest_plan *plan = &saved->plan;
    const char *seed = "";
    uint64_t shard = 1, shards = 1;
    attest_status status = attest_json_check_format(root, "attest/campaign", error);

    if (status == ATTEST_OK)
        status = get_string(&seed, root, "seed", error);
    if (status == ATTEST_OK)
        status = get_bool(&plan->named, root, "named", error);
    if (status == ATTEST_OK)
        status = get_bool(&plan->keep_going, root, "keep_going", error);
    if (status == ATTEST_OK)
        status = get_bool(&plan->observe, root, "observe", error);
    if (status == ATTEST_OK)
        status = get_count(&shard, root, "shard", error);
    if (status == ATTEST_OK)
        status = get_count(&shards, root, "shards", error);
    if (status == ATTEST_OK && (shard < 1 || shard > shards))
        status = attest_error_set(error, ATTEST_FORMAT, "there is no such shard");
    if (status == ATTEST_OK)
        status = read_setting(saved, root, error);
    if (status == ATTEST_OK)
        status = read_properties(saved, root, find, error);
    plan->seed = strtoull(seed, NULL, 0);
    plan->shard = (size_t)shard;
    plan->shards = (size_t)shards;
    return status;
}

/* Results may be joined only if this program would find the same. */
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
                                      attest_property_finder *find, attest_error *error)
{
    attest_json_document document;
    attest_json_cursor root;
    attest_status status;

    memset(saved, 0, sizeof *saved);
    saved->plan.jobs = 1;
    status = attest_json_document_parse(&document, text, size, NULL, error);
    if (status != ATTEST_OK)
        return status;
    root = attest_json_root(&document);
    status = read_plan(saved, &root, find, error);
    attest_json_document_clear(&document);
    if (status == ATTEST_OK)
        status = check_same(&saved->plan, text, size, error);
    if (status != ATTEST_OK)
        attest_saved_plan_clear(saved);
    return status;
}
