/* interval_products.c -- the product with V on the lower and the upper ends of the weights. */
#include "judge/interval_run.h"

#include "judge/matrix_unit.h"

typedef attest_judge_interval interval;

/* ---- a block of a matrix unit whose terms lie between two ends ---- */

enum { MOST_TERMS = ATTEST_JUDGE_UNIT_MOST_TERMS, NOTHING = ATTEST_JUDGE_UNIT_NOTHING };

/* The terms of both ends, the addends last. */
typedef struct ends {
    attest_judge_term lower[MOST_TERMS + 1], upper[MOST_TERMS + 1];
    size_t count;
    int least, most; /* bounds on the largest exponent */
} ends;

static void widen(ends *x, int one, int other)
{
    int least = one < other ? one : other, most = one < other ? other : one;

    x->least = least > x->least ? least : x->least;
    x->most = most > x->most ? most : x->most;
}

static void split(ends *x, double lo, double hi, const attest_judge_block *lower,
                  const attest_judge_block *upper, const attest_judge_unit *unit)
{
    attest_judge_term *c = &x->lower[lower->count], *d = &x->upper[lower->count];

    x->least = x->most = NOTHING;
    x->count = lower->count + 1;
    *c = attest_judge_term_split_addend(lo, unit);
    *d = attest_judge_term_split_addend(hi, unit);
    widen(x, c->exponent, d->exponent);
    if (lo <= 0 && hi >= 0)
        x->least = NOTHING;
    for (size_t i = 0; i < lower->count; i++) {
        attest_judge_term b =
            attest_judge_term_split(lower->b[i * lower->stride], unit->b_bits, unit->b_emin);

        c = &x->lower[i];
        d = &x->upper[i];
        *c = attest_judge_term_multiply(
            attest_judge_term_split(lower->a[i], unit->a_bits, unit->a_emin), b);
        *d = lower->a[i] == upper->a[i]
                 ? *c
                 : attest_judge_term_multiply(
                       attest_judge_term_split(upper->a[i], unit->a_bits, unit->a_emin), b);
        widen(x, c->exponent, d->exponent);
    }
}

/* Returns the result of the unit for these terms if E were exponent and `moved` units were
 * added to the exact sum before it is rounded. */
static double sum_at(const attest_judge_term *term, size_t count, int exponent, long moved,
                     const attest_judge_unit *unit)
{
    int quantum = exponent - unit->fraction;
    int64_t sum = moved;

    for (size_t i = 0; i < count; i++)
        sum += attest_judge_term_align(&term[i], quantum);
    return attest_judge_unit_round(sum, quantum, unit);
}

bool attest_judge_interval_block(double *lo, double *hi, const attest_judge_block *lower,
                                 const attest_judge_block *upper, const attest_judge_unit *unit)
{
    ends x;
    long terms = (long)lower->count + 1;
    int from;

    split(&x, *lo, *hi, lower, upper, unit);
    if (x.most == NOTHING) {
        *lo = *hi = 0;
        return true;
    }
    from = x.most - ATTEST_JUDGE_UNIT_SPREAD;
    from = x.least < from ? from : x.least;
    /* E below from: every term is cut by less than a unit of from more or less. */
    *lo = sum_at(x.lower, x.count, from, x.least < from ? -terms : 0, unit);
    *hi = sum_at(x.upper, x.count, from, x.least < from ? terms : 0, unit);
    for (int e = from + 1; e <= x.most; e++) {
        *lo = fmin(*lo, sum_at(x.lower, x.count, e, 0, unit));
        *hi = fmax(*hi, sum_at(x.upper, x.count, e, 0, unit));
    }
    return isfinite(*lo) && isfinite(*hi);
}

/* Adds one column whose largest exponent is not known; the sign of a value chooses the end. */
static bool add_open_column(double *lo, double *hi, const double *low, const double *high,
                            const attest_judge_block *b, const attest_judge_unit *unit)
{
    double lower[MOST_TERMS], upper[MOST_TERMS];
    attest_judge_block down = {lower, b->b, b->stride, b->count};
    attest_judge_block up = {upper, b->b, b->stride, b->count};

    for (size_t j = 0; j < b->count; j++) {
        bool negative = b->b[j * b->stride] < 0;

        lower[j] = negative ? high[j] : low[j];
        upper[j] = negative ? low[j] : high[j];
    }
    return attest_judge_interval_block(lo, hi, &down, &up, unit);
}

