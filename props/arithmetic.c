/* arithmetic.c -- attention in the arithmetic of --number, and numbers of its format. */
#include "props/arithmetic.h"

#include <stdio.h>

#include <attest/attention.h>

#include "base/memory.h"
#include "number/rationals.h"
#include "number/scope.h"

attest_format attest_props_arithmetic_format(const attest_setting *setting)
{
    attest_format format = {.precision = setting->bits};

    if (setting->number == ATTEST_ARITHMETIC_BINARY32)
        format = (attest_format){
            .name = "binary32", .precision = 24, .bounded = true, .emin = -126, .emax = 127};
    else if (setting->number == ATTEST_ARITHMETIC_DOUBLE)
        format = (attest_format){
            .name = "binary64", .precision = 53, .bounded = true, .emin = -1022, .emax = 1023};
    else
        snprintf(format.name, sizeof format.name, "p=%ld", setting->bits);
    return format;
}

bool attest_props_arithmetic_represents(const attest_format *format, const fmpq_t x)
{
    const fmpz *p = fmpq_numref(x), *q = fmpq_denref(x);
    slong low, exponent;

    if (fmpz_is_zero(p))
        return true;
    if (!fmpz_is_one(q) && (slong)fmpz_val2(q) + 1 != (slong)fmpz_bits(q))
        return false; /* the denominator is no power of two */
    /* x = odd * 2^low, 2^exponent <= |x| < 2^(exponent + 1) */
    low = (slong)fmpz_val2(p) - (slong)fmpz_val2(q);
    exponent = (slong)fmpz_bits(p) - 1 - (slong)fmpz_val2(q);
    if (exponent - low >= format->precision)
        return false;
    return !format->bounded ||
           (exponent <= format->emax && low >= format->emin - format->precision + 1);
}

static bool represents_fractions(const attest_format *format, const fmpz *numerator,
                                 const fmpz_t denominator, size_t count)
{
    bool all = true;
    FMPQ(x);

    for (size_t i = 0; all && i < count; i++) {
        fmpq_set_fmpz_frac(x, numerator + i, denominator);
        all = attest_props_arithmetic_represents(format, x);
    }
    return all;
}

static bool represents_matrix(const attest_format *format, const attest_matrix *m)
{
    if (!m->factored)
        return represents_fractions(format, m->entry, m->denominator, m->rows * m->cols);
    return represents_fractions(format, m->u, m->u_denominator, m->rows) &&
           represents_fractions(format, m->v, m->v_denominator, m->cols);
}

static bool represents_tokens(const attest_format *format, const attest_tokens *tokens)
{
    bool all = true;
    FMPQ(x);

    for (size_t i = 0; all && i < tokens->count * tokens->dim; i++) {
        attest_tokens_get_entry(x, tokens, i / tokens->dim, i % tokens->dim);
        all = attest_props_arithmetic_represents(format, x);
    }
    return all;
}

bool attest_props_arithmetic_represents_instance(const attest_format *format,
                                                 const attest_instance *instance)
{
    const attest_weights *weights = &instance->weights;
    bool all = represents_tokens(format, &instance->dataset.tokens);

    for (size_t h = 0; all && h < weights->heads; h++) {
        const attest_head *head = weights->head + h;
        all = represents_matrix(format, &head->wq) && represents_matrix(format, &head->wk) &&
              represents_matrix(format, &head->wv) && represents_matrix(format, &head->wo);
    }
    return all;
}

static attest_status evaluate(mpfr_t *out, const attest_weights *weights,
                              const attest_sequence *sequence, const attest_setting *setting,
                              attest_error *error)
{
    size_t count = sequence->length * sequence->dim;
    attest_format format = attest_props_arithmetic_format(setting);

    if (setting->number != ATTEST_ARITHMETIC_DOUBLE)
        return attest_attention_mpfr(out, weights, sequence, &format, setting->round, error);
    double *values ATTEST_FREED = attest_memory_alloc(count, sizeof *values);
    if (!values)
        return ATTEST_NOMEM;
    ATTEST_TRY(attest_attention_double(values, weights, sequence, error));
    for (size_t i = 0; i < count; i++)
        mpfr_set_d(out[i], values[i], MPFR_RNDN);
    return ATTEST_OK;
}

