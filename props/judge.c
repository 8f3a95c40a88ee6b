/* judge.c -- no kernel of a model leaves its bound. */
#include "props/judge.h"

#include <math.h>
#include <stdlib.h>

#include "base/random.h"
#include "campaign/gen.h"
#include "format/simulate_in_double.h"
#include "judge/head_bound.h"
#include "judge/simulate.h"
#include "number/scope.h"
#include "props/registry.h"

/* ---- Random kernel models. */

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
    v->splits = pick(state, 3) ? 1 : 2 + pick(state, 4);
    v->join = (attest_judge_join)pick(state, 4);
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
    if (v->join == ATTEST_JUDGE_JOIN_SUMS && v->place == ATTEST_JUDGE_PLACE_BEFORE)
        v->place = ATTEST_JUDGE_PLACE_AFTER;
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

/* ---- The property. */

const attest_statement attest_statement_judge = {
    .name = "judge",
    .title = "Every kernel of a model returns a number within its bound",
    .source = "our own",
    .text = "For every kernel that keeps to a kernel model (formats, orders, errors), every "
            "question and every output element, the number that the kernel returns lies in the "
            "interval that is computed for that element; and every number outside is judged "
            "wrong.",
    .decided_by = "simulated kernels, drawn at random and pushed to one side, bit for bit",
    .note = "proofs-notes/judge.md",
    .machine = "steps of the bound: proofs-notes/coq/judge.v, tree_error, quotient_above, "
               "quotient_below; judge_steps.v, blocks_error, effective_weight, row_above, "
               "row_below. Not the whole: softcap, casts, splits and overflow are on paper",
};

enum { MODELS = 1 << 20, MOST_QUERIES = 2, MOST_KEYS = 12, MOST_DIM = 6 };

/* Adds tokens to the dataset. */
static attest_status add_tokens(attest_dataset_builder *builder, struct theft *t, size_t count,
                                size_t dim)
{
    FMPQ_VEC(token, (slong)dim);
    FMPQ(scale);

    for (size_t i = 0; i < count; i++) {
        for (size_t c = 0; c < dim; c++) {
            attest_gen_rational(token + c, t, 12);
            attest_gen_scale(scale, t, 2);
            fmpq_mul(token + c, token + c, scale);
        }
        ATTEST_TRY(attest_dataset_builder_add_token(builder, token, NULL));
    }
    return attest_dataset_builder_end_sequence(builder, NULL);
}

/* Queries, keys, values; the numbers of a model and of one of its kernels. */
static attest_status gen(attest_instance *instance, struct theft *t,
                         const attest_setting *setting)
{
    size_t dim = attest_gen_size(t, 1, MOST_DIM), keys = attest_gen_size(t, 1, MOST_KEYS);
    size_t queries = attest_gen_size(t, 1, MOST_QUERIES);
    ATTEST_SCOPED(attest_dataset_builder, builder, dim, ATTEST_TABLE_RATIONAL, NULL);

    (void)setting;
    fmpq_set_ui(attest_instance_set(instance, "model"), attest_gen_size(t, 0, MODELS), 1);
    fmpq_set_ui(attest_instance_set(instance, "kernel"), attest_gen_size(t, 0, MODELS), 1);
    ATTEST_TRY(add_tokens(&builder, t, queries, dim));
    ATTEST_TRY(add_tokens(&builder, t, keys, dim));
    ATTEST_TRY(add_tokens(&builder, t, keys, dim));
    return attest_dataset_builder_finish(&instance->dataset, &builder, NULL);
}

/* The tokens of a sequence as numbers of a format; NULL: out of memory. */
static double *get_tokens(const attest_dataset *dataset, size_t sequence,
                          const attest_format *format)
{
    size_t length = attest_dataset_length(dataset, sequence), dim = dataset->dim;
    double *value = calloc(length * dim, sizeof *value);
    attest_in_double hosted;
    FMPQ(entry);

    attest_in_double_init(&hosted, format, ATTEST_SIMULATED_NEAREST, NULL, NULL);
    for (size_t i = 0; value && i < length * dim; i++) {
        attest_tokens_get_entry(entry, &dataset->tokens,
                                attest_dataset_token(dataset, sequence, i / dim), i % dim);
        value[i] = attest_in_double_convert(fmpq_get_d(entry), &hosted);
    }
    return value;
}

static attest_tensor tensor(const double *value, size_t tokens, size_t dim)
{
    return (attest_tensor){value,
                           ATTEST_TENSOR_F64,
                           {1, 1, tokens, dim},
                           {0, 0, (ptrdiff_t)(dim * sizeof *value), sizeof *value}};
}

/* Compares a row of the kernel with its bound, and checks the verdicts on numbers outside it.
 */
