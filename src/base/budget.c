/* budget.c -- how many bytes parsed numbers may still take. */
#include <attest/number.h>

#include <stdint.h>

#include "base/memory.h"

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
        return attest_error_set(error, ATTEST_UNABLE,
                                "the numbers take more memory than is allowed");
    budget->left -= bytes;
    return ATTEST_OK;
}

void attest_budget_give_back(attest_budget *budget, size_t bytes)
{
    if (budget)
        budget->left += bytes;
}
