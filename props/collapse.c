/* collapse.c -- the collapse: a sufficient and a necessary condition for distinct outputs. */
#include <stdio.h>

#include "audit/collapse.h"
#include "audit/collisions.h"
#include "campaign/gen.h"
#include "campaign/label.h"
#include "format/simulate_in_mpfr.h"
#include "number/scope.h"
#include "props/evaluation.h"
#include "props/registry.h"

static const attest_hypothesis hypotheses[] = {
    {"accurate", "every computed output is within e of the exact one, and 2 e < s"},
    {0},
};

static const attest_constant constants[] = {
    {"suffice",
     "the least width p with 2 E(p) < s, where E is the a priori bound: certified_bits"},
    {"necessary", "the least b with 2^{b d} >= classes: necessary_bits"},
    {0},
};

const attest_statement attest_statement_collapse = {
    .name = "collapse",
    .title = "The collapse: the bits that suffice, and those that are necessary",
    .source = "our own",
    .text =
        "Let a layer separate all required pairs by more than s, and let an arithmetic compute "
        "every output within e of it. If 2 e < s, no required pair collides: computed outputs "
        "are more than s - 2e apart. And whatever the layer and its errors, a format with M "
        "values per entry separates at most M^d classes of contexts: if a dataset has more, "
        "some required pair collides. Classes are pairs of a vocabulary and a token.",
    .hypotheses = hypotheses,
    .constants = constants,
    .decided_by = "the simulated arithmetic against balls; all pairs of positions",
    .note = "proofs-notes/collapse.md",
    .machine = "whole: proofs-notes/coq/collapse.v, collapse_suffices, collapse_distance, "
               "collapse_necessary. Not the a priori bound E",
};

enum { BITS = 320, WIDEST = 128, FEW_EXPONENTS = 2 };

static const attest_gen_layer kind = {
    .tokens = {.dim_max = 2, .count_min = 2, .count_max = 8},
    .sequences = {.count_min = 2,
                  .count_max = 6,
                  .length_min = 1,
                  .length_max = 5,
                  .repeats = true,
                  .shared = true},
    .heads = {.heads_max = 2, .size_max = 2, .nonzero = true, .score_limit = 8},
    .activation = ATTEST_GEN_SOFTMAX,
};

/* One entry, and many classes. */
static const attest_gen_layer crowd = {
    .tokens = {.dim_max = 1, .count_min = 6, .count_max = 8},
    .sequences = {.count_min = 6, .count_max = 8, .length_min = 3, .length_max = 5},
    .heads = {.heads_max = 2, .size_max = 2, .nonzero = true, .score_limit = 8},
    .activation = ATTEST_GEN_SOFTMAX,
};

/* A wide significand, or (half of them) a format with few values; without the hypothesis a
 * narrow significand. */
static attest_status gen(attest_instance *instance, struct theft *t,
                         const attest_setting *setting)
{
    bool few = theft_random_choice(t, 2) == 1;
    size_t bits = few ? attest_gen_size(t, 1, 2) : attest_gen_size(t, 64, WIDEST);

    if (attest_setting_drops(setting, "accurate"))
        bits = attest_gen_size(t, 2, 12), few = false;
    fmpz_set_ui(fmpq_numref(attest_instance_set(instance, "p")), bits);
    if (few)
        fmpz_set_ui(fmpq_numref(attest_instance_set(instance, "emax")),
                    attest_gen_size(t, 1, FEW_EXPONENTS));
    return attest_gen_data_and_weights(instance, t, few ? &crowd : &kind);
}

/* format = p=P, or p=P:emin=-E:emax=E; returns false if the parameters are invalid. */
static bool get_format(attest_format *format, const attest_instance *instance)
{
    const fmpq *p = attest_instance_get(instance, "p"),
               *emax = attest_instance_get(instance, "emax");
    attest_error error;
    char name[64];

    if (!p || fmpq_cmp_si(p, 1) < 0 || fmpq_cmp_si(p, 4096) > 0 ||
        !fmpz_is_one(fmpq_denref(p)) ||
        (emax && (fmpq_cmp_si(emax, 1) < 0 || fmpq_cmp_si(emax, 4096) > 0 ||
                  !fmpz_is_one(fmpq_denref(emax)))))
        return false;
    if (emax)
        snprintf(name, sizeof name, "p=%ld:emin=-%ld:emax=%ld", fmpz_get_si(fmpq_numref(p)),
                 fmpz_get_si(fmpq_numref(emax)), fmpz_get_si(fmpq_numref(emax)));
    else
        snprintf(name, sizeof name, "p=%ld", fmpz_get_si(fmpq_numref(p)));
    return attest_format_parse(format, name, &error) == ATTEST_OK;
}

