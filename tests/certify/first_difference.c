/* The method first-difference against brute force: all pairs of positions, outputs from the
 * definition in balls of 3000 bits. Then what it must refuse to decide. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <attest/certify.h>
#include "certify/first_difference.h"
#include "io/dataset.h"
#include "io/weights_json.h"
#include "recheck/lemma.h"
#include "theory/theorem2.h"

#include "tests/ref/attention.h"
#include "tests/tap.h"

enum { BITS = 3000, DIM_MOST = 3, VOCABULARY = 9 };

/* Sequences of length 1..n over VOCABULARY whole tokens, without repetitions unless asked for.
 */
static void gen_dataset(attest_dataset *data, size_t dim, size_t n, size_t count, bool repeats,
                        uint64_t *state)
{
    attest_dataset_builder builder;
    fmpq *token = _fmpq_vec_init((slong)dim);
    long table[VOCABULARY][DIM_MOST];

    for (size_t t = 0; t < VOCABULARY; t++)
        for (size_t c = 0; c < dim; c++)
            table[t][c] = c == 0 ? 1 + (long)t : (long)(tap_random(state) % 11) - 5;
    attest_dataset_builder_init(&builder, dim, ATTEST_TABLE_RATIONAL, NULL);
    for (size_t i = 0; i < count; i++) {
        size_t length = 1 + tap_random(state) % n;
        bool used[VOCABULARY] = {false};

        for (size_t k = 0; k < length; k++) {
            size_t t;

            do
                t = tap_random(state) % VOCABULARY;
            while (used[t] && !repeats);
            used[t] = true;
            for (size_t c = 0; c < dim; c++)
                fmpq_set_si(token + c, table[t][c], 2);
            if (attest_dataset_builder_add_token(&builder, token, NULL) != ATTEST_OK)
                abort();
        }
        if (attest_dataset_builder_end_sequence(&builder, NULL) != ATTEST_OK)
            abort();
    }
    if (attest_dataset_builder_finish(data, &builder, NULL) != ATTEST_OK)
        abort();
    attest_dataset_builder_clear(&builder);
    _fmpq_vec_clear(token, (slong)dim);
}

/* The outputs of all positions, one after another. */
static arb_ptr all_outputs(const attest_dataset *data, const attest_weights *weights)
{
    arb_ptr out = _arb_vec_init((slong)(data->total * data->dim));
    attest_sequence sequence;

    attest_sequence_init(&sequence);
    for (size_t i = 0; i < data->count; i++) {
        if (attest_dataset_get_sequence(&sequence, data, i, NULL, NULL) != ATTEST_OK)
            abort();
        ref_softmax(out + data->start[i] * data->dim, NULL, weights, &sequence, BITS);
    }
    attest_sequence_clear(&sequence);
    return out;
}

static uint32_t seen_tokens(const attest_dataset *data, size_t i, size_t k, bool causal)
{
    uint32_t seen = 0;

    for (size_t j = 0; j < (causal ? k + 1 : attest_dataset_length(data, i)); j++)
        seen |= 1u << attest_dataset_token(data, i, j);
    return seen;
}

/* least = the least distance of outputs over all required pairs; most = the largest norm. */
static bool brute_force(arb_t least, arb_t most, const attest_dataset *data,
                        const attest_weights *weights)
{
    bool causal = weights->mask == ATTEST_MASK_CAUSAL, any = false;
    arb_ptr out = all_outputs(data, weights);
    arb_t square, entry;

    arb_init(square);
    arb_init(entry);
    arb_zero(most);
    for (size_t i = 0, p = 0; i < data->count; i++) {
        for (size_t k = 0; k < attest_dataset_length(data, i); k++, p++) {
            arb_zero(square);
            for (size_t c = 0; c < data->dim; c++)
                arb_addmul(square, out + p * data->dim + c, out + p * data->dim + c, BITS);
            arb_max(most, most, square, BITS);
            for (size_t j = 0, q = 0; j <= i; j++) {
                for (size_t l = 0; l < attest_dataset_length(data, j) && q < p; l++, q++) {
                    if (data->token[p] == data->token[q] &&
                        seen_tokens(data, i, k, causal) == seen_tokens(data, j, l, causal))
                        continue;
                    arb_zero(square);
                    for (size_t c = 0; c < data->dim; c++) {
                        arb_sub(entry, out + p * data->dim + c, out + q * data->dim + c, BITS);
                        arb_addmul(square, entry, entry, BITS);
                    }
                    if (any)
                        arb_min(least, least, square, BITS);
                    else
                        arb_set(least, square);
                    any = true;
                }
            }
        }
    }
    arb_sqrtpos(least, least, BITS);
    arb_sqrt(most, most, BITS);
    arb_clear(square);
    arb_clear(entry);
    _arb_vec_clear(out, (slong)(data->total * data->dim));
    return any;
}

/* Returns whether the separation ends where the pair that is named for it is. */
static bool ends_at_pair(const attest_finding *finding, const attest_dataset *data,
                         const attest_weights *weights)
{
    arb_ptr out = all_outputs(data, weights);
    arb_t square, entry;
    arf_t end;
    bool ends;

    arb_init(square);
    arb_init(entry);
    arf_init(end);
    for (size_t c = 0; c < data->dim; c++) {
        arb_srcptr at[2];

        for (int i = 0; i < 2; i++)
            at[i] = out + c +
                    (data->start[finding->pair[i].sequence] + finding->pair[i].position) *
                        data->dim;
        arb_sub(entry, at[0], at[1], BITS);
        arb_addmul(square, entry, entry, BITS);
    }
    arb_sqrtpos(square, square, BITS);
    arb_get_ubound_arf(end, finding->min_separation, 128);
    arb_sub_arf(entry, square, end, BITS);
    arb_div(entry, entry, square, BITS);
    ends = arb_is_nonpositive(entry) && arf_cmpabs_2exp_si(arb_midref(entry), -20) < 0;
    arb_clear(square);
    arb_clear(entry);
    arf_clear(end);
    _arb_vec_clear(out, (slong)(data->total * data->dim));
    return ends;
}

