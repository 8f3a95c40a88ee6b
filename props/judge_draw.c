/* judge_draw.c -- random kernel models. */
#include "props/judge_draw.h"

#include <math.h>
#include <stdlib.h>

#include "base/random.h"

static size_t pick(uint64_t *state, size_t choices)
{
    return (size_t)(attest_random_next(state) >> 32) % choices;
}

static double uniform(uint64_t *state)
{
    return (double)(attest_random_next(state) >> 11) * 0x1p-53;
}

static attest_format format(const char *name)
{
    attest_format f = {0};
    attest_error error;

    if (attest_format_parse(&f, name, &error) != ATTEST_OK)
        abort();
    return f;
}

static attest_format any_format(uint64_t *state, const char *const *name, size_t names)
{
    return format(name[pick(state, names)]);
}

static void draw_dot(attest_judge_dot *dot, uint64_t *state, bool pv)
{
    static const char *const wide[] = {"binary32", "binary32", "binary32", "binary64",
                                       "binary16"};
    static const attest_judge_order order[] = {
        ATTEST_JUDGE_ORDER_ANY, ATTEST_JUDGE_ORDER_ANY, ATTEST_JUDGE_ORDER_FORWARD,
        ATTEST_JUDGE_ORDER_BACKWARD, ATTEST_JUDGE_ORDER_PAIRWISE};

    dot->accumulate = any_format(state, wide, 5);
    dot->exact_products = pick(state, 2);
    dot->order = order[pick(state, pv ? 2 : 5)];
    dot->block = (size_t)4 << pick(state, 4);
    dot->fraction = pick(state, 2) ? 23 + pick(state, 3) : 13;
    if (dot->order == ATTEST_JUDGE_ORDER_ANY && pick(state, 4) == 0)
        dot->depth = 7 + pick(state, 6);
}

static void draw_tensor(attest_judge_dot *dot, uint64_t *state)
{
    dot->order = ATTEST_JUDGE_ORDER_TENSOR + (attest_judge_order)pick(state, 3);
    dot->accumulate = format(pick(state, 4) ? "binary32" : "binary16");
    dot->depth = 0;
    if (pick(state, 4) == 0)
        dot->promote = dot->block * (1 + pick(state, 3));
}

/* The maximum, its tiles and the parts. */
static void draw_tiles(attest_judge_variant *v, uint64_t *state)
{
    v->max = (attest_judge_max)pick(state, 4);
    v->tile = pick(state, 3) ? (size_t)1 << pick(state, 7) : 0;
    v->direction =
        v->tile ? (attest_judge_direction)pick(state, 3) : ATTEST_JUDGE_DIRECTION_ANY;
    if (v->pv.order == ATTEST_JUDGE_ORDER_TENSOR_FORWARD)
        v->direction = ATTEST_JUDGE_DIRECTION_FORWARD;
    if (v->pv.order == ATTEST_JUDGE_ORDER_TENSOR_BACKWARD)
        v->direction = ATTEST_JUDGE_DIRECTION_BACKWARD;
    if (v->direction != ATTEST_JUDGE_DIRECTION_ANY && v->tile == 0)
        v->tile = 16;
    if (v->max == ATTEST_JUDGE_MAX_ANY || v->max == ATTEST_JUDGE_MAX_LAZY)
        v->threshold = pick(state, 2) ? 8 * uniform(state) : 0;
    v->splits = pick(state, 4) ? 1 : 2 + pick(state, 4);
}

