/* record.c -- an audit as JSON. */
#include "audit/record.h"

#include <math.h>

#include <attest/version.h>

#include "audit/collapse.h"
#include "base/workers.h"
#include "judge/model_field.h"
#include "number/scope.h"

/* An integer of any size: a string beyond 64 bits. */
static void write_fmpz(attest_json *json, const char *key, const fmpz_t value)
{
    if (fmpz_sgn(value) >= 0 && fmpz_abs_fits_ui(value)) {
        attest_json_write_count(json, key, fmpz_get_ui(value));
    } else {
        char *text = fmpz_get_str(NULL, 10, value);
        attest_json_write_string(json, key, text);
        flint_free(text);
    }
}

static void write_place(attest_json *json, const char *key, attest_place place)
{
    attest_json_write_array(json, key);
    attest_json_write_count(json, NULL, place.sequence);
    attest_json_write_count(json, NULL, place.position);
    attest_json_write_close(json);
}

static void write_optional_place(attest_json *json, const char *key, bool known,
                                 attest_place place)
{
    if (known)
        write_place(json, key, place);
    else
        attest_json_write_null(json, key);
}

/* [[i, k], [j, l]], or null. */
static void write_places(attest_json *json, const char *key, bool known,
                         const attest_place pair[2])
{
    if (!known) {
        attest_json_write_null(json, key);
        return;
    }
    attest_json_write_array(json, key);
    write_place(json, NULL, pair[0]);
    write_place(json, NULL, pair[1]);
    attest_json_write_close(json);
}

/* Writes two positions of the dataset as write_places does. */
static void write_pair(attest_json *json, const char *key, bool known, const size_t pair[2],
                       const attest_dataset *dataset)
{
    attest_place place[2] = {{0}};

    for (int i = 0; known && i < 2; i++)
        place[i] = attest_place_get(dataset, pair[i]);
    write_places(json, key, known, place);
}

static void write_optional_ball(attest_json *json, const char *key, bool known,
                                const arb_t ball)
{
    if (known)
        attest_json_write_ball(json, key, ball);
    else
        attest_json_write_null(json, key);
}

static void write_measure(attest_json *json, const char *key, bool known, double value)
{
    if (known)
        attest_json_write_measure(json, key, value);
    else
        attest_json_write_null(json, key);
}

/* Sizes below 10^-99999 are written as 1e-99999, the smallest number that --gate reads. */
static void write_size(attest_json *json, const char *key, bool known, attest_audit_size size)
{
    char text[ATTEST_AUDIT_SIZE_TEXT] = "1e-99999"; /* above 2^-332190 */

    if (size.part == 0 || size.exponent > -332190)
        attest_audit_size_format(text, size, 6);
    attest_json_write_text(json, key, known ? text : "null");
}

static void write_stages(attest_json *json, const attest_audit_result *result)
{
    attest_json_write_object(json, "stages");
    for (int s = 0; s < ATTEST_STAGES; s++) {
        const attest_audit_errors *e = &result->stage[s];
        bool known = attest_audit_errors_known(e);
        attest_json_write_object(json, attest_simulated_stage_name((attest_simulated_stage)s));
        write_size(json, "max_ulp", known, e->max_ulp);
        write_size(json, "mean_ulp", known, e->mean_ulp);
        attest_json_write_close(json);
    }
    attest_json_write_close(json);
}

/* Returns the place in the dataset of position p of the sample; (0, 0), which is not written,
 * if there is no sample. */
static attest_place sampled(size_t p, const attest_audit_reference *r)
{
    size_t i = 0;

    if (r->sequences == 0)
        return (attest_place){0};
    while (i + 1 < r->sequences && r->start[i + 1] <= p)
        i++;
    return (attest_place){r->sequence[i], p - r->start[i]};
}

/* The errors of outputs and weights, and the pairs that they merge; at: where the relative
 * error is largest. */
