/* work.c -- the memory of a row, and why a row may have no bound. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "judge/row.h"
#include "judge/loops.h"

/* The arrays that have a number for every key, and for every column; the lists end with NULL.
 */
static void list_arrays(double **keys[18], double **columns[12], attest_judge_work *x)
{
    double **const by_key[18] = {
        &x->s_room, &x->size_room, &x->t,         &x->delta,       &x->g,    &x->w,
        &x->low,    &x->high,      &x->half,      &x->weight_size, &x->cast, &x->offset,
        &x->spread, &x->tile_low,  &x->tile_high, &x->ev,          &x->extra};
    double **const by_column[12] = {&x->center,   &x->size_v, &x->cast_v,  &x->spread_v,
                                    &x->offset_v, &x->size_w, &x->product, &x->end,
                                    &x->phi,      &x->slope};

    memcpy(keys, by_key, sizeof by_key);
    memcpy(columns, by_column, sizeof by_column);
}

attest_status attest_judge_work_init(attest_judge_work *work, size_t keys, size_t columns,
                                     attest_error *error)
{
    double **by_key[18], **by_column[12];
    bool whole = true;

    memset(work, 0, sizeof *work);
    work->keys = keys;
    work->columns = columns;
    list_arrays(by_key, by_column, work);
    for (size_t i = 0; by_key[i]; i++)
        whole = (*by_key[i] = attest_memory_alloc(keys + JUDGE_LOOPS_PANEL, sizeof(double))) &&
                whole;
    for (size_t i = 0; by_column[i]; i++)
        whole =
            (*by_column[i] = attest_memory_alloc(columns + JUDGE_LOOPS_PAD, sizeof(double))) &&
            whole;
    work->tile_raises = attest_memory_alloc(keys + 1, sizeof *work->tile_raises);
    if (whole && work->tile_raises)
        return ATTEST_OK;
    attest_judge_work_clear(work);
    return attest_memory_fail(error);
}

void attest_judge_work_clear(attest_judge_work *work)
{
    double **by_key[18], **by_column[12];

    list_arrays(by_key, by_column, work);
    for (size_t i = 0; by_key[i]; i++)
        free(*by_key[i]);
    for (size_t i = 0; by_column[i]; i++)
        free(*by_column[i]);
    free(work->tile_raises);
    memset(work, 0, sizeof *work); /* what is cleared may be cleared again */
}

const char *attest_judge_reason_text(attest_judge_reason reason)
{
    static const char *const text[] = {
        [ATTEST_JUDGE_BOUNDED] = NULL,
        [ATTEST_JUDGE_CONSTANTS_LEAVE] =
            "the scale or the softcap overflows the working format or is subnormal in it",
        [ATTEST_JUDGE_SCORES_OVERFLOW] = "scores may overflow the accumulator or their store",
        [ATTEST_JUDGE_SCORES_UNCERTAIN] = "scores are too uncertain to weigh the keys",
        [ATTEST_JUDGE_WEIGHTS_OVERFLOW] = "weights may overflow the format of P",
        [ATTEST_JUDGE_GROUPS_VANISH] =
            "a group of weights may be too small for the scheme that quantises it",
        [ATTEST_JUDGE_SINK_OVERFLOWS] = "the weight of the sink may overflow",
        [ATTEST_JUDGE_SUM_OVERFLOWS] = "the row sum may overflow its accumulator",
        [ATTEST_JUDGE_PRODUCT_OVERFLOWS] = "the product with V may overflow its accumulator",
        [ATTEST_JUDGE_RECIPROCAL_LEAVES] = "the reciprocal of the row sum may be subnormal",
        [ATTEST_JUDGE_FACTOR_LEAVES] =
            "v_descale over the row sum may overflow or be subnormal",
        [ATTEST_JUDGE_OUTPUT_OVERFLOWS] = "the output may overflow its format",
    };

    return text[reason];
}
