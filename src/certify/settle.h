/* settle.h -- the last step of certify: the candidates decide the claim.
 *
 * Both take a search whose cloud encloses all outputs, none of its candidates asked for yet,
 * and fill the finding but for its method. Nothing is left out that could matter: every closest
 * required pair is a candidate, and every largest output overlaps the largest lower end. */
#ifndef ATTEST_CERTIFY_SETTLE_H
#define ATTEST_CERTIFY_SETTLE_H

#include <attest/certify.h>

#include "certify/search.h"

/* Hardmax: outputs are rational, so rational arithmetic decides. Leaves precision_bits alone.
 * Status: NOMEM and what evaluation returns. */
attest_status attest_settle_exact(attest_finding *finding, const attest_claim *claim,
                                  attest_search *search,
                                  attest_error *error) ATTEST_WARN_UNUSED;

/* Softmax: balls whose precision doubles up to max_bits, and the zero test. Status: UNABLE (too
 * many candidates that nothing tells apart), NOMEM and what evaluation returns. */
attest_status attest_settle_ball(attest_finding *finding, const attest_claim *claim,
                                 attest_search *search, attest_error *error) ATTEST_WARN_UNUSED;

#endif
