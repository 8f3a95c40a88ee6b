/* gather.c -- the chunks of one property, joined in whatever order they come. */
#include "campaign/gather.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/scope.h"

/* No campaign has so many chunks that a bit for each would be too much. */
#define MOST_CHUNKS (UINT64_C(1) << 36)

struct attest_first {
    uint64_t chunk;
    size_t index;
};

void attest_gather_init(attest_gather *gather, attest_tally *tally, attest_budget *budget)
{
    memset(gather, 0, sizeof *gather);
    gather->tally = tally;
    gather->budget = budget;
    gather->cut = UINT64_MAX;
}

void attest_gather_clear(attest_gather *gather)
{
    attest_budget_give_back(gather->budget, gather->size);
    free(gather->seen);
    free(gather->first);
    memset(gather, 0, sizeof *gather);
}

void attest_gather_restart(attest_gather *gather)
{
    attest_budget *budget = gather->budget;
    attest_tally *tally = gather->tally;
    uint64_t cut = gather->cut;

    attest_gather_clear(gather);
    attest_gather_init(gather, tally, budget);
    gather->cut = cut;
    attest_chunk_result_clear(&tally->joined);
    attest_chunk_result_init(&tally->joined);
}

/* *fresh = whether the chunk was not there; now it is. */
static attest_status mark(attest_gather *gather, uint64_t number, bool *fresh,
                          attest_error *error)
{
    size_t byte = (size_t)(number / 8);
    unsigned char bit = (unsigned char)(1u << (number % 8));

    if (number >= MOST_CHUNKS)
        return attest_error_set(error, ATTEST_FORMAT, "chunk %llu is none of a campaign",
                                (unsigned long long)number);
    if (byte >= gather->size) {
        size_t size = gather->size, most = byte + byte / 2 + 64; /* as attest_memory_grow */

        ATTEST_TRY(attest_budget_charge(gather->budget, most, error));
        attest_budget_give_back(gather->budget, most);
        if (!attest_memory_grow(&gather->seen, &gather->size, byte + 1, 1))
            return attest_memory_fail(error);
        memset(gather->seen + size, 0, gather->size - size);
        ATTEST_TRY(attest_budget_charge(gather->budget, gather->size - size, error));
    }
    *fresh = !(gather->seen[byte] & bit);
    gather->seen[byte] |= bit;
    return ATTEST_OK;
}

static attest_status add_label(attest_gather *gather, const attest_label_count *label,
                               struct attest_first place)
{
    attest_chunk_result *joined = &gather->tally->joined;
    size_t before = joined->labels, l = 0;

    ATTEST_TRY(attest_chunk_result_add_label(joined, label->name, label->count));
    if (!attest_memory_grow(&gather->first, &gather->room, joined->labels,
                            sizeof *gather->first))
        return ATTEST_NOMEM;
    if (joined->labels > before) {
        gather->first[before] = place;
        return ATTEST_OK;
    }
    while (strcmp(joined->label[l].name, label->name) != 0)
        l++;
    if (place.chunk < gather->first[l].chunk)
        gather->first[l] = place;
    return ATTEST_OK;
}

static void swap_text(char **one, char **other)
{
    char *text = *one;

    *one = *other;
    *other = text;
}

static void add_tightest(attest_gather *gather, attest_chunk_result *result, uint64_t number)
{
    attest_chunk_result *joined = &gather->tally->joined;

    if (!result->has_tightest ||
        (joined->has_tightest &&
         (result->tightest > joined->tightest ||
          (result->tightest == joined->tightest && number > gather->tightest_at))))
        return;
    joined->has_tightest = true;
    joined->tightest = result->tightest;
    gather->tightest_at = number;
    swap_text(&joined->tightest_text, &result->tightest_text);
}

static attest_status add_lists(attest_gather *gather, attest_chunk_result *result,
                               uint64_t number)
{
    attest_chunk_result *joined = &gather->tally->joined;

    for (size_t l = 0; l < result->labels; l++)
        ATTEST_TRY(add_label(gather, &result->label[l], (struct attest_first){number, l}));
    for (size_t d = 0; d < result->deaths; d++)
        ATTEST_TRY(attest_chunk_result_add_death(joined, &result->death[d]));
    while (result->violations > 0) { /* its texts are taken over, whatever becomes of them */
        attest_violation *last = &result->violation[--result->violations];

        ATTEST_TRY(attest_chunk_result_add_violation(joined, last));
    }
    return ATTEST_OK;
}

