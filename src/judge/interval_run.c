/* interval_run.c -- one row of a kernel with a schedule, on intervals. */
#include "judge/interval_run.h"

#include <attest/kernel.h>

#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/scope.h"

/* The elements of run_row.inc are intervals. */
#define INTERVALS 1
typedef attest_judge_interval element;
typedef attest_judge_interval_lanes row_lanes;
typedef attest_judge_interval_run run;

#define get(a, n) ((element){(a)[LOWER][n], (a)[UPPER][n]})
#define put(a, n, y) put_ends(&(a)[LOWER][n], &(a)[UPPER][n], y)
#define point(x) ((element){x, x})
#define lower(y) ((y).lo)
#define upper(y) ((y).hi)

static inline void put_ends(double *lo, double *hi, element y)
{
    *lo = y.lo;
    *hi = y.hi;
}

static inline element larger(element a, element b)
{
    return (element){a.lo < b.lo ? b.lo : a.lo, a.hi < b.hi ? b.hi : a.hi};
}

static inline element add(element a, element b, const attest_judge_accumulator side[2])
{
    return (element){attest_judge_accumulator_add(a.lo, b.lo, &side[LOWER]),
                     attest_judge_accumulator_add(a.hi, b.hi, &side[UPPER])};
}

/* Lemma 4: the sign of y chooses the end of the factor, which is not negative. */
static inline element mul(element y, element factor, const attest_judge_accumulator side[2])
{
    return (element){
        attest_judge_accumulator_mul(y.lo, y.lo >= 0 ? factor.lo : factor.hi, &side[LOWER]),
        attest_judge_accumulator_mul(y.hi, y.hi >= 0 ? factor.hi : factor.lo, &side[UPPER])};
}

static inline element cast(element y, const attest_in_double *h)
{
    return (element){attest_in_double_convert(y.lo, h), attest_in_double_convert(y.hi, h)};
}

#include "judge/run_row.inc"

/* ---- exponentials ---- */

element attest_judge_interval_exp(const attest_judge_instance *x, element argument, bool two)
{
    attest_judge_exponential low, high;
    element y;

    attest_judge_exp_range(&low, argument.lo, two, x->exp_error, true, &x->work.format);
    if (argument.lo == argument.hi)
        return (element){low.lo, low.hi};
    attest_judge_exp_range(&high, argument.hi, two, x->exp_error, true, &x->work.format);
    y = (element){low.lo, high.hi};
    /* Only exp(0) is exact; its neighbours in the interval are not. */
    if (argument.hi == 0)
        y.hi = attest_judge_round_down(1 + x->exp_error, &x->work.format);
    if (argument.lo == 0)
        y.lo = attest_judge_round_up(1 - x->exp_error, &x->work.format);
    return y;
}

/* Lemma 8: the polynomial of the recipe in place of exp2, bit by bit except for flushing. */
static element polynomial(const attest_judge_instance *x, element argument)
{
    const attest_exp2_polynomial *p = &x->recipe.emulation.polynomial;
    element y = {attest_exp2_polynomial_eval(p, argument.lo),
                 attest_exp2_polynomial_eval(p, argument.hi)};

    if (!(argument.hi < 128))
        y.hi = INFINITY; /* its bits mean nothing there */
    if (y.lo < 0x1p-126)
        y.lo = 0; /* flushed */
    return y;
}

/* Lemma 7: if the reference may rise or not, takes the hull of both cases. */
static bool raise_reference(element *factor, part *p, element more)
{
    const attest_judge_instance *x = p->x;
    bool may_keep = attest_judge_instance_keeps(x, p->m.hi, more.lo);
    element a = {attest_judge_instance_rescale(x, p->m.lo, more.hi),
                 attest_judge_instance_rescale(x, p->m.hi, more.lo)};

    if (attest_judge_instance_keeps(x, p->m.lo, more.hi))
        return false;
    a.hi = fmin(a.hi, 0); /* a maximum only grows */
    *factor = attest_judge_interval_exp(x, a, x->two);
    if (may_keep) {
        *factor = (element){fmin(factor->lo, 1), fmax(factor->hi, 1)};
        more.lo = fmin(more.lo, p->m.lo);
    }
    p->m = more;
    return true;
}

static element get_reference(const part *p)
{
    return (element){attest_judge_instance_reference(p->x, p->m.lo),
                     attest_judge_instance_reference(p->x, p->m.hi)};
}

