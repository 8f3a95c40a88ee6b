/* check.c -- verifies the claims of a certificate. */
#include <attest/check.h>

#include "base/hint.h"
#include "recheck/recheck.h"

#include "base/memory.h"
#include "base/term.h"
#include "base/workers.h"
#include "number/scope.h"
#include "recheck/lemma.h"

/* A number x that separations or norms are compared with. The outputs of the original layer lie
 * within weights->output_error of those that are evaluated here, so separations and norms are
 * off by at most w, and are compared with x - w and x + w (proofs-notes/pairing.md). */
enum { LOW, HIGH };
typedef struct threshold {
    bool is_end;     /* of a ball, with an exponent of any size; else delta or r */
    int sign;        /* of x */
    arf_t end[2];    /* is_end: x - w, rounded down, and x + w, rounded up; */
    fmpq_t bound[2]; /* not is_end: x - w and x + w, exactly */
} threshold;

/* The answer to a question about the original layer. */
typedef enum answer {
    NO,
    YES,
    CAPPED, /* a cap on bits, terms or work is met */
    HIDDEN, /* the error of the weights leaves it open */
} answer;

/* One verification. */
typedef struct verification {
    const attest_certificate *certificate;
    const attest_check_options *options;
    attest_recheck check;
    attest_recheck_lemma lemma;
    bool has_lemma, has_doubles;
    long max_bits;                  /* of the options */
    threshold least, most, delta;   /* the ends of min_separation, and delta, */
    threshold smallest, largest, r; /* those of max_norm, and r */
    bool holds, capped, hidden;     /* whether some answer was CAPPED, or HIDDEN */
    attest_error *error;
} verification;

#define FAIL_CHECK(v, ...)                                                                     \
    ((v)->holds = false, (void)attest_error_set((v)->error, ATTEST_DOMAIN, __VA_ARGS__))

/* If midpoint and radius are 2^MOST_APART_BITS bits apart or more, their sum is not formed. */
enum { MOST_APART_BITS = 26 };

/* True if the exact ends of the ball can be formed: a few characters of a file must not
 * become gigabytes. */
static bool has_ends(const arb_t ball)
{
    ARF(radius);
    FMPZ(apart);

    if (arf_is_zero(arb_midref(ball)) || mag_is_zero(arb_radref(ball)))
        return true;
    arf_set_mag(radius, arb_radref(ball));
    fmpz_sub(apart, ARF_EXPREF(arb_midref(ball)), ARF_EXPREF(radius));
    return fmpz_bits(apart) <= MOST_APART_BITS;
}

/* low and high = the exact ends of the ball. */
static void get_ends(arf_t low, arf_t high, const arb_t ball)
{
    ARF(radius);

    arf_set_mag(radius, arb_radref(ball));
    arf_sub(low, arb_midref(ball), radius, ARF_PREC_EXACT, ARF_RND_DOWN);
    arf_add(high, arb_midref(ball), radius, ARF_PREC_EXACT, ARF_RND_DOWN);
}

static void threshold_init(threshold *x)
{
    *x = (threshold){.is_end = false};
    for (int side = LOW; side <= HIGH; side++) {
        arf_init(x->end[side]);
        fmpq_init(x->bound[side]);
    }
}

static void threshold_clear(threshold *x)
{
    for (int side = LOW; side <= HIGH; side++) {
        arf_clear(x->end[side]);
        fmpq_clear(x->bound[side]);
    }
}

/* How many bits more than an end its sum with the slack gets: enough for an exact sum,
 * unless the end is far below the slack or very large. */
enum { MORE_BITS = 1 << 15 };

/* w = slack * outputs. */
static void set_end(threshold *x, const arf_t end, const fmpq_t slack, ulong outputs)
{
    slong bits = arf_bits(end) + MORE_BITS;
    ARF(w);

    x->is_end = true;
    x->sign = arf_sgn(end);
    arf_set(x->end[LOW], end);
    arf_set(x->end[HIGH], end);
    if (fmpq_is_zero(slack))
        return;
    arf_set_fmpq(w, slack, 64, ARF_RND_CEIL);
    arf_mul_ui(w, w, outputs, ARF_PREC_EXACT, ARF_RND_CEIL);
    ATTEST_TERM_ARF(end_slack, w);
    arf_sub(x->end[LOW], end, w, bits, ARF_RND_FLOOR);
    arf_add(x->end[HIGH], end, w, bits, ARF_RND_CEIL);
}

