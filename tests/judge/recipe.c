/* recipe.c -- kernels of a model: a schedule determines its kernel, and drawn kernels make
 * every choice that the variant leaves open, and no other. */
#include <stdlib.h>
#include <string.h>

#include "judge/kernel_instance.h"
#include "tests/tap.h"

enum { DRAWS = 4000 };

static attest_judge_variant any_variant(void)
{
    attest_judge_variant v;

    attest_judge_variant_init(&v);
    v.score.order = v.pv.order = ATTEST_JUDGE_ORDER_ANY;
    v.score.depth = v.pv.depth = 0;
    v.score.exact_products = v.pv.exact_products = false;
    v.scale = ATTEST_JUDGE_SCALE_ANY;
    v.max = ATTEST_JUDGE_MAX_ANY;
    v.direction = ATTEST_JUDGE_DIRECTION_ANY;
    v.sum_of = ATTEST_JUDGE_SUM_ANY;
    v.place = ATTEST_JUDGE_PLACE_ANY;
    v.tile = 0;
    v.lanes = 1;
    v.splits = 3;
    v.threshold = 5;
    v.output_any = true;
    return v;
}

/* ---- schedules ---- */

static attest_judge_recipe from(const attest_judge_variant *v, const attest_judge_schedule *s)
{
    attest_judge_recipe r;

    attest_judge_recipe_from_schedule(&r, v, s);
    return r;
}

static void orders(void)
{
    static const struct {
        attest_judge_order order;
        attest_recipe_order wanted;
    } c[] = {{ATTEST_JUDGE_ORDER_FORWARD, ATTEST_RECIPE_FORWARD},
             {ATTEST_JUDGE_ORDER_BACKWARD, ATTEST_RECIPE_BACKWARD},
             {ATTEST_JUDGE_ORDER_PAIRWISE, ATTEST_RECIPE_PAIRWISE},
             {ATTEST_JUDGE_ORDER_TENSOR, ATTEST_RECIPE_BLOCKS},
             {ATTEST_JUDGE_ORDER_TENSOR_FORWARD, ATTEST_RECIPE_BLOCKS},
             {ATTEST_JUDGE_ORDER_TENSOR_BACKWARD, ATTEST_RECIPE_BLOCKS_BACKWARD}};
    attest_judge_variant v = any_variant();
    size_t wrong = 0;

    for (size_t i = 0; i < sizeof c / sizeof c[0]; i++) {
        attest_judge_schedule s = {.scores = c[i].order, .pv = ATTEST_JUDGE_ORDER_FORWARD};
        attest_judge_schedule t = {.scores = ATTEST_JUDGE_ORDER_FORWARD, .pv = c[i].order};

        wrong += from(&v, &s).score.order != c[i].wanted || from(&v, &s).pv.order != 0;
        wrong += from(&v, &t).pv.order != c[i].wanted || from(&v, &t).score.order != 0;
    }
    TAP_OK(wrong == 0, "orders of a schedule: %zu wrong", wrong);
}

static void schedules(void)
{
    attest_judge_variant v = any_variant();
    attest_judge_schedule s = {.tile = 7,
                               .lanes = 3,
                               .direction = ATTEST_JUDGE_DIRECTION_FORWARD,
                               .divide = ATTEST_JUDGE_PLACE_AFTER,
                               .constant = ATTEST_JUDGE_CONSTANT_FOLDED};
    attest_judge_recipe r;

    v.score.exact_products = true;
    v.scale = ATTEST_JUDGE_SCALE_QUERY;
    v.sum_of = ATTEST_JUDGE_SUM_CAST;
    r = from(&v, &s);
    TAP_OK(r.tile == 7 && r.lanes == 3 && r.splits == 1 && !r.backward && !r.before &&
               !r.reciprocal && !r.flush && r.sum_cast && r.sum == ATTEST_RECIPE_FORWARD,
           "sizes and places");
    TAP_OK(r.score.products == ATTEST_RECIPE_FUSED && r.pv.products == ATTEST_RECIPE_ROUNDED,
           "products are fused where the model has exact ones");
    TAP_OK(r.argument == ATTEST_RECIPE_FOLDED && r.offset_inside && !r.scaled_query,
           "a folded constant scales no query");
    TAP_OK(r.max == ATTEST_JUDGE_MAX_ONLINE && !attest_judge_recipe_pushes(&r),
           "a maximum that is always raised, functions to nearest");
    s = (attest_judge_schedule){.direction = ATTEST_JUDGE_DIRECTION_BACKWARD,
                                .rescale = 0.25,
                                .divide = ATTEST_JUDGE_PLACE_BEFORE,
                                .quotient = ATTEST_JUDGE_QUOTIENT_RECIPROCAL,
                                .emulation = {.fragment = 4, .frequency = 9},
                                .splits = 2,
                                .flush = true};
    s.constant = (attest_judge_constant)(ATTEST_JUDGE_CONSTANT_FOLDED + 1);
    v.score.exact_products = false;
    v.pv.exact_products = true;
    v.sum_of = ATTEST_JUDGE_SUM_UNCAST;
    r = from(&v, &s);
    TAP_OK(r.splits == 2 && r.backward && r.before && r.reciprocal && r.flush && !r.sum_cast &&
               r.emulation.fragment == 4 && r.emulation.frequency == 9 &&
               r.score.products == ATTEST_RECIPE_ROUNDED &&
               r.pv.products == ATTEST_RECIPE_FUSED,
           "the other ones");
    TAP_OK(r.argument == ATTEST_RECIPE_SEPARATE && !r.offset_inside && r.scaled_query,
           "a scaled query");
    TAP_OK(r.max == ATTEST_JUDGE_MAX_LAZY && r.threshold == 0.25, "a lazy maximum");
    v.max = ATTEST_JUDGE_MAX_TWO_PASS;
    v.scale = ATTEST_JUDGE_SCALE_SCORE;
    TAP_OK(from(&v, &s).max == ATTEST_JUDGE_MAX_TWO_PASS && !from(&v, &s).scaled_query,
           "two passes have no maximum to raise");
}

