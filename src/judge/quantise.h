/* quantise.h -- what a kernel that quantises its inputs multiplies in their place.
 *
 * An input with a scheme becomes R(value of its element), R to nearest in the input format of
 * the model, or, where scales are folded, its element, which a factor of the head is given
 * with; the others stay. The kernel is then one that takes these numbers. */
#ifndef ATTEST_JUDGE_QUANTISE_H
#define ATTEST_JUDGE_QUANTISE_H

#include <attest/judge.h>

#include "judge/model.h"

typedef struct attest_judge_quantised {
    attest_qkv qkv;   /* what the kernel takes; the tensors of the problem where nothing is
                       * quantised */
    double *value[3]; /* what is new in it, and then the factors of heads */
} attest_judge_quantised;

/* Domain: q, k and v are there. Status: FORMAT (a value that the scheme does not take, or that
 * it makes infinite; an input that has factors already), NOMEM; then there is nothing to clear.
 */
attest_status attest_judge_quantised_init(attest_judge_quantised *quantised,
                                          const attest_qkv *qkv,
                                          const attest_judge_model *model,
                                          attest_error *error) ATTEST_WARN_UNUSED;
void attest_judge_quantised_clear(attest_judge_quantised *quantised);

#endif
