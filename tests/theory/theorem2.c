/* Theorem 2: what is stored against what is promised, recomputed here in MPFR; hypotheses. */
#include <math.h>
#include <string.h>

#include <attest/certify.h>
#include "theory/theorem2.h"

#include "tests/tap.h"

/* A random dataset of whole-number tokens up to 6 without zero tokens and repetitions. */
static void gen_dataset(attest_dataset *data, size_t dim, size_t n, size_t count,
                        uint64_t *state)
{
    attest_dataset_builder builder;
    fmpq *sequence = _fmpq_vec_init((slong)(n * dim));

    attest_dataset_builder_init(&builder, dim, ATTEST_TABLE_RATIONAL, NULL);
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < n; k++) {
            fmpq *token = sequence + k * dim;
            bool usable;

            do {
                usable = false;
                for (size_t c = 0; c < dim; c++) {
                    fmpq_set_si(token + c, (slong)(tap_random(state) % 13) - 6, 1);
                    usable = usable || !fmpq_is_zero(token + c);
                }
                for (size_t l = 0; l < k && usable; l++) {
                    bool equal = true;

                    for (size_t c = 0; c < dim; c++)
                        equal = equal && fmpq_equal(token + c, sequence + l * dim + c);
                    usable = !equal;
                }
            } while (!usable);
            if (attest_dataset_builder_add_token(&builder, token, NULL) != ATTEST_OK)
                abort();
        }
        if (attest_dataset_builder_end_sequence(&builder, NULL) != ATTEST_OK)
            abort();
    }
    if (attest_dataset_builder_finish(data, &builder, NULL) != ATTEST_OK)
        abort();
    attest_dataset_builder_clear(&builder);
    _fmpq_vec_clear(sequence, (slong)(n * dim));
}

static void set_mpfr(mpfr_t x, const fmpq_t value)
{
    mpq_t exact;

    mpq_init(exact);
    fmpq_get_mpq(exact, value);
    mpfr_set_q(x, exact, MPFR_RNDN);
    mpq_clear(exact);
}

/* sum of squares of the entries. */
static void square(fmpq_t sum, const fmpq *entry, size_t count)
{
    fmpq_zero(sum);
    for (size_t c = 0; c < count; c++)
        fmpq_addmul(sum, entry + c, entry + c);
}

/* |v| <= 1 and |w| <= eps / (4 r_max), within 2^-40 of it. */
static bool norms_fit(const attest_construction *c)
{
    fmpq_t sum, bound;
    bool ok;

    fmpq_init(sum);
    fmpq_init(bound);
    square(sum, c->direction, c->dim);
    ok = fmpq_cmp_si(sum, 1) <= 0;
    square(sum, c->output, c->dim);
    fmpq_div(bound, c->eps.value, c->r_max.value);
    fmpq_div_2exp(bound, bound, 2);
    fmpq_mul(bound, bound, bound);
    ok = ok && fmpq_cmp(sum, bound) <= 0;
    fmpq_div(sum, sum, bound);
    ok = ok && fmpq_get_d(sum) > 1 - 0x1p-38;
    fmpq_clear(sum);
    fmpq_clear(bound);
    return ok;
}

/* kappa / [(|V|+1)^4 pi d (2 log n + 3) / (8 eps r_min)] - 1, in 300 bits. */
static double kappa_excess(const attest_construction *c, size_t n, size_t tokens)
{
    mpfr_t x, y;
    double excess;

    mpfr_inits2(300, x, y, (mpfr_ptr)0);
    mpfr_const_pi(x, MPFR_RNDN);
    mpfr_mul_ui(x, x, c->dim, MPFR_RNDN);
    for (int i = 0; i < 4; i++)
        mpfr_mul_ui(x, x, tokens + 1, MPFR_RNDN);
    mpfr_set_ui(y, n, MPFR_RNDN);
    mpfr_log(y, y, MPFR_RNDN);
    mpfr_mul_ui(y, y, 2, MPFR_RNDN);
    mpfr_add_ui(y, y, 3, MPFR_RNDN);
    mpfr_mul(x, x, y, MPFR_RNDN);
    set_mpfr(y, c->eps.value);
    mpfr_div(x, x, y, MPFR_RNDN);
    set_mpfr(y, c->r_min.value);
    mpfr_div(x, x, y, MPFR_RNDN);
    mpfr_div_ui(x, x, 8, MPFR_RNDN);
    set_mpfr(y, c->kappa);
    mpfr_div(x, y, x, MPFR_RNDN);
    mpfr_sub_ui(x, x, 1, MPFR_RNDN);
    excess = mpfr_get_d(x, MPFR_RNDN);
    mpfr_clears(x, y, (mpfr_ptr)0);
    return excess;
}

