/* edit.c -- a dataset with one change. */
#include "campaign/edit.h"

#include "number/scope.h"

static bool is_dropped(const attest_edit *edit, size_t i, size_t k, uint32_t token)
{
    switch (edit->kind) {
    case ATTEST_EDIT_DROP_POSITION:
        return i == edit->i && k == edit->k;
    case ATTEST_EDIT_DROP_TOKEN:
        return token == edit->token;
    default:
        return false;
    }
}

static void set_token(fmpq *entry, const attest_dataset *dataset, uint32_t token,
                      const attest_edit *edit)
{
    for (size_t c = 0; c < dataset->dim; c++) {
        attest_tokens_get_entry(entry + c, &dataset->tokens, token, c);
        if (edit->kind == ATTEST_EDIT_SCALE)
            fmpq_mul(entry + c, entry + c, edit->value);
        if (edit->kind == ATTEST_EDIT_SET_ENTRY && token == edit->token && c == edit->c)
            fmpq_set(entry + c, edit->value);
    }
}

attest_status attest_edit_apply(attest_dataset *changed, const attest_dataset *dataset,
                                const attest_edit *edit)
{
    ATTEST_SCOPED(attest_dataset_builder, builder, dataset->dim, ATTEST_TABLE_RATIONAL, NULL);
    FMPQ_VEC(entry, (slong)dataset->dim);

    for (size_t i = 0; i < dataset->count; i++) {
        if (edit->kind == ATTEST_EDIT_DROP_SEQUENCE && i == edit->i)
            continue;
        for (size_t k = 0; k < attest_dataset_length(dataset, i); k++) {
            uint32_t token = attest_dataset_token(dataset, i, k);

            if (is_dropped(edit, i, k, token))
                continue;
            set_token(entry, dataset, token, edit);
            ATTEST_TRY(attest_dataset_builder_add_token(&builder, entry, NULL));
        }
        ATTEST_TRY(attest_dataset_builder_end_sequence(&builder, NULL));
    }
    return attest_dataset_builder_finish(changed, &builder, NULL);
}
