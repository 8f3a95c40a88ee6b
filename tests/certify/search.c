/* Outputs that doubles do not tell apart: many contexts of one token, whose heads add 2^-80 of
 * it, beside two tokens that are nearer to each other than any two of those; and so many of
 * them that their pairs fit into no list. */
#include <stdlib.h>
#include <string.h>

#include <attest/certify.h>

#include "certify/outputs.h"
#include "io/weights_json.h"
#include "tests/tap.h"

enum { MANY_CONTEXTS = 120, MANY = 1030 /* 529 935 pairs, over 2^19 */, DIM = 2 };

/* Places of a lattice, and as many as make over 2^19 pairs with as many others. */
enum { COLUMNS = 12, ROWS = 10, LATTICE = COLUMNS * ROWS, WIDE = 732 };

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

/* What scores most is added, 2^-80 of it; scores are -x x' for tokens (x, y), (x', y'). */
static const char tiny_text[] =
    "{\"format\": \"attest/weights\", \"version\": 1, \"activation\": \"hardmax\", \"heads\": "
    "[{"
    "\"WQ\": [[-1, 0], [0, 0]], \"WK\": [[1, 0], [0, 1]], \"WO\": [[1, 0], [0, 1]], "
    "\"WV\": [[\"1/1208925819614629174706176\", 0], [0, \"1/1208925819614629174706176\"]]}]}";

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

/* MANY_CONTEXTS of the token (1, 1/7), and with bits: (-1, -1/7) and what is 2^-bits from it.
 */
