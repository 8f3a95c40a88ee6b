/* memory.c -- kernel models, bounds, kernels and ranges when memory runs out: every allocation
 * fails once, and the call returns an error. Needs --enable-faults. */
#include "base/fault.h"

#include <attest/judge.h>

#include "judge/judgement.h"
#include "judge/range.h"
#include "tests/judge/judge_cases.h"

#ifdef ATTEST_FAULTS

static const char text[] =
    "{\"format\":\"attest/kernel-model\",\"version\":1,"
    "\"inputs\":{\"q\":\"float8_e4m3fn\",\"k\":\"float8_e4m3fn\",\"v\":\"float8_e4m3fn\"},"
    "\"max\":{\"kind\":\"online\",\"tile\":2,\"direction\":\"forward\"},"
    "\"p\":{\"format\":\"bfloat16\"},\"output\":{\"format\":\"bfloat16\"},"
    "\"quantise\":{\"k\":\"float8_e4m3fn:per-token\"},"
    "\"score\":{\"order\":\"sequential\"},\"pv\":{\"order\":\"forward\"},"
    "\"schedules\":[{\"scores\":\"sequential\",\"tile\":2,\"direction\":\"forward\","
    "\"lanes\":1,\"rescale\":0,\"constant\":\"folded-binary32\",\"divide\":\"after\"}]}";

enum { TOKENS = 3, DIM = 2, ALL = TOKENS * DIM };

static double number[ALL] = {1, 0.5, -1, 2, 0.25, -0.5}, out[5][ALL];
static attest_judge_model *model;
static attest_qkv qkv;

static attest_status run_model(attest_error *error)
{
    attest_judge_model *read;
    attest_status status = attest_judge_model_parse(&read, text, strlen(text), error);
    char *written = status == ATTEST_OK ? attest_judge_model_format(read) : NULL;

    if (status == ATTEST_OK && !written)
        status = attest_error_set(error, ATTEST_NOMEM, "out of memory");
    free(written);
    attest_judge_model_free(read);
    return status;
}

static attest_status run_bound(attest_error *error)
{
    attest_judge_options options = {0};
    attest_judge_bounds bounds = {out[0], out[1], out[2], out[3], out[4], NULL};
    attest_judge_summary summary;
    const attest_judge_rows rows = {.batch = 1,
                                    .heads = 1,
                                    .columns = DIM,
                                    .queries = TOKENS,
                                    .all = TOKENS,
                                    .count = TOKENS};
    attest_status status = attest_judge_bound(&bounds, &qkv, model, &options, error);

    if (status == ATTEST_OK) {
        status =
            attest_judge_summary_init(&summary, number, &bounds, &rows, model, &options, error);
        if (status == ATTEST_OK)
            attest_judge_summary_clear(&summary);
    }
    return status;
}

static attest_status run_kernel(attest_error *error)
{
    attest_judge_options options = {0};

    return attest_judge_simulate(out[0], out[1], out[2], &qkv, model, 0, &options, error);
}

static attest_status run_ranges(attest_error *error)
{
    attest_judge_ranges ranges;
    attest_status status;

    attest_judge_ranges_init(&ranges);
    status = attest_judge_ranges_add(&ranges, &qkv, model, 1, error);
    attest_judge_ranges_clear(&ranges);
    return status;
}

/* Fails the first, second, ... allocation until the call succeeds. */
static void fail_each(const char *name, attest_status (*run)(attest_error *))
{
    attest_status status = ATTEST_NOMEM;
    unsigned long k = 0;
    bool ok = true;

    while (status != ATTEST_OK && ok && k < 2000) {
        attest_error error = {.status = ATTEST_OK};

        attest_fault_arm("alloc", ++k, true);
        status = run(&error);
        ok = status == ATTEST_OK || (status == ATTEST_NOMEM && error.text[0]);
        if (!ok)
            printf("# allocation %lu: status %d, %s\n", k, (int)status, error.text);
    }
    attest_fault_arm("alloc", 0, false);
    TAP_OK(ok && k > 1 && status == ATTEST_OK, "%s: %lu allocations failed one by one", name,
           k - 1);
}

TEST(memory)
{
    attest_error error = {.status = ATTEST_OK};
    attest_status status = attest_judge_model_parse(&model, text, strlen(text), &error);

    if (!TAP_OK(status == ATTEST_OK, "a model %s", error.text))
        return 0;
    qkv.q = qkv.k = qkv.v = case_tensor(number, ATTEST_TENSOR_F64, TOKENS, DIM);
    fail_each("a model", run_model);
    fail_each("bounds and their summary", run_bound);
    fail_each("a kernel", run_kernel);
    fail_each("ranges", run_ranges);
    attest_judge_model_free(model);
    return 0;
}

#else

TEST(memory)
{
    return tap_skip("configure with --enable-faults");
}

#endif
