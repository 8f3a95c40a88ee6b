/* join.c -- the results of the chunks of one property, joined. */
#include "campaign/join.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/scope.h"

/* Journals that claim more chunks are refused: the bits would take too much memory. */
#define MOST_CHUNKS (UINT64_C(1) << 36)

struct attest_waiting {
    attest_campaign_record record;
    struct attest_waiting *next;
};

struct attest_first_place {
    uint64_t chunk;
    size_t index; /* in the list of the chunk */
};

void attest_join_init(attest_join *join, const attest_plan *plan, size_t property)
{
    *join = (attest_join){
        .plan = plan, .property = property, .next = plan->shard - 1, .cut = UINT64_MAX};
    attest_chunk_result_init(&join->result);
}

void attest_join_init_any_order(attest_join *join, const attest_plan *plan, size_t property,
                                attest_budget *budget)
{
    attest_join_init(join, plan, property);
    join->any_order = true;
    join->budget = budget;
}

static void drop_waiting(attest_join *join)
{
    struct attest_waiting *first = join->waiting;

    join->waiting = first->next;
    attest_campaign_record_clear(&first->record);
    free(first);
}

/* Frees the memory that is needed only while chunks are added. */
static void release(attest_join *join)
{
    while (join->waiting)
        drop_waiting(join);
    attest_budget_give_back(join->budget, join->size);
    free(join->seen);
    free(join->first);
    join->seen = NULL;
    join->first = NULL;
    join->size = join->room = 0;
}

void attest_join_clear(attest_join *join)
{
    release(join);
    attest_chunk_result_clear(&join->result);
}

void attest_join_restart(attest_join *join)
{
    uint64_t cut = join->cut;

    attest_join_clear(join);
    attest_join_init_any_order(join, join->plan, join->property, join->budget);
    join->cut = cut;
}

bool attest_join_has(const attest_join *join, uint64_t number)
{
    if (number < join->next)
        return true;
    for (const struct attest_waiting *w = join->waiting; w; w = w->next)
        if (w->record.number == number)
            return true;
    return false;
}

uint64_t attest_join_trials(const attest_join *join)
{
    const attest_chunk_result *result = &join->result;

    return result->passed + result->failed + result->discarded + result->undecided;
}

static attest_status add_label(attest_join *join, const attest_label_count *label,
                               struct attest_first_place place)
{
    attest_chunk_result *result = &join->result;
    size_t before = result->labels, l = 0;

    ATTEST_TRY(attest_chunk_result_add_label(result, label->name, label->count));
    if (!attest_memory_grow(&join->first, &join->room, result->labels, sizeof *join->first))
        return ATTEST_NOMEM;
    if (result->labels > before) {
        join->first[before] = place;
        return ATTEST_OK;
    }
    while (strcmp(result->label[l].name, label->name) != 0)
        l++;
    if (place.chunk < join->first[l].chunk)
        join->first[l] = place;
    return ATTEST_OK;
}

static void swap_text(char **one, char **other)
{
    char *text = *one;

    *one = *other;
    *other = text;
}

/* Of equal margins that of the earlier chunk is the tightest. */
static void add_tightest(attest_join *join, attest_chunk_result *added, uint64_t number)
{
    attest_chunk_result *result = &join->result;

    if (!added->has_tightest ||
        (result->has_tightest &&
         (added->tightest > result->tightest ||
          (added->tightest == result->tightest && number > join->tightest_at))))
        return;
    result->has_tightest = true;
    result->tightest = added->tightest;
    join->tightest_at = number;
    swap_text(&result->tightest_text, &added->tightest_text);
}

static attest_status add_lists(attest_join *join, attest_chunk_result *added, uint64_t number)
{
    attest_chunk_result *result = &join->result;

    for (size_t l = 0; l < added->labels; l++)
        ATTEST_TRY(add_label(join, &added->label[l], (struct attest_first_place){number, l}));
    for (size_t d = 0; d < added->deaths; d++)
        ATTEST_TRY(attest_chunk_result_add_death(result, &added->death[d]));
    for (size_t v = 0; v < added->violations; v++) {
        attest_violation violation = added->violation[v];

        added->violation[v].text = added->violation[v].reason = NULL; /* result's from now on */
        ATTEST_TRY(attest_chunk_result_add_violation(result, &violation));
    }
    return ATTEST_OK;
}

/* Counts a chunk in the result; observations are dropped. */
static attest_status count_chunk(attest_join *join, attest_campaign_record *record,
                                 attest_error *error)
{
    attest_chunk_result *result = &join->result, *added = &record->result;

    result->passed += added->passed;
    result->failed += added->failed;
    result->discarded += added->discarded;
    result->undecided += added->undecided;
    result->searched += added->searched;
    result->seconds += added->seconds;
    add_tightest(join, added, record->number);
    if (added->open_reason && (!result->open_reason || record->number < join->open_at)) {
        swap_text(&result->open_reason, &added->open_reason);
        join->open_at = record->number;
    }
    return add_lists(join, added, record->number) == ATTEST_OK ? ATTEST_OK
                                                               : attest_memory_fail(error);
}

