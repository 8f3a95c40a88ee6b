/* fault_bound.c -- what kernels with known faults return. */
#include <math.h>
#include <string.h>

#include "base/scope.h"
#include "judge/fault.h"

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

/* The rows that were asked for go to their places; those in front see nothing. */
static void spread_rows(attest_judge_bounds *bounds, const attest_judge_faulty *faulty)
{
    const attest_qkv *x = &faulty->qkv;
    size_t asked = x->q.shape[2] * x->v.shape[3], missing = faulty->missing * x->v.shape[3];
    double *array[ARRAYS];

    list_arrays(array, bounds);
    for (size_t k = 0; k < ARRAYS; k++)
        for (size_t i = x->q.shape[0] * x->q.shape[1]; array[k] && i-- > 0;) {
            double *to = array[k] + i * (asked + missing);

            memmove(to + missing, array[k] + i * asked, asked * sizeof *to);
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
