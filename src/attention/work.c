/* work.c -- an estimate of the work of exact and ball evaluation of a layer. */
#include "attention/work.h"

#include <math.h>

#include "attention/head_plan.h"
#include "base/hint.h"
#include "base/scope.h"

/* The cost of an exponential in operations at its precision is EXP_OPERATIONS log2 b, measured
 * from 128 to 10^6 bits. */
enum { EXP_OPERATIONS = 16, LEAST_BITS = 64 };

double attest_work_operation(double bits)
{
    return bits < LEAST_BITS ? attest_work_operation(LEAST_BITS) : bits * log2(bits);
}

static double bits_of(const fmpz *entry, size_t count, size_t step)
{
    slong most = 1;

    for (size_t i = 0; i < count; i++) {
        slong bits = (slong)fmpz_bits(entry + i * step);
        most = bits > most ? bits : most;
    }
    return (double)most;
}

static double factor_bits(const attest_factor *factor)
{
    double most = (double)fmpz_bits(factor->denominator);

    for (size_t row = 0; row < factor->rows; row++)
        most = fmax(most, bits_of(factor->entry + row * factor->row_step, factor->cols,
                                  factor->col_step));
    return most;
}

/* Adds the work of applying the chain to a vector whose entries have *bits bits; sets *bits to
 * the bits of the result. */
static void add_chain(double *work, double *bits, const attest_chain *chain)
{
    for (size_t f = 0; f < chain->count; f++) {
        const attest_factor *factor = &chain->factor[f];

        *bits += factor_bits(factor);
        *work += (double)factor->rows * (double)factor->cols * attest_work_operation(*bits);
    }
}

double attest_work_estimate(const attest_weights *weights, const attest_sequence *sequence,
                            size_t queries, long bits)
{
    double n = (double)sequence->length, token, work = 0, query_count = (double)queries;

    token = fmax(bits_of(sequence->entry, sequence->length * sequence->dim, 1),
                 (double)fmpz_bits(sequence->denominator));
    for (size_t h = 0; h < weights->heads; h++) {
        double per_token = 0, per_query = 0, key = token, query = token, value = token, end;
        attest_head_plan plan;

        attest_head_plan_folded(&plan, &weights->head[h]);
        add_chain(&per_token, &key, &plan.key);
        add_chain(&per_token, &value, &plan.value);
        add_chain(&per_query, &query, &plan.query);
        end = bits ? (double)bits : value;
        per_query += n * (double)plan.score_width * attest_work_operation(key + query) +
                     n * (double)plan.value_width * attest_work_operation(end);
        if (weights->activation == ATTEST_SOFTMAX)
            per_query += n * EXP_OPERATIONS * log2(end + 2) * attest_work_operation(end);
        add_chain(&per_query, &end, &plan.output);
        work += n * per_token + query_count * per_query;
    }
    return work;
}

attest_status attest_work_charge(double *left, double work, attest_error *error)
{
    if (!(work <= *left))
        return attest_error_set(error, ATTEST_UNABLE,
                                "about %.1e operations on bits are " ATTEST_HINT_WORK, work);
    *left -= work;
    return ATTEST_OK;
}

attest_status attest_work_charge_sequences(double *left, const attest_weights *weights,
                                           const attest_dataset *dataset,
                                           const size_t *sequence, size_t sequences, long bits,
                                           attest_budget *budget, attest_error *error)
{
    double work = 0;
    ATTEST_SCOPED(attest_sequence, own);

    for (size_t i = 0; i < sequences; i++) {
        ATTEST_TRY(attest_dataset_get_sequence(&own, dataset, sequence ? sequence[i] : i,
                                               budget, error));
        work += attest_work_estimate(weights, &own, own.length, bits);
    }
    return attest_work_charge(left, work, error);
}
