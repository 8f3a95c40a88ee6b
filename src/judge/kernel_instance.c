/* kernel_instance.c -- kernels of a model: their choices, formats, constants and arrays. */
#include "judge/kernel_instance.h"

#include <attest/number.h>

#include <float.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/random.h"
#include "number/scope.h"

/* ---- recipes: made from a schedule, or drawn at random ---- */

static attest_recipe_order order_of(attest_judge_order order)
{
    switch (order) {
    case ATTEST_JUDGE_ORDER_BACKWARD:
        return ATTEST_RECIPE_BACKWARD;
    case ATTEST_JUDGE_ORDER_PAIRWISE:
        return ATTEST_RECIPE_PAIRWISE;
    case ATTEST_JUDGE_ORDER_TENSOR:
    case ATTEST_JUDGE_ORDER_TENSOR_FORWARD:
        return ATTEST_RECIPE_BLOCKS;
    case ATTEST_JUDGE_ORDER_TENSOR_BACKWARD:
        return ATTEST_RECIPE_BLOCKS_BACKWARD;
    default:
        return ATTEST_RECIPE_FORWARD;
    }
}

bool attest_judge_recipe_pushes(const attest_judge_recipe *recipe)
{
    return recipe->softcap_error == ATTEST_RECIPE_PUSH ||
           recipe->exp_error == ATTEST_RECIPE_PUSH || recipe->log_error == ATTEST_RECIPE_PUSH ||
           recipe->final_error == ATTEST_RECIPE_PUSH;
}

void attest_judge_recipe_from_schedule(attest_judge_recipe *recipe,
                                       const attest_judge_variant *variant,
                                       const attest_judge_schedule *schedule)
{
    bool folded = schedule->constant == ATTEST_JUDGE_CONSTANT_FOLDED;

    *recipe = (attest_judge_recipe){
        .score = {order_of(schedule->scores),
                  variant->score.exact_products ? ATTEST_RECIPE_FUSED : ATTEST_RECIPE_ROUNDED},
        .pv = {order_of(schedule->pv),
               variant->pv.exact_products ? ATTEST_RECIPE_FUSED : ATTEST_RECIPE_ROUNDED},
        .scaled_query = !folded && variant->scale == ATTEST_JUDGE_SCALE_QUERY,
        .argument = folded ? ATTEST_RECIPE_FOLDED : ATTEST_RECIPE_SEPARATE,
        .offset_inside = folded,
        .max = variant->max == ATTEST_JUDGE_MAX_TWO_PASS ? ATTEST_JUDGE_MAX_TWO_PASS
               : schedule->rescale > 0                   ? ATTEST_JUDGE_MAX_LAZY
                                                         : ATTEST_JUDGE_MAX_ONLINE,
        .tile = schedule->tile,
        .backward = schedule->direction == ATTEST_JUDGE_DIRECTION_BACKWARD,
        .threshold = schedule->rescale,
        .sum_cast = variant->sum_of == ATTEST_JUDGE_SUM_CAST,
        .sum = ATTEST_RECIPE_FORWARD,
        .lanes = schedule->lanes,
        .splits = schedule->splits > 1 ? schedule->splits : 1,
        .flush = schedule->flush,
        .before = schedule->divide == ATTEST_JUDGE_PLACE_BEFORE,
        .reciprocal = schedule->quotient == ATTEST_JUDGE_QUOTIENT_RECIPROCAL,
        .emulation = schedule->emulation,
    };
}

static size_t pick(uint64_t *state, size_t choices)
{
    return (size_t)(attest_random_next(state) >> 32) % choices;
}

static bool toss(uint64_t *state)
{
    return pick(state, 2) == 1;
}

/* (b), (c). */
static attest_recipe_order draw_order(uint64_t *state, const attest_judge_dot *dot)
{
    if (dot->order == ATTEST_JUDGE_ORDER_TENSOR)
        return ATTEST_RECIPE_BLOCKS + (attest_recipe_order)pick(state, 3);
    if (dot->order != ATTEST_JUDGE_ORDER_ANY)
        return order_of(dot->order);
    if (dot->depth > 0)
        return ATTEST_RECIPE_PAIRWISE + (attest_recipe_order)pick(state, 3);
    return ATTEST_RECIPE_FORWARD + (attest_recipe_order)pick(state, 6);
}

