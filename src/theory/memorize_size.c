/* memorize_size.c -- how large a memorisation is, and whether it is too large to be proved. */
#include <math.h>

#include "number/scope.h"
#include "theory/memorize_parts.h"

/* Scores reach over about so many bits: contexts differ by 2^-bits at worst. */
static double bits_expected(const attest_construction *c, const attest_tokens *tokens)
{
    double low = INFINITY, high = -INFINITY, size;
    FMPQ(along, entry);

    for (size_t t = 0; t < tokens->count; t++) {
        fmpq_zero(along);
        for (size_t e = 0; e < c->dim; e++) {
            attest_tokens_get_entry(entry, tokens, t, e);
            fmpq_addmul(along, entry, c->direction + e);
        }
        low = fmin(low, fmpq_get_d(along));
        high = fmax(high, fmpq_get_d(along));
    }
    size = fmax(fabs(low), fabs(high));
    fmpq_set(along, c->kappa);
    size *= fmpq_get_d(along) * (high - low) / log(2);
    return size;
}

attest_status attest_memorize_check_size(const attest_construction *construction,
                                         const attest_tokens *tokens,
                                         const attest_contexts *contexts, attest_error *error)
{
    double bits, work = 0;

    if (construction->strategy == ATTEST_STRATEGY_TUNED || contexts->count == 1)
        return ATTEST_OK;
    bits = bits_expected(construction, tokens);
    for (size_t j = 0; j < contexts->count; j++)
        work += contexts->context[j].seen;
    if (bits <= ATTEST_MEMORIZE_MOST_BITS && bits * work <= ATTEST_MEMORIZE_MOST_WORK)
        return ATTEST_OK;
    return attest_error_set(
        error, ATTEST_UNABLE,
        "strategy %s puts scores over a range of 2^%.1f bits, and a proof takes that precision "
        "in each of %.0f exponentials: the limits are 2^20 bits and 2^28 bits in all; use "
        "the strategy tuned",
        attest_strategy_name(construction->strategy), log2(bits), work);
}

/* steepest = the largest |entry| of W_2 in this group. */
static void get_steepest(fmpq_t steepest, const attest_units *units)
{
    FMPZ(most);

    for (size_t e = 0; e < units->count * units->dim; e++)
        if (fmpz_cmpabs(units->output + e, most) > 0)
            fmpz_abs(most, units->output + e);
    fmpq_set_fmpz_frac(steepest, most, units->output_denominator);
}

/* The same of all groups: ramps may be less steep than what cancels the skip. */
static void get_steepest_of_all(fmpq_t steepest, const attest_feed_forward *layer)
{
    FMPQ(own);

    fmpq_zero(steepest);
    for (size_t g = 0; g < layer->groups; g++) {
        get_steepest(own, &layer->group[g]);
        if (fmpq_cmp(own, steepest) > 0)
            fmpq_set(steepest, own);
    }
}

void attest_memorize_set_size(attest_memorization *m, const attest_dataset *dataset)
{
    uint64_t d = m->network.dim, s = 1, h = attest_feed_forward_units(&m->network.after);

    get_steepest_of_all(m->steepest, &m->network.after);
    m->hidden_units = (size_t)h;
    m->parameters = 4 * (s + d) + d * h;
    m->parameters_dense = 4 * s * d + 2 * d * h + h + d;
    m->paper_parameters =
        4 * (s + d) + d * (2 * (uint64_t)dataset->longest * (uint64_t)dataset->count + d);
}
