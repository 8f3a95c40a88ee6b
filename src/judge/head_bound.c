/* head_bound.c -- blocks of rows of a head: scores, weights, columns, quotients; how much each
 * stage contributes to the bound of an element. */
#include "judge/head_bound.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/scope.h"
#include "judge/loops.h"
#include "judge/quantise.h"
#include "judge/rows.h"

/* Keys whose values stay in a cache while the rows of a block use them. */
enum { KEYS_AT_ONCE = 32 };

/* ---- memory ---- */

/* Lists the arrays with a number for every key, and for every column; the lists end with NULL.
 * */
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

static void work_clear(attest_judge_work *work)
{
    double **by_key[18], **by_column[12];

    list_arrays(by_key, by_column, work);
    for (size_t i = 0; by_key[i]; i++)
        free(*by_key[i]);
    for (size_t i = 0; by_column[i]; i++)
        free(*by_column[i]);
    free(work->tile_raises);
    free(work->tile_next);
    memset(work, 0, sizeof *work); /* it may be cleared again */
}

static attest_status work_init(attest_judge_work *work, size_t keys, size_t columns,
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
    work->tile_next = attest_memory_alloc(keys + 1, sizeof *work->tile_next);
    if (whole && work->tile_raises && work->tile_next)
        return ATTEST_OK;
    work_clear(work);
    return attest_memory_fail(error);
}

static size_t round_up(size_t n, size_t unit)
{
    return (n + unit - 1) / unit * unit;
}

static attest_status allocate(attest_judge_head_bound *x, attest_error *error)
{
    const attest_judge_problem *problem = x->head.problem;
    size_t keys = round_up(problem->keys, JUDGE_LOOPS_PANEL);

    x->panels = attest_memory_alloc(keys, problem->dim * sizeof(double));
    x->values = attest_memory_alloc(problem->keys, x->stride * sizeof(double));
    x->key_size = attest_memory_alloc(keys + JUDGE_LOOPS_PANEL, sizeof(double));
    x->row = attest_memory_alloc(problem->value_dim, 4 * ATTEST_JUDGE_BLOCK * sizeof(double));
    x->raised = attest_memory_alloc(x->rules, sizeof *x->raised);
    if (!x->panels || !x->values || !x->key_size || !x->row || !x->raised)
        return attest_memory_fail(error);
    for (size_t i = 0; i < ATTEST_JUDGE_BLOCK; i++) {
        x->bias[i] = attest_memory_alloc(problem->keys, sizeof(double));
        if (!x->bias[i])
            return attest_memory_fail(error);
        ATTEST_TRY(work_init(&x->work[i], problem->keys, problem->value_dim, error));
    }
    return ATTEST_OK;
}

attest_status attest_judge_head_bound_init(attest_judge_head_bound *bound,
                                           const attest_judge_problem *problem,
                                           attest_judge_rule *rule, size_t rules,
                                           attest_error *error)
{
    memset(bound, 0, sizeof *bound);
    bound->rule = rule;
    bound->rules = rules;
    bound->stride = round_up(problem->value_dim, JUDGE_LOOPS_PAD);
    ATTEST_TRY(attest_judge_head_init(&bound->head, problem, error));
    ATTEST_TRY_OR(allocate(bound, error), attest_judge_head_bound_clear(bound));
    return ATTEST_OK;
}

void attest_judge_head_bound_clear(attest_judge_head_bound *bound)
{
    attest_judge_head_clear(&bound->head);
    for (size_t i = 0; i < ATTEST_JUDGE_BLOCK; i++) {
        work_clear(&bound->work[i]);
        free(bound->bias[i]);
    }
    free(bound->panels);
    free(bound->values);
    free(bound->key_size);
    free(bound->row);
    free(bound->raised);
    memset(bound, 0, sizeof *bound); /* clear may be called twice */
}

/* ---- heads ---- */

