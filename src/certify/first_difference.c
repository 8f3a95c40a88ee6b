/* first_difference.c -- the method "first-difference": Lemma F over a whole dataset. The least
 * separation and the largest norm come from the candidates that the scan leaves. */
#include "certify/first_difference.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "number/rationals.h"
#include "number/scope.h"
#include "theory/separated.h"

/* The least separation, from the candidates. */
typedef struct extremes {
    arf_t low, high; /* ends of an enclosure of the least separation */
    arf_t named;     /* an upper end of that of the pair which is named */
    arf_t other;     /* a lower bound for different tokens */
    size_t evaluated;
} extremes;

static int compare_places(attest_place a, attest_place b)
{
    if (a.sequence != b.sequence)
        return a.sequence < b.sequence ? -1 : 1;
    return (a.position > b.position) - (a.position < b.position);
}

/* Names the event's pair, whose separation is at most high, unless the pair named so far
 * precedes it. */
static void name_pair(extremes *x, attest_finding *finding,
                      const attest_first_difference_scan *scan,
                      const attest_first_difference_event *event, const arf_t high,
                      bool replace)
{
    attest_place one = attest_first_difference_place(scan, event->token, event->before),
                 two = attest_first_difference_place(scan, event->token, event->after), swap;
    int order;

    if (compare_places(one, two) > 0) {
        swap = one;
        one = two;
        two = swap;
    }
    order = compare_places(one, finding->pair[0]);
    if (!replace && (order > 0 || (order == 0 && compare_places(two, finding->pair[1]) >= 0)))
        return;
    finding->pair[0] = one;
    finding->pair[1] = two;
    arf_set(x->named, high);
}

static int compare_events(const void *left, const void *right)
{
    const attest_first_difference_event *a = left, *b = right;

    if (a->bound != b->bound)
        return a->bound < b->bound ? -1 : 1;
    if (a->token != b->token)
        return a->token < b->token ? -1 : 1;
    return (a->after > b->after) - (a->after < b->after);
}

/* lower = |w| e^bound, rounded down: Lemma F's lower bound of the separation of an event.
 * The relative error of e^x is the absolute one of x: more bits for a large x, of which
 * there are at most 1024. */
static void promised(arf_t lower, const attest_first_difference_scan *scan, double bound)
{
    int more = 0;
    ARB(value);

    arb_set_d(value, bound);
    frexp(isfinite(bound) ? bound : 0, &more);
    arb_exp(value, value, ATTEST_FIRST_DIFFERENCE_BITS + (more > 0 ? more : 0));
    arb_mul(value, value, scan->norm_w, ATTEST_FIRST_DIFFERENCE_BITS);
    arb_get_lbound_arf(lower, value, ATTEST_FIRST_DIFFERENCE_BITS);
}

/* True if the separation is at least Lemma F's bound; otherwise the bound is computed
 * wrongly. */
static bool keeps_promise(const attest_first_difference_scan *scan,
                          const attest_first_difference_event *event, const arb_t separation)
{
    ARB(log, promised);

    arb_div(log, separation, scan->norm_w, ATTEST_FIRST_DIFFERENCE_BITS);
    arb_log(log, log, ATTEST_FIRST_DIFFERENCE_BITS);
    arb_set_d(promised, event->bound);
    return !arb_lt(log, promised);
}

