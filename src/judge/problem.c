/* problem.c -- the inputs of attention, checked, and their heads in doubles. */
#include "judge/problem.h"

#include <attest/judge.h>
#include <attest/number.h>

#include <inttypes.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/scope.h"
#include "judge/rows.h"
#include "number/scope.h"

/* ---- shapes and numbers ---- */

static attest_status refuse(attest_error *error, const char *what)
{
    return attest_error_set(error, ATTEST_FORMAT, "%s", what);
}

/* Checks the shapes of past keys or values beside those of k or v. */
static attest_status check_past(const attest_tensor *past, const attest_tensor *x, char name,
                                attest_error *error)
{
    const size_t *p = past->shape, *n = x->shape;

    if (p[0] == n[0] && p[1] == n[1] && p[3] == n[3])
        return ATTEST_OK;
    return attest_error_set(
        error, ATTEST_FORMAT,
        "past_%c has shape (%zu, %zu, %zu, %zu), but %c (%zu, %zu, %zu, %zu): "
        "only the numbers of tokens may differ",
        name, p[0], p[1], p[2], p[3], name, n[0], n[1], n[2], n[3]);
}

/* Checks that there are past keys and values, or neither. */
static attest_status check_pasts(const attest_qkv *x, attest_error *error)
{
    if (!x->past_k.data != !x->past_v.data)
        return refuse(error, "past_k and past_v need each other");
    if (!x->past_k.data)
        return ATTEST_OK;
    ATTEST_TRY(check_past(&x->past_k, &x->k, 'k', error));
    ATTEST_TRY(check_past(&x->past_v, &x->v, 'v', error));
    if (x->past_k.shape[2] != x->past_v.shape[2])
        return attest_error_set(error, ATTEST_FORMAT,
                                "past_k has %zu tokens and past_v %zu: they must be equal",
                                x->past_k.shape[2], x->past_v.shape[2]);
    return ATTEST_OK;
}

/* Checks the shapes of q, k and v. */
static attest_status check_shapes(attest_judge_problem *x, attest_error *error)
{
    const size_t *q = x->qkv.q.shape, *k = x->qkv.k.shape, *v = x->qkv.v.shape;
    bool paged = x->qkv.block_table && x->qkv.lengths && x->qkv.sequences == 1;

    if (!x->qkv.q.data || !x->qkv.k.data || !x->qkv.v.data)
        return refuse(error, "q, k and v are all needed");
    if (attest_judge_qkv_is_unequal(&x->qkv) && !paged)
        return refuse(error, "packed, padded or paged inputs are not accepted here: judge, "
                             "tolerance, simulate and range accept them");
    for (size_t i = 0; i < 4; i++)
        if (q[i] == 0 || k[i] == 0 || v[i] == 0)
            return refuse(error, "q, k and v must not be empty");
    if (paged ? k[0] != v[0] : q[0] != k[0] || k[0] != v[0])
        return attest_error_set(error, ATTEST_FORMAT,
                                "q, k and v have batches of %zu, %zu and %zu entries, not the "
                                "same number",
                                q[0], k[0], v[0]);
    if (k[1] != v[1] || k[2] != v[2])
        return attest_error_set(error, ATTEST_FORMAT,
                                "k has %zu heads of %zu tokens and v has %zu of %zu: they must "
                                "be equal",
                                k[1], k[2], v[1], v[2]);
    if (q[1] % k[1] != 0)
        return attest_error_set(error, ATTEST_FORMAT,
                                "the %zu heads of q are not a multiple of the %zu heads of k",
                                q[1], k[1]);
    if (q[3] != k[3])
        return attest_error_set(error, ATTEST_FORMAT,
                                "the vectors of q have %zu entries and those of k %zu", q[3],
                                k[3]);
    return check_pasts(&x->qkv, error);
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

/* Checks the factors of one tensor: one for every head of the keys, or of the queries. */
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
                            "batch and %zu heads of k: give one number, one for each head, or "
                            "one for each entry and head",
                            name, n[0], n[1], x->batch, x->key_heads);
}

enum { MOST_LOG2 = 1000 };

/* About log2 of a number above 0: off by at most 1. */
static double log2_of(const fmpq *value)
{
    return (double)fmpz_bits(fmpq_numref(value)) - (double)fmpz_bits(fmpq_denref(value));
}