/* The largest |x|, and whether one that is not 0 is below least. */
static double largest(bool *below, const double *x, size_t count, double least)
{
    double most = 0;

    for (size_t i = 0; i < count; i++) {
        double size = fabs(x[i]);

        most = size > most ? size : most;
        if (size < least && size > 0)
            *below = true;
    }
    return most;
}

/* The least normal number of an input format. */
static double least_normal(const attest_format *format)
{
    return format->bounded ? ldexp(1, (int)format->emin) : 0;
}

/* The values that subnormal inputs have when a matrix unit aligns their products. */
static attest_judge_raised find_raised(attest_judge_head_bound *x,
                                       const attest_judge_rule *rule)
{
    const attest_judge_variant *variant = rule->variant;
    const attest_judge_problem *problem = x->head.problem;
    double q_least = least_normal(&variant->q), k_least = least_normal(&variant->k);
    double v_least = least_normal(&variant->v), q_most, k_most, v_most;
    double scale = rule->scale * (1 + 0x1p-20);
    double scaled_least = least_normal(&variant->scaled_query);
    bool q_below = false, k_below = false, v_below = false, scaled_below = false;
    attest_judge_raised raised = {0};

    q_most = largest(&q_below, x->head.q, problem->queries * problem->dim, q_least);
    k_most = largest(&k_below, x->head.k, problem->keys * problem->dim, k_least);
    v_most = largest(&v_below, x->head.v, problem->keys * problem->value_dim, v_least);
    for (size_t i = 0; i < ATTEST_JUDGE_BLOCK; i++)
        x->work[i].value_most = v_most;
    raised.value = v_below ? v_least : 0;
    largest(&scaled_below, x->head.q, problem->queries * problem->dim,
            scaled_least / scale * (1 + 0x1p-19));
    if (scaled_below)
        raised.scaled = scaled_least * fmax(k_most, k_least);
    if (k_below)
        raised.scaled = fmax(raised.scaled, k_least * fmax(2 * q_most * scale, scaled_least));
    if (q_below)
        raised.product = q_least * fmax(k_most, k_least);
    if (k_below)
        raised.product = fmax(raised.product, k_least * fmax(q_most, q_least));
    return raised;
}

/* Sets panels, values, key_size. */
static void pack(attest_judge_head_bound *x)
{
    size_t keys = x->head.problem->keys, dim = x->head.problem->dim;
    size_t columns = x->head.problem->value_dim;

    for (size_t j = 0; j < keys; j++) {
        double *panel = x->panels + j / JUDGE_LOOPS_PANEL * JUDGE_LOOPS_PANEL * dim;

        x->key_size[j] = 0;
        for (size_t c = 0; c < dim; c++) {
            panel[c * JUDGE_LOOPS_PANEL + j % JUDGE_LOOPS_PANEL] = x->head.k[j * dim + c];
            x->key_size[j] += fabs(x->head.k[j * dim + c]);
        }
        x->key_size[j] *= 1 + ((double)dim + 4) * 0x1p-52;
        memcpy(x->values + j * x->stride, x->head.v + j * columns, columns * sizeof(double));
    }
}

static void prepare(attest_judge_head_bound *x)
{
    pack(x);
    for (size_t r = 0; r < x->rules; r++) {
        attest_judge_rule_set_head(&x->rule[r], &x->head);
        x->raised[r] = find_raised(x, &x->rule[r]);
    }
}

attest_status attest_judge_head_bound_load(attest_judge_head_bound *bound, size_t batch,
                                           size_t head, attest_error *error)
{
    attest_judge_head_bound *x = bound;

    if (x->loaded && x->head.batch == batch && x->head.head == head)
        return ATTEST_OK;
    ATTEST_TRY(attest_judge_head_load(&x->head, batch, head, error));
    x->loaded = true;
    prepare(x);
    return ATTEST_OK;
}

