/* memory.c -- allocation with checked sizes, and budgets of memory. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <attest/number.h>

#include "base/fault.h"
#include "base/hint.h"
#include "base/memory.h"

enum { LEAST_ROOM = 16 };

void *attest_memory_alloc(size_t count, size_t size)
{
    if (attest_fault("alloc") || (size && count > SIZE_MAX / size))
        return NULL;
    return calloc(count ? count : 1, size ? size : 1);
}

void *attest_memory_resize(void *block, size_t count, size_t size)
{
    if (attest_fault("alloc") || (size && count > SIZE_MAX / size))
        return NULL;
    return realloc(block, count && size ? count * size : 1);
}

bool attest_memory_grow(void *block, size_t *room, size_t needed, size_t size)
{
    size_t half_more = *room <= SIZE_MAX / 2 ? *room + *room / 2 : needed, larger;
    void *old, *grown;

    if (needed <= *room)
        return true;
    larger = half_more > needed ? half_more : needed;
    if (larger < LEAST_ROOM)
        larger = LEAST_ROOM;
    memcpy(&old, block, sizeof old); /* *block may be a pointer of any type */
    grown = attest_memory_resize(old, larger, size);
    if (!grown)
        return false;
    memcpy(block, &grown, sizeof grown);
    *room = larger;
    return true;
}

char *attest_memory_copy(const char *string)
{
    size_t size = strlen(string) + 1;
    char *copy = attest_memory_alloc(size, 1);

    if (copy)
        memcpy(copy, string, size);
    return copy;
}

size_t attest_memory_total(void)
{
    const size_t least = (size_t)64 << 20;
    long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);

    if (pages <= 0 || size <= 0 || (size_t)pages < least / (size_t)size)
        return least;
    return (size_t)pages * (size_t)size;
}

attest_status attest_memory_fail(attest_error *error)
{
    return attest_error_set(error, ATTEST_NOMEM, "out of memory");
}

attest_status attest_memory_fail_at(attest_error *error, const char *file)
{
    return attest_error_set(error, ATTEST_NOMEM, "%s: out of memory", file);
}

void attest_budget_init(attest_budget *budget)
{
    budget->left = attest_memory_total() / 2;
}

size_t attest_budget_left(const attest_budget *budget)
{
    return budget ? budget->left : SIZE_MAX;
}

attest_status attest_budget_charge(attest_budget *budget, size_t bytes, attest_error *error)
{
    if (!budget)
        return ATTEST_OK;
    if (bytes > budget->left)
        return attest_error_set(error, ATTEST_UNABLE, "the numbers take " ATTEST_HINT_MEMORY);
    budget->left -= bytes;
    return ATTEST_OK;
}

void attest_budget_give_back(attest_budget *budget, size_t bytes)
{
    if (budget)
        budget->left += bytes;
}
