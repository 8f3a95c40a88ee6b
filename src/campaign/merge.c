/* merge.c -- the shards of a campaign, joined to the campaign that they are parts of. */
#include "campaign/merge.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/scope.h"

/* The environment of the functions that read the journals. */
typedef struct merging {
    attest_merge *merge;
    attest_property_finder *find;
    bool partial;
    attest_budget *budget;
    bool again; /* some properties are read for the second time */
    attest_observations *observations;
    const char *const *directories;
    size_t directory; /* index of the directory that is being read */
    size_t shards;    /* of the campaign */
    size_t shard;     /* of that directory */
    size_t *from;     /* from[k]: 1 + the directory of shard k + 1; 0: none yet */
    char *plan_text;  /* without the number of the shard */
} merging;

/* Starts the whole campaign with the plan of its first part. */
static attest_status begin_whole(merging *m, attest_saved_plan *part, attest_error *error)
{
    attest_merge *merge = m->merge;

    m->shards = part->plan.shards;
    if (m->shards > 1000000)
        return attest_error_set(error, ATTEST_FORMAT, "too many shards");
    m->plan_text = attest_plan_format(&part->plan, false);
    m->from = attest_memory_alloc(m->shards, sizeof *m->from);
    merge->join = attest_memory_alloc(part->plan.properties, sizeof *merge->join);
    merge->saved = *part;
    memset(part, 0, sizeof *part);
    merge->saved.plan.shard = merge->saved.plan.shards = 1;
    if (!m->plan_text || !m->from || !merge->join)
        return attest_memory_fail(error);
    for (size_t p = 0; p < merge->saved.plan.properties; p++) {
        if (m->observations)
            attest_join_init(&merge->join[p], &merge->saved.plan, p);
        else
            attest_join_init_any_order(&merge->join[p], &merge->saved.plan, p, m->budget);
    }
    if (m->observations && m->observations->count != merge->saved.plan.properties)
        return attest_error_set(error, ATTEST_USAGE, "has changed meanwhile");
    if (m->observations)
        attest_observations_use(m->observations, merge->join);
    return ATTEST_OK;
}

static attest_status check_part(const merging *m, const attest_plan *plan, attest_error *error)
{
    char *text ATTEST_FREED = attest_plan_format(plan, false);

    if (!text)
        return attest_memory_fail(error);
    if (strcmp(text, m->plan_text) != 0)
        return attest_error_set(error, ATTEST_USAGE,
                                "is of another campaign than %s: seed, setting, properties, "
                                "trials or number of shards differ",
                                m->directories[0]);
    return ATTEST_OK;
}

static attest_status take_plan(void *env, const char *text, size_t size, attest_budget *budget,
                               attest_error *error)
{
    attest_saved_plan part ATTEST_CLEARED_BY(attest_saved_plan_clear);
    merging *m = env;
    size_t shard;

    ATTEST_TRY(attest_saved_plan_parse(&part, text, size, m->find, budget, error));
    shard = part.plan.shard;
    ATTEST_TRY(m->plan_text ? check_part(m, &part.plan, error) : begin_whole(m, &part, error));
    if (m->from[shard - 1])
        return attest_error_set(error, ATTEST_USAGE, "is shard %zu/%zu, and so is %s", shard,
                                m->shards, m->directories[m->from[shard - 1] - 1]);
    m->from[shard - 1] = m->directory + 1;
    m->shard = shard;
    return ATTEST_OK;
}

/* Looks up the shard of a directory that is read for the second time. */
static attest_status recall_plan(void *env, const char *text, size_t size,
                                 attest_budget *budget, attest_error *error)
{
    merging *m = env;

    (void)text;
    (void)size;
    (void)budget;
    (void)error;
    for (size_t k = 0; k < m->shards; k++)
        if (m->from[k] == m->directory + 1)
            m->shard = k + 1;
    return ATTEST_OK;
}

static attest_status take_record(void *env, attest_campaign_record *record, attest_error *error)
{
    merging *m = env;

    if (record->property >= m->merge->saved.plan.properties)
        return attest_error_set(error, ATTEST_FORMAT, "there is no property %zu",
                                record->property);
    if (record->number % m->shards != m->shard - 1)
        return attest_error_set(error, ATTEST_FORMAT, "chunk %llu is not of shard %zu/%zu",
                                (unsigned long long)record->number, m->shard, m->shards);
    if (m->again && !m->merge->join[record->property].again)
        return ATTEST_OK;
    return attest_join_add(&m->merge->join[record->property], record, error);
}

