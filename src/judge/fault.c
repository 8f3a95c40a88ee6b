/* fault.c -- the results of kernels with known faults. */
#include "judge/fault.h"

#include <attest/ball.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/scope.h"
#include "judge/problem.h"
#include "number/scope.h"

/* ---- changed problems ---- */

enum { TILE = 64, CONSTANT_BITS = 128 };

const char *attest_judge_fault_name(attest_judge_fault fault)
{
    static const char *const name[ATTEST_JUDGE_FAULTS] = {
        "zeros",         "dropped-tile",  "mask-off-by-one",
        "swapped-heads", "missing-scale", "exp2-without-log2e"};

    return name[fault];
}

void attest_judge_faulty_clear(attest_judge_faulty *faulty)
{
    free(faulty->mask);
    free(faulty->scale);
    free(faulty->softcap);
    faulty->mask = NULL;
    faulty->scale = faulty->softcap = NULL; /* may be cleared again */
}

/* mask = the mask of the problem in binary64, shifted cyclically by moved keys; its last
 * `hidden` keys are not seen. Without a mask: one row for all. */
static attest_status change_mask(attest_judge_faulty *faulty, size_t moved, size_t hidden,
                                 attest_error *error)
{
    const attest_tensor old = faulty->qkv.mask;
    size_t keys = faulty->qkv.k.shape[2], heads = old.data ? old.shape[1] : 1;
    size_t rows = old.data ? old.shape[2] : 1, batch = old.data ? old.shape[0] : 1;
    const size_t shape[4] = {batch, heads, rows, keys};
    attest_tensor *mask = &faulty->qkv.mask;
    double *to = faulty->mask = attest_memory_alloc(batch * heads * rows, keys * sizeof *to);

    if (!to)
        return attest_memory_fail(error);
    for (size_t i = 0; old.data && i < batch * heads * rows; i++) {
        size_t b = i / rows / heads, h = i / rows % heads;

        attest_judge_tensor_get(to + i * keys, &old, b, h, i % rows, keys - moved, moved);
        attest_judge_tensor_get(to + i * keys + moved, &old, b, h, i % rows, 0, keys - moved);
    }
    for (size_t i = 0; i < batch * heads * rows; i++)
        for (size_t j = keys - hidden; j < keys; j++)
            to[i * keys + j] = (double)-INFINITY;
    mask->data = to;
    mask->type = ATTEST_TENSOR_F64;
    for (size_t i = 4, stride = sizeof *to; i-- > 0; stride *= shape[i]) {
        mask->shape[i] = shape[i];
        mask->stride[i] = (ptrdiff_t)stride;
    }
    return ATTEST_OK;
}

static attest_status drop_tile(attest_judge_faulty *faulty, bool *applies, size_t tile,
                               attest_error *error)
{
    size_t keys = faulty->qkv.k.shape[2];

    tile = tile ? tile : TILE;
    tile = tile < keys ? tile : keys / 2;
    *applies = tile > 0;
    return *applies ? change_mask(faulty, 0, tile, error) : ATTEST_OK;
}

/* Rows of a causal mask see one key more. A mask that begins at the first key cannot be shifted
 * that way if q and k differ in length: then rows see one key fewer, because each query moves
 * up by one row, and the first row sees no key. */
static void move_causal(attest_judge_faulty *faulty, bool *applies)
{
    attest_qkv *x = &faulty->qkv;

    if (x->causal == ATTEST_CAUSAL_BOTTOM_RIGHT || x->q.shape[2] == x->k.shape[2]) {
        *applies =
            x->q.shape[2] > 1 && x->k.shape[2] > 1; /* the last row sees all keys in any case */
        x->left = x->windowed ? x->left : -1;
        x->right = 1;
        x->windowed = true;
        x->causal = ATTEST_CAUSAL_NONE;
        return;
    }
    *applies = x->q.shape[2] > 1;
    faulty->missing = 1;
    x->q.data = (const char *)x->q.data + x->q.stride[2];
    x->q.shape[2]--;
    if (x->mask.data && x->mask.shape[2] > 1) {
        x->mask.data = (const char *)x->mask.data + x->mask.stride[2];
        x->mask.shape[2]--;
    }
}

static attest_status move_mask(attest_judge_faulty *faulty, bool *applies, attest_error *error)
{
    attest_qkv *x = &faulty->qkv;

    *applies = true;
    if (x->causal != ATTEST_CAUSAL_NONE)
        move_causal(faulty, applies);
    else if (x->windowed && x->right >= 0)
        x->right++;
    else if (x->windowed && x->left >= 0)
        x->left++;
    else if (x->mask.data && x->k.shape[2] > 1)
        return change_mask(faulty, 1, 0, error);
    else
        *applies = false;
    return ATTEST_OK;
}

static attest_status drop_scale(attest_judge_faulty *faulty, bool *applies, attest_error *error)
{
    attest_judge_problem problem ATTEST_CLEARED_BY(attest_judge_problem_clear);

    ATTEST_TRY(attest_judge_problem_init(&problem, &faulty->qkv, error));
    *applies = problem.rsqrt ? problem.dim != 1 : !fmpq_is_one(problem.scale);
    faulty->qkv.scale = "none";
    return ATTEST_OK;
}

/* The hexadecimal text of a number next to factor * ln 2. */
static char *times_log2(arb_t factor)
{
    ARB(constant);

    arb_const_log2(constant, CONSTANT_BITS);
    arb_mul(factor, factor, constant, CONSTANT_BITS);
    return attest_ball_format_arf(arb_midref(factor));
}