static void exponentiate(part *p, const attest_judge_tile *tile)
{
    attest_judge_instance *x = p->x;
    double *const *y = p->r->exponential;
    size_t first = tile->first - p->row->first, count = tile->last - tile->first;
    element reference = get_reference(p);

    if (!x->problem->capped &&
        attest_judge_interval_exponentials(y[LOWER] + first, y[UPPER] + first, p->r, first,
                                           count, reference.lo))
        return;
    for (size_t n = first; n < first + count; n++) {
        element argument = {attest_judge_instance_argument(x, x->score_lo[n], reference.hi),
                            attest_judge_instance_argument(x, x->score_hi[n], reference.lo)};

        if (!is_seen(p, n))
            put(y, n, point(0));
        else if (attest_judge_instance_emulates(x, tile, n + p->row->first))
            put(y, n, polynomial(x, argument));
        else
            put(y, n, attest_judge_interval_exp(x, argument, x->two));
    }
}

static element sink_exponential(part *p)
{
    attest_judge_instance *x = p->x;
    element reference = get_reference(p);
    double logit = p->head->sink_logit;
    element argument = {attest_judge_instance_sink_argument(x, logit, reference.hi),
                        attest_judge_instance_sink_argument(x, logit, reference.lo)};

    return mul(attest_judge_interval_exp(x, argument, x->two), point(x->power), p->r->work);
}

/* ---- many keys at once: the same numbers as one by one ---- */

/* The arguments of attest_judge_instance_argument: R(R(score factor - reference) second). */
static struct judge_loops_exponential get_rule(const attest_judge_instance *x, double reference)
{
    attest_recipe_argument argument = x->recipe.argument;

    return (struct judge_loops_exponential){
        .factor = argument == ATTEST_RECIPE_FOLDED ? x->kappa : 1,
        .reference = reference,
        .second = argument == ATTEST_RECIPE_SEPARATE_TWO ? x->lambda : 1,
        .least = x->work.flush.positive ? x->work.format.tiny : 0,
        .two = x->two,
        .error = x->exp_error};
}

bool attest_judge_interval_exponentials(double *lo, double *hi, attest_judge_interval_run *r,
                                        size_t first, size_t count, double reference)
{
    const attest_judge_instance *x = &r->x;
    struct judge_loops_exponential rule = get_rule(x, reference);

    /* m times log2 e may overflow where no score does: the arguments are not numbers then */
    if (!isfinite(reference) || !attest_judge_is_single(&x->work.format.format) ||
        x->recipe.emulation.polynomial.count > 0 ||
        attest_judge_loops()->arguments(lo, hi, x->score_hi + first, &rule, count) >
            JUDGE_LOOPS_MOST_POWER)
        return false;
    attest_kernel_exp(hi, hi, count);
    attest_judge_loops()->exponentials(lo, hi, lo, hi, x->score_hi + first, &rule, count);
    return true;
}

void attest_judge_interval_cast(double *weight, const attest_judge_instance *x, size_t count)
{
    struct judge_loops_format format;

    if (!x->variant->cast || x->p.plain)
        return;
    format = attest_judge_arithmetic_get_format(&x->p, false);
    attest_judge_loops()->roundings(weight, &format, count);
}

static void add_to_lane(attest_judge_interval_lanes *lanes, size_t l,
                        const double *const term[2], size_t j,
                        const attest_judge_accumulator side[2])
{
    for (int e = LOWER; e <= UPPER; e++) {
        double x = attest_in_double_convert(term[e][j], &side[e].format);

        lanes->sum[e][l] =
            lanes->started[l] ? attest_judge_accumulator_add(lanes->sum[e][l], x, &side[e]) : x;
    }
    lanes->running += !lanes->started[l];
    lanes->started[l] = true;
}

/* A lane's first term is not added to anything, and not flushed. */
void attest_judge_interval_add_lanes(attest_judge_interval_lanes *lanes,
                                     const double *const term[2], size_t lead, size_t count,
                                     const attest_judge_interval_run *r)
{
    size_t many = r->x.recipe.lanes, j = 0;
    const attest_judge_accumulator *side = r->sum;

    while (j < count &&
           ((lead + j) % many != 0 || lanes->running < many || side[LOWER].format.plain)) {
        add_to_lane(lanes, (lead + j) % many, term, j, side);
        j++;
    }
    if (j < count) {
        const struct judge_loops_format format[2] = {
            attest_judge_arithmetic_get_format(&side[LOWER].format, side[LOWER].flush.positive),
            attest_judge_arithmetic_get_format(&side[UPPER].format,
                                               side[UPPER].flush.positive)};
        double *const sum[2] = {lanes->sum[LOWER], lanes->sum[UPPER]};
        const double *const rest[2] = {term[LOWER] + j, term[UPPER] + j};

        attest_judge_loops()->lanes(sum, rest, format, many, (count - j) / many);
        j += (count - j) / many * many;
    }
    for (; j < count; j++)
        add_to_lane(lanes, (lead + j) % many, term, j, side);
}
/* ---- weights, sums and quotients ---- */

