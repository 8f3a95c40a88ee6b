/* certificate_ball.h -- reading the balls of certificates. */
#ifndef ATTEST_IO_CERTIFICATE_BALL_H
#define ATTEST_IO_CERTIFICATE_BALL_H

#include <attest/flint.h>

#include "io/json_take.h"

/* ball = {"mid", "rad"} under key, exactly. Where "log2" or "text" beside them contradicts it,
 * *untrue is set to the reason. Errors stick (json_take.h). */
void attest_certificate_read_ball(arb_t ball, const char **untrue,
                                  const attest_json_cursor *object, const char *key);

#endif
