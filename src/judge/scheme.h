/* scheme.h -- the smallest quantisation of K and V that keeps outputs within a relative error,
 * and apart, proved head by head. */
#ifndef ATTEST_JUDGE_SCHEME_H
#define ATTEST_JUDGE_SCHEME_H

#include <attest/judge.h>

#include "judge/model.h"

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
