/* alternative_bound.c -- the bounds of changed problems, head by head. A head is a plain
 * problem of its own: its queries, the keys and values that the change gives it, and where the
 * change concerns the mask, an explicit mask for a block of its rows. */
#include "judge/alternative.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/scope.h"
#include "format/simulate_in_double.h"
#include "judge/problem.h"

/* A row of the changed problem, and the place of its result. */
typedef struct wanted {
    size_t head; /* batch * heads + head */
    size_t row, place;
} wanted;

static int compare(const void *left, const void *right)
{
    const wanted *a = left, *b = right;

    if (a->head != b->head)
        return a->head < b->head ? -1 : 1;
    return (a->row > b->row) - (a->row < b->row);
}

/* Sets at to the place in the changed problem of the result at this batch entry, head and row
 * of the given one. Returns false if there is none. */
static bool move(size_t at[3], const attest_judge_changed *x, const attest_judge_rows *given)
{
    size_t heads = x->rows.heads, rows, place, h = at[1], i = at[2];

    if (at[0] >= x->rows.batch)
        return false;
    rows = attest_judge_rows_get_queries(&x->rows, at[0]);
    switch (x->view) {
    case ATTEST_JUDGE_VIEW_SAME:
        break;
    case ATTEST_JUDGE_VIEW_AXES:
        at[1] = i;
        at[2] = h;
        break;
    case ATTEST_JUDGE_VIEW_HEADS_FIRST: /* the given output is (tokens, heads) in memory */
        place = i * given->heads + h;
        at[1] = place / rows;
        at[2] = place % rows;
        break;
    case ATTEST_JUDGE_VIEW_TOKENS_FIRST:
        place = h * rows + i;
        at[1] = place % heads;
        at[2] = place / heads;
        break;
    case ATTEST_JUDGE_VIEW_SWAPPED:
        at[1] = h < 2 ? !h : h;
        break;
    case ATTEST_JUDGE_VIEW_REVERSED:
        at[1] = heads - 1 - h;
        break;
    case ATTEST_JUDGE_VIEW_NEXT_ROW:
        at[2] = (i + 1) % rows;
        break;
    case ATTEST_JUDGE_VIEW_LAST_ROW:
        at[2] = (i + rows - 1) % rows;
        break;
    }
    return at[1] < heads && at[2] < rows;
}

/* The tensor at this index of an axis alone; an axis of length 1 serves every index. */
static void cut(attest_tensor *x, size_t axis, size_t index)
{
    if (!x->data || x->shape[axis] == 1)
        return;
    x->data = (const unsigned char *)x->data + (ptrdiff_t)index * x->stride[axis];
    x->shape[axis] = 1;
}

/* The factors of one head, which are shared by groups of query heads. */
static void cut_factor(attest_tensor *x, size_t index, size_t heads)
{
    cut(x, 1, index * x->shape[1] / heads);
}

static size_t get_key_head(const attest_judge_changed *x, size_t h)
{
    size_t keys = x->qkv.k.shape[1], group = x->rows.heads / keys;

    switch (x->key_head) {
    case ATTEST_JUDGE_KEY_HEAD_TILED:
        return h % keys;
    case ATTEST_JUDGE_KEY_HEAD_FIRST:
        return 0;
    case ATTEST_JUDGE_KEY_HEAD_NEXT:
        return (h / group + 1) % keys;
    case ATTEST_JUDGE_KEY_HEAD_GROUPED:
        break;
    }
    return h / group;
}

/* A head of the changed problem, and the arrays that replace its tensors. */
typedef struct changed_head {
    attest_qkv qkv; /* a batch of 1, one head */
    size_t keys;    /* 0: no row sees a key */
    double *q, *k, *v;
    void *mask;
} changed_head;

static void changed_head_clear(changed_head *head)
{
    free(head->q);
    free(head->k);
    free(head->v);
    free(head->mask);
}

