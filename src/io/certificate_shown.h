/* certificate_shown.h -- is what is shown beside a ball true of it?
 *
 * People read "log2" and "text" of a ball, not its ends. They are compared as numbers, not as
 * letters: another version may round them in another way. */
#ifndef ATTEST_IO_CERTIFICATE_SHOWN_H
#define ATTEST_IO_CERTIFICATE_SHOWN_H

#include <stdbool.h>

#include <attest/flint.h>
#include <attest/status.h>

/* *shows = whether the decimal differs by at most two units in the 15th digit from log2 of the
 * ball's midpoint, rounded to 15 digits; never for a ball that is not positive. Domain: a
 * finite ball. Status: FORMAT (no decimal), NOMEM. */
attest_status attest_certificate_shows_log2(bool *shows, const char *text,
                                            const arb_t ball) ATTEST_WARN_UNUSED;

/* *shows = whether text, an interval as attest_ball_format_text writes it, contains the ball.
 * Domain: a finite ball. Status: FORMAT (no such interval), NOMEM. */
attest_status attest_certificate_shows_text(bool *shows, const char *text,
                                            const arb_t ball) ATTEST_WARN_UNUSED;

#endif
