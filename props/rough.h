/* rough.h -- rigorous bounds on the quantities of Definition 2, from outputs computed in
 * doubles with error bounds, by comparing all pairs. The outputs come from
 * src/recheck/double_eval.h, which shares no code with attention, the kernels and certify. */
#ifndef ATTEST_PROPS_ROUGH_H
#define ATTEST_PROPS_ROUGH_H

#include "campaign/property.h"

/* Strict lower [0] and upper [1] bounds on the least separation of the required pairs and on
 * the largest norm. A lower bound may be negative; -infinity and +infinity: unknown. */
typedef struct attest_rough {
    size_t required;      /* the number of required pairs */
    bool collision;       /* the exact outputs of a required pair are equal */
    double separation[2]; /* both +infinity without required pairs, both 0 for a collision */
    double norm[2];
} attest_rough;

/* Returns false if doubles show neither that all required pairs differ nor that one collides
 * (or if memory is exhausted); then the first separation is negative, and the other members are
 * still valid. Domain: the instance fits. */
bool attest_rough_get(attest_rough *rough, const attest_instance *instance);

#endif