static void cut_head(changed_head *head, const attest_judge_changed *x, size_t b, size_t h)
{
    attest_qkv *p = &head->qkv;
    size_t key = get_key_head(x, h), keys = x->qkv.k.shape[1], heads = x->rows.heads;

    if (attest_judge_qkv_is_unequal(&x->qkv)) {
        head->keys = attest_judge_rows_get_entry(p, &x->qkv, &x->rows, b);
    } else {
        size_t source = x->first_batch ? 0 : b;

        *p = x->qkv;
        head->keys = attest_judge_qkv_get_keys(p);
        cut(&p->q, 0, b);
        cut(&p->k, 0, source);
        cut(&p->v, 0, source);
        cut(&p->past_k, 0, source);
        cut(&p->past_v, 0, source);
        cut(&p->mask, 0, b);
        cut(&p->q_descale, 0, b);
        cut(&p->k_descale, 0, source);
        cut(&p->v_descale, 0, source);
    }
    cut_factor(&p->q_descale, h, heads);
    cut_factor(&p->k_descale, key, keys);
    cut_factor(&p->v_descale, key, keys);
    cut(&p->q, 1, h);
    cut(&p->k, 1, key);
    cut(&p->v, 1, key);
    cut(&p->past_k, 1, key);
    cut(&p->past_v, 1, key);
    cut(&p->mask, 1, h);
    cut(&p->sink, 1, h);
}

/* x = a tensor of doubles: one batch entry, one head. */
static void set_tensor(attest_tensor *x, const double *data, size_t rows, size_t columns)
{
    *x = (attest_tensor){data,
                         ATTEST_TENSOR_F64,
                         {1, 1, rows, columns},
                         {0, 0, (ptrdiff_t)(columns * sizeof *data), sizeof *data}};
}

/* ---- changed keys and values ---- */

static const attest_judge_edit *find_edit(const attest_judge_changed *x, bool of_keys)
{
    for (size_t i = 0; i < x->edits; i++)
        if ((x->edit[i].kind > ATTEST_JUDGE_EDITS_OF_KEYS) == of_keys)
            return &x->edit[i];
    return NULL;
}

/* The key whose vector key j has after the edit. */
static size_t find_source(const attest_judge_edit *edit, bool value, size_t j, size_t keys)
{
    size_t tile = edit->a,
           stale = edit->b == SIZE_MAX ? (keys - 1) / (tile ? tile : 1) : edit->b;

    switch (edit->kind) {
    case ATTEST_JUDGE_EDIT_STALE:
        return stale > 0 && j / tile == stale ? j - tile : j;
    case ATTEST_JUDGE_EDIT_STALE_VALUES:
        return value && stale > 0 && j / tile == stale ? j - tile : j;
    case ATTEST_JUDGE_EDIT_STALE_KEYS:
        return !value && stale > 0 && j / tile == stale ? j - tile : j;
    case ATTEST_JUDGE_EDIT_TWICE:
        return j > 0 ? j - 1 : 0;
    case ATTEST_JUDGE_EDIT_NEXT_VALUE:
        return value ? (j + 1) % keys : j;
    default:
        return j;
    }
}

static void round_all(double *x, size_t count, const attest_format *format)
{
    attest_in_double to;

    attest_in_double_init(&to, format, ATTEST_SIMULATED_NEAREST, NULL, NULL);
    for (size_t i = 0; i < count; i++)
        x[i] = attest_in_double_convert(x[i], &to);
}

/* Returns the keys of the head, or their values, as the edit changes them. */
static double *gather(const changed_head *head, const attest_judge_edit *edit, bool value,
                      size_t keys)
{
    const attest_qkv *p = &head->qkv;
    size_t columns = value ? p->v.shape[3] : p->k.shape[3];
    double *to = attest_memory_alloc(keys, columns * sizeof *to);

    for (size_t j = 0; to && j < keys; j++) {
        size_t batch = 0, token = find_source(edit, value, j, head->keys);
        const char *name;
        const attest_tensor *from = attest_judge_qkv_find_key(&name, p, value, &batch, &token);

        attest_judge_tensor_get(to + j * columns, from, batch, 0, token, 0, columns);
    }
    if (to && (edit->kind == ATTEST_JUDGE_EDIT_ROUND ||
               (value && edit->kind == ATTEST_JUDGE_EDIT_ROUND_VALUES)))
        round_all(to, keys * columns, &edit->format);
    return to;
}

