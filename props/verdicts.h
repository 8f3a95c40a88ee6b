/* verdicts.h -- Definition 2 with delta = 0 and without r, for many instances of doubles, or
 * for one instance of any numbers. */
#ifndef ATTEST_PROPS_VERDICTS_H
#define ATTEST_PROPS_VERDICTS_H

#include "props/doubles.h"

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
