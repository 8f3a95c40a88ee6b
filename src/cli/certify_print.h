/* certify_print.h -- how a claim and what was found are shown. */
#ifndef ATTEST_CLI_CERTIFY_PRINT_H
#define ATTEST_CLI_CERTIFY_PRINT_H

#include <attest/certificate.h>

#include "io/json_write.h"

/* The one JSON object of the command; refuted: with a counterexample. Returns the code, or
 * EXIT_ENVIRONMENT when the object is not whole. */
int attest_cli_certify_print_json(const attest_claim *claim, const attest_finding *finding,
                                  const attest_certificate *certificate, int code);

/* The same for people. */
void attest_cli_certify_print_text(const attest_claim *claim, const attest_finding *finding);

#endif
