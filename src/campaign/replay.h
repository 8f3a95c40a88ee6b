/* replay.h -- a stored counterexample, decided again from its values alone.
 *
 * What a campaign found is decided by its property; what anything else found (a construction, a
 * certificate, an audit) by the definition that it names. Beside the verdict stand the outputs
 * at the pair in every number system, so that one sees what each of them makes of it. */
#ifndef ATTEST_CAMPAIGN_REPLAY_H
#define ATTEST_CAMPAIGN_REPLAY_H

#include "data/counterexample.h"
#include <attest/flint.h>

#include "campaign/plan_read.h"

typedef enum attest_view_kind {
    ATTEST_VIEW_EXACT = 0,
    ATTEST_VIEW_BALL,
    ATTEST_VIEW_MPFR, /* in the arithmetic that the file names, or with 53 bits */
    ATTEST_VIEW_DOUBLE,
    ATTEST_VIEWS
} attest_view_kind;

/* Both outputs as a number system sees them. */
typedef struct attest_view {
    bool there;     /* exact: hardmax only; all: there is a pair */
    char name[64];  /* "ball, 128 bits" */
    bool finite;    /* all entries are numbers: */
    arb_ptr output; /* 2 * dim; but for balls without radius */
    fmpq *rational; /* exact: 2 * dim; else NULL */
    arb_t separation;
} attest_view;

typedef struct attest_replay {
    double seconds;  /* for the answer of a loaded property; init: 60 */
    double max_work; /* attention/work.h; init: that of claims */
    attest_trial_outcome outcome;
    char decided_by[128]; /* "property theorem1", "contextual-mapping by certify" */
    char reason[ATTEST_ERROR_SIZE];
    double margin;
    const char *definition; /* what the property calls what is violated; NULL: nothing, or it
                               was no property that decided */
    /* Where it is violated: found anew, or the file's after it was verified. Held: the file's.
     */
    bool has_pair;
    attest_place pair[2];
    size_t dim;
    attest_view view[ATTEST_VIEWS];
} attest_replay;

void attest_replay_init(attest_replay *replay);
void attest_replay_clear(attest_replay *replay);

/* replay (initialised) = what is found out about the counterexample, whose dataset and weights
 * are used, but left as they are. find gives the properties. Status: FORMAT (a property or
 * definition that is not known, or not the one that is decided; a pair that does not violate
 * it; an instance that is none of the property's; a parameter that is no number, shapes that do
 * not fit), UNABLE, NOMEM. */
attest_status attest_replay_run(attest_replay *replay, attest_counterexample *file,
                                attest_property_finder *find,
                                attest_error *error) ATTEST_WARN_UNUSED;

/* The same by this property, whatever the file names, and without the outputs. Status: FORMAT,
 * NOMEM. */
attest_status attest_replay_decide(attest_replay *replay, const attest_counterexample *file,
                                   const attest_property *property,
                                   attest_error *error) ATTEST_WARN_UNUSED;

#endif
