/* range.h -- can anything overflow, saturate or vanish? Proved, or shown.
 *
 * proofs-notes/judge.md, "Range". A no is proved for every kernel of the model, by its bound
 * or, where it has schedules, by replaying them; a yes is a kernel of the model that was run,
 * with the place where it happened. */
#ifndef ATTEST_JUDGE_RANGE_H
#define ATTEST_JUDGE_RANGE_H

#include <stdint.h>

#include <attest/flint.h>
#include <attest/judge.h>

#include "judge/head_bound.h"
#include "judge/kernel_instance.h"

typedef enum attest_judge_answer {
    ATTEST_JUDGE_NO = 0,
    ATTEST_JUDGE_YES,
    ATTEST_JUDGE_OPEN
} attest_judge_answer;

/* "no", "yes", "undecided" */
const char *attest_judge_answer_name(attest_judge_answer answer);

/* "score-overflow", ...; what it means, in words. */
const char *attest_judge_event_name(attest_judge_event event);
const char *attest_judge_event_text(attest_judge_event event);

/* One event. Where the answer is yes: the kernel, a schedule or one drawn from a variant, how
 * often it happens there, and where and with which number first. */
typedef struct attest_judge_happening {
    attest_judge_answer answer;
    bool drawn;
    size_t schedule, variant;
    uint64_t seed; /* of attest_judge_recipe_draw */
    size_t count, batch, head, row, key;
    double value;
} attest_judge_happening;

/* What is proved of all kernels of a model on all rows of a problem. */
typedef struct attest_judge_ranges {
    attest_judge_happening event[ATTEST_JUDGE_EVENTS];
    double most_weight;    /* no P, before its cast, is larger; infinite: nothing is known */
    double least_weight;   /* none is smaller */
    double limit, largest; /* P up to the limit (inclusive or not) rounds to a number; the
                            * largest number */
    bool limit_included;
    /* with exact arithmetic, an exponential of the model's error apart, P stays up to the
     * limit, or up to the largest number, for thresholds up to these; they cannot be exceeded
     */
    arb_t threshold, threshold_never;
    double threshold_proved; /* the same with all roundings of the model on these rows, proved
                              * safe; below 0: none is */
    bool any_threshold;      /* on these rows every threshold is safe: no two scores are so far
                              * apart */
    /* the offsets from smallest to largest round no P of these rows to 0 and overflow none;
     * empty where smallest > largest */
    double smallest_offset, largest_offset;
} attest_judge_ranges;

void attest_judge_ranges_init(attest_judge_ranges *ranges);
void attest_judge_ranges_clear(attest_judge_ranges *ranges);

/* Adds what is found of one problem, its heads shared among jobs processes (0: one): of
 * several, the worst. Status as attest_judge_bound. */
attest_status attest_judge_ranges_add(attest_judge_ranges *ranges, const attest_qkv *qkv,
                                      const attest_judge_model *model, size_t jobs,
                                      attest_error *error) ATTEST_WARN_UNUSED;

/* ---- what the bound of a model excludes on the rows of a head; the thresholds and offsets
 * that are safe there. proofs-notes/judge.md, "Range" ---- */

typedef struct attest_judge_range_bound {
    attest_judge_head_bound state;
    attest_judge_rule *rule;
    double *result; /* of a block of rows */
} attest_judge_range_bound;

/* Checks the inputs, too: values that no variant has. Status: FORMAT, NOMEM; bound is to be
 * cleared in any case. */
attest_status attest_judge_range_bound_init(attest_judge_range_bound *bound,
                                            const attest_judge_problem *problem,
                                            const attest_judge_model *model,
                                            attest_error *error) ATTEST_WARN_UNUSED;
void attest_judge_range_bound_clear(attest_judge_range_bound *bound);

/* The thresholds of ranges in exact arithmetic: of all variants, the least. */
void attest_judge_range_bound_thresholds(attest_judge_ranges *ranges,
                                         const attest_judge_range_bound *bound);

/* Makes the head the current one, of bound->state; may[e] is set where the bound does not
 * exclude an event; the numbers of ranges, but for the thresholds above, become those of the
 * worst row so far. */
attest_status attest_judge_range_bound_head(attest_judge_ranges *ranges,
                                            bool may[ATTEST_JUDGE_EVENTS],
                                            attest_judge_range_bound *bound, size_t batch,
                                            size_t head,
                                            attest_error *error) ATTEST_WARN_UNUSED;

#endif
