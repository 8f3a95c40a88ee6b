/* counterexample_gallery.c -- the gallery of counterexamples, and the one whose weights were
 * trained. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <attest/pairing.h>

#include "base/memory.h"
#include "base/scope.h"
#include "cli/counterexample.h"
#include "io/array.h"
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

static void print_sequence(const long *t, size_t length)
{
    attest_print("(");
    for (size_t k = 0; k < length; k++)
        attest_print("%s%ld", k ? ", " : "", t[k]);
    attest_print(")");
}

/* "(1, 2, 5, 6) and (1, 3, 4, 6) at 0 and 0". */
static void print_pair(const attest_universal_pair *pair)
{
    print_sequence(pair->t[0], pair->length[0]);
    if (pair->length[1] > 0) {
        attest_print(" and ");
        print_sequence(pair->t[1], pair->length[1]);
    }
    attest_print(" at %zu and %zu", pair->position[0], pair->position[1]);
}

static void write_numbers(attest_json *json, const long *t, size_t length)
{
    attest_json_write_array(json, NULL);
    for (size_t k = 0; k < length; k++)
        attest_json_write_integer(json, NULL, t[k]);
    attest_json_write_close(json);
}

static void write_entry(attest_json *json, const attest_gallery_entry *e)
{
    attest_json_write_string(json, "name", e->name);
    attest_json_write_string(json, "title", e->title);
    attest_json_write_string(json, "ties", attest_ties_name(e->ties));
    attest_json_write_string(json, "mask", attest_mask_name(e->mask));
    attest_json_write_string(json, "defeats", attest_gallery_defeats_name(e->defeats));
    attest_json_write_array(json, "multiples");
    for (size_t side = 0; side < 2 && e->pair.length[side] > 0; side++)
        write_numbers(json, e->pair.t[side], e->pair.length[side]);
    attest_json_write_close(json);
    attest_json_write_array(json, "positions");
    for (size_t side = 0; side < 2; side++)
        attest_json_write_count(json, NULL, e->pair.position[side]);
    attest_json_write_close(json);
}

/* "`ab` and `cb` at 1 and 1": texts are of letters, blanks and the like. */
static void print_texts(void)
{
    const attest_trained_entry *e = &attest_cli_trained;

    attest_print("`%s` and `%s` at %zu and %zu", e->text[0], e->text[1], e->position[0],
                 e->position[1]);
}

static void write_texts(attest_json *json)
{
    const attest_trained_entry *e = &attest_cli_trained;

    attest_json_write_string(json, "name", e->name);
    attest_json_write_string(json, "title", e->title);
    attest_json_write_string(json, "ties", attest_ties_name(ATTEST_TIES_UNIFORM));
    attest_json_write_string(json, "mask", attest_mask_name(ATTEST_MASK_CAUSAL));
    attest_json_write_string(json, "defeats", e->defeats);
    attest_json_write_array(json, "texts");
    for (size_t side = 0; side < 2; side++)
        attest_json_write_string(json, NULL, e->text[side]);
    attest_json_write_close(json);
    attest_json_write_array(json, "positions");
    for (size_t side = 0; side < 2; side++)
        attest_json_write_count(json, NULL, e->position[side]);
    attest_json_write_close(json);
}

int attest_cli_list_gallery(const attest_common *common)
{
    attest_json json;

    if (!common->json) {
        for (const attest_gallery_entry *e = attest_gallery; e->name; e++) {
            attest_print("%-26s %s\n%-26s   ", e->name, e->title, "");
            print_pair(&e->pair);
            attest_print("; %s ties, mask %s\n%-26s   defeats %s\n", attest_ties_name(e->ties),
                         attest_mask_name(e->mask), "",
                         attest_gallery_defeats_name(e->defeats));
        }
        attest_print("%-26s %s\n%-26s   ", attest_cli_trained.name, attest_cli_trained.title,
                     "");
        print_texts();
        attest_print("; uniform ties, mask causal\n%-26s   defeats %s\n", "",
                     attest_cli_trained.defeats);
        return EXIT_HOLDS;
    }
    attest_json_write_begin(&json, stdout);
    attest_json_write_object(&json, NULL);
    attest_json_write_format(&json, "attest/gallery");
    attest_json_write_array(&json, "gallery");
    for (const attest_gallery_entry *e = attest_gallery; e->name; e++) {
        attest_json_write_object(&json, NULL);
        write_entry(&json, e);
        attest_json_write_close(&json);
    }
    attest_json_write_object(&json, NULL);
    write_texts(&json);
    attest_json_write_close(&json);
    attest_json_write_close(&json);
    attest_json_write_close(&json);
    return attest_cli_end_json(&json, EXIT_HOLDS);
}