static void write_deviation(attest_json *json, const attest_audit_result *result,
                            attest_place at)
{
    const attest_audit_deviation *d = &result->deviation;
    const attest_audit_weights_error *a = &result->weights_error;
    const attest_audit_pairs *pairs = &result->pairs;
    attest_audit_conclusion conclusion;

    attest_json_write_object(json, "relative_error");
    write_measure(json, "max", d->positions > 0, d->max);
    write_measure(json, "mean", d->positions > 0, d->mean);
    write_optional_place(json, "at", d->positions > 0, at);
    attest_json_write_close(json);
    attest_json_write_object(json, "weights_error");
    write_measure(json, "max", a->rows > 0, a->max);
    write_measure(json, "mean", a->rows > 0, a->mean);
    attest_json_write_count(json, "rows", a->rows);
    attest_json_write_close(json);
    if (a->rows > 0)
        attest_json_write_count(json, "argmax_changed", a->changed);
    else
        attest_json_write_null(json, "argmax_changed");
    attest_json_write_object(json, "pairs");
    attest_json_write_count(json, "apart", pairs->apart);
    attest_json_write_count(json, "by_rounding", pairs->by_rounding);
    attest_json_write_count(json, "merged", pairs->merged);
    attest_json_write_count(json, "positions", pairs->positions);
    write_places(json, "pair", pairs->kind != ATTEST_AUDIT_APART, pairs->pair);
    attest_json_write_close(json);
    attest_audit_conclude(&conclusion, result);
    attest_json_write_string(json, "conclusion", conclusion.words);
}

static void write_errors(attest_json *json, const attest_audit_result *result)
{
    const attest_audit_errors *e = &result->errors;
    bool known = result->has_errors && attest_audit_errors_known(e);

    write_size(json, "max_ulp", known, e->max_ulp);
    write_size(json, "mean_ulp", known, e->mean_ulp);
    write_size(json, "bound_ulp", result->has_bound, e->bound_ulp);
}

/* The laws that the arithmetic breaks on these data; null if they were not checked. */
static void write_invariance(attest_json *json, const attest_audit_result *result)
{
    const attest_audit_invariance *counts = &result->invariance;
    attest_audit_conclusion conclusion;

    if (counts->reordered == 0) {
        attest_json_write_null(json, "laws");
        return;
    }
    attest_json_write_object(json, "laws");
    attest_json_write_count(json, "reordered", counts->reordered);
    attest_json_write_count(json, "changed", counts->changed);
    write_optional_place(json, "changed_at", counts->changed > 0, counts->changed_at);
    attest_json_write_count(json, "shortened", counts->shortened);
    attest_json_write_count(json, "unnoticed", counts->unnoticed);
    write_optional_place(json, "unnoticed_at", counts->unnoticed > 0, counts->unnoticed_at);
    attest_audit_conclude_invariance(&conclusion, result);
    attest_json_write_string(json, "words", conclusion.words);
    attest_json_write_close(json);
}

void attest_audit_write_format(attest_json *json, const attest_format *format)
{
    attest_json_write_string(json, "name", format->name);
    attest_json_write_integer(json, "precision", format->precision);
    if (format->bounded) {
        attest_json_write_integer(json, "emin", format->emin);
        attest_json_write_integer(json, "emax", format->emax);
    } else {
        attest_json_write_null(json, "emin");
        attest_json_write_null(json, "emax");
    }
}

void attest_audit_write_result(attest_json *json, const attest_audit_result *result,
                               attest_place at, const attest_audit *audit, const char *file)
{
    attest_audit_write_format(json, &result->arithmetic.format);
    attest_json_write_string(json, "verdict", attest_audit_verdict_name(result->verdict));
    write_fmpz(json, "collisions", result->collisions.pairs);
    attest_json_write_count(json, "nonfinite", result->collisions.nonfinite);
    attest_json_write_count(json, "saturated", result->saturated);
    write_optional_ball(json, "min_separation", result->has_separation, result->min_separation);
    if (audit) {
        write_pair(json, "closest", result->has_closest, result->closest, audit->dataset);
        write_pair(json, "pair", result->collisions.has_pair, result->collisions.pair,
                   audit->dataset);
        attest_json_write_string(json, "file", file);
        attest_json_write_ball(json, "max_norm", result->max_norm);
    }
    write_deviation(json, result, at);
    write_errors(json, result);
    if (!audit)
        return;
    write_optional_place(json, "worst",
                         result->has_errors && attest_audit_errors_known(&result->errors),
                         sampled(result->errors.worst, &audit->reference));
    write_invariance(json, result);
    if (result->has_stages)
        write_stages(json, result);
    else
        attest_json_write_null(json, "stages");
}

