/* counterexample.c -- settings and instances in files. */
#include "campaign/counterexample.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <attest/format.h>

#include "base/scope.h"
#include "campaign/load.h"
#include "io/counterexample_json.h"
#include "io/json_write.h"

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
