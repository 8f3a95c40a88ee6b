/* audit.c -- an audit: one layer on one dataset, in many arithmetics. */
#include "audit/audit.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "audit/evaluate.h"
#include "base/memory.h"
#include "base/workers.h"
#include "format/simulate_in_double.h"
#include "judge/model.h"
#include "number/rationals.h"
#include "number/scope.h"

/* Limits on the sequences whose errors are measured, and on those measured stage by stage. */
enum { MOST_SAMPLED = 20000, MOST_STAGED = 128 };
#define STAGE_SECONDS 15.0

const char *attest_audit_verdict_name(attest_audit_verdict verdict)
{
    static const char *const name[] = {"survives", "fails", "collapses"};

    return name[verdict];
}

void attest_audit_init(attest_audit *audit)
{
    static const attest_format binary64 = {.name = "binary64", 53, true, -1022, 1023, 64};

    memset(audit, 0, sizeof *audit);
    attest_simulated_arithmetic_init(&audit->like, &binary64);
    fmpq_init(audit->r);
    fmpq_init(audit->delta);
    arf_init(audit->promise);
    audit->has_stages = audit->has_kernels = audit->has_curve = true;
    audit->jobs = 1;
    audit->max_work = ATTEST_CERTIFY_MAX_WORK;
    attest_audit_collapse_init(&audit->collapse);
    attest_audit_curve_init(&audit->curve);
    attest_contexts_init(&audit->classes);
    arb_init(audit->certified.min_separation);
    arb_init(audit->certified.max_norm);
    arb_init(audit->theory.r);
    arb_init(audit->theory.delta);
    arb_init(audit->theory.delta_log2);
}

void attest_audit_result_init(attest_audit_result *result,
                              const attest_simulated_arithmetic *arithmetic)
{
    *result = (attest_audit_result){.arithmetic = *arithmetic};
    attest_audit_collisions_init(&result->collisions);
    arb_init(result->min_separation);
    arb_init(result->max_norm);
}

void attest_audit_result_clear(attest_audit_result *result)
{
    attest_audit_collisions_clear(&result->collisions);
    attest_audit_deviation_clear(&result->deviation);
    arb_clear(result->min_separation);
    arb_clear(result->max_norm);
}

static void results_clear(attest_audit_result *result, size_t count)
{
    for (size_t i = 0; result && i < count; i++)
        attest_audit_result_clear(&result[i]);
    free(result);
}

void attest_audit_clear(attest_audit *audit)
{
    fmpq_clear(audit->r);
    fmpq_clear(audit->delta);
    arf_clear(audit->promise);
    attest_audit_collapse_clear(&audit->collapse);
    attest_audit_curve_clear(&audit->curve);
    attest_contexts_clear(&audit->classes);
    arb_clear(audit->certified.min_separation);
    arb_clear(audit->certified.max_norm);
    arb_clear(audit->theory.r);
    arb_clear(audit->theory.delta);
    arb_clear(audit->theory.delta_log2);
    attest_audit_reference_clear(&audit->reference);
    attest_audit_reference_clear(&audit->stage_reference);
    attest_audit_exact_weights_clear(&audit->exact_weights);
    results_clear(audit->result, audit->formats);
    results_clear(audit->kernel_result, 1);
    results_clear(audit->algorithm,
                  audit->compares ? audit->formats * ATTEST_AUDIT_ALGORITHMS : 0);
}

void attest_audit_algorithm(attest_simulated_arithmetic *arithmetic, size_t i)
{
    static const attest_simulated_softmax softmax[] = {
        ATTEST_SIMULATED_NAIVE, ATTEST_SIMULATED_SHIFTED, ATTEST_SIMULATED_ONLINE};

    arithmetic->softmax = softmax[i / 4];
    arithmetic->pairwise = i / 2 % 2;
    arithmetic->fma = i % 2;
}

/* Returns whether square > bound^2 (above), or square < bound^2 (not above). Exact. */
static bool beyond(const arf_t square, const fmpq_t bound, bool above)
{
    FMPQ(right);
    int order;

    fmpq_mul(right, bound, bound);
    order = attest_rationals_compare_arf(square, right);
    return above ? order > 0 : order < 0;
}

