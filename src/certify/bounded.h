/* bounded.h -- the step "doubles" of certify: outputs enclosed by doubles with error bounds.
 *
 * Doubles choose what is looked at, and never decide: the cloud that they give encloses every
 * output, so its candidates hold every closest required pair (proofs-notes/filter.md). What
 * doubles do not bound, and what has a part in too many candidates, is evaluated instead. */
#ifndef ATTEST_CERTIFY_BOUNDED_H
#define ATTEST_CERTIFY_BOUNDED_H

#include "certify/bounded_points.h"
#include "certify/search.h"

typedef struct attest_bounded {
    attest_bounded_points points;
    bool *evaluated; /* by context: enclosed exactly or in balls, not by doubles */
} attest_bounded;

/* Bounds the outputs. Always to be cleared. Status: NOMEM. */
attest_status attest_bounded_init(attest_bounded *doubles, const attest_claim *claim,
                                  const attest_contexts *contexts,
                                  attest_error *error) ATTEST_WARN_UNUSED;
void attest_bounded_clear(attest_bounded *doubles);

/* The cloud of the search, from doubles and from what is evaluated. Status: NOMEM and what
 * evaluation returns. */
attest_status attest_bounded_enclose(attest_search *search, attest_bounded *doubles,
                                     attest_error *error) ATTEST_WARN_UNUSED;

/* Where there are many candidates, marks what has a part in one to be evaluated. Whether that
 * is news: a cloud made again has fewer candidates. */
bool attest_bounded_refine(attest_bounded *doubles, const attest_search *search);

/* Once the claim is settled: parts the required pairs into those that doubles alone compare
 * with delta and the others. *open: whether there are others, or doubles do not compare the
 * largest norm with r. Status: NOMEM. */
attest_status attest_bounded_count(attest_finding *finding, bool *open,
                                   const attest_claim *claim, const attest_search *search,
                                   const attest_bounded *doubles,
                                   attest_error *error) ATTEST_WARN_UNUSED;

#endif