static void pushes(void)
{
    attest_judge_recipe r = {0};
    attest_recipe_error *const of[] = {&r.softcap_error, &r.exp_error, &r.log_error,
                                       &r.final_error};
    bool ok = true;

    r.output = ATTEST_RECIPE_PUSH;
    for (size_t i = 0; i < 4; i++) {
        *of[i] = ATTEST_RECIPE_PUSH;
        ok = ok && attest_judge_recipe_pushes(&r);
        *of[i] = ATTEST_RECIPE_RANDOM;
        ok = ok && !attest_judge_recipe_pushes(&r);
    }
    TAP_OK(ok, "one error that pushes is enough");
}

/* ---- what is drawn ---- */

/* Values that were seen, one bit for each. */
typedef struct seen {
    unsigned score, score_products, pv, pv_products, query, argument, inside, steps, error[5],
        max, backward, flush, sum_cast, sum, join, sink, sink_last, split, before, reciprocal,
        up, splits;
    size_t least_tile, most_tile, least_cuts, most_cuts, whole, lanes[9], most_lanes, pushing;
    uint64_t target;
    bool sums_before, both, same_seed, inside_unfolded, sink_folded, mixed_push;
} seen;

static void note_choices(seen *s, const attest_judge_recipe *r)
{
    const attest_recipe_error error[5] = {r->softcap_error, r->exp_error, r->log_error,
                                          r->final_error, r->output};
    bool folded = r->argument >= ATTEST_RECIPE_FOLDED;
    int pushed = 0;

    s->score |= 1u << r->score.order;
    s->score_products |= 1u << r->score.products;
    s->pv |= 1u << r->pv.order;
    s->pv_products |= 1u << r->pv.products;
    s->query |= 1u << r->scaled_query;
    s->argument |= 1u << r->argument;
    s->inside |= 1u << r->offset_inside;
    s->steps |= 1u << (r->scale_steps + 1);
    s->max |= 1u << r->max;
    s->backward |= 1u << r->backward;
    s->flush |= 1u << r->flush;
    s->sum_cast |= 1u << r->sum_cast;
    s->sum |= 1u << r->sum;
    s->join |= 1u << r->join;
    s->sink |= 1u << r->sink_in_max;
    s->split |= 1u << r->split;
    s->sink_last |= 1u << r->sink_last;
    s->before |= 1u << r->before;
    s->reciprocal |= 1u << r->reciprocal;
    s->up |= 1u << r->push_up;
    s->splits |= 1u << r->splits;
    s->target |= r->target;
    for (int i = 0; i < 5; i++) {
        s->error[i] |= 1u << error[i];
        pushed += error[i] == ATTEST_RECIPE_PUSH;
    }
    s->pushing += pushed > 0;
    s->mixed_push |= pushed > 0 && pushed < 4;
    s->inside_unfolded |= r->offset_inside && !folded;
    s->inside_unfolded |= folded && r->scaled_query;
    s->sink_folded |= r->argument == ATTEST_RECIPE_FOLDED && (r->sink_in_max || r->sink_last);
    s->sums_before |= r->before && r->splits > 1 && r->split == ATTEST_RECIPE_SPLIT_SUMS;
}

