/* campaign.c -- opens a campaign, chooses which chunk of its plan is run next, runs them, and
 * collects observations. */
#include "config.h" /* mkstemp */

#include "campaign/campaign.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/scope.h"
#include "base/workers.h"

/* ---- Which chunk is run next. */

/* The time that a property has used. */
struct attest_share {
    uint64_t number;     /* of its next chunk */
    uint64_t sent, done; /* chunks that were started, and finished */
    double seconds;      /* of workers, for finished chunks */
};

/* Estimates the cost of a chunk before anything is measured: the more expensive its trials, the
 * smaller the default budget of a property. */
static double estimate_cost(const attest_plan *plan, size_t p)
{
    attest_chunk chunk;

    attest_plan_get_chunk(&chunk, plan, p, 0);
    return (double)chunk.count / (double)(plan->property[p]->trials + 1);
}

static void sort_expensive_first(attest_schedule *schedule)
{
    for (size_t i = 0; i < schedule->plan->properties; i++) {
        size_t place = i;

        while (place > 0 && estimate_cost(schedule->plan, schedule->order[place - 1]) <
                                estimate_cost(schedule->plan, i)) {
            schedule->order[place] = schedule->order[place - 1];
            place--;
        }
        schedule->order[place] = i;
    }
}

attest_status attest_schedule_init(attest_schedule *schedule, const attest_plan *plan,
                                   const attest_join *join, attest_error *error)
{
    *schedule = (attest_schedule){.plan = plan, .join = join};
    schedule->share = attest_memory_alloc(plan->properties, sizeof *schedule->share);
    schedule->order = attest_memory_alloc(plan->properties, sizeof *schedule->order);
    if (!schedule->share || !schedule->order) {
        attest_schedule_clear(schedule);
        return attest_memory_fail(error);
    }
    schedule->end = attest_clock_seconds() + plan->time;
    for (size_t p = 0; p < plan->properties; p++)
        schedule->share[p].number = plan->shard - 1;
    sort_expensive_first(schedule);
    return ATTEST_OK;
}

void attest_schedule_clear(attest_schedule *schedule)
{
    free(schedule->share);
    free(schedule->order);
    memset(schedule, 0, sizeof *schedule);
}

/* Returns whether the property has a chunk that was not started: share->number. */
static bool has_more(attest_schedule *schedule, size_t p)
{
    const attest_join *join = &schedule->join[p];
    uint64_t chunks = attest_plan_chunks(schedule->plan, p);
    attest_share *share = &schedule->share[p];

    if (join->ended)
        return false;
    while (share->number < chunks && attest_join_has(join, share->number))
        share->number += schedule->plan->shards;
    return share->number < chunks;
}

static bool give(attest_schedule *schedule, size_t p, attest_job *job)
{
    attest_share *share = &schedule->share[p];

    *job = (attest_job){.property = p, .number = share->number};
    share->number += schedule->plan->shards;
    share->sent++;
    return true;
}

static bool next_in_order(attest_schedule *schedule, attest_job *job)
{
    for (; schedule->property < schedule->plan->properties; schedule->property++)
        if (has_more(schedule, schedule->property))
            return give(schedule, schedule->property, job);
    return false;
}

/* Returns the mean seconds of a chunk; 0 if none is finished. */
static double mean(const attest_share *share)
{
    return share->done ? share->seconds / (double)share->done : 0;
}

/* Returns the seconds of finished chunks, plus the estimate for those that are running. */
static double used(const attest_share *share)
{
    return share->seconds + mean(share) * (double)(share->sent - share->done);
}

/* Chooses the property that has used the least time among those whose next chunk is expected to
 * end in time. A property whose first chunk is still running waits for it. */
static bool next_by_share(attest_schedule *schedule, attest_job *job)
{
    double left = schedule->end - attest_clock_seconds();
    size_t best = SIZE_MAX;

    for (size_t p = 0; p < schedule->plan->properties; p++) {
        const attest_share *share = &schedule->share[p];

        if (has_more(schedule, p) && (share->done > 0 || share->sent == 0) &&
            mean(share) < left &&
            (best == SIZE_MAX || used(share) < used(&schedule->share[best])))
            best = p;
    }
    return best != SIZE_MAX && give(schedule, best, job);
}

bool attest_schedule_next(attest_schedule *schedule, attest_job *job)
{
    if (schedule->plan->time <= 0)
        return next_in_order(schedule, job);
    while (schedule->given < schedule->plan->properties) {
        size_t p = schedule->order[schedule->given++];

        if (attest_join_trials(&schedule->join[p]) == 0 && has_more(schedule, p))
            return give(schedule, p, job);
    }
    return next_by_share(schedule, job);
}