/* A result of an audit of a dataset; file: the counterexample's, or NULL. */
static void write_result(attest_json *json, const attest_audit_result *result,
                         const attest_audit *audit, const char *file)
{
    attest_json_write_object(json, NULL);
    attest_audit_write_result(json, result, sampled(result->deviation.worst, &audit->reference),
                              audit, file);
    attest_json_write_close(json);
}

static void write_widths(attest_json *json, const char *key, const attest_audit_width *width,
                         size_t count)
{
    attest_json_write_array(json, key);
    for (size_t i = 0; i < count; i++) {
        attest_json_write_object(json, NULL);
        attest_json_write_integer(json, "bits", width[i].bits);
        write_fmpz(json, "collisions", width[i].collisions);
        attest_json_write_count(json, "nonfinite", width[i].nonfinite);
        write_measure(json, "log2_separation", width[i].has_separation,
                      width[i].log2_separation);
        attest_json_write_close(json);
    }
    attest_json_write_close(json);
}

static void write_collapse(attest_json *json, const attest_audit *audit)
{
    const attest_audit_collapse *c = &audit->collapse;

    attest_json_write_object(json, "collapse");
    attest_json_write_integer(json, "from", c->low);
    attest_json_write_integer(json, "cap", c->high);
    if (c->certified && c->certified <= c->high)
        attest_json_write_integer(json, "proved_from", c->certified);
    else
        attest_json_write_null(json, "proved_from");
    if (c->survived)
        attest_json_write_integer(json, "survived", c->survived);
    else
        attest_json_write_null(json, "survived");
    attest_json_write_string(json, "reason", c->bits ? NULL : c->reason);
    write_pair(json, "pair", c->has_pair, c->pair, audit->dataset);
    write_widths(json, "widths", c->width, c->widths);
    write_widths(json, "curve", audit->curve.width, audit->curve.widths);
    attest_json_write_close(json);
}

static void write_error_by_width(attest_json *json, const attest_audit_error_by_width *by_width)
{
    attest_json_write_object(json, "graded");
    attest_json_write_count(json, "sequences", by_width->sequences);
    attest_json_write_array(json, "widths");
    for (size_t w = 0; w < by_width->widths; w++) {
        attest_json_write_object(json, NULL);
        attest_json_write_count(json, "bits", w + 1);
        write_measure(json, "max", by_width->known[w], by_width->max[w]);
        write_measure(json, "mean", by_width->known[w], by_width->mean[w]);
        attest_json_write_close(json);
    }
    attest_json_write_close(json);
    attest_json_write_close(json);
}

/* The bits that a separation requires, or null. */
static void write_bits(attest_json *json, const char *key, bool known, const arb_t large,
                       const arb_t small)
{
    FMPZ(bits);

    if (known && attest_audit_bits(bits, large, small))
        write_fmpz(json, key, bits);
    else
        attest_json_write_null(json, key);
}

static void write_certified(attest_json *json, const attest_audit *audit)
{
    const attest_audit_certified *c = &audit->certified;

    if (!c->known) {
        attest_json_write_null(json, "certified");
        return;
    }
    attest_json_write_object(json, "certified");
    attest_json_write_string(json, "verdict", attest_verdict_name(c->verdict));
    attest_json_write_string(json, "method", c->method);
    write_optional_ball(json, "min_separation", c->has_pair, c->min_separation);
    write_places(json, "pair", c->has_pair, c->pair);
    attest_json_write_ball(json, "max_norm", c->max_norm);
    attest_json_write_close(json);
}

static void write_theory(attest_json *json, const attest_audit *audit)
{
    const attest_audit_theory *t = &audit->theory;

    attest_json_write_object(json, "theory");
    write_optional_ball(json, "delta", t->known, t->delta);
    write_optional_ball(json, "r", t->known, t->r);
    attest_json_write_string(json, "reason", t->reason);
    attest_json_write_close(json);
}

