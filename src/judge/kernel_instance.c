/* kernel_instance.c -- the constants, formats and arrays of a kernel, and its arguments of exp.
 * */
#include "judge/kernel_instance.h"

#include <attest/number.h>

#include <float.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/random.h"
#include "number/scope.h"

/* ---- formats ---- */

bool attest_judge_is_single(const attest_format *format)
{
    return format->bounded && format->precision == 24 && format->emin == -126;
}

static attest_status init_format(attest_in_double *h, const attest_format *format,
                                 attest_error *error)
{
    if (!format->bounded || !attest_in_double_fits(format, ATTEST_SIMULATED_NEAREST))
        return attest_error_set(error, ATTEST_USAGE,
                                "kernels in the format %s are not simulated", format->name);
    attest_in_double_init(h, format, ATTEST_SIMULATED_NEAREST, NULL, NULL);
    return ATTEST_OK;
}

/* (a), (b): the accumulator of one stage. */
static attest_status init_summer(attest_judge_accumulator *s, const attest_format *format,
                                 attest_recipe_dot how, attest_judge_instance *x,
                                 attest_error *error)
{
    *s =
        (attest_judge_accumulator){.order = how.order,
                                   .products = how.products,
                                   .flush = {x->recipe.flush && attest_judge_is_single(format),
                                             x->recipe.flush && attest_judge_is_single(format)},
                                   .random = &x->random};
    return init_format(&s->format, format, error);
}

/* The accumulator of products of a and b; (c) for orders in blocks. */
static attest_status init_dot(attest_judge_accumulator *s, const attest_judge_dot *dot,
                              attest_recipe_dot how, const attest_format *a,
                              const attest_format *b, attest_judge_instance *x,
                              attest_error *error)
{
    ATTEST_TRY(init_summer(s, &dot->accumulate, how, x, error));
    s->depth = dot->depth;
    s->wide = a->precision + b->precision > 53;
    if (how.order < ATTEST_RECIPE_BLOCKS)
        return s->wide && dot->exact_products
                   ? attest_error_set(error, ATTEST_USAGE,
                                      "exact products of %s and %s are not simulated", a->name,
                                      b->name)
                   : ATTEST_OK;
    if (!attest_judge_unit_fits(a, b, &dot->accumulate, dot->block, dot->fraction))
        return attest_error_set(error, ATTEST_USAGE,
                                "no matrix unit sums blocks of %zu products of %s and %s into "
                                "%s with a fraction of %zu bits",
                                dot->block, a->name, b->name, dot->accumulate.name,
                                dot->fraction);
    s->block = dot->block;
    s->promote = dot->promote;
    if (s == &x->pv)
        x->group_tiles = dot->promote_tiles;
    attest_judge_unit_init(&s->unit, a, b, &dot->accumulate, dot->fraction);
    return ATTEST_OK;
}

