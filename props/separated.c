/* separated.c -- Definition 1: tokenwise separatedness. */
#include "campaign/gen.h"
#include "campaign/label.h"
#include "number/scope.h"
#include "props/arithmetic.h"
#include "props/oracle.h"
#include "props/registry.h"
#include "props/transform.h"

const attest_statement attest_statement_separated = {
    .name = "separated",
    .title = "Definition 1: tokenwise separatedness",
    .source = "Kajitsuka and Sato, ICLR 2024 (arXiv 2307.14023), Definition 1",
    .text =
        "The sequences X^(1..N) are tokenwise (r_min, r_max, eps)-separated when every token "
        "has r_min < |x| < r_max, and any two different tokens, of the same or of different "
        "sequences, are more than eps apart. All inequalities are strict; norms are "
        "Euclidean.",
    .decided_by = "exact arithmetic: squares of rationals against squares of the bounds",
    .note = "proofs-notes/separated.md",
};

/* The property: the extremes of the library are those of all tokens and pairs; bounds just
 * below, at and just above them have the verdicts of strict inequalities; reversing leaves
 * them, and scaling multiplies them by the factor. */

static attest_status gen(attest_instance *instance, struct theft *t,
                         const attest_setting *setting)
{
    static const attest_gen_tokens tokens = {
        .dim_max = 4, .count_min = 1, .count_max = 10, .zero = true, .decades = 40};
    static const attest_gen_sequences sequences = {
        .count_min = 1, .count_max = 4, .length_min = 1, .length_max = 8, .repeats = true};

    if (setting->number != ATTEST_ARITHMETIC_NONE)
        return attest_props_separated_gen(instance, t, setting);
    attest_gen_nonzero(attest_instance_set(instance, "scale"), t, 8);
    return attest_gen_sequences_of(&instance->dataset, t, &tokens, &sequences);
}

static bool fail(attest_trial *trial, const char *what)
{
    attest_trial_violated(trial, "separated", "%s", what);
    return false;
}

/* sum = |x - y|^2 of the tokens at two places, or |x|^2 where the places are the same. */
static void get_square(fmpq_t sum, const attest_dataset *d, attest_place a, attest_place b)
{
    bool alone = a.sequence == b.sequence && a.position == b.position;
    FMPQ(x, y);

    fmpq_zero(sum);
    for (size_t c = 0; c < d->dim; c++) {
        attest_tokens_get_entry(x, &d->tokens, attest_dataset_token(d, a.sequence, a.position),
                                c);
        attest_tokens_get_entry(y, &d->tokens, attest_dataset_token(d, b.sequence, b.position),
                                c);
        if (!alone)
            fmpq_sub(x, x, y);
        fmpq_addmul(sum, x, x);
    }
}

/* The extremes of all positions; equal tokens are those at distance 0. */
typedef struct extremes {
    fmpq_t least, most, closest;
    bool has_pair, no_duplicates;
} extremes;

/* All positions, over one denominator: differences and squares are those of integers then. */
typedef struct integers {
    slong count, dim;
    fmpz *entry;
    fmpz_t denominator;
} integers;

static void integers_init(integers *n, const attest_dataset *d)
{
    n->count = (slong)d->total;
    n->dim = (slong)d->dim;
    n->entry = _fmpz_vec_init(n->count * n->dim);
    fmpz_init_set_ui(n->denominator, 1);
    FMPQ_VEC(value, n->count * n->dim);
    for (slong e = 0; e < n->count * n->dim; e++) {
        attest_tokens_get_entry(value + e, &d->tokens, d->token[e / n->dim],
                                (size_t)(e % n->dim));
        fmpz_lcm(n->denominator, n->denominator, fmpq_denref(value + e));
    }
    for (slong e = 0; e < n->count * n->dim; e++) {
        fmpz_divexact(n->entry + e, n->denominator, fmpq_denref(value + e));
        fmpz_mul(n->entry + e, n->entry + e, fmpq_numref(value + e));
    }
}

static void integers_clear(integers *n)
{
    _fmpz_vec_clear(n->entry, n->count * n->dim);
    fmpz_clear(n->denominator);
}

/* square = |x_a - x_b|^2, or |x_a|^2 for b = a, times the square of the denominator. */
static void integers_square(fmpz_t square, const integers *n, slong a, slong b,
                            fmpz_t difference)
{
    fmpz_zero(square);
    for (slong c = 0; c < n->dim; c++) {
        if (a == b)
            fmpz_set(difference, n->entry + a * n->dim + c);
        else
            fmpz_sub(difference, n->entry + a * n->dim + c, n->entry + b * n->dim + c);
        fmpz_addmul(square, difference, difference);
    }
}

/* Keeps the square in a place for the least (sign -1) or the largest. */
static void offer(fmpq_t kept, bool first, const fmpz_t square, int sign)
{
    if (first || sign * fmpz_cmp(square, fmpq_numref(kept)) > 0)
        fmpz_set(fmpq_numref(kept), square);
}

static void look(extremes *e, const attest_dataset *d)
{
    ATTEST_SCOPED(integers, n, d);
    FMPZ(square, difference);

    e->no_duplicates = true;
    for (slong a = 0, sequence = 0; a < n.count; a++) {
        while (a >= (slong)d->start[sequence + 1])
            sequence++;
        integers_square(square, &n, a, a, difference);
        offer(e->least, a == 0, square, -1);
        offer(e->most, a == 0, square, 1);
        for (slong b = a + 1; b < n.count; b++) {
            integers_square(square, &n, a, b, difference);
            if (fmpz_is_zero(square)) {
                e->no_duplicates = e->no_duplicates && b >= (slong)d->start[sequence + 1];
            } else {
                offer(e->closest, !e->has_pair, square, -1);
                e->has_pair = true;
            }
        }
    }
    fmpz_mul(square, n.denominator, n.denominator);
    for (int i = 0; i < 3; i++) {
        fmpq *extreme = i == 0 ? e->least : i == 1 ? e->most : e->closest;

        fmpz_set(fmpq_denref(extreme), square);
        fmpq_canonicalise(extreme);
    }
}

