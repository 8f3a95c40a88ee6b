/* doubles.h -- instances whose numbers are doubles, as the filter takes them. */
#ifndef ATTEST_PROPS_DOUBLES_H
#define ATTEST_PROPS_DOUBLES_H

#include <attest/filter.h>

#include "campaign/property.h"

/* Instances as doubles. */
typedef struct attest_doubles {
    size_t count, room;
    bool *fits; /* data and weights belong together, and every number is a finite double; */
    attest_filter_shape *shape;       /* only then these are set */
    attest_filter_instance *instance; /* they refer to what follows */
    double *number;                   /* tokens and weights */
    size_t *length;
    size_t number_room, length_room;
} attest_doubles;

void attest_doubles_init(attest_doubles *doubles);
void attest_doubles_clear(attest_doubles *doubles);

/* doubles = count instances; their memory is kept and grows. Heads of several sizes become one
 * size by rows and columns of zeros: the layer is the same. Status: NOMEM. */
attest_status attest_doubles_set(attest_doubles *doubles, const attest_instance *instance,
                                 size_t count) ATTEST_WARN_UNUSED;

/* x = numerator / denominator; false where that is no finite double. Domain: denominator > 0.
 */
bool attest_doubles_get(double *x, const fmpz_t numerator, const fmpz_t denominator);

/* value[t * dim + c] = entry c of token t; false where one is no finite double. */
bool attest_doubles_get_tokens(double *value, const attest_tokens *tokens);

#endif