void attest_schedule_note(attest_schedule *schedule, size_t property, double seconds)
{
    schedule->share[property].done++;
    schedule->share[property].seconds += seconds;
}

/* ---- The journal of a campaign. */

/* The environment of the functions that read the journal. */
typedef struct opening {
    const char *plan;
    attest_campaign *campaign;
} opening;

/* The line at text[0..size) without indentation and comma: a member of the plan. */
static void trim(const char **line, size_t *length, const char *text, size_t size)
{
    const char *end = memchr(text, '\n', size);

    *line = text;
    *length = end ? (size_t)(end - text) : size;
    while (*length > 0 && **line == ' ') {
        ++*line;
        --*length;
    }
    if (*length > 0 && (*line)[*length - 1] == ',')
        --*length;
}

/* Names the first line in which the plans differ; each member has a line of its own. */
static attest_status refuse(const char *theirs, size_t size, const char *ours,
                            attest_error *error)
{
    const char *their_line, *our_line;
    size_t their_length, our_length, same = 0, line = 0, rest = strlen(ours);

    while (same < size && same < rest && theirs[same] == ours[same]) {
        if (theirs[same] == '\n')
            line = same + 1;
        same++;
    }
    if (line >= size || line >= rest || !memchr(theirs + line, '"', size - line) ||
        strchr(ours + line, '"') == NULL)
        return attest_error_set(error, ATTEST_USAGE,
                                "the journal is that of a campaign of other properties");
    trim(&their_line, &their_length, theirs + line, size - line);
    trim(&our_line, &our_length, ours + line, rest - line);
    return attest_error_set(error, ATTEST_USAGE,
                            "the journal is that of another campaign: it has %.*s, not %.*s",
                            (int)(their_length < 100 ? their_length : 100), their_line,
                            (int)(our_length < 100 ? our_length : 100), our_line);
}

static attest_status check_plan(void *env, const char *text, size_t size, attest_budget *budget,
                                attest_error *error)
{
    const opening *open = env;

    (void)budget;
    if (size == strlen(open->plan) && memcmp(text, open->plan, size) == 0)
        return ATTEST_OK;
    return refuse(text, size, open->plan, error);
}

static attest_status add_record(void *env, attest_campaign_record *record, attest_error *error)
{
    const opening *open = env;

    if (record->property >= open->campaign->plan->properties)
        return attest_error_set(error, ATTEST_FORMAT, "there is no property %zu",
                                record->property);
    return attest_join_add(&open->campaign->join[record->property], record, error);
}

attest_status attest_campaign_open(attest_campaign *campaign, attest_journal *journal,
                                   const char *directory, bool resume, attest_budget *budget,
                                   attest_error *error)
{
    char *path ATTEST_FREED = attest_directory_join(directory, ATTEST_JOURNAL_NAME);
    char *plan ATTEST_FREED = attest_plan_format(campaign->plan, true);
    opening open = {plan, campaign};
    attest_journal_reader reader = {
        .plan = check_plan, .record = add_record, .env = &open, .budget = budget};

    if (!path || !plan)
        return attest_memory_fail(error);
    if (access(path, F_OK) != 0 && errno == ENOENT)
        ATTEST_TRY(attest_journal_create(journal, path, plan, error));
    else if (!resume)
        return attest_error_set(error, ATTEST_USAGE,
                                "%s: already contains a campaign; use --resume to continue it",
                                directory);
    else
        ATTEST_TRY(attest_journal_resume(journal, &campaign->tail, path, &reader, error));
    campaign->journal = journal;
    return ATTEST_OK;
}

attest_status attest_campaign_check_plan(const attest_plan *plan, const char *directory,
                                         attest_budget *budget, attest_error *error)
{
    char *path ATTEST_FREED = attest_directory_join(directory, ATTEST_JOURNAL_NAME);
    char *text ATTEST_FREED = attest_plan_format(plan, true);
    opening open = {.plan = text};
    attest_journal_reader reader = {.plan = check_plan, .env = &open, .budget = budget};
    attest_journal_tail tail;

    if (!path || !text)
        return attest_memory_fail(error);
    return attest_journal_read(&tail, path, &reader, error);
}

