/* scene.h -- a row, a model, and kernels that use what the model allows.
 *
 * In each scene all terms of the bound but one are small, so that a kernel comes near the
 * bound: at least the part of it that the scene names. A term that is left out or halved then
 * leaves that kernel outside; tests/bounds/t-judge does so. */
#ifndef TESTS_JUDGE_SCENE_H
#define TESTS_JUDGE_SCENE_H

#include "judge/head_bound.h"
#include "judge/kernel_instance.h"

enum { MOST_KEYS = 20000, MOST_DIM = 64, MOST_ENTRIES = 40000 };

/* A problem of one row and one column, a model, and how its kernels are drawn. */
typedef struct scene {
    attest_judge_variant v;
    attest_qkv qkv;
    double q[MOST_DIM], k[MOST_ENTRIES], value[MOST_KEYS], mask[MOST_KEYS], sink;
    double factor[3]; /* of q, k and v; 0: none */
    size_t keys, dim, trials;
    uint64_t seed; /* of what vary draws */
    bool biased, sunk;
    bool exact; /* no operation of the model rounds: the bound is what evaluating it costs */
    void (*direct)(attest_judge_recipe *recipe); /* what is not drawn */
    void (*vary)(struct scene *x, uint64_t *state);
} scene;

double scene_uniform(uint64_t *state);
attest_format scene_format(const char *name);
double scene_round(double x, const char *name);

/* Sets all formats to binary64, with functions as accurate; keys and values 0, the query 1. */
void scene_begin(scene *x, size_t keys, size_t dim);

/* result = lo, hi, exact value, error of the evaluation of the row. */
void scene_get_bound(double result[4], scene *x);

/* Computes the bound of the row, and returns what get returns for it. */
double scene_get(scene *x, double (*get)(const scene *x, const attest_judge_work *row,
                                         const attest_judge_rule *rule));

/* Returns the distance of a value from the exact one, as a part of the bound on its side;
 * infinite if the value violates the bound. */
double scene_part(double out, const double bound[4]);

/* Returns the largest part of the bound that any of the kernels and variations reaches. */
double scene_measure(scene *x);

/* Values of scene.direct: errors that push the output in one direction; sums in order; both,
 * with one key per tile. */
void scene_push(attest_judge_recipe *recipe);
void scene_in_order(attest_judge_recipe *recipe);
void scene_one_by_one(attest_judge_recipe *recipe);

#endif
