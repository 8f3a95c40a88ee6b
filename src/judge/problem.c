/* problem.c -- the shapes and numbers of a problem, checked. */
#include "judge/problem.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include <attest/number.h>

#include "base/scope.h"

static attest_status refuse(attest_error *error, const char *what)
{
    return attest_error_set(error, ATTEST_FORMAT, "%s", what);
}

/* The shapes of q, k and v. */
static attest_status check_shapes(attest_judge_problem *x, attest_error *error)
{
    const size_t *q = x->qkv.q.shape, *k = x->qkv.k.shape, *v = x->qkv.v.shape;

    if (!x->qkv.q.data || !x->qkv.k.data || !x->qkv.v.data)
        return refuse(error, "q, k and v are all needed");
    for (size_t i = 0; i < 4; i++)
        if (q[i] == 0 || k[i] == 0 || v[i] == 0)
            return refuse(error, "q, k and v must not be empty");
    if (q[0] != k[0] || k[0] != v[0])
        return attest_error_set(error, ATTEST_FORMAT,
                                "q, k and v have batches of %zu, %zu and %zu entries, not the "
                                "same number",
                                q[0], k[0], v[0]);
    if (k[1] != v[1] || k[2] != v[2])
        return attest_error_set(error, ATTEST_FORMAT,
                                "k has %zu heads of %zu tokens and v has %zu of %zu: they must "
                                "be alike",
                                k[1], k[2], v[1], v[2]);
    if (q[1] % k[1] != 0)
        return attest_error_set(error, ATTEST_FORMAT,
                                "the %zu heads of q are not a multiple of the %zu heads of k",
                                q[1], k[1]);
    if (q[3] != k[3])
        return attest_error_set(error, ATTEST_FORMAT,
                                "the vectors of q have %zu entries and those of k %zu", q[3],
                                k[3]);
    return ATTEST_OK;
}

static attest_status check_extras(const attest_judge_problem *x, attest_error *error)
{
    const attest_tensor *mask = &x->qkv.mask, *sink = &x->qkv.sink;
    const size_t full[4] = {x->batch, x->heads, x->queries, x->keys};

    for (size_t i = 0; mask->data && i < 4; i++)
        if (mask->shape[i] != full[i] && (i == 3 || mask->shape[i] != 1))
            return attest_error_set(error, ATTEST_FORMAT,
                                    "the mask's shape (%zu, %zu, %zu, %zu) does not fit the "
                                    "scores' (%zu, %zu, %zu, %zu)",
                                    mask->shape[0], mask->shape[1], mask->shape[2],
                                    mask->shape[3], full[0], full[1], full[2], full[3]);
    if (sink->data &&
        (sink->type == ATTEST_TENSOR_BOOL || sink->shape[0] != 1 ||
         sink->shape[1] != x->heads || sink->shape[2] != 1 || sink->shape[3] != 1))
        return attest_error_set(error, ATTEST_FORMAT,
                                "the sink must have one number for each of the %zu heads",
                                x->heads);
    return ATTEST_OK;
}

/* The factors of one tensor: for every head of the keys, or of the queries. */
static attest_status check_factors(const attest_judge_problem *x, const attest_tensor *factor,
                                   char name, attest_error *error)
{
    const size_t *n = factor->shape;

    if (!factor->data ||
        (factor->type != ATTEST_TENSOR_BOOL && (n[0] == 1 || n[0] == x->batch) &&
         (n[1] == 1 || n[1] == x->key_heads || (name == 'q' && n[1] == x->heads)) &&
         n[2] == 1 && n[3] == 1))
        return ATTEST_OK;
    return attest_error_set(error, ATTEST_FORMAT,
                            "%c_descale has shape (%zu, %zu), but there are %zu entries of a "
                            "batch and %zu heads of k: one number, one for each head or for "
                            "each entry and head is expected",
                            name, n[0], n[1], x->batch, x->key_heads);
}

enum { MOST_LOG2 = 1000 };

