/* plan_read.c -- a plan from its text. */
#include "campaign/plan_read.h"

#include <stdlib.h>
#include <string.h>

#include <attest/format.h>

#include "base/memory.h"
#include "base/scope.h"
#include "campaign/setting.h"
#include "io/json_member.h"

void attest_saved_plan_clear(attest_saved_plan *saved)
{
    free(saved->list);
    free(saved->without);
    memset(saved, 0, sizeof *saved);
}

static attest_status read_setting(attest_saved_plan *saved, const attest_json_cursor *root,
                                  attest_error *error)
{
    attest_setting *setting = &saved->plan.setting;
    attest_json_cursor member;
    const char *text;
    uint64_t bits;

    setting->round = MPFR_RNDN;
    ATTEST_TRY(attest_json_copy_optional(&saved->without, root, "without", error));
    setting->without = saved->without;
    if (!attest_json_find_member(&member, root, "number"))
        return ATTEST_OK;
    ATTEST_TRY(attest_json_get_string(&text, &member, error));
    ATTEST_TRY(attest_arithmetic_parse(&setting->number, text, error));
    if (setting->number != ATTEST_ARITHMETIC_MPFR)
        return ATTEST_OK;
    ATTEST_TRY(attest_json_get_member_count(&bits, root, "bits", error));
    setting->bits = (long)bits;
    ATTEST_TRY(attest_json_get_member_string(&text, root, "round", error));
    return attest_rounding_parse(&setting->round, text, error);
}

static attest_status read_property(attest_saved_plan *saved, const attest_json_cursor *object,
                                   attest_property_finder *find, attest_error *error)
{
    attest_plan *plan = &saved->plan;
    const attest_property *property;
    uint64_t trials;
    const char *name;

    ATTEST_TRY(attest_json_get_member_string(&name, object, "name", error));
    ATTEST_TRY(attest_json_get_member_count(&trials, object, "trials", error));
    property = find(name);
    if (!property)
        return attest_error_set(error, ATTEST_FORMAT, "there is no property %.100s", name);
    saved->list[plan->properties++] = property;
    if (trials == 0)
        plan->time = 1;
    else if (trials != property->trials)
        plan->trials = trials;
    return ATTEST_OK;
}

static attest_status read_properties(attest_saved_plan *saved, const attest_json_cursor *root,
                                     attest_property_finder *find, attest_error *error)
{
    attest_json_cursor array;
    size_t length;

    ATTEST_TRY(attest_json_get_member(&array, root, "properties", error));
    ATTEST_TRY(attest_json_get_filled(&length, &array, "properties", error));
    saved->list = attest_memory_alloc(length, sizeof *saved->list);
    if (!saved->list)
        return attest_memory_fail(error);
    saved->plan.property = saved->list;
    for (size_t p = 0; p < length; p++) {
        attest_json_cursor object = attest_json_get_element(&array, p);

        ATTEST_TRY(read_property(saved, &object, find, error));
    }
    return ATTEST_OK;
}

static attest_status read_plan(attest_saved_plan *saved, const attest_json_cursor *root,
                               attest_property_finder *find, attest_error *error)
{
    attest_plan *plan = &saved->plan;
    const char *seed;
    uint64_t shard, shards;

    ATTEST_TRY(attest_json_check_format(root, "attest/campaign", error));
    ATTEST_TRY(attest_json_get_member_string(&seed, root, "seed", error));
    ATTEST_TRY(attest_json_get_member_bool(&plan->named, root, "named", error));
    ATTEST_TRY(attest_json_get_member_bool(&plan->keep_going, root, "keep_going", error));
    ATTEST_TRY(attest_json_get_member_bool(&plan->observe, root, "observe", error));
    ATTEST_TRY(attest_json_get_member_count(&shard, root, "shard", error));
    ATTEST_TRY(attest_json_get_member_count(&shards, root, "shards", error));
    if (shard < 1 || shard > shards)
        return attest_error_set(error, ATTEST_FORMAT, "there is no such shard");
    plan->seed = strtoull(seed, NULL, 0);
    plan->shard = (size_t)shard;
    plan->shards = (size_t)shards;
    ATTEST_TRY(read_setting(saved, root, error));
    return read_properties(saved, root, find, error);
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
                                      attest_property_finder *find, attest_budget *budget,
                                      attest_error *error)
{
    attest_json_document document;
    attest_json_cursor root;
    attest_status status;

    memset(saved, 0, sizeof *saved);
    saved->plan.jobs = 1;
    status = attest_json_document_parse(&document, text, size, budget, error);
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
