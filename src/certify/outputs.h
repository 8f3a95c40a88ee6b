/* outputs.h -- the outputs of attention at contexts, evaluated sequence by sequence, and the
 * search for the pairs of them that may be closest. */
#ifndef ATTEST_CERTIFY_OUTPUTS_H
#define ATTEST_CERTIFY_OUTPUTS_H

#include <attest/certify.h>

#include "geometry/closest_pair.h"
#include "theory/contextual.h"

/* Values are kept after they are computed. Contexts are numbered in order of first
 * appearance, so those of one sequence are consecutive, and one evaluation of the sequence
 * serves them all. */
typedef struct attest_outputs {
    const attest_weights *weights;
    const attest_dataset *dataset;
    const attest_contexts *contexts;
    fmpq **exact;  /* by context: dim rationals, or NULL */
    arb_ptr *ball; /* by context: dim balls, or NULL */
    long *bits;    /* by context: the precision of its balls */
    long most_bits;
    double work_left;         /* attention/head_plan.h; init: no limit */
    attest_progress progress; /* of the evaluation of all contexts; init: none */
} attest_outputs;

/* Status: NOMEM. */
attest_status attest_outputs_init(attest_outputs *outputs, const attest_weights *weights,
                                  const attest_dataset *dataset,
                                  const attest_contexts *contexts,
                                  attest_error *error) ATTEST_WARN_UNUSED;
void attest_outputs_clear(attest_outputs *outputs);

/* All get functions: status UNABLE if the remaining work does not suffice.
 *
 * cloud, finished = all outputs, coloured by class; for hardmax they are evaluated exactly, for
 * softmax in balls of ATTEST_CERTIFY_BITS. Nothing else is kept. */
attest_status attest_outputs_get_cloud(attest_cloud *cloud, attest_outputs *outputs,
                                       attest_error *error) ATTEST_WARN_UNUSED;

/* cloud = all outputs without the tokens that the skip connection adds. It is not finished, so
 * that each point keeps its own exponent. */
attest_status attest_outputs_get_heads(attest_cloud *cloud, attest_outputs *outputs,
                                       attest_error *error) ATTEST_WARN_UNUSED;

/* *value = the output at context p: dim rationals, or balls of at least this precision. They
 * belong to outputs; a later call for more bits replaces them. Beyond ATTEST_CERTIFY_BITS only
 * that one query is evaluated, else its whole sequence. */
attest_status attest_outputs_get_exact(const fmpq **value, attest_outputs *outputs, size_t p,
                                       attest_error *error) ATTEST_WARN_UNUSED;
attest_status attest_outputs_get_ball(arb_srcptr *value, attest_outputs *outputs, size_t p,
                                      long bits, attest_error *error) ATTEST_WARN_UNUSED;

/* The outputs of a claim in a cloud, and the pairs that may be closest. */
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