/* Encloses the separation of one candidate and updates the least. */
static attest_status evaluate_event(extremes *x, attest_finding *finding,
                                    const attest_first_difference_scan *scan,
                                    const attest_first_difference_event *event,
                                    attest_error *error)
{
    ARB(separation);
    ARF(low, high);

    ATTEST_TRY(attest_first_difference_separation(separation, scan, event, error));
    assert(keeps_promise(scan, event, separation));
    arb_get_lbound_arf(low, separation, ATTEST_FIRST_DIFFERENCE_BITS);
    arb_get_ubound_arf(high, separation, ATTEST_FIRST_DIFFERENCE_BITS);
    if (!arb_is_finite(separation)) { /* the ends may be NaN, which comparisons ignore */
        arf_zero(low);
        arf_pos_inf(high);
    }
    if (x->evaluated == 0 || arf_cmp(high, x->low) < 0)
        name_pair(x, finding, scan, event, high, true); /* less than all others so far */
    else if (arf_cmp(low, x->high) <= 0)
        name_pair(x, finding, scan, event, high, false);
    if (x->evaluated == 0 || arf_cmp(low, x->low) < 0)
        arf_set(x->low, low);
    if (x->evaluated == 0 || arf_cmp(high, x->high) < 0)
        arf_set(x->high, high);
    x->evaluated++;
    return ATTEST_OK;
}

/* Evaluates the candidates in ascending order of their bounds, until a bound exceeds the
 * least separation. */
static attest_status find_least(extremes *x, attest_finding *finding,
                                attest_first_difference_scan *scan, attest_error *error)
{
    ARF(lower);

    qsort(scan->event, scan->events, sizeof *scan->event, compare_events);
    for (size_t e = 0; e < scan->events; e++) {
        promised(lower, scan, scan->event[e].bound);
        if (x->evaluated > 0 && arf_cmp(lower, x->high) > 0)
            break;
        ATTEST_TRY(evaluate_event(x, finding, scan, &scan->event[e], error));
    }
    if (scan->dropped_event < INFINITY && x->evaluated == scan->events) {
        promised(lower, scan, scan->dropped_event);
        if (arf_cmp(lower, x->low) < 0)
            arf_set(x->low, lower);
    }
    /* The first of the pairs whose enclosures overlap is named: include its separation. */
    if (arf_cmp(x->named, x->high) > 0)
        arf_set(x->high, x->named);
    return attest_first_difference_witness(&finding->witness, scan, &scan->event[0], error);
}

/* If no token has two contexts: the separation of the two tokens that are closest along v. */
static attest_status use_tokens(extremes *x, attest_finding *finding,
                                const attest_first_difference_scan *scan, attest_error *error)
{
    uint32_t list[2] = {0, 0};
    ARB(first, second, square, entry, token);
    arb_ptr mean[2] = {first, second};
    FMPQ(exact);

    for (int side = 0; side < 2; side++) {
        size_t place = 0;

        while (scan->claim->dataset->token[place] != scan->y.close[side])
            place++;
        while (!scan->lists.causal && scan->claim->dataset->start[list[side] + 1] <= place)
            list[side]++;
        if (scan->lists.causal)
            list[side] = (uint32_t)place;
        finding->pair[side] =
            attest_first_difference_place(scan, scan->y.close[side], list[side]);
        ATTEST_TRY(attest_first_difference_mean(mean[side], scan, scan->y.close[side],
                                                list[side], error));
    }
    if (compare_places(finding->pair[0], finding->pair[1]) > 0) {
        attest_place swap = finding->pair[0];

        finding->pair[0] = finding->pair[1];
        finding->pair[1] = swap;
    }
    arb_sub(mean[0], mean[0], mean[1], ATTEST_FIRST_DIFFERENCE_BITS);
    for (size_t c = 0; c < scan->head.dim; c++) {
        arb_mul_fmpz(entry, mean[0], scan->head.w.numerator + c, ATTEST_FIRST_DIFFERENCE_BITS);
        arb_div_fmpz(entry, entry, scan->head.w.denominator, ATTEST_FIRST_DIFFERENCE_BITS);
        for (int side = 0; side < 2; side++) {
            attest_tokens_get_entry(exact, scan->y.tokens, scan->y.close[side], c);
            if (side)
                fmpq_neg(exact, exact);
            arb_set_fmpq(token, exact, ATTEST_FIRST_DIFFERENCE_BITS);
            arb_add(entry, entry, token, ATTEST_FIRST_DIFFERENCE_BITS);
        }
        arb_addmul(square, entry, entry, ATTEST_FIRST_DIFFERENCE_BITS);
    }
    arb_sqrtpos(square, square, ATTEST_FIRST_DIFFERENCE_BITS); /* the ball may contain 0 */
    arb_get_ubound_arf(x->high, square, ATTEST_FIRST_DIFFERENCE_BITS);
    arf_set(x->low, x->high);
    return ATTEST_OK;
}

