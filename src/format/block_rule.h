/* block_rule.h -- one group of a block format: numbers in, elements and their scale out. */
#ifndef ATTEST_FORMAT_BLOCK_RULE_H
#define ATTEST_FORMAT_BLOCK_RULE_H

#include <attest/block.h>
#include "format/simulate_in_double.h"

typedef struct attest_block_group {
    const attest_block_format *format;
    attest_in_double element; /* of floating-point elements: to nearest, saturating */
    attest_in_double half;    /* binary16 */
    float tensor_amax;
    const float *x;
    size_t count;
    double *y;
    attest_block_scale *scale;
} attest_block_group;

/* The formats that a group's rule rounds to; its numbers are yet to be named. */
void attest_block_group_init(attest_block_group *group, const attest_block_format *format);

/* Groups whose elements are numbers of a format. */
void attest_block_quantise_floats(attest_block_group *group);

/* Groups whose elements are integers. */
void attest_block_quantise_integers(attest_block_group *group);

float attest_block_get_amax(const float *x, size_t count);

#endif
