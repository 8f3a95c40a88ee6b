/* double_layer.c -- attention in doubles, with a bound on every rounding:
 * proofs-notes/filter.md.
 *
 * U, X, B, p, eta, rho, V, Y and the numbers (1) to (7) are those of the note. SLACK covers the
 * terms of second order and the roundings of the bounds themselves, ABSOLUTE what underflows.
 */
#include "certify/double_layer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <attest/kernel.h>

#include "base/memory.h"
#include "base/scope.h"
#include "base/term.h"

#define U 0x1p-53
#define SLACK (1 + 0x1p-16)
#define ABSOLUTE 0x1p-1000
#define LEAST_NORM 0x1p-480

/* The kernels get blocks of tasks with about this many rows. */
enum { BLOCK_ROWS = 512 };

double attest_double_layer_bound_norm(const double *x, size_t count)
{
    double sum[2] = {0, 0};

    for (size_t c = 0; c + 1 < count; c += 2) {
        sum[0] += x[c] * x[c];
        sum[1] += x[c + 1] * x[c + 1];
    }
    if (count % 2)
        sum[0] += x[count - 1] * x[count - 1];
    return sqrt(sum[0] + sum[1]) * (1 + ATTEST_TERM(layer_norm_sums, 0x1p-20)) +
           ATTEST_TERM(layer_norm_least, LEAST_NORM);
}

void attest_double_layer_set_matrix(attest_double_matrix *matrix, const double *entry,
                                    size_t rows, size_t cols)
{
    *matrix = (attest_double_matrix){rows, cols, entry,
                                     attest_double_layer_bound_norm(entry, rows * cols)};
}

void attest_double_layer_clear_scratch(attest_double_scratch *scratch)
{
    free(scratch->memory);
    *scratch = (attest_double_scratch){0};
}

void attest_double_layer_pack(double *packed, const double *row, size_t size, size_t rows)
{
    for (size_t first = 0; first < rows; first += ATTEST_DOUBLE_LANES) {
        for (size_t lane = 0; lane < ATTEST_DOUBLE_LANES; lane++)
            for (size_t c = 0; c < size; c++)
                packed[first * size + c * ATTEST_DOUBLE_LANES + lane] =
                    first + lane < rows ? row[(first + lane) * size + c] : 0;
    }
}

/* dot[lane] = x . (row lane of a packed block): size products and additions, from the first. */
static inline void dots(double dot[ATTEST_DOUBLE_LANES], const double *x, const double *packed,
                        size_t size)
{
    double sum[ATTEST_DOUBLE_LANES];

    for (int lane = 0; lane < ATTEST_DOUBLE_LANES; lane++)
        sum[lane] = x[0] * packed[lane];
    for (size_t c = 1; c < size; c++) /* unrolled, so that the sums stay in registers */
        _Pragma("GCC unroll 8") for (int lane = 0; lane < ATTEST_DOUBLE_LANES; lane++)
            sum[lane] += x[c] * packed[c * ATTEST_DOUBLE_LANES + lane];
    for (int lane = 0; lane < ATTEST_DOUBLE_LANES; lane++)
        dot[lane] = sum[lane];
}

/* y_i = W x_i for the rows of packed. (2): cols products and additions per entry. */
static void project(double *y, const attest_double_matrix *w, const double *packed,
                    size_t length)
{
    double dot[ATTEST_DOUBLE_LANES];

    for (size_t first = 0; first < length; first += ATTEST_DOUBLE_LANES) {
        size_t lanes =
            length - first < ATTEST_DOUBLE_LANES ? length - first : ATTEST_DOUBLE_LANES;
        for (size_t r = 0; r < w->rows; r++) {
            dots(dot, w->entry + r * w->cols, packed + first * w->cols, w->cols);
            for (size_t lane = 0; lane < lanes; lane++)
                y[(first + lane) * w->rows + r] = dot[lane];
        }
    }
}

double attest_double_layer_projection_error(size_t cols, double weights, double tokens)
{
    return (ATTEST_TERM(layer_projection_sums, ((double)cols + 2) * U) +
            ATTEST_TERM(layer_projection_weights, weights) +
            ATTEST_TERM(layer_projection_tokens, tokens)) *
           SLACK;
}

