/* replay.h -- a replayed counterexample as JSON and as text for people. */
#ifndef ATTEST_REPORT_REPLAY_H
#define ATTEST_REPORT_REPLAY_H

#include <stdio.h>

#include "campaign/replay.h"
#include "io/json_write.h"

/* "held", "violated", "discarded", "undecided". */
const char *attest_report_outcome_name(attest_trial_outcome outcome);

/* An object in an array. */
void attest_report_replay_json(attest_json *json, const char *path,
                               const attest_counterexample *file, const attest_replay *replay);

void attest_report_replay_text(FILE *stream, const char *path, const attest_replay *replay);

#endif