/* Decides the claim; part > 0: with norms below 1 / part, too. */
static attest_status decide_norm(attest_finding *finding, const attest_dataset *data,
                                 const attest_weights *weights, const fmpq_t delta, ulong part)
{
    attest_claim claim;
    attest_status status;

    attest_claim_init(&claim);
    claim.dataset = data;
    claim.weights = weights;
    claim.method = "first-difference";
    if (delta)
        fmpq_set(claim.delta, delta);
    claim.has_r = part > 0;
    fmpq_set_ui(claim.r, claim.has_r, part + !part);
    status = attest_certify(finding, &claim, NULL);
    if (status == ATTEST_OK && (!finding->method || strcmp(finding->method, claim.method) != 0))
        status = ATTEST_UNABLE; /* a method that is asked for keeps its name */
    attest_claim_clear(&claim);
    return status;
}

static attest_status decide(attest_finding *finding, const attest_dataset *data,
                            const attest_weights *weights, const fmpq_t delta)
{
    return decide_norm(finding, data, weights, delta, 0);
}

/* Returns whether the checker, which finds neighbours by itself, agrees with the witness. */
static bool is_so(const attest_certificate_witness *witness, const attest_dataset *data,
                  const attest_weights *weights)
{
    attest_recheck_lemma lemma;
    attest_recheck check;
    const char *what;

    if (attest_recheck_init(&check, data, weights, NULL) != ATTEST_OK ||
        !attest_recheck_lemma_init(&lemma, &check) ||
        attest_recheck_lemma_witness(&what, &lemma, witness, NULL) != ATTEST_OK)
        abort();
    if (what)
        printf("# %s\n", what);
    attest_recheck_lemma_clear(&lemma);
    attest_recheck_clear(&check);
    return !what;
}

/* Returns whether the lemma proves it without the rest of the chain, which narrows what is
 * small. Adds to the witnesses, and to what is wrong of them and of the separation. */
static bool is_alone(const attest_dataset *data, const attest_weights *weights, int *witnesses,
                     int *wrong)
{
    attest_contexts contexts;
    attest_finding finding;
    attest_claim claim;
    arb_t least, most;
    bool proved;

    attest_claim_init(&claim);
    attest_finding_init(&finding);
    attest_contexts_init(&contexts);
    claim.dataset = data;
    claim.weights = weights;
    if (attest_contexts_get(&contexts, data, weights->mask, ATTEST_TIES_UNIFORM, NULL) !=
        ATTEST_OK)
        abort();
    finding.has_pair = contexts.classes > 1;
    if (attest_first_difference_decide(&finding, &claim, &contexts, NULL) != ATTEST_OK)
        abort();
    proved = finding.verdict == ATTEST_PROVED;
    *witnesses += finding.witness.present;
    *wrong += finding.witness.present && !is_so(&finding.witness, data, weights);
    arb_init(least);
    arb_init(most);
    *wrong += proved && brute_force(least, most, data, weights) &&
              (!arb_overlaps(least, finding.min_separation) ||
               !ends_at_pair(&finding, data, weights));
    arb_clear(least);
    arb_clear(most);
    attest_contexts_clear(&contexts);
    attest_finding_clear(&finding);
    attest_claim_clear(&claim);
    return proved;
}

/* Makes the queries look along another direction than the keys, and flips signs. */
static void bend(attest_weights *weights, uint64_t *state)
{
    attest_matrix *wq = &weights->head[0].wq;

    for (size_t c = 0; c < weights->dim; c++)
        fmpz_mul_si(wq->v + c, wq->v + c, c == 0 ? 3 : 2);
    if (tap_random(state) % 2)
        fmpz_neg(wq->u, wq->u);
}

/* Makes the output large and not orthogonal to v, so that different tokens may come close; if
 * huge, only what is orthogonal to it keeps them apart. */
static void lean(attest_weights *weights, bool huge, uint64_t *state)
{
    attest_matrix *wo = &weights->head[0].wo;

    fmpz_set_ui(wo->denominator, 4);
    for (size_t c = 0; c < weights->dim; c++)
        fmpz_set_si(wo->entry + c, (slong)(tap_random(state) % 19) - 9);
    fmpz_set_ui(wo->entry, 1 + tap_random(state) % 9);
    if (huge)
        _fmpz_vec_scalar_mul_2exp(wo->entry, wo->entry, (slong)weights->dim, 20);
}

