/* simulate.c -- what a kernel returns, bit for bit. */
#include "judge/simulate.h"

#include <string.h>

#include "base/random.h"
#include "base/scope.h"

/* The elements of run_row.inc are numbers. */
#define INTERVALS 0
typedef double element;

typedef struct row_lanes {
    double sum[1][ATTEST_RECIPE_LANES];
    bool started[ATTEST_RECIPE_LANES];
    size_t running;
} row_lanes;

typedef struct run {
    double *score[1], *exponential[1], *weight[1], *o[1], *group[1], *part[1], *joined[1];
    attest_judge_accumulator *sum, *pv, *work;
} run;

#define get(a, n) ((a)[0][n])
#define put(a, n, y) ((a)[0][n] = (y))
#define point(x) (x)
#define lower(y) (y)
#define upper(y) (y)
#define add attest_judge_accumulator_add
#define mul attest_judge_accumulator_mul
#define cast attest_in_double_convert

static double larger(double a, double b)
{
    return a < b ? b : a;
}

#include "judge/run_row.inc"

/* ---- exponentials ---- */

/* The exponential that the kernel computes. value: the value that it weighs. */
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

static double mean_so_far(const part *p)
{
    const attest_judge_instance *x = p->x;
    double sum = 0;

    for (size_t l = 0; l < x->recipe.lanes; l++)
        sum += p->lanes.sum[0][l];
    return x->o[x->recipe.target % x->problem->value_dim] / sum;
}

static bool raise_reference(double *factor, part *p, double more)
{
    if (attest_judge_instance_keeps(p->x, p->m, more))
        return false;
    *factor =
        exponential(p->x, attest_judge_instance_rescale(p->x, p->m, more), mean_so_far(p));
    p->m = more;
    return true;
}

static void exponentiate(part *p, const attest_judge_tile *tile)
{
    attest_judge_instance *x = p->x;
    size_t values = x->problem->value_dim, column = x->recipe.target % values;
    double reference = attest_judge_instance_reference(x, p->m);

    for (size_t j = tile->first; j < tile->last; j++) {
        size_t n = j - p->row->first;
        double y = attest_judge_instance_argument(x, x->score_lo[n], reference);

        if (!is_seen(p, n))
            y = 0;
        else if (attest_judge_instance_emulates(x, tile, j))
            y = attest_exp2_polynomial_eval(&x->recipe.emulation.polynomial, y);
        else
            y = exponential(x, y, p->head->v[j * values + column]);
        x->exponential[n] = y;
    }
}

static double sink_exponential(part *p)
{
    double reference = attest_judge_instance_reference(p->x, p->m);
    double argument = attest_judge_instance_sink_argument(p->x, p->head->sink_logit, reference);

    return attest_judge_accumulator_mul(exponential(p->x, argument, 0), p->x->power,
                                        &p->x->work);
}

/* ---- weights, sums and quotients ---- */

static void cast_weights(part *p, const attest_judge_tile *tile)
{
    attest_judge_instance *x = p->x;
    double *weight = x->weight + (tile->first - p->row->first);

    if (attest_judge_instance_quantises(x))
        attest_judge_instance_quantise(x, weight, tile);
    for (size_t n = 0; !attest_judge_instance_quantises(x) && n < tile->last - tile->first; n++)
        weight[n] = attest_judge_instance_cast(x, weight[n]);
}

static void add_to_lanes(part *p, double *const terms[], const attest_judge_tile *tile)
{
    attest_judge_accumulator *s = &p->x->sum;
    const double *term = terms[0] + (tile->first - p->row->first);
    size_t many = p->x->recipe.lanes, count = tile->last - tile->first;
    row_lanes *to = &p->lanes;
    attest_judge_running running = {to->started[0], to->sum[0][0]};

    for (size_t n = 0; n < count; n++) {
        size_t l = (tile->first + n - tile->start) % many;
        double y = attest_in_double_convert(term[n], &s->format);

        if (many == 1)
            s->leaf[n] = y;
        else {
            to->sum[0][l] = to->started[l] ? add(to->sum[0][l], y, s) : y;
            to->started[l] = true;
        }
    }
    if (many > 1)
        return;
    attest_judge_accumulator_add_leaves(&running, count, 0, s);
    to->sum[0][0] = running.value;
    to->started[0] = running.started;
}

static double join_lanes(part *p)
{
    attest_judge_accumulator joined = p->x->sum;
    attest_judge_running sum = {false, 0};

    joined.order = p->x->recipe.join == ATTEST_RECIPE_JOIN_PAIRWISE ? ATTEST_RECIPE_PAIRWISE
                                                                    : ATTEST_RECIPE_FORWARD;
    memcpy(joined.leaf, p->lanes.sum[0], p->x->recipe.lanes * sizeof(double));
    attest_judge_accumulator_add_leaves(&sum, p->x->recipe.lanes, 0, &joined);
    return sum.value;
}

