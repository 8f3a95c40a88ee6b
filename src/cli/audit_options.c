/* audit_options.c -- the options that attest audit and attest heads share: formats, the
 * algorithm, the kernel that is audited beside the formats, the texts of tokens, and where
 * record, gate and page are written.
 *
 * --stage is rewritten as a kernel model with a schedule, which the reader of models checks. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/scope.h"
#include "cli/audit.h"
#include "io/json_write.h"
#include "judge/model_field.h"
#include "report/report.h"

enum { MOST_VALUE = 63, MOST_TEXT = 2048 };

const char *const attest_cli_audit_roundings[] = {"nearest", "zero", "stochastic", NULL};
const char *const attest_cli_audit_softmaxes[] = {"naive", "shifted", "online", NULL};
const char *const attest_cli_audit_sums[] = {"sequential", "pairwise", NULL};

void attest_cli_audit_set_defaults(audit_settings *settings)
{
    memset(settings, 0, sizeof *settings);
    settings->formats =
        "binary64,binary32,tfloat32,bfloat16,binary16,float8_e4m3fn,float8_e5m2";
    settings->softmax = 1;
    settings->seed = 1;
    settings->block = 16;
}

void attest_cli_audit_set_algorithm(attest_simulated_arithmetic *like,
                                    const audit_settings *settings)
{
    static const attest_simulated_softmax softmax[] = {
        ATTEST_SIMULATED_NAIVE, ATTEST_SIMULATED_SHIFTED, ATTEST_SIMULATED_ONLINE};

    like->rounding = (attest_simulated_rounding)settings->round;
    like->seed = settings->seed;
    like->softmax = softmax[settings->softmax];
    like->block = settings->block;
    like->pairwise = settings->sum == 1;
    like->fma = settings->fma;
    like->accumulates = settings->accumulate != NULL;
    if (like->accumulates)
        like->accumulate = settings->accumulate_format;
}

bool attest_cli_audit_next_element(char *element, size_t size, const char **list)
{
    size_t length = strcspn(*list, ",");

    if (length >= size)
        length = size - 1;
    memcpy(element, *list, length);
    element[length] = '\0';
    *list += strcspn(*list, ",");
    if (**list == '\0')
        return false;
    (*list)++;
    return true;
}

static int parse_format(attest_format *format, const char *option, const char *name)
{
    attest_error error;

    if (attest_format_parse(format, name, &error))
        return attest_cli_refuse("--%s: %s", option, error.text);
    if (format->precision > AUDIT_MOST_BITS)
        return attest_cli_refuse("--%s: %s: an audit takes formats of at most %d bits", option,
                                 format->name, AUDIT_MOST_BITS);
    return EXIT_HOLDS;
}

int attest_cli_audit_parse_formats(audit_settings *settings)
{
    const char *rest = settings->formats;
    char name[128];
    bool more = true;

    while (more) {
        attest_format *format = &settings->format[settings->format_count];
        if (settings->format_count == AUDIT_MOST_FORMATS)
            return attest_cli_refuse("--formats: more than %d formats", AUDIT_MOST_FORMATS);
        more = attest_cli_audit_next_element(name, sizeof name, &rest);
        ATTEST_CLI_TRY(parse_format(format, "formats", name));
        for (size_t f = 0; f < settings->format_count; f++)
            if (strcmp(settings->format[f].name, format->name) == 0)
                return attest_cli_refuse("--formats: %s is listed twice", format->name);
        settings->format_count++;
    }
    return settings->accumulate
               ? parse_format(&settings->accumulate_format, "accumulate", settings->accumulate)
               : EXIT_HOLDS;
}

typedef struct stages {
    char in[MOST_VALUE + 1], score[MOST_VALUE + 1], softmax[MOST_VALUE + 1], p[MOST_VALUE + 1],
        pv[MOST_VALUE + 1], out[MOST_VALUE + 1], tile[MOST_VALUE + 1], q[MOST_VALUE + 1],
        k[MOST_VALUE + 1], v[MOST_VALUE + 1];
} stages;

static bool is_plain(const char *value)
{
    return *value && strspn(value, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                   "0123456789:_-=.+") == strlen(value);
}

/* Parses one part of --stage, STAGE=VALUE. */
static int set_stage(stages *s, char *part)
{
    const struct {
        const char *name;
        char *to[2];
    } table[] = {{"in", {s->in}},      {"q", {s->q}},
                 {"k", {s->k}},        {"v", {s->v}},
                 {"kv", {s->k, s->v}}, {"score", {s->score}},
                 {"p", {s->p}},        {"softmax", {s->softmax}},
                 {"pv", {s->pv}},      {"out", {s->out}},
                 {"tile", {s->tile}}};
    char *value = strchr(part, '=');

    if (value)
        *value++ = '\0';
    if (!value || !is_plain(value) || strlen(value) > MOST_VALUE)
        return attest_cli_refuse("--stage: '%s' has no value: STAGE=VALUE is expected", part);
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        if (strcmp(part, table[i].name) == 0) {
            for (int k = 0; k < 2 && table[i].to[k]; k++)
                strcpy(table[i].to[k], value);
            return EXIT_HOLDS;
        }
    return attest_cli_refuse(
        "--stage: there is no stage '%s': in, q, k, v, kv, score, softmax, "
        "p, pv, out, tile",
        part);
}

