/* kernel.h -- the property of the kernels: its instances, and what the kernels make of them. */
#ifndef ATTEST_PROPS_KERNEL_H
#define ATTEST_PROPS_KERNEL_H

#include "campaign/property.h"
#include "props/attention_rows.h"

/* More rows, longer ones and larger batches are not asked about. */
enum { ATTEST_ANSWERS_ROWS = 64, ATTEST_ANSWERS_BATCH = 8 };

/* Sequence i of the dataset is the three tokens q_i, k_i, v_i: without it the attention has one
 * row and one key less. Parameters: "hardmax" and "causal", 0 or 1; "batch", how many entries
 * stand together when the kernels are asked once more. */
attest_status attest_answers_gen(attest_instance *instance, struct theft *t,
                                 const attest_setting *setting);

/* What the kernels make of an instance. */
typedef struct attest_answers {
    attest_rows rows;
    size_t batch, kernels;
    double *entry; /* q, k, v: n * d each */
    double *out;   /* by kernel: n * d */
    double *error; /* by kernel: n */
    double *exp;   /* of the entries */
    double *again; /* memory for a call in a batch: q, k, v, out, error */
} attest_answers;

/* *asked is false where the instance is none of the kind above, or not of doubles. Always to be
 * cleared. Status: NOMEM. */
attest_status attest_answers_init(attest_answers *answers, bool *asked,
                                  const attest_instance *instance) ATTEST_WARN_UNUSED;
void attest_answers_clear(attest_answers *answers);

/* Asks every kernel; the one that was in use is in use again then. Returns NULL, or what is
 * wrong with kernel *kernel: other outputs without bounds or in a batch, exponentials that are
 * not those of the first kernel. */
const char *attest_answers_get(attest_answers *answers, size_t *kernel);

#endif
