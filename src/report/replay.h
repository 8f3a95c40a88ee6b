/* replay.h -- a replayed counterexample as JSON and as text. */
#ifndef ATTEST_REPORT_REPLAY_H
#define ATTEST_REPORT_REPLAY_H

#include <stdio.h>

#include "campaign/replay.h"
#include "io/json_write.h"

/* Writes the object of one file. */
void attest_report_replay_json(attest_json *json, const char *path,
                               const attest_counterexample *file, const attest_replay *replay);

void attest_report_replay_text(FILE *stream, const char *path, const attest_replay *replay);

#endif
