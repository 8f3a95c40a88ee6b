/* simulate.c -- a row of a kernel: tiles, rescales, row sum, product with V. */
#include "judge/simulate.h"

#include "base/random.h"
#include "base/scope.h"

/* What a part of the keys has come to: the keys of one split, or all. */
typedef struct part {
    attest_judge_instance *x;
    const attest_judge_head *head;
    const attest_judge_row *row;
    const attest_judge_tile *tile; /* of this part */
    size_t tiles;
    bool sink; /* it is in this part */
    double m, sum;
    bool has_m, has_o;
    size_t grouped; /* tiles in the group at work */
    attest_judge_running lane[ATTEST_RECIPE_LANES];
} part;

/* The exponential that the kernel computes; value: what it is a weight of. */
static double exponential(attest_judge_instance *x, double argument, double value)
{
    attest_judge_exponential y;
    double r;

    if (x->recipe.exp_error == ATTEST_RECIPE_NEAREST)
        r = attest_judge_exp_nearest(argument, x->two, &x->work.format);
    else {
        attest_judge_exp_range(&y, argument, x->two, x->exp_error, false, &x->work.format);
        r = attest_judge_instance_choose(x, &y, x->recipe.exp_error,
                                         attest_judge_instance_pushes(x, value));
    }
    return attest_judge_accumulator_round(r, &x->work); /* flushed */
}

static double largest(const part *p, const attest_judge_tile *tile)
{
    double m = -(double)INFINITY;

    for (size_t j = tile->first; j < tile->last; j++)
        m = fmax(m, p->x->score_lo[j - p->row->first]);
    return m;
}

/* ---- (i): the reference, and what is rescaled when it is raised ---- */

static double mean_so_far(const part *p)
{
    const attest_judge_instance *x = p->x;
    double sum = 0;

    for (size_t l = 0; l < x->recipe.lanes; l++)
        sum += p->lane[l].value;
    return x->o[x->recipe.target % x->problem->value_dim] / sum;
}

static void rescale(part *p, double more)
{
    attest_judge_instance *x = p->x;
    double a = exponential(x, attest_judge_instance_rescale(x, p->m, more), mean_so_far(p));

    for (size_t l = 0; l < x->recipe.lanes; l++)
        p->lane[l].value = attest_judge_accumulator_mul(p->lane[l].value, a, &x->sum);
    for (size_t c = 0; p->has_o && c < x->problem->value_dim; c++)
        x->o[c] = attest_judge_accumulator_mul(x->o[c], a, &x->pv);
    for (size_t c = 0; p->grouped > 0 && c < x->problem->value_dim; c++)
        x->group[c] = attest_judge_accumulator_mul(x->group[c], a, &x->pv);
    p->m = more;
}

static void visit_maximum(part *p, const attest_judge_tile *tile)
{
    double more = largest(p, tile);

    if (!p->has_m) {
        p->m = more;
        p->has_m = true;
        return;
    }
    more = fmax(p->m, more);
    if (!attest_judge_instance_keeps(p->x, p->m, more))
        rescale(p, more);
}

/* ---- (j), (k): weights and their sum ---- */

/* P as it is multiplied with V, from what it is before. */
static void cast(part *p, const attest_judge_tile *tile)
{
    attest_judge_instance *x = p->x;
    double *weight = x->weight + (tile->first - p->row->first);

    if (attest_judge_instance_quantises(x)) {
        attest_judge_instance_quantise(x, weight, tile);
        return;
    }
    for (size_t n = 0; n < tile->last - tile->first; n++)
        weight[n] = attest_judge_instance_cast(x, weight[n]);
}

static void weigh(part *p, const attest_judge_tile *tile)
{
    attest_judge_instance *x = p->x;
    size_t values = x->problem->value_dim;
    double reference = attest_judge_instance_reference(x, p->m);

    for (size_t j = tile->first; j < tile->last; j++) {
        size_t n = j - p->row->first;
        double v = p->head->v[j * values + x->recipe.target % values], y = 0, raw;

        if (!(x->score_lo[n] == -(double)INFINITY)) {
            y = attest_judge_instance_argument(x, x->score_lo[n], reference);
            y = attest_judge_instance_emulates(x, tile, j)
                    ? attest_exp2_polynomial_eval(&x->recipe.emulation.polynomial, y)
                    : exponential(x, y, v);
            raw = y;
            y = attest_judge_accumulator_round(y * x->power, &x->work);
            attest_judge_instance_watch(x, j, raw, x->recipe.before ? 1 : y,
                                        x->recipe.before ? 1 : y);
        }
        x->exponential[n] = x->weight[n] = y;
    }
    if (!x->recipe.before)
        cast(p, tile);
}