/* About log2 of a number above 0: off by at most 1. */
static double log2_of(const fmpq *value)
{
    return (double)fmpz_bits(fmpq_numref(value)) - (double)fmpz_bits(fmpq_denref(value));
}

/* value = the number that an option gives, one that doubles know well. */
static attest_status read_number(fmpq *value, const char *what, const char *text,
                                 attest_error *error)
{
    attest_error inner = {0};
    attest_status status = attest_number_parse(value, text, strlen(text), NULL, &inner);

    if (status != ATTEST_OK)
        return attest_error_set(error, status, "%s: %s", what, inner.text);
    if (fmpq_sgn(value) <= 0)
        return attest_error_set(error, ATTEST_FORMAT, "the %s must be above 0", what);
    if (fabs(log2_of(value)) > MOST_LOG2)
        return attest_error_set(
            error, ATTEST_FORMAT,
            "the %s must be between 2^-%d and 2^%d: no kernel has such a one", what, MOST_LOG2,
            MOST_LOG2);
    return ATTEST_OK;
}

static attest_status read_numbers(attest_judge_problem *x, attest_error *error)
{
    const char *scale = x->qkv.scale, *softcap = x->qkv.softcap;

    x->rsqrt = !scale || strcmp(scale, "rsqrt") == 0;
    fmpq_one(x->scale);
    if (!x->rsqrt && strcmp(scale, "none") != 0)
        ATTEST_TRY(read_number(x->scale, "scale", scale, error));
    if (x->descaled && !x->rsqrt && !(fabs(log2_of(x->scale)) < ATTEST_JUDGE_FACTOR_LOG2))
        return attest_error_set(error, ATTEST_FORMAT,
                                "the scale must be between 2^-%d and 2^%d beside descale "
                                "factors",
                                ATTEST_JUDGE_FACTOR_LOG2, ATTEST_JUDGE_FACTOR_LOG2);
    x->capped = softcap != NULL;
    if (softcap)
        ATTEST_TRY(read_number(x->softcap, "softcap", softcap, error));
    return ATTEST_OK;
}

static attest_status check(attest_judge_problem *x, attest_error *error)
{
    ATTEST_TRY(check_shapes(x, error));
    ATTEST_TRY(check_extras(x, error));
    ATTEST_TRY(check_factors(x, &x->qkv.q_descale, 'q', error));
    ATTEST_TRY(check_factors(x, &x->qkv.k_descale, 'k', error));
    ATTEST_TRY(check_factors(x, &x->qkv.v_descale, 'v', error));
    return read_numbers(x, error);
}

attest_status attest_judge_problem_init(attest_judge_problem *problem, const attest_qkv *qkv,
                                        attest_error *error)
{
    attest_judge_problem *x = problem;
    attest_status status;

    x->qkv = *qkv;
    x->batch = qkv->q.shape[0];
    x->heads = qkv->q.shape[1];
    x->key_heads = qkv->k.shape[1];
    x->queries = qkv->q.shape[2];
    x->keys = qkv->k.shape[2];
    x->dim = qkv->q.shape[3];
    x->value_dim = qkv->v.shape[3];
    fmpq_init(x->scale);
    fmpq_init(x->softcap);
    x->descaled = qkv->q_descale.data || qkv->k_descale.data || qkv->v_descale.data;
    status = check(x, error);
    if (status != ATTEST_OK)
        attest_judge_problem_clear(x);
    return status;
}

void attest_judge_problem_clear(attest_judge_problem *problem)
{
    fmpq_clear(problem->scale);
    fmpq_clear(problem->softcap);
    fmpq_init(problem->scale); /* what is cleared may be cleared again */
    fmpq_init(problem->softcap);
}

void attest_judge_problem_get_scale(arb_t scale, const attest_judge_problem *problem,
                                    slong bits)
{
    if (problem->rsqrt)
        arb_rsqrt_ui(scale, problem->dim, bits);
    else
        arb_set_fmpq(scale, problem->scale, bits);
}
