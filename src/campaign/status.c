/* status.c -- the progress of a campaign, read from its directory. */
#include "campaign/status.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/scope.h"
#include "campaign/journal.h"
#include "io/json_read.h"

/* The environment of the functions that read the journal. */
typedef struct reading {
    attest_campaign_status *directory;
    attest_chunk_result *findings;
    bool keep_going;
} reading;

void attest_campaign_status_clear(attest_campaign_status *directory)
{
    for (size_t p = 0; directory->property && p < directory->properties; p++)
        free(directory->property[p].name);
    free(directory->property);
    memset(directory, 0, sizeof *directory);
}

/* Returns the number of trials in the chunks of the shard. */
static uint64_t count_planned(uint64_t trials, uint64_t chunk, size_t shard, size_t shards)
{
    uint64_t chunks = trials / chunk + (trials % chunk > 0), own;

    if (chunks < shard)
        return 0;
    own = (chunks - shard) / shards + 1;
    if (trials % chunk > 0 && (chunks - 1) % shards == shard - 1)
        return (own - 1) * chunk + trials % chunk;
    return own * chunk;
}

static uint64_t take_count(const attest_json_cursor *object, const char *key)
{
    return attest_json_take_count(object, key, "is negative");
}

static void take_property(attest_campaign_status *directory,
                          attest_campaign_status_property *property,
                          const attest_json_cursor *object)
{
    const char *name = attest_json_take_string(object, "name");
    uint64_t trials = take_count(object, "trials"), chunk = take_count(object, "chunk");

    property->name = attest_memory_copy(name);
    if (!property->name)
        attest_json_note_memory(object);
    property->timed = trials == 0;
    if (chunk > 0)
        property->planned = count_planned(trials, chunk, directory->shard, directory->shards);
}

static void read_plan(void *env, const attest_json_cursor *root)
{
    reading *s = env;
    attest_campaign_status *directory = s->directory;
    attest_json_cursor array;
    const char *seed;
    size_t length;

    attest_json_take_format(root, "attest/campaign");
    seed = attest_json_take_string(root, "seed");
    s->keep_going = attest_json_take_bool(root, "keep_going");
    directory->shard = (size_t)take_count(root, "shard");
    directory->shards = (size_t)take_count(root, "shards");
    if (directory->shard < 1 || directory->shard > directory->shards)
        attest_json_refuse(root, "there is no such shard");
    snprintf(directory->seed, sizeof directory->seed, "%s", seed);
    array = attest_json_take(root, "properties");
    length = attest_json_take_length(&array, "properties");
    if (attest_json_failed(root))
        return;
    directory->property = attest_memory_alloc(length, sizeof *directory->property);
    if (!directory->property)
        attest_json_note_memory(root);
    for (; directory->properties < length && !attest_json_failed(root);
         directory->properties++) {
        attest_json_cursor object = attest_json_get_element(&array, directory->properties);

        take_property(directory, &directory->property[directory->properties], &object);
    }
}

static attest_status take_plan(void *env, const char *text, size_t size, attest_budget *budget,
                               attest_error *error)
{
    return attest_json_parse_value(env, read_plan, text, size, budget, error);
}

/* Moves the violations to the findings, the name of the property before each reason. */
static attest_status take_violations(reading *s, const char *name, attest_chunk_result *result)
{
    while (result->violations > 0) {
        attest_violation *last = &result->violation[--result->violations];
        attest_text text;

        attest_text_init(&text);
        attest_text_printf(&text, "%s: %s", name, last->reason);
        free(last->reason);
        last->reason = attest_text_take(&text);
        ATTEST_TRY(attest_chunk_result_add_violation(s->findings, last));
    }
    attest_chunk_result_unite(s->findings);
    return ATTEST_OK;
}

static attest_status take_record(void *env, attest_campaign_record *record, attest_error *error)
{
    reading *s = env;
    attest_chunk_result *result = &record->result;
    attest_campaign_status_property *property;

    if (record->property >= s->directory->properties)
        return attest_error_set(error, ATTEST_FORMAT, "there is no property %zu",
                                record->property);
    property = &s->directory->property[record->property];
    property->trials += result->passed + result->failed + result->discarded + result->undecided;
    property->failed += result->failed;
    property->undecided += result->undecided;
    property->seconds += result->seconds;
    property->ended = property->ended || (result->failed > 0 && !s->keep_going);
    return take_violations(s, property->name, result) == ATTEST_OK ? ATTEST_OK
                                                                   : attest_memory_fail(error);
}

/* Sets running to the process that has the lock of the directory. */
static void look_at_lock(attest_campaign_status *directory)
{
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    char *path = attest_directory_join(directory->path, "lock");
    int lock = path ? open(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC) : -1;

    if (lock >= 0 && fcntl(lock, F_GETLK, &whole) == 0 && whole.l_type != F_UNLCK)
        directory->running = whole.l_pid > 0 ? whole.l_pid : -1;
    if (lock >= 0)
        close(lock);
    free(path);
}

static bool is_finished(const attest_campaign_status *directory)
{
    for (size_t p = 0; p < directory->properties; p++) {
        const attest_campaign_status_property *property = &directory->property[p];

        if (!property->ended && (property->timed || property->trials < property->planned))
            return false;
    }
    return true;
}

attest_status attest_campaign_status_read(attest_campaign_status *directory, const char *path,
                                          attest_chunk_result *findings, attest_budget *budget,
                                          attest_error *error)
{
    reading s = {.directory = directory, .findings = findings};
    attest_journal_reader reader = {
        .plan = take_plan, .record = take_record, .env = &s, .budget = budget};
    char *journal ATTEST_FREED = attest_directory_join(path, ATTEST_JOURNAL_NAME);
    attest_journal_tail tail;
    struct stat state;

    memset(directory, 0, sizeof *directory);
    directory->path = path;
    if (!journal)
        return attest_memory_fail(error);
    if (stat(journal, &state) != 0)
        return attest_error_set(error, ATTEST_USAGE, "%s: contains no campaign", path);
    directory->silence = difftime(time(NULL), state.st_mtime);
    ATTEST_TRY_OR(attest_journal_read(&tail, journal, &reader, error),
                  attest_campaign_status_clear(directory));
    directory->finished = is_finished(directory);
    look_at_lock(directory);
    return ATTEST_OK;
}

attest_campaign_status_total attest_campaign_status_sum(const attest_campaign_status *directory)
{
    attest_campaign_status_total total = {.known = true};

    for (size_t p = 0; p < directory->properties; p++) {
        const attest_campaign_status_property *property = &directory->property[p];

        total.trials += property->trials;
        total.failed += property->failed;
        total.undecided += property->undecided;
        total.seconds += property->seconds;
        if (property->timed && !property->ended)
            total.known = false;
        else if (!property->ended && property->planned > property->trials)
            total.left += property->planned - property->trials;
    }
    return total;
}