/* Adds "order" for a matrix unit, or "accumulate" for a format. */
static void add_dot(char *text, const char *group, const char *value)
{
    bool unit = strncmp(value, "tc:", 3) == 0;

    sprintf(text + strlen(text), ", \"%s\": {\"%s\": \"%s\"}", group,
            unit ? "order" : "accumulate", value);
}

/* Returns whether p is the name of a format. Otherwise it is a scheme, and the quantised
 * weights are numbers of the format "in". */
static bool is_format(const char *name)
{
    attest_format format;
    attest_error error;

    return attest_format_parse(&format, name, &error) == ATTEST_OK;
}

static void add_schemes(char *text, const stages *s)
{
    const char *const value[4] = {s->q, s->k, s->v, is_format(s->p) ? "" : s->p};

    strcat(text, ", \"quantise\": {\"exact\": \"inputs\"");
    for (int i = 0; i < 4; i++)
        if (*value[i])
            sprintf(text + strlen(text), ", \"%c\": \"%s\"", "qkvp"[i], value[i]);
    strcat(text, "}");
}

static void write_model(char *text, const stages *s)
{
    const char *in = *s->in ? s->in : "bfloat16", *score = *s->score ? s->score : "binary32";
    const char *pv = *s->pv ? s->pv : "binary32", *tile = *s->tile ? s->tile : "64";
    bool units[2] = {strncmp(score, "tc:", 3) == 0, strncmp(pv, "tc:", 3) == 0};

    sprintf(text,
            "{\"format\": \"attest/kernel-model\", \"version\": 1, \"name\": \"stages\", "
            "\"inputs\": {\"q\": \"%s\", \"k\": \"%s\", \"v\": \"%s\"}",
            in, in, in);
    if (*s->p)
        sprintf(text + strlen(text), ", \"p\": {\"format\": \"%s\"}",
                is_format(s->p) ? s->p : in);
    add_dot(text, "score", score);
    add_dot(text, "pv", pv);
    add_schemes(text, s);
    sprintf(text + strlen(text),
            ", \"max\": {\"kind\": \"online\", \"tile\": %s, \"direction\": \"forward\"}, "
            "\"output\": {\"format\": \"%s\"}, \"schedules\": [{\"scores\": \"%s\", "
            "\"pv\": \"%s\", \"tile\": %s, \"direction\": \"forward\", \"lanes\": 1, "
            "\"rescale\": 0, \"constant\": \"folded-binary32\", \"divide\": \"after\"}]}",
            tile, *s->out ? s->out : in, units[0] ? "tensor" : "sequential",
            units[1] ? "tensor" : "forward", tile);
}

static int parse_stages(attest_judge_model *model, const char *list)
{
    char copy[1024], text[MOST_TEXT], *rest = NULL;
    attest_budget budget = {1 << 20};
    attest_error error;
    stages s = {0};
    int code = EXIT_HOLDS;

    if (strlen(list) >= sizeof copy)
        return attest_cli_refuse("--stage: the list is too long");
    strcpy(copy, list);
    for (char *part = strtok_r(copy, ",", &rest); part && code == EXIT_HOLDS;
         part = strtok_r(NULL, ",", &rest))
        code = set_stage(&s, part);
    if (code != EXIT_HOLDS)
        return code;
    if (*s.softmax && strcmp(s.softmax, "binary32") != 0 && strcmp(s.softmax, "fp32") != 0)
        return attest_cli_refuse("--stage: kernels compute softmax in binary32, not in %s",
                                 s.softmax);
    write_model(text, &s);
    if (attest_judge_model_parse_json(model, text, strlen(text), &budget, &error))
        return error.status == ATTEST_NOMEM ? attest_cli_fail(&error)
                                            : attest_cli_refuse("--stage: %s", error.text);
    return EXIT_HOLDS;
}

