/* search.h -- the outputs of a claim in a cloud, and the pairs that may be closest. */
#ifndef ATTEST_CERTIFY_SEARCH_H
#define ATTEST_CERTIFY_SEARCH_H

#include <attest/certify.h>

#include "certify/outputs.h"
#include "geometry/candidates.h"

typedef struct attest_search {
    attest_outputs outputs;
    attest_cloud cloud; /* by context, coloured by class */
    attest_candidates candidates;
    bool has_cloud, has_candidates;
    size_t jobs; /* of the claim */
} attest_search;

/* No cloud yet; not to be moved once it has candidates. Status: NOMEM, with nothing to clear.
 */
attest_status attest_search_init(attest_search *search, const attest_claim *claim,
                                 const attest_contexts *contexts,
                                 attest_error *error) ATTEST_WARN_UNUSED;
void attest_search_clear(attest_search *search);

/* Drops the cloud and its candidates; outputs that were evaluated are kept. */
void attest_search_restart(attest_search *search);

/* The cloud of all outputs, each evaluated exactly (hardmax) or in balls (softmax). Status:
 * NOMEM and what evaluation returns. */
attest_status attest_search_evaluate(attest_search *search,
                                     attest_error *error) ATTEST_WARN_UNUSED;

/* The candidates of the cloud. Status: NOMEM, IO (a worker died). */
attest_status attest_search_find_candidates(attest_search *search,
                                            attest_error *error) ATTEST_WARN_UNUSED;

/* With a skip and heads that move outputs by little, all contexts of one token lie in a cluster
 * that doubles may not resolve, and every pair of the cluster is a candidate. The token is
 * common to them, so their distances are those of the heads' parts alone: these make a cloud
 * for each token, with its own exponent. Where there are many candidates, and that leaves
 * fewer, they are replaced by the list of those: every closest required pair is still one of
 * them. Domain: none was asked for yet. Status: NOMEM and what evaluation returns. Cost: one
 * more evaluation per sequence. */
attest_status attest_search_split_by_token(attest_candidates *candidates,
                                           attest_outputs *outputs,
                                           attest_error *error) ATTEST_WARN_UNUSED;

#endif