static void set_bound(threshold *x, const fmpq_t bound, const fmpq_t slack, ulong outputs)
{
    x->sign = fmpq_sgn(bound);
    fmpq_set(x->bound[LOW], bound);
    fmpq_set(x->bound[HIGH], bound);
    outputs = (ulong)ATTEST_TERM(bound_slack, outputs);
    for (; outputs > 0; outputs--) {
        fmpq_sub(x->bound[LOW], x->bound[LOW], slack);
        fmpq_add(x->bound[HIGH], x->bound[HIGH], slack);
    }
}

static void set_ball(threshold *low, threshold *high, const arb_t ball, const fmpq_t slack,
                     ulong outputs)
{
    arf_t ends[2];

    arf_init(ends[LOW]), arf_init(ends[HIGH]);
    get_ends(ends[LOW], ends[HIGH], ball);
    set_end(low, ends[LOW], slack, outputs);
    set_end(high, ends[HIGH], slack, outputs);
    arf_clear(ends[LOW]), arf_clear(ends[HIGH]);
}

/* Compares |F_a - F_b| (|F_a| for b = a), as evaluated here, with one side of x. */
static int compare_side(verification *v, size_t a, size_t b, const threshold *x, int side)
{
    if ((x->is_end ? arf_sgn(x->end[side]) : fmpq_sgn(x->bound[side])) < 0)
        return 1;
    return x->is_end ? attest_recheck_compare_end(&v->check, a, b, x->end[side], v->max_bits)
                     : attest_recheck_compare(&v->check, a, b, x->bound[side], v->max_bits);
}

/* Returns whether |F_a - F_b| (|F_a| for b = a) of the original layer is at least x (strictly:
 * more than x). */
static answer is_above(verification *v, size_t a, size_t b, const threshold *x, bool strictly)
{
    int high, low;

    if (x->sign < 0 || (x->sign == 0 && !strictly))
        return YES;
    high = low = compare_side(v, a, b, x, HIGH);
    if (high == 1 || (high == 0 && !strictly))
        return YES;
    if (!fmpq_is_zero(v->check.weights->output_error))
        low = compare_side(v, a, b, x, LOW);
    if (low == -1 || (low == 0 && strictly))
        return NO;
    return high == 2 || low == 2 ? CAPPED : HIDDEN;
}

/* Returns whether it is at most x (strictly: less than x). */
static answer is_below(verification *v, size_t a, size_t b, const threshold *x, bool strictly)
{
    answer above = is_above(v, a, b, x, !strictly);

    return above == YES ? NO : above == NO ? YES : above;
}

/* True if a claim of the certificate is proved false; records open answers. */
static bool is_false(verification *v, answer result)
{
    v->capped = v->capped || result == CAPPED;
    v->hidden = v->hidden || result == HIDDEN;
    return result == NO;
}

/* Requires that |F_a - F_b| (|F_a| for b = a) lies between low and high. */
static void require_inside(verification *v, size_t a, size_t b, const threshold *low,
                           const threshold *high, const char *what)
{
    if (is_false(v, is_above(v, a, b, low, false)))
        FAIL_CHECK(v, "%s is smaller than certified", what);
    if (is_false(v, is_below(v, a, b, high, false)))
        FAIL_CHECK(v, "%s is larger than certified", what);
}

static void fail_pair(verification *v, size_t a, size_t b, const char *what)
{
    attest_place x = attest_place_get(v->check.dataset, a);
    attest_place y = attest_place_get(v->check.dataset, b);

    FAIL_CHECK(v, "the outputs at [%zu,%zu] and [%zu,%zu] are %s", x.sequence, x.position,
               y.sequence, y.position, what);
}

/* A near pair: its separation must not be below the enclosure, and above delta if proved. */
static bool visit_pair(void *state, size_t a, size_t b)
{
    verification *v = state;

    if (is_false(v, is_above(v, a, b, &v->least, false)))
        fail_pair(v, a, b, "closer than certified");
    if (v->holds && v->certificate->verdict == ATTEST_PROVED &&
        is_false(v, is_above(v, a, b, &v->delta, true)))
        fail_pair(v, a, b, "not more than delta apart");
    return v->holds;
}

