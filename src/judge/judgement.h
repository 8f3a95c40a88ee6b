/* judgement.h -- an output beside its bounds: how much of it is wrong, where, and how far off.
 */
#ifndef ATTEST_JUDGE_JUDGEMENT_H
#define ATTEST_JUDGE_JUDGEMENT_H

#include <attest/judgement.h>

#include "io/json_write.h"
#include "judge/fault.h"
#include "judge/model.h"
#include "judge/row.h"

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

/* ---- what was found of the output of one layer ---- */

struct attest_judgement {
    size_t number; /* of the layer */
    attest_judge_summary summary;
    attest_judge_terms terms;        /* of the worst element */
    const char *unbounded;           /* why some elements are undecided, or NULL */
    bool by_schedule;                /* the summary is that of one schedule, ... */
    size_t schedule;                 /* ... which explains the most */
    bool fault[ATTEST_JUDGE_FAULTS]; /* a kernel with it returns exactly such an output */
};

/* judgement = what is found of the output, an array of the shape of the bounds, which are those
 * of the problem; it was zeroed but for its number, and is to be cleared in either case.
 * bounds and other have all five arrays; those of other are room. Status as
 * attest_judgement_make's. */
attest_status attest_judgement_set(attest_judgement *judgement, const double *output,
                                   const attest_judge_bounds *bounds,
                                   attest_judge_bounds *other, const attest_qkv *qkv,
                                   const attest_judge_model *model,
                                   const attest_judge_options *options,
                                   attest_error *error) ATTEST_WARN_UNUSED;
void attest_judgement_clear(attest_judgement *judgement);

/* All layers together: the counts, and the one with the worst element, or NULL. */
attest_judge_counts attest_judgement_total(const attest_judgement *layer, size_t count);
const attest_judgement *attest_judgement_worst(const attest_judgement *layer, size_t count);

/* The members that say what was found, of all layers. */
void attest_judgement_write(attest_json *json, const attest_judgement *layer, size_t count);

/* batch, head, row, column of an element. */
void attest_judgement_get_place(size_t at[4], const size_t shape[4], size_t element);

/* "layer", "batch", "head", "row", "column" of an element. */
void attest_judgement_write_place(attest_json *json, size_t layer, const size_t shape[4],
                                  size_t element);

/* Everything within error of the value. */
void attest_judgement_write_ball(attest_json *json, const char *key, double value,
                                 double error);

#endif