static void test_brute_force(void)
{
    uint64_t state = tap_seed(0xf1d1);
    int bad = 0, proved = 0, alone = 0, witnesses = 0, wrong = 0, undecided = 0;
    arb_t least, most;

    arb_init(least);
    arb_init(most);
    for (int trial = 0; trial < 90; trial++) {
        size_t dim = 1 + tap_random(&state) % DIM_MOST;
        attest_construction c;
        attest_finding finding;
        attest_dataset data;

        attest_dataset_init(&data);
        attest_construction_init(&c);
        attest_finding_init(&finding);
        gen_dataset(&data, dim, 5, 1 + tap_random(&state) % 8, false, &state);
        c.strategy = ATTEST_STRATEGY_GAP;
        c.mask = tap_random(&state) % 2 ? ATTEST_MASK_CAUSAL : ATTEST_MASK_NONE;
        if (attest_construction_build(&c, &data, NULL) != ATTEST_OK)
            abort();
        if (!c.hypothesis) {
            if (trial % 3 == 0)
                bend(&c.weights, &state);
            if (trial % 3 == 1)
                lean(&c.weights, trial % 2, &state);
            if (decide(&finding, &data, &c.weights, NULL) != ATTEST_OK)
                bad++;
            if (is_alone(&data, &c.weights, &witnesses, &wrong))
                alone += trial % 6 == 1;
            if (finding.verdict == ATTEST_PROVED) {
                bool any = brute_force(least, most, &data, &c.weights);

                proved++;
                if ((any && (!arb_overlaps(least, finding.min_separation) ||
                             arb_rel_accuracy_bits(least) < 40)) ||
                    !arb_overlaps(most, finding.max_norm)) {
                    printf("# trial %d disagrees: ", trial);
                    arb_printd(least, 10);
                    printf(" and ");
                    arb_printd(finding.min_separation, 10);
                    printf(", norm ");
                    arb_printd(most, 10);
                    printf(" and ");
                    arb_printd(finding.max_norm, 10);
                    printf("\n");
                    bad++;
                }
            } else {
                undecided++;
            }
        }
        attest_finding_clear(&finding);
        attest_construction_clear(&c);
        attest_dataset_clear(&data);
    }
    TAP_OK(bad == 0, "90 datasets: the results are those of all pairs at %d bits", BITS);
    TAP_OK(proved >= 60, "%d were proved, %d were undecided", proved, undecided);
    TAP_OK(witnesses >= 40 && wrong == 0, "%d witnesses; the lemma alone is wrong %d times",
           witnesses, wrong);
    TAP_OK(alone > 0, "%d with huge outputs were proved by an orthogonal direction", alone);
    arb_clear(least);
    arb_clear(most);
}

/* Norms far below 1 are enclosed as narrowly as others. */
static void test_small_norms(void)
{
    static const char text[] = "{\"format\":\"attest/dataset\",\"version\":1,\"sequences\":"
                               "[[[\"1/64\"],[\"1/32\"]],[[\"1/32\"],[\"3/64\"]]]}";
    attest_construction c;
    attest_finding finding;
    attest_dataset data;

    attest_dataset_init(&data);
    attest_construction_init(&c);
    attest_finding_init(&finding);
    c.strategy = ATTEST_STRATEGY_GAP;
    if (attest_dataset_parse_json(&data, text, strlen(text), NULL, NULL) != ATTEST_OK ||
        attest_construction_build(&c, &data, NULL) != ATTEST_OK || c.hypothesis)
        abort();
    TAP_OK(decide(&finding, &data, &c.weights, NULL) == ATTEST_OK &&
               finding.verdict == ATTEST_PROVED &&
               arb_rel_accuracy_bits(finding.max_norm) > 20 &&
               arf_cmpabs_2exp_si(arb_midref(finding.max_norm), -3) < 0,
           "small norms: %ld bits", arb_rel_accuracy_bits(finding.max_norm));
    attest_finding_clear(&finding);
    attest_construction_clear(&c);
    attest_dataset_clear(&data);
}