static void note_sizes(seen *s, const attest_judge_recipe *r)
{
    s->both |= r->tile > 0 && r->cuts > 0;
    s->whole += r->tile == 0 && r->cuts == 0;
    if (r->tile > 0) {
        s->least_tile = r->tile < s->least_tile ? r->tile : s->least_tile;
        s->most_tile = r->tile > s->most_tile ? r->tile : s->most_tile;
    }
    if (r->cuts > 0) {
        s->least_cuts = r->cuts < s->least_cuts ? r->cuts : s->least_cuts;
        s->most_cuts = r->cuts > s->most_cuts ? r->cuts : s->most_cuts;
    }
    s->most_lanes = r->lanes > s->most_lanes ? r->lanes : s->most_lanes;
    s->lanes[r->lanes < 9 ? r->lanes : 0]++;
}

static seen draw(const attest_judge_variant *v)
{
    seen s = {.least_tile = SIZE_MAX, .least_cuts = SIZE_MAX};
    attest_judge_recipe r, again;
    uint64_t before = 0;

    for (uint64_t seed = 0; seed < DRAWS; seed++) {
        if (attest_judge_recipe_draw(&r, v, seed, NULL) != ATTEST_OK ||
            attest_judge_recipe_draw(&again, v, seed, NULL) != ATTEST_OK ||
            r.threshold != v->threshold || r.seed != again.seed || r.target != again.target)
            abort();
        note_choices(&s, &r);
        note_sizes(&s, &r);
        s.same_seed |= r.seed == before;
        before = r.seed;
    }
    return s;
}

/* The first n values. */
#define ALL(n) ((1u << (n)) - 1)

static void everything(void)
{
    attest_judge_variant v = any_variant();
    seen s = draw(&v);

    TAP_OK(s.score == ALL(6) && s.pv == ALL(6) && s.sum == ALL(6), "orders of every kind");
    TAP_OK(s.score_products == ALL(3) && s.pv_products == ALL(3), "products of every kind");
    TAP_OK(s.query == 3 && s.argument == ALL(4) && s.inside == 3 && s.steps == ALL(3) &&
               !s.inside_unfolded,
           "places of the scale, offsets inside folded arguments only");
    TAP_OK(s.error[0] == ALL(5) && s.error[1] == ALL(5) && s.error[2] == ALL(5) &&
               s.error[3] == ALL(5) && s.error[4] == ALL(5) && !s.mixed_push,
           "errors of every kind, all or none pushing");
    TAP_OK(s.pushing > DRAWS * 3 / 10 && s.pushing < DRAWS * 37 / 100, "a third of them push");
    TAP_OK(s.max == (1u << ATTEST_JUDGE_MAX_TWO_PASS | 1u << ATTEST_JUDGE_MAX_ONLINE |
                     1u << ATTEST_JUDGE_MAX_LAZY),
           "every maximum");
    TAP_OK(s.backward == 3 && s.flush == 3 && s.sum_cast == 3 && s.join == 3 && s.sink == 3 &&
               s.sink_last == 3 && s.before == 3 && s.reciprocal == 3 && s.up == 3 &&
               !s.sink_folded,
           "what is or is not");
    TAP_OK(s.splits == (1u << 1 | 1u << 2 | 1u << 3) && s.split == ALL(2),
           "one to three parts, divided before or after they are joined");
    v.join = ATTEST_JUDGE_JOIN_LOGS;
    TAP_OK(draw(&v).split == ALL(3), "or normalised by a logarithm");
    v.join = ATTEST_JUDGE_JOIN_SUMS;
    TAP_OK(draw(&v).split == 1u << ATTEST_RECIPE_SPLIT_SUMS, "or not divided at all");
    v.join = ATTEST_JUDGE_JOIN_ANY;
    s = draw(&v);
    TAP_OK(s.split == ALL(5) && !s.sums_before,
           "or in any of these ways, and one after another; weights that are divided have no "
           "sums of parts");
    TAP_OK(s.least_tile == 1 && s.most_tile == 64 && s.least_cuts == 1 && s.most_cuts == 16 &&
               s.whole > DRAWS / 9 && s.whole < DRAWS / 4 && !s.both,
           "tiles of 1 to 64, cuts of 1 to 16, or all keys at once");
    TAP_OK(s.most_lanes == 8 && s.lanes[0] == 0 && s.lanes[1] > DRAWS / 2 &&
               s.lanes[8] > DRAWS / 24,
           "one lane in half of them and more, or up to eight");
    TAP_OK(s.target == (1u << 20) - 1 && !s.same_seed, "targets and seeds of their own");
}

