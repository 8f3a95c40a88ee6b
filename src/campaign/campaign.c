/* campaign.c -- runs the chunks of a plan that are not done yet. */
#include "campaign/campaign.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/progress.h"
#include "campaign/pool.h"

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
    uint64_t before;  /* trials that were done before it began */
    uint64_t planned; /* trials from there on; 0: not known */
    size_t property;  /* the one whose chunks are given out, */
    uint64_t number;  /* and the next of them */
    double began;
    double heard; /* when the last result came */
} campaign_run;

/* With a limit of time every property has an equal share of it, one after another. */
static bool is_late(const campaign_run *run)
{
    const attest_plan *plan = run->campaign->plan;
    double share = plan->time / (double)plan->properties;

    return plan->time > 0 &&
           attest_clock_seconds() - run->began >= share * (double)(run->property + 1);
}

/* job = the next chunk that is to be run; false: there is none. */
static bool next_job(campaign_run *run, attest_job *job)
{
    const attest_plan *plan = run->campaign->plan;

    while (run->property < plan->properties) {
        const attest_tally *tally = &run->campaign->tally[run->property];
        uint64_t chunks = attest_plan_chunks(plan, run->property);

        while (!tally->ended && run->number < chunks && attest_tally_has(tally, run->number))
            run->number += plan->shards;
        if (!tally->ended && run->number < chunks && !is_late(run)) {
            *job = (attest_job){.property = run->property, .number = run->number};
            run->number += plan->shards;
            return true;
        }
        run->property++;
        run->number = plan->shard - 1;
    }
    return false;
}

static uint64_t count_trials(const attest_campaign *campaign)
{
    uint64_t trials = 0;

    for (size_t p = 0; p < campaign->plan->properties; p++)
        trials += attest_tally_trials(&campaign->tally[p]);
    return trials;
}

static void show_progress(campaign_run *run)
{
    const attest_campaign *campaign = run->campaign;
    size_t p = run->property < campaign->plan->properties ? run->property
                                                          : campaign->plan->properties - 1;
    const attest_tally *tally = &campaign->tally[p];
    char note[96], tightest[32] = "";

    if (tally->joined.has_tightest)
        snprintf(tightest, sizeof tightest, ", margin 2^%.4g", tally->joined.tightest);
    snprintf(note, sizeof note, "%s%s", campaign->plan->property[p]->name, tightest);
    attest_progress_report(&campaign->progress, "trials", count_trials(campaign) - run->before,
                           run->planned, note);
}

/* The result of a chunk is in the journal before it counts. */
static attest_status take(campaign_run *run, attest_entry *entry, attest_text *text,
                          attest_error *error)
{
    attest_campaign *campaign = run->campaign;
    attest_status status = ATTEST_OK;
    bool violated = entry->result.failed > 0;
    double time = attest_clock_seconds();

    entry->result.seconds = time - run->heard;
    run->heard = time;
    if (entry->property >= campaign->plan->properties)
        return attest_error_set(error, ATTEST_FORMAT, "a worker sent what it was not asked");
    if (campaign->journal)
        status = attest_entry_set_seconds(text, entry->result.seconds, error);
    if (status == ATTEST_OK && campaign->journal)
        status = attest_journal_append(campaign->journal, text->data, text->size, error);
    if (status == ATTEST_OK && campaign->journal && violated)
        status = attest_journal_sync(campaign->journal, error);
    if (status == ATTEST_OK)
        status = attest_tally_add(&campaign->tally[entry->property], entry, error);
    show_progress(run);
    return status;
}

static attest_status run_all(campaign_run *run, attest_error *error)
{
    attest_status status = ATTEST_OK;
    attest_entry entry;
    attest_text text;
    bool more = true;

    while (status == ATTEST_OK) {
        bool arrived;
        attest_job job;

        while (more && status == ATTEST_OK && attest_pool_idle(&run->pool)) {
            more = next_job(run, &job);
            if (more)
                status = attest_pool_send(&run->pool, &job, error);
        }
        if (status != ATTEST_OK || run->pool.busy == 0)
            break;
        attest_entry_init(&entry);
        attest_text_init(&text);
        status = attest_pool_wait(&run->pool, &arrived, &entry, &text, error);
        if (status == ATTEST_OK && arrived)
            status = take(run, &entry, &text, error);
        attest_text_clear(&text);
        attest_entry_clear(&entry);
    }
    return status;
}

static uint64_t planned_trials(const attest_plan *plan)
{
    uint64_t total = 0;

    for (size_t p = 0; p < plan->properties; p++) {
        uint64_t chunks = attest_plan_chunks(plan, p);
        attest_chunk chunk;

        if (chunks == UINT64_MAX)
            return 0;
        attest_plan_get_chunk(&chunk, plan, p, chunks - 1);
        total += (chunk.first + chunk.count) / plan->shards;
    }
    return total;
}

attest_status attest_campaign_run(attest_campaign *campaign, attest_error *error)
{
    campaign_run run = {.campaign = campaign, .number = campaign->plan->shard - 1};
    attest_status status = attest_pool_init(&run.pool, campaign->plan, error);
    uint64_t planned;

    if (status != ATTEST_OK)
        return status;
    run.began = run.heard = attest_clock_seconds();
    run.before = count_trials(campaign);
    planned = planned_trials(campaign->plan);
    run.planned = planned > run.before ? planned - run.before : 0;
    attest_progress_report(&campaign->progress, "trials", 0, run.planned, NULL);
    status = run_all(&run, error);
    attest_progress_end(&campaign->progress);
    attest_pool_clear(&run.pool);
    if (status == ATTEST_OK && campaign->journal)
        status = attest_journal_sync(campaign->journal, error);
    return status;
}
