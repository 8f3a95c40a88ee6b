/* gather.h -- the chunks of one property, joined in whatever order they come.
 *
 * What comes of it is what a tally makes of the chunks in their order. A tally keeps those that
 * are not in turn yet; of shards that are read one after another those would be nearly all.
 * Here a chunk is forgotten when it is added: what is kept of it is a bit. */
#ifndef ATTEST_CAMPAIGN_GATHER_H
#define ATTEST_CAMPAIGN_GATHER_H

#include "campaign/tally.h"

typedef struct attest_gather {
    attest_tally *tally; /* joined is filled */
    attest_budget *budget;
    uint64_t cut;        /* the first chunk with a violation: later ones do not count */
    uint64_t last;       /* the last chunk that was counted, if any was */
    bool again;          /* chunks behind the cut were counted before it was known */
    unsigned char *seen; /* a bit for each chunk */
    size_t size;         /* bytes of it */
    uint64_t chunks;     /* that were counted */
    uint64_t tightest_at, open_at; /* the chunks that these come from */
    struct attest_first *first;    /* of each label: where it appears first */
    size_t room;
} attest_gather;

/* The tally, of the whole plan, is initialised and empty, and must outlive it, as must the
 * budget (NULL: unlimited), which is charged for the bits. */
void attest_gather_init(attest_gather *gather, attest_tally *tally, attest_budget *budget);
void attest_gather_clear(attest_gather *gather);

/* Adds an entry, whose texts are taken over; one that is there already is dropped. Status:
 * FORMAT (no chunk of the plan), UNABLE (the budget), NOMEM. */
attest_status attest_gather_add(attest_gather *gather, attest_entry *entry,
                                attest_error *error) ATTEST_WARN_UNUSED;

/* Forgets all but the cut: all chunks are to be added again. */
void attest_gather_restart(attest_gather *gather);

/* Puts labels, violations and deaths in the order of chunks. *missing = the first chunk of the
 * plan that was not added, up to the cut, and true; false: there is none. A plan that is
 * limited by time misses none. */
bool attest_gather_end(attest_gather *gather, uint64_t *missing);

#endif
