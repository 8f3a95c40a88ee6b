/* counterexample_trained.c -- the entry of the gallery that real text and trained weights have.
 *
 * The file has the attention of the first block of examples/devil/model.safetensors, as `attest
 * import` makes weights of it, and the first places of the page: examples/devil/block.py. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <attest/pairing.h>

#include "base/memory.h"
#include "base/scope.h"
#include "cli/counterexample.h"
#include "io/matrix_array.h"
#include "io/safetensors.h"

enum { HEADS = 4 };

const attest_trained_entry attest_cli_trained = {
    .name = "trained",
    .title = "three characters of a page, for a trained model",
    .defeats = "the four heads of the first block of examples/devil/model.safetensors, and all "
               "others with their W_Q, W_K",
    .text = {"Lds", "nds"},
    .position = {2, 2},
};

static const unsigned char file[] = {
#include "trained.inc" /* made of block.safetensors: src/tool.am */
};

static attest_status read_matrix(attest_matrix *matrix, const attest_safetensors *tensors,
                                 size_t h, const char *name, attest_error *error)
{
    attest_array_slice slice = {.start = 0};
    attest_array array;
    char path[32];

    snprintf(path, sizeof path, "heads.%zu.%s", h, name);
    ATTEST_TRY(attest_safetensors_get(&array, tensors, path, error));
    slice.rows = array.shape[0];
    slice.cols = array.shape[1];
    slice.row_step = attest_array_step(&array, 0);
    slice.col_step = attest_array_step(&array, 1);
    return attest_matrix_set_slice(matrix, &array, &slice, NULL, error);
}

static attest_status read_heads(attest_weights *weights, const attest_safetensors *tensors,
                                attest_error *error)
{
    if (attest_weights_resize(weights, HEADS) != ATTEST_OK ||
        !(weights->residual = attest_memory_copy("layers.0.x")))
        return attest_memory_fail(error);
    weights->activation = ATTEST_HARDMAX;
    weights->mask = ATTEST_MASK_CAUSAL;
    weights->homogeneous = true;
    for (size_t h = 0; h < HEADS; h++) {
        attest_head *head = &weights->head[h];

        ATTEST_TRY(read_matrix(&head->wq, tensors, h, "WQ", error));
        ATTEST_TRY(read_matrix(&head->wk, tensors, h, "WK", error));
        ATTEST_TRY(read_matrix(&head->wv, tensors, h, "WV", error));
        ATTEST_TRY(read_matrix(&head->wo, tensors, h, "WO", error));
    }
    weights->dim = weights->head[0].wq.cols;
    return attest_weights_check_shapes(weights, error);
}

static attest_status read_weights(attest_weights *weights, attest_error *error)
{
    attest_safetensors tensors ATTEST_CLEARED_BY(attest_safetensors_clear) = {0};

    ATTEST_TRY(attest_safetensors_parse(&tensors, file, sizeof file, NULL, error));
    return read_heads(weights, &tensors, error);
}

static attest_status build(attest_counterexample *counterexample, bool *found,
                           attest_theorem1_space *space, attest_error *error)
{
    const attest_input input = {
        .path = attest_cli_trained.name, .data = file, .size = sizeof file};
    ATTEST_SCOPED(attest_dataset, vocabulary);

    ATTEST_TRY(read_weights(&counterexample->weights, error));
    ATTEST_TRY(attest_dataset_read_input(&vocabulary, &input, "ln1", NULL, error));
    ATTEST_TRY(attest_pairing_set(&vocabulary, &counterexample->weights, &input, NULL, error));
    return attest_theorem1_build_least(counterexample, found, space, &vocabulary, NULL,
                                       INFINITY, error); /* our own data */
}

int attest_cli_build_trained(attest_counterexample *counterexample, bool *found,
                             attest_theorem1_space *space)
{
    attest_error error;

    return build(counterexample, found, space, &error) == ATTEST_OK ? EXIT_HOLDS
                                                                    : attest_cli_fail(&error);
}
