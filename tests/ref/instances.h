/* instances.h -- small random datasets and layers on which doubles have a hard time. */
#ifndef ATTEST_TESTS_REF_INSTANCES_H
#define ATTEST_TESTS_REF_INSTANCES_H

#include <stdint.h>

#include <attest/dataset.h>
#include <attest/weights.h>

typedef enum ref_kind {
    REF_INTEGERS = 0, /* small integers: ties and equalities abound */
    REF_DOUBLES,      /* doubles of 53 random bits */
    REF_THIRDS,       /* rationals that are no doubles */
    REF_NEAR,         /* tokens that differ by 2^-60 of their size */
    REF_TINY,         /* subnormal doubles, and below */
    REF_HUGE,         /* some of them overflow a double */
    REF_MIXED,        /* scales from 2^-80 to 2^80 side by side */
    REF_KINDS
} ref_kind;

typedef struct ref_instance {
    attest_dataset dataset;
    attest_weights weights;
} ref_instance;

/* Up to 4 sequences of up to 6 tokens, d <= 3, up to 2 heads with s <= 2; sequences share
 * tokens and may repeat them; mask, skip and ties vary. */
void ref_instance_init(ref_instance *instance, ref_kind kind, attest_activation activation,
                       uint64_t *state);
void ref_instance_clear(ref_instance *instance);

#endif
