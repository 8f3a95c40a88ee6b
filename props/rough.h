/* rough.h -- Definition 2 from doubles with error bounds, by looking at every pair: shares
 * nothing with attention, the kernels and certify (src/recheck/double_eval.h). */
#ifndef ATTEST_PROPS_ROUGH_H
#define ATTEST_PROPS_ROUGH_H

#include "campaign/property.h"

/* The least separation over required pairs and the largest norm lie strictly between these. */
typedef struct attest_rough {
    size_t required;      /* pairs */
    bool collision;       /* a required pair has equal outputs, exactly */
    double separation[2]; /* without required pairs both are +infinity; 0 for a collision */
    double norm[2];       /* the first may be negative; -+infinity where nothing is known */
} attest_rough;

/* False where doubles tell neither that all required pairs differ nor that one collides (or
 * memory is out): then the first separation is below 0, and the rest still holds. Domain: the
 * instance fits. */
bool attest_rough_get(attest_rough *rough, const attest_instance *instance);

#endif
