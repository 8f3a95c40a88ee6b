/* audit_print.c -- an audit as tables for people. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <attest/ball.h>

#include "audit/collapse.h"
#include "cli/audit.h"
#include "judge/model.h"
#include "report/print.h"

/* Prints a number in few characters, or "-" if it is unknown. */
static void print_measure(bool known, double value)
{
    char text[32];

    if (!known)
        snprintf(text, sizeof text, "-");
    else
        snprintf(text, sizeof text, "%.3g", value);
    attest_print(" %9s", text);
}

/* The same for a size beyond the range of doubles. */
static void print_size(bool known, attest_audit_size size)
{
    char text[ATTEST_AUDIT_SIZE_TEXT] = "-";

    if (known)
        attest_audit_size_format(text, size, 3);
    attest_print(" %9s", text);
}

static void print_count(const fmpz_t value)
{
    char *text = fmpz_get_str(NULL, 10, value);

    attest_print(" %10s", text);
    flint_free(text);
}

/* Formats "2^x" with the first digits of the decimal x and its exponent. */
static void format_power(char *text, size_t room, const char *log2, int digits)
{
    const char *exponent = strchr(log2, 'e');
    int length = (int)(exponent ? exponent - log2 : (ptrdiff_t)strlen(log2));

    snprintf(text, room, "2^%.*s%s", length < digits ? length : digits, log2,
             exponent ? exponent : "");
}

static bool has_log2(const arb_t ball)
{
    return arb_is_positive(ball) && arb_is_finite(ball);
}

/* Prints a positive ball as 2^x, an exact 0 as 0. */
static void print_separation(bool known, const arb_t ball)
{
    char text[40] = "-", *log2 = known ? attest_ball_format_log2(ball) : NULL;

    if (known && has_log2(ball))
        format_power(text, sizeof text, attest_or_exit(log2), 7);
    else if (known && arb_is_zero(ball))
        snprintf(text, sizeof text, "0");
    attest_print(" %12s", text);
    free(log2);
}

static void print_results(const attest_audit_result *result, size_t count)
{
    attest_print("%-16s %-9s %10s %9s %12s %9s %9s %9s\n", "format", "verdict", "collisions",
                 "nonfinite", "separation", "max ulp", "mean ulp", "bound");
    for (size_t f = 0; f < count; f++) {
        const attest_audit_result *r = &result[f];
        const attest_audit_errors *e = &r->errors;
        bool known = r->has_errors && attest_audit_errors_known(e);
        attest_print("%-16s %-9s", r->arithmetic.format.name,
                     attest_audit_verdict_name(r->verdict));
        print_count(r->collisions.pairs);
        attest_print(" %9zu", r->collisions.nonfinite);
        print_separation(r->has_separation, r->min_separation);
        print_size(known, e->max_ulp);
        print_size(known, e->mean_ulp);
        print_size(r->has_bound, e->bound_ulp);
        attest_print("\n");
    }
}

/* Prints the effects of the errors, format by format. */
void attest_cli_audit_print_meaning(const attest_audit_result *result, size_t count)
{
    attest_print("\n%-16s %9s %9s %9s %9s %9s %10s %10s %10s\n", "format", "error", "mean",
                 "weights", "mean", "strongest", "apart", "rounding", "merged");
    for (size_t f = 0; f < count; f++) {
        const attest_audit_result *r = &result[f];
        attest_print("%-16s", r->arithmetic.format.name);
        print_measure(r->deviation.positions > 0, r->deviation.max);
        print_measure(r->deviation.positions > 0, r->deviation.mean);
        print_measure(r->weights_error.rows > 0, r->weights_error.max);
        print_measure(r->weights_error.rows > 0, r->weights_error.mean);
        if (r->weights_error.rows > 0)
            attest_print(" %9zu", r->weights_error.changed);
        else
            attest_print(" %9s", "-");
        attest_print(" %10" PRIu64 " %10" PRIu64 " %10" PRIu64 "\n", r->pairs.apart,
                     r->pairs.by_rounding, r->pairs.merged);
    }
}

