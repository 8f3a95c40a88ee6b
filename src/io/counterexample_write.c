/* counterexample_write.c -- writing counterexamples. */
#include <stdio.h>

#include "io/counterexample_json.h"
#include "io/dataset_json.h"
#include "io/json_file.h"
#include "io/weights_json.h"

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
    if (counterexample->object[0])
        attest_json_write_string(json, "object", counterexample->object);
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