static void add_to_lane(attest_judge_running *lane, double term,
                        const attest_judge_accumulator *s)
{
    term = attest_in_double_convert(term, &s->format);
    lane->value = lane->started ? attest_judge_accumulator_add(lane->value, term, s) : term;
    lane->started = true;
}

static void add_weights(part *p, const attest_judge_tile *tile)
{
    attest_judge_instance *x = p->x;
    const double *term = x->recipe.sum_cast && !x->recipe.before ? x->weight : x->exponential;
    size_t count = tile->last - tile->first;

    term += tile->first - p->row->first;
    for (size_t n = 0; n < count; n++)
        if (x->recipe.lanes == 1)
            x->sum.leaf[n] = attest_in_double_convert(term[n], &x->sum.format);
        else
            add_to_lane(&p->lane[(tile->first + n - tile->start) % x->recipe.lanes], term[n],
                        &x->sum);
    if (x->recipe.lanes == 1)
        attest_judge_accumulator_add_leaves(&p->lane[0], count, 0, &x->sum);
}

/* (l): the sink's exponential is one more term. */
static void add_sink(part *p, attest_judge_running *lane)
{
    attest_judge_instance *x = p->x;
    double reference = attest_judge_instance_reference(x, p->m), y;

    y = exponential(x, attest_judge_instance_sink_argument(x, p->head->sink_logit, reference),
                    0);
    add_to_lane(lane, attest_judge_accumulator_round(y * x->power, &x->work), &x->sum);
}

static void join_lanes(part *p)
{
    attest_judge_accumulator joined = p->x->sum;
    attest_judge_running sum = {false, 0};

    joined.order = p->x->recipe.join == ATTEST_RECIPE_JOIN_PAIRWISE ? ATTEST_RECIPE_PAIRWISE
                                                                    : ATTEST_RECIPE_FORWARD;
    for (size_t l = 0; l < p->x->recipe.lanes; l++)
        joined.leaf[l] = p->lane[l].value;
    attest_judge_accumulator_add_leaves(&sum, p->x->recipe.lanes, 0, &joined);
    if (p->sink && !p->x->recipe.sink_in_max)
        add_sink(p, &sum);
    p->sum = sum.value;
    if (!isfinite(p->sum))
        attest_judge_watch_add(p->x->watch, ATTEST_JUDGE_SUM_LEAVES, 0, p->sum);
}

/* ---- (m) ---- */

/* The output takes the group at work, if there is one. */
static void promote(part *p)
{
    attest_judge_instance *x = p->x;

    if (p->grouped == 0)
        return;
    attest_judge_accumulator_promote(x->o, x->group, p->has_o, x->problem->value_dim, &x->pv);
    p->has_o = true;
    p->grouped = 0;
}

static attest_status add_values(part *p, size_t index, attest_error *error)
{
    attest_judge_instance *x = p->x;
    const attest_judge_tile *tile = &p->tile[index];
    double *o = x->group_tiles > 0 ? x->group : x->o;
    bool started = x->group_tiles > 0 ? p->grouped > 0 : p->has_o;
    size_t values = x->problem->value_dim, count = tile->last - tile->first;
    attest_judge_block terms = {x->weight + (tile->first - p->row->first), NULL, values, count};

    if (!attest_judge_accumulator_allows(&x->pv, count, p->tiles - 1 - index, started))
        return attest_error_set(error, ATTEST_USAGE,
                                "no kernel adds the values of the keys within a depth of %zu",
                                x->pv.depth);
    if (attest_judge_accumulator_is_simple(&x->pv))
        attest_judge_accumulator_add_columns(
            o,
            &(attest_judge_columns){terms.a, terms.a, p->head->v + tile->first * values, count,
                                    values, values, started, tile->first - tile->start},
            &x->pv);
    for (size_t c = 0; c < values; c++) {
        attest_judge_running running = {started, started ? o[c] : 0};

        terms.b = p->head->v + tile->first * values + c;
        if (!attest_judge_accumulator_is_simple(&x->pv)) {
            attest_judge_accumulator_add_products(&running, &terms, tile->first - tile->start,
                                                  p->tiles - 1 - index, &x->pv);
            o[c] = running.value;
        }
        if (!isfinite(o[c]))
            attest_judge_watch_add(x->watch, ATTEST_JUDGE_PRODUCT_LEAVES, c, o[c]);
    }
    if (x->group_tiles == 0)
        p->has_o = true;
    else if (++p->grouped == x->group_tiles || index + 1 == p->tiles)
        promote(p);
    return ATTEST_OK;
}

