/* counterexample.c -- counterexamples in memory, and writing them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "io/counterexample_json.h"
#include "io/dataset_json.h"
#include "io/json_file.h"
#include "io/weights_json.h"

void attest_counterexample_init(attest_counterexample *counterexample)
{
    memset(counterexample, 0, sizeof *counterexample);
    attest_dataset_init(&counterexample->dataset);
    attest_weights_init(&counterexample->weights);
}

static void clear_outputs(attest_counterexample *counterexample)
{
    if (counterexample->has_outputs)
        for (int side = 0; side < 2; side++)
            _fmpq_vec_clear(counterexample->output[side], (slong)counterexample->dataset.dim);
    counterexample->has_outputs = false;
}

void attest_counterexample_clear(attest_counterexample *counterexample)
{
    clear_outputs(counterexample);
    attest_dataset_clear(&counterexample->dataset);
    attest_weights_clear(&counterexample->weights);
    for (size_t p = 0; p < counterexample->parameters; p++) {
        free(counterexample->parameter[p].name);
        free(counterexample->parameter[p].value);
    }
    free(counterexample->parameter);
    free(counterexample->property);
    free(counterexample->definition);
    free(counterexample->found_by);
    memset(counterexample, 0, sizeof *counterexample);
}

static attest_status set_text(char **target, const char *text)
{
    char *copy = attest_memory_copy(text);

    if (!copy)
        return ATTEST_NOMEM;
    free(*target);
    *target = copy;
    return ATTEST_OK;
}

attest_status attest_counterexample_set_texts(attest_counterexample *counterexample,
                                              const char *property, const char *definition,
                                              const char *found_by)
{
    if (set_text(&counterexample->property, property) != ATTEST_OK ||
        set_text(&counterexample->definition, definition) != ATTEST_OK)
        return ATTEST_NOMEM;
    return set_text(&counterexample->found_by, found_by);
}

attest_status attest_counterexample_add_parameter(attest_counterexample *counterexample,
                                                  const char *name, const char *value)
{
    attest_parameter *all = attest_memory_resize(counterexample->parameter,
                                                 counterexample->parameters + 1, sizeof *all);
    attest_parameter added;

    if (!all)
        return ATTEST_NOMEM;
    counterexample->parameter = all;
    added = (attest_parameter){attest_memory_copy(name), attest_memory_copy(value)};
    if (!added.name || !added.value) {
        free(added.name);
        free(added.value);
        return ATTEST_NOMEM;
    }
    all[counterexample->parameters++] = added;
    return ATTEST_OK;
}

void attest_counterexample_resize_outputs(attest_counterexample *counterexample, size_t dim)
{
    clear_outputs(counterexample);
    for (int side = 0; side < 2; side++)
        counterexample->output[side] = _fmpq_vec_init((slong)dim);
    counterexample->has_outputs = true;
}

static void write_violation(attest_json *json, const attest_counterexample *counterexample)
{
    attest_json_write_object(json, "violates");
    attest_json_write_string(json, "definition", counterexample->definition);
    if (counterexample->has_pair) {
        attest_json_write_array(json, "pair");
        for (int side = 0; side < 2; side++) {
            attest_json_write_array(json, NULL);
            attest_json_write_count(json, NULL, counterexample->pair[side][0]);
            attest_json_write_count(json, NULL, counterexample->pair[side][1]);
            attest_json_write_close(json);
        }
        attest_json_write_close(json);
    }
    attest_json_write_close(json);
}

static void write_outputs(attest_json *json, const attest_counterexample *counterexample)
{
    size_t dim = counterexample->dataset.dim;
    bool equal = true;

    for (size_t c = 0; c < dim; c++)
        equal =
            equal && fmpq_equal(counterexample->output[0] + c, counterexample->output[1] + c);
    attest_json_write_bool(json, "outputs_equal", equal);
    attest_json_write_array(json, "outputs");
    for (int side = 0; side < 2; side++) {
        attest_json_write_array(json, NULL);
        for (size_t c = 0; c < dim; c++)
            attest_json_write_rational(json, NULL, counterexample->output[side] + c);
        attest_json_write_close(json);
    }
    attest_json_write_close(json);
}

void attest_counterexample_write_members(attest_json *json,
                                         const attest_counterexample *counterexample)
{
    char seed[32];

    attest_json_write_string(json, "format", "attest/counterexample");
    attest_json_write_integer(json, "version", 1);
    attest_json_write_string(json, "property", counterexample->property);
    if (counterexample->dataset.count > 0)
        attest_dataset_write_json(json, "dataset", &counterexample->dataset);
    if (counterexample->weights.heads > 0)
        attest_weights_write_json(json, "weights", &counterexample->weights);
    attest_json_write_object(json, "parameters");
    for (size_t p = 0; p < counterexample->parameters; p++)
        attest_json_write_string(json, counterexample->parameter[p].name,
                                 counterexample->parameter[p].value);
    attest_json_write_close(json);
    write_violation(json, counterexample);
    if (counterexample->has_seed) {
        snprintf(seed, sizeof seed, "0x%llx", (unsigned long long)counterexample->seed);
        attest_json_write_string(json, "seed", seed);
    } else {
        attest_json_write_null(json, "seed");
    }
    attest_json_write_string(json, "found_by", counterexample->found_by);
    attest_json_write_count(json, "shrink_steps", counterexample->shrink_steps);
    if (counterexample->has_outputs)
        write_outputs(json, counterexample);
}

void attest_counterexample_write_json(attest_json *json, const char *key,
                                      const attest_counterexample *counterexample)
{
    attest_json_write_object(json, key);
    attest_counterexample_write_members(json, counterexample);
    attest_json_write_close(json);
}

attest_status attest_counterexample_write(const attest_counterexample *counterexample,
                                          const char *path, attest_error *error)
{
    attest_json_file file;
    attest_status status = attest_json_file_open(&file, path, error);

    if (status != ATTEST_OK)
        return status;
    attest_counterexample_write_json(&file.json, NULL, counterexample);
    return attest_json_file_commit(&file, error);
}