/* Prints a sentence for each format; whose is its subject where it is not the format alone. */
static void print_conclusions(const char *whose, const attest_audit_result *result,
                              size_t count)
{
    attest_audit_conclusion text;

    attest_print("\n");
    for (size_t f = 0; f < count; f++) {
        attest_audit_conclude(&text, &result[f]);
        attest_print("%s%s\n", whose, text.words);
    }
}

/* Prints the laws of exact attention that the formats break on these data. */
static void print_invariance(const attest_audit *audit)
{
    attest_audit_conclusion text;
    bool first = true;

    for (size_t f = 0; f < audit->formats; f++) {
        attest_audit_conclude_invariance(&text, &audit->result[f]);
        if (!text.words[0])
            continue;
        attest_print(first ? "\nlaws of exact attention that rounding breaks on these data:\n"
                           : "");
        attest_print("%s\n", text.words);
        first = false;
    }
}

static void print_stages(const attest_audit *audit)
{
    bool any = false;

    for (size_t f = 0; f < audit->formats; f++)
        any = any || audit->result[f].has_stages;
    if (!any)
        return;
    attest_print(
        "\nwhere the error enters: max ulp with one stage rounded, the others not\n%-16s",
        "format");
    for (int s = 0; s < ATTEST_STAGES; s++)
        attest_print(" %9s", attest_simulated_stage_name((attest_simulated_stage)s));
    attest_print("\n");
    for (size_t f = 0; f < audit->formats; f++) {
        const attest_audit_result *r = &audit->result[f];
        if (!r->has_stages)
            continue;
        attest_print("%-16s", r->arithmetic.format.name);
        for (int s = 0; s < ATTEST_STAGES; s++)
            print_size(attest_audit_errors_known(&r->stage[s]), r->stage[s].max_ulp);
        attest_print("\n");
    }
}

static void print_algorithms(const attest_audit *audit)
{
    attest_simulated_arithmetic like = audit->like;

    for (size_t a = 0; audit->compares && a < ATTEST_AUDIT_ALGORITHMS; a++) {
        attest_audit_algorithm(&like, a);
        attest_print("\n%s softmax, %s sums%s\n", attest_simulated_softmax_name(like.softmax),
                     like.pairwise ? "pairwise" : "sequential", like.fma ? ", fused" : "");
        print_results(&audit->algorithm[a * audit->formats], audit->formats);
    }
}

static void print_exponent(const arb_t separation)
{
    char text[40], *log2 = attest_ball_format_log2(separation);

    if (has_log2(separation)) {
        format_power(text, sizeof text, attest_or_exit(log2), 12);
        attest_print(", for a separation of %s", text);
    }
    attest_print("\n");
    free(log2);
}

static void print_certified(const attest_audit *audit)
{
    if (audit->collapse.certified)
        attest_print("%-18s %ld bits suffice by proof", "certified", audit->collapse.certified);
    else
        attest_print("%-18s no width", "certified");
    if (audit->certified.known && audit->certified.has_pair)
        print_exponent(audit->certified.min_separation);
    else
        attest_print("\n");
}

/* Returns the bits that Theorem 2 requires, for flint_free; NULL if it does not apply. */
static char *theory_bits(const attest_audit_theory *theory)
{
    char *text = NULL;
    fmpz_t bits;

    fmpz_init(bits);
    if (theory->known && attest_audit_bits(bits, theory->r, theory->delta))
        text = fmpz_get_str(NULL, 10, bits);
    fmpz_clear(bits);
    return text;
}

static void print_theory(const attest_audit_theory *theory)
{
    char *bits = theory_bits(theory);

    if (bits) {
        attest_print("%-18s %s bits", "Theorem 2", bits);
        print_exponent(theory->delta);
        flint_free(bits);
    } else {
        attest_print("%-18s does not apply: %s\n", "Theorem 2",
                     theory->reason ? theory->reason : "its formula is beyond all exponents");
    }
}