static attest_status init_formats(attest_judge_instance *x, attest_error *error)
{
    static const attest_format single = {.name = "binary32", 24, true, -126, 127, 32};
    const attest_judge_variant *v = x->variant;
    const attest_format *work =
        v->score.accumulate.precision > 24 ? &v->score.accumulate : &single;
    const attest_recipe_dot chain = {ATTEST_RECIPE_FORWARD, ATTEST_RECIPE_ROUNDED};
    const attest_recipe_dot sum = {x->recipe.sum, ATTEST_RECIPE_ROUNDED};
    attest_in_double unused;
    const attest_format *query = x->recipe.scaled_query ? &v->scaled_query : &v->q;

    if (x->recipe.lanes < 1 || x->recipe.lanes > ATTEST_RECIPE_LANES)
        return attest_error_set(error, ATTEST_USAGE, "%zu lanes are not simulated",
                                x->recipe.lanes);
    ATTEST_TRY(init_format(&unused, &v->q, error));
    ATTEST_TRY(init_format(&unused, &v->k, error));
    ATTEST_TRY(init_format(&unused, &v->v, error));
    ATTEST_TRY(init_summer(&x->work, work, chain, x, error));
    ATTEST_TRY(init_dot(&x->score, &v->score, x->recipe.score, query, &v->k, x, error));
    ATTEST_TRY(init_dot(&x->pv, &v->pv, x->recipe.pv, v->cast ? &v->p : work, &v->v, x, error));
    ATTEST_TRY(init_summer(&x->sum, &v->sum_accumulate, sum, x, error));
    if (v->stored)
        ATTEST_TRY(init_format(&x->store, &v->store, error));
    if (v->scale_stored)
        ATTEST_TRY(init_format(&x->scale_store, &v->scale_store, error));
    if (v->softcap_stored)
        ATTEST_TRY(init_format(&x->softcap_store, &v->softcap_store, error));
    if (v->mask_stored)
        ATTEST_TRY(init_format(&x->mask_store, &v->mask_store, error));
    if (x->recipe.scaled_query)
        ATTEST_TRY(init_format(&x->query, &v->scaled_query, error));
    x->p_limit = DBL_MAX;
    if (v->cast) {
        attest_judge_arithmetic unit;

        ATTEST_TRY(init_format(&x->p, &v->p, error));
        attest_judge_arithmetic_init(&unit, &v->p);
        /* to even, the limit itself becomes the largest number or overflows */
        x->p_limit = attest_judge_arithmetic_includes_limit(&v->p) ? unit.limit
                                                                   : nextafter(unit.limit, 0);
    }
    return init_format(&x->output, &v->output, error);
}

/* ---- constants ---- */

/* factor or 1, times the scale or the softcap, over the softcap, times log2 e or ln 2, as far
 * as the flags are set. */
typedef struct constant {
    const attest_judge_problem *problem;
    bool given; /* factor replaces scale; it may be 0 */
    double factor;
    double descale; /* not 0: one more factor */
    bool scale, over_cap, cap, log2e, ln2;
} constant;

static void refine(arb_t value, void *context, slong bits)
{
    const constant *c = context;
    const attest_judge_problem *q = c->problem;
    ulong root = n_sqrt(q->dim);
    bool irrational = !c->given && c->scale && q->rsqrt && root * root != q->dim;
    FMPQ(rational, other_rational); /* exact where possible */
    ARB(other);

    fmpq_one(rational);
    if (c->given)
        attest_number_set_double(rational, c->factor);
    else if (c->scale && !q->rsqrt)
        fmpq_set(rational, q->scale);
    else if (c->scale && !irrational)
        fmpq_set_ui(rational, 1, root);
    if (c->descale != 0) {
        attest_number_set_double(other_rational, c->descale);
        fmpq_mul(rational, rational, other_rational);
    }
    if (c->over_cap)
        fmpq_div(rational, rational, q->softcap);
    if (c->cap)
        fmpq_mul(rational, rational, q->softcap);
    arb_set_fmpq(value, rational, bits);
    if (irrational) {
        arb_rsqrt_ui(other, q->dim, bits);
        arb_mul(value, value, other, bits);
    }
    if (c->log2e || c->ln2)
        arb_const_log2(other, bits);
    if (c->log2e)
        arb_div(value, value, other, bits);
    if (c->ln2)
        arb_mul(value, value, other, bits);
}

static double get_constant(constant c, const attest_judge_instance *x)
{
    c.problem = x->problem;
    return attest_judge_round_real(refine, &c, &x->work.format);
}

/* (e): moves the constant by one unit of the working format, if it stays within units unit
 * roundoffs of its exact value and is not a power of two. */
static double move_constant(double nearest, constant c, double units, int steps,
                            const attest_judge_instance *x)
{
    double moved = nearest * (1 + steps * ldexp(1.5, (int)-x->work.format.format.precision)), u;
    ARB(exact, difference);
    int exponent;

    c.problem = x->problem;
    u = ldexp(units, (int)-x->work.format.format.precision);
    moved = attest_in_double_convert(moved, &x->work.format);
    if (steps == 0 || frexp(nearest, &exponent) == 0.5)
        return nearest;
    refine(exact, &c, 128);
    arb_set_d(difference, moved);
    arb_sub(difference, difference, exact, 128);
    arb_abs(difference, difference);
    arb_div(difference, difference, exact, 128);
    arb_set_d(exact, u);
    if (!arb_lt(difference, exact))
        moved = nearest;
    return moved;
}

