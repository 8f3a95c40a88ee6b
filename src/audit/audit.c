/* audit.c -- an audit: every format, the certified separation, the collapse. */
#include "audit/audit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "audit/certified.h"
#include "audit/evaluate_kernel.h"
#include "judge/model.h"
#include "format/hosted.h"
#include "number/rationals.h"
#include "base/workers.h"
#include "base/memory.h"
#include "base/progress.h"
#include "base/scope.h"

/* Sequences of which errors, and of which the origin of errors, are looked at. */
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
    attest_audit_weights_clear(&audit->exact_weights);
    results_clear(audit->result, audit->formats);
    results_clear(audit->staged, 1);
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

/* Whether square > bound^2 (above) or square < bound^2, exactly. */
static bool beyond(const arf_t square, const fmpq_t bound, bool above)
{
    fmpq_t right;
    int order;

    fmpq_init(right);
    fmpq_mul(right, bound, bound);
    order = attest_rationals_compare_arf(square, right);
    fmpq_clear(right);
    return above ? order > 0 : order < 0;
}

/* The claim for outputs without a collision. */
static bool claim_holds(const attest_audit *audit, const arf_t separation, const arf_t norm,
                        bool has_separation, bool finite)
{
    bool holds = true;
    arf_t promised;

    arf_init(promised);
    if (has_separation) {
        holds = fmpq_is_zero(audit->delta) || beyond(separation, audit->delta, true);
        arf_mul(promised, audit->promise, audit->promise, ARF_PREC_EXACT, ARF_RND_DOWN);
        holds = holds && arf_cmp(separation, promised) > 0;
    }
    if (audit->has_r)
        holds = holds && finite && beyond(norm, audit->r, false);
    arf_clear(promised);
    return holds;
}

static void set_root(arb_t root, const arf_t square)
{
    arb_set_arf(root, square);
    arb_sqrt(root, root, 128);
}