static void print_pair(const char *what, const attest_audit *audit, const size_t pair[2])
{
    attest_place a = attest_place_get(audit->dataset, pair[0]);
    attest_place b = attest_place_get(audit->dataset, pair[1]);

    attest_print("%s [%zu,%zu] and [%zu,%zu]", what, a.sequence, a.position, b.sequence,
                 b.position);
}

static void print_collapse(const attest_audit *audit)
{
    const attest_audit_collapse *c = &audit->collapse;

    if (c->bits) {
        attest_print("%-18s %ld bit%s", "collapse", c->bits, c->bits == 1 ? "" : "s");
        if (c->has_pair)
            print_pair("; with one bit less:", audit, c->pair);
        else
            attest_print(", the least width looked at");
    } else {
        attest_print("%-18s not found among the widths %ld to %ld: %s", "collapse", c->low,
                     c->high, c->reason);
        if (c->survived)
            attest_print("; no width from %ld on collapses", c->survived);
    }
    attest_print("\n");
    print_certified(audit);
    print_theory(&audit->theory);
}

/* Prints the least widths for which the relative error is below some limits. */
static void print_error_by_width(const attest_audit_error_by_width *by_width)
{
    static const double limit[] = {0.1, 0.01, 0.001};

    if (by_width->widths == 0)
        return;
    attest_print("%-18s", "error by width");
    for (size_t i = 0; i < sizeof limit / sizeof limit[0]; i++) {
        size_t w = by_width->widths;
        while (w > 0 && by_width->known[w - 1] && by_width->max[w - 1] <= limit[i])
            w--;
        attest_print("%s at most %g %% from ", i ? "," : "", 100 * limit[i]);
        if (w < by_width->widths)
            attest_print("%zu bit%s on", w + 1, w ? "s" : "");
        else
            attest_print("more than %zu bits on", by_width->widths);
    }
    attest_print("\n");
}

/* Prints the bits of an entry that are necessary, observed, and proved sufficient. */
static void print_bits(const attest_audit *audit)
{
    const attest_audit_collapse *c = &audit->collapse;
    size_t classes = audit->classes.classes, dim = attest_weights_output_dim(audit->weights);

    attest_print("%-18s at least %zu in any code, to distinguish %zu class%s", "bits per entry",
                 attest_pigeonhole_bits(classes, dim), classes, classes == 1 ? "" : "es");
    if (dim > 1)
        attest_print(" in %zu entries", dim);
    if (c->bits)
        attest_print("; significand: %ld observed", c->bits);
    if (c->certified)
        attest_print("%s%ld proved sufficient",
                     c->bits ? ", " : "; significand: ", c->certified);
    attest_print("\n");
    for (size_t f = 0; f < audit->formats; f++)
        if (attest_pigeonhole_collapses(&audit->format[f], classes, dim))
            attest_print("%-18s has too few values for %zu classes: it collapses by counting\n",
                         audit->format[f].name, classes);
}

static void print_kernels(const attest_audit_kernels *k)
{
    if (!k->known || k->entries == 0)
        return;
    attest_print(
        "%-18s %s: at most %.3g ulp, %.3g on average over %zu entries; %zu of %zu bounds "
        "broken\n",
        "fast path", k->name, k->max_ulp, k->mean_ulp, k->entries, k->broken, k->rows);
}

