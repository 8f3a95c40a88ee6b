/* feed_forward.h -- a feed-forward layer, evaluated by its activation pattern.
 *
 * Once the active units are known, the layer is an affine map z -> linear z + offset, whose
 * coefficients are sums over the active units: exact rationals. In a group the active units are
 * those with the largest biases, so bisection finds them, and prefix sums over the sorted group
 * give their contribution. Proof that nothing is lost: proofs-notes/memorize.md, "The pattern".
 */
#ifndef ATTEST_ATTENTION_FEED_FORWARD_H
#define ATTEST_ATTENTION_FEED_FORWARD_H

#include <stdint.h>

#include "data/network.h"

/* A group with its units in descending order of bias, and the sums of output_h and of
 * bias_h output_h over the first 0, STRIDE, 2 STRIDE, ... of them. */
typedef struct attest_units_plan {
    const attest_units *units;
    uint32_t *order;
    fmpz *slope, *offset; /* blocks * dim each */
    size_t blocks;
} attest_units_plan;

typedef struct attest_feed_forward_plan {
    const attest_feed_forward *layer;
    attest_units_plan *group;
} attest_feed_forward_plan;

/* Sorts and sums. The layer must outlive the plan. Must be cleared, also after a failure.
 * Status: NOMEM, UNABLE (2^32 units or more in a group). Cost: O(units (log units + dim)). */
attest_status attest_feed_forward_plan_init(attest_feed_forward_plan *plan,
                                            const attest_feed_forward *layer,
                                            attest_error *error) ATTEST_WARN_UNUSED;
void attest_feed_forward_plan_clear(attest_feed_forward_plan *plan);

/* Which units of a group are active, in the plan's order: units 0 to active - 1 are, units from
 * index possible on are not, those in between are undecided. */
typedef struct attest_activation_range {
    size_t active, possible;
} attest_activation_range;

/* The pattern at a point, and the affine map of the active units. */
typedef struct attest_pattern {
    size_t dim, groups;
    attest_activation_range *range;
    bool decided; /* range[g].active == range[g].possible for all g */
    fmpq *linear; /* dim * dim, row after row; with the skip */
    fmpq *offset; /* dim; with b_2 */
} attest_pattern;

attest_status attest_pattern_init(attest_pattern *pattern,
                                  const attest_feed_forward *layer) ATTEST_WARN_UNUSED;
void attest_pattern_clear(attest_pattern *pattern);

/* True if entry c of the output is the same at all points: row c of linear is 0. */
bool attest_pattern_is_constant(const attest_pattern *pattern, size_t c);

/* out encloses the layer's value at all points of z; where the pattern is decided and the entry
 * constant, up to the rounding of that constant. out and z do not overlap. */
void attest_feed_forward_ball(arb_ptr out, attest_pattern *pattern,
                              const attest_feed_forward_plan *plan, arb_srcptr z, long bits);

/* out = the layer's value at z. out and z do not overlap. */
void attest_feed_forward_exact(fmpq *out, attest_pattern *pattern,
                               const attest_feed_forward_plan *plan, const fmpq *z);

#endif