static void add_products(part *p, double *const to[], size_t index, bool started)
{
    attest_judge_accumulator *s = &p->x->pv;
    const attest_judge_tile *tile = &p->tile[index];
    size_t values = p->x->problem->value_dim, count = tile->last - tile->first;
    size_t lead = tile->first - tile->start, after = p->tiles - 1 - index;
    const double *weight = p->x->weight + (tile->first - p->row->first);
    const double *v = p->head->v + tile->first * values;
    double *o = to[0];

    if (!attest_judge_accumulator_allows(s, count, after, started)) {
        p->failed = true;
        return;
    }
    if (attest_judge_accumulator_is_simple(s))
        attest_judge_accumulator_add_columns(
            o, &(attest_judge_columns){weight, weight, v, count, values, values, started, lead},
            s);
    else
        for (size_t c = 0; c < values; c++) {
            attest_judge_running running = {started, started ? o[c] : 0};
            attest_judge_block terms = {weight, v + c, values, count};

            attest_judge_accumulator_add_products(&running, &terms, lead, after, s);
            o[c] = running.value;
        }
    for (size_t c = 0; c < values; c++)
        if (!isfinite(o[c]))
            attest_judge_watch_add(p->x->watch, ATTEST_JUDGE_PRODUCT_LEAVES, c, o[c]);
}

static void add_group(part *p)
{
    attest_judge_accumulator_promote(p->x->o, p->x->group, p->has_o, p->x->problem->value_dim,
                                     &p->x->pv);
}

/* Numbers of the working format within the allowed error of a / b. */
static double divide(part *p, double a, double b, bool push)
{
    attest_judge_instance *x = p->x;
    const attest_in_double *h = &x->work.format;
    attest_judge_exponential y;
    double q = a / b, radius;

    y.nearest = x->recipe.reciprocal
                    ? mul(a, attest_judge_instance_divide(1, b, &x->work), &x->work)
                    : attest_judge_instance_divide(a, b, &x->work);
    if (x->recipe.final_error == ATTEST_RECIPE_NEAREST || !isfinite(q) || h->plain ||
        !(fabs(q) >= h->tiny))
        return y.nearest;
    radius = x->final_error * (1 - 0x1p-20) * fabs(q); /* q is off by 2^-53 */
    y.lo = fmin(y.nearest, attest_judge_round_up(q - radius, h));
    y.hi = fmax(y.nearest, attest_judge_round_down(q + radius, h));
    return attest_judge_instance_choose(x, &y, x->recipe.final_error, push);
}

static double finish_output(part *p, double o)
{
    attest_judge_instance *x = p->x;
    double r;

    if (x->recipe.before) {
        r = mul(o, ldexp(1, (int)-x->variant->offset), &x->work);
        return mul(r, x->value_factor, &x->work);
    }
    if (x->problem->descaled && x->recipe.reciprocal &&
        x->recipe.final_error == ATTEST_RECIPE_NEAREST) {
        r = attest_judge_instance_divide(1, p->sum, &x->work);
        r = mul(r, x->value_factor, &x->work);
        return mul(o, r, &x->work);
    }
    r = divide(p, o, p->sum, x->recipe.push_up);
    return x->problem->descaled ? mul(r, x->value_factor, &x->work) : r;
}

/* All parts share the offset in their sums. */
static double log_sum(part *p, size_t split)
{
    attest_judge_instance *x = p->x;
    size_t values = x->problem->value_dim;
    const double *of = x->part + split * (values + 2);
    bool push = attest_judge_instance_pushes(x, of[x->recipe.target % values]);
    attest_judge_exponential log = attest_judge_instance_log(x, of[values], false);
    double l = attest_judge_instance_choose(x, &log, x->recipe.log_error, push);

    return add(mul(of[values + 1], x->unit, &x->work), l, &x->work);
}

/* The largest logarithm of a split. */
static double largest_log(const part *p, size_t splits)
{
    double most = -(double)INFINITY;

    for (size_t s = 0; s < splits; s++)
        most = fmax(most, p->r->joined[0][s]);
    return most;
}

/* The exponential of a split's logarithm, or of an earlier one, minus another; value: the
 * output that it weighs. */
static double exp_log(part *p, double log, double minus, double value)
{
    attest_judge_instance *x = p->x;
    attest_judge_exponential y;

    attest_judge_exp_range(&y, add(log, -minus, &x->work), false, x->exp_error, false,
                           &x->work.format);
    return attest_judge_accumulator_round(
        attest_judge_instance_choose(x, &y, x->recipe.exp_error,
                                     attest_judge_instance_pushes(x, value)),
        &x->work);
}

static double weigh_split(part *p, size_t split, size_t splits)
{
    attest_judge_instance *x = p->x;
    size_t values = x->problem->value_dim;
    double value = x->part[split * (values + 2) + x->recipe.target % values];

    return exp_log(p, p->r->joined[0][split], largest_log(p, splits), value);
}