static attest_status read_directory(merging *m, attest_error *error)
{
    const char *directory = m->directories[m->directory];
    attest_journal_reader reader = {.plan = m->again ? recall_plan : take_plan,
                                    .record = take_record,
                                    .env = m,
                                    .budget = m->budget};
    char *path ATTEST_FREED = attest_directory_join(directory, ATTEST_JOURNAL_NAME);
    attest_journal_tail tail;

    if (!path)
        return attest_memory_fail(error);
    if (access(path, F_OK) != 0)
        return attest_error_set(error, ATTEST_USAGE, "%s: contains no campaign", directory);
    ATTEST_TRY(attest_journal_read(&tail, path, &reader, error));
    if (tail.dropped > 0 && !m->partial)
        return attest_error_set(error, ATTEST_IO,
                                "%s: %zu bytes after record %zu are %s; campaign --resume runs "
                                "their trials again",
                                path, tail.dropped, tail.records,
                                tail.damaged ? "damaged" : "incomplete");
    return ATTEST_OK;
}

/* Reads the journals again for the properties in which chunks after the first violation were
 * counted. */
static attest_status read_again(merging *m, size_t count, attest_error *error)
{
    attest_join *join = m->merge->join;

    for (size_t p = 0; p < m->merge->saved.plan.properties; p++) {
        if (!join[p].again)
            continue;
        attest_join_restart(&join[p]);
        m->again = join[p].again = true;
    }
    for (m->directory = 0; m->again && m->directory < count; m->directory++)
        ATTEST_TRY(read_directory(m, error));
    return ATTEST_OK;
}

/* Fails if a shard is missing or not finished, unless the merge may be partial. */
static attest_status check_whole(const merging *m, attest_error *error)
{
    attest_merge *merge = m->merge;
    const attest_plan *plan = &merge->saved.plan;
    uint64_t missing;

    merge->shards = m->shards;
    for (size_t k = 0; k < m->shards; k++)
        merge->missing += !m->from[k];
    for (size_t k = 0; k < m->shards && !m->partial; k++)
        if (!m->from[k])
            return attest_error_set(error, ATTEST_USAGE,
                                    "shard %zu/%zu is missing; --partial joins the others",
                                    k + 1, m->shards);
    for (size_t p = 0; p < plan->properties; p++) {
        if (!attest_join_end(&merge->join[p], &missing))
            continue;
        merge->unfinished = true;
        if (!m->partial)
            return attest_error_set(error, ATTEST_USAGE,
                                    "%s: not finished (chunk %llu of %s is missing)",
                                    m->directories[m->from[missing % m->shards] - 1],
                                    (unsigned long long)missing, plan->property[p]->name);
    }
    merge->saved.plan.partial = merge->missing > 0 || merge->unfinished;
    return ATTEST_OK;
}

static attest_status read_all(merging *m, size_t count, attest_error *error)
{
    for (; m->directory < count; m->directory++)
        ATTEST_TRY(read_directory(m, error));
    if (m->observations)
        return ATTEST_OK;
    ATTEST_TRY(read_again(m, count, error));
    return check_whole(m, error);
}

static void merging_clear(merging *m)
{
    free(m->from);
    free(m->plan_text);
}

attest_status attest_merge_read(attest_merge *merge, const char *const *directories,
                                size_t count, attest_property_finder *find, bool partial,
                                attest_observations *observations, attest_budget *budget,
                                attest_error *error)
{
    merging m ATTEST_CLEARED_BY(merging_clear) = {.merge = merge,
                                                  .find = find,
                                                  .partial = partial,
                                                  .budget = budget,
                                                  .observations = observations,
                                                  .directories = directories};

    memset(merge, 0, sizeof *merge);
    ATTEST_TRY_OR(read_all(&m, count, error), attest_merge_clear(merge));
    for (size_t p = 0; merge->join && p < merge->saved.plan.properties; p++)
        attest_chunk_result_unite(&merge->join[p].result);
    return ATTEST_OK;
}

void attest_merge_clear(attest_merge *merge)
{
    for (size_t p = 0; merge->join && p < merge->saved.plan.properties; p++)
        attest_join_clear(&merge->join[p]);
    free(merge->join);
    attest_saved_plan_clear(&merge->saved);
    memset(merge, 0, sizeof *merge);
}

static attest_status copy_record(void *env, const attest_frame *frame, attest_error *error)
{
    return attest_journal_append(env, frame->payload, frame->size, error);
}

attest_status attest_merge_copy(attest_journal *journal, const char *const *directories,
                                size_t count, attest_budget *budget, attest_error *error)
{
    attest_journal_reader reader = {.raw = copy_record, .env = journal, .budget = budget};

    for (size_t i = 0; i < count; i++) {
        char *path ATTEST_FREED = attest_directory_join(directories[i], ATTEST_JOURNAL_NAME);
        attest_journal_tail tail;

        if (!path)
            return attest_memory_fail(error);
        ATTEST_TRY(attest_journal_read(&tail, path, &reader, error));
    }
    return attest_journal_sync(journal, error);
}
