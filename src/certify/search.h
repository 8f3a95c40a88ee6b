/* search.h -- the outputs of a claim in a cloud, and the pairs that may be closest. */
#ifndef ATTEST_CERTIFY_SEARCH_H
#define ATTEST_CERTIFY_SEARCH_H

#include <attest/certify.h>

#include "certify/outputs.h"
#include "geometry/closest_pair.h"

typedef struct attest_search {
    attest_outputs outputs;
    attest_cloud cloud; /* by context, coloured by class */
    attest_candidates candidates;
    bool has_cloud, has_candidates;
    size_t jobs; /* of the claim */
} attest_search;

/* A search without a cloud. Do not move it once it has candidates. Status: NOMEM, with
 * nothing to clear. */
attest_status attest_search_init(attest_search *search, const attest_claim *claim,
                                 const attest_contexts *contexts,
                                 attest_error *error) ATTEST_WARN_UNUSED;
void attest_search_clear(attest_search *search);

/* Removes the cloud and its candidates; keeps the outputs that were evaluated. */
void attest_search_restart(attest_search *search);

/* Fills the cloud with all outputs, each evaluated exactly (hardmax) or in balls (softmax).
 * Status: NOMEM and those of evaluation. */
attest_status attest_search_evaluate(attest_search *search,
                                     attest_error *error) ATTEST_WARN_UNUSED;

/* Finds the candidates of the cloud. Status: NOMEM, IO (a worker died). */
attest_status attest_search_find_candidates(attest_search *search,
                                            attest_error *error) ATTEST_WARN_UNUSED;

/* With a skip and heads that move outputs by little, all contexts of one token lie in a
 * cluster that doubles may not resolve, and every pair of the cluster is a candidate. Their
 * distances are those of the heads' parts alone, because the token is common to them. This
 * function puts these parts into a cloud for each token, with an exponent of its own, and if
 * there are many candidates, replaces them by those of these clouds if these are fewer.
 * Every closest required pair is still one of them. Domain: no candidate has been fetched
 * yet. Status: NOMEM and those of evaluation. Cost: one more evaluation per sequence. */
attest_status attest_search_split_by_token(attest_candidates *candidates,
                                           attest_outputs *outputs,
                                           attest_error *error) ATTEST_WARN_UNUSED;

#endif
