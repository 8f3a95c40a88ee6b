/* interval_run.c -- a row of a schedule on the lower and the upper ends of what is open. */
#include "judge/interval_steps.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/scope.h"

typedef attest_judge_interval range;

/* The state of a row. */
typedef struct pass {
    attest_judge_interval_run *r;
    attest_judge_instance *x;
    const attest_judge_head *head;
    const attest_judge_row *row;
    range m;
    bool has_m, has_o, failed;
    size_t grouped; /* tiles in the group at work */
    bool sink;      /* the sink is one of these keys */
    attest_judge_interval_lanes lanes;
} pass;

/* The lower end may be flushed down to 0, the upper one up to it: Lemma 2. */
static attest_judge_accumulator one_side(const attest_judge_accumulator *s, int side)
{
    attest_judge_accumulator r = *s;
    bool single = attest_judge_is_single(&s->format.format);

    r.flush = (attest_in_double_flush){single && side == LOWER, single && side == UPPER};
    return r;
}

static bool alloc(attest_judge_interval_run *r)
{
    size_t keys = r->x.problem->keys, values = r->x.problem->value_dim;
    size_t splits = r->x.recipe.splits;
    bool ok = true;

    for (int e = LOWER; e <= UPPER; e++) {
        r->exponential[e] = attest_memory_alloc(keys, sizeof(double));
        r->weight[e] = attest_memory_alloc(keys, sizeof(double));
        r->term[e] = attest_memory_alloc(keys, sizeof(double));
        r->o[e] = attest_memory_alloc(values, sizeof(double));
        r->group[e] = attest_memory_alloc(values, sizeof(double));
        r->part[e] = attest_memory_alloc(splits, values * sizeof(double));
        ok = ok && r->group[e] && r->exponential[e] && r->weight[e] && r->term[e] && r->o[e] &&
             r->part[e];
    }
    r->split = attest_memory_alloc(splits, sizeof *r->split);
    r->joined = attest_memory_alloc(splits, 2 * sizeof *r->joined);
    return ok && r->split && r->joined;
}

attest_status attest_judge_interval_run_init(attest_judge_interval_run *r,
                                             const attest_judge_problem *problem,
                                             const attest_judge_variant *variant,
                                             const attest_judge_schedule *schedule,
                                             attest_error *error)
{
    attest_judge_recipe recipe;

    *r = (attest_judge_interval_run){0};
    attest_judge_recipe_from_schedule(&recipe, variant, schedule);
    ATTEST_TRY(attest_judge_instance_init(&r->x, problem, variant, &recipe, error));
    for (int e = LOWER; e <= UPPER; e++) {
        r->sum[e] = one_side(&r->x.sum, e);
        r->pv[e] = one_side(&r->x.pv, e);
        r->work[e] = one_side(&r->x.work, e);
    }
    if (!alloc(r)) {
        attest_judge_interval_run_clear(r);
        return attest_memory_fail(error);
    }
    return ATTEST_OK;
}

void attest_judge_interval_run_clear(attest_judge_interval_run *r)
{
    for (int e = LOWER; e <= UPPER; e++) {
        free(r->exponential[e]);
        free(r->weight[e]);
        free(r->term[e]);
        free(r->o[e]);
        free(r->group[e]);
        free(r->part[e]);
    }
    free(r->split);
    free(r->joined);
    attest_judge_instance_clear(&r->x);
    memset(r, 0, sizeof *r); /* what is cleared may be cleared again */
}

static range exponential(const pass *p, range argument)
{
    return attest_judge_interval_exp(p->x, argument, p->x->two);
}

static range scale(range y, range factor, const attest_judge_accumulator side[2])
{
    return attest_judge_interval_scale(y, factor, side);
}

/* ---- the reference ---- */

