/* doubles.h -- instances whose numbers are doubles, in the form of the filter. */
#ifndef ATTEST_PROPS_DOUBLES_H
#define ATTEST_PROPS_DOUBLES_H

#include <attest/filter.h>

#include "campaign/property.h"

/* Instances as doubles. */
typedef struct attest_doubles {
    size_t count, room;
    bool *fits; /* data and weights match, and every number is a finite double */
    attest_filter_shape *shape;       /* this and instance have no meaning if it does not fit */
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

/* ---- Definition 2 with delta = 0 and without r, for many instances of doubles, or for one
 * instance of any numbers. */

/* One filter for each shape of instances, with its memory. */
typedef struct attest_verdicts {
    size_t filters, filter_room;
    attest_filter *filter;
    size_t room;                  /* of the arrays below: the instances of a call */
    size_t *which;                /* its filter */
    attest_filter_instance *some; /* the instances of one filter, */
    size_t *place;                /* their places in the call, */
    attest_filter_answer *answer; /* and their answers */
} attest_verdicts;

void attest_verdicts_init(attest_verdicts *verdicts);
void attest_verdicts_clear(attest_verdicts *verdicts);

/* answer[i] = the verdict on instance i of doubles if wanted[i]; the others are not changed.
 * Domain: wanted[i] implies doubles->fits[i]. Status: as attest_filter_check. */
attest_status attest_verdicts_get(attest_filter_answer *answer, attest_verdicts *verdicts,
                                  const attest_doubles *doubles, const bool *wanted,
                                  attest_error *error) ATTEST_WARN_UNUSED;

/* Decides one instance that fits: from doubles if it is small and all its numbers are doubles,
 * else by attest_certify. Status: as attest_certify. */
attest_status attest_verdicts_get_one(attest_filter_answer *answer,
                                      const attest_instance *instance,
                                      attest_error *error) ATTEST_WARN_UNUSED;

#endif
