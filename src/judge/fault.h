/* fault.h -- problems as kernels with known faults answer them.
 *
 * A fault changes the problem: what a kernel with it computes is the exact result of another
 * one. So what is said of it is proved like everything else. */
#ifndef ATTEST_JUDGE_FAULT_H
#define ATTEST_JUDGE_FAULT_H

#include <attest/judge.h>

typedef enum attest_judge_fault {
    ATTEST_JUDGE_FAULT_ZEROS = 0, /* the output is 0 */
    ATTEST_JUDGE_FAULT_TILE,      /* the last tile of the keys is left out */
    ATTEST_JUDGE_FAULT_MASK,      /* the mask is moved by one key */
    ATTEST_JUDGE_FAULT_HEADS,     /* the outputs of heads 0 and 1 are exchanged */
    ATTEST_JUDGE_FAULT_SCALE,     /* the scores are not scaled */
    ATTEST_JUDGE_FAULT_EXP2,      /* 2^t for e^t: the scores' constant lacks log2 e */
    ATTEST_JUDGE_FAULTS
} attest_judge_fault;

/* "zeros", "dropped-tile", ... */
const char *attest_judge_fault_name(attest_judge_fault fault);

/* The other problem. */
typedef struct attest_judge_faulty {
    attest_judge_fault fault;
    attest_qkv qkv;
    size_t missing; /* so many queries in front are not asked for: their rows see nothing */
    double *mask;
    char *scale, *softcap;
} attest_judge_faulty;

/* *applies: the fault changes something here; only then there is something to clear. tile: the
 * keys of a tile, 0: 64; half of the keys where there are not more. The tensors of qkv must
 * stay. Domain: the problem is one that attest_judge_bound takes. Status: FORMAT, NOMEM. */
attest_status attest_judge_faulty_init(attest_judge_faulty *faulty, bool *applies,
                                       attest_judge_fault fault, const attest_qkv *qkv,
                                       size_t tile, attest_error *error) ATTEST_WARN_UNUSED;
void attest_judge_faulty_clear(attest_judge_faulty *faulty);

/* bounds = those of a kernel of the model that has the fault, at the places of the outputs of
 * the problem; right: the bounds without it (swapped heads
 * are made of them), which has every array that bounds has, none of them the same. Status as
 * attest_judge_bound's. */
attest_status attest_judge_faulty_bound(attest_judge_bounds *bounds,
                                        const attest_judge_faulty *faulty,
                                        const attest_judge_bounds *right,
                                        const attest_judge_model *model,
                                        const attest_judge_options *options,
                                        attest_error *error) ATTEST_WARN_UNUSED;

#endif
