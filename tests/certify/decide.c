/* The finding for a layer that is known up to a slack: enclosures are wider by the slack, that
 * of the separation by twice the slack, and verdicts depend on the wider ones only. */
#include <string.h>

#include "certify/decide.h"
#include "tests/tap.h"

/* In eighths. The slack is 1/8, so that a separation of 8 may be 6..10, and a norm of 8 may be
 * 7..9. */
typedef struct example {
    const char *what;
    long separation, delta, norm, r; /* separation < 0: there is no pair; r < 0: no bound */
    attest_verdict verdict;
    attest_claim_part part;
} example;

static const example examples[] = {
    {"above", 8, 5, 8, -1, ATTEST_PROVED, ATTEST_CLAIM_NOTHING},
    {"a little above", 8, 7, 8, -1, ATTEST_UNDECIDED, ATTEST_CLAIM_SEPARATION},
    {"met", 8, 8, 8, -1, ATTEST_UNDECIDED, ATTEST_CLAIM_SEPARATION},
    {"a little below", 8, 9, 8, -1, ATTEST_UNDECIDED, ATTEST_CLAIM_SEPARATION},
    {"below", 8, 11, 8, -1, ATTEST_REFUTED, ATTEST_CLAIM_SEPARATION},
    {"a norm below", 8, 5, 8, 10, ATTEST_PROVED, ATTEST_CLAIM_NOTHING},
    {"a norm met", 8, 5, 8, 8, ATTEST_UNDECIDED, ATTEST_CLAIM_NORM},
    {"a norm above", 8, 5, 8, 6, ATTEST_REFUTED, ATTEST_CLAIM_NORM},
    {"both are refuted", 8, 11, 8, 6, ATTEST_REFUTED, ATTEST_CLAIM_SEPARATION},
    {"refuted, and a norm met", 8, 11, 8, 8, ATTEST_REFUTED, ATTEST_CLAIM_SEPARATION},
    {"met, and a norm above", 8, 8, 8, 6, ATTEST_REFUTED, ATTEST_CLAIM_NORM},
    {"both are met", 8, 8, 8, 8, ATTEST_UNDECIDED, ATTEST_CLAIM_SEPARATION},
    {"no pair", -1, 8, 8, -1, ATTEST_PROVED, ATTEST_CLAIM_NOTHING},
    {"no pair, and a norm met", -1, 8, 8, 8, ATTEST_UNDECIDED, ATTEST_CLAIM_NORM},
    {"no pair, and a norm above", -1, 8, 8, 6, ATTEST_REFUTED, ATTEST_CLAIM_NORM},
};

/* Returns whether the ball is value +- radius, in eighths, but for rounding. */
static bool is_ball(const arb_t ball, long value, long radius)
{
    arb_t wide;
    bool is;

    arb_init(wide);
    arb_set_si(wide, value);
    mag_set_ui(arb_radref(wide), (ulong)radius);
    arb_mul_2exp_si(wide, wide, -3);
    is = arb_contains(ball, wide);
    mag_set_d(arb_radref(wide), ((double)radius + 0x1p-10) / 8);
    is = is && arb_contains(wide, ball);
    arb_clear(wide);
    return is;
}

/* Sets the finding of the example with this verdict, and applies a slack in eighths. */
static void apply(attest_finding *finding, const example *x, attest_verdict verdict, long slack)
{
    attest_weights weights;
    attest_claim claim;

    attest_weights_init(&weights);
    attest_claim_init(&claim);
    attest_finding_init(finding);
    claim.weights = &weights;
    fmpq_set_si(weights.output_error, slack, 8);
    fmpq_set_si(claim.delta, x->delta, 8);
    claim.has_r = x->r >= 0;
    fmpq_set_si(claim.r, claim.has_r ? x->r : 0, 8);
    finding->verdict = verdict;
    finding->part = ATTEST_CLAIM_NORM;
    finding->has_pair = x->separation >= 0;
    arb_set_si(finding->min_separation, x->separation);
    arb_mul_2exp_si(finding->min_separation, finding->min_separation, -3);
    arb_set_si(finding->max_norm, x->norm);
    arb_mul_2exp_si(finding->max_norm, finding->max_norm, -3);
    attest_finding_widen(finding, &claim);
    attest_claim_clear(&claim);
    attest_weights_clear(&weights);
}