static void cast_weights(part *p, const attest_judge_tile *tile)
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

static void add_to_lanes(part *p, double *const terms[], const attest_judge_tile *tile)
{
    size_t first = tile->first - p->row->first;
    const double *const term[2] = {terms[LOWER] + first, terms[UPPER] + first};

    attest_judge_interval_add_lanes(&p->lanes, term, tile->first - tile->start,
                                    tile->last - tile->first, p->r);
}

static element join_lanes(part *p)
{
    element sum = get(p->lanes.sum, 0);

    for (size_t l = 1; l < p->x->recipe.lanes; l++)
        sum = add(sum, get(p->lanes.sum, l), p->r->sum);
    return sum;
}

static void add_products(part *p, double *const o[], size_t index, bool started)
{
    if (attest_judge_interval_add_values(o, p->r, p->head, p->row->first, &p->tile[index],
                                         started))
        return;
    attest_judge_watch_add(p->x->watch, ATTEST_JUDGE_PRODUCT_LEAVES, 0, INFINITY);
    p->failed = true;
}

static void add_group(part *p)
{
    attest_judge_interval_add_group(p->r, p->has_o);
}

/* Lemma 6: the least possible result for a quotient >= q: a number of the format within the
 * error of q; below twice the least normal number also within a quantum, or 0. Both errors grow
 * if the quotient is multiplied by a factor. */
static double least_quotient(double q, double error, double factor, const attest_in_double *h)
{
    double lo = q - error * fabs(q);

    if (q == 0)
        return 0;
    if (fabs(lo) < 0x1p-125 * fmax(factor, 1))
        return q > 0 ? 0 : lo - 0x1p-149 * (factor == 1 ? 1 : 1 + factor);
    return h->plain ? lo : attest_judge_round_up(lo, h);
}

/* Returns a / b times a factor, within the error. Fails if b may be 0 or the quotient may
 * exceed the largest number. */
static element quotient(part *p, element a, element b, double factor, double error)
{
    const attest_in_double *h = &p->x->work.format;
    element q = {a.lo / (a.lo >= 0 ? b.hi : b.lo) * factor,
                 a.hi / (a.hi >= 0 ? b.lo : b.hi) * factor};

    /* kernels may multiply by the reciprocal: within the error if that is normal */
    if (!(b.lo > 0) || !(1 / b.hi >= 2 * (h->plain ? DBL_MIN : h->tiny)) || !isfinite(q.lo) ||
        !isfinite(q.hi)) {
        p->failed = true;
        return point(0);
    }
    q = (element){least_quotient(q.lo, error, factor, h),
                  -least_quotient(-q.hi, error, factor, h)};
    p->failed = p->failed || !isfinite(q.lo) || !isfinite(q.hi);
    return q;
}

/* A weight divided by a sum. */
static element divide(part *p, element a, element b, bool push)
{
    element y = quotient(p, a, b, 1, p->x->final_error + 0x1p-51); /* all this rounds */

    (void)push;           /* both ends are kept */
    y.lo = fmax(y.lo, 0); /* a weight is not negative */
    return y;
}

/* The factor of v is one more rounding of the quotient or of the reciprocal of the sum. */
static element finish_output(part *p, element o)
{
    const attest_judge_instance *x = p->x;
    double f = x->value_factor, u = ldexp(1, (int)-x->work.format.format.precision);
    double error = x->final_error + u * (1 + x->final_error) + 0x1p-50;

    if (x->recipe.before) {
        o = mul(o, point(ldexp(1, (int)-x->variant->offset)), p->r->work);
        return mul(o, point(f), p->r->work);
    }
    if (!x->problem->descaled)
        return quotient(p, o, p->sum, 1, x->final_error + 0x1p-51);
    /* the factor over the sum is a normal number */
    if (!(f / p->sum.hi >= 0x1p-125 && f / p->sum.lo < 0x1p126))
        p->failed = true;
    return quotient(p, o, p->sum, f, error);
}

/* ---- Lemma 9: splits ---- */

static element log_sum(part *p, size_t split)
{
    attest_judge_instance *x = p->x;
    size_t place = split * (x->problem->value_dim + 2) + x->problem->value_dim;
    element sum = get(p->r->part, place), m = get(p->r->part, place + 1), l;

    l = (element){attest_judge_instance_log(x, sum.lo, true).lo,
                  attest_judge_instance_log(x, sum.hi, true).hi};
    l = add((element){attest_judge_accumulator_mul(m.lo, x->unit, &p->r->work[LOWER]),
                      attest_judge_accumulator_mul(m.hi, x->unit, &p->r->work[UPPER])},
            l, p->r->work);
    if (!isfinite(l.lo) || !isfinite(l.hi))
        p->failed = true;
    return l;
}