/* log2 of |w| (log n)^2 e^{-2 kappa r_max^2} / (kappa r_max) from what is stored. */
static double promise_log2(const attest_construction *c, size_t n)
{
    mpfr_t x, y, log2;
    double value;
    fmpq_t sum;

    fmpq_init(sum);
    mpfr_inits2(300, x, y, log2, (mpfr_ptr)0);
    square(sum, c->output, c->dim);
    set_mpfr(x, sum);
    mpfr_sqrt(x, x, MPFR_RNDN);
    mpfr_set_ui(y, n, MPFR_RNDN);
    mpfr_log(y, y, MPFR_RNDN);
    mpfr_mul(x, x, y, MPFR_RNDN);
    mpfr_mul(x, x, y, MPFR_RNDN);
    set_mpfr(y, c->kappa);
    mpfr_div(x, x, y, MPFR_RNDN);
    set_mpfr(log2, c->r_max.value);
    mpfr_div(x, x, log2, MPFR_RNDN);
    mpfr_log2(x, x, MPFR_RNDN);
    mpfr_mul(y, y, log2, MPFR_RNDN);
    mpfr_mul(y, y, log2, MPFR_RNDN);
    mpfr_mul_ui(y, y, 2, MPFR_RNDN);
    mpfr_const_log2(log2, MPFR_RNDN);
    mpfr_div(y, y, log2, MPFR_RNDN);
    mpfr_sub(x, x, y, MPFR_RNDN);
    value = mpfr_get_d(x, MPFR_RNDN);
    mpfr_clears(x, y, log2, (mpfr_ptr)0);
    fmpq_clear(sum);
    return value;
}

static bool close_to(double a, double b)
{
    return fabs(a - b) <= 1e-12 * fabs(b);
}

static double log2_of(const arb_t ball)
{
    return arf_get_d(arb_midref(ball), ARF_RND_NEAR);
}

/* Returns whether the logarithm is that of the number. */
static bool is_log2(const arb_t log2, const arb_t x)
{
    arb_t expected;
    bool equal;

    arb_init(expected);
    arb_log_base_ui(expected, x, 2, 64);
    equal = arb_overlaps(expected, log2) && arb_rel_accuracy_bits(expected) > 30;
    arb_clear(expected);
    return equal;
}

/* Builds, certifies with r, and compares with the promise. */
static bool certified(attest_construction *c, attest_finding *finding,
                      const attest_dataset *data)
{
    attest_claim claim;
    bool ok;

    attest_claim_init(&claim);
    claim.dataset = data;
    claim.weights = &c->weights;
    claim.has_r = true;
    fmpq_set(claim.r, c->r);
    ok =
        attest_certify(finding, &claim, NULL) == ATTEST_OK && finding->verdict == ATTEST_PROVED;
    attest_claim_clear(&claim);
    return ok;
}

/* Returns whether kappa = m 2^e with m below 2^57: its 56 bits, and one for the carry. */
static bool kappa_is_short(const attest_construction *c)
{
    fmpz_t odd;
    bool ok;

    fmpz_init_set(odd, fmpq_numref(c->kappa));
    fmpz_tdiv_q_2exp(odd, odd, fmpz_val2(odd));
    ok = fmpz_bits(odd) <= 57 &&
         fmpz_val2(fmpq_denref(c->kappa)) + 1 == (ulong)fmpz_bits(fmpq_denref(c->kappa));
    fmpz_clear(odd);
    return ok;
}