static bool round_all(double *x, size_t count, const attest_in_double *format)
{
    bool changed = false;

    for (size_t i = 0; i < count; i++) {
        double rounded = attest_in_double_convert(x[i], format);

        changed = changed || rounded != x[i];
        x[i] = rounded;
    }
    return changed;
}

bool attest_judge_head_bound_round(attest_judge_head_bound *bound, const attest_format *format)
{
    attest_judge_head *head = &bound->head;
    const attest_judge_problem *problem = head->problem;
    attest_in_double to;
    bool q, k, v;

    attest_in_double_init(&to, format, ATTEST_SIMULATED_NEAREST, NULL, NULL);
    q = round_all(head->q, problem->queries * problem->dim, &to);
    k = round_all(head->k, problem->keys * problem->dim, &to);
    v = round_all(head->v, problem->keys * problem->value_dim, &to);
    bound->loaded = false; /* these are not the values of the problem */
    prepare(bound);
    return q || k || v;
}

/* ---- rows ---- */

/* Sets up the keys that row i sees; returns false if there is none. */
static bool begin_row(attest_judge_head_bound *x, size_t i, attest_judge_work *work,
                      double *bias)
{
    attest_judge_row row;
    size_t seen = 0;
    bool below = false;

    attest_judge_head_get_row(&row, &x->head, i);
    work->first = row.first;
    work->count = row.last - row.first;
    work->dim = x->head.problem->dim;
    work->query_most = largest(&below, x->head.q + i * work->dim, work->dim, 0);
    work->bias = row.bias ? bias : NULL;
    if (row.bias)
        memcpy(bias, row.bias, work->count * sizeof(double));
    work->v = x->values + row.first * x->stride;
    work->stride = x->stride;
    work->key_size = x->key_size + row.first;
    work->s = work->s_room + row.first;
    work->size = work->size_room + row.first;
    work->sink = x->head.sink;
    work->sink_logit = x->head.sink_logit;
    for (size_t j = 0; j < work->count; j++)
        seen += !row.bias || bias[j] > (double)-INFINITY ||
                (x->head.problem->qkv.mask_before_softcap && x->head.problem->capped);
    return seen > 0;
}

/* Computes the scores and sizes of all keys that two rows may see; both may be the same row. */
static void multiply(attest_judge_head_bound *x, attest_judge_work *a, const double *a_query,
                     attest_judge_work *b, const double *b_query)
{
    size_t dim = x->head.problem->dim;
    size_t first = a->first < b->first ? a->first : b->first;
    size_t a_last = a->first + a->count, b_last = b->first + b->count;
    size_t last = a_last > b_last ? a_last : b_last;

    first = first / JUDGE_LOOPS_PANEL * JUDGE_LOOPS_PANEL;
    for (size_t j = first; j < last; j += JUDGE_LOOPS_PANEL) {
        double *const s[2] = {a->s_room + j, b->s_room + j};
        double *const size[2] = {a->size_room + j, b->size_room + j};
        const double *const q[2] = {a_query, b_query};

        attest_judge_loops()->products(s, size, q, x->panels + j * dim, dim);
    }
}

/* Adds the contribution of some keys to the sums of a row. */
typedef void add_some(attest_judge_work *work, const attest_judge_rule *rule, size_t first,
                      size_t count);

/* Calls add for every row, a few keys at a time. */
static void add_keys(attest_judge_head_bound *x, add_some *add, attest_judge_work **row,
                     size_t rows, const attest_judge_rule *rule)
{
    for (size_t j = 0; j < x->head.problem->keys; j += KEYS_AT_ONCE)
        for (size_t i = 0; i < rows; i++) {
            attest_judge_work *work = row[i];
            size_t first = j > work->first ? j : work->first, last = j + KEYS_AT_ONCE;

            if (last > work->first + work->count)
                last = work->first + work->count;
            if (first < last)
                add(work, rule, first - work->first, last - first);
        }
}

static void add_columns(attest_judge_work *x, const attest_judge_rule *rule, size_t first,
                        size_t count)
{
    (void)rule;
    attest_judge_loops()->columns(x->center, x->size_w, x->v + first * x->stride, x->stride,
                                  x->w + first, x->w + first, count);
}