/* *position = the number of a place, counted through all sequences; false if it does not
 * exist. */
static bool locate(size_t *position, const attest_dataset *dataset, attest_place place)
{
    if (place.sequence >= dataset->count ||
        place.position >= attest_dataset_length(dataset, place.sequence))
        return false;
    *position = dataset->start[place.sequence] + place.position;
    return true;
}

/* True if all positions are of one class: there is no required pair. */
static bool one_class(const attest_recheck *check)
{
    for (size_t p = 1; p < check->positions; p++)
        if (check->group[p] != check->group[0])
            return false;
    return true;
}

/* Evaluates all outputs in doubles, at the first call. */
static attest_status need_doubles(verification *v)
{
    if (v->has_doubles)
        return ATTEST_OK;
    v->has_doubles = true;
    return attest_recheck_make_doubles(&v->check, v->error);
}

/* Checks every required pair whose distance may be below the lower end of min_separation or,
 * under "proved", delta. */
static attest_status check_near(verification *v)
{
    const attest_certificate *c = v->certificate;
    bool covers = false;
    ARB(delta);
    ARF(reach, least);

    arb_set_fmpq(delta, v->delta.bound[HIGH], 128);
    if (c->verdict == ATTEST_PROVED)
        arb_get_ubound_arf(reach, delta, 128);
    if (v->least.sign > 0)
        arf_set(least, v->least.end[HIGH]);
    ATTEST_TERM_ARF(near_delta, reach);
    ATTEST_TERM_ARF(near_least, least);
    arf_max(reach, reach, least);
    if (v->has_lemma)
        ATTEST_TRY(attest_recheck_lemma_visit_near(&covers, &v->lemma, reach, visit_pair, v,
                                                   v->error));
    if (covers)
        return ATTEST_OK;
    ATTEST_TRY(need_doubles(v));
    return attest_recheck_visit_near(&v->check, reach, visit_pair, v, v->error);
}

static attest_status check_separation(verification *v)
{
    const attest_certificate *c = v->certificate;
    size_t a, b;

    if (!c->has_pair) {
        if (c->verdict != ATTEST_UNDECIDED && !one_class(&v->check))
            FAIL_CHECK(v, "there are required pairs, but no pair is named");
        return ATTEST_OK;
    }
    if (!locate(&a, v->check.dataset, c->pair[0]) ||
        !locate(&b, v->check.dataset, c->pair[1]) || v->check.group[a] == v->check.group[b]) {
        FAIL_CHECK(v, "the pair is not a required pair of the dataset");
        return ATTEST_OK;
    }
    require_inside(v, a, b, &v->least, &v->most, "the separation of the pair");
    return v->holds ? check_near(v) : ATTEST_OK;
}

/* Checks the witness, which names neighbours in the order of Lemma F. */
static attest_status check_witness(verification *v)
{
    const char *what = "the certificate has a witness, but Lemma F does not apply";

    if (!v->certificate->witness.present)
        return ATTEST_OK;
    if (v->has_lemma)
        ATTEST_TRY(
            attest_recheck_lemma_witness(&what, &v->lemma, &v->certificate->witness, v->error));
    if (what)
        FAIL_CHECK(v, "%s", what);
    return ATTEST_OK;
}

/* Norms below these limits need no comparison: divided by 2^exponent with doubles, as they
 * are with the lemma. */
typedef struct norm_limits {
    double high, r;
} norm_limits;

static double limit_below(const verification *v, const arf_t x)
{
    return v->has_doubles ? attest_recheck_scale(&v->check, x, -1)
                          : arf_get_d(x, ARF_RND_FLOOR);
}

static bool may_reach(const verification *v, size_t p, double limit)
{
    return v->has_doubles ? attest_recheck_may_reach(&v->check, p, limit)
                          : !(attest_recheck_lemma_norm(&v->lemma, p) < limit);
}

/* Checks that the largest norm lies in max_norm: none is above it, and one is inside. Under
 * "proved", all norms are below r. */
