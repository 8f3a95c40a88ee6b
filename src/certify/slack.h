/* slack.h -- what a finding says of the layer that is meant, where weights have a slack. */
#ifndef ATTEST_CERTIFY_SLACK_H
#define ATTEST_CERTIFY_SLACK_H

#include <attest/certify.h>

/* Outputs of the layer that is meant lie within s = weights->slack of those that the finding is
 * about: separations within 2 s, norms within s. The enclosures are widened by that, and the
 * verdict is what follows from them: undecided, with the reason, where delta or r lies in
 * between. Nothing changes where s is 0. proofs-notes/pairing.md. */
void attest_slack_apply(attest_finding *finding, const attest_claim *claim);

#endif