/* Returns whether outputs without a collision satisfy the claim. */
static bool claim_holds(const attest_audit *audit, const arf_t separation, const arf_t norm,
                        bool has_separation, bool finite)
{
    ARF(promised);

    if (has_separation) {
        if (!fmpq_is_zero(audit->delta) && !beyond(separation, audit->delta, true))
            return false;
        arf_mul(promised, audit->promise, audit->promise, ARF_PREC_EXACT, ARF_RND_DOWN);
        if (arf_cmp(separation, promised) <= 0)
            return false;
    }
    return !audit->has_r || (finite && beyond(norm, audit->r, false));
}

static void set_root(arb_t root, const arf_t square)
{
    arb_set_arf(root, square);
    arb_sqrt(root, root, 128);
}

/* Sets collisions, saturated entries, norm, separation and verdict. */
static attest_status judge(attest_audit_result *result, const attest_audit *audit,
                           const attest_audit_outputs *outputs, attest_error *error)
{
    ARF(separation, norm);

    ATTEST_TRY(
        attest_audit_collisions_get(&result->collisions, outputs, &audit->classes, error));
    ATTEST_TRY(attest_audit_spread_check(outputs, error));
    attest_audit_norm_get(norm, outputs);
    set_root(result->max_norm, norm);
    result->saturated = attest_audit_outputs_saturated(outputs, &result->arithmetic.format);
    result->has_separation = !fmpz_is_zero(audit->classes.required_pairs);
    if (result->collisions.has_pair) {
        arb_zero(result->min_separation);
        result->verdict = ATTEST_AUDIT_COLLAPSES;
        return ATTEST_OK;
    }
    if (result->has_separation)
        ATTEST_TRY(attest_audit_separation_get(separation, result->closest,
                                               &result->has_closest, outputs, &audit->classes,
                                               error));
    set_root(result->min_separation, separation);
    result->verdict = claim_holds(audit, separation, norm, result->has_separation,
                                  result->collisions.nonfinite == 0)
                          ? ATTEST_AUDIT_SURVIVES
                          : ATTEST_AUDIT_FAILS;
    return ATTEST_OK;
}

static void request_init(attest_audit_request *request, const attest_audit *audit)
{
    attest_audit_request_init(request, audit->dataset, audit->weights);
    request->jobs = audit->jobs;
    request->max_work = audit->max_work;
}

static void request_sample(attest_audit_request *request, const attest_audit *audit,
                           const attest_audit_reference *sample)
{
    request_init(request, audit);
    request->sequence = sample->sequence;
    request->sequences = sample->sequences;
}

/* Sets the errors of the entries and of the outputs, and the pairs that are told apart. bound:
 * NULL, or the a priori bounds of the sample's entries, in units of 2^-unit_bits. */
static attest_status measure(attest_audit_result *result, const attest_audit *audit,
                             const attest_audit_outputs *outputs, const double *bound,
                             long unit_bits, attest_error *error)
{
    const attest_audit_reference *sample = &audit->reference;

    ATTEST_TRY(attest_audit_errors_get(&result->errors, outputs, audit->dataset, sample,
                                       &result->arithmetic.format, bound, unit_bits,
                                       audit->jobs, error));
    result->has_errors = true;
    result->has_bound =
        bound && result->errors.entries > 0 && isfinite(result->errors.bound_ulp.part);
    ATTEST_TRY(
        attest_audit_deviation_get(&result->deviation, outputs, audit->dataset, sample, error));
    return attest_audit_pairs_get(&result->pairs, outputs, audit->dataset, sample,
                                  &result->deviation, &audit->classes, audit->jobs, error);
}

/* Computes the a priori bound, measures against it, and measures the errors of the softmax
 * weights. */
static attest_status measure_arithmetic(attest_audit_result *result, const attest_audit *audit,
                                        const attest_audit_outputs *outputs,
                                        attest_error *error)
{
    const attest_audit_reference *sample = &audit->reference;
    ATTEST_SHARED(double, entry, sample->positions * sample->dim);
    attest_audit_request request;
    attest_audit_model model;

    if (!entry)
        return attest_memory_fail(error);
    request_sample(&request, audit, sample);
    attest_audit_model_init(&model, &result->arithmetic);
    attest_audit_model_cap(&model, &result->arithmetic);
    ATTEST_TRY(attest_audit_bound(NULL, entry, &request, &model, error));
    ATTEST_TRY(measure(result, audit, outputs, entry, model.unit_bits, error));
    if (audit->exact_weights.rows == 0)
        return ATTEST_OK;
    return attest_audit_weights_error_get(&result->weights_error, &audit->exact_weights,
                                          &result->arithmetic, error);
}

