/* entries.c -- attest_judge_bound and attest_judge_simulate: problems whose batch entries have
 * different numbers of queries or keys, one entry after another. */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/scope.h"
#include "judge/parallel_rows.h"
#include "judge/rows.h"

/* A batch entry: its problem, and its rows with results. */
typedef struct entry {
    attest_qkv qkv;
    size_t queries, keys;
    attest_judge_options options;
    size_t first, count; /* places of its rows in the results */
    size_t *row;         /* the selected ones, numbered in the entry */
} entry;

static void entry_clear(entry *x)
{
    free(x->row);
}

static attest_status entry_init(entry *x, const attest_judge_rows *rows, const attest_qkv *qkv,
                                const attest_judge_options *options, size_t b,
                                attest_error *error)
{
    *x = (entry){.options = *options};
    x->keys = attest_judge_rows_get_entry(&x->qkv, qkv, rows, b);
    x->queries = attest_judge_rows_get_queries(rows, b);
    x->count = attest_judge_rows_find_entry(&x->first, rows, b);
    if (!rows->selected)
        return ATTEST_OK;
    x->row = attest_memory_alloc(x->count + 1, sizeof *x->row);
    if (!x->row)
        return attest_memory_fail(error);
    for (size_t i = 0; i < x->count; i++)
        x->row[i] = rows->selected[x->first + i] - rows->first[b];
    x->options.rows = x->row;
    x->options.row_count = x->count;
    x->options.sample = 0;
    return ATTEST_OK;
}

/* array + count, or NULL. */
static double *skip(double *array, size_t count)
{
    return array ? array + count : NULL;
}

/* to[i] = value, i < count, if there is an array. */
static void fill(double *to, double value, size_t count)
{
    for (size_t i = 0; to && i < count; i++)
        to[i] = value;
}

static attest_status bound_entry(attest_judge_bounds *bounds, const entry *x,
                                 const attest_judge_rows *rows, const attest_judge_model *model,
                                 attest_error *error)
{
    size_t first = x->first * rows->columns, count = x->count * rows->columns;
    attest_judge_bounds to = {skip(bounds->lo, first),    skip(bounds->hi, first),
                              skip(bounds->exact, first), skip(bounds->error, first),
                              skip(bounds->bound, first), NULL};
    double empty = x->qkv.empty_is_nan ? (double)NAN : 0;

    if (x->queries == 0)
        return ATTEST_OK;
    if (x->keys == 0) { /* all rows see no key */
        fill(to.lo, empty, count);
        fill(to.hi, empty, count);
        fill(to.exact, empty, count);
        fill(to.error, 0, count);
        fill(to.bound, empty, count);
        return ATTEST_OK;
    }
    ATTEST_TRY(attest_judge_bound_plain(&to, x->count, &x->qkv, model, &x->options, error));
    bounds->unbounded = bounds->unbounded ? bounds->unbounded : to.unbounded;
    return ATTEST_OK;
}

static attest_status simulate_entry(double *const to[3], const entry *x,
                                    const attest_judge_rows *rows,
                                    const attest_judge_model *model, size_t schedule,
                                    attest_error *error)
{
    size_t first = x->first * rows->columns, count = x->count * rows->columns;
    double empty = x->qkv.empty_is_nan ? (double)NAN : 0;

    if (x->queries == 0)
        return ATTEST_OK;
    for (size_t i = 0; i < 3 && x->keys == 0; i++)
        fill(skip(to[i], first), empty, count);
    return x->keys == 0 ? ATTEST_OK
                        : attest_judge_simulate_plain(skip(to[0], first), skip(to[1], first),
                                                      skip(to[2], first), &x->qkv, model,
                                                      schedule, &x->options, error);
}

/* Calls do_entry for every batch entry; errors name it. */
typedef attest_status do_entry(const entry *x, const attest_judge_rows *rows, void *context,
                               attest_error *error);

static attest_status for_entries(do_entry *call, const attest_judge_rows *rows,
                                 const attest_qkv *qkv, const attest_judge_options *options,
                                 void *context, attest_error *error)
{
    for (size_t b = 0; b < rows->batch; b++) {
        entry x ATTEST_CLEARED_BY(entry_clear) = {.row = NULL};
        attest_status status = entry_init(&x, rows, qkv, options, b, error);

        if (status == ATTEST_OK)
            status = call(&x, rows, context, error);
        ATTEST_TRY(attest_judge_rows_prefix(error, status, b));
    }
    return ATTEST_OK;
}

typedef struct entry_bounds {
    attest_judge_bounds *bounds;
    const attest_judge_model *model;
} entry_bounds;

static attest_status call_bound(const entry *x, const attest_judge_rows *rows, void *context,
                                attest_error *error)
{
    entry_bounds *to = context;

    return bound_entry(to->bounds, x, rows, to->model, error);
}

attest_status attest_judge_bound(attest_judge_bounds *bounds, const attest_qkv *qkv,
                                 const attest_judge_model *model,
                                 const attest_judge_options *options, attest_error *error)
{
    attest_judge_rows rows ATTEST_CLEARED_BY(attest_judge_rows_clear) = {.batch = 0};
    entry_bounds to = {bounds, model};

    ATTEST_TRY(attest_judge_rows_init(&rows, qkv, options, error));
    if (!attest_judge_qkv_is_unequal(qkv))
        return attest_judge_bound_plain(bounds, rows.count, qkv, model, options, error);
    bounds->unbounded = NULL;
    return for_entries(call_bound, &rows, qkv, options, &to, error);
}

typedef struct entry_outputs {
    double *to[3];
    const attest_judge_model *model;
    size_t schedule;
} entry_outputs;

static attest_status call_simulate(const entry *x, const attest_judge_rows *rows, void *context,
                                   attest_error *error)
{
    const entry_outputs *to = context;

    return simulate_entry(to->to, x, rows, to->model, to->schedule, error);
}

attest_status attest_judge_simulate(double *out, double *lo, double *hi, const attest_qkv *qkv,
                                    const attest_judge_model *model, size_t schedule,
                                    const attest_judge_options *options, attest_error *error)
{
    attest_judge_rows rows ATTEST_CLEARED_BY(attest_judge_rows_clear) = {.batch = 0};
    entry_outputs to = {{out, lo, hi}, model, schedule};

    ATTEST_TRY(attest_judge_rows_init(&rows, qkv, options, error));
    if (!attest_judge_qkv_is_unequal(qkv))
        return attest_judge_simulate_plain(out, lo, hi, qkv, model, schedule, options, error);
    return for_entries(call_simulate, &rows, qkv, options, &to, error);
}