/* The sums over the values for one variant. */
static void add_spreads(attest_judge_work *x, const attest_judge_rule *rule, size_t first,
                        size_t count)
{
    const struct judge_loops *kernel = attest_judge_loops();
    const double *v = x->v + first * x->stride;

    (void)rule;
    if (x->known)
        kernel->columns(x->offset_v, x->spread_v, v, x->stride, x->offset + first,
                        x->spread + first, count);
    if (x->narrow && (!x->known || x->open))
        kernel->spreads(x->spread_v, x->center, v, x->stride, x->half + first, count);
    if (x->sized)
        kernel->magnitudes(x->size_v, v, x->stride, x->weight_size + first, count);
    if (x->casted)
        kernel->magnitudes(x->cast_v, v, x->stride, x->cast + first, count);
}

/* Bounds the rows of a block for one variant, without the quotients. Results that it shares
 * with the previous variant are reused. */
static void bound_variant(attest_judge_head_bound *x, size_t r, attest_judge_work **row,
                          size_t rows)
{
    const attest_judge_rule *rule = &x->rule[r];
    attest_judge_shared shared =
        r == 0 ? ATTEST_JUDGE_SHARE_NOTHING : attest_judge_rule_compare(rule - 1, rule);

    for (size_t i = 0; i < rows; i++) {
        row[i]->raised = x->raised[r].product;
        row[i]->raised_scaled = x->raised[r].scaled;
        row[i]->value_least = x->raised[r].value;
    }
    if (shared == ATTEST_JUDGE_SHARE_WEIGHTS)
        return;
    for (size_t i = 0; i < rows; i++) {
        if (shared == ATTEST_JUDGE_SHARE_NOTHING)
            attest_judge_row_scores(row[i], rule);
        attest_judge_row_weights(row[i], rule);
        attest_judge_row_clear(row[i]);
    }
    if (shared == ATTEST_JUDGE_SHARE_NOTHING) {
        for (size_t i = 0; i < rows; i++)
            attest_judge_row_begin(row[i]);
        add_keys(x, add_columns, row, rows, rule);
        for (size_t i = 0; i < rows; i++)
            attest_judge_row_center(row[i]);
    }
    add_keys(x, add_spreads, row, rows, rule);
    for (size_t i = 0; i < rows; i++)
        attest_judge_row_close(row[i]);
}

static void add_phis(attest_judge_work *x, const attest_judge_rule *rule, size_t first,
                     size_t count)
{
    (void)rule;
    attest_judge_loops()->phis(x->phi, x->slope, x->end, x->sign > 0, x->v + first * x->stride,
                               x->stride, x->low + first, x->high + first, count);
}

/* One end of all columns of the rows, with shared passes over the values. */
static void seek_ends(attest_judge_head_bound *x, const attest_judge_rule *rule,
                      attest_judge_work **row, size_t rows, double sign)
{
    attest_judge_work *open[ATTEST_JUDGE_BLOCK];
    size_t count = 0;

    for (size_t i = 0; i < rows; i++) {
        attest_judge_row_seek(row[i], rule, sign);
        if (row[i]->steps > 0)
            open[count++] = row[i];
    }
    while (count > 0) {
        size_t left = 0;

        add_keys(x, add_phis, open, count, rule);
        for (size_t i = 0; i < count; i++) {
            attest_judge_row_step(open[i]);
            if (open[i]->steps > 0)
                open[left++] = open[i];
        }
        count = left;
    }
}

