/* draw.c -- random models, problems and data for the judge's tests. */
#include "tests/judge/draw.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "format/simulate_in_double.h"

const char *const draw_kind_name[DRAW_KINDS] = {"normal",   "peaked",   "flat", "one sign",
                                                "outliers", "integers", "wide", "growing",
                                                "tiny",     "large"};

static size_t pick(uint64_t *state, size_t choices)
{
    return (size_t)(attest_random_next(state) >> 32) % choices;
}

static double uniform(uint64_t *state)
{
    return (double)(attest_random_next(state) >> 11) * 0x1p-53;
}

static double normal(uint64_t *state)
{
    double sum = -6;

    for (int i = 0; i < 12; i++)
        sum += uniform(state);
    return sum;
}

/* One number of a kind. */
static double draw_number(int kind, uint64_t *state)
{
    switch (kind) {
    case 1:
        return 4 * normal(state);
    case 2:
        return normal(state) / 16;
    case 3:
        return uniform(state);
    case 4:
        return pick(state, 20) ? normal(state) / 4 : 20 * normal(state);
    case 5:
        return (double)pick(state, 7) - 3;
    case 6:
        return ldexp(normal(state), (int)pick(state, 24) - 20);
    case 8:
        return ldexp(normal(state), -(int)pick(state, 70));
    case 9:
        return 30 + normal(state) / 4;
    default:
        return normal(state);
    }
}

void draw_data(double *q, double *k, double *v, size_t queries, size_t keys, size_t dim,
               size_t columns, int kind, uint64_t *state)
{
    bool copies = pick(state, 4) == 0;

    for (size_t i = 0; i < queries * dim; i++)
        q[i] = draw_number(kind, state);
    for (size_t i = 0; i < keys * dim; i++) {
        k[i] = draw_number(kind, state);
        if (kind == 7) /* the maximum grows from key to key */
            k[i] = q[i % dim] * 3 * (double)(i / dim + 1) / (double)keys;
    }
    for (size_t i = 0; i < keys * columns; i++)
        v[i] = draw_number(kind, state);
    if (copies && keys > 1 && kind != 7)
        memcpy(k + dim, k, dim * sizeof *k);
}

static void round_all(double *x, size_t count, const attest_format *format)
{
    attest_in_double hosted;

    attest_in_double_init(&hosted, format, ATTEST_SIMULATED_NEAREST, NULL, NULL);
    for (size_t i = 0; i < count; i++)
        x[i] = attest_in_double_convert(x[i], &hosted);
}

static attest_tensor tensor(const double *data, size_t tokens, size_t dim)
{
    return (attest_tensor){data,
                           ATTEST_TENSOR_F64,
                           {1, 1, tokens, dim},
                           {0, 0, (ptrdiff_t)(dim * sizeof *data), sizeof *data}};
}

/* Mask, sink, scale, softcap. */
static void draw_options(drawn_problem *x, uint64_t *state, size_t queries, size_t keys)
{
    attest_qkv *qkv = &x->qkv;
    double most = pick(state, 4) ? 2 : 500;

    qkv->causal = pick(state, 3) ? ATTEST_CAUSAL_NONE : (attest_causal)pick(state, 3);
    qkv->windowed = pick(state, 5) == 0;
    qkv->left = (long)pick(state, keys + 2) - 1;
    qkv->right = (long)pick(state, keys + 2) - 1;
    switch (pick(state, 5)) {
    case 0:
        for (size_t i = 0; i < queries * keys; i++)
            x->seen[i] = pick(state, 3) != 0;
        qkv->mask = (attest_tensor){
            x->seen, ATTEST_TENSOR_BOOL, {1, 1, queries, keys}, {0, 0, (ptrdiff_t)keys, 1}};
        break;
    case 1: /* some hide keys by a number, whole tiles of them at times */
        for (size_t i = 0; i < queries * keys; i++)
            x->mask[i] = pick(state, 5) ? most * normal(state) : (double)-INFINITY;
        if (pick(state, 2)) {
            double far = -ldexp(1 + uniform(state), 8 + (int)pick(state, 26));
            size_t run = 1 + pick(state, keys), from = pick(state, keys);

            for (size_t i = 0; i < queries * keys; i++)
                if ((i % keys + keys - from) % keys < run)
                    x->mask[i] = far;
        }
        qkv->mask = tensor(x->mask, queries, keys);
        break;
    default:
        break;
    }
    if (pick(state, 4) == 0) {
        x->sink = 2 * most * normal(state);
        qkv->sink = tensor(&x->sink, 1, 1);
    }
    snprintf(x->scale, sizeof x->scale, "%u/%u", 1 + (unsigned)pick(state, 9),
             1 + (unsigned)pick(state, 20));
    qkv->scale = pick(state, 2) ? x->scale : pick(state, 4) ? "rsqrt" : "none";
    snprintf(x->softcap, sizeof x->softcap, "%u/%u", 1 + (unsigned)pick(state, 50),
             1 + (unsigned)pick(state, 3));
    qkv->softcap = pick(state, 4) ? NULL : x->softcap;
}

/* Factors of q, k and v for a quarter of the problems, powers of two among them. */
static void draw_factors(drawn_problem *x, uint64_t *state)
{
    attest_tensor *const of[3] = {&x->qkv.q_descale, &x->qkv.k_descale, &x->qkv.v_descale};

    if (pick(state, 4) != 0)
        return;
    for (int i = 0; i < 3; i++) {
        int exponent = (int)pick(state, pick(state, 6) ? 6 : 80);

        x->factor[i] = pick(state, 3) ? (double)(float)(1 + uniform(state)) : 1;
        x->factor[i] = ldexp(x->factor[i], exponent < 6 ? exponent - 3 : exponent - 40);
        if (pick(state, 3))
            *of[i] = tensor(&x->factor[i], 1, 1);
    }
}

bool draw_problem(drawn_problem *problem, const attest_judge_variant *variant, uint64_t *state,
                  size_t queries, size_t keys, size_t dim)
{
    drawn_problem *x = problem;
    size_t columns = 1 + pick(state, 5);

    memset(x, 0, sizeof *x);
    queries = 1 + pick(state, queries);
    keys = 1 + pick(state, keys);
    dim = 1 + pick(state, dim);
    x->q = calloc(queries * dim, sizeof *x->q);
    x->k = calloc(keys * dim, sizeof *x->k);
    x->v = calloc(keys * columns, sizeof *x->v);
    x->mask = calloc(queries * keys, sizeof *x->mask);
    x->seen = calloc(queries * keys, 1);
    if (!x->q || !x->k || !x->v || !x->mask || !x->seen)
        return false;
    draw_data(x->q, x->k, x->v, queries, keys, dim, columns, (int)pick(state, DRAW_KINDS),
              state);
    round_all(x->q, queries * dim, &variant->q);
    round_all(x->k, keys * dim, &variant->k);
    round_all(x->v, keys * columns, &variant->v);
    x->qkv.q = tensor(x->q, queries, dim);
    x->qkv.k = tensor(x->k, keys, dim);
    x->qkv.v = tensor(x->v, keys, columns);
    draw_options(x, state, queries, keys);
    draw_factors(x, state);
    return true;
}

void drawn_problem_clear(drawn_problem *problem)
{
    free(problem->q);
    free(problem->k);
    free(problem->v);
    free(problem->mask);
    free(problem->seen);
}