static attest_status change_keys(changed_head *head, const attest_judge_changed *x,
                                 attest_error *error)
{
    const attest_judge_edit *edit = find_edit(x, true);
    attest_qkv *p = &head->qkv;
    size_t keys = head->keys, queries = p->q.shape[2], dim = p->q.shape[3];

    if (!edit)
        return ATTEST_OK;
    if (p->past_k.data && p->causal == ATTEST_CAUSAL_TOP_LEFT)
        return attest_error_set(error, ATTEST_FORMAT, "the place of the mask would change");
    if (edit->kind == ATTEST_JUDGE_EDIT_TWICE) {
        if (p->mask.data)
            return attest_error_set(error, ATTEST_FORMAT, "the mask has no column for a key");
        keys++;
    }
    head->k = gather(head, edit, false, keys);
    head->v = gather(head, edit, true, keys);
    if (edit->kind == ATTEST_JUDGE_EDIT_ROUND) {
        head->q = attest_memory_alloc(queries, dim * sizeof *head->q);
        for (size_t i = 0; head->q && i < queries; i++)
            attest_judge_tensor_get(head->q + i * dim, &p->q, 0, 0, i, 0, dim);
        if (head->q)
            round_all(head->q, queries * dim, &edit->format);
    }
    if (!head->k || !head->v || (edit->kind == ATTEST_JUDGE_EDIT_ROUND && !head->q))
        return attest_memory_fail(error);
    if (head->q)
        set_tensor(&p->q, head->q, queries, dim);
    set_tensor(&p->k, head->k, keys, dim);
    set_tensor(&p->v, head->v, keys, p->v.shape[3]);
    p->past_k.data = p->past_v.data = NULL;
    p->block_table = p->lengths = NULL;
    p->sequences = 0;
    head->keys = keys;
    return ATTEST_OK;
}

/* ---- changed masks ---- */

/* Whether the causal mask and the window of the problem show key j to query i, which they take
 * to be `earlier` places before its own. earlier SIZE_MAX: one place after it. */
static bool sees(const attest_qkv *p, size_t keys, size_t earlier, size_t i, size_t j)
{
    ptrdiff_t place = (ptrdiff_t)i, key = (ptrdiff_t)j;

    place -= earlier == SIZE_MAX ? -1 : (ptrdiff_t)earlier;
    if (p->causal != ATTEST_CAUSAL_TOP_LEFT)
        place += (ptrdiff_t)keys - (ptrdiff_t)p->q.shape[2];
    else if (p->past_k.data)
        place += (ptrdiff_t)p->past_k.shape[2];
    if (p->causal != ATTEST_CAUSAL_NONE && key > place)
        return false;
    if (p->windowed && p->right >= 0 && key > place && key - place > p->right)
        return false;
    return !(p->windowed && p->left >= 0 && key < place && place - key > p->left);
}

/* The same for a query that sees the keys from its own place on. */
static bool sees_later(const attest_qkv *p, size_t keys, size_t i, size_t j)
{
    size_t past = p->past_k.data ? p->past_k.shape[2] : 0;
    size_t shift = p->causal == ATTEST_CAUSAL_TOP_LEFT ? past : keys;
    size_t less = p->causal == ATTEST_CAUSAL_TOP_LEFT ? 0 : p->q.shape[2];

    return j + less >= i + shift;
}

/* to[j] = what is added to the score of key j for query i; -inf: it is not seen. */
static void fill_mask(double *to, const changed_head *head, const attest_judge_changed *x,
                      size_t i)
{
    const attest_qkv *p = &head->qkv;
    size_t keys = head->keys, moved = 0, earlier = 0;
    bool later = false, invert = false, transpose = false, align = false;
    size_t aligned = 0;

    for (size_t n = 0; n < x->edits; n++) {
        const attest_judge_edit *edit = &x->edit[n];

        earlier = edit->kind == ATTEST_JUDGE_EDIT_EARLIER ? edit->a : earlier;
        moved = edit->kind == ATTEST_JUDGE_EDIT_MOVE ? edit->a % keys : moved;
        align = align || edit->kind == ATTEST_JUDGE_EDIT_ALIGN;
        aligned = edit->kind == ATTEST_JUDGE_EDIT_ALIGN ? edit->a : aligned;
        later = later || edit->kind == ATTEST_JUDGE_EDIT_LATER;
        invert = invert || edit->kind == ATTEST_JUDGE_EDIT_INVERT;
        transpose = transpose || edit->kind == ATTEST_JUDGE_EDIT_TRANSPOSE;
    }
    for (size_t j = 0; j < keys; j++) {
        size_t source = (j + keys - moved) % keys;
        double bias = 0;

        if (p->mask.data)
            attest_judge_tensor_get(&bias, &p->mask, 0, 0, transpose ? source : i,
                                    transpose ? i : source, 1);
        if (invert)
            bias = bias == 0 ? (double)-INFINITY : 0;
        if (!(align   ? j <= i + aligned
              : later ? sees_later(p, keys, i, j)
                      : sees(p, keys, earlier, i, j)))
            bias = (double)-INFINITY;
        to[j] = bias;
    }
    for (size_t n = 0; n < x->edits; n++) {
        const attest_judge_edit *edit = &x->edit[n];
        size_t a = edit->a, first = keys, last = keys;

        if (edit->kind == ATTEST_JUDGE_EDIT_HIDE) {
            first = a;
            last = edit->b;
        } else if (edit->kind == ATTEST_JUDGE_EDIT_HIDE_LAST) {
            first = a < keys ? keys - a : 0;
        } else if (edit->kind == ATTEST_JUDGE_EDIT_HIDE_PARTIAL) {
            first = keys / a * a;
        }
        for (size_t j = first; j < last && j < keys; j++)
            to[j] = (double)-INFINITY;
    }
}