int attest_cli_audit_load_kernel(attest_judge_model **model, const audit_settings *settings)
{
    attest_error error;
    int code;

    *model = NULL;
    if (settings->stage && settings->kernel)
        return attest_cli_refuse("--stage and --kernel exclude each other: give one of them");
    if (!settings->stage && !settings->kernel)
        return EXIT_HOLDS;
    if (settings->kernel) {
        if (attest_judge_model_load(model, settings->kernel, &error))
            return attest_cli_fail_input(&error);
        if ((*model)->schedules > 0)
            return EXIT_HOLDS;
        attest_judge_model_free(*model);
        *model = NULL;
        return attest_cli_refuse("--kernel: %s has no schedule: it cannot be run",
                                 settings->kernel);
    }
    *model = calloc(1, sizeof **model);
    if (!*model) {
        attest_error_set(&error, ATTEST_NOMEM, "out of memory");
        return attest_cli_fail(&error);
    }
    attest_judge_model_init(*model);
    code = parse_stages(*model, settings->stage);
    if (code != EXIT_HOLDS) {
        attest_judge_model_free(*model);
        *model = NULL;
    }
    return code;
}

static attest_status check_texts(const attest_texts *texts, const attest_dataset *dataset,
                                 size_t sequences, size_t length, attest_error *error)
{
    if (texts->sequences != sequences)
        return attest_error_set(error, ATTEST_FORMAT,
                                "texts of %zu sequences are given, but the data have %zu",
                                texts->sequences, sequences);
    for (size_t i = 0; i < sequences; i++)
        ATTEST_TRY(attest_texts_check(
            texts, i, dataset ? attest_dataset_length(dataset, i) : length, error));
    return ATTEST_OK;
}

attest_status attest_cli_audit_read_texts(attest_texts *texts, const char *path,
                                          const attest_dataset *dataset, size_t sequences,
                                          size_t length, attest_budget *budget,
                                          attest_error *error)
{
    if (!path)
        return ATTEST_OK;
    ATTEST_TRY(attest_texts_read(texts, path, budget, error));
    return attest_error_prefix(
        error, check_texts(texts, dataset, dataset ? dataset->count : sequences, length, error),
        path);
}

void attest_cli_audit_write_gate(attest_json *json, const attest_audit_gate *gate,
                                 const char *path)
{
    attest_json_write_object(json, "gate");
    attest_json_write_string(json, "file", path);
    attest_json_write_bool(json, "passed", gate->count == 0);
    attest_json_write_array(json, "worse");
    for (size_t i = 0; i < gate->count; i++)
        attest_json_write_string(json, NULL, gate->line[i]);
    attest_json_write_close(json);
    attest_json_write_close(json);
}

bool attest_cli_audit_is_record(const char *output)
{
    size_t length = strlen(output);

    return length > 5 && strcmp(output + length - 5, ".json") == 0;
}

int attest_cli_audit_find_target(audit_target *t, const char *output)
{
    size_t length = strlen(output);

    if (length > AUDIT_MOST_PATH - 256)
        return attest_cli_refuse("%s: the name is too long", output);
    if (attest_cli_audit_is_record(output)) {
        snprintf(t->record, sizeof t->record, "%s", output);
        snprintf(t->stem, sizeof t->stem, "%.*s-", (int)(length - 5), output);
        return EXIT_HOLDS;
    }
    if (mkdir(output, 0777) != 0 && errno != EEXIST) {
        attest_cli_complain("%s: cannot create the directory: %s", output, strerror(errno));
        return EXIT_ENVIRONMENT;
    }
    snprintf(t->record, sizeof t->record, "%s/audit.json", output);
    snprintf(t->stem, sizeof t->stem, "%s/", output);
    return EXIT_HOLDS;
}

/* Returns the file name of the record. */
static const char *name_record(const char *output)
{
    const char *slash;

    if (!output || !attest_cli_audit_is_record(output))
        return "audit.json";
    slash = strrchr(output, '/');
    return slash ? slash + 1 : output;
}

int attest_cli_audit_write_page(const char *page, const char *output,
                                void (*write)(attest_json *json, const void *context),
                                const void *context)
{
    attest_report report;
    attest_error error;
    int code;
    size_t size;
    char *text = attest_json_format(&size, write, context);

    if (!text) {
        attest_cli_complain("%s: out of memory", page);
        return EXIT_ENVIRONMENT;
    }
    attest_report_init(&report);
    code = attest_records_add(&report.records, name_record(output), text, size, NULL, &error)
               ? attest_cli_fail(&error)
               : EXIT_HOLDS;
    for (size_t i = 0; i < report.records.count; i++)
        report.records.record[i].unsaved = !output;
    if (code == EXIT_HOLDS &&
        (attest_report_set(&report, &error) || attest_report_write_page(&report, page, &error)))
        code = attest_cli_fail(&error);
    attest_report_clear(&report);
    free(text);
    return code;
}
