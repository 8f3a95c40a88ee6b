/* replay_views.h -- both outputs of a pair, in every number system. */
#ifndef ATTEST_CAMPAIGN_REPLAY_VIEWS_H
#define ATTEST_CAMPAIGN_REPLAY_VIEWS_H

#include "campaign/replay.h"

/* Fills replay's views. Domain: the file has a dataset and weights, the replay a pair. Status:
 * FORMAT (dimensions), UNABLE, NOMEM. */
attest_status attest_replay_view_all(attest_replay *replay, const attest_counterexample *file,
                                     const attest_setting *setting,
                                     attest_error *error) ATTEST_WARN_UNUSED;

#endif
