/* construct_print.c -- how constructed weights, and what is known of them, are shown. */
#include <math.h>
#include <stdio.h>

#include "io/certificate_json.h"
#include "cli/construct.h"
#include "cli/excerpt.h"
#include "io/weights_json.h"
#include "number/scope.h"

/* The significand bits that a number of size r needs to show a difference of 2^log2. */
static double bits_needed(const fmpq_t r, double log2_delta)
{
    ARB(size);
    double log2_r;

    arb_set_fmpq(size, r, 64);
    arb_log_base_ui(size, size, 2, 64);
    log2_r = arf_get_d(arb_midref(size), ARF_RND_UP);
    return fmax(1, ceil(log2_r - log2_delta) + 1);
}

static double middle(const arb_t ball)
{
    return arf_get_d(arb_midref(ball), ARF_RND_NEAR);
}

static double log2_of(const arb_t ball)
{
    ARB(log2);

    arb_log_base_ui(log2, ball, 2, 64);
    return middle(log2);
}

/* Whether the certified least separation exceeds the promise. */
static bool promise_holds(const construct_job *job)
{
    return job->construction.promise &&
           (!job->finding.has_pair ||
            arb_gt(job->finding.min_separation, job->construction.delta));
}

static void write_bounds(attest_json *json, const construct_job *job)
{
    const attest_construction *c = &job->construction;

    attest_json_write_rational(json, "r_min", c->r_min.value);
    attest_json_write_rational(json, "r_max", c->r_max.value);
    attest_json_write_rational(json, "eps", c->eps.value);
    attest_json_write_object(json, "bounds_from");
    attest_json_write_string(json, "r_min", c->r_min.given ? "user" : "data");
    attest_json_write_string(json, "r_max", c->r_max.given ? "user" : "data");
    attest_json_write_string(json, "eps",
                             c->eps.given          ? "user"
                             : c->eps_by_direction ? "direction"
                                                   : "data");
    attest_json_write_close(json);
}

static void write_promise(attest_json *json, const construct_job *job)
{
    const attest_construction *c = &job->construction;

    if (c->promise)
        attest_json_write_ball(json, "delta", c->delta);
    else
        attest_json_write_null(json, "delta");
    if (c->formula)
        attest_json_write_ball(json, "delta_formula", c->delta_formula);
    else
        attest_json_write_null(json, "delta_formula");
    if (c->promise) {
        attest_json_write_measure(json, "bits_promised",
                                  bits_needed(c->r, middle(c->delta_log2)));
        attest_json_write_bool(json, "promise_certified", promise_holds(job));
    }
    if (job->finding.has_pair && arb_is_positive(job->finding.min_separation))
        attest_json_write_measure(json, "bits_certified",
                                  bits_needed(c->r, log2_of(job->finding.min_separation)));
}

int attest_construct_print_json(const construct_job *job, int code)
{
    const attest_construction *c = &job->construction;
    attest_json json;

    attest_json_write_begin(&json, stdout);
    attest_json_write_object(&json, NULL);
    attest_json_write_string(&json, "strategy", attest_strategy_name(c->strategy));
    if (c->hypothesis) {
        attest_json_write_string(&json, "hypothesis", c->hypothesis);
        attest_json_write_string(&json, "explanation", c->explanation);
        attest_cli_write_hypothesis(&json, &job->dataset, c, "construct");
    } else {
        attest_weights_write_json(&json, "weights", &c->weights);
        attest_json_write_rational(&json, "kappa", c->kappa);
        attest_json_write_array(&json, "direction");
        for (size_t i = 0; i < c->dim; i++)
            attest_json_write_rational(&json, NULL, c->direction + i);
        attest_json_write_close(&json);
        attest_json_write_rational(&json, "r", c->r);
        write_bounds(&json, job);
        write_promise(&json, job);
        attest_certificate_write_json(&json, "certificate", &job->certificate);
    }
    attest_json_write_close(&json);
    return attest_cli_end_json(&json, code);
}

static void print_ratio(const construct_job *job)
{
    ARB(ratio);

    arb_set_fmpq(ratio, job->construction.eps.value, 64);
    arb_div(ratio, job->finding.min_separation, ratio, 64);
    attest_print("certified separation    2^%.10g, or eps 2^%.4g (%s, %ld bits)\n",
                 log2_of(job->finding.min_separation), log2_of(ratio), job->finding.method,
                 job->finding.precision_bits);
}

void attest_construct_print_text(const construct_job *job)
{
    const attest_construction *c = &job->construction;
    char shown[ATTEST_CLI_TEXT_SIZE];

    if (c->hypothesis) {
        attest_print("fails: %s: %s\n", c->hypothesis, c->explanation);
        return;
    }
    attest_print("strategy %s: d = %zu, n = %zu, N = %zu, |V| = %zu\n",
                 attest_strategy_name(c->strategy), c->dim, job->dataset.longest,
                 job->dataset.count, job->dataset.tokens.count);
    attest_print("kappa                   %.10g\n", fmpq_get_d(c->kappa));
    if (c->promise)
        attest_print("promised delta          2^%.10g (%.0f bits needed)\n",
                     middle(c->delta_log2), bits_needed(c->r, middle(c->delta_log2)));
    if (c->formula)
        attest_print("the closed formula      2^%.10g\n", middle(c->delta_formula_log2));
    if (job->finding.has_pair && arb_is_positive(job->finding.min_separation)) {
        print_ratio(job);
        attest_print("bits needed             %.0f\n",
                     bits_needed(c->r, log2_of(job->finding.min_separation)));
    }
    attest_print("%s: a contextual mapping with outputs shorter than r = %.10g%s%s\n",
                 attest_verdict_name(job->finding.verdict), fmpq_get_d(c->r),
                 job->finding.verdict == ATTEST_UNDECIDED ? "; " : "",
                 job->finding.verdict == ATTEST_UNDECIDED
                     ? attest_cli_name_options(shown, job->finding.reason)
                     : "");
}
