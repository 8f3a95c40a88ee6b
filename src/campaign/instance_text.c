/* instance_text.c -- an instance as the text of a counterexample file, and back. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/scope.h"
#include "campaign/instance_text.h"
#include "campaign/load.h"
#include "campaign/setting.h"
#include "io/counterexample_json.h"
#include "io/json_write.h"

static attest_status add_rational(attest_counterexample *file, const char *name,
                                  const fmpq_t value)
{
    char *text ATTEST_FREED = attest_number_format(value);

    return text ? attest_counterexample_add_parameter(file, name, text) : ATTEST_NOMEM;
}

static attest_status fill(attest_counterexample *file, const attest_instance *instance,
                          const attest_origin *origin)
{
    const attest_trial *trial = origin->trial;

    ATTEST_TRY(attest_counterexample_set_texts(file, origin->property->name,
                                               trial->definition ? trial->definition : "none",
                                               "campaign"));
    for (size_t p = 0; p < instance->parameters; p++)
        ATTEST_TRY(
            add_rational(file, instance->parameter[p].name, instance->parameter[p].value));
    ATTEST_TRY(attest_setting_add(file, origin->setting));
    file->has_pair = trial->outcome == ATTEST_VIOLATED && trial->has_pair;
    for (int side = 0; side < 2; side++) {
        file->pair[side][0] = trial->pair[side].sequence;
        file->pair[side][1] = trial->pair[side].position;
    }
    if (origin->property->object)
        memcpy(file->object, origin->property->object->sha256, sizeof file->object);
    file->has_seed = true;
    file->seed = origin->seed;
    file->shrink_steps = origin->shrink_steps;
    return ATTEST_OK;
}

static void write_file(attest_json *json, const void *file)
{
    attest_counterexample_write_json(json, NULL, file);
}

char *attest_instance_format(const attest_instance *instance, const attest_origin *origin)
{
    attest_counterexample file;
    char *text = NULL;

    attest_counterexample_init(&file);
    /* Borrowed, and given back before file is cleared. */
    file.dataset = instance->dataset;
    file.weights = instance->weights;
    if (fill(&file, instance, origin) == ATTEST_OK)
        text = attest_json_format(NULL, write_file, &file);
    attest_dataset_init(&file.dataset);
    attest_weights_init(&file.weights);
    attest_counterexample_clear(&file);
    return text;
}
