/* collisions.c -- equal outputs, counted without looking at pairs. */
#include "audit/collisions.h"

#include <stdlib.h>

#include "base/memory.h"
#include "number/scope.h"

void attest_audit_collisions_init(attest_audit_collisions *collisions)
{
    *collisions = (attest_audit_collisions){0};
    fmpz_init(collisions->pairs);
}

void attest_audit_collisions_clear(attest_audit_collisions *collisions)
{
    fmpz_clear(collisions->pairs);
}

/* Finite positions in the order of their outputs, equal ones by class, then by place. */
typedef struct ranking {
    const attest_audit_outputs *outputs;
    const uint32_t *group;
    size_t *order, *room;
    size_t count;
} ranking;

static int compare(const ranking *r, size_t p, size_t q)
{
    int order = attest_audit_outputs_compare(r->outputs, p, q);

    if (order == 0)
        order = (r->group[p] > r->group[q]) - (r->group[p] < r->group[q]);
    return order ? order : (p > q) - (p < q);
}

/* Merge sort: comparisons are expensive, and qsort has no context. */
static void sort(const ranking *r, size_t begin, size_t end)
{
    size_t middle = begin + (end - begin) / 2, left = begin, right = middle;

    if (end - begin < 2)
        return;
    sort(r, begin, middle);
    sort(r, middle, end);
    for (size_t i = begin; i < end; i++)
        r->room[i] =
            left < middle && (right == end || compare(r, r->order[left], r->order[right]) <= 0)
                ? r->order[left++]
                : r->order[right++];
    for (size_t i = begin; i < end; i++)
        r->order[i] = r->room[i];
}

static void offer_pair(attest_audit_collisions *collisions, size_t p, size_t q)
{
    size_t first = p < q ? p : q, second = p < q ? q : p;

    if (collisions->has_pair &&
        (first > collisions->pair[0] ||
         (first == collisions->pair[0] && second >= collisions->pair[1])))
        return;
    collisions->has_pair = true;
    collisions->pair[0] = first;
    collisions->pair[1] = second;
}

/* Adds the pairs of different classes among order[begin..end), whose outputs are equal. */
static void count_run(attest_audit_collisions *collisions, const ranking *r, size_t begin,
                      size_t end)
{
    size_t first = begin, other = SIZE_MAX;
    FMPZ(pairs);

    fmpz_bin_uiui(pairs, end - begin, 2);
    fmpz_add(collisions->pairs, collisions->pairs, pairs);
    for (size_t i = begin, j; i < end; i = j) {
        for (j = i; j < end && r->group[r->order[j]] == r->group[r->order[i]]; j++)
            continue;
        fmpz_bin_uiui(pairs, j - i, 2);
        fmpz_sub(collisions->pairs, collisions->pairs, pairs);
        /* The first position of each class stands first. */
        if (r->order[i] < r->order[first]) {
            other = first;
            first = i;
        } else if (i != first && (other == SIZE_MAX || r->order[i] < r->order[other])) {
            other = i;
        }
    }
    if (other != SIZE_MAX)
        offer_pair(collisions, r->order[first], r->order[other]);
}

/* Adds all required pairs with a position that is not finite: all required pairs but those
 * among finite positions. */
static bool count_nonfinite(attest_audit_collisions *collisions, const ranking *r,
                            const attest_contexts *classes)
{
    size_t *finite ATTEST_FREED = attest_memory_alloc(classes->classes, sizeof *finite);
    FMPZ(pairs);

    if (!finite)
        return false;
    for (size_t i = 0; i < r->count; i++)
        finite[r->group[r->order[i]]]++;
    fmpz_add(collisions->pairs, collisions->pairs, classes->required_pairs);
    fmpz_bin_uiui(pairs, r->count, 2);
    fmpz_sub(collisions->pairs, collisions->pairs, pairs);
    for (size_t g = 0; g < classes->classes; g++) {
        fmpz_bin_uiui(pairs, finite[g], 2);
        fmpz_add(collisions->pairs, collisions->pairs, pairs);
    }
    return true;
}

/* Offers the first required pair with a position that is not finite. */
static void offer_nonfinite(attest_audit_collisions *collisions,
                            const attest_audit_outputs *outputs, const attest_contexts *classes)
{
    const uint32_t *group = classes->position;
    size_t bad[2], count = 0; /* the first such position, and the first of another class */

    for (size_t p = 0; p < classes->positions && count < 2; p++)
        if (!attest_audit_outputs_finite(outputs, p) &&
            (count == 0 || group[p] != group[bad[0]]))
            bad[count++] = p;
    if (count == 2)
        offer_pair(collisions, bad[0], bad[1]);
    /* The pair begins with the first position of all that has a partner. */
    for (size_t p = 0; count > 0 && p < classes->positions; p++)
        if (group[p] != group[bad[0]]) {
            offer_pair(collisions, p, bad[0]);
            break;
        }
    if (count == 2 && group[0] == group[bad[0]])
        offer_pair(collisions, 0, bad[1]);
}

attest_status attest_audit_collisions_get(attest_audit_collisions *collisions,
                                          const attest_audit_outputs *outputs,
                                          const attest_contexts *classes, attest_error *error)
{
    size_t count = classes->positions;
    size_t *order ATTEST_FREED = attest_memory_alloc(count, sizeof *order);
    size_t *room ATTEST_FREED = attest_memory_alloc(count, sizeof *room);
    ranking r = {outputs, .group = classes->position, .order = order, .room = room};

    fmpz_zero(collisions->pairs);
    collisions->has_pair = false;
    if (!order || !room)
        return attest_memory_fail(error);
    for (size_t p = 0; p < count; p++)
        if (attest_audit_outputs_finite(outputs, p))
            order[r.count++] = p;
    collisions->nonfinite = count - r.count;
    sort(&r, 0, r.count);
    for (size_t i = 0, j; i < r.count; i = j) {
        for (j = i + 1;
             j < r.count && attest_audit_outputs_compare(outputs, order[i], order[j]) == 0; j++)
            continue;
        if (j - i > 1)
            count_run(collisions, &r, i, j);
    }
    if (collisions->nonfinite == 0)
        return ATTEST_OK;
    if (!count_nonfinite(collisions, &r, classes))
        return attest_memory_fail(error);
    offer_nonfinite(collisions, outputs, classes);
    return ATTEST_OK;
}
