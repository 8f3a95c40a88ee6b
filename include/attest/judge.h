/* judge.h -- proved bounds on every output element of attention kernels.
 *
 * The function. Query head h uses key head floor(h H_kv / H). Row i sees the keys of its mask;
 *     t_j = scale q_i . k_j,  with a softcap c: c tanh(scale q_i . k_j / c),  plus the mask's
 *     value where it is added;   o = sum_j e^(t_j) v_j / (sum_j e^(t_j) + e^z),
 * q, k and v each times its descale factor, where it has one, z the sink logit of the head
 * (absent: no such term). A row without keys is 0.
 *
 * A kernel model describes kernels: formats, orders, errors. For every output element an
 * interval [lo, hi] is computed that contains the result of every kernel of the model;
 * proofs-notes/judge.md derives it. An output outside is proved wrong: no kernel of the model
 * returns it. */
#ifndef ATTEST_JUDGE_H
#define ATTEST_JUDGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

/* An array of the caller: batch, heads, tokens, dim. Element (b, h, i, c) is at data + b
 * stride[0] + h stride[1] + i stride[2] + c stride[3]; strides are in bytes, elements in the
 * byte order of the machine, without any alignment. data NULL: absent. */
typedef struct attest_tensor {
    const void *data;
    attest_tensor_type type;
    size_t shape[4];
    ptrdiff_t stride[4];
} attest_tensor;

typedef enum attest_causal {
    ATTEST_CAUSAL_NONE = 0,
    ATTEST_CAUSAL_BOTTOM_RIGHT, /* the last query sees the last key: j <= i + nk - nq */
    ATTEST_CAUSAL_TOP_LEFT      /* j <= i; beside past keys: all of these, and of k j <= i */
} attest_causal;

/* The inputs and options of attention. Zero it, then set members; the comments give the meaning
 * of 0 and NULL. */
typedef struct attest_qkv {
    attest_tensor q, k, v;
    const char *scale;   /* NULL, "rsqrt": 1/sqrt(dim); "none": 1; else an exact number > 0 */
    const char *softcap; /* NULL: none; else an exact number > 0; both from 2^-1000 to 2^1000 */
    attest_causal causal;
    bool windowed; /* query i sees p - left <= j <= p + right, p = i + nk - nq; top-left: p = i,
                    * plus the number of past keys */
    long left, right;   /* negative: no limit on that side */
    attest_tensor mask; /* BOOL: true is seen; else added to the scaled score, -inf is not seen.
                         * (batch or 1, heads or 1, queries or 1, keys) */
    attest_tensor sink; /* one logit per head, heads in shape[1], the others 1 */
    bool empty_is_nan;  /* a row without keys is NaN, not 0 */
    /* with a softcap: the mask is added before it, so that a hidden key has the score -softcap.
     * Only by mask, not by causal or a window; not simulated */
    bool mask_before_softcap;
    /* factors of q, k and v, separate as in kernels on 8-bit floats: binary32 numbers from
     * 2^-40 to 2^40; the scale is then in this range, too. (batch or 1, heads or 1, 1, 1), with
     * the heads of k or, for q, of q. Absent: 1 */
    attest_tensor q_descale, k_descale, v_descale;
    /* keys and values of every entry before those of k and v: (batch, heads of k, tokens, dim).
     * A mask has their columns, too */
    attest_tensor past_k, past_v;
    /* Batch entries, "sequences", with different numbers of queries or keys; the arrays are the
     * caller's. Each entry is a problem of its own with its own numbers: the last query of a
     * causal one sees its last key. Results are those of the entries one after another, each
     * (heads, its queries, value_dim). */
    size_t sequences; /* entries of the arrays below */
    /* packed: q, or k and v, has a batch of 1, and sequence b has the tokens cu_seqlens[b] to
     * cu_seqlens[b + 1] - 1; sequences + 1 numbers from 0 to the number of tokens */
    const int64_t *cu_seqlens_q, *cu_seqlens_k;
    const int64_t *lengths; /* the keys of entry b are the first lengths[b] ones */
    /* paged, beside lengths: k and v are caches, (pages, heads, page size, dim), and key j of
     * entry b is at j mod page size in page block_table[b * blocks + j / page size] */
    const int64_t *block_table;
    size_t blocks; /* pages of one entry in block_table */
} attest_qkv;