/* Measures the errors with each stage alone rounded. */
static attest_status measure_stages(attest_audit_result *result, const attest_audit *audit,
                                    attest_error *error)
{
    const attest_audit_reference *sample = &audit->stage_reference;
    const attest_format *format = &result->arithmetic.format;
    attest_audit_request request;
    bool in_double = format->bounded && format->precision <= 25 &&
                     attest_in_double_fits(format, result->arithmetic.rounding);
    double share = (double)sample->sequences / (double)audit->dataset->count;

    request_sample(&request, audit, sample);
    if (attest_audit_cost(&request, format, in_double) * share * ATTEST_STAGES > STAGE_SECONDS)
        return ATTEST_OK;
    for (int s = 0; s < ATTEST_STAGES; s++) {
        attest_audit_outputs outputs ATTEST_CLEARED_BY(attest_audit_outputs_clear) = {0};

        request.rounded = 1u << s;
        ATTEST_TRY(attest_audit_evaluate(&outputs, &request, &result->arithmetic, error));
        ATTEST_TRY(attest_audit_errors_get(&result->stage[s], &outputs, NULL, sample, format,
                                           NULL, 0, audit->jobs, error));
    }
    result->has_stages = true;
    return ATTEST_OK;
}

static attest_status run_arithmetic(attest_audit_result *result, const attest_audit *audit,
                                    bool stages, attest_error *error)
{
    attest_audit_outputs outputs ATTEST_CLEARED_BY(attest_audit_outputs_clear) = {0};
    attest_audit_request request;

    request_init(&request, audit);
    ATTEST_TRY(attest_audit_evaluate(&outputs, &request, &result->arithmetic, error));
    ATTEST_TRY(judge(result, audit, &outputs, error));
    if (audit->reference.sequences > 0)
        ATTEST_TRY(measure_arithmetic(result, audit, &outputs, error));
    attest_audit_outputs_clear(&outputs); /* before memory is taken for the stages */
    return stages && audit->stage_reference.sequences > 0 ? measure_stages(result, audit, error)
                                                          : ATTEST_OK;
}

static attest_status run_formats(attest_audit *audit, attest_error *error)
{
    size_t many = audit->compares ? audit->formats * ATTEST_AUDIT_ALGORITHMS : 0;
    attest_simulated_arithmetic arithmetic;

    audit->result = attest_memory_alloc(audit->formats, sizeof *audit->result);
    audit->algorithm = attest_memory_alloc(many, sizeof *audit->algorithm);
    if (!audit->result || !audit->algorithm)
        return attest_memory_fail(error);
    for (size_t f = 0; f < audit->formats + many; f++) {
        size_t format = f < audit->formats ? f : (f - audit->formats) % audit->formats;
        arithmetic = audit->like;
        arithmetic.format = audit->format[format];
        if (f >= audit->formats)
            attest_audit_algorithm(&arithmetic, (f - audit->formats) / audit->formats);
        attest_audit_result_init(f < audit->formats ? &audit->result[f]
                                                    : &audit->algorithm[f - audit->formats],
                                 &arithmetic);
    }
    ATTEST_PROGRESS_STAGE(progress, &audit->progress);
    attest_progress_report(progress, "formats", 0, audit->formats + many, NULL);
    for (size_t f = 0; f < audit->formats + many; f++) {
        bool own = f < audit->formats;
        ATTEST_TRY(
            run_arithmetic(own ? &audit->result[f] : &audit->algorithm[f - audit->formats],
                           audit, own, error));
        attest_progress_report(progress, "formats", f + 1, audit->formats + many, NULL);
    }
    return ATTEST_OK;
}

/* Finds the laws that the formats break on these data. */
static attest_status check_invariance(attest_audit *audit, attest_error *error)
{
    attest_simulated_arithmetic *arithmetic ATTEST_FREED =
        attest_memory_alloc(audit->formats, sizeof *arithmetic);
    attest_audit_invariance *counts ATTEST_FREED =
        attest_memory_alloc(audit->formats, sizeof *counts);

    if (!arithmetic || !counts)
        return attest_memory_fail(error);
    for (size_t f = 0; f < audit->formats; f++)
        arithmetic[f] = audit->result[f].arithmetic;
    ATTEST_TRY(attest_audit_invariance_get(counts, arithmetic, audit->formats, audit->dataset,
                                           audit->weights, error));
    for (size_t f = 0; f < audit->formats; f++)
        audit->result[f].invariance = counts[f];
    return ATTEST_OK;
}