static element weigh_split(part *p, size_t split, size_t splits)
{
    element l = get(p->r->joined, split), others = point(-(double)INFINITY), argument;

    for (size_t s = 0; s < splits; s++)
        if (s != split)
            others = larger(others, get(p->r->joined, s));
    argument = add(l, (element){-fmax(l.hi, others.hi), -fmax(l.lo, others.lo)}, p->r->work);
    if (l.lo >= others.hi)
        argument = point(0); /* it is the largest itself */
    argument.hi = fmin(argument.hi, 0);
    return attest_judge_interval_exp(p->x, argument, false);
}

/* Schedules have none of these ways. */
static void join_otherwise(part *p, size_t splits)
{
    (void)splits;
    p->failed = true;
}

/* ---- a row ---- */

/* Lemma 2: a lower end may be flushed down to 0, an upper end up to 0. */
static attest_judge_accumulator one_side(const attest_judge_accumulator *s, int side)
{
    attest_judge_accumulator r = *s;
    bool single = attest_judge_is_single(&s->format.format);

    r.flush = (attest_in_double_flush){single && side == LOWER, single && side == UPPER};
    return r;
}

/* The arrays of the lower ends are those of the instance. */
static bool alloc_ends(attest_judge_interval_run *r)
{
    attest_judge_instance *x = &r->x;
    size_t keys = x->problem->keys, values = x->problem->value_dim, splits = x->recipe.splits;
    double *next =
        attest_memory_alloc(4 * keys + 2 * values + splits * (values + 4), sizeof *next);

    r->upper = next;
    if (!next)
        return false;
    r->score[LOWER] = x->score_lo;
    r->score[UPPER] = x->score_hi;
    r->exponential[LOWER] = x->exponential;
    r->exponential[UPPER] = next;
    r->weight[LOWER] = x->weight;
    r->weight[UPPER] = next + keys;
    r->term[LOWER] = next + 2 * keys;
    r->term[UPPER] = next + 3 * keys;
    next += 4 * keys;
    r->o[LOWER] = x->o;
    r->o[UPPER] = next;
    r->group[LOWER] = x->group;
    r->group[UPPER] = next + values;
    next += 2 * values;
    r->part[LOWER] = x->part;
    r->part[UPPER] = next;
    r->joined[LOWER] = x->part + splits * (values + 2);
    r->joined[UPPER] = next + splits * (values + 2);
    return true;
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
    if (!alloc_ends(r)) {
        attest_judge_interval_run_clear(r);
        return attest_memory_fail(error);
    }
    return ATTEST_OK;
}

void attest_judge_interval_run_clear(attest_judge_interval_run *r)
{
    free(r->upper);
    attest_judge_instance_clear(&r->x);
    memset(r, 0, sizeof *r); /* it may be cleared again */
}

static element cast_output(const attest_judge_instance *x, element y)
{
    const attest_in_double *h = &x->output;

    if (x->variant->output_any && !h->plain)
        return (element){attest_judge_round_down(y.lo, h), attest_judge_round_up(y.hi, h)};
    return cast(y, h);
}

/* Returns whether the scores of all keys that are seen are finite. A score that overflows
 * downwards is not a key that is not seen. */
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

/* Widens lo and hi by the outputs in r->o; returns false if one of them may overflow. */
static bool take_outputs(double *lo, double *hi, const attest_judge_interval_run *r)
{
    const attest_judge_instance *x = &r->x;
    double most = x->output.format.saturates ? x->output.most : (double)INFINITY;
    bool ok = true;

    for (size_t c = 0; c < x->problem->value_dim && ok; c++) {
        element raw = get(r->o, c), y = cast_output(x, raw);

        ok = isfinite(y.lo) && isfinite(y.hi);
        if (!ok || !(-most <= raw.lo && raw.hi <= most))
            attest_judge_watch_add(x->watch, ATTEST_JUDGE_OUTPUT_LEAVES, c, raw.hi);
        lo[c] = fmin(lo[c], y.lo);
        hi[c] = fmax(hi[c], y.hi);
    }
    return ok;
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
    for (int of_cast = 0; ok && of_cast <= (both ? 1 : 0); of_cast++) {
        if (both)
            x->recipe.sum_cast = of_cast == 1;
        ok = run_parts(r, x, head, &row, tiles) && take_outputs(lo, hi, r);
    }
    if (!ok)
        fill(lo, hi, values, -(double)INFINITY, (double)INFINITY);
    return ok;
}
