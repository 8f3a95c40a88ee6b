/* rows.c -- the output rows of a problem, and its batch entries. */
#include "judge/rows.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "base/scope.h"

bool attest_judge_qkv_is_unequal(const attest_qkv *qkv)
{
    return qkv->cu_seqlens_q || qkv->cu_seqlens_k || qkv->lengths || qkv->block_table;
}

/* ---- checks ---- */

static attest_status refuse(attest_error *error, const char *what)
{
    return attest_error_set(error, ATTEST_FORMAT, "%s", what);
}

/* Refuses arrays that do not go together. */
static attest_status check_combination(const attest_qkv *x, attest_error *error)
{
    bool packed = x->cu_seqlens_q || x->cu_seqlens_k;

    if (x->past_k.data || x->past_v.data)
        return refuse(error, "past keys and values stand beside a k and v of equal lengths: "
                             "join them with k and v, or leave cu_seqlens, lengths and "
                             "block_table out");
    if (x->block_table && x->cu_seqlens_k)
        return refuse(error, "cu_seqlens_k belongs to packed keys, and block_table to pages: "
                             "give the numbers of keys as lengths");
    if (x->block_table && !x->lengths)
        return refuse(error,
                      "block_table needs lengths, the number of valid keys of each entry");
    if (x->cu_seqlens_q && !x->cu_seqlens_k && !x->block_table)
        return refuse(error, "cu_seqlens_q needs cu_seqlens_k (for self-attention the same "
                             "offsets), or block_table and lengths");
    if (x->cu_seqlens_k && !x->cu_seqlens_q)
        return refuse(error, "cu_seqlens_k needs cu_seqlens_q (for self-attention the same "
                             "offsets)");
    if (x->mask.data && (packed || x->block_table))
        return refuse(error, "a mask has no place beside packed sequences or pages: use causal "
                             "and window, or judge each sequence alone");
    if (x->sequences == 0)
        return refuse(error, "there is no sequence");
    return ATTEST_OK;
}

/* Checks the offsets of packed sequences in a tensor of so many tokens. */
static attest_status check_offsets(const int64_t *offset, size_t sequences,
                                   const attest_tensor *x, const char *name, const char *tensor,
                                   attest_error *error)
{
    if (!offset)
        return ATTEST_OK;
    if (x->shape[0] != 1)
        return attest_error_set(error, ATTEST_FORMAT,
                                "%s has a batch of %zu entries, but beside %s its shape is "
                                "(tokens, heads, dim)",
                                tensor, x->shape[0], name);
    if (offset[0] != 0)
        return attest_error_set(error, ATTEST_FORMAT, "%s[0] is %" PRId64 ", not 0", name,
                                offset[0]);
    for (size_t b = 0; b < sequences; b++)
        if (offset[b + 1] < offset[b])
            return attest_error_set(error, ATTEST_FORMAT,
                                    "%s[%zu] is %" PRId64 ", below %s[%zu], which is %" PRId64,
                                    name, b + 1, offset[b + 1], name, b, offset[b]);
    if ((uint64_t)offset[sequences] != x->shape[2])
        return attest_error_set(error, ATTEST_FORMAT,
                                "%s[%zu], the last one, is %" PRId64 ", but %s has %zu tokens",
                                name, sequences, offset[sequences], tensor, x->shape[2]);
    return ATTEST_OK;
}

/* The keys that entry b has room for. */
static size_t get_capacity(const attest_qkv *x, size_t b)
{
    if (x->cu_seqlens_k)
        return (size_t)(x->cu_seqlens_k[b + 1] - x->cu_seqlens_k[b]);
    return x->block_table ? x->blocks * x->k.shape[2] : x->k.shape[2];
}

static attest_status check_lengths(const attest_qkv *x, attest_error *error)
{
    for (size_t b = 0; x->lengths && b < x->sequences; b++) {
        size_t capacity = get_capacity(x, b);

        if (x->lengths[b] < 0 || (uint64_t)x->lengths[b] > capacity)
            return attest_error_set(error, ATTEST_FORMAT,
                                    "lengths[%zu] is %" PRId64
                                    ", but entry %zu has room for 0 to %zu keys",
                                    b, x->lengths[b], b, capacity);
        if (x->mask.data && (uint64_t)x->lengths[b] > x->mask.shape[3])
            return attest_error_set(error, ATTEST_FORMAT,
                                    "the mask has %zu keys, but lengths[%zu] is %" PRId64,
                                    x->mask.shape[3], b, x->lengths[b]);
    }
    return ATTEST_OK;
}

