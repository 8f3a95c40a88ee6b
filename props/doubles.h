/* doubles.h -- instances whose numbers are doubles, in the form of the filter. */
#ifndef ATTEST_PROPS_DOUBLES_H
#define ATTEST_PROPS_DOUBLES_H

#include <attest/filter.h>

#include "campaign/property.h"

/* Instances as doubles. */
typedef struct attest_doubles {
    size_t count, room;
    bool *fits; /* data and weights match, and every number is a finite double; */
    attest_filter_shape *shape;       /* set only if it fits */
    attest_filter_instance *instance; /* points into number */
    double *number;                   /* tokens and weights */
    size_t *length;
    size_t number_room, length_room;
} attest_doubles;

void attest_doubles_init(attest_doubles *doubles);
void attest_doubles_clear(attest_doubles *doubles);

/* doubles = count instances; the memory is reused and grows. Heads of different sizes are
 * padded with zeros, which does not change the layer. Status: NOMEM. */
attest_status attest_doubles_set(attest_doubles *doubles, const attest_instance *instance,
                                 size_t count) ATTEST_WARN_UNUSED;

/* x = numerator / denominator; returns false if that is not a finite double. Domain:
 * denominator > 0.
 */
bool attest_doubles_get(double *x, const fmpz_t numerator, const fmpz_t denominator);

/* value[t * dim + c] = entry c of token t; returns false if one is not a finite double. */
bool attest_doubles_get_tokens(double *value, const attest_tokens *tokens);

#endif