/* o = O a + part b, rounded by s. */
static void merge(part *p, const double *of, double a, double b, attest_judge_accumulator *s)
{
    double *o = p->x->o;

    for (size_t c = 0; c < p->x->problem->value_dim; c++)
        o[c] = add(mul(o[c], a, s), mul(of[c], b, s), s);
}

/* The weights are e^(L_i - L), L the logarithm of the sum of the e^(L_i). */
static void join_logs(part *p, size_t splits)
{
    attest_judge_instance *x = p->x;
    size_t values = x->problem->value_dim;
    const double *log = p->r->joined[0];
    double sum = 0, most = largest_log(p, splits), whole;
    attest_judge_exponential of_sum;

    for (size_t s = 0; s < splits; s++)
        sum = add(sum, weigh_split(p, s, splits), &x->work);
    of_sum = attest_judge_instance_log(x, sum, false);
    whole = add(most,
                attest_judge_instance_choose(x, &of_sum, x->recipe.log_error,
                                             x->recipe.push_up == (x->middle < 0)),
                &x->work);
    memset(x->o, 0, values * sizeof *x->o);
    for (size_t s = 0; s < splits; s++) {
        const double *of = x->part + s * (values + 2);

        merge(p, of, 1, exp_log(p, log[s], whole, of[x->recipe.target % values]), &x->work);
    }
}

/* The sum so far is rescaled whenever a larger logarithm comes. */
static void join_running(part *p, size_t splits)
{
    attest_judge_instance *x = p->x;
    size_t values = x->problem->value_dim, column = x->recipe.target % values;
    const double *log = p->r->joined[0];
    double sum = 1, most = log[0];

    memcpy(x->o, x->part, values * sizeof *x->o);
    for (size_t s = 1; s < splits; s++) {
        const double *of = x->part + s * (values + 2);
        double more = fmax(most, log[s]);
        double a = exp_log(p, most, more, x->o[column] / sum);
        double b = exp_log(p, log[s], more, of[column]);

        merge(p, of, a, b, &x->work);
        sum = add(mul(sum, a, &x->work), b, &x->work);
        most = more;
    }
    for (size_t c = 0; c < values; c++)
        x->o[c] = divide(p, x->o[c], sum, x->recipe.push_up);
}

static void join_sums(part *p, size_t splits)
{
    attest_judge_instance *x = p->x;
    size_t values = x->problem->value_dim, column = x->recipe.target % values;

    memcpy(x->o, x->part, values * sizeof *x->o);
    p->sum = x->part[values];
    p->m = x->part[values + 1];
    for (size_t s = 1; s < splits; s++) {
        const double *of = x->part + s * (values + 2);
        double more = larger(p->m, of[values + 1]), a = 1, b = 1;

        if (more > p->m)
            a = exponential(x, attest_judge_instance_rescale(x, p->m, more),
                            x->o[column] / p->sum);
        if (more > of[values + 1])
            b = exponential(x, attest_judge_instance_rescale(x, of[values + 1], more),
                            of[column] / of[values]);
        merge(p, of, a, b, &x->pv);
        p->sum = add(mul(p->sum, a, &x->sum), mul(of[values], b, &x->sum), &x->sum);
        p->m = more;
    }
    for (size_t c = 0; c < values; c++)
        x->o[c] = finish_output(p, x->o[c]);
}

static void join_otherwise(part *p, size_t splits)
{
    if (p->x->recipe.split == ATTEST_RECIPE_SPLIT_SUMS)
        join_sums(p, splits);
    else if (p->x->recipe.split == ATTEST_RECIPE_SPLIT_RUNNING)
        join_running(p, splits);
    else
        join_logs(p, splits);
}

/* ---- a row ---- */

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

/* The approximate exact result in the target column, from which outputs are pushed away. */
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
    double most = x->output.format.saturates ? x->output.most : (double)INFINITY;
    attest_judge_row row;
    run r = {{x->score_lo},
             {x->exponential},
             {x->weight},
             {x->o},
             {x->group},
             {x->part},
             {x->part + x->recipe.splits * (values + 2)},
             &x->sum,
             &x->pv,
             &x->work};

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
    /* every key that is seen has the score -inf: -inf - -inf is NaN */
    for (size_t c = 0; c < values; c++)
        out[c] = x->problem->qkv.empty_is_nan || sees_a_key(&row) ? (double)NAN : 0;
    if (tiles == 0)
        return ATTEST_OK;
    if (!run_parts(&r, x, head, &row, tiles))
        return attest_error_set(error, ATTEST_USAGE,
                                "no kernel adds the values of the keys within a depth of %zu",
                                x->pv.depth);
    for (size_t c = 0; c < values; c++) {
        out[c] = cast_output(x, x->o[c]);
        if (!isfinite(out[c]) || fabs(x->o[c]) > most)
            attest_judge_watch_add(x->watch, ATTEST_JUDGE_OUTPUT_LEAVES, c, x->o[c]);
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