static void compare(attest_trial *trial, const double *out, const double *bound, size_t columns)
{
    for (size_t c = 0; c < columns; c++) {
        double lo = bound[c], hi = bound[columns + c], exact = bound[2 * columns + c], ratio;

        if (!(hi < (double)INFINITY))
            continue;
        ratio = fabs(out[c] - exact) / fmax(hi - exact, exact - lo);
        if (attest_judge_element(out[c], lo, hi) != ATTEST_JUDGE_WITHIN) {
            attest_trial_violated(trial, "judge", "column %zu is %a, outside [%a, %a]", c,
                                  out[c], lo, hi);
            trial->margin = -1;
        } else if (attest_judge_element(nextafter(hi, INFINITY), lo, hi) !=
                       ATTEST_JUDGE_WRONG ||
                   attest_judge_element(nextafter(lo, -INFINITY), lo, hi) !=
                       ATTEST_JUDGE_WRONG ||
                   attest_judge_element(NAN, lo, hi) != ATTEST_JUDGE_WRONG) {
            attest_trial_violated(trial, "judge", "a number outside [%a, %a] is not wrong", lo,
                                  hi);
            trial->margin = -1;
        } else if (trial->outcome == ATTEST_HELD && ratio > 0 &&
                   !(trial->margin <= -log2(ratio))) {
            trial->margin = fmax(-log2(ratio), 0);
        }
    }
}

/* Runs the kernel on every row of the head. */
static attest_status run(attest_trial *trial, attest_judge_head_bound *bound,
                         const attest_judge_variant *variant, const attest_judge_recipe *recipe,
                         attest_error *error)
{
    const attest_judge_problem *problem = bound->head.problem;
    size_t columns = problem->value_dim;
    double *result ATTEST_FREED = calloc(problem->queries * columns, 4 * sizeof *result);
    double *out ATTEST_FREED = calloc(columns, sizeof *out);

    if (!result || !out)
        return ATTEST_NOMEM;
    attest_judge_head_bound_rows(result, bound, 0, problem->queries);
    for (size_t i = 0; i < problem->queries; i++) {
        ATTEST_TRY(attest_judge_simulate_row(out, &bound->head, i, variant, recipe, error));
        compare(trial, out, result + 4 * columns * i, columns);
    }
    return ATTEST_OK;
}

/* Runs a kernel of the variant that the seed selects. Status: USAGE (there is none), NOMEM. */
static attest_status try_kernel(attest_trial *trial, const attest_qkv *qkv,
                                const attest_judge_variant *variant, uint64_t seed,
                                attest_error *error)
{
    attest_judge_problem problem ATTEST_CLEARED_BY(attest_judge_problem_clear) = {0};
    attest_judge_head_bound bound ATTEST_CLEARED_BY(attest_judge_head_bound_clear) = {0};
    attest_judge_recipe recipe;
    attest_judge_rule rule;

    ATTEST_TRY(attest_judge_recipe_draw(&recipe, variant, seed, error));
    ATTEST_TRY(attest_judge_problem_init(&problem, qkv, error));
    attest_judge_rule_init(&rule, variant, &problem);
    ATTEST_TRY(attest_judge_head_bound_init(&bound, &problem, &rule, 1, error));
    ATTEST_TRY(attest_judge_head_bound_load(&bound, 0, 0, error));
    return run(trial, &bound, variant, &recipe, error);
}

/* Returns whether the instance, which may come from a file, has data and all parameters. */
static bool is_complete(const attest_instance *instance)
{
    const attest_dataset *dataset = &instance->dataset;
    const fmpq *model = attest_instance_get(instance, "model");
    const fmpq *kernel = attest_instance_get(instance, "kernel");

    return model && kernel && fmpz_abs_fits_ui(fmpq_numref(model)) &&
           fmpz_abs_fits_ui(fmpq_numref(kernel)) && dataset->count == 3 &&
           attest_dataset_length(dataset, 1) == attest_dataset_length(dataset, 2);
}

static attest_status decide(attest_trial *trial, const attest_instance *instance,
                            const attest_setting *setting, attest_error *error)
{
    const attest_dataset *dataset = &instance->dataset;
    attest_judge_variant variant;
    attest_qkv qkv = {0};
    attest_status status;
    uint64_t state;

    (void)setting;
    if (!is_complete(instance)) {
        trial->outcome = ATTEST_DISCARDED;
        return ATTEST_OK;
    }
    state = fmpz_get_ui(fmpq_numref(attest_instance_get(instance, "model")));
    state = attest_random_mix(state);
    attest_judge_draw_variant(&variant, &state);
    double *q ATTEST_FREED = get_tokens(dataset, 0, &variant.q);
    double *k ATTEST_FREED = get_tokens(dataset, 1, &variant.k);
    double *v ATTEST_FREED = get_tokens(dataset, 2, &variant.v);
    if (!q || !k || !v)
        return ATTEST_NOMEM;
    qkv.q = tensor(q, attest_dataset_length(dataset, 0), dataset->dim);
    qkv.k = tensor(k, attest_dataset_length(dataset, 1), dataset->dim);
    qkv.v = tensor(v, attest_dataset_length(dataset, 2), dataset->dim);
    status =
        try_kernel(trial, &qkv, &variant,
                   fmpz_get_ui(fmpq_numref(attest_instance_get(instance, "kernel"))), error);
    if (status != ATTEST_USAGE && status != ATTEST_FORMAT)
        return status;
    trial->outcome = ATTEST_DISCARDED;
    return ATTEST_OK;
}

const attest_property attest_property_judge = {
    .name = "judge",
    .title = "no kernel of a random model leaves its bound",
    .statement = "judge",
    .gen = gen,
    .decide = decide,
    .targeted = true,
    .trials = 2000,
};