/* The enclosure of the least separation over all required pairs. */
static attest_status find_separation(extremes *x, attest_finding *finding,
                                     attest_first_difference_scan *scan, attest_error *error)
{
    ATTEST_TRY(scan->events > 0 ? find_least(x, finding, scan, error)
                                : use_tokens(x, finding, scan, error));
    ATTEST_TRY(attest_first_difference_bound_tokens(x->other, scan, x->high, error));
    if (arf_cmp(x->other, x->low) < 0)
        arf_set(x->low, x->other);
    arb_set_interval_arf(finding->min_separation, x->low, x->high,
                         ATTEST_FIRST_DIFFERENCE_BITS);
    return ATTEST_OK;
}

/* Encloses |x + w m| for a position. */
static attest_status enclose_norm(arb_t norm, const attest_first_difference_scan *scan,
                                  const attest_first_difference_norm *place,
                                  attest_error *error)
{
    const attest_rational_vector *w = &scan->head.w;
    ARB(mean, entry, x);
    FMPQ(exact);

    ATTEST_TRY(attest_first_difference_mean(mean, scan, place->token, place->list, error));
    arb_zero(norm);
    for (size_t c = 0; c < scan->head.dim; c++) {
        attest_tokens_get_entry(exact, scan->y.tokens, place->token, c);
        arb_set_fmpq(x, exact, ATTEST_FIRST_DIFFERENCE_BITS);
        arb_mul_fmpz(entry, mean, w->numerator + c, ATTEST_FIRST_DIFFERENCE_BITS);
        arb_div_fmpz(entry, entry, w->denominator, ATTEST_FIRST_DIFFERENCE_BITS);
        arb_add(entry, entry, x, ATTEST_FIRST_DIFFERENCE_BITS);
        arb_addmul(norm, entry, entry, ATTEST_FIRST_DIFFERENCE_BITS);
    }
    arb_sqrtpos(norm, norm, ATTEST_FIRST_DIFFERENCE_BITS); /* the ball may contain 0 */
    return ATTEST_OK;
}

static int compare_norms(const void *left, const void *right)
{
    const attest_first_difference_norm *a = left, *b = right;

    if (a->bound != b->bound)
        return a->bound > b->bound ? -1 : 1;
    return (a->list > b->list) - (a->list < b->list);
}

/* bound = max |x| + |w| max |v.x|, rounded up: at least the norm of every output. */
static void bound_all(arf_t bound, const attest_first_difference_scan *scan)
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
    arb_set_fmpq(norm, largest, ATTEST_FIRST_DIFFERENCE_BITS);
    arb_sqrt(norm, norm, ATTEST_FIRST_DIFFERENCE_BITS);
    attest_projection_get(largest, &scan->y, scan->y.token[0]);
    attest_projection_get(value, &scan->y, scan->y.token[tokens->count - 1]);
    fmpq_abs(largest, largest);
    fmpq_abs(value, value);
    arb_set_fmpq(along, fmpq_cmp(value, largest) > 0 ? value : largest,
                 ATTEST_FIRST_DIFFERENCE_BITS);
    arb_addmul(norm, along, scan->norm_w, ATTEST_FIRST_DIFFERENCE_BITS);
    arb_get_ubound_arf(bound, norm, ATTEST_FIRST_DIFFERENCE_BITS);
}

/* bound = an upper bound of the norms at positions that were not kept. If it overflows, or
 * is not below r (constructed weights have norms that close to r), a bound in balls over all
 * tokens may be lower. */
