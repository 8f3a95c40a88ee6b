/* instance.c -- data, weights and named parameters. */
#include "campaign/instance.h"

#include <assert.h>
#include <string.h>

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