static void fixed(void)
{
    attest_judge_variant v = any_variant();
    seen s;

    v.score.exact_products = v.pv.exact_products = true;
    v.score.order = ATTEST_JUDGE_ORDER_TENSOR;
    v.pv.order = ATTEST_JUDGE_ORDER_TENSOR_BACKWARD;
    v.scale = ATTEST_JUDGE_SCALE_FOLDED;
    v.max = ATTEST_JUDGE_MAX_LAZY;
    v.sum_of = ATTEST_JUDGE_SUM_CAST;
    v.place = ATTEST_JUDGE_PLACE_BEFORE;
    v.output_any = false;
    v.tile = 5;
    v.lanes = 2;
    v.splits = 1;
    s = draw(&v);
    TAP_OK(s.score_products == 1u << ATTEST_RECIPE_FUSED &&
               s.pv_products == 1u << ATTEST_RECIPE_FUSED,
           "exact products");
    TAP_OK(s.score == (1u << ATTEST_RECIPE_BLOCKS | 1u << ATTEST_RECIPE_BLOCKS_BACKWARD |
                       1u << ATTEST_RECIPE_BLOCKS_SHUFFLED) &&
               s.pv == (1u << ATTEST_RECIPE_BLOCKS | 1u << ATTEST_RECIPE_BLOCKS_BACKWARD) &&
               s.backward == 2,
           "blocks; those of pv from the last tile on, ascending or descending in it");
    TAP_OK(s.query == 1 && s.inside == 3 &&
               s.argument == (1u << ATTEST_RECIPE_FOLDED | 1u << ATTEST_RECIPE_FOLDED_TWO_STEP),
           "a folded scale");
    TAP_OK(s.max == 1u << ATTEST_JUDGE_MAX_LAZY && s.sum_cast == 2 && s.before == 2 &&
               s.error[4] == 1u << ATTEST_RECIPE_NEAREST && s.splits == 2,
           "the lazy maximum, the sum of casts, the division before, the output to nearest");
    TAP_OK(s.least_tile == 5 && s.most_tile == 10 && s.most_cuts == 0 && s.whole == 0,
           "tiles where their direction is not known: of one to two of them");
    TAP_OK(s.most_lanes == 2 && s.lanes[2] == DRAWS, "two lanes");
    v.direction = ATTEST_JUDGE_DIRECTION_BACKWARD;
    v.scale = ATTEST_JUDGE_SCALE_QUERY;
    v.sum_of = ATTEST_JUDGE_SUM_UNCAST;
    v.place = ATTEST_JUDGE_PLACE_AFTER;
    s = draw(&v);
    TAP_OK(s.most_tile == 5 && s.least_tile == 5 && s.query == 2 && s.inside == 1 &&
               s.argument == 3 && s.sum_cast == 1 && s.before == 1,
           "tiles of one size, a scaled query, the division after");
}

/* Orders that leave nothing open, and the direction that they fix. */
static void directions(void)
{
    static const struct {
        attest_judge_order order;
        unsigned backward;
        attest_judge_direction other;
    } c[] = {{ATTEST_JUDGE_ORDER_FORWARD, 1, ATTEST_JUDGE_DIRECTION_BACKWARD},
             {ATTEST_JUDGE_ORDER_TENSOR_FORWARD, 1, ATTEST_JUDGE_DIRECTION_BACKWARD},
             {ATTEST_JUDGE_ORDER_BACKWARD, 2, ATTEST_JUDGE_DIRECTION_FORWARD},
             {ATTEST_JUDGE_ORDER_TENSOR_BACKWARD, 2, ATTEST_JUDGE_DIRECTION_FORWARD}};
    attest_judge_variant v = any_variant();
    attest_judge_recipe r;
    attest_error error;
    size_t wrong = 0;

    for (size_t i = 0; i < sizeof c / sizeof c[0]; i++) {
        v.pv.order = c[i].order;
        v.direction = ATTEST_JUDGE_DIRECTION_ANY;
        wrong += draw(&v).backward != c[i].backward;
        v.direction = c[i].other;
        wrong += attest_judge_recipe_draw(&r, &v, 1, &error) != ATTEST_USAGE;
    }
    v.pv.order = ATTEST_JUDGE_ORDER_PAIRWISE;
    wrong += draw(&v).backward != 1 || draw(&v).pv != 1u << ATTEST_RECIPE_PAIRWISE;
    TAP_OK(wrong == 0, "directions that orders fix or contradict: %zu wrong", wrong);
}

/* Sums of a bounded depth. */
static void depths(void)
{
    attest_judge_variant v = any_variant();
    seen s;

    v.score.depth = v.pv.depth = 40;
    s = draw(&v);
    TAP_OK(s.score == (1u << ATTEST_RECIPE_PAIRWISE | 1u << ATTEST_RECIPE_TREE |
                       1u << ATTEST_RECIPE_SHUFFLED) &&
               s.pv == s.score && s.whole == DRAWS,
           "trees of all keys at once");
    v.tile = 3;
    TAP_OK(draw(&v).least_tile == 3, "in tiles if the model has them");
}

TEST(recipe)
{
    orders();
    schedules();
    pushes();
    everything();
    fixed();
    directions();
    depths();
    return 0;
}