static void bound_dropped(arf_t bound, const attest_first_difference_scan *scan)
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

/* Evaluates positions in descending order of their bounds, until a bound is below the
 * largest norm. */
static attest_status find_largest(attest_finding *finding, attest_first_difference_scan *scan,
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
        arb_get_lbound_arf(low, norm, ATTEST_FIRST_DIFFERENCE_BITS);
        arb_get_ubound_arf(high, norm, ATTEST_FIRST_DIFFERENCE_BITS);
        if (!arb_is_finite(norm)) { /* the ends may be NaN, which comparisons ignore */
            arf_zero(low);
            arf_pos_inf(high);
        }
        if (i == 0 || arf_cmp(low, best_low) > 0) {
            arf_set(best_low, low);
            finding->largest =
                attest_first_difference_place(scan, scan->norm[i].token, scan->norm[i].list);
        }
        if (i == 0 || arf_cmp(high, best_high) > 0)
            arf_set(best_high, high);
    }
    bound_dropped(bound, scan);
    if (arf_cmp(bound, best_high) > 0)
        arf_set(best_high, bound);
    arb_set_interval_arf(finding->max_norm, best_low, best_high, ATTEST_FIRST_DIFFERENCE_BITS);
    return ATTEST_OK;
}

enum { UNIT_LIMIT = 400 };

const char *attest_first_difference_objection(const attest_weights *weights)
{
    const char *reason;

    if (weights->activation != ATTEST_SOFTMAX)
        return "it needs softmax weights";
    if (weights->heads != 1)
        return "it needs a single head";
    if (!attest_weights_skip_is_plain(weights))
        return "it needs a skip connection that adds whole tokens";
    ATTEST_SCOPED(attest_rank_one, head, weights->dim);
    reason = attest_rank_one_set(&head, &weights->head[0]);
    return reason;
}

static void scan_init(attest_first_difference_scan *scan, const attest_claim *claim)
{
    memset(scan, 0, sizeof *scan);
    scan->claim = claim;
    attest_rank_one_init(&scan->head, claim->weights->dim);
    arb_init(scan->norm_w);
    fmpq_init(scan->y.gap);
    fmpq_init(scan->a.gap);
}

static void scan_clear(attest_first_difference_scan *scan)
{
    attest_rank_one_clear(&scan->head);
    arb_clear(scan->norm_w);
    attest_projection_clear(&scan->y);
    attest_projection_clear(&scan->a);
    attest_context_lists_clear(&scan->lists);
    free(scan->query);
}

/* Sets scale, unit and |w| as doubles; false if they are out of range. */
static bool set_scales(attest_first_difference_scan *scan)
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
    attest_rational_vector_norm(scan->norm_w, &scan->head.w, ATTEST_FIRST_DIFFERENCE_BITS);
    arb_get_ubound_arf(above, scan->norm_w, 53);
    scan->norm_w_above = arf_get_d(above, ARF_RND_UP);
    if (labs(scan->y.exponent) > UNIT_LIMIT)
        return false;
    scan->unit = ldexp(1, (int)scan->y.exponent);
    return scan->scale > 0x1p-900 && scan->scale < 0x1p900 && scan->norm_w_above < 0x1p900;
}

/* Sets projections, order and gap; writes to reason which hypothesis fails. */
static attest_status prepare(attest_first_difference_scan *scan, char *reason, size_t size,
                             attest_error *error)
{
    const attest_dataset *dataset = scan->claim->dataset;

    if (attest_rank_one_set(&scan->head, &scan->claim->weights->head[0]))
        return attest_error_set(error, ATTEST_DOMAIN, "the head does not have rank 1");
    fmpq_clear(scan->y.gap); /* init initialises it again */
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
        return attest_error_set(error, ATTEST_UNABLE,
                                "numbers are beyond the range of doubles");
    return attest_first_difference_set_queries(scan, reason, size, error);
}