static void test_strategies(void)
{
    uint64_t state = tap_seed(0x7e02);
    int bad = 0, weak = 0;

    for (int trial = 0; trial < 24; trial++) {
        attest_strategy strategy = (attest_strategy)(trial % 3);
        size_t dim = 1 + tap_random(&state) % 4, n = 2 + tap_random(&state) % 4,
               count = 1 + tap_random(&state) % 12;
        attest_construction c;
        attest_finding finding;
        attest_dataset data;
        bool ok;

        attest_dataset_init(&data);
        attest_construction_init(&c);
        attest_finding_init(&finding);
        gen_dataset(&data, dim, n, count, &state);
        c.strategy = strategy;
        c.mask = tap_random(&state) % 2 ? ATTEST_MASK_CAUSAL : ATTEST_MASK_NONE;
        ok = attest_construction_build(&c, &data, NULL) == ATTEST_OK && !c.hypothesis &&
             certified(&c, &finding, &data);
        ok = ok && c.formula;
        if (ok && strategy == ATTEST_STRATEGY_THEOREM) {
            double excess = kappa_excess(&c, n, data.tokens.count);

            ok = norms_fit(&c) && excess >= 0 && excess <= 0x1p-40 && kappa_is_short(&c) &&
                 close_to(log2_of(c.delta_log2), promise_log2(&c, n)) &&
                 close_to(log2_of(c.delta_log2), log2_of(c.delta_formula_log2)) &&
                 is_log2(c.delta_formula_log2, c.delta_formula);
        }
        if (ok && strategy != ATTEST_STRATEGY_TUNED)
            ok = c.promise && (!finding.has_pair || arb_gt(finding.min_separation, c.delta));
        if (ok && strategy == ATTEST_STRATEGY_TUNED) {
            arb_t relative;

            arb_init(relative);
            arb_set_fmpq(relative, c.eps.value, 64);
            arb_div(relative, finding.min_separation, relative, 64);
            arb_mul_2exp_si(relative, relative, 25);
            weak += arf_cmp_si(arb_midref(relative), 1) < 0;
            arb_clear(relative);
        }
        if (!ok)
            printf("# trial %d fails: %s\n", trial, c.hypothesis ? c.explanation : "");
        bad += !ok;
        attest_finding_clear(&finding);
        attest_construction_clear(&c);
        attest_dataset_clear(&data);
    }
    TAP_OK(bad == 0, "24 datasets: the stored weights fit, the promised bound is certified");
    TAP_OK(weak == 0, "tuned keeps 2^-25 eps");
}

/* Hundreds of outputs within 2^-58 of r, more than the method follows one by one. */
static void test_norms_near_r(void)
{
    uint64_t state = tap_seed(0x7e03);
    attest_construction c;
    attest_finding finding;
    attest_dataset data;

    attest_dataset_init(&data);
    attest_construction_init(&c);
    attest_finding_init(&finding);
    gen_dataset(&data, 1, 8, 64, &state);
    TAP_OK(attest_construction_build(&c, &data, NULL) == ATTEST_OK && !c.hypothesis &&
               certified(&c, &finding, &data) &&
               strcmp(finding.method, "first-difference") == 0,
           "norms near r are bounded together");
    attest_finding_clear(&finding);
    attest_construction_clear(&c);
    attest_dataset_clear(&data);
}

/* One sequence of tokens of one entry. */
static void set_line(attest_dataset *data, const long *value, size_t count)
{
    attest_dataset_builder builder;
    fmpq *token = _fmpq_vec_init(1);

    attest_dataset_builder_init(&builder, 1, ATTEST_TABLE_RATIONAL, NULL);
    for (size_t k = 0; k < count; k++) {
        fmpq_set_si(token, value[k], 1);
        if (attest_dataset_builder_add_token(&builder, token, NULL) != ATTEST_OK)
            abort();
    }
    if (attest_dataset_builder_end_sequence(&builder, NULL) != ATTEST_OK ||
        attest_dataset_builder_finish(data, &builder, NULL) != ATTEST_OK)
        abort();
    attest_dataset_builder_clear(&builder);
    _fmpq_vec_clear(token, 1);
}

/* The hypothesis that fails, and the positions that are named for it. */
static const char *failing(const long *value, size_t count, attest_strategy strategy,
                           long r_min, long r_max, long eps)
{
    static char name[80];
    attest_construction c;
    attest_dataset data;
    int length;

    attest_dataset_init(&data);
    attest_construction_init(&c);
    set_line(&data, value, count);
    c.strategy = strategy;
    c.r_min.given = r_min >= 0;
    c.r_max.given = r_max >= 0;
    c.eps.given = eps >= 0;
    fmpq_set_si(c.r_min.value, r_min, 1);
    fmpq_set_si(c.r_max.value, r_max, 1);
    fmpq_set_si(c.eps.value, eps, 1);
    if (attest_construction_build(&c, &data, NULL) != ATTEST_OK)
        abort();
    length = snprintf(name, sizeof name, "%s", c.hypothesis ? c.hypothesis : "none");
    for (size_t i = 0; i < c.places; i++)
        length += snprintf(name + length, sizeof name - (size_t)length, " %zu",
                           i < 2 ? c.place[i].position : SIZE_MAX);
    attest_construction_clear(&c);
    attest_dataset_clear(&data);
    return name;
}

