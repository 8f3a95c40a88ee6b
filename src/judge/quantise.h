/* quantise.h -- kernels that quantise their inputs.
 *
 * An input with a scheme is replaced by R(value of its element), R to nearest in the input
 * format of the model, or, where scales are folded, by its element with a factor of the head;
 * other inputs stay. The kernel is then one that takes these numbers. */
#ifndef ATTEST_JUDGE_QUANTISE_H
#define ATTEST_JUDGE_QUANTISE_H

#include <attest/judge.h>

#include "judge/model.h"

typedef struct attest_judge_quantised {
    attest_qkv qkv;   /* the inputs of the kernel: the tensors of the problem where nothing is
                         quantised */
    double *value[3]; /* new values, followed by the factors of heads */
} attest_judge_quantised;

/* Domain: q, k and v are present. Status: FORMAT (a value that the scheme does not accept, or
 * makes infinite; an input that has factors already), NOMEM; then there is nothing to clear. */
attest_status attest_judge_quantised_init(attest_judge_quantised *quantised,
                                          const attest_qkv *qkv,
                                          const attest_judge_model *model,
                                          attest_error *error) ATTEST_WARN_UNUSED;
void attest_judge_quantised_clear(attest_judge_quantised *quantised);

/* ---- the smallest quantisation of K and V that keeps outputs within a relative error and
 * distinct, proved head by head ---- */

/* The schemes that are tried for K and V, the smallest first; ended by NULL. */
extern const char *const attest_judge_schemes[];

/* The result for one head under one scheme. */
typedef struct attest_judge_scheme {
    const char *name; /* NULL: no scheme suffices */
    double relative;  /* bound on |output - exact| / |exact| of every row, in the 2-norm;
                         infinite: unknown */
    size_t pairs;     /* pairs of rows whose exact outputs differ */
    size_t merged;    /* pairs of them that kernels may map to the same output */
} attest_judge_scheme;

/* best[h] for each of the batch * heads heads: the first scheme of the list, for K and V alike,
 * with which every kernel of the model stays within the relative error of the exact result of
 * the original inputs and maps no two different rows to the same output. Schemes that do not
 * accept a value are skipped. The quantisation of k and v by the model itself is ignored.
 * Status as attest_judge_bound. */
attest_status attest_judge_scheme_find(attest_judge_scheme *best, const attest_qkv *qkv,
                                       const attest_judge_model *model, double relative,
                                       const char *const *schemes,
                                       const attest_judge_options *options,
                                       attest_error *error) ATTEST_WARN_UNUSED;

#endif