/* lo, hi, exact, error of every row, one after another. */
static void finish_rows(double *to[], attest_judge_head_bound *x, const attest_judge_rule *rule,
                        attest_judge_work **row, size_t rows)
{
    size_t columns = x->head.problem->value_dim, count = 0;
    attest_judge_work *bounded[ATTEST_JUDGE_BLOCK];
    double *of[ATTEST_JUDGE_BLOCK];

    for (size_t i = 0; i < rows; i++)
        if (attest_judge_row_open(to[i], to[i] + columns, to[i] + 2 * columns,
                                  to[i] + 3 * columns, row[i], rule)) {
            of[count] = to[i];
            bounded[count++] = row[i];
        }
    for (int up = 1; up >= 0; up--) {
        seek_ends(x, rule, bounded, count, up ? 1 : -1);
        for (size_t i = 0; i < count; i++)
            attest_judge_row_finish(of[i] + (up ? columns : 0), bounded[i], rule);
    }
    for (size_t i = 0; i < count; i++)
        attest_judge_row_check(of[i], of[i] + columns, bounded[i]);
}

/* Widens the result of a row by that of another variant. */
static void merge(double *result, const double *other, size_t columns)
{
    for (size_t c = 0; c < columns; c++) {
        result[c] = fmin(result[c], other[c]);
        result[columns + c] = fmax(result[columns + c], other[columns + c]);
    }
}

/* The bounds of the rows for variant r, at result[i]. Returns the reason why a row has no
 * bound. */
static attest_judge_reason finish_variant(double *result[], attest_judge_head_bound *x,
                                          size_t r, attest_judge_work **row, size_t rows)
{
    size_t columns = x->head.problem->value_dim;
    attest_judge_reason reason = ATTEST_JUDGE_BOUNDED;
    double *to[ATTEST_JUDGE_BLOCK];

    for (size_t i = 0; i < rows; i++)
        to[i] = r == 0 ? result[i] : x->row + i * 4 * columns;
    finish_rows(to, x, &x->rule[r], row, rows);
    for (size_t i = 0; i < rows; i++) {
        if (r > 0)
            merge(result[i], to[i], columns);
        if (x->visit)
            x->visit(x->context, row[i], &x->rule[r]);
        reason = reason ? reason : row[i]->unbounded;
    }
    return reason;
}

/* A row without keys. */
static void set_empty(double *result, const attest_judge_problem *problem)
{
    double value = problem->qkv.empty_is_nan ? (double)NAN : 0;

    for (size_t c = 0; c < 3 * problem->value_dim; c++)
        result[c] = value;
    for (size_t c = 0; c < problem->value_dim; c++)
        result[3 * problem->value_dim + c] = 0;
}

/* The products of all rows with the keys, two rows at a time. */
static void multiply_rows(attest_judge_head_bound *x, attest_judge_work **row,
                          const size_t *index, size_t rows)
{
    for (size_t i = 0; i < rows; i += 2) {
        size_t other = i + 1 < rows ? i + 1 : i, dim = x->head.problem->dim;

        multiply(x, row[i], x->head.q + index[i] * dim, row[other],
                 x->head.q + index[other] * dim);
    }
}

attest_judge_reason attest_judge_head_bound_block(double *result,
                                                  attest_judge_head_bound *bound,
                                                  const size_t *rows, size_t count)
{
    attest_judge_head_bound *x = bound;
    const attest_judge_problem *problem = x->head.problem;
    attest_judge_work *row[ATTEST_JUDGE_BLOCK];
    double *to[ATTEST_JUDGE_BLOCK];
    size_t index[ATTEST_JUDGE_BLOCK], seeing = 0;
    attest_judge_reason reason = ATTEST_JUDGE_BOUNDED;

    for (size_t i = 0; i < count; i++) {
        row[seeing] = &x->work[seeing];
        index[seeing] = rows[i];
        to[seeing] = result + i * 4 * problem->value_dim;
        if (begin_row(x, rows[i], row[seeing], x->bias[seeing]))
            seeing++;
        else
            set_empty(to[seeing], problem);
    }
    multiply_rows(x, row, index, seeing);
    for (size_t r = 0; r < x->rules; r++) {
        attest_judge_reason why;

        bound_variant(x, r, row, seeing);
        why = finish_variant(to, x, r, row, seeing);
        reason = reason ? reason : why;
    }
    return reason;
}