/* Checks the pages that contain valid keys; other entries of the table may have any value. */
static attest_status check_pages(const attest_qkv *x, attest_error *error)
{
    size_t size = x->k.shape[2], pages = x->k.shape[0];

    for (size_t b = 0; x->block_table && b < x->sequences; b++)
        for (size_t i = 0; i * size < (size_t)x->lengths[b]; i++) {
            int64_t page = x->block_table[b * x->blocks + i];

            if (page < 0 || (uint64_t)page >= pages)
                return attest_error_set(error, ATTEST_FORMAT,
                                        "block_table[%zu][%zu] is %" PRId64
                                        ", but the cache has the pages 0 to %zu",
                                        b, i, page, pages - 1);
        }
    return ATTEST_OK;
}

/* Checks that a tensor has one entry for each sequence; with one, also an entry for all. */
static attest_status check_batch(const attest_qkv *x, const attest_tensor *tensor, bool or_one,
                                 const char *name, attest_error *error)
{
    if (!tensor->data || tensor->shape[0] == x->sequences || (or_one && tensor->shape[0] == 1))
        return ATTEST_OK;
    return attest_error_set(error, ATTEST_FORMAT,
                            "%s has a batch of %zu entries, but there are %zu sequences", name,
                            tensor->shape[0], x->sequences);
}

static attest_status check_tensors(const attest_qkv *x, attest_error *error)
{
    for (size_t i = 0; i < 4; i++)
        if (x->q.shape[i] == 0 || x->k.shape[i] == 0 || x->v.shape[i] == 0)
            return refuse(error, "q, k and v must not be empty");
    if (memcmp(x->k.shape, x->v.shape, 3 * sizeof *x->k.shape) != 0)
        return attest_error_set(error, ATTEST_FORMAT,
                                "k has shape (%zu, %zu, %zu, ...) and v (%zu, %zu, %zu, ...): "
                                "they must be equal",
                                x->k.shape[0], x->k.shape[1], x->k.shape[2], x->v.shape[0],
                                x->v.shape[1], x->v.shape[2]);
    if (!x->cu_seqlens_q)
        ATTEST_TRY(check_batch(x, &x->q, false, "q", error));
    if (!x->cu_seqlens_k && !x->block_table)
        ATTEST_TRY(check_batch(x, &x->k, false, "k", error));
    ATTEST_TRY(check_batch(x, &x->mask, true, "the mask", error));
    ATTEST_TRY(check_batch(x, &x->q_descale, true, "q_descale", error));
    ATTEST_TRY(check_batch(x, &x->k_descale, true, "k_descale", error));
    ATTEST_TRY(check_batch(x, &x->v_descale, true, "v_descale", error));
    return ATTEST_OK;
}

static attest_status check_unequal(const attest_qkv *x, attest_error *error)
{
    if (!x->q.data || !x->k.data || !x->v.data)
        return refuse(error, "q, k and v are all needed");
    ATTEST_TRY(check_combination(x, error));
    ATTEST_TRY(check_tensors(x, error));
    ATTEST_TRY(check_offsets(x->cu_seqlens_q, x->sequences, &x->q, "cu_seqlens_q", "q", error));
    ATTEST_TRY(check_offsets(x->cu_seqlens_k, x->sequences, &x->k, "cu_seqlens_k", "k", error));
    ATTEST_TRY(check_lengths(x, error));
    return check_pages(x, error);
}

/* ---- rows ---- */

/* first[b] = the rows of the entries before b, all heads. */
static attest_status set_first(attest_judge_rows *rows, const attest_qkv *x,
                               attest_error *error)
{
    rows->batch = x->sequences;
    rows->first = attest_memory_alloc(rows->batch + 1, sizeof *rows->first);
    if (!rows->first)
        return attest_memory_fail(error);
    rows->first[0] = 0;
    rows->queries = x->cu_seqlens_q ? 0 : rows->queries;
    for (size_t b = 0; b < rows->batch; b++) {
        size_t queries = x->cu_seqlens_q ? (size_t)(x->cu_seqlens_q[b + 1] - x->cu_seqlens_q[b])
                                         : x->q.shape[2];

        rows->first[b + 1] = rows->first[b] + rows->heads * queries;
        rows->queries = queries > rows->queries ? queries : rows->queries;
    }
    return ATTEST_OK;
}

