/* bound_hardmax.c -- the a priori bound for the mean of the keys that win.
 *
 * proofs-notes/audit.md, "Hardmax". */
#include "audit/bound_setup.h"
#include "base/term.h"
#include "number/scope.h"

/* Returns the bits of the largest numerator if the denominator is a power of two, else -1. */
static long bits_of(const fmpz *entry, size_t count, const fmpz_t denominator)
{
    slong bits = _fmpz_vec_max_bits(entry, (slong)count);

    if (fmpz_val2(denominator) + 1 != fmpz_bits(denominator))
        return -1;
    return FLINT_ABS(bits);
}

static long token_bits(const bound *b)
{
    FMPZ_VEC(numerator, (slong)b->dim);
    FMPZ(denominator);
    long most = 0, finest = 0;

    for (int pass = 0; pass < 2 && most >= 0; pass++)
        for (size_t t = 0; t < b->tokens && most >= 0; t++) {
            long bits, fine;
            attest_tokens_get(numerator, denominator, &b->request->dataset->tokens,
                              b->token[t]);
            bits = bits_of(numerator, b->dim, denominator);
            fine = (long)fmpz_bits(denominator) - 1;
            if (bits < 0)
                most = -1;
            else if (pass == 0)
                finest = fine > finest ? fine : finest;
            else
                most = bits + finest - fine > most ? bits + finest - fine : most;
        }
    return most;
}

/* Returns the bits by which a sum of this many terms may exceed its largest term. */
static long sum_bits(size_t terms)
{
    return (long)FLINT_BIT_COUNT(terms - 1);
}

/* Returns the bits of the largest numerator that a chain computes from numerators of at most
 * `bits` bits; -1: a denominator is not a power of two. */
static long chain_bits(const attest_chain *map, long bits)
{
    for (size_t f = 0; f < map->count && bits >= 0; f++) {
        const attest_factor *m = &map->factor[f];
        long own = bits_of(m->entry, m->rows * m->cols, m->denominator);
        bits = own < 0 ? -1 : bits + own + sum_bits(m->cols);
    }
    return bits;
}

void attest_audit_bound_exact_scores(bound *b)
{
    long tokens = b->model->exact_bits > 0 ? token_bits(b) : -1;

    for (size_t h = 0; tokens >= 0 && h < b->weights->heads; h++) {
        attest_head_plan plan;
        long key, query;
        attest_head_plan_as_written(&plan, &b->weights->head[h]);
        key = chain_bits(&plan.key, tokens);
        query = chain_bits(&plan.query, tokens);
        b->head[h].exact_scores =
            key >= 0 && query >= 0 &&
            key + query + sum_bits(plan.score_width) <= b->model->exact_bits;
    }
}

/* Returns a bound on |value - computed|. */
static double reach(size_t j, const bound *b)
{
    return (ATTEST_TERM(winners_slip, b->score.slip[j]) +
            ATTEST_TERM(winners_error, b->model->u * b->score.error[j])) *
           OUTWARD;
}

/* Lists in b->winner the keys that may win and returns how many; 0: a score has no bound.
 * Rounding is monotone, so intervals that intersect do so as doubles. */
static size_t list_winners(const uint32_t *token, size_t visible, const bound *b)
{
    double low = -INFINITY;
    size_t count = 0;

    for (size_t j = 0; j < visible; j++) {
        if (!(b->score.error[j] < INFINITY))
            return 0;
        low = fmax(low, b->score.value[j] - reach(j, b));
    }
    for (size_t j = 0; j < visible; j++)
        if (!(b->score.value[j] + reach(j, b) < low))
            b->winner[count++] = b->local[token[j]] - 1u;
    return count;
}

/* Returns the distance in the model's units. It does not shrink with the width, unlike a
 * rounding error. */
static double jump_of(double distance, const attest_audit_model *model)
{
    return model->unit_bits > 1000 ? INFINITY
                                   : ldexp(distance * OUTWARD, (int)model->unit_bits);
}

void attest_audit_bound_winners(const bound_head *d, const uint32_t *token, size_t visible,
                                const bound *b)
{
    const attest_audit_model *model = b->model;
    size_t count = list_winners(token, visible, b), width = d->value_width, most_count;
    bool one = true;
    double u = model->u, g, factor;

    for (size_t i = 1; i < count; i++)
        one = one && b->winner[i] == b->winner[0];
    most_count = b->weights->ties == ATTEST_TIES_LEFTMOST ? 1 : count;
    g = attest_audit_bound_growth(model, (double)most_count - (model->accumulates ? 0 : 1));
    factor = (1 + u * g) / (1 - u * g) * OUTWARD;
    for (size_t c = 0; c < width; c++) {
        double size = 0, error = 0, low = INFINITY, high = -INFINITY, computed, jump;
        for (size_t i = 0; i < count; i++) {
            size_t at = b->winner[i] * width + c;
            double value = d->values.value[at], slip = d->values.slip[at];
            size = fmax(size, fabs(value) + slip);
            error = isnan(d->values.error[at]) ? INFINITY : fmax(error, d->values.error[at]);
            low = fmin(low, value - slip);
            high = fmax(high, value + slip);
        }
        jump = one || d->exact_scores ? 0 : jump_of(high - low, model);
        computed = (size + u * error) * OUTWARD;
        b->mean.value[c] = 0;
        b->mean.slip[c] = size;
        b->mean.error[c] = (jump + error + g * computed * (1 + factor) +
                            (most_count > 1 ? computed * factor + model->tiny : 0) +
                            (model->accumulates ? 2 * model->tiny : 0)) *
                           OUTWARD;
        if (count == 0 || !(u * g < 0.5) || !(u * model->tiny < 1) || /* the format has no 1 */
            !((double)most_count * fmax(1, computed) * factor <= model->most))
            b->mean.error[c] = INFINITY;
    }
}
