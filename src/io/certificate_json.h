/* certificate_json.h -- reads and writes certificates as JSON. */
#ifndef ATTEST_IO_CERTIFICATE_JSON_H
#define ATTEST_IO_CERTIFICATE_JSON_H

#include <stdbool.h>

#include <attest/certificate.h>
#include <attest/flint.h>
#include <attest/status.h>

#include "io/json_read.h"
#include "io/json_write.h"

/* Reads the text of a certificate. Status: FORMAT, UNABLE, NOMEM; on failure the certificate is
 * as after init. */
attest_status attest_certificate_parse_json(attest_certificate *certificate, const char *text,
                                            size_t size, attest_budget *budget,
                                            attest_error *error) ATTEST_WARN_UNUSED;

/* Writes the members from "claim" to "max_norm", without braces: those that a certificate and
 * the output of attest certify have in common. */
void attest_certificate_write_members(attest_json *json, const attest_certificate *certificate);

/* Writes the whole object under key. */
void attest_certificate_write_json(attest_json *json, const char *key,
                                   const attest_certificate *certificate);

/* A ball in a certificate has decimals for people beside its exact ends: "log2" and "text". A
 * reader compares them with the ball as numbers, not as strings, since another version may
 * round them differently.
 *
 * *shows = whether the decimal differs by at most two units in the 15th digit from log2 of the
 * ball's midpoint, rounded to 15 digits; never for a ball that is not positive. Domain: a
 * finite ball. Status: FORMAT (no decimal), NOMEM. */
attest_status attest_certificate_shows_log2(bool *shows, const char *text,
                                            const arb_t ball) ATTEST_WARN_UNUSED;

/* *shows = whether text, an interval as attest_ball_format_text writes it, contains the ball.
 * Domain: a finite ball. Status: FORMAT (no such interval), NOMEM. */
attest_status attest_certificate_shows_text(bool *shows, const char *text,
                                            const arb_t ball) ATTEST_WARN_UNUSED;

#endif
