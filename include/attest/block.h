/* block.h -- block formats: numbers of few bits that share a scale, quantised as in the
 * libraries that use them: MXFP8, MXFP6, MXFP4, NVFP4, q8_0, q4_0, int8, int16, KIVI, and casts
 * with scales.
 *
 * doc/formats.md lists the names and the source of each rule. A rule is a sequence of binary32
 * operations (KIVI: binary16) with its own rounding of ties; codes and scales here are the
 * results of these operations, and the values that they represent are exact.
 *
 *     attest_block_format format;
 *     attest_quantised q;
 *     if (attest_block_parse(&format, "mxfp4:mx", &error) == ATTEST_OK &&
 *         attest_quantised_init(&q, x, heads, tokens, dim, &format, &error) == ATTEST_OK) {
 *         first = attest_quantised_get(&q, 0);
 *         attest_quantised_clear(&q);
 *     } */
#ifndef ATTEST_BLOCK_H
#define ATTEST_BLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <attest/error.h>
#include <attest/export.h>
#include <attest/flint.h>
#include <attest/format.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The rules that determine elements and scales. */
typedef enum attest_block_rule {
    ATTEST_BLOCK_PLAIN = 0, /* a cast, and no scale */
    ATTEST_BLOCK_SCALED,    /* E(fl(x / scale)), saturating */
    ATTEST_BLOCK_MX,        /* scales are powers of two */
    ATTEST_BLOCK_MX_EVEN,
    ATTEST_BLOCK_MX_TE,
    ATTEST_BLOCK_MX_VLLM,
    ATTEST_BLOCK_MX_LLAMA,
    ATTEST_BLOCK_NV_TE, /* scales of 8 bits, and one of the tensor */
    ATTEST_BLOCK_NV_LLAMA,
    ATTEST_BLOCK_Q8_0, /* integers from here on */
    ATTEST_BLOCK_Q8_0_X86,
    ATTEST_BLOCK_Q8_0_ARM,
    ATTEST_BLOCK_Q4_0,
    ATTEST_BLOCK_INT8,
    ATTEST_BLOCK_INT8_CT2,
    ATTEST_BLOCK_INT8_CT2_TRUNC,
    ATTEST_BLOCK_INT16_CT2,
    ATTEST_BLOCK_INT16_CT2_TRUNC,
    ATTEST_BLOCK_KIVI
} attest_block_rule;

/* A block format, set by attest_block_parse; read only. */
typedef struct attest_block_format {
    char name[64];
    attest_block_rule rule;
    attest_format element;   /* of floating-point elements */
    int bits;                /* of integers */
    bool tensor;             /* all heads have one scale */
    size_t tokens, channels; /* the group with one scale; 0: all of the head */
    double scale;            /* scaled: the scale; 0: fl(amax / range) */
    double range;
} attest_block_format;

/* Parses the name of a format. Status: USAGE (unknown name, or the name of several rules, which
 * the text lists). */
ATTEST_API attest_status attest_block_parse(attest_block_format *format, const char *name,
                                            attest_error *error) ATTEST_WARN_UNUSED;

/* The value of an element is element factor / divisor + offset. */
typedef struct attest_block_scale {
    double factor, divisor, offset;
} attest_block_scale;

typedef struct attest_quantised {
    attest_block_format format;
    size_t heads, tokens, dim;
    size_t group_tokens, group_channels; /* the last group of a row or column may be smaller */
    double *element; /* (heads, tokens, dim): integers, or numbers of the element's format */
    attest_block_scale *scale; /* (heads or 1, groups of tokens, groups of channels) */
    size_t scales;
} attest_quantised;

/* q = x, an array (heads, tokens, dim) of binary32 numbers, quantised; clear it. Where a rule
 * gives no number (0/0, an integer from infinity), the element is NaN. Status: FORMAT (a size
 * is 0; a value is not finite, or not a binary32 number; KIVI: not a binary16 number), NOMEM; q
 * is then empty. Memory: 24 bytes for every number during the work, 8 and the scales
 * afterwards. */
ATTEST_API attest_status attest_quantised_init(attest_quantised *q, const double *x,
                                               size_t heads, size_t tokens, size_t dim,
                                               const attest_block_format *format,
                                               attest_error *error) ATTEST_WARN_UNUSED;
ATTEST_API void attest_quantised_clear(attest_quantised *q); /* also an empty one */

/* The scale of element i of the array; valid as long as q. Domain, also below: i < heads tokens
 * dim. */
ATTEST_API const attest_block_scale *attest_quantised_get_scale(const attest_quantised *q,
                                                                size_t i);

/* The exact value of element i; false: it is not finite. */
ATTEST_API bool attest_quantised_get_exact(fmpq_t value, const attest_quantised *q, size_t i);

/* The value of element i rounded to nearest; exact unless the scale divides (NVFP4 of
 * TransformerEngine, CTranslate2). */
ATTEST_API double attest_quantised_get(const attest_quantised *q, size_t i);

/* The bits of element i: an integer in two's complement (q4_0: plus 8), the code of a number; 0
 * where the format has no codes, or longer ones. */
ATTEST_API uint32_t attest_quantised_get_code(const attest_quantised *q, size_t i);

#ifdef __cplusplus
}
#endif

#endif