attest_status attest_campaign_init(attest_campaign *campaign, const attest_plan *plan,
                                   FILE *observations, attest_error *error)
{
    memset(campaign, 0, sizeof *campaign);
    campaign->join = attest_memory_alloc(plan->properties, sizeof *campaign->join);
    if (!campaign->join)
        return attest_memory_fail(error);
    campaign->plan = plan;
    for (size_t p = 0; p < plan->properties; p++) {
        attest_join_init(&campaign->join[p], plan, p);
        campaign->join[p].observations = observations;
    }
    return ATTEST_OK;
}

void attest_campaign_clear(attest_campaign *campaign)
{
    for (size_t p = 0; campaign->join && p < campaign->plan->properties; p++)
        attest_join_clear(&campaign->join[p]);
    free(campaign->join);
    memset(campaign, 0, sizeof *campaign);
}

/* A campaign while it runs. */
typedef struct campaign_run {
    attest_campaign *campaign;
    attest_pool pool;
    attest_schedule schedule;
    uint64_t before;  /* trials that were done before it began */
    uint64_t planned; /* trials from there on; 0: not known */
} campaign_run;

static void run_clear(campaign_run *run)
{
    attest_pool_clear(&run->pool);
    attest_schedule_clear(&run->schedule);
}

static uint64_t count_trials(const attest_campaign *campaign)
{
    uint64_t trials = 0;

    for (size_t p = 0; p < campaign->plan->properties; p++)
        trials += attest_join_trials(&campaign->join[p]);
    return trials;
}

static void show_progress(campaign_run *run, size_t p)
{
    const attest_campaign *campaign = run->campaign;
    const attest_join *join = &campaign->join[p];
    char note[96], tightest[32] = "";

    if (join->result.has_tightest)
        snprintf(tightest, sizeof tightest, ", margin 2^%.4g", join->result.tightest);
    snprintf(note, sizeof note, "%s%s", campaign->plan->property[p]->name, tightest);
    attest_progress_report(&campaign->progress, "trials", count_trials(campaign) - run->before,
                           run->planned, note);
}

/* Writes the result to the journal, which is synced if the chunk has a violation. */
static attest_status write_record(attest_journal *journal, const attest_campaign_record *record,
                                  attest_text *text, attest_error *error)
{
    ATTEST_TRY(attest_campaign_record_set_seconds(text, record->result.seconds, error));
    ATTEST_TRY(attest_journal_append(journal, text->data, text->size, error));
    return record->result.failed > 0 ? attest_journal_sync(journal, error) : ATTEST_OK;
}

/* Writes the result of a chunk to the journal, then joins it. */
static attest_status take(campaign_run *run, attest_campaign_record *record, attest_text *text,
                          attest_error *error)
{
    attest_campaign *campaign = run->campaign;
    size_t p = record->property;

    if (p >= campaign->plan->properties)
        return attest_error_set(error, ATTEST_FORMAT,
                                "a worker sent the result of an unknown property");
    attest_schedule_note(&run->schedule, p, record->result.seconds);
    /* Workers that are busy at the same time share the time of the campaign. */
    record->result.seconds /= (double)(run->pool.busy + 1);
    if (campaign->journal)
        ATTEST_TRY(write_record(campaign->journal, record, text, error));
    ATTEST_TRY(attest_join_add(&campaign->join[p], record, error));
    show_progress(run, p);
    return ATTEST_OK;
}

/* Returns whether a signal has stopped the campaign. */
static bool is_stopped(attest_campaign *campaign)
{
    campaign->interrupted = campaign->stop && *campaign->stop;
    return campaign->interrupted;
}

static attest_status send_jobs(campaign_run *run, attest_error *error)
{
    attest_job job;

    while (run->pool.busy < run->pool.count && attest_schedule_next(&run->schedule, &job)) {
        job.began = attest_clock_seconds();
        ATTEST_TRY(attest_pool_send(&run->pool, &job, error));
    }
    return ATTEST_OK;
}

static attest_status run_all(campaign_run *run, attest_error *error)
{
    while (!is_stopped(run->campaign)) {
        ATTEST_SCOPED(attest_campaign_record, record);
        ATTEST_SCOPED(attest_text, text);
        bool arrived;

        ATTEST_TRY(send_jobs(run, error));
        if (run->pool.busy == 0)
            break;
        ATTEST_TRY(attest_pool_wait(&run->pool, &arrived, &record, &text, error));
        if (arrived)
            ATTEST_TRY(take(run, &record, &text, error));
    }
    return ATTEST_OK;
}

