/* A judgement from plain arrays: the shapes of outputs, the text of what was found, and work
 * that the caller stops. */
#include <stdlib.h>
#include <string.h>

#include <attest/flint.h>
#include <attest/judgement.h>

#include "tests/tap.h"

enum { HEADS = 2, ROWS = 200, DIM = 4, ALL = HEADS * ROWS * DIM };

static float q[ALL], v[ALL], out[ALL];
static attest_judge_model *model;

static attest_tensor tensor(const void *data)
{
    return (attest_tensor){data,
                           ATTEST_TENSOR_F32,
                           {1, HEADS, ROWS, DIM},
                           {sizeof q, sizeof q / HEADS, DIM * sizeof *q, sizeof *q}};
}

/* All scores are 0: every row is the mean of the values, which is 0.5 in head 0, 2.5 in head 1.
 */
static attest_qkv question(void)
{
    for (size_t i = 0; i < ALL; i++) {
        double mean = i < ALL / HEADS ? 0.5 : 2.5;

        q[i] = 0;
        v[i] = (float)(mean + (i / DIM % 2 ? 0.25 : -0.25));
        out[i] = (float)mean;
    }
    return (attest_qkv){.q = tensor(q), .k = tensor(q), .v = tensor(v)};
}

static char *judge(attest_judge_verdict *verdict, const attest_tensor *output,
                   const attest_qkv *qkv)
{
    attest_judge_options options = {0};
    attest_judgement *judgement;
    attest_error error;
    char *text;

    if (attest_judgement_make(&judgement, output, qkv, model, &options, &error)) {
        printf("# %s\n", error.text);
        abort();
    }
    *verdict = attest_judgement_verdict(judgement);
    text = attest_judgement_format(judgement);
    attest_judgement_free(judgement);
    return text;
}

static void verdicts(void)
{
    attest_qkv qkv = question();
    attest_tensor output = tensor(out);
    attest_judge_verdict verdict;
    char *text = judge(&verdict, &output, &qkv);

    TAP_OK(verdict == ATTEST_JUDGE_WITHIN && text && strstr(text, "\"verdict\": \"within\"") &&
               strstr(text, "\"elements\": 1600"),
           "within");
    free(text);
    out[ALL - 1] = 3;
    text = judge(&verdict, &output, &qkv);
    TAP_OK(verdict == ATTEST_JUDGE_WRONG && text && strstr(text, "\"wrong\": 1,") &&
               strstr(text, "\"rows\": [199, 199]"),
           "one wrong element");
    free(text);
    /* the heads of the output stored in reverse */
    output.data = (const char *)out + sizeof out / HEADS;
    output.stride[1] = -output.stride[1];
    text = judge(&verdict, &output, &qkv);
    TAP_OK(verdict == ATTEST_JUDGE_WRONG && text && strstr(text, "\"wrong\": 1600,"),
           "strides may be negative");
    free(text);
}

static void refusals(void)
{
    attest_qkv qkv = question();
    attest_tensor output = tensor(out);
    attest_judge_options options = {0};
    attest_judgement *judgement = NULL;
    attest_error error;

    output.shape[3] = DIM - 1;
    TAP_OK(attest_judgement_make(&judgement, &output, &qkv, model, &options, &error) ==
                   ATTEST_FORMAT &&
               !judgement && strstr(error.text, "(1, 2, 200, 3)"),
           "an output of another shape: %s", error.text);
    output = tensor(NULL);
    TAP_OK(attest_judgement_make(&judgement, &output, &qkv, model, &options, &error) ==
                   ATTEST_FORMAT &&
               !judgement,
           "no output");
    attest_judgement_free(NULL);
}

static size_t asked;

static bool refuse(void *context)
{
    asked++;
    return context == NULL;
}

/* Models with many combinations take long enough that somebody is asked. */
static void stops(size_t jobs)
{
    attest_qkv qkv = question();
    attest_judge_options options = {.jobs = jobs, .proceed = refuse, .proceed_context = q};
    attest_judge_bounds bounds = {0};
    attest_judge_model *slow;
    attest_error error;
    attest_status status = ATTEST_OK;

    if (attest_judge_model_load(&slow, "bf16-any", &error))
        abort();
    asked = 0;
    qkv.q.shape[0] = qkv.k.shape[0] = qkv.v.shape[0] = 200; /* the same heads, many times */
    qkv.q.stride[0] = qkv.k.stride[0] = qkv.v.stride[0] = 0;
    status = attest_judge_bound(&bounds, &qkv, slow, &options, &error);
    TAP_OK(status == ATTEST_STOPPED && asked == 1 &&
               strcmp(attest_status_name(status), "stopped") == 0,
           "work in %zu processes that is stopped: %s", jobs, error.text);
    attest_judge_model_free(slow);
}

static void models(void)
{
    attest_judge_model *again = NULL;
    attest_error error;
    char *text = attest_judge_model_format(model), *second = NULL;
    size_t count = 0;

    if (text && attest_judge_model_parse(&again, text, strlen(text), &error) == ATTEST_OK)
        second = attest_judge_model_format(again);
    TAP_OK(second && strcmp(text, second) == 0, "a model's text is that of the model");
    free(text);
    free(second);
    attest_judge_model_free(again);
    TAP_OK(attest_judge_model_parse(&again, "{}", 2, &error) == ATTEST_FORMAT && !again,
           "what is no model: %s", error.text);
    while (attest_judge_model_shipped_name(count))
        count++;
    TAP_OK(count > 10 && strcmp(attest_judge_model_shipped_name(0), "fp32-any") == 0,
           "%zu shipped models", count);
}

int main(void)
{
    attest_error error;

    if (attest_judge_model_load(&model, "fp32-any", &error))
        abort();
    verdicts();
    refusals();
    stops(1);
    stops(2);
    models();
    attest_judge_model_free(model);
    flint_cleanup_master();
    return tap_done();
}
