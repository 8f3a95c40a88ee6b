/* A dataset with one change, compared with results written by hand. */
#include "campaign/simplify.h"

#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"

/* Sequences of tokens of two entries, as text: "1,2 3,4 / 5,6 /". */
static void print(char *text, size_t size, const attest_dataset *dataset)
{
    size_t at = 0;
    fmpq_t x;

    fmpq_init(x);
    for (size_t i = 0; i < dataset->count; i++) {
        for (size_t k = 0; k < attest_dataset_length(dataset, i); k++)
            for (size_t c = 0; c < 2; c++) {
                char *number;

                attest_tokens_get_entry(x, &dataset->tokens,
                                        attest_dataset_token(dataset, i, k), c);
                number = fmpq_get_str(NULL, 10, x);
                at += (size_t)snprintf(text + at, size - at, "%s%s", number, c ? " " : ",");
                flint_free(number);
            }
        at += (size_t)snprintf(text + at, size - at, "/ ");
    }
    fmpq_clear(x);
}

/* 1,2 3,4 / 1,2 / 5,6 1,2 / */
static void make(attest_dataset *dataset)
{
    static const long token[][2] = {{1, 2}, {3, 4}, {1, 2}, {5, 6}, {1, 2}};
    static const bool last[] = {false, true, true, false, true};
    attest_dataset_builder builder;
    fmpq *x = _fmpq_vec_init(2);

    attest_dataset_init(dataset);
    attest_dataset_builder_init(&builder, 2, ATTEST_TABLE_RATIONAL, NULL);
    for (size_t t = 0; t < 5; t++) {
        for (size_t c = 0; c < 2; c++)
            fmpq_set_si(x + c, token[t][c], 1);
        if (attest_dataset_builder_add_token(&builder, x, NULL) != ATTEST_OK ||
            (last[t] && attest_dataset_builder_end_sequence(&builder, NULL) != ATTEST_OK))
            abort();
    }
    if (attest_dataset_builder_finish(dataset, &builder, NULL) != ATTEST_OK)
        abort();
    attest_dataset_builder_clear(&builder);
    _fmpq_vec_clear(x, 2);
}

/* expected: NULL if the edit must fail. */
static void test(const attest_edit *edit, const char *expected)
{
    attest_dataset dataset, changed;
    char text[200] = "a sequence without tokens";
    attest_status status;

    make(&dataset);
    attest_dataset_init(&changed);
    status = attest_edit_apply(&changed, &dataset, edit);
    if (status == ATTEST_OK)
        print(text, sizeof text, &changed);
    TAP_OK(expected ? status == ATTEST_OK && strcmp(text, expected) == 0
                    : status == ATTEST_FORMAT,
           "%s", text);
    attest_dataset_clear(&changed);
    attest_dataset_clear(&dataset);
}

TEST(edit)
{
    attest_edit edit = {.kind = ATTEST_EDIT_DROP_POSITION, .i = 0, .k = 1, .c = 1, .token = 1};
    fmpq_t third;

    fmpq_init(third);
    fmpq_set_si(third, 1, 3);
    edit.value = third;
    test(&edit, "1,2 / 1,2 / 5,6 1,2 / ");
    edit.kind = ATTEST_EDIT_DROP_SEQUENCE;
    test(&edit, "1,2 / 5,6 1,2 / ");
    edit.kind = ATTEST_EDIT_DROP_TOKEN;
    test(&edit, "1,2 / 1,2 / 5,6 1,2 / ");
    edit.kind = ATTEST_EDIT_SCALE;
    test(&edit, "1/3,2/3 1,4/3 / 1/3,2/3 / 5/3,2 1/3,2/3 / ");
    edit.kind = ATTEST_EDIT_SET_ENTRY;
    test(&edit, "1,2 3,1/3 / 1,2 / 5,6 1,2 / ");
    edit.kind = ATTEST_EDIT_DROP_TOKEN;
    edit.token = 0;
    test(&edit, NULL);
    fmpq_clear(third);
    flint_cleanup();
    return 0;
}
