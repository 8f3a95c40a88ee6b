/* exact.h -- hardmax: the extremes of outputs by rational arithmetic. */
#ifndef ATTEST_CERTIFY_EXACT_H
#define ATTEST_CERTIFY_EXACT_H

#include <attest/certify.h>

#include "geometry/candidates.h"
#include "certify/outputs.h"

/* Decides the claim, hardmax, from a finished cloud that encloses all outputs and from its
 * candidates, none of them asked for yet: fills the finding but for precision and method. */
attest_status attest_exact_settle(attest_finding *finding, const attest_claim *claim,
                                  attest_outputs *outputs, const attest_cloud *cloud,
                                  attest_candidates *candidates,
                                  attest_error *error) ATTEST_WARN_UNUSED;

#endif