/* Prints, e.g., "whole numbers from 1 to 9, without repetitions, of equal lengths". */
static void print_space(const attest_gallery_entry *e)
{
    attest_print("whole numbers from %ld to %ld%s, %s repetitions, %s", e->low, e->high,
                 e->low <= 0 && !e->zero ? " but 0" : "", e->repeats ? "with" : "without",
                 e->pair.length[1] == 0 ? "in one sequence"
                 : e->unequal           ? "lengths equal or not"
                                        : "of equal lengths");
}

void attest_cli_print_gallery(const attest_gallery_entry *e,
                              const attest_gallery_search *search)
{
    size_t n = e->pair.length[0] > e->pair.length[1] ? e->pair.length[0] : e->pair.length[1];

    attest_print("%s: %s\nmultiples of u: ", e->name, e->title);
    print_pair(&e->pair);
    attest_print("\ndefeats %s; %s ties, mask %s\nminimal among ",
                 attest_gallery_defeats_name(e->defeats), attest_ties_name(e->ties),
                 attest_mask_name(e->mask));
    print_space(e);
    attest_print(
        ":\n  the %zu sequences of fewer than %zu tokens (%zu positions) have no such pair, "
        "and it is the\n  first of the %zu sequences of %zu tokens; other vectors, of any "
        "dimension, also need %zu\n  tokens (proofs-notes/theorem1.md, \"The gallery\")\n",
        search->shorter, n, search->contexts, search->sequences - search->shorter, n, n);
}

void attest_cli_write_gallery(attest_json *json, const attest_gallery_entry *e,
                              const attest_gallery_search *search)
{
    attest_json_write_object(json, "gallery");
    write_entry(json, e);
    attest_json_write_object(json, "least_of");
    attest_json_write_integer(json, "low", e->low);
    attest_json_write_integer(json, "high", e->high);
    attest_json_write_bool(json, "zero", e->zero);
    attest_json_write_bool(json, "repetitions", e->repeats);
    attest_json_write_bool(json, "unequal_lengths", e->unequal);
    attest_json_write_count(json, "shorter_sequences", search->shorter);
    attest_json_write_count(json, "shorter_positions", search->contexts);
    attest_json_write_count(json, "sequences", search->sequences);
    attest_json_write_close(json);
    attest_json_write_close(json);
}

void attest_cli_print_space(const attest_theorem1_space *space, bool found)
{
    attest_print("sequences over %zu tokens, each at a place where the data contain it: ",
                 space->tokens);
    if (found)
        attest_print("the %zu\n  sequences of fewer than %zu have no such pair, and it is the "
                     "first of the %zu of %zu\n",
                     space->shorter, space->length, space->longest, space->length);
    else
        attest_print("the %zu\n  sequences of up to %zu have no such pair%s\n",
                     space->shorter + space->longest, space->length,
                     space->whole ? "" : "; the longer ones are too many to search");
}

void attest_cli_write_space(attest_json *json, const attest_theorem1_space *space)
{
    attest_json_write_object(json, "least_of");
    attest_json_write_count(json, "tokens", space->tokens);
    attest_json_write_count(json, "length", space->length);
    attest_json_write_count(json, "shorter_sequences", space->shorter);
    attest_json_write_count(json, "sequences", space->shorter + space->longest);
    attest_json_write_bool(json, "whole", space->whole);
    attest_json_write_close(json);
}

void attest_cli_print_trained(const attest_theorem1_space *space)
{
    attest_print("%s: %s\n", attest_cli_trained.name, attest_cli_trained.title);
    print_texts();
    attest_print("\ndefeats %s; uniform ties, mask causal\nminimal among ",
                 attest_cli_trained.defeats);
    attest_cli_print_space(space, true);
}

void attest_cli_write_trained(attest_json *json, const attest_theorem1_space *space)
{
    attest_json_write_object(json, "gallery");
    write_texts(json);
    attest_cli_write_space(json, space);
    attest_json_write_close(json);
}
