/* simplify.h -- simpler data for a counterexample.
 *
 * The engine shrinks the draws from which a generator makes an instance. Some instances that no
 * smaller draws produce can still be made simpler by changing their values: fewer sequences and
 * tokens, smaller and shorter numbers. Every step is decided again. Weights and parameters stay
 * as the engine shrank them, because generators guarantee more about them (no zero matrix, for
 * example) than every property checks. */
#ifndef ATTEST_CAMPAIGN_SIMPLIFY_H
#define ATTEST_CAMPAIGN_SIMPLIFY_H

#include "campaign/property.h"

/* One change of a dataset. */
typedef enum attest_edit_kind {
    ATTEST_EDIT_NONE = 0,
    ATTEST_EDIT_DROP_SEQUENCE, /* sequence i */
    ATTEST_EDIT_DROP_POSITION, /* position k of sequence i */
    ATTEST_EDIT_DROP_TOKEN,    /* all positions of token */
    ATTEST_EDIT_SET_ENTRY,     /* entry c of token becomes value, at all its positions */
    ATTEST_EDIT_SCALE          /* every entry is multiplied by value */
} attest_edit_kind;

typedef struct attest_edit {
    attest_edit_kind kind;
    size_t i, k, c;
    uint32_t token;
    const fmpq *value;
} attest_edit;

/* changed (initialised) = dataset with the change; labels are not copied. Status: FORMAT (no
 * sequence is left, or one without tokens), NOMEM. */
attest_status attest_edit_apply(attest_dataset *changed, const attest_dataset *dataset,
                                const attest_edit *edit) ATTEST_WARN_UNUSED;

typedef enum attest_simplify_answer {
    ATTEST_SIMPLIFY_KEEP,   /* continue from the candidate */
    ATTEST_SIMPLIFY_REJECT, /* try another candidate */
    ATTEST_SIMPLIFY_STOP    /* try no more candidates */
} attest_simplify_answer;

typedef attest_simplify_answer attest_simplify_test(void *env,
                                                    const attest_instance *candidate);

/* simple (initialised) = the simplest instance that single changes of instance lead to, each of
 * which the test keeps. Deterministic: a function of the instance and the answers. Domain: data
 * without labels. Status: NOMEM. */
attest_status attest_simplify(attest_instance *simple, const attest_instance *instance,
                              attest_simplify_test *test, void *env) ATTEST_WARN_UNUSED;

#endif
