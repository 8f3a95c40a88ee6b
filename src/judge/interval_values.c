/* interval_values.c -- the product with V on the lower and the upper ends of the weights. */
#include "judge/interval_steps.h"

typedef attest_judge_interval range;

/* Lemma 4: the sign of a value chooses the end of its weight. */
static void take_terms(attest_judge_interval_run *r, const double *v,
                       const attest_judge_tile *tile, size_t first)
{
    size_t values = r->x.problem->value_dim;

    for (size_t j = tile->first; j < tile->last; j++) {
        bool negative = v[(j - tile->first) * values] < 0;

        r->term[LOWER][j - tile->first] = r->weight[negative ? UPPER : LOWER][j - first];
        r->term[UPPER][j - tile->first] = r->weight[negative ? LOWER : UPPER][j - first];
    }
}

/* o += the sum of a group, each end by its own addition; the first one is added to 0, and may
 * be flushed. */
static void promote(range *o, bool *started, range sum, const attest_judge_accumulator side[2])
{
    range from = *started ? *o : (range){0, 0};

    *o = (range){attest_judge_accumulator_add(from.lo, sum.lo, &side[LOWER]),
                 attest_judge_accumulator_add(from.hi, sum.hi, &side[UPPER])};
    *started = true;
}

/* The same for all columns, whose groups begin anew. */
void attest_judge_interval_promote(attest_judge_interval_run *r, bool *started)
{
    bool again = *started;

    for (size_t c = 0; c < r->x.problem->value_dim; c++) {
        range o = {r->o[LOWER][c], r->o[UPPER][c]};

        *started = again;
        promote(&o, started, (range){r->group[LOWER][c], r->group[UPPER][c]}, r->pv);
        r->o[LOWER][c] = o.lo;
        r->o[UPPER][c] = o.hi;
        r->group[LOWER][c] = r->group[UPPER][c] = 0;
    }
}

static bool add_blocks(range *o, bool started, const attest_judge_block all[2], size_t lead,
                       const attest_judge_accumulator side[2])
{
    const attest_judge_accumulator *s = &side[LOWER];
    size_t blocks = attest_judge_block_count(&all[LOWER], lead, s->block);
    range sum = s->promote > 0 ? (range){0, 0} : *o;

    for (size_t i = 0; i < blocks; i++) {
        size_t n = s->order == ATTEST_RECIPE_BLOCKS_BACKWARD ? blocks - 1 - i : i;
        attest_judge_block lower = attest_judge_block_get(&all[LOWER], lead, n, s->block);
        attest_judge_block upper = attest_judge_block_get(&all[UPPER], lead, n, s->block);

        if (attest_judge_accumulator_promotes(s, lead, i, n) && i > 0) {
            promote(o, &started, sum, side);
            sum = (range){0, 0};
        }
        if (!attest_judge_interval_block(&sum.lo, &sum.hi, &lower, &upper, &s->unit))
            return false;
    }
    if (s->promote > 0)
        promote(o, &started, sum, side);
    else
        *o = sum;
    return true;
}

/* o += the terms of one column. */
static bool add_column(range *o, attest_judge_interval_run *r, const double *v,
                       const attest_judge_tile *tile, bool started)
{
    size_t values = r->x.problem->value_dim, count = tile->last - tile->first;
    attest_judge_running lower = {started, o->lo}, upper = {started, o->hi};
    attest_judge_block all[2];

    for (int e = LOWER; e <= UPPER; e++)
        all[e] = (attest_judge_block){r->term[e], v, values, count};
    if (r->x.pv.order >= ATTEST_RECIPE_BLOCKS)
        return add_blocks(o, started, all, tile->first - tile->start, r->pv);
    attest_judge_accumulator_add_products(&lower, &all[LOWER], 0, 0, &r->pv[LOWER]);
    attest_judge_accumulator_add_products(&upper, &all[UPPER], 0, 0, &r->pv[UPPER]);
    *o = (range){lower.value, upper.value};
    return true;
}

/* add_blocks for all columns at once. */
static bool add_block_columns(double *const o[2], attest_judge_interval_run *r, const double *v,
                              const attest_judge_tile *tile, size_t first, bool started)
{
    const attest_judge_accumulator *s = &r->pv[LOWER];
    size_t values = r->x.problem->value_dim, place = tile->first - first;
    size_t lead = tile->first - tile->start;
    attest_judge_block all = {r->weight[LOWER] + place, v, values, tile->last - tile->first};
    size_t blocks = attest_judge_block_count(&all, lead, s->block);
    double *const *sum = s->promote > 0 ? r->group : o;
    bool ok = true;

    for (int e = LOWER; e <= UPPER; e++)
        for (size_t c = 0; (s->promote > 0 || !started) && c < values; c++)
            sum[e][c] = 0;
    for (size_t i = 0; i < blocks; i++) {
        size_t n = s->order == ATTEST_RECIPE_BLOCKS_BACKWARD ? blocks - 1 - i : i;
        attest_judge_block one = attest_judge_block_get(&all, lead, n, s->block);

        if (attest_judge_accumulator_promotes(s, lead, i, n) && i > 0)
            attest_judge_interval_promote(r, &started);
        ok = attest_judge_interval_columns(sum[LOWER], sum[UPPER], one.a,
                                           r->weight[UPPER] + (one.a - r->weight[LOWER]), &one,
                                           values, &s->unit) &&
             ok;
    }
    if (s->promote > 0)
        attest_judge_interval_promote(r, &started);
    return ok;
}

/* o += the terms of all columns at once. */
static bool add_columns(double *const o[2], attest_judge_interval_run *r, const double *v,
                        const attest_judge_tile *tile, size_t first, bool started)
{
    size_t values = r->x.problem->value_dim, place = tile->first - first;
    bool blocks = r->x.pv.order >= ATTEST_RECIPE_BLOCKS;
    bool ok = !blocks || add_block_columns(o, r, v, tile, first, started);

    for (int e = LOWER; e <= UPPER; e++) {
        attest_judge_columns all = {r->weight[e] + place,
                                    r->weight[e == LOWER ? UPPER : LOWER] + place,
                                    v,
                                    tile->last - tile->first,
                                    values,
                                    values,
                                    started,
                                    0};

        if (!blocks)
            attest_judge_accumulator_add_columns(o[e], &all, &r->pv[e]);
        for (size_t c = 0; c < values; c++)
            ok = isfinite(o[e][c]) && ok;
    }
    return ok;
}

bool attest_judge_interval_values(double *const o[2], attest_judge_interval_run *r,
                                  const attest_judge_head *head, size_t first,
                                  const attest_judge_tile *tile, bool started)
{
    size_t values = r->x.problem->value_dim;
    bool ok = true;

    if (attest_judge_accumulator_is_simple(&r->x.pv))
        return add_columns(o, r, head->v + tile->first * values, tile, first, started);
    for (size_t c = 0; c < values; c++) {
        const double *v = head->v + tile->first * values + c;
        range sum = {started ? o[LOWER][c] : 0, started ? o[UPPER][c] : 0};

        take_terms(r, v, tile, first);
        ok = add_column(&sum, r, v, tile, started) && ok;
        ok = isfinite(sum.lo) && isfinite(sum.hi) && ok;
        o[LOWER][c] = sum.lo;
        o[UPPER][c] = sum.hi;
    }
    return ok;
}