/* A kernel model: doc/kernel-models.md. */
typedef struct attest_judge_model attest_judge_model;

/* *model = the shipped model of this name, or the model in a file, if the name has a slash,
 * ends in ".json" or is "-" (standard input); free it. NULL after a failure. Status: USAGE
 * (unknown name), FORMAT, IO, UNABLE (the file is too large for a model), NOMEM. */
ATTEST_API attest_status attest_judge_model_load(attest_judge_model **model, const char *name,
                                                 attest_error *error) ATTEST_WARN_UNUSED;
ATTEST_API void attest_judge_model_free(attest_judge_model *model);

/* The same for a model in memory, JSON of size bytes. Status: FORMAT, UNABLE, NOMEM. */
ATTEST_API attest_status attest_judge_model_parse(attest_judge_model **model, const char *text,
                                                  size_t size,
                                                  attest_error *error) ATTEST_WARN_UNUSED;

/* The model as JSON with all members, including defaults; free it. Parsing it gives the same
 * model. NULL: out of memory. */
ATTEST_API char *attest_judge_model_format(const attest_judge_model *model);

/* The name of shipped model i; NULL after the last. */
ATTEST_API const char *attest_judge_model_shipped_name(size_t i);

/* Options of long work. Zeroed: one process, no progress reports, no cancellation. */
typedef struct attest_judge_options {
    size_t jobs; /* processes; 0: one. Results do not depend on it */
    /* progress reports, called in the calling thread */
    attest_progress progress;
    /* NULL, or called in that thread, at most 25 times a second: false cancels the work, with
     * the status STOPPED */
    bool (*proceed)(void *context);
    void *proceed_context;
    /* NULL: results for all output rows. Else the rows for which results are computed,
     * row_count of them: row i of head h of batch entry b has the number (b * heads + h) *
     * queries + i; in increasing order, each once. All inputs are checked in any case */
    const size_t *rows;
    size_t row_count;
    /* 0, or instead of rows: a sample of so many of them, drawn by the seed; of fewer rows all
     * are taken */
    size_t sample;
    uint64_t seed;
    /* for judgements: the output is known as it was printed, rounded to so many decimals */
    bool printed;
    unsigned decimals; /* at most 300 */
} attest_judge_options;

/* Results for every output element, in arrays of batch * heads * queries * value_dim doubles,
 * the last index fastest; if rows are selected, of as many rows as are. Any of them may be
 * NULL.
 *   lo, hi   every kernel of the model returns a number in [lo, hi], rounded outward; without
 *            a bound -inf, +inf. A row without keys that must be NaN: all NaN
 *   exact    the exact result, rounded to nearest as far as it is known
 *   error    |exact - the exact result| is at most this
 *   bound    |returned - the exact result| is at most this, for every kernel of the model */
typedef struct attest_judge_bounds {
    double *lo, *hi, *exact, *error, *bound;
    const char
        *unbounded; /* set: the reason why some bound is infinite; NULL: all are finite */
} attest_judge_bounds;

/* Status: FORMAT (shapes that do not fit, a value that is not finite or not a number of the
 * input formats), USAGE (invalid option), NOMEM, IO (a worker died), STOPPED. Cost:
 * doc/kernel-models.md; it is proportional to the number of rows. */
ATTEST_API attest_status attest_judge_bound(attest_judge_bounds *bounds, const attest_qkv *qkv,
                                            const attest_judge_model *model,
                                            const attest_judge_options *options,
                                            attest_error *error) ATTEST_WARN_UNUSED;

/* out = the output of the kernel of this schedule, with correctly rounded exp; lo, hi (either
 * may be NULL): bounds on its output for any exp of the model. Arrays as above. Status: also
 * USAGE (the model has no such schedule). */
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

/* The verdict on one returned value. wrong: outside [lo, hi], or not finite while lo and hi
 * are. undecided: the element has no bounds. Only attest_judgement_make checks that it is a
 * number of the output format of the model. */
ATTEST_API attest_judge_verdict attest_judge_element(double output, double lo, double hi);

#ifdef __cplusplus
}
#endif

#endif
