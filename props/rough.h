/* rough.h -- Definition 2 from doubles with error bounds, by looking at every pair: shares
 * nothing with attention, the kernels and certify (src/recheck/quick.h). */
#ifndef ATTEST_PROPS_ROUGH_H
#define ATTEST_PROPS_ROUGH_H

#include "campaign/instance.h"

/* The least separation over required pairs and the largest norm lie strictly between these. */
typedef struct attest_rough {
    size_t required;      /* pairs */
    double separation[2]; /* without required pairs both are +infinity */
    double norm[2];       /* the first may be negative */
} attest_rough;

/* False where doubles do not tell that all required pairs differ (or memory is out): that says
 * nothing. Domain: the instance fits. */
bool attest_rough_get(attest_rough *rough, const attest_instance *instance);

#endif
