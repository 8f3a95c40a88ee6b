/* audit_stage.c -- attest audit --stage, --kernel: the kernel that is audited beside formats.
 *
 * A list of stages is a kernel model with a schedule, written as one: what is wrong with it is
 * found by the reader of models. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/audit.h"
#include "judge/model_json.h"

enum { MOST_VALUE = 63, MOST_TEXT = 2048 };

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

/* One part, STAGE=VALUE. */
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

/* "order": a matrix unit's, or "accumulate": a format. */
static void add_dot(char *text, const char *group, const char *value)
{
    bool unit = strncmp(value, "tc:", 3) == 0;

    sprintf(text + strlen(text), ", \"%s\": {\"%s\": \"%s\"}", group,
            unit ? "order" : "accumulate", value);
}

/* Weights are cast to a format, or else quantised by a scheme, and then numbers of "in". */
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

int attest_cli_audit_load_kernel(attest_judge_model **model, const audit_request *request)
{
    attest_error error;
    int code;

    *model = NULL;
    if (request->stage && request->kernel)
        return attest_cli_refuse(
            "--stage and --kernel exclude each other (see 'attest audit --help')");
    if (!request->stage && !request->kernel)
        return EXIT_HOLDS;
    if (request->kernel) {
        if (attest_judge_model_load(model, request->kernel, &error))
            return attest_cli_fail_input(&error);
        if ((*model)->schedules > 0)
            return EXIT_HOLDS;
        attest_judge_model_free(*model);
        *model = NULL;
        return attest_cli_refuse("--kernel: %s has no schedule: it cannot be run",
                                 request->kernel);
    }
    *model = calloc(1, sizeof **model);
    if (!*model) {
        attest_error_set(&error, ATTEST_NOMEM, "out of memory");
        return attest_cli_fail(&error);
    }
    attest_judge_model_init(*model);
    code = parse_stages(*model, request->stage);
    if (code != EXIT_HOLDS) {
        attest_judge_model_free(*model);
        *model = NULL;
    }
    return code;
}