/* Copies the selected rows, which must exist and be in increasing order. */
static attest_status select_rows(attest_judge_rows *rows, const attest_judge_options *options,
                                 attest_error *error)
{
    const size_t *row = options->rows;

    rows->count = row ? options->row_count : rows->all;
    for (size_t i = 0; row && i < rows->count; i++)
        if (row[i] >= rows->all || (i > 0 && row[i] <= row[i - 1]))
            return attest_error_set(error, ATTEST_USAGE,
                                    "selected row %zu, number %zu, is not one of the %zu rows, "
                                    "or does not follow the row before it",
                                    i, row[i], rows->all);
    if (!row)
        return ATTEST_OK;
    rows->selected = attest_memory_alloc(rows->count + 1, sizeof *rows->selected);
    if (!rows->selected)
        return attest_memory_fail(error);
    memcpy(rows->selected, row, rows->count * sizeof *row);
    return ATTEST_OK;
}

/* A number below most, each as probable as the others but for one part in 2^64 / most. */
static size_t draw_below(uint64_t *state, size_t most)
{
    return (size_t)(attest_random_next(state) % most);
}

/* Draws a sample of rows, all subsets of its size alike: a row is taken with the probability
 * (rows to be taken) / (rows that are left). */
static attest_status draw_rows(attest_judge_rows *rows, const attest_judge_options *options,
                               attest_error *error)
{
    uint64_t state = options->seed;
    size_t taken = 0;

    if (options->rows)
        return attest_error_set(error, ATTEST_USAGE,
                                "rows are selected by a list or as a sample, not both");
    if (options->sample >= rows->all)
        return ATTEST_OK;
    rows->count = options->sample;
    rows->sampled = true;
    rows->seed = options->seed;
    rows->selected = attest_memory_alloc(rows->count, sizeof *rows->selected);
    if (!rows->selected)
        return attest_memory_fail(error);
    for (size_t i = 0; taken < rows->count; i++)
        if (draw_below(&state, rows->all - i) < rows->count - taken)
            rows->selected[taken++] = i;
    return ATTEST_OK;
}

static attest_status set_rows(attest_judge_rows *rows, const attest_qkv *qkv,
                              const attest_judge_options *options, attest_error *error)
{
    if (attest_judge_qkv_is_unequal(qkv)) {
        ATTEST_TRY(check_unequal(qkv, error));
        ATTEST_TRY(set_first(rows, qkv, error));
    }
    rows->all =
        rows->first ? rows->first[rows->batch] : rows->batch * rows->heads * rows->queries;
    ATTEST_TRY(select_rows(rows, options, error));
    return options->sample ? draw_rows(rows, options, error) : ATTEST_OK;
}

attest_status attest_judge_rows_init(attest_judge_rows *rows, const attest_qkv *qkv,
                                     const attest_judge_options *options, attest_error *error)
{
    *rows = (attest_judge_rows){.batch = qkv->q.shape[0],
                                .heads = qkv->q.shape[1],
                                .queries = qkv->q.shape[2],
                                .columns = qkv->v.shape[3]};
    ATTEST_TRY_OR(set_rows(rows, qkv, options, error), attest_judge_rows_clear(rows));
    return ATTEST_OK;
}

void attest_judge_rows_clear(attest_judge_rows *rows)
{
    free(rows->first);
    free(rows->selected);
    rows->first = rows->selected = NULL; /* they may be cleared again */
}

attest_status attest_judge_rows_copy(attest_judge_rows *to, const attest_judge_rows *rows,
                                     attest_error *error)
{
    *to = *rows;
    to->first = to->selected = NULL;
    if (rows->first)
        to->first = attest_memory_alloc(rows->batch + 1, sizeof *to->first);
    if (rows->selected)
        to->selected = attest_memory_alloc(rows->count + 1, sizeof *to->selected);
    if ((rows->first && !to->first) || (rows->selected && !to->selected)) {
        attest_judge_rows_clear(to);
        return attest_memory_fail(error);
    }
    if (to->first)
        memcpy(to->first, rows->first, (rows->batch + 1) * sizeof *to->first);
    if (to->selected)
        memcpy(to->selected, rows->selected, rows->count * sizeof *to->selected);
    return ATTEST_OK;
}