/* The verdict and the reason on one dataset, for weights changed by change. */
static void test_refusals(void)
{
    uint64_t state = tap_seed(0xf1d2);
    attest_construction c;
    attest_finding finding;
    attest_dataset data, repeated;
    fmpq_t delta;
    fmpz_t keep;

    attest_dataset_init(&data);
    attest_dataset_init(&repeated);
    attest_construction_init(&c);
    attest_finding_init(&finding);
    fmpq_init(delta);
    fmpz_init(keep);
    gen_dataset(&data, 2, 4, 8, false, &state);
    do {
        attest_dataset_clear(&repeated);
        attest_dataset_init(&repeated);
        gen_dataset(&repeated, 2, 5, 8, true, &state);
        c.strategy = ATTEST_STRATEGY_GAP;
    } while (repeated.tokens.count != VOCABULARY);
    if (attest_construction_build(&c, &data, NULL) != ATTEST_OK || c.hypothesis)
        abort();
    TAP_OK(decide(&finding, &data, &c.weights, NULL) == ATTEST_OK &&
               finding.verdict == ATTEST_PROVED,
           "a dataset that is proved");
    arf_get_fmpq(delta, arb_midref(finding.min_separation));
    TAP_OK(decide(&finding, &data, &c.weights, delta) == ATTEST_OK &&
               finding.verdict == ATTEST_UNDECIDED && finding.part == ATTEST_CLAIM_SEPARATION &&
               finding.reason[0],
           "a delta within the enclosure of the least separation is open");
    TAP_OK(decide_norm(&finding, &data, &c.weights, delta, 1000) == ATTEST_OK &&
               finding.verdict == ATTEST_REFUTED && finding.part == ATTEST_CLAIM_NORM,
           "where norms are too large, that is what refutes the claim");
    fmpq_mul_si(delta, delta, 2);
    TAP_OK(decide_norm(&finding, &data, &c.weights, delta, 1000) == ATTEST_OK &&
               finding.verdict == ATTEST_REFUTED && finding.part == ATTEST_CLAIM_SEPARATION,
           "of both parts the separation comes first");
    TAP_OK(decide_norm(&finding, &data, &c.weights, NULL, 1000) == ATTEST_OK &&
               finding.verdict == ATTEST_REFUTED && finding.part == ATTEST_CLAIM_NORM,
           "norms alone");
    TAP_OK(decide(&finding, &data, &c.weights, delta) == ATTEST_OK &&
               finding.verdict == ATTEST_REFUTED,
           "twice the least separation is refuted");
    fmpz_set(keep, c.weights.head[0].wk.u);
    fmpz_tdiv_q_2exp(c.weights.head[0].wk.u, keep, 1);
    TAP_OK(decide(&finding, &data, &c.weights, NULL) == ATTEST_OK &&
               finding.verdict == ATTEST_UNDECIDED && strstr(finding.reason, "1.3170"),
           "half of kappa: %s", finding.reason);
    fmpz_mul_2exp(c.weights.head[0].wk.u, keep, 4);
    TAP_OK(decide(&finding, &repeated, &c.weights, NULL) == ATTEST_OK &&
               finding.verdict == ATTEST_UNDECIDED && finding.reason[0],
           "other tokens, repeated: %s", finding.reason);
    _fmpz_vec_zero(c.weights.head[0].wk.v, 2);
    fmpz_one(c.weights.head[0].wk.v);
    TAP_OK(decide(&finding, &data, &c.weights, NULL) == ATTEST_USAGE,
           "keys and values along different directions: not for this method");
    _fmpz_vec_zero(c.weights.head[0].wv.v, 2);
    fmpz_one(c.weights.head[0].wv.v + 1);
    _fmpz_vec_zero(c.weights.head[0].wk.v, 2);
    fmpz_one(c.weights.head[0].wk.v + 1);
    TAP_OK(decide(&finding, &data, &c.weights, NULL) == ATTEST_OK &&
               finding.verdict == ATTEST_UNDECIDED && strstr(finding.reason, "equal scores"),
           "a direction that is not injective: %s", finding.reason);
    c.weights.skip = false;
    TAP_OK(decide(&finding, &data, &c.weights, NULL) == ATTEST_USAGE, "no skip: refused");
    fmpq_clear(delta);
    fmpz_clear(keep);
    attest_finding_clear(&finding);
    attest_construction_clear(&c);
    attest_dataset_clear(&data);
    attest_dataset_clear(&repeated);
}

/* About half of the tokens 1000 .. 1000 + n - 1, as one sequence. */
static void add_long(attest_dataset_builder *builder, size_t n, uint64_t *state)
{
    fmpq *token = _fmpq_vec_init(1);

    for (size_t k = 0; k < n; k++) {
        if (tap_random(state) % 2)
            continue;
        fmpq_set_si(token, (slong)(1000 + k), 1);
        if (attest_dataset_builder_add_token(builder, token, NULL) != ATTEST_OK)
            abort();
    }
    if (attest_dataset_builder_end_sequence(builder, NULL) != ATTEST_OK)
        abort();
    _fmpq_vec_clear(token, 1);
}

/* Sequences of less and more than 64 tokens, where the way of sorting changes, against the
 * method ball. */
static void test_long(void)
{
    uint64_t state = tap_seed(0xf1d3);
    attest_dataset_builder builder;
    attest_finding finding, other;
    attest_construction c;
    attest_dataset data;
    attest_claim claim;

    attest_dataset_init(&data);
    attest_construction_init(&c);
    attest_finding_init(&finding);
    attest_finding_init(&other);
    attest_claim_init(&claim);
    attest_dataset_builder_init(&builder, 1, ATTEST_TABLE_RATIONAL, NULL);
    for (size_t i = 0; i < 16; i++)
        add_long(&builder, 200, &state);
    if (attest_dataset_builder_finish(&data, &builder, NULL) != ATTEST_OK)
        abort();
    c.strategy = ATTEST_STRATEGY_GAP;
    if (attest_construction_build(&c, &data, NULL) != ATTEST_OK || c.hypothesis)
        abort();
    claim.dataset = &data;
    claim.weights = &c.weights;
    claim.method = "ball";
    TAP_OK(decide(&finding, &data, &c.weights, NULL) == ATTEST_OK &&
               finding.verdict == ATTEST_PROVED &&
               attest_certify(&other, &claim, NULL) == ATTEST_OK &&
               arb_overlaps(finding.min_separation, other.min_separation),
           "about 100 tokens in a sequence: as the method ball");
    attest_dataset_builder_clear(&builder);
    attest_claim_clear(&claim);
    attest_finding_clear(&finding);
    attest_finding_clear(&other);
    attest_construction_clear(&c);
    attest_dataset_clear(&data);
}

/* Keys and values along the first axis, queries doubled along that axis; what is added, along
 * the last, over divisor. */
static void set_head(attest_weights *weights, size_t dim, size_t axis, ulong divisor)
{
    attest_head *head;

    if (attest_weights_resize(weights, 1) != ATTEST_OK)
        abort();
    weights->dim = dim;
    head = weights->head;
    attest_matrix_resize(&head->wq, 1, dim);
    attest_matrix_resize(&head->wk, 1, dim);
    attest_matrix_resize(&head->wv, 1, dim);
    attest_matrix_resize(&head->wo, dim, 1);
    fmpz_set_ui(head->wq.entry + axis, 2);
    fmpz_one(head->wk.entry);
    fmpz_one(head->wv.entry);
    fmpz_one(head->wo.entry + dim - 1);
    fmpz_set_ui(head->wo.denominator, divisor);
}

/* The verdict on |output| < r, for the sequences (x_i, T), i = 1..100: T = (200, 0), x_i = (i,
 * 0), but x_1 = (1, 190); about 200 is added to every second entry. */
