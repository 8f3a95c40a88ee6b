/* lse_kernel.h -- the log-sum-exp of a simulated kernel in binary32, and its combination of
 * partial outputs: written for the tests, with nothing of src/judge.
 *
 * Functions that may err (exp, log, tanh, constants) are evaluated in binary64 and moved by an
 * error of the size that the kernel has. */
#ifndef TESTS_REF_LSE_KERNEL_H
#define TESTS_REF_LSE_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LSE_KERNEL_KEYS = 20000, LSE_KERNEL_PARTS = 1024, LSE_KERNEL_LANES = 64 };

typedef enum lse_kernel_form {
    LSE_SEPARATE = 0, /* exp(t - m) */
    LSE_SEPARATE_TWO, /* exp2((t - m) log2 e) */
    LSE_FUSED,        /* exp2(fma(s, k, -fl(m k))) */
    LSE_TWO_STEP,     /* exp2(fl(s k) - m) */
    LSE_FORMS
} lse_kernel_form;

/* Zeroed: everything to nearest, two passes, one part, one lane. Ways: -1 down, 1 up, 0 random.
 */
typedef struct lse_kernel {
    lse_kernel_form form;
    bool fused_products, reversed; /* scores: fma; from the last term */
    bool from_last;                /* the row sum: from the last key of a tile */
    bool wide_sum;                 /* the row sum is in binary64 */
    bool online;
    bool raw_rescale; /* fused: rescale factors from raw references, else from products */
    bool scale_first; /* two steps: scale and log2 e one after the other */
    size_t tile;      /* 0: all keys */
    bool backward;    /* tiles from last to first */
    double threshold; /* online: log2 units */
    size_t lanes;     /* 0, 1: one sum */
    size_t splits;    /* 0, 1: one part */
    double exp_error, log_absolute, log_relative, tanh_error;
    int exp_way, log_way, constant_way, reference_way;
    double constant_units;  /* of the scale's constant, from the exact one */
    double reference_units; /* of the reference in units of t, with its product */
    int offset;             /* P = 2^offset e^x */
    int cast_bits;          /* the sum adds P of so many bits; 0: not cast */
    int cast_emin;          /* its least normal exponent */
    bool base_2, converted; /* of the result; computed by multiplying the natural one */
    bool sink_in_max, without_sink;
} lse_kernel;

/* A row: keys of dim numbers each; bias NULL, or added, -inf: not seen. */
typedef struct lse_row {
    const float *q, *k, *bias;
    size_t keys, dim;
    double scale, softcap; /* softcap 0: none */
    const float *sink;     /* NULL: none */
} lse_row;

/* The log-sum-exp that the kernel returns. Domain: a key is seen. */
float lse_kernel_run(const lse_kernel *kernel, const lse_row *row, uint64_t *state);

/* What a kernel makes of partial outputs and log-sum-exps. */
typedef struct merge_kernel {
    bool base_2;
    bool by_sum; /* weights e^(L_i - log sum): FlashAttention's; else e^(L_i - max) */
    bool last;   /* the sum of products is divided, else every weight */
    double exp_error, log_absolute, log_relative, final_error;
    int exp_way, sum_way, log_way, final_way; /* sum_way: of the exponentials that are added */
} merge_kernel;

/* out = the merged row of parts * columns numbers; *lse = its log-sum-exp. Parts with -inf have
 * no keys. */
void merge_kernel_run(float *out, float *lse, const merge_kernel *kernel, const float *part,
                      const float *part_lse, size_t parts, size_t columns, uint64_t *state);

#endif
