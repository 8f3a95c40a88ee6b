/* fault.h -- the results of kernels with known faults.
 *
 * A kernel with a fault computes the exact result of a changed problem, so that its outputs
 * have proved bounds like those of any other kernel. */
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

/* The changed problem. */
typedef struct attest_judge_faulty {
    attest_judge_fault fault;
    attest_qkv qkv;
    size_t missing; /* number of leading queries left out, whose rows have no visible key */
    double *mask;
    char *scale, *softcap;
} attest_judge_faulty;

/* *applies = whether the fault changes the problem; only then must faulty be cleared. tile:
 * keys of a tile (0: 64); half of the keys if there are fewer. The tensors of qkv must outlive
 * faulty. Domain: attest_judge_bound accepts the problem. Status: FORMAT, NOMEM. */
attest_status attest_judge_faulty_init(attest_judge_faulty *faulty, bool *applies,
                                       attest_judge_fault fault, const attest_qkv *qkv,
                                       size_t tile, attest_error *error) ATTEST_WARN_UNUSED;
void attest_judge_faulty_clear(attest_judge_faulty *faulty);

/* bounds = the bounds of a kernel of the model with the fault, in the layout of the outputs of
 * the problem. right: the bounds without the fault; it has every array that bounds has, and
 * shares none with it. Status: as attest_judge_bound. */
attest_status attest_judge_faulty_bound(attest_judge_bounds *bounds,
                                        const attest_judge_faulty *faulty,
                                        const attest_judge_bounds *right,
                                        const attest_judge_model *model,
                                        const attest_judge_options *options,
                                        attest_error *error) ATTEST_WARN_UNUSED;

#endif