static void write_sample(attest_json *json, const attest_audit *audit)
{
    attest_json_write_object(json, "sample");
    attest_json_write_count(json, "sequences", audit->reference.sequences);
    attest_json_write_count(json, "positions", audit->reference.positions);
    attest_json_write_count(json, "stage_sequences", audit->stage_reference.sequences);
    attest_json_write_close(json);
}

/* [{"from": 2^a or 0, "to": 2^(a+1) or null, "count": k} ...], empty ends left off. */
static void write_histogram(attest_json *json, const char *key, const size_t *bin, int least)
{
    int first = 0, last = ATTEST_KERNELS_BINS - 1;

    while (last > 0 && bin[last] == 0)
        last--;
    while (first < last && bin[first] == 0)
        first++;
    attest_json_write_array(json, key);
    for (int i = first; i <= last; i++) {
        attest_json_write_object(json, NULL);
        attest_json_write_measure(json, "from", i == 0 ? 0 : ldexp(1, least + i - 1));
        write_measure(json, "to", i + 1 < ATTEST_KERNELS_BINS, ldexp(1, least + i));
        attest_json_write_count(json, "count", bin[i]);
        attest_json_write_close(json);
    }
    attest_json_write_close(json);
}

static void write_kernels(attest_json *json, const attest_audit_kernels *k)
{
    if (!k->known) {
        attest_json_write_null(json, "kernel");
        return;
    }
    attest_json_write_object(json, "kernel");
    attest_json_write_string(json, "name", k->name);
    attest_json_write_count(json, "sequences", k->sequences);
    attest_json_write_count(json, "rows", k->rows);
    attest_json_write_count(json, "entries", k->entries);
    write_measure(json, "max_ulp", k->entries > 0, k->max_ulp);
    write_measure(json, "mean_ulp", k->entries > 0, k->mean_ulp);
    write_histogram(json, "ulp", k->ulp, ATTEST_KERNELS_LEAST_ULP);
    write_histogram(json, "pessimism", k->ratio, ATTEST_KERNELS_LEAST_RATIO);
    attest_json_write_count(json, "exact_rows", k->exact);
    attest_json_write_count(json, "rows_without_bound", k->infinite);
    attest_json_write_count(json, "bounds_broken", k->broken);
    attest_json_write_close(json);
}

static void write_algorithms(attest_json *json, const attest_audit *audit)
{
    attest_simulated_arithmetic like = audit->like;

    attest_json_write_array(json, "algorithms");
    for (size_t a = 0; audit->compares && a < ATTEST_AUDIT_ALGORITHMS; a++) {
        attest_audit_algorithm(&like, a);
        attest_json_write_object(json, NULL);
        attest_json_write_string(json, "softmax", attest_simulated_softmax_name(like.softmax));
        attest_json_write_string(json, "sum", like.pairwise ? "pairwise" : "sequential");
        attest_json_write_bool(json, "fma", like.fma);
        attest_json_write_array(json, "formats");
        for (size_t f = 0; f < audit->formats; f++)
            write_result(json, &audit->algorithm[a * audit->formats + f], audit, NULL);
        attest_json_write_close(json);
        attest_json_write_close(json);
    }
    attest_json_write_close(json);
}

void attest_audit_write_members(attest_json *json, const attest_audit *audit,
                                const attest_audit_origin *origin)
{
    const attest_audit_certified *c = &audit->certified;

    attest_json_write_array(json, "formats");
    for (size_t f = 0; f < audit->formats; f++)
        write_result(json, &audit->result[f], audit, origin->file ? origin->file[f] : NULL);
    attest_json_write_close(json);
    if (audit->kernel_result) {
        attest_json_write_object(json, "kernel_model");
        attest_judge_model_write_json(json, "model", audit->kernel);
        attest_json_write_array(json, "results");
        write_result(json, audit->kernel_result, audit, NULL);
        attest_json_write_close(json);
        attest_json_write_close(json);
    }
    if (audit->collapse.bits)
        attest_json_write_integer(json, "collapse_bits", audit->collapse.bits);
    else
        attest_json_write_null(json, "collapse_bits");
    if (audit->collapse.certified)
        attest_json_write_integer(json, "certified_bits", audit->collapse.certified);
    else
        attest_json_write_null(json, "certified_bits");
    attest_json_write_count(json, "classes", audit->classes.classes);
    attest_json_write_count(json, "necessary_bits",
                            attest_pigeonhole_bits(audit->classes.classes,
                                                   attest_weights_output_dim(audit->weights)));
    write_bits(json, "separation_bits", c->known && c->has_pair, c->max_norm,
               c->min_separation);
    write_bits(json, "theory_bits", audit->theory.known, audit->theory.r, audit->theory.delta);
    write_collapse(json, audit);
    if (audit->error_by_width.widths > 0)
        write_error_by_width(json, &audit->error_by_width);
    write_certified(json, audit);
    write_theory(json, audit);
    write_sample(json, audit);
    write_kernels(json, &audit->kernels);
    if (audit->compares)
        write_algorithms(json, audit);
}