/* A constant times the product of the scale factors of q and k, both rounded, as in
 * FlashAttention-3. All results are normal numbers. */
static double fold(double number, const attest_judge_instance *x)
{
    const attest_in_double *h = &x->work.format;

    return attest_in_double_mul(number, attest_in_double_convert(x->score_factor, h), h);
}

/* (e), (f), (h). */
static void init_constants(attest_judge_instance *x)
{
    const attest_judge_problem *q = x->problem;
    const attest_judge_recipe *r = &x->recipe;
    bool folded = r->argument >= ATTEST_RECIPE_FOLDED;
    const constant scale = {.scale = true}, log2e = {.log2e = true};
    const constant exact = {.scale = true, .descale = x->score_factor};
    double more = q->descaled ? 2 : 0; /* roundings of a constant */
    constant kappa = {.log2e = true};

    x->additive = q->qkv.mask.data && q->qkv.mask.type != ATTEST_TENSOR_BOOL;
    x->two = r->argument != ATTEST_RECIPE_SEPARATE;
    x->scale = get_constant(scale, x);
    x->lambda = get_constant(log2e, x);
    x->ln2 = get_constant((constant){.ln2 = true}, x);
    x->unit = r->argument == ATTEST_RECIPE_FOLDED_TWO_STEP ? x->ln2 : 1;
    x->kappa = x->lambda;
    if (q->capped) {
        x->cap = get_constant((constant){.cap = true}, x);
        x->scale_over_cap = get_constant((constant){.scale = true, .over_cap = true}, x);
    }
    if (folded && !x->additive) {
        kappa.given = true;
        kappa.factor = q->capped ? x->cap : x->scale;
        x->kappa = get_constant(kappa, x);
        if (q->descaled && !q->capped)
            x->kappa = fold(x->kappa, x);
    }
    if (q->descaled) {
        x->scale = fold(x->scale, x);
        x->scale_over_cap = fold(x->scale_over_cap, x);
    }
    if (r->argument == ATTEST_RECIPE_FOLDED && !x->additive)
        x->unit = q->capped ? x->cap : x->scale;
    kappa = exact;
    kappa.log2e = true;
    if (folded && !x->additive && !q->capped)
        x->kappa = move_constant(x->kappa, kappa, 3 + more, r->scale_steps, x);
    else if (!q->capped)
        x->scale = move_constant(x->scale, exact, 2 + more, r->scale_steps, x);
}

void attest_judge_instance_set_head(attest_judge_instance *x, const attest_judge_head *head)
{
    x->value_factor = head->value_factor;
    if (x->score_factor == head->score_factor)
        return;
    x->score_factor = head->score_factor;
    init_constants(x);
}

static void init_errors(attest_judge_instance *x)
{
    const attest_judge_variant *v = x->variant;
    double u = ldexp(1, (int)-x->work.format.format.precision);

    x->exp_error = fmax(v->exp_relative, u);
    x->tanh_error = fmax(v->softcap_relative, u);
    x->final_error = fmax(v->final_relative, u);
    x->power = x->recipe.offset_inside || x->recipe.before ? 1 : ldexp(1, (int)v->offset);
    x->shift = x->recipe.offset_inside && !x->recipe.before ? (double)v->offset : 0;
    if (!(x->final_error >= 2 * u))
        x->recipe.reciprocal =
            false; /* the error of a reciprocal and product is up to two roundings */
}

void attest_judge_instance_watch(const attest_judge_instance *x, size_t key, double y_low,
                                 double p_low, double p_high)
{
    attest_judge_watch *w = x->watch;

    if (!w)
        return;
    if (!(p_high <= x->p_limit))
        attest_judge_watch_add(w, ATTEST_JUDGE_WEIGHT_OVERFLOWS, key, p_high);
    else if (x->variant->cast && !(p_high <= x->p.most))
        attest_judge_watch_add(w, ATTEST_JUDGE_WEIGHT_ABOVE, key, p_high);
    if (!(y_low >= 0x1p-126))
        attest_judge_watch_add(w, ATTEST_JUDGE_EXP_UNDERFLOWS, key, y_low);
    if (x->variant->cast && !(attest_in_double_convert(p_low, &x->p) > 0))
        attest_judge_watch_add(w, ATTEST_JUDGE_WEIGHT_VANISHES, key, p_low);
}