/* The blocks of a scratch memory, for rows rows of size entries. */
typedef struct blocks {
    double *q, *k, *v, *o; /* rows * size */
    double *error, *norm;  /* rows */
    double *packed;        /* rows side by side: max(size, dim) * padded length */
    double *y;             /* length * dim */
} blocks;

static size_t padded(size_t length)
{
    return length + (ATTEST_DOUBLE_LANES - 1 - (length - 1) % ATTEST_DOUBLE_LANES);
}

static attest_status get_blocks(blocks *b, attest_double_scratch *scratch, size_t rows,
                                size_t size, size_t dim, size_t length, attest_error *error)
{
    size_t need, wide = size > dim ? size : dim;

    /* In doubles first: no product below can overflow then. */
    if ((double)(rows + padded(length)) * (5 * (double)wide + 3) > 0x1p56)
        return attest_memory_fail(error);
    need = rows * (4 * size + 2) + wide * padded(length) + dim * length;
    if (need > scratch->room) {
        double *grown = attest_memory_resize(scratch->memory, need, sizeof *grown);
        if (!grown)
            return attest_memory_fail(error);
        scratch->memory = grown;
        scratch->room = need;
    }
    b->q = scratch->memory;
    b->k = b->q + rows * size;
    b->v = b->k + rows * size;
    b->o = b->v + rows * size;
    b->error = b->o + rows * size;
    b->norm = b->error + rows;
    b->packed = b->norm + rows;
    b->y = b->packed + wide * padded(length);
    return ATTEST_OK;
}

static void run_kernel(const blocks *b, const attest_double_layer *layer, size_t batch,
                       size_t length, size_t size)
{
    if (layer->mask == ATTEST_MASK_CAUSAL)
        attest_kernel_softmax_attention_causal(b->o, b->q, b->k, b->v, batch, length, size,
                                               b->error);
    else
        attest_kernel_softmax_attention(b->o, b->q, b->k, b->v, batch, length, size, b->error);
}

/* One head in one sequence. */
typedef struct head_part {
    const attest_double_task *task;
    const attest_double_head *head;
    size_t length, which; /* head number */
    const double *norm;   /* of the tokens: at least |x_j| + 2^-481 */
    double most;          /* the largest of them */
    double projection;    /* relative error of a projection: |y' - y| <= projection B X */
    double score; /* times norm[k]: what inexact projections add to a score of query k */
} head_part;

/* The values of one head for one sequence. */
static head_part get_part(const attest_double_task *task, size_t h, size_t length,
                          const double *norm)
{
    const attest_double_head *head = &task->layer->head[h];
    head_part part = {task, head, length, h, norm, 0, 0, 0};
    double sum = 0;

    for (size_t j = 0; j < length; j++) {
        part.most = norm[j] > part.most ? norm[j] : part.most;
        sum += norm[j];
    }
    if (!(sum < INFINITY)) /* comparisons ignore a NaN, a sum does not */
        part.most = INFINITY;
    part.projection =
        attest_double_layer_projection_error(head->q.cols, task->layer->error, task->error);
    /* (3) */
    part.score = ATTEST_TERM(layer_scores, 2 * part.projection) * head->q.norm * head->k.norm *
                 part.most * SLACK;
    return part;
}

/* Adds W_O o to the centres, and its error bound to the radii, which lack the factor SLACK
 * until finish_task. */
static void add_output(const head_part *part, const double *o, const double *error,
                       const blocks *b)
{
    const attest_double_task *task = part->task;
    const attest_double_matrix *w = &part->head->o;
    bool softmax = task->layer->activation == ATTEST_SOFTMAX;
    double v = part->head->v.norm * part->most;
    double last = attest_double_layer_projection_error(w->cols, task->layer->error, 0);
    double additions = (double)task->layer->heads * U;

    attest_double_layer_pack(b->packed, o, w->cols, part->length);
    project(b->y, w, b->packed, part->length);
    for (size_t e = 0; e < part->length * w->rows; e++)
        task->centre[e] += b->y[e];
    for (size_t k = 0; k < part->length; k++) {
        double eta = softmax ? part->score * part->norm[k] : 0;
        double rho = error[k] + v * (eta + ATTEST_TERM(layer_values, part->projection)) * SLACK;
        double y = w->norm * (v + rho); /* at least |W_O o| */
        /* (5) the product; (6) this summand's share in the errors of the additions. */
        task->radius[k] += ATTEST_TERM(layer_output, last * y) +
                           ATTEST_TERM(layer_average, w->norm * rho) +
                           ATTEST_TERM(layer_heads, additions * y);
    }
}

