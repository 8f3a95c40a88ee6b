/* head_plan.c -- how one head is evaluated, by four products of matrices, and the work of that.
 */
#include "attention/head_plan.h"

#include <assert.h>

#include "number/scope.h"
#include <math.h>
#include "base/hint.h"
#include "base/scope.h"

static void append(attest_chain *chain, attest_factor factor)
{
    assert(chain->count < ATTEST_CHAIN_MAX);
    chain->factor[chain->count++] = factor;
}

/* Appends the matrix: itself, or v^T and then u. */
static void append_matrix(attest_chain *chain, const attest_matrix *matrix)
{
    size_t rows = matrix->rows, cols = matrix->cols;

    if (matrix->factored) {
        append(chain, (attest_factor){1, cols, cols, 1, matrix->v, matrix->v_denominator});
        append(chain, (attest_factor){rows, 1, 1, 1, matrix->u, matrix->u_denominator});
    } else {
        append(chain, (attest_factor){rows, cols, cols, 1, matrix->entry, matrix->denominator});
    }
}

static attest_factor transposed(attest_factor factor)
{
    return (attest_factor){factor.cols,     factor.rows,  factor.col_step,
                           factor.row_step, factor.entry, factor.denominator};
}

static void append_transposed(attest_chain *chain, const attest_chain *other)
{
    for (size_t i = other->count; i > 0; i--)
        append(chain, transposed(other->factor[i - 1]));
}

/* The number of entries between factor[position-1] and factor[position]. */
static size_t width_at(const attest_chain *chain, size_t position)
{
    return position == 0 ? chain->factor[0].cols : chain->factor[position - 1].rows;
}

/* Splits the chain before factor[position]. */
static void split(attest_chain *first, attest_chain *rest, const attest_chain *chain,
                  size_t position)
{
    first->count = rest->count = 0;
    for (size_t i = 0; i < chain->count; i++)
        append(i < position ? first : rest, chain->factor[i]);
}

void attest_head_plan_as_written(attest_head_plan *plan, const attest_head *head)
{
    plan->key.count = plan->query.count = plan->value.count = plan->output.count = 0;
    append_matrix(&plan->key, &head->wk);
    append_matrix(&plan->query, &head->wq);
    append_matrix(&plan->value, &head->wv);
    append_matrix(&plan->output, &head->wo);
    plan->score_width = head->wk.rows;
    plan->value_width = head->wv.rows;
}

/* narrow: cuts W_O W_V at its narrowest place, although W_O may then cancel digits. */
static void fold(attest_head_plan *plan, const attest_head *head, bool narrow)
{
    attest_chain key = {0}, form = {0}, mean = {0}, rest;
    size_t cut;

    /* The bilinear form W_K^T W_Q, cut at its narrowest place, by preference as written. */
    append_matrix(&form, &head->wq);
    cut = form.count;
    append_matrix(&key, &head->wk);
    append_transposed(&form, &key);
    for (size_t i = 0; i <= form.count; i++)
        if (width_at(&form, i) < width_at(&form, cut))
            cut = i;
    plan->score_width = width_at(&form, cut);
    split(&plan->query, &rest, &form, cut);
    plan->key.count = 0;
    append_transposed(&plan->key, &rest);

    /* W_O W_V, cut at the end or where it is a single number. */
    append_matrix(&mean, &head->wv);
    append_matrix(&mean, &head->wo);
    cut = mean.count;
    for (size_t i = 0; i < mean.count; i++)
        if (width_at(&mean, i) < width_at(&mean, cut) && (narrow || width_at(&mean, i) == 1))
            cut = i;
    plan->value_width = width_at(&mean, cut);
    split(&plan->value, &plan->output, &mean, cut);
}

void attest_head_plan_folded(attest_head_plan *plan, const attest_head *head)
{
    fold(plan, head, false);
}

void attest_head_plan_narrow(attest_head_plan *plan, const attest_head *head)
{
    fold(plan, head, true);
}

/* denominator = the product of the denominators of the chain's factors. */
static void chain_denominator(fmpz_t denominator, const attest_chain *chain)
{
    fmpz_one(denominator);
    for (size_t i = 0; i < chain->count; i++)
        fmpz_mul(denominator, denominator, chain->factor[i].denominator);
}

void attest_head_plan_denominators(fmpz_t score, fmpz_t output, const attest_head_plan *plan,
                                   const fmpz_t tokens)
{
    FMPZ(part);

    chain_denominator(score, &plan->key);
    chain_denominator(part, &plan->query);
    fmpz_mul(score, score, part);
    fmpz_mul(score, score, tokens);
    fmpz_mul(score, score, tokens);
    chain_denominator(output, &plan->value);
    chain_denominator(part, &plan->output);
    fmpz_mul(output, output, part);
    fmpz_mul(output, output, tokens);
}

void attest_head_plan_output_denominator(fmpz_t denominator, const attest_weights *weights,
                                         const fmpz_t tokens)
{
    attest_head_plan plan;
    FMPZ(score, output);

    fmpz_set(denominator, tokens);
    for (size_t h = 0; h < weights->heads; h++) {
        attest_head_plan_folded(&plan, &weights->head[h]);
        attest_head_plan_denominators(score, output, &plan, tokens);
        fmpz_lcm(denominator, denominator, output);
    }
}

static bool has_shape(const attest_matrix *matrix, size_t rows, size_t cols)
{
    return matrix->rows == rows && matrix->cols == cols;
}

attest_status attest_head_plan_check_plain(const attest_weights *weights, attest_error *error)
{
    if (weights->norm != ATTEST_NORM_NONE || attest_weights_have_form(weights))
        return attest_error_set(
            error, ATTEST_DOMAIN,
            "weights with a norm, positions or a softcap need data that were paired "
            "with them (attest_pairing_set)");
    if (weights->residual && weights->skip)
        return attest_error_set(
            error, ATTEST_DOMAIN,
            "the skip adds the tensor '%.100s': pair the data with the weights "
            "first (attest_pairing_set)",
            weights->residual);
    return ATTEST_OK;
}

attest_status attest_head_plan_check(const attest_weights *weights,
                                     const attest_sequence *sequence, attest_error *error)
{
    size_t d = weights->dim;

    ATTEST_TRY(attest_head_plan_check_plain(weights, error));
    if (d == 0 || weights->heads == 0)
        return attest_error_set(error, ATTEST_DOMAIN, "the weights have no heads");
    if (sequence->dim != d)
        return attest_error_set(error, ATTEST_DOMAIN,
                                "the tokens have %zu entries, the weights expect %zu",
                                sequence->dim, d);
    for (size_t h = 0; h < weights->heads; h++) {
        const attest_head *head = &weights->head[h];
        size_t s = head->wq.rows;
        if (s == 0 || !has_shape(&head->wq, s, d) || !has_shape(&head->wk, s, d) ||
            !has_shape(&head->wv, s, d) || !has_shape(&head->wo, d, s))
            return attest_error_set(error, ATTEST_DOMAIN,
                                    "head %zu: the shapes of the matrices do not fit together",
                                    h);
    }
    return ATTEST_OK;
}

/* The work of a layer. */

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
