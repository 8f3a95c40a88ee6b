/* judge.h -- is the output of an attention kernel right? Proved bounds for every element.
 *
 * The function. Query head h uses key head floor(h H_kv / H). Row i sees the keys of its mask;
 *     t_j = scale q_i . k_j,  with a softcap c: c tanh(scale q_i . k_j / c),  plus the mask's
 *     value where it is added;   o = sum_j e^(t_j) v_j / (sum_j e^(t_j) + e^z),
 * q, k and v each times its descale factor, where it has one, z the sink logit of the head
 * (absent: no such term). A row without keys is 0.
 *
 * A kernel model says what is known of a kernel: formats, orders, errors. For every output
 * element an interval [lo, hi] is computed that holds the result of every kernel of the model;
 * proofs-notes/judge.md derives it. An output outside is proved wrong: no kernel of the model
 * returns it. */
#ifndef ATTEST_JUDGE_H
#define ATTEST_JUDGE_H

#include <stdbool.h>
#include <stddef.h>

#include <attest/error.h>
#include <attest/export.h>
#include <attest/progress.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum attest_tensor_type {
    ATTEST_TENSOR_F64 = 0,
    ATTEST_TENSOR_F32,
    ATTEST_TENSOR_F16,
    ATTEST_TENSOR_BF16,
    ATTEST_TENSOR_F8_E4M3,
    ATTEST_TENSOR_F8_E5M2,
    ATTEST_TENSOR_BOOL /* one byte, 0 or not */
} attest_tensor_type;

/* An array of the caller's: batch, heads, tokens, dim. Element (b, h, i, c) is at
 * data + b stride[0] + h stride[1] + i stride[2] + c stride[3], strides in bytes, in the byte
 * order of the machine, without any alignment. data NULL: absent. */
typedef struct attest_tensor {
    const void *data;
    attest_tensor_type type;
    size_t shape[4];
    ptrdiff_t stride[4];
} attest_tensor;

typedef enum attest_causal {
    ATTEST_CAUSAL_NONE = 0,
    ATTEST_CAUSAL_BOTTOM_RIGHT, /* the last query sees the last key: j <= i + nk - nq */
    ATTEST_CAUSAL_TOP_LEFT      /* j <= i */
} attest_causal;

/* The question: what attention is to compute. Zeroed, then filled: members that are 0 or NULL
 * mean what their comments say. */
typedef struct attest_qkv {
    attest_tensor q, k, v;
    const char *scale;   /* NULL, "rsqrt": 1/sqrt(dim); "none": 1; else an exact number > 0 */
    const char *softcap; /* NULL: none; else an exact number > 0; both from 2^-1000 to 2^1000 */
    attest_causal causal;
    bool windowed; /* query i sees p - left <= j <= p + right, p = i (+ nk - nq unless top-left)
                    */
    long left, right;   /* negative: no limit on that side */
    attest_tensor mask; /* BOOL: true is seen; else added to the scaled score, -inf is not seen.
                         * (batch or 1, heads or 1, queries or 1, keys) */
    attest_tensor sink; /* one logit per head, heads in shape[1], the others 1 */
    bool empty_is_nan;  /* a row without keys is NaN, not 0 */
    /* what q, k and v are multiplied by, kept apart from them as kernels on 8-bit floats have
     * it: binary32 numbers from 2^-40 to 2^40, as is then the scale. (batch or 1, heads or 1,
     * 1, 1), the heads those of k or, for q, of q. Absent: 1 */
    attest_tensor q_descale, k_descale, v_descale;
} attest_qkv;

/* What is known of a kernel; doc/kernel-models.md. */
typedef struct attest_judge_model attest_judge_model;

/* *model = the shipped one of this name, or the one in this file, if the name has a slash, ends
 * in ".json" or is "-" (standard input); to be freed. NULL after a failure. Status: USAGE (no
 * such name), FORMAT, IO, UNABLE (a file that is no model by its size), NOMEM. */
ATTEST_API attest_status attest_judge_model_load(attest_judge_model **model, const char *name,
                                                 attest_error *error) ATTEST_WARN_UNUSED;
ATTEST_API void attest_judge_model_free(attest_judge_model *model);

/* The same for a model that is there as JSON, size bytes. Status: FORMAT, UNABLE, NOMEM. */
ATTEST_API attest_status attest_judge_model_parse(attest_judge_model **model, const char *text,
                                                  size_t size,
                                                  attest_error *error) ATTEST_WARN_UNUSED;

/* The model with every member that was left to defaults, as JSON, to be freed: parsed again, it
 * is the same. NULL: out of memory. */
ATTEST_API char *attest_judge_model_format(const attest_judge_model *model);

/* The name of shipped model i; NULL: there are no more. */
ATTEST_API const char *attest_judge_model_shipped_name(size_t i);

/* How the work is done. Zeroed: one process, no progress, to the end. */
typedef struct attest_judge_options {
    size_t jobs; /* processes; 0: one. The results do not depend on it */
    /* called in the thread that called, with how much of the work is done */
    attest_progress progress;
    /* NULL, or asked in that thread, no more than 25 times a second: false ends the work soon,
     * with the status STOPPED */
    bool (*proceed)(void *context);
    void *proceed_context;
} attest_judge_options;

/* What is proved of every output element, in arrays of batch * heads * queries * value_dim
 * doubles, the last index fastest. Any of them may be NULL.
 *   lo, hi   every kernel of the model returns a number in [lo, hi], rounded outward; where
 *            nothing can be said, -inf, +inf. A row without keys that is to be NaN: all NaN
 *   exact    the exact result, to nearest as far as it is known
 *   error    |exact - the exact result| is at most this
 *   bound    |returned - the exact result| is at most this, for every kernel of the model */
typedef struct attest_judge_bounds {
    double *lo, *hi, *exact, *error, *bound;
    const char *unbounded; /* set: why some bound is infinite; NULL: none is */
} attest_judge_bounds;

/* Status: FORMAT (shapes that do not fit, a value that is not finite or not of the model's
 * format), USAGE (an option that makes no sense), NOMEM, IO (a worker died), STOPPED.
 * Cost: doc/kernel-models.md. */
ATTEST_API attest_status attest_judge_bound(attest_judge_bounds *bounds, const attest_qkv *qkv,
                                            const attest_judge_model *model,
                                            const attest_judge_options *options,
                                            attest_error *error) ATTEST_WARN_UNUSED;

/* out = what the kernel of this schedule of the model returns, with exp correctly rounded; lo,
 * hi (either may be NULL): what it returns for any exp of the model. Arrays as above. Status:
 * also USAGE (the model has no such schedule). */
ATTEST_API attest_status attest_judge_simulate(double *out, double *lo, double *hi,
                                               const attest_qkv *qkv,
                                               const attest_judge_model *model, size_t schedule,
                                               const attest_judge_options *options,
                                               attest_error *error) ATTEST_WARN_UNUSED;

typedef enum attest_judge_verdict {
    ATTEST_JUDGE_WITHIN = 0,
    ATTEST_JUDGE_WRONG,
    ATTEST_JUDGE_UNDECIDED
} attest_judge_verdict;

/* The verdict on one returned value. wrong: it is outside [lo, hi], or not finite while lo and
 * hi are. undecided: nothing was proved of the element. That it is a number of the output
 * format of the model is not asked here; attest_judgement_make does so. */
ATTEST_API attest_judge_verdict attest_judge_element(double output, double lo, double hi);

#ifdef __cplusplus
}
#endif

#endif
