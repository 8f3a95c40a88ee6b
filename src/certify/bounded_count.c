/* bounded_count.c -- which required pairs doubles alone compare with delta. Counted for the
 * finding; nothing is decided here. */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "certify/bounded.h"
#include "number/scope.h"

/* Doubles around bound / 2^exponent. They serve to count, not to decide. */
static void get_bound(double *lower, double *upper, const fmpq_t bound, slong exponent)
{
    ARB(ball);
    ARF(end);

    arb_set_fmpq(ball, bound, 64);
    arb_mul_2exp_si(ball, ball, -exponent);
    arb_get_lbound_arf(end, ball, 64);
    *lower = arf_get_d(end, ARF_RND_DOWN);
    arb_get_ubound_arf(end, ball, 64);
    *upper = arf_get_d(end, ARF_RND_UP);
}

/* pairs = the number of pairs of different classes among contexts, size[g] of class g. */
static void count_between(fmpz_t pairs, const size_t *size, size_t classes)
{
    size_t contexts = 0;
    FMPZ(inside);

    fmpz_zero(pairs);
    for (size_t g = 0; g < classes; g++) {
        fmpz_bin_uiui(inside, size[g], 2);
        fmpz_sub(pairs, pairs, inside);
        contexts += size[g];
    }
    fmpz_bin_uiui(inside, contexts, 2);
    fmpz_add(pairs, pairs, inside);
}

/* pairs = how many pairs of contexts of different classes have one that is evaluated. */
static attest_status count_evaluated(fmpz_t pairs, const attest_search *search,
                                     const attest_bounded *doubles, attest_error *error)
{
    const attest_contexts *contexts = search->outputs.contexts;
    size_t *all ATTEST_FREED = attest_memory_alloc(contexts->classes, sizeof *all);
    size_t *bounded ATTEST_FREED = attest_memory_alloc(contexts->classes, sizeof *bounded);
    bool ok = all && bounded;
    FMPZ(n);

    for (size_t p = 0; ok && p < contexts->count; p++) {
        all[contexts->context[p].group]++;
        bounded[contexts->context[p].group] += !doubles->evaluated[p];
    }
    if (ok) {
        count_between(pairs, all, contexts->classes);
        count_between(n, bounded, contexts->classes);
        fmpz_sub(pairs, pairs, n);
    }
    return ok ? ATTEST_OK : attest_memory_fail(error);
}

/* open = how many required pairs doubles did not compare with delta: those with an output that
 * they do not bound, and candidates. A pair of contexts counts once; where there are too many
 * candidates to be listed all required pairs count. */
static attest_status count_open(fmpz_t open, const attest_search *search,
                                const attest_bounded *doubles, const attest_claim *claim,
                                const attest_finding *finding, attest_error *error)
{
    attest_status status = count_evaluated(open, search, doubles, error);
    double lower, upper, delta[2];

    get_bound(&delta[0], &delta[1], claim->delta, search->cloud.exponent);
    for (size_t i = 0; i < search->candidates.pairs; i++) {
        const attest_candidate *pair = &search->candidates.pair[i];
        attest_cloud_distance(&lower, &upper, &search->cloud, pair->first, pair->second);
        if (!doubles->evaluated[pair->first] && !doubles->evaluated[pair->second] &&
            lower <= delta[1] && upper > delta[0])
            fmpz_add_ui(open, open, 1);
    }
    if (!search->candidates.complete)
        fmpz_set(open, finding->required_pairs);
    return status;
}

/* Whether doubles do not compare the largest norm with r. */
static bool norm_is_open(const attest_search *search, const attest_bounded *doubles,
                         const attest_claim *claim)
{
    double lower, upper, most[2] = {0, 0}, r[2];
    bool evaluated = false;

    if (!claim->has_r)
        return false;
    get_bound(&r[0], &r[1], claim->r, search->cloud.exponent);
    for (size_t p = 0; p < search->cloud.count; p++) {
        attest_cloud_norm(&lower, &upper, &search->cloud, p);
        most[0] = fmax(most[0], lower);
        most[1] = fmax(most[1], upper);
        evaluated = evaluated || doubles->evaluated[p];
    }
    return evaluated || (most[1] >= r[0] && most[0] < r[1]);
}

/* Parts the required pairs into those that doubles compared with delta and the others. */
static void count_pairs(attest_finding *finding, const fmpz_t open)
{
    if (fmpz_cmp(finding->by_exact, open) > 0)
        fmpz_set(finding->by_exact, open);
    fmpz_sub(finding->by_ball, open, finding->by_exact);
    fmpz_sub(finding->by_ball, finding->by_ball, finding->undecided_pairs);
    if (fmpz_sgn(finding->by_ball) < 0)
        fmpz_zero(finding->by_ball);
    fmpz_sub(finding->by_filter, finding->required_pairs, finding->by_exact);
    fmpz_sub(finding->by_filter, finding->by_filter, finding->by_ball);
    fmpz_sub(finding->by_filter, finding->by_filter, finding->undecided_pairs);
}

attest_status attest_bounded_count(attest_finding *finding, bool *open,
                                   const attest_claim *claim, const attest_search *search,
                                   const attest_bounded *doubles, attest_error *error)
{
    FMPZ(pairs);

    ATTEST_TRY(count_open(pairs, search, doubles, claim, finding, error));
    count_pairs(finding, pairs);
    *open = !fmpz_is_zero(pairs) || norm_is_open(search, doubles, claim);
    return ATTEST_OK;
}