static attest_verdict bound_norms(slong r)
{
    attest_dataset_builder builder;
    attest_finding finding;
    attest_weights weights;
    attest_dataset data;
    attest_claim claim;
    attest_verdict verdict;
    fmpq *token = _fmpq_vec_init(2);

    attest_dataset_init(&data);
    attest_weights_init(&weights);
    attest_finding_init(&finding);
    attest_claim_init(&claim);
    attest_dataset_builder_init(&builder, 2, ATTEST_TABLE_RATIONAL, NULL);
    for (slong i = 1; i <= 100; i++) {
        for (int k = 0; k < 2; k++) {
            fmpq_set_si(token, k ? 200 : i, 1);
            fmpq_set_si(token + 1, i == 1 && !k ? 190 : 0, 1);
            if (attest_dataset_builder_add_token(&builder, token, NULL) != ATTEST_OK)
                abort();
        }
        if (attest_dataset_builder_end_sequence(&builder, NULL) != ATTEST_OK)
            abort();
    }
    if (attest_dataset_builder_finish(&data, &builder, NULL) != ATTEST_OK)
        abort();
    set_head(&weights, 2, 0, 1);
    claim.dataset = &data;
    claim.weights = &weights;
    claim.method = "first-difference";
    claim.has_r = true;
    fmpq_set_si(claim.r, r, 1);
    if (attest_certify(&finding, &claim, NULL) != ATTEST_OK)
        abort();
    verdict = finding.verdict;
    _fmpq_vec_clear(token, 2);
    attest_dataset_builder_clear(&builder);
    attest_claim_clear(&claim);
    attest_finding_clear(&finding);
    attest_weights_clear(&weights);
    attest_dataset_clear(&data);
    return verdict;
}

/* Of T in its 100 contexts doubles say 400, and it is at most 283 long: so many more than are
 * kept that x_1 in its context, 390 long, is not looked at. What all tokens have together must
 * bound it: max |x| + |w| max |v.x| = 400. */
static void test_norms(void)
{
    TAP_OK(bound_norms(290) == ATTEST_UNDECIDED,
           "a norm that is not computed is not proved to be below 290");
    TAP_OK(bound_norms(401) == ATTEST_PROVED,
           "a norm that is not computed is proved to be below 401");
}

/* The token 1000 alone and beside 1, whose outputs differ by about e^-1998000: a claim that the
 * separation meets to 100 bits is compared with all of them. */
static void test_met(void)
{
    attest_dataset_builder builder;
    attest_finding finding;
    attest_weights weights;
    attest_dataset data;
    fmpq *token = _fmpq_vec_init(1);
    fmpq_t delta;
    arf_t end;
    attest_verdict above, below;

    fmpq_init(delta);
    arf_init(end);
    attest_finding_init(&finding);
    attest_weights_init(&weights);
    attest_dataset_init(&data);
    attest_dataset_builder_init(&builder, 1, ATTEST_TABLE_RATIONAL, NULL);
    for (slong i = 0; i < 3; i++) {
        fmpq_set_si(token, i < 2 ? 1000 : 1, 1);
        if (attest_dataset_builder_add_token(&builder, token, NULL) != ATTEST_OK ||
            (i != 1 && attest_dataset_builder_end_sequence(&builder, NULL) != ATTEST_OK))
            abort();
    }
    set_head(&weights, 1, 0, 1000000000);
    if (attest_dataset_builder_finish(&data, &builder, NULL) != ATTEST_OK ||
        decide(&finding, &data, &weights, NULL) != ATTEST_OK)
        abort();
    arb_get_ubound_arf(end, finding.min_separation, ATTEST_FIRST_DIFFERENCE_BITS);
    arf_get_fmpq(delta, end);
    if (decide(&finding, &data, &weights, delta) != ATTEST_OK)
        abort();
    above = finding.verdict;
    arb_get_lbound_arf(end, finding.min_separation, ATTEST_FIRST_DIFFERENCE_BITS);
    arf_get_fmpq(delta, end);
    fmpq_div_2exp(delta, delta, 1);
    if (decide(&finding, &data, &weights, delta) != ATTEST_OK)
        abort();
    below = finding.verdict;
    TAP_OK(above == ATTEST_REFUTED && below == ATTEST_PROVED,
           "2^-2882000: a claim just above is refuted, one of half is proved");
    fmpq_clear(delta);
    arf_clear(end);
    _fmpq_vec_clear(token, 1);
    attest_dataset_builder_clear(&builder);
    attest_finding_clear(&finding);
    attest_weights_clear(&weights);
    attest_dataset_clear(&data);
}

/* The mean of y under the softmax of 2 y. */
static double mean(const long *y, size_t count)
{
    double total = 0, sum = 0;

    for (size_t k = 0; k < count; k++) {
        double weight = exp((double)(2 * (y[k] - y[0])));

        total += weight;
        sum += weight * (double)(y[k] - y[0]);
    }
    return sum / total;
}

/* Tokens (i, 1), i = 2..513, after 520 and after 520 and 518: as many neighbours as are kept,
 * and one bound for all, below what they attain. Those of 1 and 514, after 520 and after 518,
 * are far apart and find no room; that must not widen the enclosure. */