/* P, the row sum and what comes after. */
static void draw_weights(attest_judge_variant *v, uint64_t *state)
{
    static const char *const narrow[] = {"bfloat16", "binary16", "float8_e4m3fn", "float8_e5m2",
                                         "tfloat32"};
    static const char *const wide[] = {"binary32", "binary32", "binary32", "binary16"};
    static const char *const out[] = {"binary32", "bfloat16", "binary16", "binary64"};

    v->cast = pick(state, 3) != 0;
    if (v->cast)
        v->p = any_format(state, narrow, 5);
    if (v->cast && pick(state, 3) == 0)
        v->offset = (long)pick(state, 12) - 4;
    v->sum_of = (attest_judge_sum_of)pick(state, 3);
    v->sum_accumulate = any_format(state, wide, 4);
    v->lanes = pick(state, 3) ? 1 : (size_t)1 << pick(state, 4);
    v->place = (attest_judge_place)pick(state, 3);
    v->output = any_format(state, out, 4);
    v->output_any = pick(state, 4) == 0;
    v->exp_relative = ldexp(1 + uniform(state), -(int)pick(state, 14) - 10);
    v->final_relative = ldexp(1 + uniform(state), -(int)pick(state, 14) - 10);
    v->split_log = ldexp(1, -(int)pick(state, 14) - 10);
}

/* Weights that are quantised before their cast. */
static void draw_scheme(attest_judge_variant *v, uint64_t *state)
{
    static const char *const scheme[] = {"mxfp8_e4m3fn:mx",
                                         "mxfp8_e4m3fn:te",
                                         "mxfp8_e5m2:mx-even",
                                         "mxfp6_e2m3fn:mx",
                                         "mxfp4:vllm",
                                         "mxfp4:llama",
                                         "nvfp4:llama",
                                         "q8_0",
                                         "q4_0",
                                         "int8:per-token",
                                         "int8:ct2",
                                         "int8:ct2-trunc",
                                         "e4m3:per-token",
                                         "e4m3:scale=0.125",
                                         "e2m1:per-token:range=8"};
    attest_error error;

    if (v->cast && v->score.accumulate.precision <= 24 &&
        attest_block_parse(&v->p_scheme, scheme[pick(state, sizeof scheme / sizeof *scheme)],
                           &error) != ATTEST_OK)
        abort();
}

void attest_judge_draw_variant(attest_judge_variant *variant, uint64_t *state)
{
    static const char *const input[] = {"binary32",      "bfloat16", "binary16",
                                        "float8_e4m3fn", "tfloat32", "float8_e5m2"};
    static const char *const stored[] = {"bfloat16", "binary16", "binary32"};
    attest_judge_variant *v = variant;

    attest_judge_variant_init(v);
    v->q = v->k = v->v = any_format(state, input, 6);
    draw_dot(&v->score, state, false);
    draw_dot(&v->pv, state, true);
    if (pick(state, 2))
        draw_tensor(&v->score, state);
    if (pick(state, 2))
        draw_tensor(&v->pv, state);
    if (attest_judge_order_is_tensor(v->pv.order) && v->pv.promote == 0 && pick(state, 3) == 0)
        v->pv.promote_tiles = 1 + pick(state, 3);
    v->stored = pick(state, 4) == 0;
    if (v->stored)
        v->store = any_format(state, stored, 3);
    v->scale = (attest_judge_scale)pick(state, 4);
    v->scale_stored = v->scale == ATTEST_JUDGE_SCALE_SCORE && pick(state, 4) == 0;
    if (v->scale_stored)
        v->scale_store = any_format(state, stored, 3);
    v->softcap_stored = pick(state, 4) == 0;
    if (v->softcap_stored)
        v->softcap_store = any_format(state, stored, 3);
    v->mask_stored = pick(state, 4) == 0;
    if (v->mask_stored)
        v->mask_store = any_format(state, stored, 3);
    v->scaled_query = pick(state, 2) ? v->q : format("binary32");
    v->softcap_relative = ldexp(1, -(int)pick(state, 14) - 9);
    v->softcap_absolute = pick(state, 2) ? ldexp(1, -(int)pick(state, 14) - 9) : 0;
    draw_tiles(v, state);
    draw_weights(v, state);
    if (pick(state, 4) == 0)
        draw_scheme(v, state);
}
