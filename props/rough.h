/* rough.h -- Definition 2 from doubles with error bounds, by comparing every pair. Shares no
 * code with attention, the kernels and certify (src/recheck/double_eval.h). */
#ifndef ATTEST_PROPS_ROUGH_H
#define ATTEST_PROPS_ROUGH_H

#include "campaign/property.h"

/* Strict bounds of the least separation of required pairs and of the largest norm. */
typedef struct attest_rough {
    size_t required;      /* pairs */
    bool collision;       /* a required pair has equal outputs, exactly */
    double separation[2]; /* +infinity without required pairs; 0 for a collision */
    double norm[2];       /* the first may be negative; -+infinity: unknown */
} attest_rough;

/* Returns false if doubles show neither that all required pairs differ nor that one collides
 * (or if memory is exhausted); then the first separation is negative, and the other members are
 * still valid. Domain: the instance fits. */
bool attest_rough_get(attest_rough *rough, const attest_instance *instance);

#endif
