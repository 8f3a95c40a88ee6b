/* The method filter against the methods exact and ball and against brute force, on data where
 * doubles tie, round, overflow and underflow. */
#include <attest/certify.h>

#include "tests/ref/contextual.h"
#include "tests/ref/instances.h"
#include "tests/tap.h"

#ifndef ROUNDS
#define ROUNDS 12 /* of each kind and activation */
#endif

enum { LEAST_EXPONENT = 1 << 20, MAX_BITS = 1024, ORACLE_BITS = 700 };

static const char *const kind_name[REF_KINDS] = {
    "integers", "doubles", "thirds", "2^-60 apart", "tiny", "huge", "scales 2^-80..80"};

static uint64_t state;

static bool same_place(const attest_place *a, const attest_place *b)
{
    return a->sequence == b->sequence && a->position == b->position;
}

/* The finding of another method: everything but the way must be the same. */
static bool same_finding(const attest_finding *a, const attest_finding *b)
{
    if (a->verdict != b->verdict || a->has_pair != b->has_pair ||
        fmpz_cmp(a->required_pairs, b->required_pairs) != 0)
        return false;
    if (a->verdict == ATTEST_UNDECIDED)
        return true;
    if (a->part != b->part || !arb_overlaps(a->max_norm, b->max_norm) ||
        !same_place(&a->largest, &b->largest))
        return false;
    return !a->has_pair ||
           (arb_overlaps(a->min_separation, b->min_separation) &&
            same_place(&a->pair[0], &b->pair[0]) && same_place(&a->pair[1], &b->pair[1]));
}

/* Returns whether the verdict follows from the comparisons by brute force; undecided is right
 * where those are open. */
static bool oracle_agrees(const attest_finding *f, const ref_contextual *v)
{
    bool refuted = v->separation == REF_BELOW || v->separation == REF_MET ||
                   v->norm == REF_ABOVE || v->norm == REF_MET;
    bool proved = v->separation == REF_ABOVE && v->norm == REF_BELOW;

    if (fmpz_cmp_ui(f->required_pairs, v->required) != 0)
        return false;
    if (f->verdict == ATTEST_PROVED)
        return !refuted;
    if (f->verdict == ATTEST_REFUTED)
        return !proved;
    return true;
}

static bool counts_add_up(const attest_finding *f)
{
    fmpz_t sum;
    bool ok;

    fmpz_init(sum);
    fmpz_add(sum, f->by_filter, f->by_ball);
    fmpz_add(sum, sum, f->by_exact);
    fmpz_add(sum, sum, f->undecided_pairs);
    ok = fmpz_equal(sum, f->required_pairs) && fmpz_sgn(f->by_filter) >= 0;
    fmpz_clear(sum);
    return ok;
}

/* Decides the claim by filter, auto and the method that does not use doubles. */
static bool try_claim(attest_claim *claim, size_t *by_filter, arb_t separation, arb_t norm)
{
    const char *const method[] = {
        "filter", "auto", claim->weights->activation == ATTEST_HARDMAX ? "exact" : "ball"};
    attest_finding finding[3];
    ref_contextual oracle;
    attest_error error;
    bool ok = true;

    for (int m = 0; m < 3; m++) {
        attest_finding_init(&finding[m]);
        claim->method = method[m];
        ok = ok && attest_certify(&finding[m], claim, &error) == ATTEST_OK;
    }
    ref_contextual_init(&oracle);
    ref_contextual_get(&oracle, claim->dataset, claim->weights, claim->delta,
                       claim->has_r ? claim->r : NULL, ORACLE_BITS);
    ok = ok && same_finding(&finding[0], &finding[2]) && oracle_agrees(&finding[0], &oracle) &&
         finding[1].verdict == finding[2].verdict && counts_add_up(&finding[0]);
    *by_filter += fmpz_equal(finding[0].by_filter, finding[0].required_pairs);
    arb_set(separation, finding[2].min_separation);
    arb_set(norm, finding[2].max_norm);
    ref_contextual_clear(&oracle);
    for (int m = 0; m < 3; m++)
        attest_finding_clear(&finding[m]);
    return ok;
}

/* bound = the middle of the ball, a little more, or a little less. */
static void set_near(fmpq_t bound, const arb_t ball)
{
    fmpq_t factor;

    fmpq_init(factor);
    arf_get_fmpq(bound, arb_midref(ball));
    fmpq_set_si(factor, (long)(tap_random(&state) % 3) - 1, 1);
    fmpq_div_2exp(factor, factor, tap_random(&state) % 2 ? 56 : 20);
    fmpq_add_si(factor, factor, 1);
    fmpq_mul(bound, bound, factor);
    fmpq_clear(factor);
}

static bool try_instance(ref_kind kind, attest_activation activation, size_t *by_filter)
{
    arb_t separation, norm;
    ref_instance instance;
    attest_claim claim;
    size_t ignored = 0;
    bool ok;

    arb_init(separation);
    arb_init(norm);
    attest_claim_init(&claim);
    ref_instance_init(&instance, kind, activation, &state);
    claim.dataset = &instance.dataset;
    claim.weights = &instance.weights;
    claim.max_bits = MAX_BITS;
    ok = try_claim(&claim, by_filter, separation, norm);
    /* A separation of e^-(2^1000) has no rational next to it that can be written. */
    if (ok && arb_is_finite(separation) && arb_is_finite(norm) &&
        (arb_is_zero(separation) ||
         arf_cmpabs_2exp_si(arb_midref(separation), -LEAST_EXPONENT) > 0)) {
        /* Bounds next to, and for rational extremes at, what is there. */
        claim.has_r = tap_random(&state) % 2;
        set_near(claim.r, norm);
        set_near(claim.delta, separation);
        ok = try_claim(&claim, &ignored, separation, norm);
    }
    ref_instance_clear(&instance);
    attest_claim_clear(&claim);
    arb_clear(separation);
    arb_clear(norm);
    return ok;
}

TEST(double_enclosure)
{
    const int rounds = tap_budget(ROUNDS);

    state = tap_seed(0xf117e4);
    for (int a = 0; a < 2; a++) {
        for (int kind = 0; kind < REF_KINDS; kind++) {
            attest_activation activation = a ? ATTEST_HARDMAX : ATTEST_SOFTMAX;
            size_t failed = 0, by_filter = 0;
            for (int i = 0; i < rounds; i++) {
                uint64_t before = state;
                if (try_instance((ref_kind)kind, activation, &by_filter))
                    continue;
                failed++;
                printf("# instance %d fails: ATTEST_SEED=0x%llx\n", i,
                       (unsigned long long)before);
            }
            TAP_OK(failed == 0, "%s, %s: filter = other methods = oracle, %zu of %d by doubles",
                   attest_activation_name(activation), kind_name[kind], by_filter, rounds);
            /* Escalating everything would be no filter. */
            if (kind == REF_DOUBLES)
                TAP_OK(by_filter > (size_t)rounds / (a ? 6 : 2), "doubles decide many of them");
        }
    }
    flint_cleanup();
    return 0;
}
