/* edit.h -- a dataset with one change: the steps of polishing an instance. */
#ifndef ATTEST_CAMPAIGN_EDIT_H
#define ATTEST_CAMPAIGN_EDIT_H

#include <attest/dataset.h>

typedef enum attest_edit_kind {
    ATTEST_EDIT_NONE = 0,
    ATTEST_EDIT_DROP_SEQUENCE, /* i */
    ATTEST_EDIT_DROP_POSITION, /* k of sequence i */
    ATTEST_EDIT_DROP_TOKEN,    /* token, wherever it stands */
    ATTEST_EDIT_SET_ENTRY,     /* entry c of token becomes value, wherever it stands */
    ATTEST_EDIT_SCALE          /* every entry is multiplied by value */
} attest_edit_kind;

typedef struct attest_edit {
    attest_edit_kind kind;
    size_t i, k, c;
    uint32_t token;
    const fmpq *value;
} attest_edit;

/* changed (initialised) = dataset, changed; labels are not kept. Status: FORMAT (nothing, or a
 * sequence without tokens, is left), NOMEM. */
attest_status attest_edit_apply(attest_dataset *changed, const attest_dataset *dataset,
                                const attest_edit *edit) ATTEST_WARN_UNUSED;

#endif