static range largest(const pass *p, const attest_judge_tile *tile)
{
    range m = {-(double)INFINITY, -(double)INFINITY};

    for (size_t n = tile->first - p->row->first; n < tile->last - p->row->first; n++) {
        m.lo = m.lo < p->x->score_lo[n] ? p->x->score_lo[n] : m.lo;
        m.hi = m.hi < p->x->score_hi[n] ? p->x->score_hi[n] : m.hi;
    }
    return m;
}

static void rescale_sums(double *const o[2], const pass *p, range a)
{
    for (size_t c = 0; c < p->x->problem->value_dim; c++) {
        range y = scale((range){o[LOWER][c], o[UPPER][c]}, a, p->r->pv);

        o[LOWER][c] = y.lo;
        o[UPPER][c] = y.hi;
    }
}

static void rescale(pass *p, range a)
{
    attest_judge_interval_run *r = p->r;

    for (size_t l = 0; l < p->x->recipe.lanes; l++) {
        range y = scale((range){p->lanes.sum[LOWER][l], p->lanes.sum[UPPER][l]}, a, r->sum);

        p->lanes.sum[LOWER][l] = y.lo;
        p->lanes.sum[UPPER][l] = y.hi;
    }
    if (p->has_o)
        rescale_sums(r->o, p, a);
    if (p->grouped > 0)
        rescale_sums(r->group, p, a);
}

/* Lemma 7: where it depends on what is open whether the reference is raised, both are kept. */
static void visit_maximum(pass *p, const attest_judge_tile *tile)
{
    const attest_judge_instance *x = p->x;
    range most = largest(p, tile), a;
    bool may_keep, must_keep;

    if (!p->has_m) {
        p->m = most;
        p->has_m = true;
        return;
    }
    most = (range){fmax(p->m.lo, most.lo), fmax(p->m.hi, most.hi)};
    may_keep = attest_judge_instance_keeps(x, p->m.hi, most.lo);
    must_keep = attest_judge_instance_keeps(x, p->m.lo, most.hi);
    if (must_keep)
        return;
    a = (range){attest_judge_instance_rescale(x, p->m.lo, most.hi),
                attest_judge_instance_rescale(x, p->m.hi, most.lo)};
    a.hi = fmin(a.hi, 0); /* a maximum only grows */
    a = exponential(p, a);
    if (may_keep) {
        a = (range){fmin(a.lo, 1), fmax(a.hi, 1)};
        most.lo = fmin(most.lo, p->m.lo);
    }
    rescale(p, a);
    p->m = most;
}

/* ---- weights and their sum ---- */

static range argument(const pass *p, size_t n, range reference)
{
    return (range){attest_judge_instance_argument(p->x, p->x->score_lo[n], reference.hi),
                   attest_judge_instance_argument(p->x, p->x->score_hi[n], reference.lo)};
}

static range get_reference(const pass *p)
{
    return (range){attest_judge_instance_reference(p->x, p->m.lo),
                   attest_judge_instance_reference(p->x, p->m.hi)};
}

/* P as it is multiplied with V, from what it is before. */
static void cast(pass *p, const attest_judge_tile *tile)
{
    size_t first = tile->first - p->row->first, count = tile->last - tile->first;
    double *lo = p->r->weight[LOWER] + first, *hi = p->r->weight[UPPER] + first;

    if (attest_judge_instance_quantises(p->x)) {
        if (!attest_judge_instance_quantise_ends(p->x, lo, hi, tile, p->r->term))
            p->failed = true;
    } else {
        attest_judge_interval_cast(lo, p->x, count);
        attest_judge_interval_cast(hi, p->x, count);
    }
    for (size_t n = 0; n < count; n++)
        if (!isfinite(hi[n]))
            p->failed = true;
}

/* The exponential of key j of a tile. */
static range exponential_of(const pass *p, const attest_judge_tile *tile, size_t j, range x)
{
    return attest_judge_instance_emulates(p->x, tile, j)
               ? attest_judge_interval_polynomial(p->x, x)
               : exponential(p, x);
}