/* Runs the kernel model. Its errors have no a priori bound. */
static attest_status run_kernel(attest_audit *audit, attest_error *error)
{
    attest_simulated_arithmetic arithmetic = audit->like;
    attest_audit_outputs outputs ATTEST_CLEARED_BY(attest_audit_outputs_clear) = {0};
    attest_audit_request request;
    attest_audit_result *result;

    arithmetic.format = audit->kernel->variant->output;
    audit->kernel_result = result = attest_memory_alloc(1, sizeof *audit->kernel_result);
    if (!result)
        return attest_memory_fail(error);
    attest_audit_result_init(result, &arithmetic);
    request_init(&request, audit);
    ATTEST_TRY(attest_audit_evaluate_kernel(&outputs, &request, audit->kernel, error));
    ATTEST_TRY(judge(result, audit, &outputs, error));
    return audit->reference.sequences > 0 ? measure(result, audit, &outputs, NULL, 0, error)
                                          : ATTEST_OK;
}

/* Encloses the outputs of a sample, precisely enough for the widest format. */
static attest_status make_references(attest_audit *audit, attest_error *error)
{
    const attest_audit_reference *sample = &audit->reference;
    attest_audit_request request;
    long bits = 53;

    request_init(&request, audit);
    for (size_t f = 0; f < audit->formats; f++)
        bits = audit->format[f].precision > bits ? audit->format[f].precision : bits;
    bits += 128;
    ATTEST_TRY(
        attest_audit_reference_get(&audit->reference, &request, MOST_SAMPLED, bits, error));
    if (audit->has_stages)
        ATTEST_TRY(attest_audit_reference_get(
            &audit->stage_reference, &request,
            sample->sequences < MOST_STAGED ? sample->sequences : MOST_STAGED, bits, error));
    return attest_audit_exact_weights_get(&audit->exact_weights, &request, sample, error);
}

/* Sets *log2 to the logarithm of the lower end of the ball, rounded down. Returns false if the
 * ball is not positive. */
static bool log2_below(double *log2, const arb_t ball)
{
    ARF(low);
    ARB(logarithm);

    if (!arb_is_positive(ball) || !arb_is_finite(ball))
        return false;
    arb_get_lbound_arf(low, ball, 128);
    arb_set_arf(logarithm, low);
    arb_log_base_ui(logarithm, logarithm, 2, 128);
    arb_get_lbound_arf(low, logarithm, 64);
    *log2 = arf_get_d(low, ARF_RND_FLOOR);
    return true;
}

attest_status attest_audit_run(attest_audit *audit, attest_error *error)
{
    attest_audit_request request;

    if (audit->weights->dim != audit->dataset->dim)
        return attest_error_set(error, ATTEST_DOMAIN,
                                "tokens have %zu entries, but the weights take %zu",
                                audit->dataset->dim, audit->weights->dim);
    request_init(&request, audit);
    ATTEST_TRY(attest_weights_check_shapes(audit->weights, error));
    ATTEST_TRY(attest_contexts_get_classes(&audit->classes, audit->dataset,
                                           audit->weights->mask, error));
    ATTEST_TRY(attest_audit_certify(audit, error));
    ATTEST_TRY(attest_audit_theory_get(audit, error));
    ATTEST_TRY(make_references(audit, error));
    ATTEST_TRY(run_formats(audit, error));
    ATTEST_TRY(check_invariance(audit, error));
    if (audit->kernel)
        ATTEST_TRY(run_kernel(audit, error));
    if (audit->certified.known && audit->certified.has_pair)
        audit->collapse.has_separation =
            log2_below(&audit->collapse.log2_separation, audit->certified.min_separation);
    audit->collapse.progress = audit->progress;
    ATTEST_TRY(attest_audit_collapse_find(&audit->collapse, &request, &audit->classes,
                                          &audit->like, error));
    if (audit->has_curve) {
        ATTEST_TRY(attest_audit_curve_find(&audit->curve, &request, &audit->classes,
                                           &audit->like, &audit->collapse, error));
        if (audit->reference.sequences > 0)
            ATTEST_TRY(attest_audit_error_by_width_get(&audit->error_by_width, &request,
                                                       &audit->reference, &audit->like, error));
    }
    if (!audit->has_kernels)
        return ATTEST_OK;
    return attest_audit_kernels_get(&audit->kernels, &request, &audit->reference, error);
}

