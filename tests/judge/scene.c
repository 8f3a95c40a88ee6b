/* scene.c -- the bound of a scene, and the kernels that come nearest to it. */
#include "tests/judge/scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "judge/simulate.h"

double scene_uniform(uint64_t *state)
{
    return (double)(attest_random_next(state) >> 11) * 0x1p-53;
}

attest_format scene_format(const char *name)
{
    attest_format f = {0};
    attest_error error;

    if (attest_format_parse(&f, name, &error) != ATTEST_OK)
        abort();
    return f;
}

double scene_round(double x, const char *name)
{
    attest_judge_arithmetic unit;
    attest_format f = scene_format(name);

    attest_judge_arithmetic_init(&unit, &f);
    return attest_in_double_convert(x, &unit.in_double);
}

/* Everything in binary64, functions as good as that; keys and values 0, the query 1. */
void scene_begin(scene *x, size_t keys, size_t dim)
{
    attest_judge_variant *v = &x->v;

    memset(x, 0, sizeof *x);
    attest_judge_variant_init(v);
    v->q = v->k = scene_format("bfloat16");
    v->v = scene_format("binary32");
    v->score.accumulate = v->pv.accumulate = v->sum_accumulate = v->output =
        scene_format("binary64");
    v->score.exact_products = true;
    v->scale = ATTEST_JUDGE_SCALE_SCORE;
    v->max = ATTEST_JUDGE_MAX_TWO_PASS;
    v->place = ATTEST_JUDGE_PLACE_AFTER;
    v->exp_relative = v->final_relative = v->split_log = v->softcap_relative = 0;
    x->qkv.scale = "none";
    x->keys = keys;
    x->dim = dim;
    x->trials = 20;
    x->seed = keys * 1000 + dim;
    for (size_t c = 0; c < dim; c++)
        x->q[c] = 1;
}

static attest_tensor tensor(const double *data, size_t tokens, size_t dim)
{
    return (attest_tensor){data,
                           ATTEST_TENSOR_F64,
                           {1, 1, tokens, dim},
                           {0, 0, (ptrdiff_t)(dim * sizeof *data), sizeof *data}};
}

/* A rule of operations that do not round, except for casts. */
static void make_exact(attest_judge_rule *rule)
{
    attest_judge_arithmetic *unit[] = {&rule->score, &rule->store, &rule->query,
                                       &rule->sum,   &rule->pv,    &rule->work};

    for (size_t i = 0; i < sizeof unit / sizeof *unit; i++)
        unit[i]->u = unit[i]->least = 0;
    rule->log_exp = rule->final = rule->tiny = rule->shifted = 0;
}

/* The bounds of the row: lo, hi, exact, error. */
static bool open_scene(double result[4], attest_judge_head_bound *bound,
                       attest_judge_rule *rule, attest_judge_problem *problem, scene *x)
{
    attest_tensor *const factor[3] = {&x->qkv.q_descale, &x->qkv.k_descale, &x->qkv.v_descale};
    attest_error error = {0};

    x->qkv.q = tensor(x->q, 1, x->dim);
    x->qkv.k = tensor(x->k, x->keys, x->dim);
    x->qkv.v = tensor(x->value, x->keys, 1);
    if (x->biased)
        x->qkv.mask = tensor(x->mask, 1, x->keys);
    if (x->sunk)
        x->qkv.sink = tensor(&x->sink, 1, 1);
    for (int i = 0; i < 3; i++)
        if (x->factor[i] > 0)
            *factor[i] = tensor(&x->factor[i], 1, 1);
    if (attest_judge_problem_init(problem, &x->qkv, &error) != ATTEST_OK)
        return false;
    attest_judge_rule_init(rule, &x->v, problem);
    if (x->exact)
        make_exact(rule);
    if (attest_judge_head_bound_init(bound, problem, rule, 1, &error) != ATTEST_OK ||
        attest_judge_head_bound_load(bound, 0, 0, &error) != ATTEST_OK)
        return false;
    attest_judge_head_bound_rows(result, bound, 0, 1);
    return true;
}

/* Returns the distance of a value from the exact one, as a part of the bound on its side. */
double scene_part(double out, const double b[4])
{
    if (out >= b[0] && out <= b[1])
        return out > b[2]   ? (out - b[2]) / (b[1] - b[2])
               : out < b[2] ? (b[2] - out) / (b[2] - b[0])
                            : 0;
    return (double)INFINITY; /* and if it is not a number */
}

/* The largest part over all kernels and variations. */
double scene_measure(scene *x)
{
    uint64_t state = attest_random_mix(x->seed);
    double worst = 0;

    for (size_t trial = 0; trial < x->trials; trial++) {
        attest_judge_head_bound bound;
        attest_judge_rule rule;
        attest_judge_problem problem;
        attest_judge_recipe recipe;
        attest_error error = {0};
        double b[4], out;

        if (x->vary)
            x->vary(x, &state);
        if (!open_scene(b, &bound, &rule, &problem, x))
            abort();
        for (uint64_t r = 0; r < 8; r++) {
            if (attest_judge_recipe_draw(&recipe, &x->v, (x->seed + trial) * 8 + r, &error) !=
                ATTEST_OK)
                abort();
            recipe.push_up = r % 2;
            if (x->direct)
                x->direct(&recipe);
            if (attest_judge_simulate_row(&out, &bound.head, 0, &x->v, &recipe, &error) !=
                ATTEST_OK) {
                printf("# %s\n", error.text);
                fflush(stdout);
                abort();
            }
            worst = fmax(worst, b[1] < (double)INFINITY ? scene_part(out, b) : 0);
        }
        attest_judge_head_bound_clear(&bound);
        attest_judge_problem_clear(&problem);
    }
    return worst;
}

void scene_get_bound(double result[4], scene *x)
{
    attest_judge_head_bound bound;
    attest_judge_rule rule;
    attest_judge_problem problem;

    if (!open_scene(result, &bound, &rule, &problem, x))
        abort();
    attest_judge_head_bound_clear(&bound);
    attest_judge_problem_clear(&problem);
}

double scene_get(scene *x, double (*get)(const scene *x, const attest_judge_work *row,
                                         const attest_judge_rule *rule))
{
    attest_judge_head_bound bound;
    attest_judge_rule rule;
    attest_judge_problem problem;
    double result[4], value;

    if (!open_scene(result, &bound, &rule, &problem, x))
        abort();
    value = get(x, &bound.work[0], &rule);
    attest_judge_head_bound_clear(&bound);
    attest_judge_problem_clear(&problem);
    return value;
}

void scene_push(attest_judge_recipe *r)
{
    r->exp_error = r->final_error = r->log_error = r->softcap_error = ATTEST_RECIPE_PUSH;
}

void scene_in_order(attest_judge_recipe *r)
{
    r->score = (attest_recipe_dot){ATTEST_RECIPE_FORWARD, ATTEST_RECIPE_FUSED};
    r->pv = r->score;
    r->sum = ATTEST_RECIPE_FORWARD;
    r->lanes = r->lanes > 8 ? r->lanes : 1;
    r->tile = r->cuts = 0;
    r->backward = false;
}

void scene_one_by_one(attest_judge_recipe *r)
{
    scene_in_order(r);
    scene_push(r);
    r->tile = 1;
}
