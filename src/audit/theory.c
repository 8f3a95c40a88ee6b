/* theory.c -- the bits that Theorem 2 requires on a dataset. */
#include "audit/audit.h"
#include "number/scope.h"
#include "theory/theorem2.h"

/* The largest number of products of entries formed to find the closest pair of tokens. */
#define MOST_PRODUCTS 2e9

/* bound = the square root to 192 bits: the supremum, or infimum, of the bounds that hold. */
static void set_root(fmpq_t bound, const fmpq_t square)
{
    ARB(root);

    arb_set_fmpq(root, square, 256);
    arb_sqrt(root, root, 192);
    arf_get_fmpq(bound, arb_midref(root));
}

static const char *failing(const attest_dataset *dataset, const attest_separated *extremes)
{
    if (fmpq_is_zero(extremes->r_min_square))
        return "there is a zero token";
    if (!extremes->has_pair)
        return "all tokens are equal";
    if (!extremes->no_duplicates)
        return "a sequence has a token twice";
    if (dataset->longest < 2)
        return "no sequence has two tokens";
    return NULL;
}

/* The closed formula for these extremes. */
static void evaluate_formula(attest_audit_theory *theory, const attest_dataset *dataset,
                             const attest_separated *extremes)
{
    ATTEST_SCOPED(attest_construction, c);

    c.dim = dataset->dim;
    set_root(c.r_min.value, extremes->r_min_square);
    set_root(c.r_max.value, extremes->r_max_square);
    set_root(c.eps.value, extremes->eps_square);
    attest_theorem2_formula(&c, dataset->longest, dataset->tokens.count);
    theory->known = c.formula;
    arb_set(theory->delta, c.delta_formula);
    arb_set(theory->delta_log2, c.delta_formula_log2);
    fmpq_div_2exp(c.eps.value, c.eps.value, 2);
    fmpq_add(c.r_max.value, c.r_max.value, c.eps.value);
    arb_set_fmpq(theory->r, c.r_max.value, 192);
    c.dim = 0; /* nothing was built */
}

attest_status attest_audit_theory_get(attest_audit *audit, attest_error *error)
{
    const attest_dataset *dataset = audit->dataset;
    double tokens = (double)dataset->tokens.count;
    ATTEST_SCOPED(attest_separated, extremes);

    if (dataset->meant) {
        audit->theory.reason = "tokens depend on where they stand";
        return ATTEST_OK;
    }
    if (dataset->dim > 8 && tokens * tokens * (double)dataset->dim > MOST_PRODUCTS) {
        audit->theory.reason = "there are too many tokens to look at all pairs";
        return ATTEST_OK;
    }
    ATTEST_TRY(attest_separated_get(&extremes, dataset, error));
    audit->theory.reason = failing(dataset, &extremes);
    if (!audit->theory.reason)
        evaluate_formula(&audit->theory, dataset, &extremes);
    return ATTEST_OK;
}