void attest_audit_write_arithmetic(attest_json *json, const attest_simulated_arithmetic *a)
{
    attest_json_write_object(json, "arithmetic");
    attest_json_write_string(json, "round", attest_simulated_rounding_name(a->rounding));
    if (a->rounding == ATTEST_SIMULATED_STOCHASTIC)
        attest_json_write_count(json, "seed", a->seed);
    attest_json_write_string(json, "accumulate", a->accumulates ? a->accumulate.name : NULL);
    attest_json_write_string(json, "softmax", attest_simulated_softmax_name(a->softmax));
    if (a->softmax == ATTEST_SIMULATED_ONLINE)
        attest_json_write_count(json, "block", a->block);
    attest_json_write_string(json, "sum", a->pairwise ? "pairwise" : "sequential");
    attest_json_write_bool(json, "fma", a->fma);
    attest_json_write_close(json);
}

void attest_audit_write_maker(attest_json *json)
{
    char cpu[128];

    attest_json_write_object(json, "versions");
    attest_json_write_string(json, "attest", attest_version());
    attest_json_write_string(json, "mpfr", mpfr_get_version());
    attest_json_write_string(json, "flint", FLINT_VERSION);
    attest_json_write_close(json);
    attest_machine_cpu(cpu, sizeof cpu);
    attest_json_write_string(json, "cpu", cpu);
}

static void write_claim(attest_json *json, const attest_audit *audit)
{
    ARB(promise);

    arb_set_arf(promise, audit->promise);
    attest_json_write_object(json, "claim");
    if (audit->has_r)
        attest_json_write_rational(json, "r", audit->r);
    else
        attest_json_write_null(json, "r");
    attest_json_write_rational(json, "delta", audit->delta);
    write_optional_ball(json, "promise", arf_sgn(audit->promise) > 0, promise);
    attest_json_write_close(json);
}

void attest_audit_write_subject(attest_json *json, const attest_audit *audit,
                                const attest_audit_origin *origin)
{
    const attest_dataset *dataset = audit->dataset;

    attest_json_write_format(json, "attest/audit");
    attest_json_write_object(json, "dataset");
    attest_json_write_string(json, "path", origin->data);
    attest_json_write_string(json, "sha256", origin->data_sha256);
    attest_json_write_string(json, "name", dataset->name);
    attest_json_write_count(json, "sequences", dataset->count);
    attest_json_write_count(json, "longest", dataset->longest);
    attest_json_write_count(json, "dim", attest_weights_output_dim(audit->weights));
    attest_json_write_count(json, "tokens", attest_dataset_vocabulary(dataset));
    attest_json_write_count(json, "positions", dataset->total);
    write_fmpz(json, "required_pairs", audit->classes.required_pairs);
    attest_json_write_close(json);
    attest_json_write_object(json, "weights");
    attest_json_write_string(json, "path", origin->weights);
    attest_json_write_string(json, "sha256", origin->weights_sha256);
    attest_json_write_string(json, "strategy", origin->strategy);
    attest_json_write_string(json, "activation",
                             attest_activation_name(audit->weights->activation));
    attest_json_write_string(json, "mask", attest_mask_name(audit->weights->mask));
    attest_json_write_count(json, "heads", audit->weights->heads);
    attest_json_write_close(json);
    attest_audit_write_arithmetic(json, &audit->like);
    write_claim(json, audit);
    attest_audit_write_maker(json);
}