static void draw_dot(attest_recipe_dot *dot, uint64_t *state, const attest_judge_dot *allowed)
{
    dot->order = draw_order(state, allowed);
    dot->products =
        allowed->exact_products ? ATTEST_RECIPE_FUSED : (attest_recipe_products)pick(state, 3);
}

/* The same mode of error in a third of the kernels, so that the strongest deviations occur. */
static attest_recipe_error draw_error(uint64_t *state, bool push)
{
    return push ? ATTEST_RECIPE_PUSH : (attest_recipe_error)pick(state, ATTEST_RECIPE_PUSH);
}

/* (e), (h). */
static void draw_scale(attest_judge_recipe *r, uint64_t *state, const attest_judge_variant *v)
{
    attest_judge_scale where = v->scale;

    if (where == ATTEST_JUDGE_SCALE_ANY)
        where = ATTEST_JUDGE_SCALE_SCORE + (attest_judge_scale)pick(state, 3);
    r->scaled_query = where == ATTEST_JUDGE_SCALE_QUERY;
    r->argument =
        where == ATTEST_JUDGE_SCALE_FOLDED ? ATTEST_RECIPE_FOLDED : ATTEST_RECIPE_SEPARATE;
    r->argument += (attest_recipe_argument)pick(state, 2);
    r->offset_inside = where == ATTEST_JUDGE_SCALE_FOLDED && toss(state);
    r->scale_steps = (int)pick(state, 3) - 1;
    r->scale_first = r->argument == ATTEST_RECIPE_FOLDED_TWO_STEP &&
                     v->scale == ATTEST_JUDGE_SCALE_ANY &&
                     v->max != ATTEST_JUDGE_MAX_TWO_PASS && toss(state);
}

/* The direction that an order of the keys implies; 0: none. */
static attest_judge_direction direction_of(attest_judge_order order)
{
    if (order == ATTEST_JUDGE_ORDER_FORWARD || order == ATTEST_JUDGE_ORDER_TENSOR_FORWARD)
        return ATTEST_JUDGE_DIRECTION_FORWARD;
    if (order == ATTEST_JUDGE_ORDER_BACKWARD || order == ATTEST_JUDGE_ORDER_TENSOR_BACKWARD)
        return ATTEST_JUDGE_DIRECTION_BACKWARD;
    return ATTEST_JUDGE_DIRECTION_ANY;
}

/* (d), (i). */
static attest_status draw_tiles(attest_judge_recipe *r, uint64_t *state,
                                const attest_judge_variant *v, attest_error *error)
{
    attest_judge_direction direction = direction_of(v->pv.order);

    if (direction == ATTEST_JUDGE_DIRECTION_ANY)
        direction = v->direction;
    else if (v->direction != ATTEST_JUDGE_DIRECTION_ANY && v->direction != direction)
        return attest_error_set(error, ATTEST_USAGE,
                                "the order of pv contradicts the direction of the tiles");
    r->backward = direction == ATTEST_JUDGE_DIRECTION_ANY
                      ? toss(state)
                      : direction == ATTEST_JUDGE_DIRECTION_BACKWARD;
    /* The hardware ascends in a tile, whatever the order of the tiles. */
    if (v->pv.order == ATTEST_JUDGE_ORDER_TENSOR_BACKWARD && toss(state))
        r->pv.order = ATTEST_RECIPE_BLOCKS;
    r->max = v->max;
    if (r->max == ATTEST_JUDGE_MAX_ANY)
        r->max = ATTEST_JUDGE_MAX_TWO_PASS + (attest_judge_max)pick(state, 3);
    r->threshold = v->threshold;
    r->tile = v->tile;
    if (v->tile > 0 && v->direction == ATTEST_JUDGE_DIRECTION_ANY && toss(state))
        r->tile += pick(state, v->tile + 1);
    if (v->tile == 0 && v->pv.depth > 0)
        return ATTEST_OK; /* every tile adds to the depth */
    if (v->tile == 0 && toss(state))
        r->cuts = 1 + pick(state, 16);
    else if (v->tile == 0)
        r->tile = pick(state, 3) == 0 ? 0 : 1 + pick(state, 64);
    return ATTEST_OK;
}

