/* kernel_gen.c -- rows of doubles that are hard on a kernel. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/scope.h"
#include "campaign/gen.h"
#include "props/kernel.h"

enum { ROWS = 40, DIM = 20, FEW_ROWS = 8, FEW_DIM = 4 };

/* What the entries of a matrix are. */
enum {
    INTEGERS, /* exact scores, ties */
    DYADIC,   /* short fractions */
    PLAIN,    /* 53 bits, of one scale */
    PEAKED,   /* scores in the hundreds: weights underflow */
    HUGE_ONES,
    TINY_ONES, /* products underflow */
    WIDE,      /* any double */
    EXPONENTS  /* the range of exp, and beyond */
};

/* Most of them give finite bounds. */
static const unsigned kinds[] = {INTEGERS, DYADIC, PLAIN,     PEAKED,    INTEGERS, PLAIN,
                                 PLAIN,    PEAKED, HUGE_ONES, TINY_ONES, WIDE,     EXPONENTS};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* 53 bits in (-1, 1). */
static double gen_unit(struct theft *t)
{
    double x = (double)theft_random_bits(t, 53) * 0x1p-53;

    return theft_random_bits(t, 1) ? -x : x;
}

static double gen_entry(struct theft *t, unsigned kind)
{
    switch (kind) {
    case INTEGERS:
        return (double)attest_gen_integer(t, 4);
    case DYADIC:
        return ldexp((double)attest_gen_integer(t, 100), -(int)theft_random_choice(t, 7));
    case PLAIN:
        return 4 * gen_unit(t);
    case PEAKED:
        return 40 * gen_unit(t);
    case HUGE_ONES: /* some products overflow, some do not */
        return ldexp(gen_unit(t), 500 + (int)theft_random_choice(t, 525));
    case TINY_ONES:
        return ldexp(gen_unit(t), -460 - (int)theft_random_choice(t, 100));
    case WIDE:
        return ldexp(gen_unit(t), 1024 - (int)theft_random_choice(t, 2098));
    default:
        return 750 * gen_unit(t);
    }
}

/* Row i becomes an earlier one: the same, up to a last bit of some entries, which rounding can
 * hide or turn around, or up to a sign. */
static void gen_copy(double *row, size_t i, size_t dim, struct theft *t)
{
    const double *other = row + (size_t)theft_random_choice(t, i) * dim;
    unsigned kind = (unsigned)theft_random_choice(t, 4);
    size_t opposite = (size_t)theft_random_choice(t, dim);
    double *to = row + i * dim;

    for (size_t c = 0; c < dim; c++) {
        unsigned step = kind == 1 || kind == 2 ? (unsigned)theft_random_choice(t, 3) : 0;
        to[c] = kind == 3 && c == opposite ? -other[c] : other[c];
        if (step > 0)
            to[c] = nextafter(to[c], step == 1 ? INFINITY : -INFINITY);
        if (!isfinite(to[c]))
            to[c] = 0;
    }
}

/* n rows of one kind; in some matrices most rows are made from earlier ones. */
static void gen_rows(double *row, size_t n, size_t dim, struct theft *t)
{
    unsigned kind = kinds[theft_random_choice(t, KINDS)];
    bool copies = attest_gen_rarely(t, 3);

    for (size_t i = 0; i < n; i++) {
        if (i > 0 && copies && theft_random_choice(t, 4) > 0) {
            gen_copy(row, i, dim, t);
            continue;
        }
        for (size_t c = 0; c < dim; c++)
            row[i * dim + c] = gen_entry(t, kind);
    }
}

/* Sequence i is q_i, k_i, v_i. */
static attest_status add_rows(attest_dataset *dataset, const double *row, size_t n, size_t dim)
{
    ATTEST_SCOPED(attest_dataset_builder, builder, dim, ATTEST_TABLE_REAL, NULL);

    for (size_t i = 0; i < n; i++) {
        for (size_t m = 0; m < 3; m++)
            ATTEST_TRY(
                attest_dataset_builder_add_doubles(&builder, row + (m * n + i) * dim, 1, NULL));
        ATTEST_TRY(attest_dataset_builder_end_sequence(&builder, NULL));
    }
    return attest_dataset_builder_finish(dataset, &builder, NULL);
}

attest_status attest_answers_gen(attest_instance *instance, struct theft *t,
                                 const attest_setting *setting)
{
    bool hardmax = theft_random_bits(t, 1), causal = theft_random_bits(t, 1);
    size_t batch = attest_gen_size(t, 1, ATTEST_ANSWERS_BATCH);
    size_t dim = attest_gen_size(t, 1, attest_gen_rarely(t, 3) ? DIM : FEW_DIM);
    size_t n = attest_gen_size(t, 1, attest_gen_rarely(t, 3) ? ROWS : FEW_ROWS);
    double *row ATTEST_FREED = attest_memory_alloc(3 * n * dim, sizeof *row);

    (void)setting;
    if (!row)
        return ATTEST_NOMEM;
    fmpq_set_si(attest_instance_set(instance, "hardmax"), hardmax, 1);
    fmpq_set_si(attest_instance_set(instance, "causal"), causal, 1);
    fmpq_set_si(attest_instance_set(instance, "batch"), (slong)batch, 1);
    for (size_t m = 0; m < 3; m++)
        gen_rows(row + m * n * dim, n, dim, t);
    return add_rows(&instance->dataset, row, n, dim);
}
