/* first_difference.c -- the method "first-difference": Lemma F over a whole dataset. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "certify/first_difference.h"
#include "number/rationals.h"
#include "number/scope.h"

enum { UNIT_LIMIT = 400 };

const char *attest_first_difference_objection(const attest_weights *weights)
{
    const char *reason;

    if (weights->activation != ATTEST_SOFTMAX)
        return "it is for softmax";
    if (weights->heads != 1)
        return "it is for one head";
    if (!attest_weights_skip_is_plain(weights))
        return "it needs the skip connection, of whole tokens";
    ATTEST_SCOPED(attest_rank_one, head, weights->dim);
    reason = attest_rank_one_set(&head, &weights->head[0]);
    return reason;
}

static void scan_init(attest_first_scan *scan, const attest_claim *claim)
{
    memset(scan, 0, sizeof *scan);
    scan->claim = claim;
    attest_rank_one_init(&scan->head, claim->weights->dim);
    arb_init(scan->norm_w);
    fmpq_init(scan->y.gap);
    fmpq_init(scan->a.gap);
}

static void scan_clear(attest_first_scan *scan)
{
    attest_rank_one_clear(&scan->head);
    arb_clear(scan->norm_w);
    attest_projection_clear(&scan->y);
    attest_projection_clear(&scan->a);
    attest_context_lists_clear(&scan->lists);
    free(scan->query);
}

/* scale, unit and |w| as doubles; false where they do not fit. */
static bool set_scales(attest_first_scan *scan)
{
    slong exponent =
        scan->y.exponent + (scan->head.parallel ? scan->y.exponent : scan->a.exponent);
    ARB(scale);
    ARF(above);

    if (scan->head.parallel)
        arb_set_fmpq(scale, scan->head.ratio, 64);
    else
        arb_one(scale);
    arb_abs(scale, scale);
    arb_mul_2exp_si(scale, scale, exponent);
    scan->scale = arf_get_d(arb_midref(scale), ARF_RND_NEAR);
    attest_rational_vector_norm(scan->norm_w, &scan->head.w, ATTEST_FIRST_BITS);
    arb_get_ubound_arf(above, scan->norm_w, 53);
    scan->norm_w_above = arf_get_d(above, ARF_RND_UP);
    if (labs(scan->y.exponent) > UNIT_LIMIT)
        return false;
    scan->unit = ldexp(1, (int)scan->y.exponent);
    return scan->scale > 0x1p-900 && scan->scale < 0x1p900 && scan->norm_w_above < 0x1p900;
}

/* Projections, order, gap, hypotheses. reason says which one fails. */
static attest_status prepare(attest_first_scan *scan, char *reason, size_t size,
                             attest_error *error)
{
    const attest_dataset *dataset = scan->claim->dataset;

    if (attest_rank_one_set(&scan->head, &scan->claim->weights->head[0]))
        return attest_error_set(error, ATTEST_DOMAIN, "the head has not rank 1");
    fmpq_clear(scan->y.gap); /* init begins anew */
    ATTEST_TRY(attest_projection_init(&scan->y, &dataset->tokens, &scan->head.v, error));
    if (attest_projection_sort(&scan->y) != ATTEST_OK)
        return attest_memory_fail(error);
    if (!scan->head.parallel) {
        fmpq_clear(scan->a.gap);
        ATTEST_TRY(attest_projection_init(&scan->a, &dataset->tokens, &scan->head.a, error));
    }
    if (!scan->y.injective) {
        snprintf(reason, size, "Lemma F does not apply: tokens %u and %u have equal scores",
                 scan->y.equal[0], scan->y.equal[1]);
        return ATTEST_OK;
    }
    if (!scan->y.has_gap || (scan->head.parallel && fmpq_is_zero(scan->head.ratio))) {
        snprintf(reason, size, "Lemma F does not apply: all scores are equal");
        return ATTEST_OK;
    }
    if (!set_scales(scan))
        return attest_error_set(error, ATTEST_UNABLE, "numbers beyond the range of doubles");
    return attest_first_set_queries(scan, reason, size, error);
}

static attest_status sort_contexts(attest_first_scan *scan, char *reason, size_t size,
                                   attest_error *error)
{
    bool causal = scan->claim->weights->mask == ATTEST_MASK_CAUSAL;

    ATTEST_TRY(attest_context_lists_init(&scan->lists, scan->claim->dataset, causal,
                                         scan->y.rank, error));
    if (scan->lists.repeats != SIZE_MAX) {
        snprintf(reason, size, "Lemma F does not apply: sequence %zu has a token twice",
                 attest_context_sequence(&scan->lists, scan->lists.repeats));
        return ATTEST_OK;
    }
    if (attest_first_scan_lists(scan) != ATTEST_OK)
        return attest_memory_fail(error);
    return ATTEST_OK;
}