static void test_hypotheses(void)
{
    static const long zero[] = {0, 3}, twice[] = {2, 5, 2}, one[] = {4}, same[] = {4, 4},
                      good[] = {2, 5, 9};
    static long
        many[45000]; /* more pairs than are looked at one by one: on a line all are seen */

    for (long i = 0; i < 45000; i++)
        many[i] = i == 0 ? 1 : 2 * i;

#define FAILS(expected, value, strategy, r_min, r_max, eps)                                    \
    TAP_OK(strcmp(failing(value, sizeof value / sizeof *value, strategy, r_min, r_max, eps),   \
                  expected) == 0,                                                              \
           "%s: %s", #value, expected)
    FAILS("r-min 0", zero, ATTEST_STRATEGY_THEOREM, -1, -1, -1);
    FAILS("r-min 0", zero, ATTEST_STRATEGY_TUNED, -1, -1, -1);
    FAILS("no-duplicates 0 2", twice, ATTEST_STRATEGY_GAP, -1, -1, -1);
    FAILS("none", twice, ATTEST_STRATEGY_TUNED, -1, -1, -1);
    FAILS("eps", one, ATTEST_STRATEGY_THEOREM, -1, -1, -1);
    FAILS("eps", same, ATTEST_STRATEGY_TUNED, -1, -1, -1);
    FAILS("none", good, ATTEST_STRATEGY_THEOREM, 1, 10, 2);
    FAILS("r-min 0", good, ATTEST_STRATEGY_THEOREM, 2, 10, 2);
    FAILS("r-min", good, ATTEST_STRATEGY_THEOREM, 0, 10, 2);
    FAILS("r-max 2", good, ATTEST_STRATEGY_THEOREM, 1, 9, 2);
    FAILS("eps 0 1", good, ATTEST_STRATEGY_THEOREM, 1, 10, 3);
    FAILS("eps", good, ATTEST_STRATEGY_GAP, 1, 10, 0);
    FAILS("eps 0 1", many, ATTEST_STRATEGY_GAP, -1, -1, 1);
}

/* Returns whether root^2 is above (below) square, and within 2^-40 of it. */
static bool is_just(const fmpq_t root, long square, bool above)
{
    fmpq_t own;
    double ratio;
    bool ok;

    fmpq_init(own);
    fmpq_mul(own, root, root);
    ok = above ? fmpq_cmp_si(own, square) > 0 : fmpq_cmp_si(own, square) < 0;
    ratio = fmpq_get_d(own) / (double)square;
    fmpq_clear(own);
    return ok && fabs(ratio - 1) < 0x1p-40;
}

/* A caller that knows eps: norms are looked at nevertheless, wherever the extremes stand. */
static void test_known_eps(void)
{
    static const long line[][3] = {{3, -7, 5}, {-7, 5, 3}, {5, 3, -7}};

    for (int i = 0; i < 3; i++) {
        attest_construction c;
        attest_dataset data;
        bool ok;

        attest_dataset_init(&data);
        attest_construction_init(&c);
        set_line(&data, line[i], 3);
        c.strategy = ATTEST_STRATEGY_GAP;
        c.eps.given = c.eps_holds = true;
        fmpq_set_si(c.eps.value, 1, 1);
        ok = attest_construction_build(&c, &data, NULL) == ATTEST_OK && !c.hypothesis;
        TAP_OK(ok && is_just(c.r_min.value, 9, false) && is_just(c.r_max.value, 49, true) &&
                   fmpq_is_one(c.eps.value),
               "eps is known: norms between 3 and 7, in any order");
        attest_construction_clear(&c);
        attest_dataset_clear(&data);
    }
}

/* Sequences of one token each. */
static void test_length(void)
{
    attest_dataset_builder builder;
    attest_construction c;
    attest_dataset data;
    fmpq *token = _fmpq_vec_init(1);

    attest_dataset_init(&data);
    attest_construction_init(&c);
    attest_dataset_builder_init(&builder, 1, ATTEST_TABLE_RATIONAL, NULL);
    for (long x = 2; x <= 5; x += 3) {
        fmpq_set_si(token, x, 1);
        if (attest_dataset_builder_add_token(&builder, token, NULL) != ATTEST_OK ||
            attest_dataset_builder_end_sequence(&builder, NULL) != ATTEST_OK)
            abort();
    }
    if (attest_dataset_builder_finish(&data, &builder, NULL) != ATTEST_OK)
        abort();
    TAP_OK(attest_construction_build(&c, &data, NULL) == ATTEST_OK && c.hypothesis &&
               strcmp(c.hypothesis, "length") == 0 && c.places == 0,
           "no sequence of two tokens: %s", c.explanation);
    attest_dataset_builder_clear(&builder);
    attest_construction_clear(&c);
    attest_dataset_clear(&data);
    _fmpq_vec_clear(token, 1);
}

/* along = v.x for token t. */
static void project(fmpq_t along, const attest_construction *c, const attest_tokens *tokens,
                    size_t t)
{
    fmpq_t x;

    fmpq_init(x);
    fmpq_zero(along);
    for (size_t e = 0; e < c->dim; e++) {
        attest_tokens_get_entry(x, tokens, t, e);
        fmpq_addmul(along, c->direction + e, x);
    }
    fmpq_clear(x);
}

/* One sequence of tokens with two entries. */
static void set_plane(attest_dataset *data, const long value[][2], size_t count)
{
    attest_dataset_builder builder;
    fmpq *token = _fmpq_vec_init(2);

    attest_dataset_builder_init(&builder, 2, ATTEST_TABLE_RATIONAL, NULL);
    for (size_t k = 0; k < count; k++) {
        fmpq_set_si(token, value[k][0], 1);
        fmpq_set_si(token + 1, value[k][1], 1);
        if (attest_dataset_builder_add_token(&builder, token, NULL) != ATTEST_OK)
            abort();
    }
    if (attest_dataset_builder_end_sequence(&builder, NULL) != ATTEST_OK ||
        attest_dataset_builder_finish(data, &builder, NULL) != ATTEST_OK)
        abort();
    attest_dataset_builder_clear(&builder);
    _fmpq_vec_clear(token, 2);
}

/* Two tokens and 0: about one direction in four is too close to orthogonal to a difference. The
 * stored one never is: |v.(x - x')| >= |x - x'| sqrt(8/(pi d)) / (|V|+1)^2. */
static void test_direction(void)
{
    static const long value[][2] = {{3, 1}, {-1, 4}};
    const double least = sqrt(8 / (2 * acos(-1))) / 9, difference[3] = {sqrt(10), sqrt(17), 5};
    attest_dataset data;
    int narrow = 0;
    fmpq_t a, b;

    fmpq_init(a);
    fmpq_init(b);
    attest_dataset_init(&data);
    set_plane(&data, value, 2);
    for (uint64_t seed = 1; seed <= 100; seed++) {
        attest_construction c;

        attest_construction_init(&c);
        c.seed = seed;
        if (attest_construction_build(&c, &data, NULL) != ATTEST_OK || c.hypothesis)
            abort();
        project(a, &c, &data.tokens, 0);
        project(b, &c, &data.tokens, 1);
        narrow += fabs(fmpq_get_d(a)) < difference[0] * least * (1 - 1e-9);
        narrow += fabs(fmpq_get_d(b)) < difference[1] * least * (1 - 1e-9);
        fmpq_sub(a, a, b);
        narrow += fabs(fmpq_get_d(a)) < difference[2] * least * (1 - 1e-9);
        attest_construction_clear(&c);
    }
    TAP_OK(narrow == 0, "100 seeds: the direction keeps the tokens and 0 apart as promised");
    attest_dataset_clear(&data);
    fmpq_clear(a);
    fmpq_clear(b);
}

/* The direction that gap takes for two tokens is made useless by a third one, which it maps to
 * the place of the first. */
static void test_injective(void)
{
    long value[3][2] = {{3, 1}, {-1, 4}};
    attest_dataset data;
    bool equal = false;
    fmpq_t a, b;

    fmpq_init(a);
    fmpq_init(b);
    for (size_t count = 2; count <= 3; count++) {
        attest_construction c;

        attest_construction_init(&c);
        attest_dataset_init(&data);
        set_plane(&data, (const long(*)[2])value, count);
        c.strategy = ATTEST_STRATEGY_GAP;
        if (attest_construction_build(&c, &data, NULL) != ATTEST_OK || c.hypothesis)
            abort();
        if (count == 2) {
            fmpq_div(a, c.direction, c.direction + 1); /* v = (p, q) up to a factor */
            value[2][0] = value[0][0] + fmpz_get_si(fmpq_denref(a));
            value[2][1] = value[0][1] - fmpz_get_si(fmpq_numref(a));
        } else {
            for (size_t t = 0; t < 2; t++) {
                project(a, &c, &data.tokens, t);
                project(b, &c, &data.tokens, 2);
                equal = equal || fmpq_equal(a, b);
            }
        }
        attest_construction_clear(&c);
        attest_dataset_clear(&data);
    }
    TAP_OK(!equal, "gap: no two tokens have the same projection");
    fmpq_clear(a);
    fmpq_clear(b);
}

TEST(theorem2)
{
    test_norms_near_r();
    test_direction();
    test_injective();
    test_strategies();
    test_hypotheses();
    test_known_eps();
    test_length();
    flint_cleanup();
    mpfr_free_cache();
    return 0;
}
