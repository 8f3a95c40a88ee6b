/* search.c -- a cloud of outputs and its candidates, made and dropped together. */
#include "certify/search.h"

#include "base/scope.h"

attest_status attest_search_init(attest_search *search, const attest_claim *claim,
                                 const attest_contexts *contexts, attest_error *error)
{
    *search = (attest_search){.jobs = claim->jobs};
    ATTEST_TRY(
        attest_outputs_init(&search->outputs, claim->weights, claim->dataset, contexts, error));
    search->outputs.progress = claim->progress;
    search->outputs.work_left = claim->max_work;
    return ATTEST_OK;
}

void attest_search_restart(attest_search *search)
{
    if (search->has_candidates)
        attest_candidates_clear(&search->candidates);
    if (search->has_cloud)
        attest_cloud_clear(&search->cloud);
    search->has_candidates = search->has_cloud = false;
}

void attest_search_clear(attest_search *search)
{
    attest_search_restart(search);
    attest_outputs_clear(&search->outputs);
}

attest_status attest_search_evaluate(attest_search *search, attest_error *error)
{
    ATTEST_TRY(attest_outputs_get_cloud(&search->cloud, &search->outputs, error));
    search->has_cloud = true;
    return ATTEST_OK;
}

attest_status attest_search_find_candidates(attest_search *search, attest_error *error)
{
    search->cloud.progress = search->outputs.progress;
    search->cloud.jobs = search->jobs;
    ATTEST_TRY(attest_candidates_init(&search->candidates, &search->cloud, error));
    search->has_candidates = true;
    return ATTEST_OK;
}