/* ---- bounds ---- */

enum { ARRAYS = 5, MOST_ROWS = 1 << 10, MASK_ELEMENTS = 1 << 20 };

/* The job: what is bounded for whom, and its work space. */
typedef struct bound_job {
    const attest_judge_changed *x;
    const attest_judge_options *options;
    attest_judge_changed_visit *visit;
    void *context;
    wanted *want;
    size_t *row, *place;
    double *result;
    bool stopped;
} bound_job;

static void bound_job_clear(bound_job *job)
{
    free(job->want);
    free(job->row);
    free(job->place);
    free(job->result);
}

static void set_arrays(attest_judge_bounds *bounds, double *block, size_t elements)
{
    *bounds = (attest_judge_bounds){block,
                                    block + elements,
                                    block + 2 * elements,
                                    block + 3 * elements,
                                    block + 4 * elements,
                                    NULL};
}

static void fill_bounds(attest_judge_bounds *bounds, size_t elements, double value)
{
    for (size_t i = 0; i < elements; i++) {
        bounds->lo[i] = bounds->hi[i] = bounds->exact[i] = bounds->bound[i] = value;
        bounds->error[i] = 0;
    }
}

/* Rows of a head with explicit masks: a problem of its own with these queries. */
static attest_status bound_masked(attest_judge_bounds *bounds, const bound_job *job,
                                  const changed_head *head, const wanted *want, size_t count,
                                  attest_error *error)
{
    const attest_judge_changed *x = job->x;
    changed_head block ATTEST_CLEARED_BY(changed_head_clear) = {.qkv = head->qkv};
    attest_qkv *p = &block.qkv;
    bool truth = !p->mask.data || p->mask.type == ATTEST_TENSOR_BOOL;
    size_t keys = head->keys, dim = p->q.shape[3];
    attest_judge_options options = {.jobs = 1,
                                    .proceed = job->options->proceed,
                                    .proceed_context = job->options->proceed_context};
    unsigned char *shown;
    double *line ATTEST_FREED = NULL, *mask;

    block.q = attest_memory_alloc(count, dim * sizeof *block.q);
    block.mask = attest_memory_alloc(count, keys * (truth ? 1 : sizeof *mask));
    line = attest_memory_alloc(keys, sizeof *line);
    if (!block.q || !block.mask || !line)
        return attest_memory_fail(error);
    shown = block.mask;
    mask = block.mask;
    for (size_t n = 0; n < count; n++) {
        attest_judge_tensor_get(block.q + n * dim, &head->qkv.q, 0, 0, want[n].row, 0, dim);
        fill_mask(line, head, x, want[n].row);
        for (size_t j = 0; j < keys && truth; j++)
            shown[n * keys + j] = line[j] == 0;
        if (!truth)
            memcpy(mask + n * keys, line, keys * sizeof *line);
    }
    set_tensor(&p->q, block.q, count, dim);
    set_tensor(&p->mask, block.mask, count, keys);
    if (truth) {
        p->mask.type = ATTEST_TENSOR_BOOL;
        p->mask.stride[2] = (ptrdiff_t)keys;
        p->mask.stride[3] = 1;
    }
    p->causal = ATTEST_CAUSAL_NONE;
    p->windowed = false;
    return attest_judge_bound(bounds, p, &x->model, &options, error);
}

