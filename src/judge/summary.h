/* summary.h -- an output beside its bounds: how much of it is wrong, where, and how far off. */
#ifndef ATTEST_JUDGE_SUMMARY_H
#define ATTEST_JUDGE_SUMMARY_H

#include "judge/model.h"

/* Bins of |output - exact| / bound: below 2^ATTEST_JUDGE_LEAST, then one for each power of two;
 * the last one has no upper end. */
enum { ATTEST_JUDGE_BINS = 26, ATTEST_JUDGE_LEAST = -16 };

typedef struct attest_judge_counts {
    size_t within, wrong, undecided;
    size_t uncast;    /* of the wrong ones: no numbers of the output format */
    double max_ratio; /* 0 if nothing is bounded; infinite for an output that is not finite */
} attest_judge_counts;

/* Rows of a head, one after the other, each with a wrong element. */
typedef struct attest_judge_wrong_rows {
    size_t batch, head;
    size_t first, last;               /* rows */
    size_t first_column, last_column; /* all wrong elements are between these */
    size_t wrong;                     /* elements */
} attest_judge_wrong_rows;

/* The element that is farthest off: wrong ones before others, then by ratio. */
typedef struct attest_judge_worst {
    size_t place; /* in the arrays */
    attest_judge_verdict verdict;
    bool uncast; /* it is no number of the output format */
    double exact, error, lo, hi, bound, output, ratio;
} attest_judge_worst;

typedef struct attest_judge_summary {
    size_t shape[4]; /* batch, heads, rows, columns */
    attest_judge_counts all;
    attest_judge_counts *head; /* batch * heads */
    attest_judge_wrong_rows *range;
    size_t ranges, room;
    bool has_worst; /* false: nothing is bounded */
    attest_judge_worst worst;
    size_t bin[ATTEST_JUDGE_BINS];
} attest_judge_summary;

/* Judges count elements, batch * heads * rows * columns: an element is within if it is between
 * its bounds and a number of the output format of the model (of one of them). bounds has all
 * five arrays. Status: NOMEM; then there is nothing to clear. */
attest_status attest_judge_summary_init(attest_judge_summary *summary, const double *output,
                                        const attest_judge_bounds *bounds,
                                        const size_t shape[4], const attest_judge_model *model,
                                        attest_error *error) ATTEST_WARN_UNUSED;
void attest_judge_summary_clear(attest_judge_summary *summary);

/* wrong if one element is; else undecided if one is. */
attest_judge_verdict attest_judge_counts_verdict(const attest_judge_counts *counts);

/* "within", "wrong", "undecided" */
const char *attest_judge_verdict_name(attest_judge_verdict verdict);

/* How far two outputs are apart, beside how far two kernels of the model can be: both return
 * numbers in [lo, hi]. */
typedef struct attest_judge_difference {
    size_t differ; /* elements that are not the same */
    size_t beyond; /* ... by more than hi - lo: at least one is wrong */
    double ratio;  /* the largest |y - z| / (hi - lo) */
    bool has_at;
    size_t at; /* where; has_at false: nowhere do they differ */
    double y, z, allowed;
} attest_judge_difference;

void attest_judge_difference_get(attest_judge_difference *difference, const double *y,
                                 const double *z, const attest_judge_bounds *bounds,
                                 size_t count);

#endif