/* (n) before: every weight is divided. */
static void divide_weights(part *p, const attest_judge_tile *tile)
{
    attest_judge_instance *x = p->x;
    size_t values = x->problem->value_dim;
    double power = ldexp(1, (int)x->variant->offset);

    weigh(p, tile);
    for (size_t j = tile->first; j < tile->last; j++) {
        size_t n = j - p->row->first;
        bool push =
            attest_judge_instance_pushes(x, p->head->v[j * values + x->recipe.target % values]);
        double w = attest_judge_instance_quotient(x, x->exponential[n], p->sum, push);

        w = attest_judge_accumulator_round(w * power, &x->work);
        if (!(x->score_lo[n] == -(double)INFINITY))
            attest_judge_instance_watch(x, j, 1, w, w);
        x->weight[n] = w;
    }
    cast(p, tile);
}

static attest_status finish_before(double *out, part *p, attest_error *error)
{
    attest_judge_instance *x = p->x;
    double power = ldexp(1, (int)-x->variant->offset);

    for (size_t t = 0; t < p->tiles; t++) {
        divide_weights(p, &p->tile[t]);
        ATTEST_TRY(add_values(p, t, error));
    }
    for (size_t c = 0; c < x->problem->value_dim; c++)
        out[c] = attest_judge_accumulator_mul(
            attest_judge_accumulator_mul(x->o[c], power, &x->work), x->value_factor, &x->work);
    return ATTEST_OK;
}

static void start_part(part *p)
{
    attest_judge_instance *x = p->x;
    bool inside = p->sink && x->recipe.sink_in_max;

    if (inside) {
        p->m = attest_judge_instance_sink(x, p->head->sink_logit);
        p->has_m = true;
    }
    for (size_t t = 0; x->recipe.max == ATTEST_JUDGE_MAX_TWO_PASS && t < p->tiles; t++) {
        double more = largest(p, &p->tile[t]);

        p->m = p->has_m ? fmax(p->m, more) : more;
        p->has_m = true;
    }
    if (inside)
        add_sink(p, &p->lane[0]);
}

/* out = the quotient of a part, not yet rounded to the output. */
static attest_status run_part(double *out, part *p, attest_error *error)
{
    attest_judge_instance *x = p->x;

    start_part(p);
    for (size_t c = 0; c < x->problem->value_dim; c++)
        x->o[c] = 0;
    for (size_t t = 0; t < p->tiles; t++) {
        if (x->recipe.max != ATTEST_JUDGE_MAX_TWO_PASS)
            visit_maximum(p, &p->tile[t]);
        weigh(p, &p->tile[t]);
        add_weights(p, &p->tile[t]);
        if (!x->recipe.before)
            ATTEST_TRY(add_values(p, t, error));
    }
    join_lanes(p);
    if (x->recipe.before)
        return finish_before(out, p, error);
    for (size_t c = 0; c < x->problem->value_dim; c++)
        out[c] = attest_judge_instance_output(x, x->o[c], p->sum);
    return ATTEST_OK;
}

static double cast_output(attest_judge_instance *x, double y)
{
    attest_recipe_error how = x->recipe.output;

    if (how == ATTEST_RECIPE_RANDOM)
        how = attest_random_next(&x->random) >> 63 ? ATTEST_RECIPE_ABOVE : ATTEST_RECIPE_BELOW;
    if (how == ATTEST_RECIPE_PUSH)
        how = x->recipe.push_up ? ATTEST_RECIPE_ABOVE : ATTEST_RECIPE_BELOW;
    if (how == ATTEST_RECIPE_NEAREST || x->output.plain || !(fabs(y) <= x->output.most))
        return attest_in_double_convert(y, &x->output);
    return how == ATTEST_RECIPE_ABOVE ? attest_judge_round_up(y, &x->output)
                                      : attest_judge_round_down(y, &x->output);
}