/* Computed and exact outputs of all positions, and their classes. */
typedef struct outputs {
    attest_audit_outputs computed;
    attest_contexts classes;
    attest_evaluation exact;
    bool finite;
} outputs;

static void outputs_clear(outputs *o)
{
    attest_audit_outputs_clear(&o->computed);
    attest_contexts_clear(&o->classes);
    attest_evaluation_clear(&o->exact);
}

static attest_status evaluate(outputs *o, const attest_instance *instance,
                              const attest_format *format, attest_error *error)
{
    const attest_dataset *d = &instance->dataset;
    attest_simulated_arithmetic arithmetic;
    attest_audit_request request;

    attest_simulated_arithmetic_init(&arithmetic, format);
    attest_audit_request_init(&request, d, &instance->weights);
    ATTEST_TRY(attest_evaluation_init(&o->exact, d, &instance->weights, BITS, error));
    ATTEST_TRY(attest_contexts_get_classes(&o->classes, d, instance->weights.mask, error));
    ATTEST_TRY(attest_audit_evaluate(&o->computed, &request, &arithmetic, error));
    o->finite = true;
    for (size_t p = 0; p < d->total && o->finite; p++)
        o->finite = attest_audit_outputs_finite(&o->computed, p);
    return ATTEST_OK;
}

/* square = the sum of the squares of x - y, entry by entry. */
static void add_square(arb_t square, const arb_t x, const arb_t y)
{
    ARB(difference);

    arb_sub(difference, x, y, BITS);
    arb_addmul(square, difference, difference, BITS);
}

/* e = the largest error, s = the least exact distance of a required pair: an upper and a lower
 * bound. */
static void measure(arb_t e, arb_t s, const outputs *o, const attest_dataset *d)
{
    bool any = false;
    ARB(square, entry);

    arb_zero(e);
    for (size_t p = 0; p < d->total; p++) {
        arb_zero(square);
        for (size_t c = 0; c < d->dim; c++) {
            ARF(x);

            attest_audit_outputs_get(x, &o->computed, p, c);
            arb_set_arf(entry, x);
            add_square(square, entry, o->exact.ball + p * d->dim + c);
        }
        arb_sqrt(square, square, BITS);
        arb_max(e, e, square, BITS);
        for (size_t q = 0; q < p; q++) {
            if (o->classes.position[p] == o->classes.position[q])
                continue;
            arb_zero(square);
            for (size_t c = 0; c < d->dim; c++)
                add_square(square, o->exact.ball + p * d->dim + c,
                           o->exact.ball + q * d->dim + c);
            arb_sqrtpos(square, square, BITS);
            if (any)
                arb_min(s, s, square, BITS);
            else
                arb_set(s, square);
            any = true;
        }
    }
    if (!any)
        arb_pos_inf(s);
}

/* Finds the first required pair that collides, by comparing all of them; returns how many do.
 */
static size_t count_collisions(size_t pair[2], const outputs *o, size_t positions)
{
    size_t count = 0;

    for (size_t q = positions; q-- > 0;)
        for (size_t p = q; p-- > 0;)
            if (o->classes.position[p] != o->classes.position[q] &&
                (!attest_audit_outputs_finite(&o->computed, p) ||
                 !attest_audit_outputs_finite(&o->computed, q) ||
                 attest_audit_outputs_compare(&o->computed, p, q) == 0)) {
                pair[0] = p, pair[1] = q;
                count++;
            }
    return count;
}

static void judge(attest_trial *trial, const attest_dataset *d, size_t collisions,
                  const size_t pair[2], bool too_few, bool accurate)
{
    if (too_few && collisions == 0) {
        attest_trial_violated(trial, "collapse",
                              "more classes than the format has values, and no collision");
    } else if (accurate && collisions > 0) {
        trial->has_pair = true;
        for (size_t side = 0; side < 2; side++)
            trial->pair[side] = attest_place_get(d, pair[side]);
        attest_trial_violated(trial, "collapse", "%zu required pairs collide", collisions);
    }
}