static void check_norms(verification *v)
{
    const attest_certificate *c = v->certificate;
    bool below_r = c->has_r && c->verdict == ATTEST_PROVED;
    norm_limits limit;
    size_t at = 0;
    arf_t r;

    arf_init(r);
    arf_set_fmpq(r, v->r.bound[LOW], 64, ARF_RND_FLOOR);
    limit.high = limit_below(v, v->largest.end[LOW]);
    limit.r = limit_below(v, r);
    arf_clear(r);
    if (!locate(&at, v->check.dataset, c->largest))
        FAIL_CHECK(v, "max_norm_at is not in the dataset");
    else
        require_inside(v, at, at, &v->smallest, &v->largest, "the largest norm");
    attest_progress_report(&v->check.progress, "norms", 0, v->check.positions, NULL);
    for (size_t p = 0; p < v->check.positions && v->holds; p++) {
        attest_progress_report(&v->check.progress, "norms", p, v->check.positions, NULL);
        if (may_reach(v, p, limit.high) && is_false(v, is_below(v, p, p, &v->largest, false)))
            FAIL_CHECK(v, "the output at position %zu is larger than certified", p);
        if (v->holds && below_r && may_reach(v, p, limit.r) &&
            is_false(v, is_below(v, p, p, &v->r, true)))
            FAIL_CHECK(v, "the output at position %zu is not below r", p);
    }
    attest_progress_end(&v->check.progress);
}

/* Checks that under "refuted" the pair or the largest output violates its bound. */
static void check_refutation(verification *v)
{
    const attest_certificate *c = v->certificate;
    answer pair = NO, norm = NO;
    bool pair_false, norm_false;
    size_t a = 0, b = 0;

    if (c->has_pair && locate(&a, v->check.dataset, c->pair[0]) &&
        locate(&b, v->check.dataset, c->pair[1]))
        pair = is_below(v, a, b, &v->delta, false);
    if (pair != YES && c->has_r && locate(&a, v->check.dataset, c->largest))
        norm = is_above(v, a, a, &v->r, false);
    if (pair == YES || norm == YES)
        return;
    pair_false = is_false(v, pair); /* both, because each records open answers */
    norm_false = is_false(v, norm);
    if (pair_false && norm_false)
        FAIL_CHECK(v, "neither the pair nor the largest output refutes the claim");
}

/* The least e with slack <= 2^e. */
static long slack_exponent(const verification *v)
{
    FMPZ(e);
    ARF(x);

    arf_set_fmpq(x, v->check.weights->output_error, 64, ARF_RND_CEIL);
    arf_abs_bound_le_2exp_fmpz(e, x);
    return fmpz_get_si(e);
}

/* Reports why a certificate that is not proved false stays undecided; OK if it is decided.
 * The slack comes first: larger limits would not help then. */
static attest_status leave_open(const verification *v)
{
    if (v->hidden)
        return attest_error_set(v->error, ATTEST_UNABLE,
                                "a comparison is closer than the error of the weights: outputs "
                                "are known to within 2^%ld, "
                                "because of square roots, angles of positions and softcaps",
                                slack_exponent(v));
    if (v->capped && v->check.met_work)
        return attest_error_set(v->error, ATTEST_UNABLE,
                                "a comparison stays open, and the " ATTEST_HINT_WORK_DONE);
    if (v->capped && v->check.met_terms)
        return attest_error_set(v->error, ATTEST_UNABLE,
                                "a comparison stays open, and %zu " ATTEST_HINT_TERMS,
                                v->options->max_terms);
    if (v->capped)
        return attest_error_set(v->error, ATTEST_UNABLE,
                                "a comparison stays open, and %ld " ATTEST_HINT_BITS,
                                v->max_bits);
    if (v->certificate->verdict == ATTEST_UNDECIDED)
        return attest_error_set(v->error, ATTEST_UNABLE, "as the certificate claims");
    return ATTEST_OK;
}

/* Sets every threshold; those of a missing ball stay 0. */
static void set_thresholds(verification *v)
{
    const attest_certificate *c = v->certificate;
    const fmpq *slack = v->check.weights->output_error;

    threshold_init(&v->least), threshold_init(&v->most), threshold_init(&v->delta);
    threshold_init(&v->smallest), threshold_init(&v->largest), threshold_init(&v->r);
    if (c->has_pair)
        set_ball(&v->least, &v->most, c->min_separation, slack, 2);
    if (arb_is_finite(c->max_norm))
        set_ball(&v->smallest, &v->largest, c->max_norm, slack, 1);
    set_bound(&v->delta, c->delta, slack, 2);
    set_bound(&v->r, c->r, slack, 1);
}