static uint64_t planned_trials(const attest_plan *plan)
{
    uint64_t total = 0;

    for (size_t p = 0; p < plan->properties; p++) {
        uint64_t chunks = attest_plan_chunks(plan, p);
        attest_chunk chunk;

        if (chunks == UINT64_MAX)
            return 0;
        if (chunks == 0)
            continue;
        attest_plan_get_chunk(&chunk, plan, p, chunks - 1);
        total += (chunk.first + chunk.count) / plan->shards;
    }
    return total;
}

attest_status attest_campaign_run(attest_campaign *campaign, attest_error *error)
{
    campaign_run run ATTEST_CLEARED_BY(run_clear) = {.campaign = campaign};
    attest_status status;
    uint64_t planned;

    ATTEST_TRY(attest_schedule_init(&run.schedule, campaign->plan, campaign->join, error));
    ATTEST_TRY(attest_pool_init(&run.pool, campaign->plan, error));
    run.before = count_trials(campaign);
    planned = planned_trials(campaign->plan);
    run.planned = planned > run.before ? planned - run.before : 0;
    attest_progress_report(&campaign->progress, "trials", 0, run.planned, NULL);
    status = run_all(&run, error);
    attest_progress_end(&campaign->progress);
    ATTEST_TRY(status);
    for (size_t p = 0; p < campaign->plan->properties; p++)
        attest_chunk_result_unite(&campaign->join[p].result);
    return campaign->journal ? attest_journal_sync(campaign->journal, error) : ATTEST_OK;
}

/* ---- The file of observations. */

enum { PIECE = 65536 };

/* Opens a temporary file, which is unlinked at once. */
static FILE *open_part(const char *directory)
{
    char *name ATTEST_FREED = attest_directory_join(directory, "observations.XXXXXX");
    int file = name ? mkstemp(name) : (errno = ENOMEM, -1);
    FILE *part = NULL;

    if (file >= 0) {
        unlink(name);
        part = fdopen(file, "w+");
        if (!part)
            close(file);
    }
    return part;
}

static attest_status fail_observations(attest_observations *observations, const char *what,
                                       attest_error *error)
{
    attest_status status =
        errno == ENOMEM
            ? attest_memory_fail(error)
            : attest_error_set(error, ATTEST_IO, "%s: cannot %s: %s", observations->output.path,
                               what, strerror(errno ? errno : EIO));

    attest_observations_abandon(observations);
    return status;
}

attest_status attest_observations_open(attest_observations *observations, const char *directory,
                                       size_t properties, attest_error *error)
{
    char *path ATTEST_FREED = attest_directory_join(directory, "observations.jsonl");

    if (!path)
        return attest_memory_fail(error);
    ATTEST_TRY(attest_output_open_file(&observations->output, path, error));
    observations->part = attest_memory_alloc(properties, sizeof *observations->part);
    if (!observations->part) {
        attest_observations_abandon(observations);
        return attest_memory_fail(error);
    }
    for (size_t p = 0; p < properties; p++) {
        observations->part[p] = open_part(directory);
        if (!observations->part[p])
            return fail_observations(observations, "create a file beside it", error);
        observations->count++;
    }
    return ATTEST_OK;
}

void attest_observations_use(const attest_observations *observations, attest_join *join)
{
    for (size_t p = 0; p < observations->count; p++)
        join[p].observations = observations->part[p];
}

/* Returns false, with errno set, if part cannot be read; commit reports other failures. */
static bool append_part(FILE *to, FILE *part)
{
    char piece[PIECE];
    size_t got;

    errno = 0;
    if (ferror(part) || fflush(part) != 0) {
        errno = attest_output_reason(part);
        return false;
    }
    rewind(part);
    while ((got = fread(piece, 1, sizeof piece, part)) > 0)
        if (fwrite(piece, 1, got, to) != got)
            return true;
    return !ferror(part);
}

attest_status attest_observations_commit(attest_observations *observations, attest_error *error)
{
    attest_status status;

    for (size_t p = 0; p < observations->count; p++)
        if (!append_part(observations->output.stream, observations->part[p]))
            return fail_observations(observations, "write a file beside it", error);
    status = attest_output_commit(&observations->output, error);
    attest_observations_abandon(observations);
    return status;
}

void attest_observations_abandon(attest_observations *observations)
{
    for (size_t p = 0; p < observations->count; p++)
        fclose(observations->part[p]);
    free(observations->part);
    attest_output_abandon(&observations->output);
    memset(observations, 0, sizeof *observations);
}
