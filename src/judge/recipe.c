/* recipe.c -- kernels of a model: made from a schedule, or drawn at random. */
#include "judge/recipe.h"

#include "base/random.h"

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
    r->split_divides_last = toss(state);
    r->before = variant->place == ATTEST_JUDGE_PLACE_ANY
                    ? pick(state, 4) == 0
                    : variant->place == ATTEST_JUDGE_PLACE_BEFORE;
    r->reciprocal = toss(state);
    r->target = pick(state, 1 << 20);
    r->push_up = toss(state);
    return draw_tiles(r, state, variant, error);
}
