/* decide.h -- the last step of certify: the candidates decide the claim.
 *
 * Both functions take a search whose cloud encloses all outputs and none of whose candidates
 * has been fetched yet, and set every field of the finding except its method. They may pass
 * over all other pairs and outputs: every closest required pair is a candidate, and the norm of
 * every largest output reaches the largest lower end of the norms. */
#ifndef ATTEST_CERTIFY_DECIDE_H
#define ATTEST_CERTIFY_DECIDE_H

#include <attest/certify.h>

#include "certify/outputs.h"

/* Hardmax: outputs are rational, so rational arithmetic decides. Does not change
 * precision_bits. Status: NOMEM and those of evaluation. */
attest_status attest_decide_hardmax(attest_finding *finding, const attest_claim *claim,
                                    attest_search *search,
                                    attest_error *error) ATTEST_WARN_UNUSED;

/* Softmax: balls whose precision doubles up to max_bits, and the zero test. Status: UNABLE
 * (too many candidates whose squares overlap), NOMEM and those of evaluation. */
attest_status attest_decide_softmax(attest_finding *finding, const attest_claim *claim,
                                    attest_search *search,
                                    attest_error *error) ATTEST_WARN_UNUSED;

/* Outputs of the original layer lie within s = weights->output_error of those that the finding
 * is about: separations within 2 s, norms within s. The enclosures are widened by that, and
 * the verdict follows from them: undecided, with the reason, if delta or r lies in between.
 * Nothing changes if s is 0. proofs-notes/pairing.md. */
void attest_finding_widen(attest_finding *finding, const attest_claim *claim);

#endif