static bool alloc(attest_judge_instance *x)
{
    const attest_judge_problem *q = x->problem;
    size_t keys = q->keys, more = keys > q->dim ? keys : q->dim;

    if (more < x->recipe.lanes)
        more = x->recipe.lanes;
    if (more < x->recipe.splits)
        more = x->recipe.splits;
    if (more < q->value_dim)
        more = q->value_dim;
    if (more < ATTEST_JUDGE_KEYS_AT_ONCE)
        more = ATTEST_JUDGE_KEYS_AT_ONCE;
    x->scaled = attest_memory_alloc(q->dim, sizeof *x->scaled);
    x->score_lo = attest_memory_alloc(keys, sizeof *x->score_lo);
    x->score_hi = attest_memory_alloc(keys, sizeof *x->score_hi);
    x->weight = attest_memory_alloc(keys, sizeof *x->weight);
    x->exponential = attest_memory_alloc(keys, sizeof *x->exponential);
    x->o = attest_memory_alloc(q->value_dim, sizeof *x->o);
    x->group = attest_memory_alloc(q->value_dim, sizeof *x->group);
    if (attest_judge_accumulator_is_simple(&x->score)) {
        x->panels =
            attest_memory_alloc(keys + ATTEST_JUDGE_KEYS_AT_ONCE, q->dim * sizeof *x->panels);
        if (!x->panels)
            return false;
    }
    x->part = attest_memory_alloc(x->recipe.splits, (q->value_dim + 4) * sizeof *x->part);
    x->tile = attest_memory_alloc(keys, sizeof *x->tile);
    return x->group && x->scaled && x->score_lo && x->score_hi && x->weight && x->exponential &&
           x->o && x->part && x->tile && attest_judge_accumulator_alloc(&x->score, more) &&
           attest_judge_accumulator_alloc(&x->sum, more) &&
           attest_judge_accumulator_alloc(&x->pv, more) &&
           attest_judge_accumulator_alloc(&x->work, more);
}

static attest_status init(attest_judge_instance *x, attest_error *error)
{
    const attest_block_format *scheme = &x->variant->p_scheme;

    ATTEST_TRY(init_formats(x, error));
    init_errors(x);
    if (!alloc(x))
        return attest_memory_fail(error);
    x->score_factor = x->value_factor = 1;
    init_constants(x);
    if (!attest_judge_instance_quantises(x))
        return ATTEST_OK;
    ATTEST_TRY(attest_block_error_init(&x->scheme_error, scheme, error));
    return attest_block_row_init(&x->scheme, scheme, x->problem->keys, error);
}

attest_status attest_judge_instance_init(attest_judge_instance *x,
                                         const attest_judge_problem *problem,
                                         const attest_judge_variant *variant,
                                         const attest_judge_recipe *recipe, attest_error *error)
{
    attest_status status;

    *x = (attest_judge_instance){.problem = problem, .variant = variant, .recipe = *recipe};
    status = init(x, error);
    if (status != ATTEST_OK)
        attest_judge_instance_clear(x);
    return status;
}

void attest_judge_instance_clear(attest_judge_instance *x)
{
    free(x->scaled);
    free(x->score_lo);
    free(x->score_hi);
    free(x->weight);
    free(x->exponential);
    free(x->o);
    free(x->group);
    free(x->panels);
    free(x->part);
    free(x->tile);
    x->scaled = x->score_lo = x->score_hi = x->weight = x->exponential = NULL;
    x->o = x->group = x->panels = x->part = NULL;
    x->tile = NULL; /* it may be cleared again */
    attest_judge_accumulator_clear(&x->score);
    attest_judge_accumulator_clear(&x->sum);
    attest_judge_accumulator_clear(&x->pv);
    attest_judge_accumulator_clear(&x->work);
    attest_block_row_clear(&x->scheme);
}

/* ---- arguments of exp and results of log: (h), (i), (l), (o) ---- */