mpfr_t *attest_props_arithmetic_outputs(const attest_instance *instance,
                                        const attest_setting *setting, attest_error *error)
{
    const attest_dataset *d = &instance->dataset;
    attest_format format = attest_props_arithmetic_format(setting);
    mpfr_t *out = attest_memory_alloc(d->total * d->dim, sizeof *out);
    ATTEST_SCOPED(attest_sequence, sequence);

    if (!out)
        return NULL;
    for (size_t i = 0; i < d->total * d->dim; i++)
        mpfr_init2(out[i], format.precision);
    for (size_t i = 0; i < d->count; i++)
        if (attest_dataset_get_sequence(&sequence, d, i, NULL, error) != ATTEST_OK ||
            evaluate(out + d->start[i] * d->dim, &instance->weights, &sequence, setting,
                     error) != ATTEST_OK) {
            attest_props_arithmetic_free(out, d);
            return NULL;
        }
    return out;
}

void attest_props_arithmetic_free(mpfr_t *out, const attest_dataset *dataset)
{
    for (size_t i = 0; out && i < dataset->total * dataset->dim; i++)
        mpfr_clear(out[i]);
    free(out);
}

enum { MOST_TOKENS = 5, MOST_DIM = 2 };

void attest_props_arithmetic_gen_number(fmpq_t x, struct theft *t, const attest_format *format,
                                        unsigned most)
{
    long p = format->precision;
    unsigned kind = (unsigned)theft_random_choice(t, 8);
    slong limit = p < 4 && (1L << p) - 1 < (long)most ? (1L << p) - 1 : (slong)most;

    fmpq_set_si(x, 1 + (slong)theft_random_choice(t, (uint64_t)limit), 1);
    if (kind == 7 && p >= 4) { /* 1 + k 2^(1-p) */
        fmpq_div_2exp(x, x, (flint_bitcnt_t)(p - 1));
        fmpq_add_si(x, x, 1);
    } else if (kind >= 5) {
        slong e = (slong)theft_random_choice(t, 9) - 4;
        if (e >= 0)
            fmpq_mul_2exp(x, x, (flint_bitcnt_t)e);
        else
            fmpq_div_2exp(x, x, (flint_bitcnt_t)-e);
    }
    if (theft_random_bits(t, 1))
        fmpq_neg(x, x);
    if (!attest_props_arithmetic_represents(format, x))
        fmpq_one(x);
}

static bool is_taken(const attest_vocabulary *v, size_t i)
{
    for (size_t j = 0; j < i; j++) {
        bool equal = true;
        for (size_t c = 0; c < v->dim; c++)
            equal = equal && fmpq_equal(v->entry + i * v->dim + c, v->entry + j * v->dim + c);
        if (equal)
            return true;
    }
    return false;
}

/* Draws distinct tokens without a zero entry; one that occurred before gets a power of two, a
 * number of every format, as its first entry. */
attest_status attest_props_arithmetic_gen_tokens(attest_vocabulary *v, struct theft *t,
                                                 const attest_format *format)
{
    v->dim = attest_gen_size(t, 1, MOST_DIM);
    v->count = attest_gen_size(t, 3, MOST_TOKENS);
    v->entry = attest_rationals_alloc(v->count * v->dim);
    if (!v->entry)
        return ATTEST_NOMEM;
    for (size_t i = 0; i < v->count; i++) {
        for (size_t c = 0; c < v->dim; c++)
            attest_props_arithmetic_gen_number(v->entry + i * v->dim + c, t, format, 12);
        for (ulong power = 0; is_taken(v, i); power++)
            fmpq_set_si(v->entry + i * v->dim, 1L << power, 1);
    }
    return ATTEST_OK;
}