bool attest_judge_interval_columns(double *lo, double *hi, const double *low,
                                   const double *high, const attest_judge_block *b,
                                   size_t columns, const attest_judge_unit *unit)
{
    unsigned char open[ATTEST_JUDGE_UNIT_COLUMNS];
    attest_judge_block one = *b;
    bool ok = true;

    for (size_t c = 0; c < columns; c += ATTEST_JUDGE_UNIT_COLUMNS) {
        size_t left = columns - c;

        left = left < ATTEST_JUDGE_UNIT_COLUMNS ? left : ATTEST_JUDGE_UNIT_COLUMNS;
        attest_judge_loops()->unit_ends(lo + c, hi + c, open, &unit->columns, low, high,
                                        b->b + c, b->stride, b->count, left);
        for (size_t i = 0; i < left; i++) {
            one.b = b->b + c + i;
            if (open[i])
                ok = add_open_column(&lo[c + i], &hi[c + i], low, high, &one, unit) && ok;
        }
    }
    return ok;
}

/* ---- all values of a tile ---- */

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

/* o + the sum of a group, each end by its own addition; the first group is added to 0, and may
 * be flushed. */
static interval add_sum(interval o, bool started, interval sum,
                        const attest_judge_accumulator side[2])
{
    return (interval){attest_judge_accumulator_add(started ? o.lo : 0, sum.lo, &side[LOWER]),
                      attest_judge_accumulator_add(started ? o.hi : 0, sum.hi, &side[UPPER])};
}

void attest_judge_interval_add_group(attest_judge_interval_run *r, bool started)
{
    for (size_t c = 0; c < r->x.problem->value_dim; c++) {
        interval o = add_sum((interval){r->o[LOWER][c], r->o[UPPER][c]}, started,
                             (interval){r->group[LOWER][c], r->group[UPPER][c]}, r->pv);

        r->o[LOWER][c] = o.lo;
        r->o[UPPER][c] = o.hi;
        r->group[LOWER][c] = r->group[UPPER][c] = 0;
    }
}

static bool add_blocks(interval *o, bool started, const attest_judge_block all[2], size_t lead,
                       const attest_judge_accumulator side[2])
{
    const attest_judge_accumulator *s = &side[LOWER];
    size_t blocks = attest_judge_block_count(&all[LOWER], lead, s->block);
    interval sum = s->promote > 0 ? (interval){0, 0} : *o;

    for (size_t i = 0; i < blocks; i++) {
        size_t n = s->order == ATTEST_RECIPE_BLOCKS_BACKWARD ? blocks - 1 - i : i;
        attest_judge_block lower = attest_judge_block_get(&all[LOWER], lead, n, s->block);
        attest_judge_block upper = attest_judge_block_get(&all[UPPER], lead, n, s->block);

        if (attest_judge_accumulator_promotes(s, lead, i, n) && i > 0) {
            *o = add_sum(*o, started, sum, side);
            started = true;
            sum = (interval){0, 0};
        }
        if (!attest_judge_interval_block(&sum.lo, &sum.hi, &lower, &upper, &s->unit))
            return false;
    }
    *o = s->promote > 0 ? add_sum(*o, started, sum, side) : sum;
    return true;
}

/* o += the terms of one column. */
static bool add_column(interval *o, attest_judge_interval_run *r, const double *v,
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
    *o = (interval){lower.value, upper.value};
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

        if (attest_judge_accumulator_promotes(s, lead, i, n) && i > 0) {
            attest_judge_interval_add_group(r, started);
            started = true;
        }
        ok = attest_judge_interval_columns(sum[LOWER], sum[UPPER], one.a,
                                           r->weight[UPPER] + (one.a - r->weight[LOWER]), &one,
                                           values, &s->unit) &&
             ok;
    }
    if (s->promote > 0)
        attest_judge_interval_add_group(r, started);
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

bool attest_judge_interval_add_values(double *const o[2], attest_judge_interval_run *r,
                                      const attest_judge_head *head, size_t first,
                                      const attest_judge_tile *tile, bool started)
{
    size_t values = r->x.problem->value_dim;
    bool ok = true;

    if (attest_judge_accumulator_is_simple(&r->x.pv))
        return add_columns(o, r, head->v + tile->first * values, tile, first, started);
    for (size_t c = 0; c < values; c++) {
        const double *v = head->v + tile->first * values + c;
        interval sum = {started ? o[LOWER][c] : 0, started ? o[UPPER][c] : 0};

        take_terms(r, v, tile, first);
        ok = add_column(&sum, r, v, tile, started) && ok;
        ok = isfinite(sum.lo) && isfinite(sum.hi) && ok;
        o[LOWER][c] = sum.lo;
        o[UPPER][c] = sum.hi;
    }
    return ok;
}