static void make(attest_dataset *dataset, unsigned bits)
{
    attest_dataset_builder builder;

    attest_dataset_init(dataset);
    attest_dataset_builder_init(&builder, DIM, ATTEST_TABLE_RATIONAL, NULL);
    for (long i = 0; i < MANY_CONTEXTS; i++) {
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

/* Returns whether separations are all above 2^-bits; bits = 0: above 0. */
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

/* Two sequences more, and what that makes candidates. */
typedef enum extra_kind {
    NONE,
    FAR,      /* two tokens that are farther apart than neighbours in the lattice */
    UNKNOWN,  /* two whose distance is unknown in doubles: these as well */
    COMMON,   /* one that is equal to that of the lattice in doubles: with all of these, too */
    NEAR,     /* two that are nearer: only these */
    CONTEXTS, /* of one token, and nearer: only these */
    EQUAL,    /* two with equal outputs, which doubles are: only these */
} extra_kind;

static void add_extra(attest_dataset_builder *builder, extra_kind extra, long k)
{
    static const struct {
        long x;
        unsigned bits;
    } token[] = {
        [FAR] = {2, 20}, [UNKNOWN] = {2, 200}, [COMMON] = {-1, 200}, [NEAR] = {0, 200}};

    if (extra == CONTEXTS) { /* 2^-81 apart */
        add(builder, -2, 0, 0, 0);
        add(builder, 4, 0, k, 1);
    } else if (extra == EQUAL && k == 0) { /* the second one is -4, and 2^-80 of it is added */
        add(builder, 0, 0, 4, 80);
        add(builder, -4, 0, 0, 0);
    } else if (extra == EQUAL) {
        add(builder, 0, 0, 0, 0);
    } else {
        add(builder, token[extra].x, 0, k, token[extra].bits);
    }
    end(builder);
}

/* Sequences of (-1, 0), with two also (-1, 1), and (4 + x, y), where x and y are 0, 1, ... in
 * COLUMNS columns. The last scores most for these: the outputs of (-1, 0) are a lattice of step
 * 2^-80, and those of (-1, 1) another, a distance of 1 from it, as is each token from the next.
 * What is extra stands behind the first sequence. */
static void make_lattice(attest_dataset *dataset, long count, bool two, extra_kind extra)
{
    attest_dataset_builder builder;

    attest_dataset_init(dataset);
    attest_dataset_builder_init(&builder, DIM, ATTEST_TABLE_RATIONAL, NULL);
    for (long i = 0; i < count; i++) {
        add(&builder, -1, 0, 0, 0);
        if (two)
            add(&builder, -1, 7, 0, 0);
        add(&builder, 4 + i % COLUMNS, 7 * (i / COLUMNS), 0, 0);
        end(&builder);
        for (long k = 0; k < 2 && i == 0 && extra; k++)
            add_extra(&builder, extra, k);
    }
    if (attest_dataset_builder_finish(dataset, &builder, NULL) != ATTEST_OK)
        abort();
    attest_dataset_builder_clear(&builder);
}

/* Returns whether the sequence is extra; else *at = its place in the lattice. */
static bool is_extra(size_t *at, size_t sequence, extra_kind extra)
{
    if (extra && (sequence == 1 || sequence == 2))
        return true;
    *at = extra && sequence > 2 ? sequence - 2 : sequence;
    return false;
}

/* Returns whether two contexts, p < q, may be nearest. */
static bool is_nearest(const attest_contexts *contexts, const attest_dataset *dataset,
                       extra_kind extra, size_t p, size_t q)
{
    attest_place a = attest_context_place(&contexts->context[p], dataset),
                 b = attest_context_place(&contexts->context[q], dataset);
    size_t first = 0, second = 0, length = attest_dataset_length(dataset, 0);
    bool one = is_extra(&first, a.sequence, extra), two = is_extra(&second, b.sequence, extra);

    if (extra == COMMON && (one || two)) /* which is -1 + 2^-200, and the other -1 */
        return a.position == 0 && b.position == 0 && (a.sequence == 2 || b.sequence == 2);
    if (one || two)
        return one && two && a.position == 0 && b.position == 0 && extra != FAR;
    return extra != NEAR && extra != CONTEXTS && extra != EQUAL && a.position == b.position &&
           a.position + 1 < length &&
           (second == first + COLUMNS || (second == first + 1 && second % COLUMNS > 0));
}

typedef struct listed {
    size_t met, wrong; /* wrong: not in lexicographic order, or not nearest */
} listed;

/* Goes through the candidates. */
static listed list(attest_search *search, extra_kind extra)
{
    const attest_contexts *contexts = search->outputs.contexts;
    size_t first, second, at[2] = {0, 0};
    listed l = {0, 0};
    bool found;

    while (attest_candidates_next(&found, &first, &second, &search->candidates, NULL) ==
               ATTEST_OK &&
           found) {
        l.wrong += l.met > 0 && (first < at[0] || (first == at[0] && second <= at[1]));
        l.wrong += !is_nearest(contexts, search->outputs.dataset, extra, first, second);
        at[0] = first;
        at[1] = second;
        l.met++;
    }
    return l;
}

static size_t count_nearest(const attest_contexts *contexts, const attest_dataset *dataset,
                            extra_kind extra)
{
    size_t expected = 0;

    for (size_t p = 0; p < contexts->count; p++)
        for (size_t q = p + 1; q < contexts->count; q++)
            expected += is_nearest(contexts, dataset, extra, p, q);
    return expected;
}

/* The candidates, of which there were more, are all that is nearest and nothing else. */
static void test_list(const char *what, long count, bool two, extra_kind extra)
{
    attest_contexts contexts;
    attest_dataset dataset;
    attest_weights weights;
    attest_search search;
    attest_claim claim;
    size_t before, expected;
    listed after;

    attest_contexts_init(&contexts);
    attest_weights_init(&weights);
    attest_claim_init(&claim);
    make_lattice(&dataset, count, two, extra);
    claim.dataset = &dataset;
    claim.weights = &weights;
    if (attest_weights_parse_json(&weights, tiny_text, strlen(tiny_text), NULL, NULL) !=
            ATTEST_OK ||
        attest_contexts_get(&contexts, &dataset, weights.mask, weights.ties, NULL) !=
            ATTEST_OK ||
        attest_search_init(&search, &claim, &contexts, NULL) != ATTEST_OK ||
        attest_search_evaluate(&search, NULL) != ATTEST_OK ||
        attest_search_find_candidates(&search, NULL) != ATTEST_OK)
        abort();
    before = search.candidates.complete ? search.candidates.pairs : SIZE_MAX;
    if (attest_search_split_by_token(&search.candidates, &search.outputs, NULL) != ATTEST_OK)
        abort();
    expected = count_nearest(&contexts, &dataset, extra);
    after = list(&search, extra);
    TAP_OK(search.candidates.complete && after.met < before && after.met == expected &&
               after.wrong == 0,
           "%s: %zu candidates of %zu, %zu are wrong", what, after.met, expected, after.wrong);
    attest_search_clear(&search);
    attest_dataset_clear(&dataset);
    attest_claim_clear(&claim);
    attest_weights_clear(&weights);
    attest_contexts_clear(&contexts);
}

/* What the token (-1, 0) attends to is (2^54 + v, 0): of the v two are 1/5 apart, and 2^54 + v
 * as doubles 4; of the others pairs are 2 apart, and 0 as doubles. */
static void test_rounded(void)
{
    attest_dataset_builder builder;
    attest_dataset dataset;
    attest_finding finding;
    fmpq *token = _fmpq_vec_init(DIM);
    arb_t least;

    arb_init(least);
    attest_finding_init(&finding);
    attest_dataset_init(&dataset);
    attest_dataset_builder_init(&builder, DIM, ATTEST_TABLE_RATIONAL, NULL);
    for (long i = 0; i < MANY_CONTEXTS; i++) {
        add(&builder, -1, 0, 0, 0);
        fmpq_set_si(token, i < 2 ? 19 + 2 * i : 640 * (i / 2) + (i % 2 ? 10 : -10), 10);
        fmpq_add_si(token, token, 1L << 54);
        if (attest_dataset_builder_add_token(&builder, token, NULL) != ATTEST_OK)
            abort();
        end(&builder);
    }
    if (attest_dataset_builder_finish(&dataset, &builder, NULL) != ATTEST_OK)
        abort();
    certify(&finding, &dataset, tiny_text, 0);
    fmpq_set_si(token, 1, 5);
    fmpq_div_2exp(token, token, 80);
    arb_set_fmpq(least, token, 64);
    TAP_OK(arb_overlaps(finding.min_separation, least) && finding.pair[0].sequence == 0 &&
               finding.pair[1].sequence == 1,
           "those that are nearest, though as doubles they are not");
    arb_clear(least);
    _fmpq_vec_clear(token, DIM);
    attest_finding_clear(&finding);
    attest_dataset_builder_clear(&builder);
    attest_dataset_clear(&dataset);
}

TEST(search)
{
    test_list("a lattice", LATTICE, false, NONE);
    test_list("beside two that are farther apart", LATTICE, false, FAR);
    test_list("beside two that doubles do not tell apart", LATTICE, false, UNKNOWN);
    test_list("beside a token that is equal to its own in doubles", LATTICE, false, COMMON);
    test_list("beside two that are nearer", LATTICE, false, NEAR);
    test_list("beside two contexts of a token that are nearer", LATTICE, false, CONTEXTS);
    test_list("beside two that are equal", LATTICE, false, EQUAL);
    test_list("two lattices, with too many pairs apart", WIDE, true, NONE);
    test_rounded();
    test(200, -201, -199); /* those two alone: what they add is 2^-80 of what they are apart */
    test(10, -90, -75);    /* contexts of one token */
    test_many();
    flint_cleanup();
    return 0;
}