/* y = the exponentials of a tile, before they are multiplied by 2^offset. */
static void exponentiate(pass *p, const attest_judge_tile *tile)
{
    double *const *y = p->r->exponential;
    size_t first = tile->first - p->row->first, count = tile->last - tile->first;
    range reference = get_reference(p);

    if (!p->x->problem->capped &&
        attest_judge_interval_exponentials(y[LOWER] + first, y[UPPER] + first, p->r, first,
                                           count, reference.lo))
        return;
    for (size_t n = first; n < first + count; n++) {
        range raw = {0, 0};

        if (!(p->x->score_hi[n] == -(double)INFINITY))
            raw = exponential_of(p, tile, n + p->row->first, argument(p, n, reference));
        y[LOWER][n] = raw.lo;
        y[UPPER][n] = raw.hi;
    }
}

static void weigh(pass *p, const attest_judge_tile *tile)
{
    const range power = {p->x->power, p->x->power};
    attest_judge_interval_run *r = p->r;
    size_t first = tile->first - p->row->first, count = tile->last - tile->first;
    bool before = p->x->recipe.before; /* P is not there yet */

    exponentiate(p, tile);
    for (size_t n = first; (power.lo != 1 || p->x->watch) && n < first + count; n++) {
        range raw = {r->exponential[LOWER][n], r->exponential[UPPER][n]};
        range y = power.lo == 1 ? raw : scale(raw, power, r->work);

        if (!(p->x->score_hi[n] == -(double)INFINITY))
            attest_judge_instance_watch(p->x, n + p->row->first, raw.lo, before ? 1 : y.lo,
                                        before ? 1 : y.hi);
        r->exponential[LOWER][n] = y.lo;
        r->exponential[UPPER][n] = y.hi;
    }
    for (int e = LOWER; e <= UPPER; e++)
        memcpy(r->weight[e] + first, r->exponential[e] + first, count * sizeof(double));
    if (!before)
        cast(p, tile);
}

static void add_weights(pass *p, const attest_judge_tile *tile)
{
    attest_judge_interval_run *r = p->r;
    bool cast = p->x->recipe.sum_cast && !p->x->recipe.before;
    double *const *from = cast ? r->weight : r->exponential;
    size_t first = tile->first - p->row->first;
    const double *const term[2] = {from[LOWER] + first, from[UPPER] + first};

    attest_judge_interval_add_lanes(&p->lanes, term, tile->first - tile->start,
                                    tile->last - tile->first, r);
}

static double join_lanes(pass *p, int e, double sink)
{
    double sum = p->lanes.sum[e][0];

    for (size_t l = 1; l < p->x->recipe.lanes; l++)
        sum = attest_judge_accumulator_add(sum, p->lanes.sum[e][l], &p->r->sum[e]);
    if (p->sink)
        sum = attest_judge_accumulator_add(
            sum, attest_in_double_convert(sink, &p->x->sum.format), &p->r->sum[e]);
    return sum;
}

static range get_sum(pass *p)
{
    const range power = {p->x->power, p->x->power};
    range reference = get_reference(p), y = {0, 0};
    double logit = p->head->sink_logit;

    if (p->sink)
        y = scale(
            exponential(
                p, (range){attest_judge_instance_sink_argument(p->x, logit, reference.hi),
                           attest_judge_instance_sink_argument(p->x, logit, reference.lo)}),
            power, p->r->work);
    y = (range){join_lanes(p, LOWER, y.lo), join_lanes(p, UPPER, y.hi)};
    if (!isfinite(y.hi)) {
        attest_judge_watch_add(p->x->watch, ATTEST_JUDGE_SUM_LEAVES, 0, y.hi);
        p->failed = true;
    }
    return y;
}