/* A reason is given where, and only where, the claim is left open. */
static void test_verdicts(void)
{
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        const example *x = &examples[i];
        attest_finding finding;
        bool open = x->verdict == ATTEST_UNDECIDED;

        apply(&finding, x, i % 2 ? ATTEST_PROVED : ATTEST_REFUTED, 1);
        TAP_OK(finding.verdict == x->verdict && finding.part == x->part &&
                   open == (finding.reason[0] != '\0') &&
                   (!open || strstr(finding.reason, x->part == ATTEST_CLAIM_NORM
                                                        ? "norm is r"
                                                        : "separation is delta")) &&
                   is_ball(finding.min_separation, x->separation, 2 * (x->separation >= 0)) &&
                   is_ball(finding.max_norm, x->norm, 1),
               "%s", x->what);
        attest_finding_clear(&finding);
    }
}

static void test_others(void)
{
    attest_finding finding;

    apply(&finding, &examples[0], ATTEST_UNDECIDED, 1);
    TAP_OK(finding.verdict == ATTEST_UNDECIDED && finding.part == ATTEST_CLAIM_NORM &&
               is_ball(finding.min_separation, 8, 2) && is_ball(finding.max_norm, 8, 1) &&
               strstr(finding.reason, "norm is r"),
           "what is undecided stays so, is wider, and has a reason");
    attest_finding_clear(&finding);
    apply(&finding, &examples[0], ATTEST_REFUTED, 0);
    TAP_OK(finding.verdict == ATTEST_REFUTED && finding.part == ATTEST_CLAIM_NORM &&
               arb_is_exact(finding.min_separation) && arb_is_exact(finding.max_norm),
           "without slack all stays as it is");
    attest_finding_clear(&finding);
}

/* A midpoint of +-2^exponent and a radius of 1/8. A midpoint below 2^-30 of the radius becomes
 * 0, since exact ends of the ball have as many bits as the two are apart. */
static void test_tiny(void)
{
    static const struct {
        slong exponent;
        bool kept;
    } rows[] = {{-30, true},   {-32, true},      {-33, false},
                {-100, false}, {-779473, false}, {-779491429, false}};
    example x = {"tiny", 1, 5, 1, -1, ATTEST_REFUTED, ATTEST_CLAIM_SEPARATION};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        attest_finding finding;
        attest_weights weights;
        attest_claim claim;
        arb_t ball;

        apply(&finding, &x, ATTEST_REFUTED, 0);
        attest_weights_init(&weights);
        attest_claim_init(&claim);
        arb_init(ball);
        claim.weights = &weights;
        fmpq_set_si(weights.output_error, 1, 16);
        fmpq_set_si(claim.delta, x.delta, 8);
        arb_set_si(finding.min_separation, i % 2 ? 1 : -1);
        arb_mul_2exp_si(finding.min_separation, finding.min_separation, rows[i].exponent);
        arb_set(ball, finding.min_separation);
        attest_finding_widen(&finding, &claim);
        arb_add_error_2exp_si(ball, -3);
        TAP_OK(arf_is_zero(arb_midref(finding.min_separation)) != rows[i].kept &&
                   arb_contains(finding.min_separation, ball) &&
                   mag_cmp_2exp_si(arb_radref(finding.min_separation), -2) < 0 &&
                   finding.verdict == ATTEST_REFUTED,
               "a midpoint of 2^%ld %s", (long)rows[i].exponent,
               rows[i].kept ? "stays" : "becomes 0");
        arb_clear(ball);
        attest_claim_clear(&claim);
        attest_weights_clear(&weights);
        attest_finding_clear(&finding);
    }
}

TEST(decide)
{
    test_verdicts();
    test_others();
    test_tiny();
    flint_cleanup();
    return 0;
}