/* 2^t = e^(t ln 2), and c tanh(s/c) ln 2 = c' tanh(s'/c') with c' = c ln 2, s' = s ln 2. */
static attest_status take_exp2(attest_judge_faulty *faulty, bool *applies, attest_error *error)
{
    attest_judge_problem problem ATTEST_CLEARED_BY(attest_judge_problem_clear);
    ARB(factor);

    ATTEST_TRY(attest_judge_problem_init(&problem, &faulty->qkv, error));
    *applies = true;
    attest_judge_problem_get_scale(factor, &problem, CONSTANT_BITS);
    faulty->qkv.scale = faulty->scale = times_log2(factor);
    if (problem.capped) {
        arb_set_fmpq(factor, problem.softcap, CONSTANT_BITS);
        faulty->qkv.softcap = faulty->softcap = times_log2(factor);
    }
    if (!faulty->scale || (faulty->qkv.softcap && !faulty->softcap))
        return attest_memory_fail(error);
    return ATTEST_OK;
}

static attest_status change(attest_judge_faulty *faulty, bool *applies, size_t tile,
                            attest_error *error)
{
    *applies = true;
    switch (faulty->fault) {
    case ATTEST_JUDGE_FAULT_TILE:
        return drop_tile(faulty, applies, tile, error);
    case ATTEST_JUDGE_FAULT_MASK:
        return move_mask(faulty, applies, error);
    case ATTEST_JUDGE_FAULT_SCALE:
        return drop_scale(faulty, applies, error);
    case ATTEST_JUDGE_FAULT_EXP2:
        return take_exp2(faulty, applies, error);
    case ATTEST_JUDGE_FAULT_HEADS:
        *applies = faulty->qkv.q.shape[1] > 1;
        return ATTEST_OK;
    case ATTEST_JUDGE_FAULT_ZEROS:
    case ATTEST_JUDGE_FAULTS:
        break;
    }
    return ATTEST_OK;
}

attest_status attest_judge_faulty_init(attest_judge_faulty *faulty, bool *applies,
                                       attest_judge_fault fault, const attest_qkv *qkv,
                                       size_t tile, attest_error *error)
{
    memset(faulty, 0, sizeof *faulty);
    faulty->fault = fault;
    faulty->qkv = *qkv;
    ATTEST_TRY_OR(change(faulty, applies, tile, error), attest_judge_faulty_clear(faulty));
    if (!*applies)
        attest_judge_faulty_clear(faulty);
    return ATTEST_OK;
}

/* ---- their bounds ---- */

enum { ARRAYS = 5 };

/* The arrays of bounds, some of them absent. */
static void list_arrays(double *array[ARRAYS], const attest_judge_bounds *bounds)
{
    double *const all[ARRAYS] = {bounds->lo, bounds->hi, bounds->exact, bounds->error,
                                 bounds->bound};

    memcpy(array, all, sizeof all);
}

/* The outputs of heads 0 and 1, exchanged in every entry of the batch. */
static void swap_heads(attest_judge_bounds *bounds, const attest_judge_bounds *right,
                       const attest_qkv *qkv)
{
    size_t batch = qkv->q.shape[0], heads = qkv->q.shape[1];
    size_t size = qkv->q.shape[2] * qkv->v.shape[3];
    double *to[ARRAYS], *from[ARRAYS];

    list_arrays(to, bounds);
    list_arrays(from, right);
    for (size_t k = 0; k < ARRAYS; k++)
        for (size_t i = 0; to[k] && i < batch * heads; i++) {
            size_t head = i % heads, other = head < 2 ? i - head + !head : i;

            memcpy(to[k] + i * size, from[k] + other * size, size * sizeof(double));
        }
    bounds->unbounded = right->unbounded;
}

/* Moves the computed rows to their places; the leading rows have no visible key. */
static void spread_rows(attest_judge_bounds *bounds, const attest_judge_faulty *faulty)
{
    const attest_qkv *x = &faulty->qkv;
    size_t computed = x->q.shape[2] * x->v.shape[3], missing = faulty->missing * x->v.shape[3];
    double *array[ARRAYS];

    list_arrays(array, bounds);
    for (size_t k = 0; k < ARRAYS; k++)
        for (size_t i = x->q.shape[0] * x->q.shape[1]; array[k] && i-- > 0;) {
            double *to = array[k] + i * (computed + missing);

            memmove(to + missing, array[k] + i * computed, computed * sizeof *to);
            for (size_t c = 0; c < missing; c++)
                to[c] = x->empty_is_nan ? (double)NAN : 0;
        }
}

attest_status
attest_judge_faulty_bound(attest_judge_bounds *bounds, const attest_judge_faulty *faulty,
                          const attest_judge_bounds *right, const attest_judge_model *model,
                          const attest_judge_options *options, attest_error *error)
{
    const attest_qkv *x = &faulty->qkv;
    size_t count = x->q.shape[0] * x->q.shape[1] * x->q.shape[2] * x->v.shape[3];
    double *array[ARRAYS];

    if (faulty->fault == ATTEST_JUDGE_FAULT_HEADS) {
        swap_heads(bounds, right, x);
    } else if (faulty->fault == ATTEST_JUDGE_FAULT_ZEROS) {
        list_arrays(array, bounds);
        for (size_t k = 0; k < ARRAYS; k++)
            if (array[k])
                memset(array[k], 0, count * sizeof(double));
    } else {
        ATTEST_TRY(attest_judge_bound(bounds, x, model, options, error));
        if (faulty->missing)
            spread_rows(bounds, faulty);
    }
    return ATTEST_OK;
}
