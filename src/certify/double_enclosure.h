/* double_enclosure.h -- the step "doubles" of certify: outputs enclosed by doubles with error
 * bounds.
 *
 * Doubles select candidates and never decide: their cloud encloses every output, so its
 * candidates include every closest required pair (proofs-notes/filter.md). Outputs that doubles
 * do not bound, and those of too many candidate pairs, are evaluated instead. */
#ifndef ATTEST_CERTIFY_DOUBLE_ENCLOSURE_H
#define ATTEST_CERTIFY_DOUBLE_ENCLOSURE_H

#include <attest/progress.h>

#include "certify/double_layer.h"
#include "certify/outputs.h"

/* The output at context p lies within radius[p] of centre[p*dim ...]; +infinity: no bound. */
typedef struct attest_double_points {
    double *centre; /* contexts * dim */
    double *radius; /* contexts */
    size_t contexts, dim, jobs;
} attest_double_points;

/* Evaluates every sequence that has a context, those of equal length together, in jobs
 * processes (0: one) if there are many; reports progress. Status: NOMEM, IO (a worker died). */
attest_status attest_double_points_init(attest_double_points *points,
                                        const attest_weights *weights,
                                        const attest_dataset *dataset,
                                        const attest_contexts *contexts,
                                        const attest_progress *progress, size_t jobs,
                                        attest_error *error) ATTEST_WARN_UNUSED;
void attest_double_points_clear(attest_double_points *points);

typedef struct attest_double_enclosure {
    attest_double_points points;
    bool *evaluated; /* by context: enclosed exactly or in balls, not by doubles */
} attest_double_enclosure;

/* Bounds the outputs. Clear it even after a failure. Status: NOMEM. */
attest_status attest_double_enclosure_init(attest_double_enclosure *doubles,
                                           const attest_claim *claim,
                                           const attest_contexts *contexts,
                                           attest_error *error) ATTEST_WARN_UNUSED;
void attest_double_enclosure_clear(attest_double_enclosure *doubles);

/* Fills the cloud of the search from the doubles and from the outputs that are evaluated.
 * Status: NOMEM and those of evaluation. */
attest_status attest_double_enclosure_enclose(attest_search *search,
                                              attest_double_enclosure *doubles,
                                              attest_error *error) ATTEST_WARN_UNUSED;

/* If there are many candidates, marks their outputs to be evaluated. True if that marked a new
 * one: a new cloud will have fewer candidates. */
bool attest_double_enclosure_refine(attest_double_enclosure *doubles,
                                    const attest_search *search);

/* After the claim is decided: sets the finding's counts of the required pairs that doubles
 * alone compare with delta, and of the others. *open = there are others, or doubles do not
 * compare the largest norm with r. Status: NOMEM. */
attest_status attest_double_enclosure_count(attest_finding *finding, bool *open,
                                            const attest_claim *claim,
                                            const attest_search *search,
                                            const attest_double_enclosure *doubles,
                                            attest_error *error) ATTEST_WARN_UNUSED;

#endif