static void test_room(void)
{
    double least = INFINITY, found;
    attest_dataset_builder builder;
    attest_contexts contexts;
    attest_finding finding;
    attest_weights weights;
    attest_dataset data;
    attest_claim claim;
    fmpq *token = _fmpq_vec_init(2);

    attest_claim_init(&claim);
    attest_finding_init(&finding);
    attest_contexts_init(&contexts);
    attest_weights_init(&weights);
    attest_dataset_init(&data);
    attest_dataset_builder_init(&builder, 2, ATTEST_TABLE_RATIONAL, NULL);
    fmpq_one(token + 1);
    for (long i = 1; i <= 514; i++) {
        bool far = i == 1 || i == 514;
        long y[2][3] = {{520, i}, {far ? 518 : 520, far ? i : 518, i}};

        for (size_t s = 0; s < 2; s++) {
            for (size_t k = 0; k < (s && !far ? 3 : 2); k++) {
                fmpq_set_si(token, y[s][k], 1);
                if (attest_dataset_builder_add_token(&builder, token, NULL) != ATTEST_OK)
                    abort();
            }
            if (attest_dataset_builder_end_sequence(&builder, NULL) != ATTEST_OK)
                abort();
        }
        if (!far)
            least = fmin(least, fabs(mean(y[0], 2) - mean(y[1], 3)) / 1000);
    }
    set_head(&weights, 2, 1, 1000);
    weights.mask = ATTEST_MASK_CAUSAL;
    claim.dataset = &data;
    claim.weights = &weights;
    if (attest_dataset_builder_finish(&data, &builder, NULL) != ATTEST_OK ||
        attest_contexts_get(&contexts, &data, weights.mask, ATTEST_TIES_UNIFORM, NULL) !=
            ATTEST_OK)
        abort();
    finding.has_pair = true;
    if (attest_first_difference_decide(&finding, &claim, &contexts, NULL) != ATTEST_OK)
        abort();
    found = arf_get_d(arb_midref(finding.min_separation), ARF_RND_NEAR);
    TAP_OK(finding.verdict == ATTEST_PROVED && fabs(found - least) < 1e-9 * least &&
               arb_rel_accuracy_bits(finding.min_separation) > 60,
           "as many neighbours as are kept: %g, should be %g", found, least);
    _fmpq_vec_clear(token, 2);
    attest_dataset_builder_clear(&builder);
    attest_contexts_clear(&contexts);
    attest_finding_clear(&finding);
    attest_weights_clear(&weights);
    attest_dataset_clear(&data);
    attest_claim_clear(&claim);
}

/* Returns whether x, a double, is at least the ball, or for a negative sign at most, and not
 * farther from it than 1e-10 of 1 + its size. */
static bool is_bound(double x, const arb_t ball, int sign)
{
    arb_t off, room;
    bool is;

    arb_init(off), arb_init(room);
    arb_set_d(off, x);
    arb_sub(off, off, ball, 200);
    if (sign < 0)
        arb_neg(off, off);
    arb_abs(room, ball);
    arb_add_ui(room, room, 1, 200);
    arb_set_d(room, 1e-10 * arf_get_d(arb_midref(room), ARF_RND_UP));
    is = arb_is_nonnegative(off) && arb_lt(off, room);
    arb_clear(off), arb_clear(room);
    return is;
}

/* Returns whether the constants of a query, whose token is x and |a.x| = 2|x|, are the lemma's
 * bounds at the gap that it names, which is at most 2|x|: mu = g q/(1 - q), nu = mu/(1 - q), q
 * = e^-g. */
static bool is_query(const attest_first_difference_query *query, const fmpq_t x)
{
    arb_t g, q, one, mu, nu, b;
    bool is;

    arb_init(g), arb_init(q), arb_init(one), arb_init(mu), arb_init(nu), arb_init(b);
    arb_set_fmpq(b, x, 200);
    arb_abs(b, b);
    is = query->sign == fmpq_sgn(x) && is_bound(query->norm, b, 1);
    arb_mul_2exp_si(g, b, 2);
    is = is && is_bound(query->twice, g, -1);
    arb_mul_2exp_si(b, b, 1); /* |a.x| */
    arb_log(g, b, 200);
    arb_neg(g, g);
    is = is && is_bound(query->offset, g, -1);
    arb_set_d(g, query->twice / 2);
    arb_neg(q, g);
    arb_exp(q, q, 200);
    arb_sub_ui(one, q, 1, 200);
    arb_neg(one, one); /* 1 - q */
    arb_mul(mu, g, q, 200);
    arb_div(nu, mu, one, 200);
    is = is && is_bound(query->mu, nu, 1);
    arb_div(nu, nu, one, 200);
    is = is && is_bound(query->nu, nu, 1);
    arb_div(b, nu, b, 200);
    is = is && is_bound(query->reach, b, 1);
    arb_add_ui(one, q, 1, 200);
    arb_div(mu, mu, one, 200);
    is = is && is_bound(query->shallow, mu, 1);
    arb_mul_2exp_si(q, q, 1);
    arb_sub_ui(q, q, 1, 200);
    arb_neg(q, q);
    is = is && is_bound(query->slope, q, -1);
    arb_sub(b, g, nu, 200);
    arb_log(b, b, 200);
    is = is && is_bound(query->at_maximum, b, -1);
    arb_clear(g), arb_clear(q), arb_clear(one), arb_clear(mu), arb_clear(nu), arb_clear(b);
    return is;
}

/* Tokens on a line, one sequence of all or each its own, with scores 2 x x', and what is added
 * over divisor. */
typedef struct line {
    attest_dataset data;
    attest_weights weights;
    attest_claim claim;
    attest_first_difference_scan *scan;
} line;