static attest_status sort_contexts(attest_first_difference_scan *scan, char *reason,
                                   size_t size, attest_error *error)
{
    bool causal = scan->claim->weights->mask == ATTEST_MASK_CAUSAL;

    ATTEST_TRY(attest_context_lists_init(&scan->lists, scan->claim->dataset, causal,
                                         scan->y.rank, error));
    if (scan->lists.repeats != SIZE_MAX) {
        snprintf(reason, size, "Lemma F does not apply: sequence %zu has a token twice",
                 attest_context_sequence(&scan->lists, scan->lists.repeats));
        return ATTEST_OK;
    }
    if (attest_first_difference_scan_lists(scan) != ATTEST_OK)
        return attest_memory_fail(error);
    return ATTEST_OK;
}

/* Sets the verdict from the enclosures of the least separation and of the largest norm. */
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
        arb_get_lbound_arf(norm_low, finding->max_norm, ATTEST_FIRST_DIFFERENCE_BITS);
        arb_get_ubound_arf(norm_high, finding->max_norm, ATTEST_FIRST_DIFFERENCE_BITS);
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
                 "the bound lies within the enclosure by first differences");
    }
}

/* If the lemma did not decide the separation, no pair counts as compared. */
static void count_pairs(attest_finding *finding, const attest_contexts *contexts,
                        const extremes *x)
{
    bool open = finding->verdict == ATTEST_UNDECIDED && finding->part != ATTEST_CLAIM_NORM;

    fmpz_zero(finding->by_exact);
    fmpz_set_ui(finding->by_ball, open ? 0 : x->evaluated);
    fmpz_sub(finding->by_filter, contexts->required_pairs, finding->by_ball);
    fmpz_zero(finding->undecided_pairs);
    if (open)
        fmpz_swap(finding->undecided_pairs, finding->by_filter);
}

/* Sets the reason if Lemma F does not apply. */
static attest_status try_lemma(extremes *x, attest_finding *finding,
                               attest_first_difference_scan *scan, attest_error *error)
{
    char *reason = finding->reason;
    size_t size = sizeof finding->reason;

    ATTEST_TRY(prepare(scan, reason, size, error));
    if (!*reason)
        ATTEST_TRY(sort_contexts(scan, reason, size, error));
    if (!*reason)
        ATTEST_TRY(find_separation(x, finding, scan, error));
    if (!*reason)
        ATTEST_TRY(find_largest(finding, scan, error));
    if (!*reason)
        conclude(finding, scan->claim, x->low, x->high);
    return ATTEST_OK;
}

/* Applies Lemma F to the dataset. If that decides nothing, finding->reason contains the reason.
 */
static attest_status apply_lemma(extremes *x, attest_finding *finding,
                                 attest_first_difference_scan *scan, attest_error *error)
{
    attest_status status = try_lemma(x, finding, scan, error);

    if (status == ATTEST_UNABLE) { /* doubles or memory do not suffice; the next method may */
        snprintf(finding->reason, sizeof finding->reason, "%s",
                 error ? error->text : "beyond the accuracy of doubles");
        return ATTEST_OK;
    }
    return status;
}

attest_status attest_first_difference_decide(attest_finding *finding, const attest_claim *claim,
                                             const attest_contexts *contexts,
                                             attest_error *error)
{
    attest_first_difference_scan *scan ATTEST_FREED = attest_memory_alloc(1, sizeof *scan);
    attest_status status = ATTEST_OK;
    extremes x = {.evaluated = 0};

    if (!scan)
        return attest_memory_fail(error);
    scan_init(scan, claim);
    arf_init(x.low);
    arf_init(x.high);
    arf_init(x.named);
    arf_init(x.other);
    finding->verdict = ATTEST_UNDECIDED;
    finding->part = ATTEST_CLAIM_NOTHING;
    finding->precision_bits = ATTEST_FIRST_DIFFERENCE_BITS;
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
