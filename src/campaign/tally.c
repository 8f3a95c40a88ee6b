/* tally.c -- the results of a property's chunks, joined in the order of their numbers. */
#include "campaign/tally.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "campaign/chunk_result.h"

struct attest_waiting {
    attest_entry entry;
    struct attest_waiting *next;
};

void attest_tally_init(attest_tally *tally, const attest_plan *plan, size_t property)
{
    memset(tally, 0, sizeof *tally);
    tally->plan = plan;
    tally->property = property;
    tally->next = plan->shard - 1;
    attest_chunk_result_init(&tally->joined);
}

static void drop_first(attest_tally *tally)
{
    struct attest_waiting *first = tally->waiting;

    tally->waiting = first->next;
    attest_entry_clear(&first->entry);
    free(first);
}

void attest_tally_clear(attest_tally *tally)
{
    while (tally->waiting)
        drop_first(tally);
    attest_chunk_result_clear(&tally->joined);
}

bool attest_tally_has(const attest_tally *tally, uint64_t number)
{
    if (number < tally->next)
        return true;
    for (const struct attest_waiting *w = tally->waiting; w; w = w->next)
        if (w->entry.number == number)
            return true;
    return false;
}

/* Joins what is in turn now. */
static attest_status join(attest_tally *tally, attest_error *error)
{
    while (!tally->ended && tally->waiting && tally->waiting->entry.number == tally->next) {
        attest_chunk_result *result = &tally->waiting->entry.result;

        tally->ended = result->failed > 0 && !tally->plan->keep_going;
        if (tally->observations && result->observations)
            fputs(result->observations, tally->observations);
        if (attest_chunk_result_join(&tally->joined, result) != ATTEST_OK)
            return attest_memory_fail(error);
        tally->next += tally->plan->shards;
        drop_first(tally);
    }
    while (tally->ended && tally->waiting)
        drop_first(tally);
    return ATTEST_OK;
}

attest_status attest_tally_add(attest_tally *tally, attest_entry *entry, attest_error *error)
{
    struct attest_waiting **place = &tally->waiting, *added;

    if (!attest_plan_has(tally->plan, entry->number) ||
        entry->number >= attest_plan_chunks(tally->plan, tally->property))
        return attest_error_set(error, ATTEST_FORMAT, "chunk %llu of %s is not of this plan",
                                (unsigned long long)entry->number,
                                tally->plan->property[tally->property]->name);
    if (tally->ended || attest_tally_has(tally, entry->number)) {
        attest_entry_clear(entry);
        return ATTEST_OK;
    }
    added = attest_memory_alloc(1, sizeof *added);
    if (!added)
        return attest_memory_fail(error);
    while (*place && (*place)->entry.number < entry->number)
        place = &(*place)->next;
    added->entry = *entry;
    added->next = *place;
    *place = added;
    attest_entry_init(entry);
    return join(tally, error);
}

uint64_t attest_tally_trials(const attest_tally *tally)
{
    const attest_chunk_result *joined = &tally->joined;

    return joined->passed + joined->failed + joined->discarded + joined->undecided;
}
