/* recentre.h -- candidates where doubles do not resolve the outputs of one token. */
#ifndef ATTEST_CERTIFY_RECENTRE_H
#define ATTEST_CERTIFY_RECENTRE_H

#include "geometry/candidates.h"
#include "certify/outputs.h"

/* With a skip and heads that move outputs by little, all contexts of one token lie in a cluster
 * that doubles may not resolve, and every pair of the cluster is a candidate. The token is
 * common to them, so their distances are those of the heads' parts alone: these make a cloud
 * for each token, with its own exponent. Where there are many candidates, and that leaves
 * fewer, they are replaced by the list of those: every closest required pair is still one of
 * them. Domain: none was asked for yet. Status: NOMEM and what evaluation returns. Cost: one
 * more evaluation per sequence. */
attest_status attest_recentre_candidates(attest_candidates *candidates, attest_outputs *outputs,
                                         attest_error *error) ATTEST_WARN_UNUSED;

#endif
