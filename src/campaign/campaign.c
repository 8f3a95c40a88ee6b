/* campaign.c -- runs the chunks of a plan that are not done yet. */
#include "campaign/campaign.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/progress.h"
#include "base/scope.h"
#include "campaign/pool.h"
#include "campaign/schedule.h"

attest_status attest_campaign_init(attest_campaign *campaign, const attest_plan *plan,
                                   FILE *observations, attest_error *error)
{
    memset(campaign, 0, sizeof *campaign);
    campaign->tally = attest_memory_alloc(plan->properties, sizeof *campaign->tally);
    if (!campaign->tally)
        return attest_memory_fail(error);
    campaign->plan = plan;
    for (size_t p = 0; p < plan->properties; p++) {
        attest_tally_init(&campaign->tally[p], plan, p);
        campaign->tally[p].observations = observations;
    }
    return ATTEST_OK;
}

void attest_campaign_clear(attest_campaign *campaign)
{
    for (size_t p = 0; campaign->tally && p < campaign->plan->properties; p++)
        attest_tally_clear(&campaign->tally[p]);
    free(campaign->tally);
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
        trials += attest_tally_trials(&campaign->tally[p]);
    return trials;
}

static void show_progress(campaign_run *run, size_t p)
{
    const attest_campaign *campaign = run->campaign;
    const attest_tally *tally = &campaign->tally[p];
    char note[96], tightest[32] = "";

    if (tally->joined.has_tightest)
        snprintf(tightest, sizeof tightest, ", margin 2^%.4g", tally->joined.tightest);
    snprintf(note, sizeof note, "%s%s", campaign->plan->property[p]->name, tightest);
    attest_progress_report(&campaign->progress, "trials", count_trials(campaign) - run->before,
                           run->planned, note);
}

/* Writes the result to the journal, which is synced if the chunk has a violation. */
static attest_status write_entry(attest_journal *journal, const attest_entry *entry,
                                 attest_text *text, attest_error *error)
{
    ATTEST_TRY(attest_entry_set_seconds(text, entry->result.seconds, error));
    ATTEST_TRY(attest_journal_append(journal, text->data, text->size, error));
    return entry->result.failed > 0 ? attest_journal_sync(journal, error) : ATTEST_OK;
}

/* The result of a chunk is in the journal before it counts. */
static attest_status take(campaign_run *run, attest_entry *entry, attest_text *text,
                          attest_error *error)
{
    attest_campaign *campaign = run->campaign;
    attest_status status = ATTEST_OK;
    size_t p = entry->property;

    if (p >= campaign->plan->properties)
        return attest_error_set(error, ATTEST_FORMAT, "a worker sent what it was not asked");
    attest_schedule_note(&run->schedule, p, entry->result.seconds);
    /* Of the campaign: workers that are busy at the same time share it. */
    entry->result.seconds /= (double)(run->pool.busy + 1);
    if (campaign->journal)
        status = write_entry(campaign->journal, entry, text, error);
    if (status == ATTEST_OK)
        status = attest_tally_add(&campaign->tally[p], entry, error);
    show_progress(run, p);
    return status;
}

/* Whether somebody asked the campaign to end. */
static bool is_stopped(attest_campaign *campaign)
{
    campaign->interrupted = campaign->stop && *campaign->stop;
    return campaign->interrupted;
}

static attest_status give_out(campaign_run *run, attest_error *error)
{
    attest_job job;

    while (attest_pool_idle(&run->pool) && attest_schedule_next(&run->schedule, &job)) {
        job.began = attest_clock_seconds();
        ATTEST_TRY(attest_pool_send(&run->pool, &job, error));
    }
    return ATTEST_OK;
}

static attest_status run_all(campaign_run *run, attest_error *error)
{
    while (!is_stopped(run->campaign)) {
        ATTEST_SCOPED(attest_entry, entry);
        ATTEST_SCOPED(attest_text, text);
        bool arrived;

        ATTEST_TRY(give_out(run, error));
        if (run->pool.busy == 0)
            break;
        ATTEST_TRY(attest_pool_wait(&run->pool, &arrived, &entry, &text, error));
        if (arrived)
            ATTEST_TRY(take(run, &entry, &text, error));
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

    ATTEST_TRY(attest_schedule_init(&run.schedule, campaign->plan, campaign->tally, error));
    ATTEST_TRY(attest_pool_init(&run.pool, campaign->plan, error));
    run.before = count_trials(campaign);
    planned = planned_trials(campaign->plan);
    run.planned = planned > run.before ? planned - run.before : 0;
    attest_progress_report(&campaign->progress, "trials", 0, run.planned, NULL);
    status = run_all(&run, error);
    attest_progress_end(&campaign->progress);
    ATTEST_TRY(status);
    for (size_t p = 0; p < campaign->plan->properties; p++)
        attest_chunk_result_unite(&campaign->tally[p].joined);
    return campaign->journal ? attest_journal_sync(campaign->journal, error) : ATTEST_OK;
}