bool attest_audit_bits(fmpz_t bits, const arb_t large, const arb_t small)
{
    ARB(ratio);
    ARF(end);

    if (!arb_is_positive(small) || !arb_is_finite(small) || !arb_is_finite(large))
        return false;
    arb_div(ratio, large, small, 128);
    if (arb_is_positive(ratio)) {
        arb_log_base_ui(ratio, ratio, 2, 128);
        arb_get_ubound_arf(end, ratio, 128);
        arf_get_fmpz(bits, end, ARF_RND_CEIL);
        fmpz_add_ui(bits, bits, 1);
    }
    if (!arb_is_finite(ratio) || fmpz_cmp_ui(bits, 1) < 0)
        fmpz_one(bits);
    return true;
}

/* Conclusions in words. */

static void add(attest_audit_conclusion *text, const char *format, ...) ATTEST_PRINTF(2, 3);

/* Appends to the text; the buffer is large enough for every conclusion. */
static void add(attest_audit_conclusion *text, const char *format, ...)
{
    size_t used = strlen(text->words);
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text->words + used, sizeof text->words - used, format, arguments);
    va_end(arguments);
}

/* Appends a share as a percentage of two digits, or in scientific notation if it is very small,
 * or as a factor if it is large. */
static void add_share(attest_audit_conclusion *text, double share)
{
    if (share == 0)
        add(text, "0 %%");
    else if (share < 1e-4)
        add(text, "%.1e", share);
    else if (share < 0.1)
        add(text, "%.2g %%", 100 * share);
    else if (share < 100)
        add(text, "%.0f %%", 100 * share);
    else
        add(text, "a factor of %.2g", share);
}

static void add_errors(attest_audit_conclusion *text, const attest_audit_result *result)
{
    const attest_audit_deviation *d = &result->deviation;

    if (d->positions == 0) {
        add(text, "no output has a relative error");
        return;
    }
    add(text, "outputs differ by up to ");
    add_share(text, d->max);
    add(text, " (mean ");
    add_share(text, d->mean);
    add(text, ")");
}

static void add_pairs(attest_audit_conclusion *text, const attest_audit_pairs *pairs)
{
    if (pairs->required == 0)
        add(text, ", no pair has to be told apart");
    else if (pairs->apart == pairs->required)
        add(text, ", all %" PRIu64 " pairs are told apart for certain", pairs->required);
    else
        add(text, ", %" PRIu64 " of %" PRIu64 " pairs can no longer be told apart for certain",
            pairs->required - pairs->apart, pairs->required);
    if (pairs->merged)
        add(text, ", %" PRIu64 " of them %s merged", pairs->merged,
            pairs->merged == 1 ? "is" : "are");
}

void attest_audit_conclude(attest_audit_conclusion *text, const attest_audit_result *result)
{
    size_t nonfinite = result->collisions.nonfinite;

    text->words[0] = '\0';
    add(text, "%s: ", result->arithmetic.format.name);
    add_errors(text, result);
    add_pairs(text, &result->pairs);
    if (nonfinite)
        add(text, "; %zu output%s not finite", nonfinite, nonfinite == 1 ? " is" : "s are");
    if (result->saturated)
        add(text, "; %zu entr%s the largest number", result->saturated,
            result->saturated == 1 ? "y is" : "ies are");
}

void attest_audit_conclude_invariance(attest_audit_conclusion *text,
                                      const attest_audit_result *result)
{
    const attest_audit_invariance *counts = &result->invariance;

    text->words[0] = '\0';
    if (counts->changed == 0 && counts->unnoticed == 0)
        return;
    add(text, "%s: ", result->arithmetic.format.name);
    if (counts->changed > 0)
        add(text, "%zu of %zu outputs change with the order of the tokens, at [%zu,%zu] first",
            counts->changed, counts->reordered, counts->changed_at.sequence,
            counts->changed_at.position);
    if (counts->unnoticed > 0)
        add(text,
            "%s%zu of %zu outputs are the same without the first token of their sequence, at "
            "[%zu,%zu] first",
            counts->changed > 0 ? "; " : "", counts->unnoticed, counts->shortened,
            counts->unnoticed_at.sequence, counts->unnoticed_at.position);
}