/* Norms of the tokens; the sums begin with the skip connection, or with 0. */
static void begin_task(double *norm, const attest_double_task *task, size_t length)
{
    const attest_double_layer *layer = task->layer;
    size_t dim = layer->dim;

    for (size_t k = 0; k < length; k++) {
        norm[k] = attest_double_layer_bound_norm(task->token + k * dim, dim);
        task->radius[k] =
            layer->skip ? norm[k] * (ATTEST_TERM(layer_skip_tokens, task->error) +
                                     ATTEST_TERM(layer_skip_heads, (double)layer->heads * U))
                        : 0;
    }
    for (size_t e = 0; e < length * dim; e++) {
        bool added = layer->skip && (!layer->output_dim || e % dim < layer->output_dim);

        task->centre[e] = added ? task->token[e + layer->skip_from] : 0;
    }
}

static bool too_large(const attest_double_layer *layer)
{
    bool large = layer->heads > ATTEST_DOUBLE_SIZE_MAX;

    for (size_t h = 0; h < layer->heads; h++)
        large = large || layer->head[h].q.rows > ATTEST_DOUBLE_SIZE_MAX / layer->dim;
    return large;
}

/* Multiplies the radii by SLACK; outputs that are not finite get an infinite radius. */
static void finish_task(const attest_double_task *task, size_t length)
{
    size_t dim = task->layer->dim;
    bool bounded = !too_large(task->layer);

    for (size_t k = 0; k < length; k++) {
        bool finite = bounded;
        for (size_t c = 0; c < dim; c++)
            finite = finite && isfinite(task->centre[k * dim + c]);
        task->radius[k] = task->radius[k] * SLACK + ATTEST_TERM(layer_underflow, ABSOLUTE);
        if (!finite || !(task->radius[k] < INFINITY))
            task->radius[k] = INFINITY;
    }
}

/* Hardmax. The kernels decide it for the doubles that they are given. Projections are rounded,
 * so here a winner must lead by more than the rounding can change as well: (3) and (7) of the
 * note. */
static bool same_token(const attest_double_task *task, size_t i, size_t j)
{
    const double *x = task->token + i * task->layer->dim,
                 *y = task->token + j * task->layer->dim;

    if (task->name)
        return task->name[i] == task->name[j];
    for (size_t c = 0; c < task->layer->dim; c++)
        if (x[c] != y[c])
            return false;
    return true;
}

/* One query, the keys that it sees, and by how much a winner must lead. */
typedef struct contest {
    const head_part *part;
    const double *query, *keys;
    size_t seen;
    double margin;
} contest;

/* The first of the largest computed scores. False when a score is not finite. */
static bool find_best(double *best, size_t *winner, const contest *c)
{
    size_t size = c->part->head->q.rows;
    double score[ATTEST_DOUBLE_LANES];

    *best = -INFINITY;
    *winner = 0;
    for (size_t first = 0; first < c->seen; first += ATTEST_DOUBLE_LANES) {
        size_t lanes =
            c->seen - first < ATTEST_DOUBLE_LANES ? c->seen - first : ATTEST_DOUBLE_LANES;
        dots(score, c->query, c->keys + first * size, size);
        for (size_t lane = 0; lane < lanes; lane++) {
            if (!isfinite(
                    score[lane])) /* after an overflow, also to -infinity, nothing is known */
                return false;
            if (score[lane] > *best) {
                *best = score[lane];
                *winner = first + lane;
            }
        }
    }
    return true;
}

/* True if all visible keys of other tokens than the winner's score below best by more than
 * the margin. Then the winner is the first position of its token: the scores of equal tokens
 * are computed by the same operations, and are equal. */
