/* lse.h -- the log-sum-exp that attention kernels return beside their output, and the
 * combination of partial outputs by it.
 *
 * For a row, with t_j and z as in judge.h,
 *     L = ln(sum_j e^(t_j) + e^z),   e^z only if the model includes the sink.
 * A kernel returns L, or L / ln 2 where its base is 2. proofs-notes/lse.md derives the bounds;
 * the member "lse" of a kernel model (doc/kernel-models.md) lists what they depend on. */
#ifndef ATTEST_LSE_H
#define ATTEST_LSE_H

#include <attest/judge.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What the caller knows better than the model. Zeroed: nothing. */
typedef struct attest_judge_lse_options {
    const char *base;  /* NULL: the model's; "e" or "2" */
    const char *empty; /* a row without keys has this value. NULL: the model's; "neg-inf",
                        * "pos-inf", "zero", "nan" or "any" */
} attest_judge_lse_options;

/* Results for every row, in arrays of batch * heads * queries numbers, queries fastest. Any of
 * them may be NULL.
 *   lo, hi   every kernel of the model returns a number in [lo, hi]; without a bound -inf, +inf
 *   exact    the exact value in the base of the model, rounded to nearest as far as it is known
 *   error    |exact - the exact value| is at most this
 *   bound    |returned - the exact value| is at most this
 *   empty    1 for a row that sees no key and whose sum is empty: lo, hi and exact are the
 * value that the model requires, or -inf, +inf and -inf where it allows any */
typedef struct attest_judge_lse_bounds {
    double *lo, *hi, *exact, *error, *bound;
    unsigned char *empty;
    const char
        *unbounded; /* set: the reason why some bound is infinite; NULL: all are finite */
} attest_judge_lse_bounds;

/* how may be NULL. Status: as attest_judge_bound; USAGE also for a word of how,
 * and for packed, padded and paged sequences. All rows have results, whatever rows the options
 * select. Cost: that of
 * attest_judge_bound for one column of v. */
ATTEST_API attest_status attest_judge_lse_bound(attest_judge_lse_bounds *bounds,
                                                const attest_qkv *qkv,
                                                const attest_judge_model *model,
                                                const attest_judge_lse_options *how,
                                                const attest_judge_options *options,
                                                attest_error *error) ATTEST_WARN_UNUSED;

/* A log-sum-exp compared with its bounds. */
typedef struct attest_lse_judgement attest_lse_judgement;

/* Judges a log-sum-exp against the kernels of the model. Free *judgement; NULL after a failure.
 * lse: (batch, heads, queries, 1), with any strides; NaN and infinities are judged, too.
 * Status: as attest_judge_lse_bound, also for another shape. */
ATTEST_API attest_status attest_lse_judgement_make(
    attest_lse_judgement **judgement, const attest_tensor *lse, const attest_qkv *qkv,
    const attest_judge_model *model, const attest_judge_lse_options *how,
    const attest_judge_options *options, attest_error *error) ATTEST_WARN_UNUSED;
ATTEST_API void attest_lse_judgement_free(attest_lse_judgement *judgement);

/* wrong if one row is; else undecided if one is. */
ATTEST_API attest_judge_verdict
attest_lse_judgement_verdict(const attest_lse_judgement *judgement);

/* The member "lse" of what `attest judge --json` prints, a JSON object; free it. NULL: out of
 * memory. */
ATTEST_API char *attest_lse_judgement_format(const attest_lse_judgement *judgement);

/* Partial outputs, normalised each, and log-sum-exps of the splits of rows, as a kernel
 * recorded them: out has parts * rows * columns numbers, lse parts * rows. A part with the
 * log-sum-exp -inf has no keys. */
typedef struct attest_judge_parts {
    const double *out, *lse;
    size_t parts, rows, columns;
    bool empty_is_nan; /* a row whose parts all have no keys is NaN, not 0 */
} attest_judge_parts;

/* Bounds on what a kernel of the model makes of these parts: bounds, rows * columns numbers in
 * each array, and lse, rows numbers; either may be NULL. The exact values are those of the
 * recorded parts, sum_i e^(L_i) O_i / sum_i e^(L_i), with 2 for e where the base is 2. how may
 * be NULL. Status: FORMAT (a log-sum-exp that is NaN or +inf, an output that is not finite
 * beside a finite one), USAGE, NOMEM. */
ATTEST_API attest_status attest_judge_merge_bound(attest_judge_bounds *bounds,
                                                  attest_judge_lse_bounds *lse,
                                                  const attest_judge_parts *parts,
                                                  const attest_judge_model *model,
                                                  const attest_judge_lse_options *how,
                                                  attest_error *error) ATTEST_WARN_UNUSED;

#ifdef __cplusplus
}
#endif

#endif