/* last: no tile comes after this one. */
static void add_values(pass *p, const attest_judge_tile *tile, bool last)
{
    bool groups = p->x->group_tiles > 0, started = groups ? p->grouped > 0 : p->has_o;

    if (!attest_judge_interval_values(groups ? p->r->group : p->r->o, p->r, p->head,
                                      p->row->first, tile, started)) {
        attest_judge_watch_add(p->x->watch, ATTEST_JUDGE_PRODUCT_LEAVES, 0, INFINITY);
        p->failed = true;
    }
    if (!groups)
        p->has_o = true;
    else if (++p->grouped == p->x->group_tiles || last) {
        attest_judge_interval_promote(p->r, &p->has_o);
        p->grouped = 0;
    }
}

/* Weights divided one by one. */
static void divide_weights(pass *p, const attest_judge_tile *tile, range sum)
{
    double b = ldexp(1, (int)p->x->variant->offset);

    weigh(p, tile);
    for (size_t n = tile->first - p->row->first; n < tile->last - p->row->first; n++) {
        range y = {p->r->exponential[LOWER][n], p->r->exponential[UPPER][n]};

        if (!attest_judge_interval_divide(&y, p->x, y, sum))
            p->failed = true;
        y.lo = fmax(y.lo, 0); /* a weight is not negative */
        y = scale(y, (range){b, b}, p->r->work);
        if (!(p->x->score_hi[n] == -(double)INFINITY))
            attest_judge_instance_watch(p->x, n + p->row->first, 1, y.lo, y.hi);
        p->r->weight[LOWER][n] = y.lo;
        p->r->weight[UPPER][n] = y.hi;
    }
    cast(p, tile);
}

/* ---- a row ---- */

static range cast_output(const pass *p, range y)
{
    const attest_in_double *h = &p->x->output;

    if (p->x->variant->output_any && !h->plain)
        return (range){attest_judge_round_down(y.lo, h), attest_judge_round_up(y.hi, h)};
    return (range){attest_in_double_convert(y.lo, h), attest_in_double_convert(y.hi, h)};
}

static range run_tiles(pass *p, const attest_judge_tile *tile, size_t tiles)
{
    bool two_pass = p->x->recipe.max == ATTEST_JUDGE_MAX_TWO_PASS;
    range sum;

    for (size_t t = 0; two_pass && t < tiles; t++) {
        range m = largest(p, &tile[t]);

        p->m = p->has_m ? (range){fmax(p->m.lo, m.lo), fmax(p->m.hi, m.hi)} : m;
        p->has_m = true;
    }
    for (size_t t = 0; t < tiles; t++) {
        if (!two_pass)
            visit_maximum(p, &tile[t]);
        weigh(p, &tile[t]);
        add_weights(p, &tile[t]);
        if (!p->x->recipe.before)
            add_values(p, &tile[t], t + 1 == tiles);
    }
    sum = get_sum(p);
    for (size_t t = 0; p->x->recipe.before && t < tiles; t++) {
        divide_weights(p, &tile[t], sum);
        add_values(p, &tile[t], t + 1 == tiles);
    }
    return sum;
}

static void watch_output(const attest_judge_instance *x, size_t c, range raw, range y)
{
    double most = x->output.format.saturates ? x->output.most : (double)INFINITY;

    if (!isfinite(y.lo) || !isfinite(y.hi) || !(-most <= raw.lo && raw.hi <= most))
        attest_judge_watch_add(x->watch, ATTEST_JUDGE_OUTPUT_LEAVES, c, raw.hi);
}

/* The keys of one split, all of them if there is but one: r->o = its outputs. False: nothing is
 * known. */
static bool run_split(attest_judge_interval_split *result, pass *p, attest_judge_split split)
{
    attest_judge_interval_run *r = p->r;
    size_t values = p->x->problem->value_dim;

    for (size_t c = 0; c < values; c++)
        r->o[LOWER][c] = r->o[UPPER][c] = 0;
    result->sum = run_tiles(p, split.tile, split.tiles);
    result->m = p->m;
    for (size_t c = 0; c < values && !p->failed; c++) {
        range o = {r->o[LOWER][c], r->o[UPPER][c]}, y;

        if (!attest_judge_interval_output(&y, p->x, o, result->sum, r->work))
            p->failed = true;
        r->o[LOWER][c] = y.lo;
        r->o[UPPER][c] = y.hi;
    }
    return !p->failed;
}