size_t attest_judge_rows_get_queries(const attest_judge_rows *rows, size_t b)
{
    return rows->first ? (rows->first[b + 1] - rows->first[b]) / rows->heads : rows->queries;
}

/* The index of the first of count numbers, in increasing order, that is not below value. */
static size_t find(const size_t *number, size_t count, size_t value)
{
    size_t low = 0, high = count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (number[middle] < value)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void attest_judge_rows_get_place(size_t at[4], const attest_judge_rows *rows, size_t element)
{
    size_t row = element / rows->columns, in_entry, queries;

    at[3] = element % rows->columns;
    if (rows->selected)
        row = rows->selected[row];
    if (rows->first) /* the last entry that begins at or before the row, and is not empty */
        at[0] = find(rows->first, rows->batch + 1, row + 1) - 1;
    else
        at[0] = row / (rows->heads * rows->queries);
    in_entry = row - (rows->first ? rows->first[at[0]] : at[0] * rows->heads * rows->queries);
    queries = attest_judge_rows_get_queries(rows, at[0]);
    at[1] = in_entry / queries;
    at[2] = in_entry % queries;
}

size_t attest_judge_rows_find_entry(size_t *first, const attest_judge_rows *rows, size_t b)
{
    size_t begin = rows->first ? rows->first[b] : b * rows->heads * rows->queries;
    size_t end = begin + rows->heads * attest_judge_rows_get_queries(rows, b);

    if (rows->selected) {
        begin = find(rows->selected, rows->count, begin);
        end = find(rows->selected, rows->count, end);
    }
    *first = begin;
    return end - begin;
}

/* ---- entries ---- */

/* The tensor from this index of an axis on, with count elements there. */
static void cut(attest_tensor *x, size_t axis, size_t first, size_t count)
{
    if (!x->data)
        return;
    x->data = (const unsigned char *)x->data + (ptrdiff_t)first * x->stride[axis];
    x->shape[axis] = count;
}

static void cut_batch(attest_tensor *x, size_t b)
{
    if (x->data && x->shape[0] != 1)
        cut(x, 0, b, 1);
}

size_t attest_judge_rows_get_entry(attest_qkv *entry, const attest_qkv *qkv,
                                   const attest_judge_rows *rows, size_t b)
{
    attest_qkv *x = entry;
    size_t keys = qkv->lengths ? (size_t)qkv->lengths[b] : get_capacity(qkv, b);

    *x = *qkv;
    x->cu_seqlens_q = x->cu_seqlens_k = x->lengths = x->block_table = NULL;
    if (qkv->cu_seqlens_q)
        cut(&x->q, 2, (size_t)qkv->cu_seqlens_q[b], attest_judge_rows_get_queries(rows, b));
    else
        cut_batch(&x->q, b);
    cut_batch(&x->mask, b);
    cut_batch(&x->q_descale, b);
    cut_batch(&x->k_descale, b);
    cut_batch(&x->v_descale, b);
    x->sequences = 0;
    if (qkv->block_table) {
        x->sequences = 1;
        x->lengths = qkv->lengths + b;
        x->block_table = qkv->block_table + b * qkv->blocks;
        return keys;
    }
    if (x->mask.data)
        cut(&x->mask, 3, 0, keys);
    for (size_t i = 0; i < 2; i++) {
        attest_tensor *t = i == 0 ? &x->k : &x->v;

        if (!qkv->cu_seqlens_k)
            cut_batch(t, b);
        cut(t, 2, qkv->cu_seqlens_k ? (size_t)qkv->cu_seqlens_k[b] : 0, keys);
    }
    return keys;
}

attest_status attest_judge_rows_prefix(attest_error *error, attest_status status, size_t b)
{
    char name[40];

    if (status != ATTEST_FORMAT)
        return status;
    snprintf(name, sizeof name, "sequence %zu", b);
    return attest_error_prefix(error, status, name);
}