static void line_init(line *l, const char *const *text, size_t count, bool apart, ulong divisor)
{
    attest_dataset_builder builder;
    fmpq_t x;

    fmpq_init(x);
    attest_dataset_init(&l->data);
    attest_weights_init(&l->weights);
    attest_claim_init(&l->claim);
    attest_dataset_builder_init(&builder, 1, ATTEST_TABLE_RATIONAL, NULL);
    for (size_t i = 0; i < count; i++)
        if (fmpq_set_str(x, text[i], 10) != 0 ||
            attest_dataset_builder_add_token(&builder, x, NULL) != ATTEST_OK ||
            ((apart || i + 1 == count) &&
             attest_dataset_builder_end_sequence(&builder, NULL) != ATTEST_OK))
            abort();
    if (attest_dataset_builder_finish(&l->data, &builder, NULL) != ATTEST_OK)
        abort();
    set_head(&l->weights, 1, 0, divisor);
    l->claim.dataset = &l->data;
    l->claim.weights = &l->weights;
    attest_dataset_builder_clear(&builder);
    fmpq_clear(x);
}

/* The part of the scan that the queries and bounds need. */
static void line_scan(line *l)
{
    attest_first_difference_scan *scan = l->scan = calloc(1, sizeof *scan);

    scan->claim = &l->claim;
    attest_rank_one_init(&scan->head, 1);
    if (attest_rank_one_set(&scan->head, &l->weights.head[0]) || !scan->head.parallel ||
        attest_projection_init(&scan->y, &l->data.tokens, &scan->head.v, NULL) != ATTEST_OK ||
        attest_projection_sort(&scan->y) != ATTEST_OK)
        abort();
    scan->scale = ldexp(2, 2 * (int)scan->y.exponent);
    scan->unit = ldexp(1, (int)scan->y.exponent);
    arb_init(scan->norm_w);
    attest_rational_vector_norm(scan->norm_w, &scan->head.w, ATTEST_FIRST_DIFFERENCE_BITS);
}

static void line_clear(line *l)
{
    if (l->scan) {
        free(l->scan->query);
        arb_clear(l->scan->norm_w);
        attest_projection_clear(&l->scan->y);
        attest_rank_one_clear(&l->scan->head);
        free(l->scan);
    }
    attest_claim_clear(&l->claim);
    attest_weights_clear(&l->weights);
    attest_dataset_clear(&l->data);
}

/* How many queries are what they say; 0 with the reason where there are none. The least gap of
 * values is 1. */
static size_t count_queries(char reason[ATTEST_ERROR_SIZE], const char *const *text,
                            size_t count)
{
    size_t right = 0;
    fmpq_t x;
    line l;

    fmpq_init(x);
    *reason = '\0';
    line_init(&l, text, count, false, 1);
    line_scan(&l);
    if (attest_first_difference_set_queries(l.scan, reason, ATTEST_ERROR_SIZE, NULL) !=
        ATTEST_OK)
        abort();
    for (size_t t = 0; t < count && !*reason; t++) {
        attest_projection_get(x, &l.scan->y, t);
        right += is_query(&l.scan->query[t], x);
    }
    line_clear(&l);
    fmpq_clear(x);
    return right;
}

/* Returns whether different tokens are kept as far apart as expected, to 1e-9 of it. */
static bool keeps_apart(const char *const *text, size_t count, ulong divisor, double expected)
{
    arf_t bound, enough;
    double found;
    line l;

    arf_init(bound), arf_init(enough);
    arf_pos_inf(enough);
    line_init(&l, text, count, false, divisor);
    line_scan(&l);
    if (attest_first_difference_bound_tokens(bound, l.scan, enough, NULL) != ATTEST_OK)
        abort();
    found = arf_get_d(bound, ARF_RND_UP);
    line_clear(&l);
    arf_clear(bound), arf_clear(enough);
    return found <= expected * (1 + 0x1p-50) && found >= expected * (1 - 1e-9);
}

/* On a line the least distance less what can be added: of 10, 12 and 15 it is 2, and means
 * differ by 5 at most. */
static void test_tokens(void)
{
    static const char *const text[] = {"10", "15", "12"}, *const other[] = {"-15", "-3", "-17"};

    TAP_OK(keeps_apart(text, 3, 10, 1.5) && keeps_apart(text, 3, 4, 0.75) &&
               keeps_apart(text, 3, 2, 0) && keeps_apart(other, 3, 10, 0.6),
           "different tokens are kept apart by their distance");
}

/* Tokens that are alone: outputs are their multiples by 1 + 1/4, and of those that are closest
 * the first is named first. */
static void test_alone(void)
{
    static const char *const text[2][3] = {{"5", "9", "3"}, {"3", "9", "5"}};
    bool ok = true;

    for (int i = 0; i < 2; i++) {
        attest_contexts contexts;
        attest_finding finding;
        arb_t end;
        line l = {.scan = NULL};

        arb_init(end);
        attest_contexts_init(&contexts);
        attest_finding_init(&finding);
        line_init(&l, text[i], 3, true, 4);
        if (attest_contexts_get(&contexts, &l.data, ATTEST_MASK_NONE, ATTEST_TIES_UNIFORM,
                                NULL) != ATTEST_OK)
            abort();
        finding.has_pair = true;
        if (attest_first_difference_decide(&finding, &l.claim, &contexts, NULL) != ATTEST_OK)
            abort();
        arb_set_d(end, 2.5);
        ok = ok && finding.verdict == ATTEST_PROVED && finding.pair[0].sequence == 0 &&
             finding.pair[1].sequence == 2 && arb_contains(finding.min_separation, end);
        arb_set_d(end, 11.25);
        ok = ok && arb_overlaps(finding.max_norm, end) && finding.largest.sequence == 1;
        line_clear(&l);
        attest_finding_clear(&finding);
        attest_contexts_clear(&contexts);
        arb_clear(end);
    }
    TAP_OK(ok, "tokens that are alone: the two that are closest, the first one first");
}