/* Checks that the extremes of the library are these times the factor, attained at the named
 * tokens. */
static bool check_extremes(attest_trial *trial, const attest_separated *s, const extremes *e,
                           const attest_dataset *d, const fmpq_t factor)
{
    bool ok = true;
    FMPQ(x, y);

    fmpq_mul(x, e->least, factor);
    get_square(y, d, s->r_min, s->r_min);
    if (!fmpq_equal(s->r_min_square, x) || !fmpq_equal(x, y))
        ok = fail(trial, "the least norm");
    fmpq_mul(x, e->most, factor);
    get_square(y, d, s->r_max, s->r_max);
    if (!fmpq_equal(s->r_max_square, x) || !fmpq_equal(x, y))
        ok = fail(trial, "the largest norm");
    if (s->has_pair != e->has_pair)
        ok = fail(trial, "whether there are different tokens");
    if (s->has_pair && e->has_pair) {
        fmpq_mul(x, e->closest, factor);
        get_square(y, d, s->eps[0], s->eps[1]);
        if (!fmpq_equal(s->eps_square, x) || !fmpq_equal(x, y))
            ok = fail(trial, "the least distance");
    }
    if (s->no_duplicates != e->no_duplicates)
        ok = fail(trial, "whether a sequence repeats a token");
    return ok;
}

/* Checks bounds with these squares below, at and above an extreme: below must give `low`,
 * at must give `at`, above `high`. which: 0 r_min, 1 r_max, 2 eps. */
static bool ask(attest_trial *trial, const attest_separated *s, const fmpq_t square, int which)
{
    static const attest_separated_part part[] = {ATTEST_SEPARATED_R_MIN, ATTEST_SEPARATED_R_MAX,
                                                 ATTEST_SEPARATED_EPS};
    bool ok = true;
    FMPQ(low, root, high);
    const fmpq *const bound[3] = {low, root, high};
    bool rational = attest_root_bounds(low, root, high, square);

    for (int i = 0; i < 3 && ok; i++) {
        if ((i == 1 && !rational) || fmpq_sgn(bound[i]) < 0)
            continue;
        /* r_min and eps: the bound must be smaller; r_max: larger. All strictly. */
        bool holds = which == 1 ? i == 2 : i == 0;
        const fmpq *wanted[3] = {NULL, NULL, NULL};
        wanted[which] = bound[i];
        attest_separated_part found =
            attest_separated_check(s, wanted[0], wanted[1], wanted[2]);
        if (found != (holds ? ATTEST_SEPARATED_HOLDS : part[which]))
            ok = fail(trial,
                      i == 1 ? "a bound that is met exactly" : "a bound near the extreme");
        if (i == 1)
            attest_trial_label(trial, "bound met exactly");
    }
    return ok;
}

static attest_status check_changed(attest_trial *trial, const attest_instance *instance,
                                   const extremes *e, attest_separated *s, attest_error *error)
{
    attest_token_change change = {.factor = attest_instance_get(instance, "scale"),
                                  .mirror = true};
    ATTEST_SCOPED(attest_dataset, changed);
    FMPQ(factor);

    fmpq_one(factor);
    ATTEST_TRY(
        attest_transform_rearrange(&changed, &instance->dataset, ATTEST_REVERSE_SEQUENCES));
    ATTEST_TRY(attest_separated_get(s, &changed, error));
    if (!check_extremes(trial, s, e, &changed, factor))
        return ATTEST_OK;
    ATTEST_TRY(attest_transform_dataset(&changed, &instance->dataset, &change));
    ATTEST_TRY(attest_separated_get(s, &changed, error));
    fmpq_mul(factor, change.factor, change.factor);
    (void)check_extremes(trial, s, e, &changed, factor);
    return ATTEST_OK;
}

static void extremes_clear(extremes *e)
{
    fmpq_clear(e->least), fmpq_clear(e->most), fmpq_clear(e->closest);
}

static attest_status decide(attest_trial *trial, const attest_instance *instance,
                            const attest_setting *setting, attest_error *error)
{
    const attest_dataset *d = &instance->dataset;
    const fmpq *scale = attest_instance_get(instance, "scale");
    extremes e ATTEST_CLEARED_BY(extremes_clear) = {0};
    FMPQ(one);
    ATTEST_SCOPED(attest_separated, s);

    if (setting->number != ATTEST_ARITHMETIC_NONE)
        return attest_props_separated_decide(trial, instance, setting, error);
    if (d->count == 0 || !scale || fmpq_is_zero(scale)) {
        trial->outcome = ATTEST_DISCARDED;
        return ATTEST_OK;
    }
    fmpq_init(e.least), fmpq_init(e.most), fmpq_init(e.closest);
    fmpq_one(one);
    look(&e, d);
    ATTEST_TRY(attest_separated_get(&s, d, error));
    if (check_extremes(trial, &s, &e, d, one) && ask(trial, &s, e.least, 0) &&
        ask(trial, &s, e.most, 1) && (!e.has_pair || ask(trial, &s, e.closest, 2)))
        ATTEST_TRY(check_changed(trial, instance, &e, &s, error));
    attest_trial_label_dataset(trial, d);
    return ATTEST_OK;
}

const attest_property attest_property_separated = {
    .name = "separated",
    .title = "the extremes of Definition 1 are those of all tokens and pairs",
    .statement = "separated",
    .gen = gen,
    .decide = decide,
    .arithmetic = true,
    .trials = 5000,
};