attest_judge_reason attest_judge_head_bound_rows(double *result, attest_judge_head_bound *bound,
                                                 size_t first, size_t count)
{
    size_t row[ATTEST_JUDGE_BLOCK];

    for (size_t i = 0; i < count; i++)
        row[i] = first + i;
    return attest_judge_head_bound_block(result, bound, row, count);
}

/* ---- how much each stage contributes to the bound of an element ---- */

/* The element whose row is visited, and its terms. */
typedef struct visit {
    attest_judge_terms *terms;
    size_t column;
} visit;

const char *attest_judge_stage_name(attest_judge_stage term)
{
    static const char *const text[ATTEST_JUDGE_STAGES] = {
        "scores", "scaling", "weights", "casts", "product", "row_sum", "division", "output"};

    return text[term];
}

/* The error of a score before it is scaled, in units of scaled scores. */
static double score_part(const attest_judge_work *x, const attest_judge_rule *rule, size_t j)
{
    double size[JUDGE_LOOPS_PAD] = {x->size[j]}, most[JUDGE_LOOPS_PAD], e[JUDGE_LOOPS_PAD];
    const attest_judge_dot *dot = &rule->variant->score;
    double blocks = dot->block ? ceil((double)x->dim / (double)dot->block) : 0;
    attest_judge_sum_error sum;

    attest_judge_sum_error_init(&sum, dot, &rule->score, (double)x->dim, blocks, x->raised, 0);
    for (size_t i = 0; i < JUDGE_LOOPS_PAD; i++) {
        size[i] = size[0];
        most[i] = (size[0] + fabs(x->s[j])) / 2;
    }
    attest_judge_loops()->sum_errors(e, size, most, &sum, JUDGE_LOOPS_PAD);
    return fmin(e[0] * rule->scale, x->delta[j]);
}

/* (1) to (4): the contributions of the keys to sum w (v - center), over the sum of the weights.
 * */
static void add_key_parts(double part[ATTEST_JUDGE_STAGES], const attest_judge_work *x,
                          const attest_judge_rule *rule, size_t column)
{
    bool summed = x->known && rule->variant->sum_of == ATTEST_JUDGE_SUM_CAST && rule->after;
    double moved = 0, center = x->center[column];

    for (size_t j = 0; j < x->count; j++) {
        double v = x->v[j * x->stride + column], w = x->w[j] / x->sum * fabs(v - center), score;

        if (!(x->high[j] > 0))
            continue;
        score = score_part(x, rule, j);
        part[ATTEST_JUDGE_STAGE_SCORES] += w * score;
        part[ATTEST_JUDGE_STAGE_SCALING] += w * (x->delta[j] - score);
        part[ATTEST_JUDGE_STAGE_WEIGHTS] += w * fmax(x->g[j] - x->delta[j], 0);
        part[ATTEST_JUDGE_STAGE_CASTS] +=
            (x->known ? x->spread[j] : x->cast[j]) / x->sum * fabs(v);
        moved += x->known ? x->offset[j] / x->sum * (summed ? v - center : v) : 0;
    }
    part[ATTEST_JUDGE_STAGE_CASTS] += fabs(moved);
}

