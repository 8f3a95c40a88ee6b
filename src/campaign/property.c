/* property.c -- instances, and the results of trials. */
#include "campaign/property.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void attest_trial_init(attest_trial *trial)
{
    memset(trial, 0, sizeof *trial);
    trial->margin = NAN;
}

void attest_trial_label(attest_trial *trial, const char *label)
{
    for (size_t l = 0; l < trial->labels; l++)
        if (strcmp(trial->label[l], label) == 0)
            return;
    if (trial->labels < ATTEST_TRIAL_LABELS)
        trial->label[trial->labels++] = label;
}

ATTEST_PRINTF(2, 0)
static void set_reason(attest_trial *trial, const char *format, va_list arguments)
{
    vsnprintf(trial->reason, sizeof trial->reason, format, arguments);
}

void attest_trial_violated(attest_trial *trial, const char *definition, const char *format, ...)
{
    va_list arguments;

    trial->outcome = ATTEST_VIOLATED;
    trial->definition = definition;
    va_start(arguments, format);
    set_reason(trial, format, arguments);
    va_end(arguments);
}

void attest_trial_open(attest_trial *trial, const char *format, ...)
{
    va_list arguments;

    trial->outcome = ATTEST_OPEN;
    va_start(arguments, format);
    set_reason(trial, format, arguments);
    va_end(arguments);
}

void attest_instance_init(attest_instance *instance)
{
    attest_dataset_init(&instance->dataset);
    attest_weights_init(&instance->weights);
    instance->parameters = 0;
}

void attest_instance_clear(attest_instance *instance)
{
    attest_dataset_clear(&instance->dataset);
    attest_weights_clear(&instance->weights);
    for (size_t p = 0; p < instance->parameters; p++)
        fmpq_clear(instance->parameter[p].value);
    instance->parameters = 0;
}

static attest_instance_parameter *find(const attest_instance *instance, const char *name)
{
    for (size_t p = 0; p < instance->parameters; p++)
        if (strcmp(instance->parameter[p].name, name) == 0)
            return (attest_instance_parameter *)&instance->parameter[p];
    return NULL;
}

fmpq *attest_instance_set(attest_instance *instance, const char *name)
{
    attest_instance_parameter *parameter = find(instance, name);

    if (!parameter) {
        assert(instance->parameters < ATTEST_INSTANCE_PARAMETERS);
        parameter = &instance->parameter[instance->parameters++];
        parameter->name = name;
        fmpq_init(parameter->value);
    }
    return parameter->value;
}

const fmpq *attest_instance_get(const attest_instance *instance, const char *name)
{
    const attest_instance_parameter *parameter = find(instance, name);

    return parameter ? parameter->value : NULL;
}
