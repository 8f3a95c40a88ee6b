/* replay.h -- decides a stored counterexample again, from its values alone.
 *
 * A counterexample of a campaign is decided by its property, any other (of a construction, a
 * certificate, an audit) by the definition that it names. The result also contains the
 * outputs at the pair in every number system. */
#ifndef ATTEST_CAMPAIGN_REPLAY_H
#define ATTEST_CAMPAIGN_REPLAY_H

#include <attest/flint.h>

#include "campaign/plan.h"
#include "data/counterexample.h"

typedef enum attest_view_kind {
    ATTEST_VIEW_EXACT = 0,
    ATTEST_VIEW_BALL,
    ATTEST_VIEW_MPFR, /* in the arithmetic that the file names, or with 53 bits */
    ATTEST_VIEW_DOUBLE,
    ATTEST_VIEWS
} attest_view_kind;

/* Both outputs in one number system. */
typedef struct attest_view {
    bool available;   /* false: there is no pair, or the view is exact and the layer softmax */
    char name[64];    /* "ball, 128 bits" */
    bool finite;      /* all entries of the outputs are finite */
    arb_ptr output;   /* 2 * dim; enclosures for exact and ball, otherwise without radii */
    fmpq *rational;   /* exact: 2 * dim; else NULL */
    arb_t separation; /* the distance of the outputs, 0 if equal; undefined unless finite */
} attest_view;

typedef struct attest_replay {
    double seconds;  /* time limit for a loaded property; init sets 60 */
    double max_work; /* limit of attention/head_plan.h; init sets ATTEST_CERTIFY_MAX_WORK */
    attest_trial_outcome outcome;
    char decided_by[128]; /* "the property theorem1", "the arithmetic bfloat16" */
    char reason[ATTEST_ERROR_SIZE];
    double margin;
    const char *definition; /* the definition that was decided; NULL: the property names none */
    /* The pair of the file if it names one (checked, if the outcome is a violation), otherwise
     * the pair that was found. */
    bool has_pair;
    attest_place pair[2];
    size_t dim; /* of the outputs; 0 without views */
    attest_view view[ATTEST_VIEWS];
} attest_replay;

/* Returns "held", "violated", "discarded" or "undecided". */
const char *attest_trial_outcome_name(attest_trial_outcome outcome);

void attest_replay_init(attest_replay *replay);
void attest_replay_clear(attest_replay *replay);

/* Decides the counterexample; find returns the property of a name, or NULL. Status: FORMAT (the
 * property or definition is unknown, or another one than was decided; the pair does not violate
 * it; the instance does not meet the hypotheses of the property; a parameter is not a number;
 * shapes do not match), UNABLE, NOMEM. */
attest_status attest_replay_run(attest_replay *replay, const attest_counterexample *file,
                                attest_property_finder *find,
                                attest_error *error) ATTEST_WARN_UNUSED;

/* Decides the file by this property instead of the one that it names, without its outputs.
 * Status: FORMAT, NOMEM. */
attest_status attest_replay_decide(attest_replay *replay, const attest_counterexample *file,
                                   const attest_property *property,
                                   attest_error *error) ATTEST_WARN_UNUSED;

/* Fills the views of the replay (replay_views.c; called by attest_replay_run). Domain: the file
 * has a dataset and weights, the replay a pair. Status: FORMAT (dimensions), UNABLE, NOMEM. */
attest_status attest_replay_view_all(attest_replay *replay, const attest_counterexample *file,
                                     const attest_setting *setting,
                                     attest_error *error) ATTEST_WARN_UNUSED;

#endif
