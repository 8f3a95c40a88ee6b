/* first_difference_norm.c -- the largest norm of an output, from candidates. */
#include <math.h>
#include <stdlib.h>

#include "certify/first_difference.h"
#include "number/scope.h"
#include "theory/separated_parts.h"

/* Encloses |x + w m| for a position. */
static attest_status enclose_norm(arb_t norm, const attest_first_scan *scan,
                                  const attest_first_norm *place, attest_error *error)
{
    const attest_rational_vector *w = &scan->head.w;
    ARB(mean, entry, x);
    FMPQ(exact);

    ATTEST_TRY(attest_first_mean(mean, scan, place->token, place->list, error));
    arb_zero(norm);
    for (size_t c = 0; c < scan->head.dim; c++) {
        attest_tokens_get_entry(exact, scan->y.tokens, place->token, c);
        arb_set_fmpq(x, exact, ATTEST_FIRST_BITS);
        arb_mul_fmpz(entry, mean, w->numerator + c, ATTEST_FIRST_BITS);
        arb_div_fmpz(entry, entry, w->denominator, ATTEST_FIRST_BITS);
        arb_add(entry, entry, x, ATTEST_FIRST_BITS);
        arb_addmul(norm, entry, entry, ATTEST_FIRST_BITS);
    }
    arb_sqrtpos(norm, norm, ATTEST_FIRST_BITS); /* a ball around 0 has a root, too */
    return ATTEST_OK;
}

static int compare_norms(const void *left, const void *right)
{
    const attest_first_norm *a = left, *b = right;

    if (a->bound != b->bound)
        return a->bound > b->bound ? -1 : 1;
    return (a->list > b->list) - (a->list < b->list);
}

/* bound = max |x| + |w| max |v.x|, rounded up: no output is longer. */
static void bound_all(arf_t bound, const attest_first_scan *scan)
{
    const attest_tokens *tokens = scan->y.tokens;
    ATTEST_SCOPED(attest_rational_vector, x, tokens->dim);
    FMPQ(value, largest);
    ARB(norm, along);

    for (size_t t = 0; t < tokens->count; t++) {
        attest_token_vector_set(&x, tokens, t);
        attest_rational_vector_norm_square(value, &x);
        if (fmpq_cmp(value, largest) > 0)
            fmpq_set(largest, value);
    }
    arb_set_fmpq(norm, largest, ATTEST_FIRST_BITS);
    arb_sqrt(norm, norm, ATTEST_FIRST_BITS);
    attest_projection_get(largest, &scan->y, scan->y.token[0]);
    attest_projection_get(value, &scan->y, scan->y.token[tokens->count - 1]);
    fmpq_abs(largest, largest);
    fmpq_abs(value, value);
    arb_set_fmpq(along, fmpq_cmp(value, largest) > 0 ? value : largest, ATTEST_FIRST_BITS);
    arb_addmul(norm, along, scan->norm_w, ATTEST_FIRST_BITS);
    arb_get_ubound_arf(bound, norm, ATTEST_FIRST_BITS);
}

/* bound = a bound of the norms at positions that found no room. Where it is beyond doubles, or
 * they do not tell it from r, and weights built for a promise have norms that close to r, balls
 * over all tokens may. */
static void bound_dropped(arf_t bound, const attest_first_scan *scan)
{
    bool finite = isfinite(scan->dropped_norm);
    FMPQ(exact);
    ARF(all);

    arf_set_d(bound, scan->dropped_norm);
    if (finite && !scan->claim->has_r)
        return;
    if (finite)
        arf_get_fmpq(exact, bound);
    if (!finite || fmpq_cmp(exact, scan->claim->r) >= 0) {
        bound_all(all, scan);
        if (arf_cmp(all, bound) < 0)
            arf_set(bound, all);
    }
}

/* The largest norm: positions in descending order of their bounds, until those are below what
 * was found. */
attest_status attest_first_find_largest(attest_finding *finding, attest_first_scan *scan,
                                        attest_error *error)
{
    ARF(low, high, best_low, best_high, bound);
    ARB(norm);

    qsort(scan->norm, scan->norms, sizeof *scan->norm, compare_norms);
    for (size_t i = 0; i < scan->norms; i++) {
        arf_set_d(bound, scan->norm[i].bound);
        if (i > 0 && arf_cmp(bound, best_low) < 0)
            break;
        ATTEST_TRY(enclose_norm(norm, scan, &scan->norm[i], error));
        arb_get_lbound_arf(low, norm, ATTEST_FIRST_BITS);
        arb_get_ubound_arf(high, norm, ATTEST_FIRST_BITS);
        if (!arb_is_finite(norm)) { /* nothing is known: NaN would be passed over */
            arf_zero(low);
            arf_pos_inf(high);
        }
        if (i == 0 || arf_cmp(low, best_low) > 0) {
            arf_set(best_low, low);
            finding->largest =
                attest_first_place(scan, scan->norm[i].token, scan->norm[i].list);
        }
        if (i == 0 || arf_cmp(high, best_high) > 0)
            arf_set(best_high, high);
    }
    bound_dropped(bound, scan);
    if (arf_cmp(bound, best_high) > 0)
        arf_set(best_high, bound);
    arb_set_interval_arf(finding->max_norm, best_low, best_high, ATTEST_FIRST_BITS);
    return ATTEST_OK;
}
