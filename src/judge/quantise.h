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

/* ---- the smallest quantisation of K and V that keeps outputs within a relative error, and
 * apart, proved head by head ---- */

/* Names for K and V to be tried, the smallest first; ended by NULL. */
extern const char *const attest_judge_schemes[];

/* What is proved of one head under one scheme. */
typedef struct attest_judge_scheme {
    const char *name; /* NULL: none keeps what is asked */
    double relative; /* no row's |output - exact| / |exact|, in the 2-norm, is larger; infinite:
                      * nothing is known */
    size_t pairs;    /* rows whose exact outputs are proved to differ */
    size_t merged;   /* of them, those that kernels may not keep apart */
} attest_judge_scheme;

/* best[h] for each of the batch * heads heads: the first scheme of the list, quantising K and
 * V alike, with which every kernel of the model stays within the relative error of the exact
 * result of the given inputs and keeps all rows apart that are apart. Schemes that do not take
 * a value are passed over. The model is used without its own quantisation of k and v. Status as
 * attest_judge_bound. */
attest_status attest_judge_scheme_find(attest_judge_scheme *best, const attest_qkv *qkv,
                                       const attest_judge_model *model, double relative,
                                       const char *const *schemes,
                                       const attest_judge_options *options,
                                       attest_error *error) ATTEST_WARN_UNUSED;

#endif
