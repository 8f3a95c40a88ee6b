/* bounded_hardmax.c -- who wins a score, where rounding leaves no doubt.
 *
 * The kernels decide hardmax for the doubles that they are given. Projections are rounded, so
 * here a winner must lead by more than rounding them can change as well: (3) and (7) of
 * proofs-notes/filter.md. */
#include <math.h>
#include <string.h>

#include "base/term.h"
#include "certify/bounded_lanes.h"
#include "certify/bounded_layer.h"

static bool same_token(const attest_bounded_task *task, size_t i, size_t j)
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

/* A query in search of its winner. */
typedef struct contest {
    const attest_bounded_part *part;
    const double *query, *keys;
    size_t seen;
    double margin;
} contest;

/* The first of the largest computed scores. False when a score is not finite. */
static bool find_best(double *best, size_t *winner, const contest *c)
{
    size_t size = c->part->head->q.rows;
    double score[ATTEST_BOUNDED_LANES];

    *best = -INFINITY;
    *winner = 0;
    for (size_t first = 0; first < c->seen; first += ATTEST_BOUNDED_LANES) {
        size_t lanes =
            c->seen - first < ATTEST_BOUNDED_LANES ? c->seen - first : ATTEST_BOUNDED_LANES;
        attest_bounded_dots(score, c->query, c->keys + first * size, size);
        for (size_t lane = 0; lane < lanes; lane++) {
            if (!isfinite(score[lane])) /* an overflow says nothing, -infinity included */
                return false;
            if (score[lane] > *best) {
                *best = score[lane];
                *winner = first + lane;
            }
        }
    }
    return true;
}

/* Whether all keys in sight but those of the same token as the winner score below best by more
 * than the margin; then *winner is the first position of that token that does not. */
static bool is_clear(size_t *winner, const contest *c, double best)
{
    size_t size = c->part->head->q.rows, first_close = *winner;
    double score[ATTEST_BOUNDED_LANES], line = best - c->margin;

    for (size_t first = 0; first < c->seen; first += ATTEST_BOUNDED_LANES) {
        size_t lanes =
            c->seen - first < ATTEST_BOUNDED_LANES ? c->seen - first : ATTEST_BOUNDED_LANES;
        attest_bounded_dots(score, c->query, c->keys + first * size, size);
        for (size_t lane = 0; lane < lanes; lane++) {
            size_t j = first + lane;
            if (score[lane] < line)
                continue;
            if (!same_token(c->part->task, j, *winner))
                return false;
            first_close = j < first_close ? j : first_close;
        }
    }
    *winner = first_close;
    return true;
}

void attest_bounded_hardmax(double *out, double *error, const attest_bounded_part *part,
                            const double *query, const double *key, const double *value,
                            double *keys)
{
    const attest_bounded_task *task = part->task;
    const attest_bounded_head *head = part->head;
    size_t size = head->q.rows;
    bool causal = task->layer->mask == ATTEST_MASK_CAUSAL;
    /* (7) a computed score's own error, relative to the product of the norms. */
    double rounding = ATTEST_TERM(hardmax_scores, ((double)size + 2) * 0x1p-53) * head->q.norm *
                      head->k.norm * part->most;

    attest_bounded_pack(keys, key, size, part->length);
    for (size_t k = 0; k < part->length; k++) {
        double sigma = (part->score + rounding) * part->norm[k], best;
        contest c = {part, query + k * size, keys, causal ? k + 1 : part->length,
                     ATTEST_TERM(hardmax_margin, 2 * sigma) * (1 + 0x1p-16) + 0x1p-1000};
        size_t winner;
        bool clear = find_best(&best, &winner, &c) && is_clear(&winner, &c, best);
        error[k] = clear ? 0 : INFINITY;
        if (task->winner)
            task->winner[part->which * part->length + k] = (uint32_t)winner;
        memcpy(out + k * size, value + winner * size, size * sizeof *out);
    }
}