/* Bounds some rows of one head and visits them. */
static attest_status bound_rows(bound_job *job, const changed_head *head, const wanted *want,
                                size_t count, attest_error *error)
{
    const attest_judge_changed *x = job->x;
    size_t columns = x->rows.columns, elements = count * columns;
    attest_judge_options options = *job->options;
    attest_judge_bounds bounds;

    set_arrays(&bounds, job->result, elements);
    for (size_t n = 0; n < count; n++) {
        job->row[n] = want[n].row;
        job->place[n] = want[n].place;
    }
    if (x->zeros || head->keys == 0) {
        fill_bounds(&bounds, elements, !x->zeros && x->qkv.empty_is_nan ? (double)NAN : 0);
    } else if (find_edit(x, false)) {
        ATTEST_TRY(bound_masked(&bounds, job, head, want, count, error));
    } else {
        memset(&options.progress, 0, sizeof options.progress);
        options.rows = job->row;
        options.row_count = count;
        options.sample = 0;
        options.jobs = count < 64 ? 1 : options.jobs;
        ATTEST_TRY(attest_judge_bound(&bounds, &head->qkv, &x->model, &options, error));
    }
    job->stopped = !job->visit(job->context, job->place, count, &bounds);
    return ATTEST_OK;
}

/* All wanted rows of one head. */
static attest_status bound_head(bound_job *job, const wanted *want, size_t count,
                                attest_error *error)
{
    const attest_judge_changed *x = job->x;
    changed_head head ATTEST_CLEARED_BY(changed_head_clear) = {.keys = 0};
    size_t most = MOST_ROWS;

    cut_head(&head, x, want->head / x->rows.heads, want->head % x->rows.heads);
    if (head.keys > 0 && !x->zeros)
        ATTEST_TRY(change_keys(&head, x, error));
    if (find_edit(x, false) && head.keys > 0)
        most = MASK_ELEMENTS / head.keys < 8 ? 8 : MASK_ELEMENTS / head.keys;
    most = most < MOST_ROWS ? most : MOST_ROWS;
    for (size_t done = 0; done < count && !job->stopped; done += most)
        ATTEST_TRY(bound_rows(job, &head, want + done,
                              count - done < most ? count - done : most, error));
    return ATTEST_OK;
}

/* Finds the rows of the changed problem, each once; *count: of the places, then of the rows. */
static attest_status set_wanted(bound_job *job, const attest_judge_rows *rows,
                                const size_t *places, size_t *count, attest_error *error)
{
    size_t kept = 0;

    for (size_t n = 0; n < *count; n++) {
        size_t at[4];

        attest_judge_rows_get_place(at, rows, places[n] * rows->columns);
        if (!move(at, job->x, rows))
            return attest_error_set(error, ATTEST_FORMAT, "a row has no counterpart");
        job->want[n] = (wanted){at[0] * job->x->rows.heads + at[1], at[2], places[n]};
    }
    qsort(job->want, *count, sizeof *job->want, compare);
    for (size_t n = 0; n < *count; n++)
        if (kept == 0 || compare(&job->want[n], &job->want[kept - 1]) != 0)
            job->want[kept++] = job->want[n];
    *count = kept;
    return ATTEST_OK;
}

attest_status attest_judge_changed_bound(const attest_judge_changed *changed,
                                         const attest_judge_rows *rows, const size_t *places,
                                         size_t count, const attest_judge_options *options,
                                         attest_judge_changed_visit *visit, void *context,
                                         attest_error *error)
{
    bound_job job ATTEST_CLEARED_BY(bound_job_clear) = {
        .x = changed, .options = options, .visit = visit, .context = context};
    size_t most = count < MOST_ROWS ? count : MOST_ROWS;

    if (rows->columns != changed->rows.columns)
        return attest_error_set(error, ATTEST_FORMAT, "the output has other columns");
    job.want = attest_memory_alloc(count + 1, sizeof *job.want);
    job.row = attest_memory_alloc(most + 1, sizeof *job.row);
    job.place = attest_memory_alloc(most + 1, sizeof *job.place);
    job.result = attest_memory_alloc(most * rows->columns + 1, ARRAYS * sizeof *job.result);
    if (!job.want || !job.row || !job.place || !job.result)
        return attest_memory_fail(error);
    ATTEST_TRY(set_wanted(&job, rows, places, &count, error));
    for (size_t first = 0, last; first < count && !job.stopped; first = last) {
        for (last = first + 1; last < count && job.want[last].head == job.want[first].head;)
            last++;
        ATTEST_TRY(bound_head(&job, job.want + first, last - first, error));
    }
    return ATTEST_OK;
}
