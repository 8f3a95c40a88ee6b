/* distinguish.c -- whether bounds contain the exact results of rounded inputs. */
#include "judge/distinguish.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/scope.h"
#include "judge/head_bound.h"
#include "judge/quantise.h"

enum { MOST_ROWS = 32, MOST_SEQUENCES = 32 };

/* The comparison. */
typedef struct comparison {
    const attest_judge_bounds *bounds;
    const attest_judge_rows *rows;
    const attest_judge_model *model;
    const attest_format *format;
    bool inside;  /* so far, all results are between the bounds */
    bool changed; /* rounding has changed an input */
} comparison;

/* Number i of many, of count places from the first to the last. */
static size_t spread(size_t i, size_t many, size_t count)
{
    return many > 1 ? i * (count - 1) / (many - 1) : 0;
}

/* Whether [exact - error, exact + error] of every column is between lo and hi. A NaN is not. */
static bool is_inside(const double *lo, const double *hi, const double *result, size_t columns)
{
    const double *exact = result + 2 * columns, *error = result + 3 * columns;

    for (size_t c = 0; c < columns; c++)
        if (!(fabs(lo[c]) < (double)INFINITY && fabs(hi[c]) < (double)INFINITY &&
              exact[c] - error[c] >= lo[c] && exact[c] + error[c] <= hi[c]))
            return false;
    return true;
}

/* Tries some of the count rows of a plain problem whose results begin at this place. entry: its
 * batch entries are one entry of the rows. */
static attest_status try_rows(comparison *x, const attest_qkv *qkv, size_t place, size_t count,
                              bool entry, attest_error *error)
{
    attest_judge_problem problem ATTEST_CLEARED_BY(attest_judge_problem_clear) = {0};
    attest_judge_head_bound bound ATTEST_CLEARED_BY(attest_judge_head_bound_clear) = {0};
    size_t many = count < MOST_ROWS ? count : MOST_ROWS, columns = x->rows->columns;
    double *result ATTEST_FREED = attest_memory_alloc(columns, 4 * sizeof *result);
    attest_judge_variant any; /* the exact results do not depend on it */
    attest_judge_rule rule;

    if (!result)
        return attest_memory_fail(error);
    ATTEST_TRY(attest_judge_problem_init(&problem, qkv, error));
    attest_judge_variant_init(&any);
    attest_judge_rule_init(&rule, &any, &problem);
    ATTEST_TRY(attest_judge_head_bound_init(&bound, &problem, &rule, 1, error));
    for (size_t n = 0, batch = 0, head = SIZE_MAX; n < many && x->inside; n++) {
        size_t at[4], first = (place + spread(n, many, count)) * columns;

        attest_judge_rows_get_place(at, x->rows, first);
        at[0] = entry ? 0 : at[0];
        if (at[0] != batch || at[1] != head) {
            batch = at[0];
            head = at[1];
            ATTEST_TRY(attest_judge_head_bound_load(&bound, batch, head, error));
            x->changed = attest_judge_head_bound_round(&bound, x->format) || x->changed;
        }
        attest_judge_head_bound_rows(result, &bound, at[2], 1);
        x->inside = is_inside(x->bounds->lo + first, x->bounds->hi + first, result, columns);
    }
    return ATTEST_OK;
}

/* The same for the inputs as the kernels of the model take them. */
static attest_status try_problem(comparison *x, const attest_qkv *qkv, size_t place,
                                 size_t count, bool entry, attest_error *error)
{
    attest_judge_quantised quantised;
    attest_status status;

    if (!attest_judge_model_quantises(x->model))
        return try_rows(x, qkv, place, count, entry, error);
    ATTEST_TRY(attest_judge_quantised_init(&quantised, qkv, x->model, error));
    status = try_rows(x, &quantised.qkv, place, count, entry, error);
    attest_judge_quantised_clear(&quantised);
    return status;
}

static attest_status try_sequences(comparison *x, const attest_qkv *qkv, attest_error *error)
{
    size_t batch = x->rows->batch, many = batch < MOST_SEQUENCES ? batch : MOST_SEQUENCES;

    for (size_t n = 0; n < many && x->inside; n++) {
        size_t b = spread(n, many, batch), first, count;
        attest_qkv entry;

        count = attest_judge_rows_find_entry(&first, x->rows, b);
        if (count > 0 && attest_judge_rows_get_entry(&entry, qkv, x->rows, b) > 0)
            ATTEST_TRY(try_problem(x, &entry, first, count, true, error));
    }
    return ATTEST_OK;
}

attest_status
attest_judge_bounds_contain_rounded(bool *contain, const attest_judge_bounds *bounds,
                                    const attest_judge_rows *rows, const attest_qkv *qkv,
                                    const attest_judge_model *model,
                                    const attest_format *format, attest_error *error)
{
    comparison x = {bounds, rows, model, format, true, false};

    *contain = false;
    if (rows->count == 0)
        return ATTEST_OK;
    if (attest_judge_qkv_is_unequal(qkv))
        ATTEST_TRY(try_sequences(&x, qkv, error));
    else
        ATTEST_TRY(try_problem(&x, qkv, 0, rows->count, false, error));
    *contain = x.inside && x.changed;
    return ATTEST_OK;
}
