/* filter_batch.h -- what the parts of attest_filter_check share. */
#ifndef ATTEST_CERTIFY_FILTER_BATCH_H
#define ATTEST_CERTIFY_FILTER_BATCH_H

#include <attest/filter.h>

#include "certify/bounded_lanes.h"
#include "certify/bounded_layer.h"
#include "certify/filter_integers.h"

/* So many instances are evaluated together; one with more positions is left to certify. */
enum { ATTEST_FILTER_BATCH = 64, ATTEST_FILTER_POSITIONS = 64 };

/* The bounds of the claim in doubles: lower <= the rational <= upper. */
typedef struct attest_filter_bounds {
    bool has_r;
    double r_lower, r_upper, delta_lower, delta_upper;
} attest_filter_bounds;

/* An instance, evaluated. */
typedef struct attest_filter_outputs {
    const attest_filter_shape *shape;
    const attest_filter_instance *instance;
    const attest_bounded_layer *layer;
    size_t positions;
    double *centre;         /* positions * dim; those of ties are set by the judge, */
    double *radius;         /* positions; and their radii with them */
    const uint32_t *winner; /* hardmax: per sequence heads * length; not of ties */
    bool tied[ATTEST_FILTER_POSITIONS]; /* set by the judge: scores tie, integers told who wins
                                         */
    attest_filter_integers *integers;   /* scratch */
} attest_filter_outputs;

/* The tokens that a query sees. */
typedef struct attest_filter_sight {
    const double *token; /* length * dim */
    size_t length;
} attest_filter_sight;

/* Whether the outputs of one query token in two contexts, softmax, are proved to be more than
 * bound >= 0 apart by the terms in which the contexts differ; small distances are seen as well.
 * Domain: at most ATTEST_FILTER_POSITIONS tokens each, all finite; weights and tokens are the
 * exact ones. */
bool attest_filter_difference(const attest_bounded_layer *layer, const double *query,
                              const attest_filter_sight *a, const attest_filter_sight *b,
                              double bound);

/* Sets verdict, part and place of the answer; undecided where doubles do not suffice. packed is
 * scratch of dim * ATTEST_FILTER_POSITIONS doubles. */
void attest_filter_judge(attest_filter_answer *answer, attest_filter_outputs *outputs,
                         const attest_filter_bounds *bounds, double *packed);

/* The answer of attest_certify. Status: as attest_filter_check. */
attest_status attest_filter_escalate(attest_filter_answer *answer, const attest_filter *filter,
                                     const attest_filter_instance *instance,
                                     attest_error *error) ATTEST_WARN_UNUSED;

#endif
