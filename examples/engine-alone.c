/* engine-alone.c -- properties on random inputs, shrunk when they fail.
 *
 *     cc engine-alone.c $(pkg-config --cflags --libs attest attest-engine) -o engine-alone
 *
 * Attention gives weighted means of the values, so no output is larger than the largest value.
 * In doubles that holds up to the error bound that the kernel returns with each row; the
 * first property states this, and runs 1000 trials. The second property is stronger and false:
 * the engine finds a counterexample and shrinks it. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include <attest/kernel.h>
#include <theft.h>

enum { LENGTH = 3, DIM = 2, ENTRIES = LENGTH * DIM };

typedef struct qkv {
    double q[ENTRIES], k[ENTRIES], v[ENTRIES];
} qkv;

/* Draws an instance. All randomness comes from theft_random_*, so that the engine can repeat
 * and shrink it. */
static enum theft_alloc_res draw(struct theft *t, void *env, void **output)
{
    qkv *x = malloc(sizeof *x);

    (void)env;
    if (!x)
        return THEFT_ALLOC_ERROR;
    for (int i = 0; i < ENTRIES; i++) {
        x->q[i] = 4 * theft_random_double(t) - 2;
        x->k[i] = 4 * theft_random_double(t) - 2;
        x->v[i] = theft_random_double(t) + 1;
    }
    *output = x;
    return THEFT_ALLOC_OK;
}

/* Returns whether every output is at most the largest value of its column, and the margin: that
 * of the row's error bound, or a fixed one. */
static bool are_below(const qkv *x, const double *fixed)
{
    double out[ENTRIES], error[LENGTH];

    attest_kernel_softmax_attention(out, x->q, x->k, x->v, 1, LENGTH, DIM, error);
    for (int c = 0; c < DIM; c++) {
        double most = x->v[c];

        for (int j = 1; j < LENGTH; j++)
            most = x->v[j * DIM + c] > most ? x->v[j * DIM + c] : most;
        for (int i = 0; i < LENGTH; i++)
            if (!(out[i * DIM + c] <= most + (fixed ? *fixed : error[i])))
                return false; /* also for NaN */
    }
    return true;
}

static enum theft_trial_res within_bound(struct theft *t, void *instance)
{
    (void)t;
    return are_below(instance, NULL) ? THEFT_TRIAL_PASS : THEFT_TRIAL_FAIL;
}

/* False: means are often within 1/8 of the largest value. */
static enum theft_trial_res far_below(struct theft *t, void *instance)
{
    const double margin = -0.125;

    (void)t;
    return are_below(instance, &margin) ? THEFT_TRIAL_PASS : THEFT_TRIAL_FAIL;
}

static enum theft_run_res run(const char *name, theft_propfun1 *property)
{
    static struct theft_type_info type = {
        .alloc = draw, .free = theft_generic_free_cb, .autoshrink_config = {.enable = true}};
    struct theft_run_config config = {
        .name = name, .prop1 = property, .type_info = {&type}, .trials = 1000, .seed = 1};

    return theft_run(&config);
}

int main(void)
{
    if (run("outputs are means, up to the error bound", within_bound) != THEFT_RUN_PASS)
        return EXIT_FAILURE;
    /* The false property must fail. */
    return run("outputs are far below the largest value", far_below) == THEFT_RUN_FAIL
               ? EXIT_SUCCESS
               : EXIT_FAILURE;
}