static double add(const attest_judge_instance *x, double a, double b)
{
    return attest_judge_accumulator_add(a, b, &x->work);
}

static double mul(const attest_judge_instance *x, double a, double b)
{
    return attest_judge_accumulator_mul(a, b, &x->work);
}

static double fused(const attest_judge_instance *x, double a, double b, double c)
{
    return attest_judge_accumulator_flush(attest_in_double_fma(a, b, c, &x->work.format),
                                          &x->work);
}

double attest_judge_instance_divide(double a, double b, const attest_judge_accumulator *work)
{
    const attest_in_double *h = &work->format;
    double q = a / b, remainder;

    if (h->plain || !isfinite(q) || q == 0)
        return attest_in_double_convert(q, h);
    remainder = fma(-q, b, a);
    q = attest_in_double_to_odd(q, b < 0 ? -remainder : remainder);
    return attest_judge_accumulator_round(q, work);
}

double attest_judge_instance_reference(const attest_judge_instance *x, double m)
{
    if (x->recipe.argument == ATTEST_RECIPE_FOLDED)
        m = mul(x, m, x->kappa);
    return x->shift != 0 ? add(x, m, -x->shift) : m;
}

double attest_judge_instance_argument(const attest_judge_instance *x, double score,
                                      double reference)
{
    if (x->recipe.argument == ATTEST_RECIPE_FOLDED)
        return fused(x, score, x->kappa, -reference);
    score = add(x, score, -reference);
    return x->recipe.argument == ATTEST_RECIPE_SEPARATE_TWO ? mul(x, score, x->lambda) : score;
}

double attest_judge_instance_rescale(const attest_judge_instance *x, double m, double more)
{
    double difference = add(x, m, -more);

    if (x->recipe.argument == ATTEST_RECIPE_FOLDED)
        return mul(x, difference, x->kappa);
    if (x->recipe.argument == ATTEST_RECIPE_SEPARATE_TWO)
        return mul(x, difference, x->lambda);
    return difference;
}

bool attest_judge_instance_keeps(const attest_judge_instance *x, double m, double more)
{
    double difference = attest_judge_instance_rescale(x, m, more);

    if (x->recipe.max != ATTEST_JUDGE_MAX_LAZY)
        return !(more > m);
    if (x->recipe.argument == ATTEST_RECIPE_SEPARATE)
        difference = mul(x, difference, x->lambda);
    return difference >= -x->recipe.threshold;
}

double attest_judge_instance_sink(const attest_judge_instance *x, double logit)
{
    logit = attest_in_double_convert(logit, &x->work.format);
    return x->recipe.argument == ATTEST_RECIPE_FOLDED_TWO_STEP ? mul(x, logit, x->lambda)
                                                               : logit;
}

double attest_judge_instance_sink_argument(const attest_judge_instance *x, double logit,
                                           double reference)
{
    double sink = attest_judge_instance_sink(x, logit);

    if (x->recipe.argument == ATTEST_RECIPE_FOLDED)
        return fused(x, sink, x->lambda, -reference);
    return attest_judge_instance_argument(x, sink, reference);
}

/* The working format has numbers within the allowed error from lo to hi. */
attest_judge_exponential attest_judge_instance_log(const attest_judge_instance *x, double sum,
                                                   bool outer)
{
    const attest_in_double *h = &x->work.format;
    attest_judge_exponential y;
    double exact, radius, slack;
    int inexact;
    MPFR(53, l);

    mpfr_set_d(l, sum, MPFR_RNDN);
    inexact = mpfr_log(l, l, MPFR_RNDZ);
    exact = mpfr_get_d(l, MPFR_RNDZ);
    y.nearest = attest_in_double_convert(
        h->plain ? exact : attest_in_double_to_odd(exact, inexact ? exact : 0), h);
    radius = x->variant->split_log;
    slack = 0x1p-50 * fabs(exact) + 0x1p-20 * radius; /* exact is off by 2^-52, sums round */
    radius = outer ? radius + slack : fmax(radius - slack, 0);
    y.lo = fmin(y.nearest, attest_judge_round_up(exact - radius, h));
    y.hi = fmax(y.nearest, attest_judge_round_down(exact + radius, h));
    return y;
}
