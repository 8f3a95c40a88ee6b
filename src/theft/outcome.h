/* The result of one call of the property, with what the property said about its input. It lives
 * in memory shared with child processes, so it is plain data, and the parent trusts none of it
 * without a check. */
#ifndef THEFT_OUTCOME_H
#define THEFT_OUTCOME_H

#include "theft_extensions.h"

struct theft_outcome {
    uint64_t labels[THEFT_MAX_LABELS / 64]; /* a bit for every label that was given */
    double target;
    bool labels_dropped; /* some found no room in the table */
    bool has_target;
    bool done; /* the property has returned */
    bool late; /* its child was stopped at the timeout */
    uint8_t result;
};

struct theft_shared {
    size_t label_count;
    char labels[THEFT_MAX_LABELS][THEFT_MAX_LABEL_BYTES];
    struct theft_outcome *noting; /* where theft_label and theft_target write: current call */
    struct theft_outcome outcome; /* of a single call */
    volatile size_t running;      /* of a batch: the slot whose property is running */
    struct theft_outcome batch[]; /* one for every slot */
};

static inline void theft_outcome_start(struct theft_shared *s, struct theft_outcome *o)
{
    memset(o, 0, sizeof *o);
    s->noting = o;
}

#endif