static void set_terms(void *context, const attest_judge_work *work,
                      const attest_judge_rule *rule)
{
    const visit *to = context;
    double part[ATTEST_JUDGE_STAGES] = {0}, center = fabs(work->center[to->column]);
    double all = 0, before = 0;

    if (work->unbounded)
        return;
    add_key_parts(part, work, rule, to->column);
    part[ATTEST_JUDGE_STAGE_PRODUCT] = work->product[to->column] / work->sum;
    part[ATTEST_JUDGE_STAGE_ROW_SUM] =
        center * fmax(1 / work->ratio_low - 1, 1 - 1 / work->ratio_high);
    part[ATTEST_JUDGE_STAGE_DIVISION] =
        center * ((rule->after || rule->quotients > 1 ? rule->final
                   : rule->pv.u < rule->work.u        ? rule->work.u
                                                      : 0) +
                  (rule->descaled ? rule->work.u : 0)) +
        rule->tiny;
    for (int i = 0; i < ATTEST_JUDGE_STAGE_OUTPUT; i++)
        part[i] *= rule->value_factor;
    center *= rule->value_factor;
    part[ATTEST_JUDGE_STAGE_OUTPUT] = fmax(center * rule->output.u, rule->output.quantum / 2) *
                                      (1 + rule->variant->output_any);
    for (int i = 0; i < ATTEST_JUDGE_STAGES; i++) {
        all += part[i];
        before += to->terms->part[i];
    }
    for (int i = 0; i < ATTEST_JUDGE_STAGES && (!to->terms->set || all > before); i++)
        to->terms->part[i] = part[i];
    to->terms->set = true;
}

static attest_status visit_row(visit *to, const size_t at[4],
                               const attest_judge_problem *problem, attest_judge_rule *rule,
                               size_t rules, attest_error *error)
{
    double *row ATTEST_FREED = attest_memory_alloc(problem->value_dim, 4 * sizeof *row);
    attest_judge_head_bound bound ATTEST_CLEARED_BY(attest_judge_head_bound_clear) = {0};

    if (!row)
        return attest_memory_fail(error);
    ATTEST_TRY(attest_judge_head_bound_init(&bound, problem, rule, rules, error));
    bound.visit = set_terms;
    bound.context = to;
    ATTEST_TRY(attest_judge_head_bound_load(&bound, at[0], at[1], error));
    attest_judge_head_bound_rows(row, &bound, at[2], 1);
    return ATTEST_OK;
}

static attest_status find_terms(visit *to, const size_t at[4], const attest_qkv *qkv,
                                const attest_judge_model *model, attest_error *error)
{
    attest_judge_rule *rule ATTEST_FREED = NULL;
    attest_judge_problem problem ATTEST_CLEARED_BY(attest_judge_problem_clear) = {0};
    size_t rules;

    ATTEST_TRY(attest_judge_problem_init(&problem, qkv, error));
    ATTEST_TRY(attest_judge_rules_alloc(&rule, &rules, &problem, model, error));
    return visit_row(to, at, &problem, rule, rules, error);
}

/* The same for the inputs before quantisation. */
static attest_status find_plain_terms(visit *to, const size_t at[4], const attest_qkv *qkv,
                                      const attest_judge_model *model, attest_error *error)
{
    attest_judge_quantised quantised;
    attest_status status;

    if (!attest_judge_model_quantises(model))
        return find_terms(to, at, qkv, model, error);
    ATTEST_TRY(attest_judge_quantised_init(&quantised, qkv, model, error));
    status = find_terms(to, at, &quantised.qkv, model, error);
    attest_judge_quantised_clear(&quantised);
    return status;
}

attest_status attest_judge_terms_find(attest_judge_terms *terms, const size_t at[4],
                                      const attest_qkv *qkv, const attest_judge_model *model,
                                      attest_error *error)
{
    const size_t in_entry[4] = {0, at[1], at[2], at[3]};
    attest_judge_rows rows ATTEST_CLEARED_BY(attest_judge_rows_clear) = {.batch = 0};
    const attest_judge_options options = {.jobs = 1};
    visit to = {terms, at[3]};
    attest_qkv entry;

    *terms = (attest_judge_terms){0};
    if (!attest_judge_qkv_is_unequal(qkv))
        return find_plain_terms(&to, at, qkv, model, error);
    ATTEST_TRY(attest_judge_rows_init(&rows, qkv, &options, error));
    return attest_judge_rows_get_entry(&entry, qkv, &rows, at[0]) == 0
               ? ATTEST_OK
               : find_plain_terms(&to, in_entry, &entry, model, error);
}
