/* counterexample.c -- counterexamples in memory. */
#include "data/counterexample.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

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
