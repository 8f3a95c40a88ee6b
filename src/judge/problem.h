/* problem.h -- the inputs of attention, checked, and their heads in doubles.
 *
 * Every element of Q, K, V, of a mask and of a sink is a double, so that heads in doubles are
 * exact. */
#ifndef ATTEST_JUDGE_PROBLEM_H
#define ATTEST_JUDGE_PROBLEM_H

#include <attest/flint.h>
#include <attest/judge.h>

/* Descale factors, and the scale beside them, are between 2^-this and 2^this: products of them
 * are normal numbers of binary32. */
enum { ATTEST_JUDGE_FACTOR_LOG2 = 40 };

typedef struct attest_judge_problem {
    attest_qkv qkv;
    size_t batch, heads, key_heads, queries, keys, dim, value_dim;
    bool rsqrt; /* the scale is 1/sqrt(dim); else the rational scale */
    fmpq_t scale;
    bool capped;
    fmpq_t softcap;
    bool descaled; /* some of q, k and v have factors */
} attest_judge_problem;

/* Checks the shapes, that there is an output element, and that numbers can be read. The tensors
 * belong to the caller and must outlive the problem. Entries of different lengths are refused,
 * except for a single paged one: rows.h divides such problems. Status: FORMAT, NOMEM. After a
 * failure there is nothing to clear. */
attest_status attest_judge_problem_init(attest_judge_problem *problem, const attest_qkv *qkv,
                                        attest_error *error) ATTEST_WARN_UNUSED;
void attest_judge_problem_clear(attest_judge_problem *problem);

/* scale = a ball that contains the scale, without the factors of heads. */
void attest_judge_problem_get_scale(arb_t scale, const attest_judge_problem *problem,
                                    slong bits);

/* to = count elements of a row of a tensor, exactly; truth values become a mask that is added:
 * 0 and -inf. An axis of length 1 serves every index. */
void attest_judge_tensor_get(double *to, const attest_tensor *tensor, size_t batch, size_t head,
                             size_t row, size_t first, size_t count);

/* The keys of every entry of a plain problem, those of the past included. */
size_t attest_judge_qkv_get_keys(const attest_qkv *qkv);

/* The tensor that contains a key of a plain problem, or its value: k or v, or that of the past.
 * *batch and *token become its place there. *name: "k", "past_v" and so on. */
const attest_tensor *attest_judge_qkv_find_key(const char **name, const attest_qkv *qkv,
                                               bool value, size_t *batch, size_t *token);

/* A query head of a batch entry with its keys and values, row-major. */
typedef struct attest_judge_head {
    const attest_judge_problem *problem;
    size_t batch, head;
    double *q, *k, *v;
    double *bias; /* one row of the mask */
    size_t loads; /* how often it was filled */
    bool sink;
    double sink_logit;
    double score_factor,
        value_factor; /* the product of the factors of q and k, exactly; the factor of v */
} attest_judge_head;

attest_status attest_judge_head_init(attest_judge_head *head,
                                     const attest_judge_problem *problem,
                                     attest_error *error) ATTEST_WARN_UNUSED;
void attest_judge_head_clear(attest_judge_head *head);

/* Loads a head. Status: FORMAT, with the place of a value that is not finite. */
attest_status attest_judge_head_load(attest_judge_head *head, size_t batch, size_t index,
                                     attest_error *error) ATTEST_WARN_UNUSED;

/* scale = a ball that contains the scale times the factors of q and k. */
void attest_judge_head_get_scale(arb_t scale, const attest_judge_head *head, slong bits);

/* The keys that a row may see: first .. last-1. bias NULL: it sees them all, and nothing is
 * added to their scores. Else bias[j - first] is added; -inf: key j is not seen. bias is valid
 * until the next row. */
typedef struct attest_judge_row {
    size_t first, last;
    const double *bias;
} attest_judge_row;

void attest_judge_head_get_row(attest_judge_row *row, attest_judge_head *head, size_t i);

#endif