static void print_subject(const audit_job *job, const audit_subject *subject)
{
    const attest_audit *audit = &subject->audit;
    const char *strategy = attest_cli_audit_subject_name(subject);
    bool first = true, hardmax;

    if (subject->construction.hypothesis) {
        attest_print("%s: fails: %s: %s\n", strategy, subject->construction.hypothesis,
                     subject->construction.explanation);
        return;
    }
    hardmax = audit->weights->activation == ATTEST_HARDMAX;
    attest_print(
        "%s%s: N = %zu, n = %zu, d = %zu, |V| = %zu; ", strategy ? "strategy " : "weights",
        strategy ? strategy : "", job->dataset.count, job->dataset.longest,
        attest_weights_output_dim(audit->weights), attest_dataset_vocabulary(&job->dataset));
    attest_print(
        "%s, %s%s, %s sums%s%s%s\n\n", attest_simulated_rounding_name(audit->like.rounding),
        hardmax ? "" : attest_simulated_softmax_name(audit->like.softmax),
        hardmax ? "hardmax" : " softmax", audit->like.pairwise ? "pairwise" : "sequential",
        audit->like.fma ? ", fused" : "", audit->like.accumulates ? ", accumulated in " : "",
        audit->like.accumulates ? audit->like.accumulate.name : "");
    print_results(audit->result, audit->formats);
    attest_cli_audit_print_meaning(audit->result, audit->formats);
    if (audit->kernel_result) {
        attest_print("\nby the kernel ");
        attest_print("%s", audit->kernel->name);
        attest_print(", q, k, v and the sum of the heads rounded once\n");
        print_results(audit->kernel_result, 1);
        attest_cli_audit_print_meaning(audit->kernel_result, 1);
    }
    for (size_t f = 0; f < audit->formats; f++)
        if (audit->result[f].collisions.has_pair) {
            attest_print(first ? "\nfirst colliding pair: " : "; ");
            attest_print("%s:", audit->result[f].arithmetic.format.name);
            print_pair("", audit, audit->result[f].collisions.pair);
            first = false;
        }
    attest_print(first ? "" : "\n");
    print_stages(audit);
    if (audit->reference.sequences > 0 && audit->reference.sequences < job->dataset.count)
        attest_print("errors are those of a sample: %zu of %zu sequences, evenly spaced\n",
                     audit->reference.sequences, job->dataset.count);
    print_algorithms(audit);
    attest_print("\n");
    print_collapse(audit);
    print_error_by_width(&audit->error_by_width);
    print_bits(audit);
    print_kernels(&audit->kernels);
    print_invariance(audit);
    print_conclusions("", audit->result, audit->formats);
    if (audit->kernel_result)
        print_conclusions("the kernel, ", audit->kernel_result, 1);
}

/* Prints the strategies side by side. */
static void print_side_by_side(const audit_job *job)
{
    attest_print("\n%-10s %14s %14s %14s\n", "strategy", "collapse bits", "certified bits",
                 "theory bits");
    for (size_t i = 0; i < job->subjects; i++) {
        const audit_subject *subject = &job->subject[i];
        const attest_audit *audit = &subject->audit;
        char *text;
        if (subject->construction.hypothesis)
            continue;
        text = theory_bits(&audit->theory);
        attest_print("%-10s", attest_cli_audit_subject_name(subject));
        if (audit->collapse.bits)
            attest_print(" %14ld", audit->collapse.bits);
        else
            attest_print("        > %6ld", audit->collapse.high);
        if (audit->collapse.certified)
            attest_print(" %14ld", audit->collapse.certified);
        else
            attest_print(" %14s", "-");
        attest_print(" %14s\n", text ? text : "-");
        if (text)
            flint_free(text);
    }
}

void attest_cli_audit_print_gate(const attest_audit_gate *gate)
{
    for (size_t i = 0; i < gate->count; i++)
        attest_print("worse: %s\n", gate->line[i]);
    if (gate->count == 0)
        attest_print("not worse than the stored audit\n");
}

void attest_cli_audit_print_next(const audit_settings *settings, const attest_common *common)
{
    if (!settings->report && !settings->gate)
        attest_cli_print_hint(common,
                              "next: --report OUT.html writes a page with plots, -o FILE the "
                              "record; --gate FILE fails when something gets worse");
}

void attest_cli_audit_print(const audit_job *job)
{
    for (size_t i = 0; i < job->subjects; i++) {
        attest_print(i ? "\n" : "");
        print_subject(job, &job->subject[i]);
    }
    if (job->subjects > 1)
        print_side_by_side(job);
    if (job->request->settings.gate)
        attest_cli_audit_print_gate(&job->gate);
}
