/* models.h -- kernel models for tests of inputs: shipped ones, one with schedules, and models
 * that quantise. */
#ifndef TESTS_JUDGE_MODELS_H
#define TESTS_JUDGE_MODELS_H

#include <string.h>

#include <attest/judge.h>

struct tested_model {
    const char *name;
    const char *text; /* JSON; NULL: the shipped model of this name */
    bool scheduled;   /* it has schedule 0 */
};

static const struct tested_model tested_models[] = {
    {"fp32-any", NULL, false},
    {"bf16-any", NULL, false},
    {"fp16-flash2", NULL, false},
    {"two schedules",
     "{\"format\": \"attest/kernel-model\", \"version\": 1, \"name\": \"two-schedules\","
     "\"inputs\": {\"q\": \"bfloat16\", \"k\": \"bfloat16\", \"v\": \"bfloat16\"},"
     "\"score\": {\"order\": \"tensor-forward\", \"block\": 16, \"fraction\": 25,"
     " \"products\": \"exact\"},"
     "\"pv\": {\"order\": \"tensor\", \"block\": 16, \"fraction\": 25,"
     " \"products\": \"exact\"},"
     "\"max\": {\"kind\": \"online\"}, \"p\": {\"format\": \"bfloat16\"},"
     "\"output\": {\"format\": \"bfloat16\"}, \"schedules\": ["
     "{\"scores\": \"tensor\", \"tile\": 16, \"direction\": \"backward\", \"lanes\": 4,"
     " \"rescale\": 0, \"constant\": \"folded-binary32\", \"divide\": \"after\"},"
     "{\"scores\": \"tensor\", \"tile\": 8, \"direction\": \"forward\", \"lanes\": 1,"
     " \"rescale\": 0, \"constant\": \"separate\", \"divide\": \"after\"}]}",
     true},
    {"quantised keys and values",
     "{\"format\": \"attest/kernel-model\", \"version\": 1, \"name\": \"quantised\","
     "\"quantise\": {\"k\": \"int8:per-token\", \"v\": \"float8_e4m3fn:per-head\"}}",
     false},
    {NULL, NULL, false}};

/* The model; free it. NULL: it cannot be read. */
static inline attest_judge_model *tested_model_load(const struct tested_model *tested)
{
    attest_judge_model *model = NULL;
    attest_error error;
    attest_status status = tested->text ? attest_judge_model_parse(&model, tested->text,
                                                                   strlen(tested->text), &error)
                                        : attest_judge_model_load(&model, tested->name, &error);

    return status == ATTEST_OK ? model : NULL;
}

#endif
