/* block.h -- block formats: numbers of few bits that share a scale, quantised as in the
 * libraries that use them: MXFP8, MXFP6, MXFP4, NVFP4, q8_0, q4_0, int8, int16, KIVI, and casts
 * with scales.
 *
 * doc/formats.md lists the names and the source of each rule. A rule is a sequence of binary32
 * operations (KIVI: binary16) with a rounding of ties of its own. Codes and scales are the
 * results of these operations; a code and a scale represent an exact value.
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
    ATTEST_BLOCK_SCALED,    /* the cast of fl(x / scale), which saturates */
    ATTEST_BLOCK_MX,        /* to ATTEST_BLOCK_MX_LLAMA: scales are powers of two */
    ATTEST_BLOCK_MX_EVEN,
    ATTEST_BLOCK_MX_TE,
    ATTEST_BLOCK_MX_VLLM,
    ATTEST_BLOCK_MX_LLAMA,
    ATTEST_BLOCK_NV_TE, /* scales of 8 bits; with TE also one scale of the tensor */
    ATTEST_BLOCK_NV_LLAMA,
    ATTEST_BLOCK_Q8_0, /* from here on: elements are integers */
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
    attest_format element;   /* the format of floating-point elements */
    int bits;                /* the number of bits of an element */
    bool tensor;             /* a group extends over all heads */
    size_t tokens, channels; /* the size of a group with one scale; 0: all of the head */
    double scale; /* ATTEST_BLOCK_SCALED: the scale; 0: fl(amax / range), with amax the
                   * largest |x| of the group */
    double range;
} attest_block_format;

/* Parses the name of a format. Status: USAGE (unknown name, or the name of several rules, which
 * the text lists). */
ATTEST_API attest_status attest_block_parse(attest_block_format *format, const char *name,
                                            attest_error *error) ATTEST_WARN_UNUSED;

/* An element e has the value e * factor / divisor + offset. */
typedef struct attest_block_scale {
    double factor, divisor, offset;
} attest_block_scale;

typedef struct attest_quantised {
    attest_block_format format;
    size_t heads, tokens, dim;
    size_t group_tokens, group_channels; /* the size of a group; the last ones may be smaller */
    double *element; /* (heads, tokens, dim): integers, or numbers of the element's format */
    attest_block_scale *scale; /* (heads or 1, groups of tokens, groups of channels) */
    size_t scales;             /* the number of scales */
} attest_quantised;

/* q (uninitialised) = the quantised x, an array (heads, tokens, dim) of binary32 numbers. Where
 * a rule gives no number (0/0, or an integer from infinity), the element is NaN. Status: FORMAT
 * (a size is 0; a value is not finite, or not a binary32 number; KIVI: not a binary16 number),
 * NOMEM; then q is empty. Otherwise the caller clears q. Memory: 24 bytes per number during the
 * work, 8 bytes per number and the scales afterwards. */
ATTEST_API attest_status attest_quantised_init(attest_quantised *q, const double *x,
                                               size_t heads, size_t tokens, size_t dim,
                                               const attest_block_format *format,
                                               attest_error *error) ATTEST_WARN_UNUSED;
ATTEST_API void attest_quantised_clear(attest_quantised *q); /* also an empty one */

/* Returns the scale of element i, which is valid as long as q. Domain, here and below: i <
 * heads * tokens * dim. */
ATTEST_API const attest_block_scale *attest_quantised_get_scale(const attest_quantised *q,
                                                                size_t i);

/* value = the exact value of element i; returns false if it is not finite. */
ATTEST_API bool attest_quantised_get_exact(fmpq_t value, const attest_quantised *q, size_t i);

/* Returns the value of element i rounded to nearest; it is exact if the divisor of the scale is
 * 1, that is except for NVFP4 of TransformerEngine and for CTranslate2. */
ATTEST_API double attest_quantised_get(const attest_quantised *q, size_t i);

/* Returns the bits of element i: of an integer in two's complement (q4_0: plus 8), or the code
 * of a floating-point number; 0 if the format has no codes, or codes of more than 32 bits. */
ATTEST_API uint32_t attest_quantised_get_code(const attest_quantised *q, size_t i);

#ifdef __cplusplus
}
#endif

#endif
