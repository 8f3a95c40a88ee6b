/* range.h -- whether anything can overflow, saturate or vanish.
 *
 * proofs-notes/judge.md, "Range". "no" is proved for every kernel of the model, by its bound
 * or, for schedules, by interval runs; "yes" is a kernel of the model that was run, with the
 * place where it happened. */
#ifndef ATTEST_JUDGE_RANGE_H
#define ATTEST_JUDGE_RANGE_H

#include <stdint.h>

#include <attest/flint.h>
#include <attest/judge.h>

#include "judge/kernel_instance.h"

typedef enum attest_judge_answer {
    ATTEST_JUDGE_NO = 0,
    ATTEST_JUDGE_YES,
    ATTEST_JUDGE_OPEN
} attest_judge_answer;

/* "no", "yes", "undecided" */
const char *attest_judge_answer_name(attest_judge_answer answer);

/* "score-overflow", ...; and its meaning in words. */
const char *attest_judge_event_name(attest_judge_event event);
const char *attest_judge_event_text(attest_judge_event event);

/* One event. If the answer is yes: the kernel, a schedule or one drawn from a variant, how
 * often it happens there, and the place and number of the first. */
typedef struct attest_judge_event_result {
    attest_judge_answer answer;
    bool drawn;
    size_t schedule, variant;
    uint64_t seed; /* of attest_judge_recipe_draw */
    size_t count, batch, head, row, key;
    double value;
} attest_judge_event_result;

/* Results for all kernels of a model on all rows of a problem. */
typedef struct attest_judge_ranges {
    attest_judge_event_result event[ATTEST_JUDGE_EVENTS];
    double most_weight;    /* upper bound on P before its cast; infinite: unknown */
    double least_weight;   /* lower bound */
    double limit, largest; /* P up to the limit (inclusive or not) rounds to a finite number;
                              the largest number */
    bool limit_included;
    /* the largest thresholds with which P does not exceed the limit, and the largest number, if
     * all arithmetic but exp is exact; some kernel exceeds it with any larger threshold */
    arb_t threshold, threshold_never;
    double threshold_proved; /* thresholds up to this are proved safe on these rows, with all
                                roundings of the model; below 0: none is */
    bool
        any_threshold; /* every threshold is safe on these rows: no two scores differ so much */
    /* with offsets from smallest to largest no P of these rows rounds to 0 or overflows; none
     * if smallest > largest */
    double smallest_offset, largest_offset;
} attest_judge_ranges;

void attest_judge_ranges_init(attest_judge_ranges *ranges);
void attest_judge_ranges_clear(attest_judge_ranges *ranges);

/* Adds the results for one problem, whose heads are shared among jobs processes (0: one). Of
 * several problems the worst results are kept. Status as attest_judge_bound. */
attest_status attest_judge_ranges_add(attest_judge_ranges *ranges, const attest_qkv *qkv,
                                      const attest_judge_model *model, size_t jobs,
                                      attest_error *error) ATTEST_WARN_UNUSED;

#endif