/* Collisions, separation and verdict. */
static attest_status judge(attest_audit_result *result, const attest_audit *audit,
                           const attest_audit_outputs *outputs, attest_error *error)
{
    attest_status status =
        attest_audit_collisions_get(&result->collisions, outputs, &audit->classes, error);
    arf_t separation, norm;

    if (status == ATTEST_OK)
        status = attest_audit_spread_check(outputs, error);
    if (status != ATTEST_OK)
        return status;
    arf_init(separation);
    arf_init(norm);
    attest_audit_norm_get(norm, outputs);
    set_root(result->max_norm, norm);
    result->saturated = attest_audit_outputs_saturated(outputs, &result->arithmetic.format);
    result->has_separation = !fmpz_is_zero(audit->classes.required_pairs);
    if (result->collisions.has_pair) {
        arb_zero(result->min_separation);
        result->verdict = ATTEST_AUDIT_COLLAPSES;
    } else {
        if (result->has_separation)
            status =
                attest_audit_separation_get(separation, result->closest, &result->has_closest,
                                            outputs, &audit->classes, error);
        set_root(result->min_separation, separation);
        if (status == ATTEST_OK)
            result->verdict = claim_holds(audit, separation, norm, result->has_separation,
                                          result->collisions.nonfinite == 0)
                                  ? ATTEST_AUDIT_SURVIVES
                                  : ATTEST_AUDIT_FAILS;
    }
    arf_clear(separation);
    arf_clear(norm);
    return status;
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

/* Errors in ulp and the a priori bound beside them. */
static attest_status measure(attest_audit_result *result, const attest_audit *audit,
                             const attest_audit_outputs *outputs, attest_error *error)
{
    const attest_audit_reference *sample = &audit->reference;
    const attest_format *format = &result->arithmetic.format;
    double *norm = attest_shared_alloc(sample->positions, sizeof *norm);
    double *entry = attest_shared_alloc(sample->positions * sample->dim, sizeof *entry);
    attest_audit_request request;
    attest_audit_model model;
    attest_status status = ATTEST_NOMEM;

    if (norm && entry) {
        request_sample(&request, audit, sample);
        attest_audit_model_init(&model, &result->arithmetic);
        model.capped = result->arithmetic.rounding == ATTEST_SIMULATED_NEAREST &&
                       !model.pairwise && model.online_block == 0;
        status = attest_audit_bound(norm, entry, &request, &model, error);
        if (status == ATTEST_OK)
            status =
                attest_audit_errors_get(&result->errors, outputs, audit->dataset, sample,
                                        format, entry, model.unit_bits, audit->jobs, error);
        result->has_errors = status == ATTEST_OK;
        result->has_bound = result->has_errors && result->errors.entries > 0 &&
                            isfinite(result->errors.bound_ulp.part);
    } else {
        status = attest_memory_fail(error);
    }
    attest_shared_free(norm, sample->positions, sizeof *norm);
    attest_shared_free(entry, sample->positions * sample->dim, sizeof *entry);
    return status;
}

/* What errors mean: relative to the outputs, for the weights, for what is told apart. */
static attest_status interpret(attest_audit_result *result, const attest_audit *audit,
                               const attest_audit_outputs *outputs, attest_error *error)
{
    ATTEST_TRY(attest_audit_deviation_get(&result->deviation, outputs, audit->dataset,
                                          &audit->reference, error));
    ATTEST_TRY(attest_audit_pairs_get(&result->pairs, outputs, audit->dataset,
                                      &audit->reference, &result->deviation, &audit->classes,
                                      audit->jobs, error));
    if (audit->exact_weights.rows == 0)
        return ATTEST_OK;
    return attest_audit_attended_get(&result->attended, &audit->exact_weights,
                                     &result->arithmetic, error);
}

/* Each stage rounded alone. */
static attest_status measure_stages(attest_audit_result *result, const attest_audit *audit,
                                    attest_error *error)
{
    const attest_audit_reference *sample = &audit->stage_reference;
    const attest_format *format = &result->arithmetic.format;
    attest_status status = ATTEST_OK;
    attest_audit_request request;
    bool hosted = format->bounded && format->precision <= 25 &&
                  attest_hosted_fits(format, result->arithmetic.rounding);
    double share = (double)sample->sequences / (double)audit->dataset->count;

    request_sample(&request, audit, sample);
    if (attest_audit_cost(&request, format, hosted) * share * ATTEST_STAGES > STAGE_SECONDS)
        return ATTEST_OK;
    for (int s = 0; s < ATTEST_STAGES && status == ATTEST_OK; s++) {
        attest_audit_outputs outputs;
        request.rounded = 1u << s;
        status = attest_audit_evaluate(&outputs, &request, &result->arithmetic, error);
        if (status != ATTEST_OK)
            break;
        status = attest_audit_errors_get(&result->stage[s], &outputs, NULL, sample, format,
                                         NULL, 0, audit->jobs, error);
        attest_audit_outputs_clear(&outputs);
    }
    result->has_stages = status == ATTEST_OK;
    return status;
}

static attest_status run_arithmetic(attest_audit_result *result, const attest_audit *audit,
                                    bool stages, attest_error *error)
{
    attest_audit_outputs outputs;
    attest_audit_request request;
    attest_status status;

    request_init(&request, audit);
    status = attest_audit_evaluate(&outputs, &request, &result->arithmetic, error);
    if (status != ATTEST_OK)
        return status;
    status = judge(result, audit, &outputs, error);
    if (status == ATTEST_OK && audit->reference.sequences > 0)
        status = measure(result, audit, &outputs, error);
    if (status == ATTEST_OK && audit->reference.sequences > 0)
        status = interpret(result, audit, &outputs, error);
    attest_audit_outputs_clear(&outputs);
    if (status == ATTEST_OK && stages && audit->stage_reference.sequences > 0)
        status = measure_stages(result, audit, error);
    return status;
}

static attest_status run_formats(attest_audit *audit, attest_error *error)
{
    size_t many = audit->compares ? audit->formats * ATTEST_AUDIT_ALGORITHMS : 0;
    attest_status status = ATTEST_OK;
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
    attest_progress_report(&audit->progress, "formats", 0, audit->formats + many, NULL);
    for (size_t f = 0; f < audit->formats + many && status == ATTEST_OK; f++) {
        status = f < audit->formats ? run_arithmetic(&audit->result[f], audit, true, error)
                                    : run_arithmetic(&audit->algorithm[f - audit->formats],
                                                     audit, false, error);
        attest_progress_report(&audit->progress, "formats", f + 1, audit->formats + many, NULL);
    }
    attest_progress_end(&audit->progress);
    return status;
}

/* Which laws the formats break on these data. */
static attest_status find_laws(attest_audit *audit, attest_error *error)
{
    attest_simulated_arithmetic *arithmetic =
        attest_memory_alloc(audit->formats, sizeof *arithmetic);
    attest_audit_laws *laws = attest_memory_alloc(audit->formats, sizeof *laws);
    attest_status status;

    for (size_t f = 0; arithmetic && f < audit->formats; f++)
        arithmetic[f] = audit->result[f].arithmetic;
    status = arithmetic && laws ? attest_audit_laws_get(laws, arithmetic, audit->formats,
                                                        audit->dataset, audit->weights, error)
                                : attest_memory_fail(error);
    for (size_t f = 0; status == ATTEST_OK && f < audit->formats; f++)
        audit->result[f].laws = laws[f];
    free(arithmetic);
    free(laws);
    return status;
}

/* The kernel beside the formats. No bound on its errors is known here. */
static attest_status run_kernel(attest_audit *audit, attest_error *error)
{
    attest_simulated_arithmetic arithmetic = audit->like;
    attest_audit_outputs outputs;
    attest_audit_request request;
    attest_audit_result *result;
    attest_status status;

    arithmetic.format = audit->kernel->variant->output;
    audit->staged = attest_memory_alloc(1, sizeof *audit->staged);
    if (!audit->staged)
        return attest_memory_fail(error);
    result = audit->staged;
    attest_audit_result_init(result, &arithmetic);
    request_init(&request, audit);
    ATTEST_TRY(attest_audit_evaluate_kernel(&outputs, &request, audit->kernel, error));
    status = judge(result, audit, &outputs, error);
    if (status == ATTEST_OK && audit->reference.sequences > 0) {
        status = attest_audit_errors_get(&result->errors, &outputs, audit->dataset,
                                         &audit->reference, &arithmetic.format, NULL, 0,
                                         audit->jobs, error);
        result->has_errors = status == ATTEST_OK;
        if (status == ATTEST_OK)
            status = attest_audit_deviation_get(&result->deviation, &outputs, audit->dataset,
                                                &audit->reference, error);
        if (status == ATTEST_OK)
            status = attest_audit_pairs_get(&result->pairs, &outputs, audit->dataset,
                                            &audit->reference, &result->deviation,
                                            &audit->classes, audit->jobs, error);
    }
    attest_audit_outputs_clear(&outputs);
    return status;
}

/* Certified values of a sample, precise enough for the widest format. */
static attest_status make_references(attest_audit *audit, attest_error *error)
{
    attest_audit_request request;
    attest_status status;
    long bits = 53;

    request_init(&request, audit);
    for (size_t f = 0; f < audit->formats; f++)
        bits = audit->format[f].precision > bits ? audit->format[f].precision : bits;
    bits += 128;
    status = attest_audit_reference_get(&audit->reference, &request, MOST_SAMPLED, bits, error);
    if (status == ATTEST_OK && audit->has_stages)
        status = attest_audit_reference_get(
            &audit->stage_reference, &request,
            audit->reference.sequences < MOST_STAGED ? audit->reference.sequences : MOST_STAGED,
            bits, error);
    if (status == ATTEST_OK)
        status =
            attest_audit_weights_get(&audit->exact_weights, &request, &audit->reference, error);
    return status;
}

attest_status attest_audit_run(attest_audit *audit, attest_error *error)
{
    attest_audit_request request;
    attest_status status;

    if (audit->weights->dim != audit->dataset->dim)
        return attest_error_set(error, ATTEST_DOMAIN,
                                "tokens have %zu entries, but the weights take %zu",
                                audit->dataset->dim, audit->weights->dim);
    request_init(&request, audit);
    status = attest_weights_check_shapes(audit->weights, error);
    if (status == ATTEST_OK)
        status = attest_contexts_get_classes(&audit->classes, audit->dataset,
                                             audit->weights->mask, error);
    if (status == ATTEST_OK)
        status = attest_audit_certify(audit, error);
    if (status == ATTEST_OK)
        status = attest_audit_theory_get(audit, error);
    if (status == ATTEST_OK)
        status = make_references(audit, error);
    if (status == ATTEST_OK)
        status = run_formats(audit, error);
    if (status == ATTEST_OK)
        status = find_laws(audit, error);
    if (status == ATTEST_OK && audit->kernel)
        status = run_kernel(audit, error);
    if (status == ATTEST_OK && audit->certified.known && audit->certified.has_pair)
        audit->collapse.has_separation = attest_audit_log2_below(
            &audit->collapse.log2_separation, audit->certified.min_separation);
    audit->collapse.progress = audit->progress;
    if (status == ATTEST_OK)
        status = attest_audit_collapse_find(&audit->collapse, &request, &audit->classes,
                                            &audit->like, error);
    if (status == ATTEST_OK && audit->has_curve)
        status = attest_audit_curve_find(&audit->curve, &request, &audit->classes, &audit->like,
                                         &audit->collapse, error);
    if (status == ATTEST_OK && audit->has_curve && audit->reference.sequences > 0)
        status = attest_audit_graded_get(&audit->graded, &request, &audit->reference,
                                         &audit->like, error);
    if (status == ATTEST_OK && audit->has_kernels)
        status = attest_audit_kernels_get(&audit->kernels, &request, &audit->reference, error);
    return status;
}

bool attest_audit_log2_below(double *log2, const arb_t ball)
{
    arf_t low;
    arb_t logarithm;
    bool positive = arb_is_positive(ball) && arb_is_finite(ball);

    if (!positive)
        return false;
    arf_init(low);
    arb_init(logarithm);
    arb_get_lbound_arf(low, ball, 128);
    arb_set_arf(logarithm, low);
    arb_log_base_ui(logarithm, logarithm, 2, 128);
    arb_get_lbound_arf(low, logarithm, 64);
    *log2 = arf_get_d(low, ARF_RND_FLOOR);
    arb_clear(logarithm);
    arf_clear(low);
    return true;
}

bool attest_audit_bits(fmpz_t bits, const arb_t large, const arb_t small)
{
    arb_t ratio;
    arf_t end;
    bool ok = arb_is_positive(small) && arb_is_finite(small) && arb_is_finite(large);

    if (!ok)
        return false;
    arb_init(ratio);
    arf_init(end);
    arb_div(ratio, large, small, 128);
    if (arb_is_positive(ratio)) {
        arb_log_base_ui(ratio, ratio, 2, 128);
        arb_get_ubound_arf(end, ratio, 128);
        arf_get_fmpz(bits, end, ARF_RND_CEIL);
        fmpz_add_ui(bits, bits, 1);
    }
    if (!arb_is_finite(ratio) || fmpz_cmp_ui(bits, 1) < 0)
        fmpz_one(bits);
    arf_clear(end);
    arb_clear(ratio);
    return true;
}