static void clear_thresholds(verification *v)
{
    threshold_clear(&v->least), threshold_clear(&v->most), threshold_clear(&v->delta);
    threshold_clear(&v->smallest), threshold_clear(&v->largest), threshold_clear(&v->r);
}

/* Checks one part after another, up to the first that does not hold. */
static attest_status verify_parts(verification *v)
{
    const attest_certificate *c = v->certificate;

    ATTEST_TRY(v->lemma.starved ? attest_memory_fail(v->error) : check_separation(v));
    if (v->holds)
        ATTEST_TRY(check_witness(v));
    if (v->holds && !v->has_lemma)
        ATTEST_TRY(need_doubles(v));
    if (v->holds && arb_is_finite(c->max_norm))
        check_norms(v);
    if (v->holds && c->verdict == ATTEST_REFUTED)
        check_refutation(v);
    if (v->holds && c->display_error)
        FAIL_CHECK(v, "%s", c->display_error);
    return v->holds ? leave_open(v) : ATTEST_OK;
}

static attest_status verify(verification *v, const attest_dataset *dataset,
                            const attest_weights *weights)
{
    attest_status status;

    ATTEST_TRY(attest_recheck_init(&v->check, dataset, weights, v->error));
    v->check.max_terms = v->options->max_terms;
    v->check.work_left = v->options->max_work;
    v->check.progress = v->options->progress;
    v->check.jobs = v->options->jobs;
    set_thresholds(v);
    v->has_lemma = !dataset->identity && attest_recheck_lemma_init(&v->lemma, &v->check);
    status = verify_parts(v);
    clear_thresholds(v);
    if (v->has_lemma)
        attest_recheck_lemma_clear(&v->lemma);
    attest_recheck_clear(&v->check);
    return status;
}

/* True for values that no file can contain, but a caller's certificate can. */
static bool is_malformed(const attest_certificate *c)
{
    return fmpq_sgn(c->delta) < 0 || (c->has_r && fmpq_sgn(c->r) < 0) ||
           (c->has_pair &&
            (!arb_is_finite(c->min_separation) || !has_ends(c->min_separation))) ||
           (c->verdict != ATTEST_UNDECIDED && !arb_is_finite(c->max_norm)) ||
           (arb_is_finite(c->max_norm) && !has_ends(c->max_norm));
}

void attest_check_options_init(attest_check_options *options)
{
    *options = (attest_check_options){.max_bits = ATTEST_CERTIFY_MAX_BITS,
                                      .max_terms = ATTEST_CERTIFY_MAX_TERMS,
                                      .max_work = ATTEST_CERTIFY_MAX_WORK};
}

attest_status attest_check_run(bool *holds, const attest_certificate *certificate,
                               const attest_check_options *options, attest_error *error)
{
    verification v = {.certificate = certificate,
                      .options = options,
                      .max_bits = options->max_bits,
                      .holds = true};
    attest_error unread;
    ATTEST_SCOPED(attest_dataset, dataset);
    ATTEST_SCOPED(attest_weights, weights);

    v.error = error ? error : &unread;
    *holds = false;
    if (is_malformed(certificate))
        return attest_error_set(v.error, ATTEST_DOMAIN,
                                "a certificate needs bounds >= 0 and finite enclosures");
    ATTEST_TRY(attest_check_read(&dataset, &weights, &v.holds, certificate, options->directory,
                                 options->budget, v.error));
    if (v.holds)
        ATTEST_TRY(verify(&v, &dataset, &weights));
    *holds = v.holds;
    return ATTEST_OK;
}

attest_status attest_check_certificate(bool *holds, const attest_certificate *certificate,
                                       const char *directory, long max_bits,
                                       attest_budget *budget, attest_error *error)
{
    attest_check_options options;

    attest_check_options_init(&options);
    options.directory = directory;
    options.max_bits = max_bits;
    options.budget = budget;
    return attest_check_run(holds, certificate, &options, error);
}
