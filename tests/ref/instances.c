/* instances.c -- small random datasets and layers on which doubles have a hard time. */
#include "tests/ref/instances.h"

#include <stdlib.h>

#include "tests/tap.h"

enum { POOL = 6, MOST_DIM = 3 };

static long below(uint64_t *state, long n)
{
    return (long)(tap_random(state) % (uint64_t)n);
}

/* x = m 2^e. */
static void set_scaled(fmpq_t x, long m, long e)
{
    fmpq_set_si(x, m, 1);
    if (e >= 0)
        fmpq_mul_2exp(x, x, (flint_bitcnt_t)e);
    else
        fmpq_div_2exp(x, x, (flint_bitcnt_t)-e);
}

/* An entry of a token, or of a weight. */
static void set_entry(fmpq_t x, ref_kind kind, bool weight, uint64_t *state)
{
    long odd = (long)(tap_random(state) >> 11) | 1, e = below(state, 4) - 54;

    if (below(state, 2))
        odd = -odd;
    if (kind == REF_INTEGERS || (weight && below(state, 3) == 0))
        set_scaled(x, below(state, 5) - 2, 0);
    else if (kind == REF_THIRDS || kind == REF_NEAR)
        fmpq_set_si(x, below(state, 41) - 20, (ulong)(3 + 2 * below(state, 4)));
    else if (kind == REF_TINY && !weight)
        set_scaled(x, odd, -1074 - below(state, 60));
    else if (kind == REF_HUGE && !weight)
        set_scaled(x, odd, 450 + below(state, 600));
    else if (kind == REF_MIXED)
        set_scaled(x, odd, e + below(state, 161) - 80);
    else
        set_scaled(x, odd, e);
}

static void make_pool(fmpq *pool, ref_kind kind, size_t dim, uint64_t *state)
{
    fmpq_t tiny;

    fmpq_init(tiny);
    for (size_t e = 0; e < POOL * dim; e++) {
        set_entry(pool + e, kind, false, state);
        if (kind == REF_NEAR && e >= dim && below(state, 2)) {
            set_scaled(tiny, below(state, 3) - 1, -60);
            fmpq_add(pool + e, pool + e - dim, tiny);
        }
    }
    fmpq_clear(tiny);
}

static void make_dataset(attest_dataset *dataset, ref_kind kind, size_t dim, uint64_t *state)
{
    fmpq *pool = _fmpq_vec_init(POOL * MOST_DIM);
    attest_dataset_builder builder;
    attest_error error;
    long count = 1 + below(state, 4), first = 0;
    bool ok = true;

    make_pool(pool, kind, dim, state);
    attest_dataset_builder_init(&builder, dim, ATTEST_TABLE_RATIONAL, NULL);
    for (long i = 0; i < count; i++) {
        long length = 1 + below(state, 6), same = below(state, 2);
        first = same ? first : below(state, POOL);
        for (long k = 0; k < length; k++) {
            long t = (same ? first + k : below(state, POOL)) % POOL;
            ok = ok && attest_dataset_builder_add_token(&builder, pool + t * (long)dim,
                                                        &error) == ATTEST_OK;
        }
        ok = ok && attest_dataset_builder_end_sequence(&builder, &error) == ATTEST_OK;
    }
    if (!ok || attest_dataset_builder_finish(dataset, &builder, &error) != ATTEST_OK)
        abort();
    attest_dataset_builder_clear(&builder);
    _fmpq_vec_clear(pool, POOL * MOST_DIM);
}

static void make_matrix(attest_matrix *m, size_t rows, size_t cols, ref_kind kind,
                        uint64_t *state)
{
    fmpq *value = _fmpq_vec_init((slong)(rows * cols));

    attest_matrix_resize(m, rows, cols);
    for (size_t e = 0; e < rows * cols; e++) {
        set_entry(value + e, kind, true, state);
        fmpz_lcm(m->denominator, m->denominator, fmpq_denref(value + e));
    }
    for (size_t e = 0; e < rows * cols; e++) {
        fmpz_divexact(m->entry + e, m->denominator, fmpq_denref(value + e));
        fmpz_mul(m->entry + e, m->entry + e, fmpq_numref(value + e));
    }
    _fmpq_vec_clear(value, (slong)(rows * cols));
}

void ref_instance_init(ref_instance *instance, ref_kind kind, attest_activation activation,
                       uint64_t *state)
{
    size_t dim = 1 + (size_t)below(state, MOST_DIM), heads = 1 + (size_t)below(state, 2);
    attest_weights *weights = &instance->weights;

    attest_dataset_init(&instance->dataset);
    make_dataset(&instance->dataset, kind, dim, state);
    attest_weights_init(weights);
    if (attest_weights_resize(weights, heads) != ATTEST_OK)
        abort();
    weights->activation = activation;
    weights->dim = dim;
    weights->skip = below(state, 3) > 0;
    weights->mask = below(state, 3) ? ATTEST_MASK_NONE : ATTEST_MASK_CAUSAL;
    weights->ties = below(state, 2) ? ATTEST_TIES_UNIFORM : ATTEST_TIES_LEFTMOST;
    for (size_t h = 0; h < heads; h++) {
        size_t s = 1 + (size_t)below(state, 2);
        make_matrix(&weights->head[h].wq, s, dim, kind, state);
        make_matrix(&weights->head[h].wk, s, dim, kind, state);
        make_matrix(&weights->head[h].wv, s, dim, kind, state);
        make_matrix(&weights->head[h].wo, dim, s, kind, state);
    }
}

void ref_instance_clear(ref_instance *instance)
{
    attest_dataset_clear(&instance->dataset);
    attest_weights_clear(&instance->weights);
}
