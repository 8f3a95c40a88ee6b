/* lse_judgement.h -- a log-sum-exp compared with its bounds. */
#ifndef ATTEST_JUDGE_LSE_JUDGEMENT_H
#define ATTEST_JUDGE_LSE_JUDGEMENT_H

#include <attest/lse.h>

#include "io/json_write.h"
#include "judge/model.h"

/* The worst row: wrong ones before others, then by ratio. */
typedef struct attest_lse_worst {
    size_t place; /* index in the arrays */
    attest_judge_verdict verdict;
    bool empty;  /* the row sees no key */
    bool uncast; /* the value is not a number of the format of the log-sum-exp */
    double exact, error, lo, hi, bound, output, ratio;
} attest_lse_worst;

struct attest_lse_judgement {
    size_t number;   /* of the layer */
    size_t shape[4]; /* batch, heads, queries, 1 */
    attest_judge_lse_base base;
    size_t within, wrong, undecided;
    size_t uncast;      /* wrong rows whose value is not a number of the format */
    size_t wrong_empty; /* wrong rows that see no key */
    bool has_worst;     /* false: no row has a bound */
    attest_lse_worst worst;
    const char *unbounded; /* why some rows are undecided, or NULL */
    bool other_base;       /* wrong, but within for the other base */
};

/* Judges batch * heads * queries values; how may be NULL. judgement was zeroed except for its
 * number. Status as attest_lse_judgement_make. */
attest_status attest_lse_judgement_set(attest_lse_judgement *judgement, const double *value,
                                       const attest_qkv *qkv, const attest_judge_model *model,
                                       const attest_judge_lse_options *how,
                                       const attest_judge_options *options,
                                       attest_error *error) ATTEST_WARN_UNUSED;

/* The same for bounds that are known, all six arrays of shape[0] * shape[1] * shape[2] rows;
 * judgement->base was set, too. */
void attest_lse_judgement_compare(attest_lse_judgement *judgement, const double *value,
                                  const attest_judge_lse_bounds *bounds, const size_t shape[4],
                                  const attest_judge_model *model);

/* All layers together: the verdict, and the layer with the worst row, or NULL. */
attest_judge_verdict attest_lse_judgement_total(const attest_lse_judgement *layer,
                                                size_t count);
const attest_lse_judgement *attest_lse_judgement_worst(const attest_lse_judgement *layer,
                                                       size_t count);

/* Whether every wrong layer is within for the other base, and one is wrong. */
bool attest_lse_judgement_other_base(const attest_lse_judgement *layer, size_t count);

/* The base of the caller, or of the first variant of the model. */
attest_judge_lse_base attest_lse_judgement_get_base(const attest_judge_model *model,
                                                    const attest_judge_lse_options *how);

/* at = batch, head, row of a place. */
void attest_lse_judgement_get_place(size_t at[3], const attest_lse_judgement *judgement,
                                    size_t place);

/* "e" or "2"; the other base of these two. */
const char *attest_lse_judgement_base_name(attest_judge_lse_base base, bool other);

/* Writes an object with the members of "lse", of all layers. */
void attest_lse_judgement_write(attest_json *json, const char *key,
                                const attest_lse_judgement *layer, size_t count);

#endif