/* Joins the chunks that waited for the one that came last. */
static attest_status count_waiting(attest_join *join, attest_error *error)
{
    while (!join->ended && join->waiting && join->waiting->record.number == join->next) {
        attest_chunk_result *result = &join->waiting->record.result;

        join->ended = result->failed > 0 && !join->plan->keep_going;
        if (join->observations && result->observations)
            fputs(result->observations, join->observations);
        ATTEST_TRY(count_chunk(join, &join->waiting->record, error));
        join->next += join->plan->shards;
        drop_waiting(join);
    }
    while (join->ended && join->waiting)
        drop_waiting(join);
    return ATTEST_OK;
}

static attest_status add_in_order(attest_join *join, attest_campaign_record *record,
                                  attest_error *error)
{
    struct attest_waiting **place = &join->waiting, *added;

    if (join->ended || attest_join_has(join, record->number)) {
        attest_campaign_record_clear(record);
        return ATTEST_OK;
    }
    added = attest_memory_alloc(1, sizeof *added);
    if (!added)
        return attest_memory_fail(error);
    while (*place && (*place)->record.number < record->number)
        place = &(*place)->next;
    added->record = *record;
    added->next = *place;
    *place = added;
    attest_campaign_record_init(record);
    return count_waiting(join, error);
}

/* Sets the bit of the chunk; *fresh = whether it was not set. */
static attest_status mark(attest_join *join, uint64_t number, bool *fresh, attest_error *error)
{
    size_t byte = (size_t)(number / 8);
    unsigned char bit = (unsigned char)(1u << (number % 8));

    if (number >= MOST_CHUNKS)
        return attest_error_set(error, ATTEST_FORMAT,
                                "chunk %llu: campaigns have fewer than 2^36 chunks",
                                (unsigned long long)number);
    if (byte >= join->size) {
        size_t size = join->size, most = byte + byte / 2 + 64; /* as attest_memory_grow */

        ATTEST_TRY(attest_budget_charge(join->budget, most, error));
        attest_budget_give_back(join->budget, most);
        if (!attest_memory_grow(&join->seen, &join->size, byte + 1, 1))
            return attest_memory_fail(error);
        memset(join->seen + size, 0, join->size - size);
        ATTEST_TRY(attest_budget_charge(join->budget, join->size - size, error));
    }
    *fresh = !(join->seen[byte] & bit);
    join->seen[byte] |= bit;
    return ATTEST_OK;
}

static attest_status add_in_any_order(attest_join *join, attest_campaign_record *record,
                                      attest_error *error)
{
    uint64_t number = record->number;
    bool fresh = false;

    ATTEST_TRY(mark(join, number, &fresh, error));
    if (!fresh || number > join->cut)
        return ATTEST_OK;
    if (record->result.failed > 0 && !join->plan->keep_going) {
        join->cut = number;
        join->again = join->again || (join->chunks > 0 && join->last > number);
    }
    join->chunks++;
    join->last = number > join->last ? number : join->last;
    return count_chunk(join, record, error);
}

attest_status attest_join_add(attest_join *join, attest_campaign_record *record,
                              attest_error *error)
{
    if (!attest_plan_has(join->plan, record->number) ||
        record->number >= attest_plan_chunks(join->plan, join->property))
        return attest_error_set(error, ATTEST_FORMAT, "chunk %llu of %s is not of this plan",
                                (unsigned long long)record->number,
                                join->plan->property[join->property]->name);
    return join->any_order ? add_in_any_order(join, record, error)
                           : add_in_order(join, record, error);
}

/* An insertion sort: there are few labels. */
static void sort_labels(attest_join *join)
{
    attest_chunk_result *result = &join->result;

    for (size_t i = 1; i < result->labels; i++) {
        attest_label_count label = result->label[i];
        struct attest_first_place first = join->first[i];
        size_t place = i;

        for (; place > 0 && (join->first[place - 1].chunk > first.chunk ||
                             (join->first[place - 1].chunk == first.chunk &&
                              join->first[place - 1].index > first.index));
             place--) {
            result->label[place] = result->label[place - 1];
            join->first[place] = join->first[place - 1];
        }
        result->label[place] = label;
        join->first[place] = first;
    }
}

static int compare_violations(const void *a, const void *b)
{
    const attest_violation *x = a, *y = b;

    return x->trial < y->trial ? -1 : x->trial > y->trial;
}

/* At one trial a worker dies while it decides before it dies while it shrinks, each time after
 * fewer steps. */
static int compare_deaths(const void *a, const void *b)
{
    const attest_death *x = a, *y = b;

    if (x->trial != y->trial)
        return x->trial < y->trial ? -1 : 1;
    if (x->shrinking != y->shrinking)
        return x->shrinking ? 1 : -1;
    return x->steps < y->steps ? 1 : x->steps > y->steps ? -1 : 0;
}

bool attest_join_end(attest_join *join, uint64_t *missing)
{
    attest_chunk_result *result = &join->result;
    uint64_t chunks = attest_plan_chunks(join->plan, join->property);
    bool complete = true;

    sort_labels(join);
    if (result->violations > 1)
        qsort(result->violation, result->violations, sizeof *result->violation,
              compare_violations);
    if (result->deaths > 1)
        qsort(result->death, result->deaths, sizeof *result->death, compare_deaths);
    if (chunks != UINT64_MAX) {
        if (join->cut < chunks)
            chunks = join->cut + 1;
        for (uint64_t c = 0; complete && c < chunks; c++) {
            complete = c / 8 < join->size && join->seen[c / 8] & 1u << c % 8;
            *missing = c;
        }
        if (complete) {
            join->next = chunks;
            join->ended = join->cut != UINT64_MAX;
        }
    }
    release(join);
    return !complete;
}
