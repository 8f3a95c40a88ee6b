/* instance.c -- small datasets and layers of hostile magnitudes. */
#include "tests/forge/instance.h"

#include <stdlib.h>

#include "tests/tap.h"

enum { POOL = 3, MOST_DIM = 2 };

long forge_below(uint64_t *state, long n)
{
    return (long)(tap_random(state) % (uint64_t)n);
}

void forge_decimal(fmpq_t x, long m, long e)
{
    fmpz_t power;

    fmpz_init_set_ui(power, 10);
    fmpz_pow_ui(power, power, (ulong)labs(e));
    fmpq_set_si(x, m, 1);
    if (e >= 0)
        fmpq_mul_fmpz(x, x, power);
    else
        fmpq_div_fmpz(x, x, power);
    fmpz_clear(power);
}

/* A decimal exponent: often small, otherwise anything up to +-300. */
static long magnitude(uint64_t *state)
{
    static const long large[] = {1, 2, 5, 20, 40, 60, 100, 150, 300};
    long e = large[forge_below(state, (long)(sizeof large / sizeof large[0]))];

    return forge_below(state, 2) ? 0 : forge_below(state, 2) ? e : -e;
}

/* A digit times 10^e, rarely 0, sometimes over 7. */
static void set_entry(fmpq_t x, long e, uint64_t *state)
{
    long m = forge_below(state, 8) ? 1 + forge_below(state, 9) : 0;

    forge_decimal(x, forge_below(state, 2) ? m : -m, e);
    if (forge_below(state, 4) == 0) {
        fmpz_t seven;
        fmpz_init_set_ui(seven, 7);
        fmpq_div_fmpz(x, x, seven);
        fmpz_clear(seven);
    }
}

/* The tokens: of one magnitude, each entry of its own, or one near the other. */
static long make_pool(fmpq *pool, size_t dim, uint64_t *state)
{
    long e = magnitude(state), kind = forge_below(state, 3);
    fmpq_t near;

    fmpq_init(near);
    for (size_t i = 0; i < POOL * dim; i++) {
        set_entry(pool + i, kind == 1 ? magnitude(state) : e, state);
        if (kind == 2 && i >= dim && forge_below(state, 3)) {
            forge_decimal(near, forge_below(state, 3) - 1, e - 1 - forge_below(state, 300));
            fmpq_add(pool + i, pool + i - dim, near);
        }
    }
    fmpq_clear(near);
    return e;
}

/* Returns the magnitude of the tokens. */
static long make_dataset(attest_dataset *dataset, size_t dim, bool hardmax, uint64_t *state)
{
    fmpq *pool = _fmpq_vec_init(POOL * MOST_DIM);
    long count = 1 + forge_below(state, 3), e = make_pool(pool, dim, state);
    attest_dataset_builder builder;
    bool ok = true;

    attest_dataset_builder_init(&builder, dim, ATTEST_TABLE_RATIONAL, NULL);
    for (long i = 0; i < count; i++) {
        long length = 1 + forge_below(state, hardmax ? 4 : 3);
        for (long k = 0; k < length; k++) {
            /* Sequences that begin alike are the ones that differ least. */
            long t = k == 0 || forge_below(state, 3) ? k % POOL : forge_below(state, POOL);
            ok = ok && attest_dataset_builder_add_token(&builder, pool + t * (long)dim, NULL) ==
                           ATTEST_OK;
        }
        ok = ok && attest_dataset_builder_end_sequence(&builder, NULL) == ATTEST_OK;
    }
    if (!ok || attest_dataset_builder_finish(dataset, &builder, NULL) != ATTEST_OK)
        abort();
    attest_dataset_builder_clear(&builder);
    _fmpq_vec_clear(pool, POOL * MOST_DIM);
    return e;
}

static void make_matrix(attest_matrix *m, size_t rows, size_t cols, long e, uint64_t *state)
{
    slong entries = (slong)(rows * cols);
    fmpq *value = _fmpq_vec_init(entries);

    attest_matrix_resize(m, rows, cols);
    for (slong i = 0; i < entries; i++) {
        set_entry(value + i, e, state);
        fmpz_lcm(m->denominator, m->denominator, fmpq_denref(value + i));
    }
    for (slong i = 0; i < entries; i++) {
        fmpz_divexact(m->entry + i, m->denominator, fmpq_denref(value + i));
        fmpz_mul(m->entry + i, m->entry + i, fmpq_numref(value + i));
    }
    _fmpq_vec_clear(value, entries);
}

/* Tokens have magnitude e. */
static void make_head(attest_head *head, size_t dim, long e, uint64_t *state)
{
    size_t s = 1 + (size_t)forge_below(state, 2);
    long key = magnitude(state), value = magnitude(state), query = magnitude(state);
    long size = forge_below(state, 3);

    if (size == 0) /* scores of ordinary size */
        query = -2 * e - key + forge_below(state, 3) - 1;
    else if (size == 1) /* such that e to them is beyond most arithmetic */
        query = -2 * e - key + 40 + forge_below(state, 200);
    make_matrix(&head->wq, s, dim, query, state);
    make_matrix(&head->wk, s, dim, key, state);
    make_matrix(&head->wv, s, dim, value, state);
    make_matrix(&head->wo, dim, s, forge_below(state, 2) ? -value : 0, state);
}

/* head = the other one with its values turned round. */
static void make_opposite(attest_head *head, const attest_head *other)
{
    attest_matrix_set(&head->wq, &other->wq);
    attest_matrix_set(&head->wk, &other->wk);
    attest_matrix_set(&head->wv, &other->wv);
    attest_matrix_set(&head->wo, &other->wo);
    for (size_t i = 0; i < head->wv.rows * head->wv.cols; i++)
        fmpz_neg(head->wv.entry + i, head->wv.entry + i);
}

void forge_instance_init(forge_instance *instance, uint64_t *state)
{
    attest_weights *weights = &instance->weights;
    bool hardmax = forge_below(state, 3) == 0;
    size_t dim = 1 + (size_t)forge_below(state, MOST_DIM);
    size_t heads = 1 + (size_t)(hardmax ? forge_below(state, 3) : forge_below(state, 3) == 0);
    long e;

    attest_dataset_init(&instance->dataset);
    e = make_dataset(&instance->dataset, dim, hardmax, state);
    attest_weights_init(weights);
    if (attest_weights_resize(weights, heads) != ATTEST_OK)
        abort();
    weights->activation = hardmax ? ATTEST_HARDMAX : ATTEST_SOFTMAX;
    weights->dim = dim;
    weights->skip = forge_below(state, 3) > 0;
    weights->mask = forge_below(state, 3) ? ATTEST_MASK_NONE : ATTEST_MASK_CAUSAL;
    weights->ties = forge_below(state, 2) ? ATTEST_TIES_UNIFORM : ATTEST_TIES_LEFTMOST;
    for (size_t h = 0; h < heads; h++)
        if (h > 0 && forge_below(state, 3) == 0)
            make_opposite(&weights->head[h], &weights->head[h - 1]);
        else
            make_head(&weights->head[h], dim, e, state);
}

void forge_instance_clear(forge_instance *instance)
{
    attest_dataset_clear(&instance->dataset);
    attest_weights_clear(&instance->weights);
}