/* Reads the number of an option: above 0 and of moderate size. */
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
        return attest_error_set(error, ATTEST_FORMAT, "the %s must be between 2^-%d and 2^%d",
                                what, MOST_LOG2, MOST_LOG2);
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

    x->qkv = *qkv;
    x->batch = qkv->q.shape[0];
    x->heads = qkv->q.shape[1];
    x->key_heads = qkv->k.shape[1];
    x->queries = qkv->q.shape[2];
    x->keys = attest_judge_qkv_get_keys(qkv);
    x->dim = qkv->q.shape[3];
    x->value_dim = qkv->v.shape[3];
    fmpq_init(x->scale);
    fmpq_init(x->softcap);
    x->descaled = qkv->q_descale.data || qkv->k_descale.data || qkv->v_descale.data;
    ATTEST_TRY_OR(check(x, error), attest_judge_problem_clear(x));
    return ATTEST_OK;
}

void attest_judge_problem_clear(attest_judge_problem *problem)
{
    fmpq_clear(problem->scale);
    fmpq_clear(problem->softcap);
    fmpq_init(problem->scale); /* it may be cleared again */
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

/* ---- heads and rows ---- */

/* A small float: sign, exponent bits and fraction bits, IEEE 754 except for e4m3fn. */
static double get_small(unsigned bits, unsigned exponent_bits, unsigned fraction_bits, bool fn)
{
    unsigned most = (1u << exponent_bits) - 1, fraction = bits & ((1u << fraction_bits) - 1);
    unsigned exponent = (bits >> fraction_bits) & most;
    int bias = (int)(most >> 1);
    double value;

    if (exponent == most && (!fn || fraction == (1u << fraction_bits) - 1))
        value = fraction ? (double)NAN : (double)INFINITY;
    else if (exponent == 0)
        value = ldexp(fraction, 1 - bias - (int)fraction_bits);
    else
        value = ldexp((double)(fraction + (1u << fraction_bits)),
                      (int)exponent - bias - (int)fraction_bits);
    return bits >> (exponent_bits + fraction_bits) & 1 ? -value : value;
}

/* The element at these bytes. */
static double get_element(const unsigned char *bytes, attest_tensor_type type)
{
    double f64;
    float f32;
    uint16_t half;
    uint32_t word;

    switch (type) {
    case ATTEST_TENSOR_F64:
        memcpy(&f64, bytes, sizeof f64);
        return f64;
    case ATTEST_TENSOR_F32:
        memcpy(&f32, bytes, sizeof f32);
        return (double)f32;
    case ATTEST_TENSOR_F16:
        memcpy(&half, bytes, sizeof half);
        return get_small(half, 5, 10, false);
    case ATTEST_TENSOR_BF16:
        memcpy(&half, bytes, sizeof half);
        word = (uint32_t)half << 16;
        memcpy(&f32, &word, sizeof f32);
        return (double)f32;
    case ATTEST_TENSOR_F8_E4M3:
        return get_small(*bytes, 4, 3, true);
    case ATTEST_TENSOR_F8_E5M2:
        return get_small(*bytes, 5, 2, false);
    case ATTEST_TENSOR_BOOL:
        break;
    }
    return *bytes ? 0 : (double)-INFINITY; /* as a mask that is added */
}

void attest_judge_tensor_get(double *to, const attest_tensor *tensor, size_t batch, size_t head,
                             size_t row, size_t first, size_t count)
{
    const size_t index[3] = {batch, head, row};
    const unsigned char *bytes = tensor->data;

    for (size_t i = 0; i < 3; i++)
        if (tensor->shape[i] != 1)
            bytes += (ptrdiff_t)index[i] * tensor->stride[i];
    if (tensor->type == ATTEST_TENSOR_F64 && tensor->stride[3] == sizeof *to) {
        memcpy(to, bytes + first * sizeof *to, count * sizeof *to);
        return;
    }
    for (size_t c = 0; c < count; c++)
        to[c] = get_element(bytes + (ptrdiff_t)(first + c) * tensor->stride[3], tensor->type);
}

size_t attest_judge_qkv_get_keys(const attest_qkv *qkv)
{
    if (qkv->block_table)
        return (size_t)qkv->lengths[0];
    return (qkv->past_k.data ? qkv->past_k.shape[2] : 0) + qkv->k.shape[2];
}

const attest_tensor *attest_judge_qkv_find_key(const char **name, const attest_qkv *qkv,
                                               bool value, size_t *batch, size_t *token)
{
    const attest_tensor *here = value ? &qkv->v : &qkv->k;
    const attest_tensor *past = value ? &qkv->past_v : &qkv->past_k;

    *name = value ? "v" : "k";
    if (qkv->block_table) {
        *batch = (size_t)qkv->block_table[*token / here->shape[2]];
        *token %= here->shape[2];
    } else if (past->data && *token < past->shape[2]) {
        *name = value ? "past_v" : "past_k";
        return past;
    } else if (past->data) {
        *token -= past->shape[2];
    }
    return here;
}

attest_status attest_judge_head_init(attest_judge_head *head,
                                     const attest_judge_problem *problem, attest_error *error)
{
    const attest_judge_problem *x = problem;

    memset(head, 0, sizeof *head);
    head->problem = x;
    head->q = attest_memory_alloc(x->queries, x->dim * sizeof *head->q);
    head->k = attest_memory_alloc(x->keys, x->dim * sizeof *head->k);
    head->v = attest_memory_alloc(x->keys, x->value_dim * sizeof *head->v);
    head->bias = attest_memory_alloc(x->keys, sizeof *head->bias);
    if (head->q && head->k && head->v && head->bias)
        return ATTEST_OK;
    attest_judge_head_clear(head);
    return attest_memory_fail(error);
}

void attest_judge_head_clear(attest_judge_head *head)
{
    free(head->q);
    free(head->k);
    free(head->v);
    free(head->bias);
    head->q = head->k = head->v = head->bias = NULL; /* may be cleared again */
}

/* Loads one token of a head; all elements must be finite. */
static attest_status load_token(double *to, const attest_tensor *tensor, const char *name,
                                size_t batch, size_t index, size_t token, attest_error *error)
{
    attest_judge_tensor_get(to, tensor, batch, index, token, 0, tensor->shape[3]);
    for (size_t c = 0; c < tensor->shape[3]; c++)
        if (!isfinite(to[c]))
            return attest_error_set(error, ATTEST_FORMAT,
                                    "%s[%zu][%zu][%zu][%zu] is not finite", name, batch, index,
                                    token, c);
    return ATTEST_OK;
}

/* Loads the keys of a head, or their values. */
static attest_status load_keys(double *to, const attest_judge_problem *x, bool value,
                               size_t batch, size_t index, attest_error *error)
{
    size_t dim = value ? x->value_dim : x->dim;

    for (size_t j = 0; j < x->keys; j++) {
        size_t entry = batch, token = j;
        const char *name;
        const attest_tensor *tensor =
            attest_judge_qkv_find_key(&name, &x->qkv, value, &entry, &token);

        ATTEST_TRY(load_token(to + j * dim, tensor, name, entry, index, token, error));
    }
    return ATTEST_OK;
}

/* *value = the factor of this query head, or 1. */
static attest_status load_factor(double *value, const attest_tensor *factor, char name,
                                 const attest_judge_head *head, attest_error *error)
{
    const double most = ldexp(1, ATTEST_JUDGE_FACTOR_LOG2);
    size_t index = head->head * factor->shape[1] / head->problem->heads;

    *value = 1;
    if (!factor->data)
        return ATTEST_OK;
    attest_judge_tensor_get(value, factor, head->batch, index, 0, 0, 1);
    if (*value >= 1 / most && *value <= most && (double)(float)*value == *value)
        return ATTEST_OK;
    return attest_error_set(
        error, ATTEST_FORMAT,
        "%c_descale[%zu][%zu], %.9g, is not a binary32 number from 2^-%d to "
        "2^%d",
        name, head->batch, index, *value, ATTEST_JUDGE_FACTOR_LOG2, ATTEST_JUDGE_FACTOR_LOG2);
}

static attest_status load_factors(attest_judge_head *head, attest_error *error)
{
    const attest_qkv *qkv = &head->problem->qkv;
    double q, k;

    ATTEST_TRY(load_factor(&q, &qkv->q_descale, 'q', head, error));
    ATTEST_TRY(load_factor(&k, &qkv->k_descale, 'k', head, error));
    head->score_factor = q * k; /* 48 bits */
    return load_factor(&head->value_factor, &qkv->v_descale, 'v', head, error);
}

void attest_judge_head_get_scale(arb_t scale, const attest_judge_head *head, slong bits)
{
    ARB(factor);

    arb_set_d(factor, head->score_factor);
    attest_judge_problem_get_scale(scale, head->problem, bits);
    arb_mul(scale, scale, factor, bits);
}

attest_status attest_judge_head_load(attest_judge_head *head, size_t batch, size_t index,
                                     attest_error *error)
{
    const attest_judge_problem *x = head->problem;
    const attest_qkv *qkv = &x->qkv;
    size_t shared = index / (x->heads / x->key_heads);

    head->batch = batch;
    head->head = index;
    head->loads++;
    head->sink = qkv->sink.data != NULL;
    for (size_t i = 0; i < x->queries; i++)
        ATTEST_TRY(load_token(head->q + i * x->dim, &qkv->q, "q", batch, index, i, error));
    ATTEST_TRY(load_keys(head->k, x, false, batch, shared, error));
    ATTEST_TRY(load_keys(head->v, x, true, batch, shared, error));
    ATTEST_TRY(load_factors(head, error));
    if (head->sink) {
        attest_judge_tensor_get(&head->sink_logit, &qkv->sink, 0, index, 0, 0, 1);
        if (!isfinite(head->sink_logit))
            return attest_error_set(error, ATTEST_FORMAT, "the sink of head %zu is not finite",
                                    index);
    }
    for (size_t i = 0; qkv->mask.data && i < x->queries; i++) {
        attest_judge_tensor_get(head->bias, &qkv->mask, batch, index, i, 0, x->keys);
        for (size_t j = 0; j < x->keys; j++)
            if (!(head->bias[j] < (double)INFINITY))
                return attest_error_set(error, ATTEST_FORMAT,
                                        "mask[%zu][%zu][%zu][%zu] is neither finite nor -inf",
                                        batch, index, i, j);
    }
    return ATTEST_OK;
}

/* place, clamped to 0 .. keys. */
static size_t clamp(ptrdiff_t place, size_t keys)
{
    return place < 0 ? 0 : (size_t)place > keys ? keys : (size_t)place;
}

void attest_judge_head_get_row(attest_judge_row *row, attest_judge_head *head, size_t i)
{
    const attest_judge_problem *x = head->problem;
    const attest_qkv *qkv = &x->qkv;
    ptrdiff_t keys = (ptrdiff_t)x->keys, place = (ptrdiff_t)i;

    if (qkv->causal != ATTEST_CAUSAL_TOP_LEFT)
        place += keys - (ptrdiff_t)x->queries;
    else if (qkv->past_k.data) /* the corner is that of k */
        place += (ptrdiff_t)qkv->past_k.shape[2];
    row->first = 0;
    row->last = x->keys;
    row->bias = NULL;
    if (qkv->causal != ATTEST_CAUSAL_NONE)
        row->last = clamp(place + 1, x->keys);
    /* a place is at least -queries: a longer reach sees all keys */
    if (qkv->windowed && qkv->right >= 0 && qkv->right < keys + (ptrdiff_t)x->queries) {
        size_t last = clamp(place + qkv->right + 1, x->keys);

        row->last = last < row->last ? last : row->last;
    }
    if (qkv->windowed && qkv->left >= 0 && qkv->left <= place)
        row->first = clamp(place - qkv->left, x->keys);
    if (row->first > row->last)
        row->first = row->last;
    if (qkv->mask.data) {
        attest_judge_tensor_get(head->bias, &qkv->mask, head->batch, head->head, i, row->first,
                                row->last - row->first);
        row->bias = head->bias;
    }
}

/* ---- the verdict on one element ---- */

attest_judge_verdict attest_judge_element(double output, double lo, double hi)
{
    if (isnan(lo) || isnan(hi)) /* a row that must be NaN */
        return isnan(output) ? ATTEST_JUDGE_WITHIN : ATTEST_JUDGE_WRONG;
    if (output < lo || output > hi)
        return ATTEST_JUDGE_WRONG;
    if (isinf(lo) || isinf(hi))
        return ATTEST_JUDGE_UNDECIDED;
    return isnan(output) ? ATTEST_JUDGE_WRONG : ATTEST_JUDGE_WITHIN;
}