/* Runs the parts one after another, those of the first keys first: (o). */
static attest_status run_parts(double *out, attest_judge_instance *x,
                               const attest_judge_head *head, const attest_judge_row *row,
                               size_t tiles, attest_error *error)
{
    size_t values = x->problem->value_dim, splits = x->recipe.splits, parts = 0;

    for (size_t s = 0; s < splits; s++) {
        attest_judge_split split = attest_judge_instance_split(x, tiles, s);
        double *result = x->part + parts * (values + 2);
        part p = {.x = x,
                  .head = head,
                  .row = row,
                  .tile = split.tile,
                  .tiles = split.tiles,
                  .sink = head->sink && parts == 0};

        if (split.tiles == 0)
            continue;
        ATTEST_TRY(run_part(result, &p, error));
        result[values] = p.sum;
        result[values + 1] = p.m;
        parts++;
    }
    attest_judge_instance_join(out, x, parts);
    return ATTEST_OK;
}

/* About the exact result in the target column: what is pushed away from. */
static double get_middle(const attest_judge_instance *x, const attest_judge_head *head,
                         const attest_judge_row *row, size_t i)
{
    const attest_judge_problem *q = x->problem;
    double sum = head->sink ? exp(head->sink_logit) : 0, o = 0;

    for (size_t j = row->first; j < row->last; j++) {
        double t = 0, bias = row->bias ? row->bias[j - row->first] : 0;

        for (size_t c = 0; c < q->dim; c++)
            t += head->q[i * q->dim + c] * head->k[j * q->dim + c];
        t = t * x->scale;
        t = exp((q->capped ? x->cap * tanh(t / x->cap) : t) + bias);
        sum += t;
        o += t * head->v[j * q->value_dim + x->recipe.target % q->value_dim];
    }
    return o / sum;
}

static bool sees_a_key(const attest_judge_row *row)
{
    for (size_t n = 0; n < row->last - row->first; n++)
        if (!row->bias || row->bias[n] > -(double)INFINITY)
            return true;
    return false;
}

attest_status attest_judge_instance_run(double *out, attest_judge_instance *x,
                                        attest_judge_head *head, size_t i, attest_error *error)
{
    size_t values = x->problem->value_dim, tiles;
    attest_judge_row row;

    attest_judge_instance_set_head(x, head);
    attest_judge_head_get_row(&row, head, i);
    x->random = attest_random_mix(x->recipe.seed ^ attest_random_mix(i));
    x->middle = attest_judge_recipe_pushes(&x->recipe) ? get_middle(x, head, &row, i) : 0;
    if (!attest_judge_accumulator_allows(&x->score, x->problem->dim, 0, false))
        return attest_error_set(error, ATTEST_USAGE,
                                "no kernel adds %zu products within a depth of %zu",
                                x->problem->dim, x->score.depth);
    attest_judge_instance_score(x, head, &row, i, false);
    tiles = attest_judge_instance_tile(x, &row);
    /* -inf for every key that is seen: -inf - -inf */
    for (size_t c = 0; c < values; c++)
        out[c] = x->problem->qkv.empty_is_nan || sees_a_key(&row) ? (double)NAN : 0;
    if (tiles == 0)
        return ATTEST_OK;
    ATTEST_TRY(run_parts(out, x, head, &row, tiles, error));
    for (size_t c = 0; c < values; c++) {
        double y = cast_output(x, out[c]);

        if (!isfinite(y) || (x->output.format.saturates && fabs(out[c]) > x->output.most))
            attest_judge_watch_add(x->watch, ATTEST_JUDGE_OUTPUT_LEAVES, c, out[c]);
        out[c] = y;
    }
    return ATTEST_OK;
}

attest_status attest_judge_simulate_row(double *out, attest_judge_head *head, size_t i,
                                        const attest_judge_variant *variant,
                                        const attest_judge_recipe *recipe, attest_error *error)
{
    attest_judge_instance x ATTEST_CLEARED_BY(attest_judge_instance_clear);

    ATTEST_TRY(attest_judge_instance_init(&x, head->problem, variant, recipe, error));
    return attest_judge_instance_run(out, &x, head, i, error);
}
