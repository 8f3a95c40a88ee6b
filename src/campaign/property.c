/* property.c -- instances, trials and settings, and counterexample files of them. */
#include "campaign/property.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <attest/format.h>

#include "base/scope.h"
#include "campaign/counterexample.h"
#include "campaign/load.h"
#include "io/counterexample_json.h"
#include "io/json_write.h"

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

bool attest_setting_drops(const attest_setting *setting, const char *hypothesis)
{
    return setting->without && strcmp(setting->without, hypothesis) == 0;
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

/* ---- Settings and instances in files. */

static const char *const names[] = {NULL, "mpfr", "binary32", "double"};

enum { NAMES = sizeof names / sizeof *names };

const char *attest_arithmetic_name(attest_arithmetic_kind kind)
{
    return names[kind];
}

attest_status attest_arithmetic_parse(attest_arithmetic_kind *kind, const char *name,
                                      attest_error *error)
{
    for (int i = 1; i < NAMES; i++) {
        if (strcmp(name, names[i]) == 0) {
            *kind = (attest_arithmetic_kind)i;
            return ATTEST_OK;
        }
    }
    return attest_error_set(error, ATTEST_USAGE,
                            "unknown arithmetic \"%.100s\": expected mpfr, binary32 or double",
                            name);
}

const char *attest_setting_rounding_name(mpfr_rnd_t round)
{
    return mpfr_print_rnd_mode(round) + strlen("MPFR_");
}

void attest_setting_write(attest_json *json, const attest_setting *setting)
{
    if (setting->without)
        attest_json_write_string(json, "without", setting->without);
    if (setting->number != ATTEST_ARITHMETIC_NONE)
        attest_json_write_string(json, "number", names[setting->number]);
    if (setting->number == ATTEST_ARITHMETIC_MPFR) {
        attest_json_write_integer(json, "bits", setting->bits);
        attest_json_write_string(json, "round", attest_setting_rounding_name(setting->round));
    }
}

/* Adds the members of the setting that are set to the parameters of a counterexample. Status:
 * NOMEM. */
static attest_status add_setting(attest_counterexample *file, const attest_setting *setting)
{
    char bits[32];

    if (setting->without)
        ATTEST_TRY(attest_counterexample_add_parameter(file, "without", setting->without));
    if (setting->number != ATTEST_ARITHMETIC_NONE)
        ATTEST_TRY(attest_counterexample_add_parameter(file, "number", names[setting->number]));
    if (setting->number != ATTEST_ARITHMETIC_MPFR)
        return ATTEST_OK;
    snprintf(bits, sizeof bits, "%ld", setting->bits);
    ATTEST_TRY(attest_counterexample_add_parameter(file, "bits", bits));
    return attest_counterexample_add_parameter(file, "round",
                                               attest_setting_rounding_name(setting->round));
}

static attest_status get_bits(long *bits, const char *text, attest_error *error)
{
    char *end;

    errno = 0;
    *bits = strtol(text, &end, 10);
    if (errno || end == text || *end || *bits < 1 || *bits > ATTEST_FORMAT_MAX_PRECISION)
        return attest_error_set(error, ATTEST_FORMAT,
                                "parameters.bits: \"%.100s\" is no precision", text);
    return ATTEST_OK;
}

bool attest_setting_owns(const char *parameter)
{
    return strcmp(parameter, "without") == 0 || strcmp(parameter, "number") == 0 ||
           strcmp(parameter, "bits") == 0 || strcmp(parameter, "round") == 0;
}

static attest_status set_parameter(attest_setting *setting, const char *name, const char *value,
                                   attest_error *error)
{
    if (strcmp(name, "without") == 0)
        setting->without = value;
    else if (strcmp(name, "number") == 0)
        return attest_arithmetic_parse(&setting->number, value, error);
    else if (strcmp(name, "bits") == 0)
        return get_bits(&setting->bits, value, error);
    else if (strcmp(name, "round") == 0)
        return attest_rounding_parse(&setting->round, value, error);
    return ATTEST_OK;
}

attest_status attest_setting_get(attest_setting *setting, const attest_counterexample *file,
                                 attest_error *error)
{
    *setting = (attest_setting){.round = MPFR_RNDN};
    for (size_t p = 0; p < file->parameters; p++) {
        attest_status status =
            set_parameter(setting, file->parameter[p].name, file->parameter[p].value, error);

        if (status == ATTEST_USAGE)
            return attest_error_prefix(error, ATTEST_FORMAT, "parameters");
        ATTEST_TRY(status);
    }
    if (setting->number == ATTEST_ARITHMETIC_MPFR && setting->bits == 0)
        return attest_error_set(error, ATTEST_FORMAT, "parameters: there are no bits");
    return ATTEST_OK;
}

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
    ATTEST_TRY(add_setting(file, origin->setting));
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
    /* The instance keeps its data and weights: they are taken out before file is cleared. */
    file.dataset = instance->dataset;
    file.weights = instance->weights;
    if (fill(&file, instance, origin) == ATTEST_OK)
        text = attest_json_format(NULL, write_file, &file);
    attest_dataset_init(&file.dataset);
    attest_weights_init(&file.weights);
    attest_counterexample_clear(&file);
    return text;
}
