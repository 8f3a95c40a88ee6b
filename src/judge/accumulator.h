/* accumulator.h -- sums in a format, in every order that a recipe can name.
 *
 * proofs-notes/judge-kernels.md (b) and (c). */
#ifndef ATTEST_JUDGE_ACCUMULATOR_H
#define ATTEST_JUDGE_ACCUMULATOR_H

#include "judge/matrix_unit.h"

/* The order of additions, (b) and (c). */
typedef enum attest_recipe_order {
    ATTEST_RECIPE_FORWARD = 0,
    ATTEST_RECIPE_BACKWARD,
    ATTEST_RECIPE_PAIRWISE,
    ATTEST_RECIPE_TREE,     /* a random tree */
    ATTEST_RECIPE_SHUFFLED, /* a random tree over a random permutation */
    ATTEST_RECIPE_GROWING,  /* one after another, the smallest first */
    ATTEST_RECIPE_BLOCKS,   /* blocks of a matrix unit, ascending */
    ATTEST_RECIPE_BLOCKS_BACKWARD,
    ATTEST_RECIPE_BLOCKS_SHUFFLED
} attest_recipe_order;

typedef enum attest_recipe_products {
    ATTEST_RECIPE_ROUNDED = 0,
    ATTEST_RECIPE_FUSED, /* fused with the addition, or exact if the model requires it */
    ATTEST_RECIPE_MIXED
} attest_recipe_products;

typedef struct attest_recipe_dot {
    attest_recipe_order order;
    attest_recipe_products products;
} attest_recipe_dot;

typedef struct attest_judge_accumulator {
    attest_in_double format;
    attest_in_double_flush flush;
    attest_recipe_order order;
    attest_recipe_products products;
    bool wide;              /* a product of two terms need not be a double */
    size_t depth;           /* additions that a term may pass; 0: any number */
    attest_judge_unit unit; /* for orders in blocks */
    size_t block;
    size_t promote; /* products that are summed from 0 before their sum is added; 0: all */
    uint64_t *random;
    double *leaf, *a, *b; /* arrays for capacity terms, or columns, each */
} attest_judge_accumulator;

/* Allocates for sums of up to capacity terms; returns false if memory runs out. Clear in any
 * case. */
bool attest_judge_accumulator_alloc(attest_judge_accumulator *accumulator, size_t capacity);
void attest_judge_accumulator_clear(attest_judge_accumulator *accumulator);

static inline double attest_judge_accumulator_flush(double r, const attest_judge_accumulator *s)
{
    return attest_in_double_flushed(r, s->flush, &s->format);
}

/* The exact value rounded to the format, and flushed. */
static inline double attest_judge_accumulator_round(double exact,
                                                    const attest_judge_accumulator *s)
{
    return attest_judge_accumulator_flush(attest_in_double_convert(exact, &s->format), s);
}

/* x y, rounded once. */
static inline double attest_judge_accumulator_mul(double x, double y,
                                                  const attest_judge_accumulator *s)
{
    double product = x * y;

    if (!s->format.plain) /* exact already where both are of a small format */
        product = attest_in_double_to_odd(product, fma(x, y, -product));
    return attest_judge_accumulator_round(product, s);
}

/* x + y, rounded once. Domain: at most 53 bits each. */
static inline double attest_judge_accumulator_add(double x, double y,
                                                  const attest_judge_accumulator *s)
{
    double sum = x + y;

    if (s->format.plain)
        return sum;
    return attest_judge_accumulator_round(
        attest_in_double_to_odd(sum, attest_in_double_sum_error(sum, x, y)), s);
}

/* A sum in blocks of size places: the first product is at place lead of the first block. The
 * number of blocks that the products fill, and the products in block number number. */
size_t attest_judge_block_count(const attest_judge_block *all, size_t lead, size_t size);
attest_judge_block attest_judge_block_get(const attest_judge_block *all, size_t lead,
                                          size_t number, size_t size);

/* Returns whether block number i in order of visit, number n in place, is the first of a group
 * that is summed from 0. */
bool attest_judge_accumulator_promotes(const attest_judge_accumulator *s, size_t lead, size_t i,
                                       size_t n);

/* A running sum. started: at least one term was added. */
typedef struct attest_judge_running {
    bool started;
    double value;
} attest_judge_running;

/* Returns whether count more terms can be added within the depth of the accumulator. after:
 * additions that the result will pass later. */
bool attest_judge_accumulator_allows(const attest_judge_accumulator *s, size_t count,
                                     size_t after, bool started);

/* running += the first count leaves, in the order of the accumulator; no leaf passes more than
 * depth - after additions. */
void attest_judge_accumulator_add_leaves(attest_judge_running *running, size_t count,
                                         size_t after, attest_judge_accumulator *s);

/* Returns whether many sums can be formed at once: products are rounded one by one and added
 * one after another, or summed in the blocks of a matrix unit, one after another. */
bool attest_judge_accumulator_is_simple(const attest_judge_accumulator *s);

/* o[c] += the sum over j of a[j] b[j stride + c] for all columns, each as add_products forms
 * it; where b is negative, a_else replaces a (not in a matrix unit). Domain: simple, count > 0.
 * started: o has a value already. */
typedef struct attest_judge_columns {
    const double *a, *a_else, *b;
    size_t count, stride, columns;
    bool started;
    size_t lead;
} attest_judge_columns;

/* o += the sums of a group by one addition each; the group becomes 0. started: as above. */
void attest_judge_accumulator_promote(double *o, double *group, bool started, size_t columns,
                                      const attest_judge_accumulator *s);

void attest_judge_accumulator_add_columns(double *o, const attest_judge_columns *all,
                                          attest_judge_accumulator *s);

/* running += the products. lead: the place of the first product in the first block. */
void attest_judge_accumulator_add_products(attest_judge_running *running,
                                           const attest_judge_block *products, size_t lead,
                                           size_t after, attest_judge_accumulator *s);

#endif