/* proved, refuted or neither, from an enclosure of the least separation and of the largest
 * norm. */
static void conclude(attest_finding *finding, const attest_claim *claim, const arf_t low,
                     const arf_t high)
{
    int separation, norm = 1;
    ARF(norm_low, norm_high);

    separation = arf_is_nan(low) || arf_is_nan(high)                     ? 0
                 : attest_rationals_compare_arf(low, claim->delta) > 0   ? 1
                 : attest_rationals_compare_arf(high, claim->delta) <= 0 ? -1
                                                                         : 0;
    if (claim->has_r) {
        arb_get_lbound_arf(norm_low, finding->max_norm, ATTEST_FIRST_BITS);
        arb_get_ubound_arf(norm_high, finding->max_norm, ATTEST_FIRST_BITS);
        norm = !arb_is_finite(finding->max_norm)                       ? 0
               : attest_rationals_compare_arf(norm_high, claim->r) < 0 ? 1
               : attest_rationals_compare_arf(norm_low, claim->r) >= 0 ? -1
                                                                       : 0;
    }
    finding->part = ATTEST_CLAIM_NOTHING;
    finding->verdict = ATTEST_PROVED;
    if (separation < 0 || norm < 0) {
        finding->verdict = ATTEST_REFUTED;
        finding->part = separation < 0 ? ATTEST_CLAIM_SEPARATION : ATTEST_CLAIM_NORM;
    } else if (separation == 0 || norm == 0) {
        finding->verdict = ATTEST_UNDECIDED;
        finding->part = separation == 0 ? ATTEST_CLAIM_SEPARATION : ATTEST_CLAIM_NORM;
        snprintf(finding->reason, sizeof finding->reason,
                 "the bound lies within the enclosure that first differences give");
    }
}

/* Where the lemma decides nothing, no pair was compared. */
static void count_pairs(attest_finding *finding, const attest_contexts *contexts,
                        const attest_first_extremes *x)
{
    bool open = finding->verdict == ATTEST_UNDECIDED && finding->part != ATTEST_CLAIM_NORM;

    fmpz_zero(finding->by_exact);
    fmpz_set_ui(finding->by_ball, open ? 0 : x->evaluated);
    fmpz_sub(finding->by_filter, contexts->required_pairs, finding->by_ball);
    fmpz_zero(finding->undecided_pairs);
    if (open)
        fmpz_swap(finding->undecided_pairs, finding->by_filter);
}

/* Leaves a reason where Lemma F does not apply. */
static attest_status try_lemma(attest_first_extremes *x, attest_finding *finding,
                               attest_first_scan *scan, attest_error *error)
{
    char *reason = finding->reason;
    size_t size = sizeof finding->reason;

    ATTEST_TRY(prepare(scan, reason, size, error));
    if (!*reason)
        ATTEST_TRY(sort_contexts(scan, reason, size, error));
    if (!*reason)
        ATTEST_TRY(attest_first_find_separation(x, finding, scan, error));
    if (!*reason)
        ATTEST_TRY(attest_first_find_largest(finding, scan, error));
    if (!*reason)
        conclude(finding, scan->claim, x->low, x->high);
    return ATTEST_OK;
}

/* Lemma F over the dataset. Where it decides nothing, finding->reason is why. */
static attest_status apply_lemma(attest_first_extremes *x, attest_finding *finding,
                                 attest_first_scan *scan, attest_error *error)
{
    attest_status status = try_lemma(x, finding, scan, error);

    if (status == ATTEST_UNABLE) { /* doubles or memory do not serve: others may */
        snprintf(finding->reason, sizeof finding->reason, "%s",
                 error ? error->text : "beyond what doubles can tell");
        return ATTEST_OK;
    }
    return status;
}

attest_status attest_first_difference_decide(attest_finding *finding, const attest_claim *claim,
                                             const attest_contexts *contexts,
                                             attest_error *error)
{
    attest_first_scan *scan ATTEST_FREED = attest_memory_alloc(1, sizeof *scan);
    attest_status status = ATTEST_OK;
    attest_first_extremes x = {.evaluated = 0};

    if (!scan)
        return attest_memory_fail(error);
    scan_init(scan, claim);
    arf_init(x.low);
    arf_init(x.high);
    arf_init(x.named);
    arf_init(x.other);
    finding->verdict = ATTEST_UNDECIDED;
    finding->part = ATTEST_CLAIM_NOTHING;
    finding->precision_bits = ATTEST_FIRST_BITS;
    finding->reason[0] = '\0';
    if (finding->has_pair)
        status = apply_lemma(&x, finding, scan, error);
    count_pairs(finding, contexts, &x);
    scan_clear(scan);
    arf_clear(x.low);
    arf_clear(x.high);
    arf_clear(x.named);
    arf_clear(x.other);
    return status;
}
