/* judgement.h -- what was found of the output of one layer. */
#ifndef ATTEST_JUDGE_JUDGEMENT_H
#define ATTEST_JUDGE_JUDGEMENT_H

#include <attest/judgement.h>

#include "io/json_write.h"
#include "judge/fault.h"
#include "judge/summary.h"
#include "judge/terms.h"

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
