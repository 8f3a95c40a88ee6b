/* certificate_json.h -- certificates as JSON. */
#ifndef ATTEST_IO_CERTIFICATE_JSON_H
#define ATTEST_IO_CERTIFICATE_JSON_H

#include <attest/certificate.h>

#include "io/json_write.h"

/* Reads the text of a certificate. Status: FORMAT, UNABLE, NOMEM; on failure the certificate is
 * as after init. */
attest_status attest_certificate_parse_json(attest_certificate *certificate, const char *text,
                                            size_t size, attest_budget *budget,
                                            attest_error *error) ATTEST_WARN_UNUSED;

/* Writes the members from "claim" to "max_norm", without braces: what attest certify prints and
 * a certificate says alike. */
void attest_certificate_write_members(attest_json *json, const attest_certificate *certificate);

/* Writes the whole object under key. */
void attest_certificate_write_json(attest_json *json, const char *key,
                                   const attest_certificate *certificate);

#endif