/* Gaps from the least on, log(2 + sqrt 3) = 1.316957896924816708625..., to those whose q is no
 * double. */
static void test_queries(void)
{
    static const char *const some[] = {"1",   "2",       "7/2",        "-5/3", "-29/3",
                                       "300", "1000000", "2000000001", "41/3"},
                             *const close[] = {"1316957896924816709/2000000000000000000",
                                               "3316957896924816709/2000000000000000000", "-1"},
                             *const below[] = {"1316957896924816708/2000000000000000000",
                                               "3316957896924816708/2000000000000000000", "-1"},
                             *const none[] = {"0", "2", "-1"};
    char reason[ATTEST_ERROR_SIZE];
    size_t right = count_queries(reason, some, 9);

    TAP_OK(right == 9, "%zu of 9 queries have the bound of the lemma", right);
    right = count_queries(reason, close, 3);
    TAP_OK(right == 3, "%zu of 3, one at the least gap", right);
    TAP_OK(count_queries(reason, below, 3) == 0 && strstr(reason, "1.3170") &&
               strstr(reason, "[0,0]"),
           "below: %s", reason);
    TAP_OK(count_queries(reason, none, 3) == 0 && strstr(reason, "score 0"), "none: %s",
           reason);
}

/* Decides by one head in one dimension, scores scale x y, what is added an eighth of the mean:
 * whether the separation ends where the pair is that is named. */
static bool name_in_line(attest_finding *finding, const char *sequences, int scale)
{
    char text[300];
    attest_dataset data;
    attest_weights weights;
    bool ends;

    attest_dataset_init(&data);
    attest_weights_init(&weights);
    snprintf(text, sizeof text,
             "{\"format\":\"attest/dataset\",\"version\":1,\"sequences\":[%s]}", sequences);
    if (attest_dataset_parse_json(&data, text, strlen(text), NULL, NULL) != ATTEST_OK)
        abort();
    snprintf(
        text, sizeof text,
        "{\"format\":\"attest/weights\",\"version\":1,\"activation\":\"softmax\",\"heads\":"
        "[{\"WQ\":[[%d]],\"WK\":[[1]],\"WV\":[[1]],\"WO\":[[\"1/8\"]]}]}",
        scale);
    if (attest_weights_parse_json(&weights, text, strlen(text), NULL, NULL) != ATTEST_OK ||
        decide(finding, &data, &weights, NULL) != ATTEST_OK)
        abort();
    ends = finding->verdict == ATTEST_PROVED && ends_at_pair(finding, &data, &weights);
    attest_weights_clear(&weights);
    attest_dataset_clear(&data);
    return ends;
}

/* Means are the largest of their values except for less than e^-600, so that those of
 * neighbours are 1 apart, and no enclosure tells which are nearer: the first of their pairs is
 * named, that of the first tokens of the first two sequences. */
static void test_named(const char *sequences)
{
    attest_finding finding;

    attest_finding_init(&finding);
    TAP_OK(name_in_line(&finding, sequences, 600) && finding.pair[0].sequence == 0 &&
               finding.pair[0].position == 0 && finding.pair[1].sequence == 1 &&
               finding.pair[1].position == 0,
           "the first of equal pairs is named, %s", sequences);
    attest_finding_clear(&finding);
}

/* The pair that is named first is farther apart by e^-scale: where enclosures do not decide,
 * the enclosure of the least separation contains its distance, too. */
static void test_named_ends(void)
{
    size_t wrong = 0, first = 0, second = 0;

    for (int scale = 80; scale < 100; scale++) {
        attest_finding finding;

        attest_finding_init(&finding);
        wrong += !name_in_line(&finding, "[[1],[3]],[[1],[2]],[[1],[4]]", scale);
        first += finding.pair[1].sequence == 1;
        second += finding.pair[1].sequence == 2;
        attest_finding_clear(&finding);
    }
    TAP_OK(wrong == 0 && first > 0 && second > 0,
           "pairs that are nearly equal: %zu times the first, %zu the nearer, %zu are wrong",
           first, second, wrong);
}

/* Two outputs that are opposite, and longest: the first of them is named, in the second
 * sequence. */
static void test_longest(const char *sequences)
{
    attest_finding finding;

    attest_finding_init(&finding);
    TAP_OK(name_in_line(&finding, sequences, 600) && finding.largest.sequence == 1 &&
               finding.largest.position == 1,
           "the first of equal norms is named, %s", sequences);
    attest_finding_clear(&finding);
}

TEST(first_difference)
{
    test_brute_force();
    test_small_norms();
    test_refusals();
    test_long();
    test_norms();
    test_met();
    test_room();
    test_queries();
    test_tokens();
    test_alone();
    test_named("[[1],[3]],[[1],[2]],[[1],[4]]");
    test_named("[[1],[3]],[[1],[4]],[[1],[2]]");
    test_named("[[1],[2],[4]],[[1],[2],[3]]");
    test_named("[[2],[1],[4]],[[2],[1],[3]]");
    test_named_ends();
    test_longest("[[1],[2]],[[1],[3]],[[-1],[-3]]");
    test_longest("[[1],[2]],[[-1],[-3]],[[1],[3]]");
    flint_cleanup();
    return 0;
}