/* Counts the values of a small format: the multiples of the least value with at most p
 * significant bits. 0: there are many, or the exponents are unbounded. */
static size_t count_values(const attest_format *format)
{
    size_t top, count = 0;

    if (!format->bounded || format->precision + format->emax - format->emin > 12)
        return 0;
    top = ((1u << format->precision) - 1) << (format->emax - format->emin);
    for (size_t k = 1; k <= top; k++) {
        size_t odd = k;

        while (odd % 2 == 0)
            odd /= 2;
        count += odd >> format->precision == 0;
    }
    return 2 * count + 1;
}

/* Checks the counts of the library: the values of the format, the classes that they can tell
 * apart, and the bits that the classes need. */
static bool counting_is_right(const attest_format *format, size_t classes, size_t dim)
{
    size_t values = count_values(format), capacity = values, bits;
    bool right = true;

    for (size_t c = 1; c < dim; c++)
        capacity *= values;
    FMPZ(counted);
    if (values > 0)
        right = attest_pigeonhole_values(counted, format) && fmpz_equal_ui(counted, values) &&
                !attest_pigeonhole_collapses(format, capacity, dim) &&
                attest_pigeonhole_collapses(format, capacity + 1, dim);
    bits = attest_pigeonhole_bits(classes, dim);
    fmpz_one(counted);
    fmpz_mul_2exp(counted, counted, bits * dim);
    right = right && fmpz_cmp_ui(counted, classes) >= 0;
    fmpz_tdiv_q_2exp(counted, counted, bits > 0 ? dim : 0);
    right = right && (bits == 0 || fmpz_cmp_ui(counted, classes) < 0);
    return right;
}

static attest_status decide_outputs(attest_trial *trial, const attest_instance *instance,
                                    const attest_setting *setting, const outputs *o,
                                    const attest_format *format, attest_error *error)
{
    const attest_dataset *d = &instance->dataset;
    bool too_few = attest_pigeonhole_collapses(format, o->classes.classes, d->dim), accurate;
    size_t pair[2] = {0, 0}, collisions = count_collisions(pair, o, d->total);
    ATTEST_SCOPED(attest_audit_collisions, found);
    ARB(e, s);

    ATTEST_TRY(attest_audit_collisions_get(&found, &o->computed, &o->classes, error));
    if (o->finite)
        measure(e, s, o, d);
    arb_mul_2exp_si(e, e, 1);
    accurate = o->finite && (arb_lt(e, s) || attest_setting_drops(setting, "accurate"));
    if (!fmpz_equal_ui(found.pairs, collisions))
        attest_trial_violated(trial, "collapse", "the library counts other collisions");
    else if (!counting_is_right(format, o->classes.classes, d->dim))
        attest_trial_violated(trial, "collapse", "the library counts other values");
    else if (!accurate && !too_few)
        trial->outcome = ATTEST_DISCARDED;
    else
        judge(trial, d, collisions, pair, too_few, accurate);
    attest_trial_label(trial, too_few ? "too few values" : "accurate");
    if (collisions > 0)
        attest_trial_label(trial, "a collision");
    return ATTEST_OK;
}

static attest_status decide(attest_trial *trial, const attest_instance *instance,
                            const attest_setting *setting, attest_error *error)
{
    attest_format format;

    if (!attest_instance_fits(instance) || instance->weights.activation != ATTEST_SOFTMAX ||
        !get_format(&format, instance)) {
        trial->outcome = ATTEST_DISCARDED;
        return ATTEST_OK;
    }
    outputs o ATTEST_CLEARED_BY(outputs_clear) = {.finite = false};
    attest_contexts_init(&o.classes);
    ATTEST_TRY(evaluate(&o, instance, &format, error));
    return decide_outputs(trial, instance, setting, &o, &format, error);
}

static const attest_droppable droppable[] = {{"accurate", true}, {0}};

static const attest_coverage coverage[] = {
    {"accurate", 30, 80},
    {"too few values", 20, 70},
    {"a collision", 20, 70},
    {0},
};

const attest_property attest_property_collapse = {
    .name = "collapse",
    .title = "accurate outputs never collide, too few values always do, and are counted",
    .statement = "collapse",
    .gen = gen,
    .decide = decide,
    .droppable = droppable,
    .coverage = coverage,
    .trials = 1000,
};