/* (k). */
static void draw_sum(attest_judge_recipe *r, uint64_t *state, const attest_judge_variant *v)
{
    r->sum_cast =
        v->sum_of == ATTEST_JUDGE_SUM_ANY ? toss(state) : v->sum_of == ATTEST_JUDGE_SUM_CAST;
    r->sum = ATTEST_RECIPE_FORWARD + (attest_recipe_order)pick(state, 6);
    r->lanes = v->lanes > 1 ? v->lanes : toss(state) ? 1 : 1 + pick(state, 8);
    r->join = (attest_recipe_join)pick(state, 2);
    r->sink_in_max = r->argument != ATTEST_RECIPE_FOLDED && toss(state);
    r->sink_last = r->argument != ATTEST_RECIPE_FOLDED && !r->sink_in_max && toss(state);
}

/* (o). */
static attest_recipe_split draw_split(uint64_t *state, attest_judge_join join)
{
    switch (join) {
    case ATTEST_JUDGE_JOIN_LOGS:
        return (attest_recipe_split)pick(state, 3);
    case ATTEST_JUDGE_JOIN_SUMS:
        return ATTEST_RECIPE_SPLIT_SUMS;
    case ATTEST_JUDGE_JOIN_ANY:
        return (attest_recipe_split)pick(state, 5);
    default:
        return (attest_recipe_split)pick(state, 2);
    }
}

attest_status attest_judge_recipe_draw(attest_judge_recipe *recipe,
                                       const attest_judge_variant *variant, uint64_t seed,
                                       attest_error *error)
{
    attest_judge_recipe *r = recipe;
    uint64_t *state = &seed;
    bool push;

    *r = (attest_judge_recipe){.seed = attest_random_mix(seed)};
    push = pick(state, 3) == 0;
    draw_dot(&r->score, state, &variant->score);
    draw_dot(&r->pv, state, &variant->pv);
    draw_scale(r, state, variant);
    draw_sum(r, state, variant);
    r->flush = toss(state);
    r->softcap_error = draw_error(state, push);
    r->exp_error = draw_error(state, push);
    r->log_error = draw_error(state, push);
    r->final_error = draw_error(state, push);
    r->output = variant->output_any ? draw_error(state, push) : ATTEST_RECIPE_NEAREST;
    r->splits = 1 + pick(state, variant->splits);
    r->split = draw_split(state, variant->join);
    r->before = variant->place == ATTEST_JUDGE_PLACE_ANY
                    ? pick(state, 4) == 0
                    : variant->place == ATTEST_JUDGE_PLACE_BEFORE;
    if (r->before && r->splits > 1 && r->split == ATTEST_RECIPE_SPLIT_SUMS)
        r->splits = 1;
    r->reciprocal = toss(state);
    r->target = pick(state, 1 << 20);
    r->push_up = toss(state);
    return draw_tiles(r, state, variant, error);
}

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

/* ---- memory ---- */

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
    *x = (attest_judge_instance){.problem = problem, .variant = variant, .recipe = *recipe};
    ATTEST_TRY_OR(init(x, error), attest_judge_instance_clear(x));
    return ATTEST_OK;
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

/* ---- inputs ---- */

attest_status attest_judge_instance_check(const attest_judge_instance *x,
                                          const attest_judge_head *head, attest_error *error)
{
    const attest_judge_problem *q = x->problem;
    const attest_judge_variant *v = x->variant;
    const double *value[3] = {head->q, head->k, head->v};
    const attest_format *format[3] = {&v->q, &v->k, &v->v};
    size_t dim[3] = {q->dim, q->dim, q->value_dim}, tokens[3] = {q->queries, q->keys, q->keys};

    for (size_t t = 0; t < 3; t++) {
        attest_in_double h;

        attest_in_double_init(&h, format[t], ATTEST_SIMULATED_NEAREST, NULL, NULL);
        for (size_t n = 0; n < tokens[t] * dim[t]; n++)
            if (attest_in_double_convert(value[t][n], &h) != value[t][n])
                return attest_error_set(error, ATTEST_FORMAT,
                                        "%c[%zu][%zu][%zu][%zu] is not a number of the format "
                                        "%s that the model names",
                                        "qkv"[t], head -> batch, head -> head, n / dim[t],
                                        n % dim[t], format[t] -> name);
    }
    return ATTEST_OK;
}
