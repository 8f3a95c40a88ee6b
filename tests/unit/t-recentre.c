/* Outputs that doubles do not tell apart: many contexts of one token, whose heads add 2^-80 of
 * it, beside two tokens that are nearer to each other than any two of those; and so many of
 * them that their pairs fit into no list. */
#include <stdlib.h>
#include <string.h>

#include <attest/certify.h>

#include "io/weights_json.h"
#include "tests/tap.h"

enum { CONTEXTS = 120, MANY = 1030 /* 529 935 pairs, over 2^19 */, DIM = 2 };

/* W_V = 2^-80: what a context adds to a token is that small. */
static const char text[] =
    "{\"format\": \"attest/weights\", \"version\": 1, \"activation\": \"softmax\", \"heads\": "
    "[{"
    "\"WQ\": [[1, 0], [0, 1]], \"WK\": [[1, 1], [0, 1]], \"WO\": [[1, 0], [0, 1]], "
    "\"WV\": [[\"1/1208925819614629174706176\", 0], [0, \"1/1208925819614629174706176\"]]}]}";

/* The first coordinate of what is attended to is added. */
static const char first_text[] =
    "{\"format\": \"attest/weights\", \"version\": 1, \"activation\": \"hardmax\", \"heads\": "
    "[{"
    "\"WQ\": [[1, 0], [0, 1]], \"WK\": [[1, 0], [0, 1]], \"WO\": [[1, 0], [0, 1]], "
    "\"WV\": [[1, 0], [0, 0]]}]}";

/* Adds the token (x + units 2^-bits, y/7). */
static void add(attest_dataset_builder *builder, long x, long y, long units, unsigned bits)
{
    fmpq *token = _fmpq_vec_init(DIM);
    fmpq_t tiny;

    fmpq_init(tiny);
    fmpq_set_si(tiny, units, 1);
    fmpq_div_2exp(tiny, tiny, bits);
    fmpq_set_si(token, x, 1);
    fmpq_set_si(token + 1, y, 7);
    fmpq_add(token, token, tiny);
    if (attest_dataset_builder_add_token(builder, token, NULL) != ATTEST_OK)
        abort();
    fmpq_clear(tiny);
    _fmpq_vec_clear(token, DIM);
}

static void end(attest_dataset_builder *builder)
{
    if (attest_dataset_builder_end_sequence(builder, NULL) != ATTEST_OK)
        abort();
}

/* CONTEXTS of the token (1, 1/7), and with bits: (-1, -1/7) and what is 2^-bits from it. */
static void make(attest_dataset *dataset, unsigned bits)
{
    attest_dataset_builder builder;

    attest_dataset_init(dataset);
    attest_dataset_builder_init(&builder, DIM, ATTEST_TABLE_RATIONAL, NULL);
    for (long i = 0; i < CONTEXTS; i++) {
        add(&builder, 1, 1, 0, 0);
        add(&builder, 2 + i % 11, 3 + i, 0, 0);
        end(&builder);
    }
    if (bits > 0) {
        add(&builder, -1, -1, 0, 0);
        end(&builder);
        add(&builder, -1, -1, 1, bits);
        end(&builder);
    }
    if (attest_dataset_builder_finish(dataset, &builder, NULL) != ATTEST_OK)
        abort();
    attest_dataset_builder_clear(&builder);
}

/* MANY contexts of the token (1, 0), next to (2 + i 2^-80, i/7), which scores more for it and
 * for itself: the outputs (3 + i 2^-80, 0) and (4 + i 2^-79, i/7). Before them two of (0, 1),
 * whose outputs (5, 1) and (5 + 2^-20, 1) doubles tell apart. */
static void make_many(attest_dataset *dataset)
{
    attest_dataset_builder builder;

    attest_dataset_init(dataset);
    attest_dataset_builder_init(&builder, DIM, ATTEST_TABLE_RATIONAL, NULL);
    for (long i = 0; i < 2; i++) {
        add(&builder, 0, 7, 0, 0);
        add(&builder, 5, 14, i, 20);
        end(&builder);
    }
    for (long i = 0; i < MANY; i++) {
        add(&builder, 1, 0, 0, 0);
        add(&builder, 2, i, i, 80);
        end(&builder);
    }
    if (attest_dataset_builder_finish(dataset, &builder, NULL) != ATTEST_OK)
        abort();
    attest_dataset_builder_clear(&builder);
}

/* Whether separations are all above 2^-bits; bits = 0: above 0. */
static void certify(attest_finding *finding, const attest_dataset *dataset, const char *json,
                    unsigned bits)
{
    attest_weights weights;
    attest_claim claim;

    attest_weights_init(&weights);
    attest_claim_init(&claim);
    if (attest_weights_parse_json(&weights, json, strlen(json), NULL, NULL) != ATTEST_OK)
        abort();
    claim.dataset = dataset;
    claim.weights = &weights;
    fmpq_set_si(claim.delta, bits > 0, 1);
    fmpq_div_2exp(claim.delta, claim.delta, bits);
    if (attest_certify(finding, &claim, NULL) != ATTEST_OK)
        abort();
    attest_claim_clear(&claim);
    attest_weights_clear(&weights);
}

/* The least separation lies between 2^low and 2^high. */
static void test(unsigned bits, long low, long high)
{
    attest_dataset dataset;
    attest_finding finding;
    arb_t end[2];

    arb_init(end[0]);
    arb_init(end[1]);
    attest_finding_init(&finding);
    make(&dataset, bits);
    certify(&finding, &dataset, text, 0);
    arb_one(end[0]);
    arb_mul_2exp_si(end[1], end[0], high);
    arb_mul_2exp_si(end[0], end[0], low);
    TAP_OK(finding.verdict == ATTEST_PROVED && arb_gt(finding.min_separation, end[0]) &&
               arb_lt(finding.min_separation, end[1]),
           "two tokens 2^-%u apart: separations of 2^%ld to 2^%ld", bits, low, high);
    arb_clear(end[0]);
    arb_clear(end[1]);
    attest_finding_clear(&finding);
    attest_dataset_clear(&dataset);
}

/* No pair of the many is lost, though those of the other token fit into a list. */
static void test_many(void)
{
    attest_dataset dataset;
    attest_finding finding;
    arb_t least;

    arb_init(least);
    arb_one(least);
    arb_mul_2exp_si(least, least, -80);
    attest_finding_init(&finding);
    make_many(&dataset);
    certify(&finding, &dataset, first_text, 40);
    TAP_OK(finding.verdict == ATTEST_REFUTED && finding.part == ATTEST_CLAIM_SEPARATION &&
               arb_equal(finding.min_separation, least) && finding.pair[0].sequence == 2 &&
               finding.pair[1].sequence == 3,
           "%d contexts of one token 2^-80 apart: not above 2^-40", MANY);
    arb_clear(least);
    attest_finding_clear(&finding);
    attest_dataset_clear(&dataset);
}

int main(void)
{
    test(200, -201, -199); /* those two alone: what they add is 2^-80 of what they are apart */
    test(10, -90, -75);    /* contexts of one token */
    test_many();
    flint_cleanup();
    return tap_done();
}
