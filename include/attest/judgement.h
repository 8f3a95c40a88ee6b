/* judgement.h -- an output compared with its bounds: the results of `attest judge`. */
#ifndef ATTEST_JUDGEMENT_H
#define ATTEST_JUDGEMENT_H

#include <attest/judge.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct attest_judgement attest_judgement;

/* Judges an output against the kernels of the model: its verdicts, and where it is wrong also
 * whether a known fault explains it. Free *judgement; NULL after a failure. output: (batch,
 * heads, queries, value_dim), with any strides; NaN and infinities are judged, too. Status: as
 * attest_judge_bound, also for an output with another shape. Memory: 10 doubles for every
 * element, 15 where something is wrong. Cost: that of attest_judge_bound, and up to five times
 * as much where something is wrong. */
ATTEST_API attest_status attest_judgement_make(attest_judgement **judgement,
                                               const attest_tensor *output,
                                               const attest_qkv *qkv,
                                               const attest_judge_model *model,
                                               const attest_judge_options *options,
                                               attest_error *error) ATTEST_WARN_UNUSED;
ATTEST_API void attest_judgement_free(attest_judgement *judgement);

/* wrong if one element is; else undecided if one is. */
ATTEST_API attest_judge_verdict attest_judgement_verdict(const attest_judgement *judgement);

/* The judgement as a JSON object, with the members that `attest judge --json` prints:
 * "format", "version", "verdict", "elements", "worst" and so on; free it. NULL: out of memory.
 */
ATTEST_API char *attest_judgement_format(const attest_judgement *judgement);

#ifdef __cplusplus
}
#endif

#endif