/* r->o = the outputs of a row with so many tiles, before their cast. */
static bool run_splits(const pass *row, size_t tiles)
{
    attest_judge_interval_run *r = row->r;
    size_t values = r->x.problem->value_dim, parts = 0;

    for (size_t s = 0; s < r->x.recipe.splits; s++) {
        attest_judge_split split = attest_judge_instance_split(&r->x, tiles, s);
        pass p = *row;

        if (split.tiles == 0)
            continue;
        p.sink = row->head->sink && parts == 0;
        if (!run_split(&r->split[parts], &p, split))
            return false;
        for (int e = LOWER; e <= UPPER; e++)
            memcpy(r->part[e] + parts * values, r->o[e], values * sizeof(double));
        parts++;
    }
    return parts == 1 || attest_judge_interval_join(r, r->split, parts);
}

/* One choice of what the row sum adds. */
static bool run(double *lo, double *hi, const pass *p, size_t tiles)
{
    bool ok = run_splits(p, tiles);

    for (size_t c = 0; c < p->x->problem->value_dim && ok; c++) {
        range raw = {p->r->o[LOWER][c], p->r->o[UPPER][c]}, y = cast_output(p, raw);

        watch_output(p->x, c, raw, y);
        lo[c] = fmin(lo[c], y.lo);
        hi[c] = fmax(hi[c], y.hi);
        ok = isfinite(y.lo) && isfinite(y.hi);
    }
    return ok;
}

/* Whether the scores of all keys that are seen are numbers. One that overflows downwards is not
 * a key that is not seen. */
static bool is_finite_row(const attest_judge_instance *x, const attest_judge_row *row)
{
    for (size_t n = 0; n < row->last - row->first; n++)
        if ((!row->bias || row->bias[n] > -(double)INFINITY) &&
            !(isfinite(x->score_lo[n]) && isfinite(x->score_hi[n])))
            return false;
    return true;
}

static void fill(double *lo, double *hi, size_t values, double l, double h)
{
    for (size_t c = 0; c < values; c++) {
        lo[c] = l;
        hi[c] = h;
    }
}

bool attest_judge_interval_run_row(double *lo, double *hi, attest_judge_interval_run *r,
                                   attest_judge_head *head, size_t i)
{
    attest_judge_instance *x = &r->x;
    size_t values = x->problem->value_dim, tiles;
    double empty = x->problem->qkv.empty_is_nan ? (double)NAN : 0;
    attest_judge_row row;
    bool both = x->variant->sum_of == ATTEST_JUDGE_SUM_ANY, ok;

    attest_judge_instance_set_head(x, head);
    attest_judge_head_get_row(&row, head, i);
    attest_judge_instance_score(x, head, &row, i, true);
    tiles = attest_judge_instance_tile(x, &row);
    fill(lo, hi, values, empty, empty);
    ok = is_finite_row(x, &row);
    if (ok && tiles == 0)
        return true;
    fill(lo, hi, values, (double)INFINITY, -(double)INFINITY);
    for (int e = 0; !ok && e < ATTEST_JUDGE_EVENTS; e++)
        attest_judge_watch_add(x->watch, (attest_judge_event)e, row.first, NAN);
    for (int cast = 0; ok && cast <= (both ? 1 : 0); cast++) {
        pass p = {.r = r, .x = x, .head = head, .row = &row};

        if (both)
            x->recipe.sum_cast = cast == 1;
        ok = run(lo, hi, &p, tiles);
    }
    if (!ok)
        fill(lo, hi, values, -(double)INFINITY, (double)INFINITY);
    return ok;
}
