/* witness.c -- the violation that is stored with a property which looks for one. */
#include "campaign/witness.h"

#include <string.h>

#include "campaign/replay.h"
#include "io/counterexample_json.h"

attest_status attest_witness_check(bool *confirmed, const attest_property *property,
                                   attest_error *error)
{
    attest_counterexample file;
    attest_replay replay;
    attest_status status;

    *confirmed = false;
    if (!property->witness)
        return ATTEST_OK;
    attest_counterexample_init(&file);
    attest_replay_init(&replay);
    status = attest_counterexample_parse_json(&file, property->witness,
                                              strlen(property->witness), NULL, error);
    if (status == ATTEST_OK)
        status = attest_replay_decide(&replay, &file, property, error);
    *confirmed = status == ATTEST_OK && replay.outcome == ATTEST_VIOLATED;
    attest_replay_clear(&replay);
    attest_counterexample_clear(&file);
    /* A text that is no counterexample, or none of this property, confirms nothing. */
    return status == ATTEST_NOMEM ? status : ATTEST_OK;
}