static attest_status count(attest_gather *gather, attest_chunk_result *result, uint64_t number,
                           attest_error *error)
{
    attest_chunk_result *joined = &gather->tally->joined;

    joined->passed += result->passed;
    joined->failed += result->failed;
    joined->discarded += result->discarded;
    joined->undecided += result->undecided;
    joined->searched += result->searched;
    joined->seconds += result->seconds;
    add_tightest(gather, result, number);
    if (result->open_reason && (!joined->open_reason || number < gather->open_at)) {
        swap_text(&joined->open_reason, &result->open_reason);
        gather->open_at = number;
    }
    gather->chunks++;
    gather->last = number > gather->last ? number : gather->last;
    return add_lists(gather, result, number) == ATTEST_OK ? ATTEST_OK
                                                          : attest_memory_fail(error);
}

attest_status attest_gather_add(attest_gather *gather, attest_entry *entry, attest_error *error)
{
    const attest_plan *plan = gather->tally->plan;
    uint64_t number = entry->number;
    attest_status status;
    bool fresh = false;

    if (number >= attest_plan_chunks(plan, gather->tally->property))
        return attest_error_set(error, ATTEST_FORMAT, "chunk %llu of %s is not of this plan",
                                (unsigned long long)number,
                                plan->property[gather->tally->property]->name);
    status = mark(gather, number, &fresh, error);
    if (status != ATTEST_OK || !fresh || number > gather->cut)
        return status;
    if (entry->result.failed > 0 && !plan->keep_going) {
        gather->cut = number;
        gather->again = gather->again || (gather->chunks > 0 && gather->last > number);
    }
    return count(gather, &entry->result, number, error);
}

/* Labels are few. */
static void sort_labels(attest_gather *gather)
{
    attest_chunk_result *joined = &gather->tally->joined;

    for (size_t i = 1; i < joined->labels; i++) {
        attest_label_count label = joined->label[i];
        struct attest_first first = gather->first[i];
        size_t place = i;

        for (; place > 0 && (gather->first[place - 1].chunk > first.chunk ||
                             (gather->first[place - 1].chunk == first.chunk &&
                              gather->first[place - 1].index > first.index));
             place--) {
            joined->label[place] = joined->label[place - 1];
            gather->first[place] = gather->first[place - 1];
        }
        joined->label[place] = label;
        gather->first[place] = first;
    }
}

static int compare_violations(const void *a, const void *b)
{
    const attest_violation *x = a, *y = b;

    return x->trial < y->trial ? -1 : x->trial > y->trial;
}

/* At one trial a worker dies over its decision before it dies over its shrinking. */
static int compare_deaths(const void *a, const void *b)
{
    const attest_death *x = a, *y = b;

    if (x->trial != y->trial)
        return x->trial < y->trial ? -1 : 1;
    if (x->shrinking != y->shrinking)
        return x->shrinking ? 1 : -1;
    return x->steps < y->steps ? 1 : x->steps > y->steps ? -1 : 0;
}

bool attest_gather_end(attest_gather *gather, uint64_t *missing)
{
    const attest_tally *tally = gather->tally;
    attest_chunk_result *joined = &gather->tally->joined;
    uint64_t chunks = attest_plan_chunks(tally->plan, tally->property);

    sort_labels(gather);
    if (joined->violations > 1)
        qsort(joined->violation, joined->violations, sizeof *joined->violation,
              compare_violations);
    if (joined->deaths > 1)
        qsort(joined->death, joined->deaths, sizeof *joined->death, compare_deaths);
    if (chunks == UINT64_MAX)
        return false;
    if (gather->cut < chunks)
        chunks = gather->cut + 1;
    for (uint64_t c = 0; c < chunks; c++)
        if (c / 8 >= gather->size || !(gather->seen[c / 8] & 1u << c % 8)) {
            *missing = c;
            return true;
        }
    gather->tally->next = chunks;
    gather->tally->ended = gather->cut != UINT64_MAX;
    return false;
}