static bool is_clear(const contest *c, size_t winner, double best)
{
    size_t size = c->part->head->q.rows;
    double score[ATTEST_DOUBLE_LANES], line = best - c->margin;

    for (size_t first = 0; first < c->seen; first += ATTEST_DOUBLE_LANES) {
        size_t lanes =
            c->seen - first < ATTEST_DOUBLE_LANES ? c->seen - first : ATTEST_DOUBLE_LANES;
        dots(score, c->query, c->keys + first * size, size);
        for (size_t lane = 0; lane < lanes; lane++)
            if (!(score[lane] < line) && !same_token(c->part->task, first + lane, winner))
                return false;
    }
    return true;
}

/* Hardmax: out row k = the value row of the winner of query k, error[k] = 0, or +infinity if
 * rounding leaves the winner open. keys is scratch of size * (length rounded up to a
 * multiple of ATTEST_DOUBLE_LANES) doubles. */
static void attend_hardmax(double *out, double *error, const head_part *part,
                           const double *query, const double *key, const double *value,
                           double *keys)
{
    const attest_double_task *task = part->task;
    const attest_double_head *head = part->head;
    size_t size = head->q.rows;
    bool causal = task->layer->mask == ATTEST_MASK_CAUSAL;
    /* (7) a computed score's own error, relative to the product of the norms. */
    double rounding = ATTEST_TERM(hardmax_scores, ((double)size + 2) * 0x1p-53) * head->q.norm *
                      head->k.norm * part->most;

    attest_double_layer_pack(keys, key, size, part->length);
    for (size_t k = 0; k < part->length; k++) {
        double sigma = (part->score + rounding) * part->norm[k], best;
        contest c = {part, query + k * size, keys, causal ? k + 1 : part->length,
                     ATTEST_TERM(hardmax_margin, 2 * sigma) * (1 + 0x1p-16) + 0x1p-1000};
        size_t winner;
        bool clear = find_best(&best, &winner, &c) && is_clear(&c, winner, best);
        error[k] = clear ? 0 : INFINITY;
        if (task->winner)
            task->winner[part->which * part->length + k] = (uint32_t)winner;
        memcpy(out + k * size, value + winner * size, size * sizeof *out);
    }
}

/* One head of all tasks of a block. */
static void attend_head(const attest_double_task *task, size_t count, size_t length, size_t h,
                        const blocks *b)
{
    size_t size = task->layer->head[h].q.rows, step = length * size;
    bool softmax = task->layer->activation == ATTEST_SOFTMAX;

    for (size_t t = 0; t < count; t++) {
        const attest_double_head *head = &task[t].layer->head[h];
        attest_double_layer_pack(b->packed, task[t].token, task->layer->dim, length);
        project(b->q + t * step, &head->q, b->packed, length);
        project(b->k + t * step, &head->k, b->packed, length);
        project(b->v + t * step, &head->v, b->packed, length);
    }
    if (softmax)
        run_kernel(b, task->layer, count, length, size);
    for (size_t t = 0; t < count; t++) {
        head_part part = get_part(&task[t], h, length, b->norm + t * length);
        if (!softmax)
            attend_hardmax(b->o + t * step, b->error + t * length, &part, b->q + t * step,
                           b->k + t * step, b->v + t * step, b->packed);
        add_output(&part, b->o + t * step, b->error + t * length, b);
    }
}

attest_status attest_double_layer_attend(const attest_double_task *task, size_t count,
                                         size_t length, attest_double_scratch *scratch,
                                         attest_error *error)
{
    const attest_double_layer *layer = task->layer;
    size_t block = length < BLOCK_ROWS ? BLOCK_ROWS / length : 1, size = 1;
    blocks b = {0};

    for (size_t h = 0; h < layer->heads; h++)
        size = layer->head[h].q.rows > size ? layer->head[h].q.rows : size;
    block = count < block ? count : block;
    ATTEST_TRY(get_blocks(&b, scratch, block * length, size, layer->dim, length, error));
    for (size_t t = 0; t < count; t += block) {
        size_t now = count - t < block ? count - t : block;
        for (size_t i = 0; i < now; i++)
            begin_task(b.norm + i * length, &task[t + i], length);
        for (size_t h = 0; h < layer->heads; h++)
            attend_head(task + t, now, length, h, &b);
        for (size_t i = 0; i < now; i++)
            finish_task(&task[t + i], length);
    }
    return ATTEST_OK;
}
